"""The pictures of passages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cloze_gen.report.data import ReportData
from cloze_gen.report.passage_plots import classes_plot, places_plot, tokens_plot
from cloze_gen.report.passages import Analysis


@pytest.fixture
def analysis(passages: ReportData) -> Analysis:
    assert passages.passages is not None
    assert passages.passages.analysis is not None
    return passages.passages.analysis


def test_classes_are_named_in_full(analysis: Analysis) -> None:
    """Those that the analysis has, kept beside random, the paper's where it gives one."""
    drawn = classes_plot(analysis)
    assert "proper" in drawn
    assert "adjective" not in drawn
    assert "the paper" in drawn
    assert classes_plot(analysis) == drawn


def test_the_last_place_is_nowhere(analysis: Analysis) -> None:
    """However far back the others go."""
    assert "nowhere" in places_plot(analysis)
    assert "nowhere" in places_plot(replace(analysis, back_kept=(0,), back_random=(0,)))


@pytest.mark.parametrize("tokens", [(70,), (70, 70), (51, 300), tuple(range(60, 90))])
def test_lengths_of_any_spread_are_drawn(tokens: tuple[int, ...]) -> None:
    """One passage, equal ones, two far apart."""
    assert tokens_plot(tokens).startswith("<svg")

"""The plots: equal bytes, colours of the page, no stray markup, no warning for any text."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from cloze_gen.recipes.msr.paper_table import MSR_TABLE_1
from cloze_gen.report import plots
from cloze_gen.report.data import Evaluation
from cloze_gen.report.svg import drawing, new_figure, svg_text


def all_plots(evaluation: Evaluation) -> dict[str, str]:
    return {
        "funnel": plots.funnel_plot([("books", 1), ("nothing", 0), ("alternates", 5_800_000)]),
        "frequency": plots.frequency_plot([1e-6, 1e-5], [3e-6, 0.0]),
        "length": plots.length_plot([7, 7, 7]),
        "position": plots.position_plot([3, 0, 2]),
        "blank": plots.blank_plot([0.0, 1.0]),
        "baselines": plots.baseline_plot(evaluation.baselines, chance=0.2, paper=MSR_TABLE_1, labels={"lsa": "LSA"}),
    }


def test_plots_are_equal_bytes(evaluation: Evaluation) -> None:
    """Drawn twice, and under another matplotlibrc, a plot is the same text."""
    first = all_plots(evaluation)
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "red", "svg.fonttype": "path", "axes.linewidth": 5}):
        assert all_plots(evaluation) == first


def test_plots_are_whole_and_without_names_that_clash(evaluation: Evaluation) -> None:
    """Each is one XML element; no id is used by two plots, and each reference leads to an id of its own plot."""
    seen: set[str] = set()
    for name, svg in all_plots(evaluation).items():
        root = ElementTree.fromstring(svg)
        assert root.tag.endswith("svg")
        ids = {element.attrib["id"] for element in root.iter() if "id" in element.attrib}
        assert not ids & seen, name
        seen |= ids
        assert set(re.findall(r"url\(#([^)]+)\)", svg)) | set(re.findall(r'xlink:href="#([^"]+)"', svg)) <= ids


def test_colours_follow_the_page(evaluation: Evaluation) -> None:
    """No colour is fixed, so that a plot can be read in light and in dark; and nothing says when or by what it was drawn."""
    for name, svg in all_plots(evaluation).items():
        assert re.findall(r"#[0-9a-fA-F]{6}\b", svg) == [], name
        assert "var(--ink)" in svg
        assert "<style" not in svg
        assert "<metadata" not in svg
        assert not re.search(r"DejaVu|\d{4}-\d\d-\d\d", svg)


@pytest.mark.parametrize("label", ["$x^2$ and $", "\u6f22\u5b57", "<script>", "a & b", "x" * 200, ""])
def test_any_label_can_be_drawn(label: str) -> None:
    """A label is text, whatever it holds: no formula, no markup, no warning about letters a font lacks."""
    ElementTree.fromstring(plots.funnel_plot([(label, 3)]))


def test_a_label_for_those_who_cannot_see_is_escaped() -> None:
    """Quotation marks and angle brackets in a plot's label do not leave its attribute."""
    with drawing():
        root = ElementTree.fromstring(svg_text(new_figure(1), name="x", label='a "b" <c>'))
    assert root.attrib["aria-label"] == 'a "b" <c>'


def test_drawing_leaves_matplotlib_as_it_was() -> None:
    """A caller's own matplotlib settings are back after a report."""
    with mpl.rc_context({"font.size": 17}):
        plots.position_plot([1, 2])
        assert mpl.rcParams["font.size"] == 17

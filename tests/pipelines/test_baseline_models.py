"""The training corpus that the baselines' models are made from."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cloze_gen.pipelines.baseline_models import corpus_of_run
from cloze_gen.store.runs import read_run


@pytest.mark.parametrize(("book_bytes", "lm"), [("1000", {"discount_fallback": True}), ("9000000", {})])
def test_a_run_without_a_language_model_is_measured_by_its_size(
    finished: Any, monkeypatch: pytest.MonkeyPatch, book_bytes: str, lm: dict[str, bool]
) -> None:
    """An SCS run says nothing of discounts: books too small to estimate them get the fixed ones, as those of `--train` do."""
    described = read_run(finished.folder)
    described["sample"] = False
    described["settings"].pop("lm")
    monkeypatch.setattr("cloze_gen.pipelines.baseline_models.kept_books", lambda _: [{"book_bytes": book_bytes}])
    corpus = corpus_of_run(finished.folder, described, trained_on="corpus train", workers=1)
    assert corpus is not None
    assert json.loads(corpus.lm) == lm


def test_a_run_without_training_books_has_no_corpus(finished: Any) -> None:
    """A style that has no training side is evaluated without one."""
    described = read_run(finished.folder)
    described["stages"] = [stage for stage in described["stages"] if stage["label"] != "corpus train"]
    assert corpus_of_run(finished.folder, described, trained_on="corpus train", workers=1) is None

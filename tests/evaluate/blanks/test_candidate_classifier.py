"""Classifiers that see candidates and no passage."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cloze_gen.engine.threads import one_thread
from cloze_gen.evaluate.blanks.asked import AskedBlanks
from cloze_gen.evaluate.blanks.candidate_classifier import auc, bootstrapped_auc, f1, judge_candidates, judgement_record
from cloze_gen.evaluate.blanks.metrics import bootstrap_draws
from cloze_gen.rng import derive_rng

WORDS = "the a lamp sea went out came in we they was is ship fire wall end so no".split()


def passages(ask: Callable[..., AskedBlanks], count: int, *, odd: str = "", longer: bool = False) -> list[AskedBlanks]:
    """Passages of six drawn sentences and two distractors drawn likewise, a book for each three."""
    made = []
    for i in range(count):
        rng = derive_rng(1, "test", str(i))

        def drawn(low: int = 4, rng: np.random.Generator = rng) -> str:
            return " ".join(WORDS[j] for j in rng.integers(len(WORDS), size=low + rng.integers(5)))

        distractors = " / ".join(f"{odd} {drawn(30 if longer else 4)}".strip() for _ in range(2))
        made.append(ask(" / ".join(drawn() for _ in range(6)), (1, 3, 4), distractors, name=f"b{i // 3}:{i}", book=f"b{i // 3}"))
    return made


def aucs(asked: list[AskedBlanks]) -> dict[tuple[str, str], float]:
    with one_thread():
        found = judge_candidates(asked, bootstrap_draws(len(asked), seed=1), freq_of=lambda _: 0.0)
    assert all(one.auc_low <= one.auc <= one.auc_high for one in found)
    return {(one.name, one.sees): one.auc for one in found}


def test_random_distractors_are_not_told(ask: Callable[..., AskedBlanks]) -> None:
    """Where distractors are drawn as answers are, none is far from one half."""
    assert all(abs(area - 0.5) < 0.12 for area in aucs(passages(ask, 60)).values())


def test_a_word_of_all_distractors_is_found(ask: Callable[..., AskedBlanks]) -> None:
    """In books that it was not trained on."""
    assert aucs(passages(ask, 30, odd="lo"))[("words", "text alone")] > 0.95


def test_longer_distractors_are_found(ask: Callable[..., AskedBlanks]) -> None:
    """By their shape, alone and beside the others."""
    found = aucs(passages(ask, 30, longer=True))
    assert found[("shape", "text alone")] > 0.95
    assert found[("shape", "beside the other candidates")] > 0.95


def test_no_book_is_on_both_sides(ask: Callable[..., AskedBlanks], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is true of one book alone is of no use: the words of a candidate come from its book, which is in one fold."""
    folds = []
    monkeypatch.setattr(
        "cloze_gen.evaluate.blanks.candidate_classifier._cross_validated",
        lambda features, positive, folds_of_rows, judge: folds.append(folds_of_rows) or positive.astype(float),
    )
    asked = passages(ask, 17)
    judge_candidates(asked, bootstrap_draws(17, seed=1), freq_of=lambda _: 0.0)
    fold_of = np.array(folds[0]).reshape(17, 5)
    assert (fold_of == fold_of[:, :1]).all()
    books = [one.book for one in asked]
    assert all(len({fold for fold, own in zip(fold_of[:, 0], books, strict=True) if own == book}) == 1 for book in books)
    assert set(fold_of[:, 0]) == {0, 1, 2, 3, 4}


def test_without_distractors_nothing_is_told(ask: Callable[..., AskedBlanks]) -> None:
    """Nor of a single passage."""
    without = [ask("a / b / c", (1,), name=f"b:{i}") for i in range(4)]
    assert judge_candidates(without, bootstrap_draws(4, seed=1), freq_of=lambda _: 0.0) == []
    assert judge_candidates(passages(ask, 1), bootstrap_draws(1, seed=1), freq_of=lambda _: 0.0) == []
    assert judgement_record(without, [])["distractors"] == 0


def test_the_floor_is_told(ask: Callable[..., AskedBlanks]) -> None:
    """Two distractors of five: to call all of them distractors has F1 2 * 0.4 / 1.4."""
    record = judgement_record(passages(ask, 4), [])
    assert (record["candidates"], record["distractors"], round(record["always_distractor_f1"], 4)) == (20, 0.4, 0.5714)


def test_auc_counts_pairs() -> None:
    """As counted pair by pair, whatever the weights, ties counting one half."""
    rng = np.random.default_rng(2)
    scores, positive, weights = rng.integers(5, size=40).astype(float), rng.random(40) < 0.3, rng.integers(3, size=(4, 40)).astype(float)
    expected = []
    for row in weights:
        pairs = [
            (row[i] * row[j], (scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]))
            for i in np.flatnonzero(positive)
            for j in np.flatnonzero(~positive)
        ]
        expected.append(sum(weight * won for weight, won in pairs) / sum(weight for weight, _ in pairs))
    np.testing.assert_allclose(auc(scores, positive, weights), expected)


def test_samples_of_one_class_are_left_out() -> None:
    """Of four samples of two passages, the one that holds neither distractor tells nothing."""
    draws = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    found = bootstrapped_auc(np.array([0.1, 0.9, 0.3]), np.array([False, True, False]), np.array([0, 0, 1]), draws)
    assert found.tolist() == [1.0, 1.0, 1.0]


def test_f1_by_hand() -> None:
    """Two of three called rightly, of four: precision 2/3, recall 1/2."""
    called, positive = np.array([1, 1, 1, 0, 0], bool), np.array([1, 1, 0, 1, 1], bool)
    assert f1(called, positive) == pytest.approx(4 / 7)
    assert f1(~positive, positive) == 0.0

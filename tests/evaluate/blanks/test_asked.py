"""What every scorer of blanks keeps to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.evaluate.blanks.asked import AskedBlanks, BlankScorer
from cloze_gen.evaluate.blanks.cohesion import CohesionScorer
from cloze_gen.evaluate.blanks.language_model import LanguageModelScorer
from cloze_gen.evaluate.blanks.lsa import LsaScorer
from cloze_gen.evaluate.blanks.overlap import OverlapScorer, TfIdfScorer
from cloze_gen.evaluate.blanks.pmi import PmiScorer
from cloze_gen.evaluate.blanks.sides import sentences_beside
from cloze_gen.lm.forward_index import ForwardIndex, Level

SENTENCES = (
    "Emma saw the lamp .",
    "It was lit , and Emma sat down .",
    '" Who is there ? " she asked .',
    "Nobody answered her .",
    "The lamp went out .",
    "She took the other lamp and lit it .",
    "There was Frank in the doorway .",
    '" I am here , " said Frank .',
)
DISTRACTORS = ("The ship was lit by a lamp .", "They are gone , and so is the ship .")
WORDS = sorted({token.casefold() for text in (*SENTENCES, *DISTRACTORS) for token in text.split()})


def language_model() -> LanguageModelScorer:
    words = ["<unk>", "<s>", "</s>", "<rare>", *WORDS[::2]]
    probs = np.linspace(-3, -1, len(words)).astype(np.float32)
    unigrams = Level(np.arange(len(words), dtype=np.uint64), probs, np.zeros(len(words), np.float32))
    none = Level(np.array([7], np.uint64), np.array([-1.0], np.float32), np.zeros(1, np.float32))
    return LanguageModelScorer(ForwardIndex(words, [unigrams, none]), unknown="<rare>", unknown_types=9)


VECTORS = np.random.default_rng(1).normal(size=(len(WORDS), 4)).astype(np.float32)
SCORERS: Mapping[str, Callable[[], BlankScorer]] = {
    "pmi-1": lambda: PmiScorer([[sentence.split() for sentence in SENTENCES]], most=1),
    "pmi-2": lambda: PmiScorer([[sentence.split() for sentence in SENTENCES]], most=2),
    "overlap": OverlapScorer,
    "tf-idf": lambda: TfIdfScorer({word: i for i, word in enumerate(WORDS)}, sentences=len(WORDS)),
    "lsa": lambda: LsaScorer(VECTORS, {word: i for i, word in enumerate(WORDS)}),
    "language-model": language_model,
    "cohesion": CohesionScorer,
}


@pytest.fixture
def asked(ask: Callable[..., AskedBlanks]) -> AskedBlanks:
    """Two blanks side by side open it, one closes it; what is left are the sentences 2, 3, 5 and 6."""
    return ask(" / ".join(SENTENCES), (0, 1, 4, 7), " / ".join(DISTRACTORS))


@pytest.fixture(params=list(SCORERS))
def scorer(request: pytest.FixtureRequest) -> BlankScorer:
    return SCORERS[request.param]()


def test_what_does_not_exist_is_nan(scorer: BlankScorer, asked: AskedBlanks) -> None:
    """A row of NaN where a blank has nothing on a side, and nowhere else; each direction has a row a blank, a column a candidate."""
    found = scorer.scores(asked)
    for direction, beside in sentences_beside(asked.passage).items():
        assert found[direction].shape == (4, 6)
        np.testing.assert_array_equal(np.isnan(found[direction]).all(axis=1), ~beside.any(axis=1))
        np.testing.assert_array_equal(np.isnan(found[direction]).any(axis=1), ~beside.any(axis=1))


def test_it_tells_candidates_apart(scorer: BlankScorer, asked: AskedBlanks) -> None:
    """In each direction some blank does not hold all candidates equal: a constant would keep every other law here."""
    assert all((np.nanstd(rows[~np.isnan(rows).any(axis=1)], axis=1) > 0).any() for rows in scorer.scores(asked).values())


def test_what_stands_in_blanks_is_not_seen(scorer: BlankScorer, asked: AskedBlanks) -> None:
    """Whatever sentences stood in the blanks, the scores are the same: nobody who answers sees them."""
    hidden = tuple(("Frank", "took", "the", "lamp") if i in asked.passage.blanks else said for i, said in enumerate(asked.sentences))
    other, own = scorer.scores(replace(asked, sentences=hidden)), scorer.scores(asked)
    for direction in own:
        np.testing.assert_array_equal(other[direction], own[direction])


def test_the_answers_are_not_seen(scorer: BlankScorer, asked: AskedBlanks) -> None:
    """Neither are the answers as the record has them."""
    other = scorer.scores(replace(asked, passage=replace(asked.passage, answers=(3, 5, 0, 1))))
    for direction, own in scorer.scores(asked).items():
        np.testing.assert_array_equal(other[direction], own)


def test_permuted_candidates_have_permuted_scores(scorer: BlankScorer, asked: AskedBlanks) -> None:
    """A candidate's scores do not depend on where it is printed."""
    order = [4, 2, 0, 5, 3, 1]
    other = scorer.scores(replace(asked, candidates=tuple(asked.candidates[i] for i in order)))
    for direction, own in scorer.scores(asked).items():
        np.testing.assert_array_equal(other[direction], own[:, order])

"""Tests of `cloze_gen.evaluation.blank_models`."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.corpus.training_text import TOKENS
from cloze_gen.errors import ToolError
from cloze_gen.evaluation.blank_baselines import BLANK_BASELINES, COUNTS, LSA, NGRAMS, TEXT
from cloze_gen.evaluation.blank_models import (
    CueScorer,
    learnt_cues,
    open_scorer,
    write_blank_lsa,
)
from cloze_gen.evaluation.blanks import CONTEXTS, ClozeExample, Direction, context_scores
from cloze_gen.evaluation.passage_models import write_passage_ngrams
from cloze_gen.evaluation.question_models import VECTORS, WORDS, read_folded_freqs, read_words
from cloze_gen.models import sentence_cues as cues
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.store.artifacts import Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.word_tokens import is_word
from tests.support.stage import counts_of, made

# ---- cues


TEXTS = (
    "Ann saw the lantern.",
    "The lantern was lit.",
    "It rained.",
    "The ferry left.",
    "Nobody saw the ferry.",
)
CANDIDATES = ("The lantern was lit.", "The ferry left.", "A museum opens.")


def asked():
    tokens = [tuple(text.replace(".", " .").split()) for text in (*TEXTS, *CANDIDATES)]
    passage = BlankedPassage("b:0", TEXTS, (1, 3), CANDIDATES, (0, 1))
    return ClozeExample(passage, "b", "test", tuple(tokens[:5]), tuple(tokens[5:]))


# Weights of our own, 1 for rare words of the two neighbours, so that nothing here depends on those
# that are fitted.
BY_ECHOES = np.array([1.0, 1.0, *([0.0] * (len(cues.CUES) - 2))])


def test_an_echoed_word_is_a_cue():
    found = CueScorer(lambda stem: 2.0, BY_ECHOES).scores(asked())
    assert found[Direction.BOTH].argmax(axis=1).tolist() == [0, 1]
    assert [context for context in CONTEXTS if context_scores(found, context) is not None] == [
        "AP+AN"
    ]


def test_the_answer_in_its_place_is_not_read():
    """Whatever stands in the blanks, the scores are the same."""
    one = asked()
    other = replace(
        one,
        sentences=tuple(
            ("Zebras", ".") if i in (1, 3) else tokens for i, tokens in enumerate(one.sentences)
        ),
    )
    scorer = CueScorer(lambda stem: 2.0, BY_ECHOES)
    assert np.array_equal(scorer.scores(one)[Direction.BOTH], scorer.scores(other)[Direction.BOTH])


def test_a_solver_learns_what_answers_blanks():
    solver = learnt_cues([asked()] * 40, lambda stem: 2.0)
    assert solver.scores(asked())[Direction.BOTH].argmax(axis=1).tolist() == [0, 1]


# ---- tests of `cloze_gen.evaluation.blank_models`

# ---- blank models


VOCABULARY = ("the", ".", "sea", "lamp", "went", "out", "null", '"', "once")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def sentences():
    rng = np.random.default_rng(5)
    return [
        np.array([9, 1]),
        *(rng.integers(1, len(VOCABULARY), rng.integers(3, 9)) for _ in range(300)),
    ]


@pytest.fixture(scope="module")
def text(store, sentences):
    with store.writing(StageKey("text", 1)) as writer:
        assert writer is not None
        np.save(
            writer.path(TOKENS),
            np.concatenate([np.append(row, 0) for row in sentences]).astype(np.uint32),
        )
        writer.facts |= {"tokens": sum(map(len, sentences)), "sentences": len(sentences)}
    return store.open(StageKey("text", 1))


@pytest.fixture(scope="module")
def counts(store, sentences):
    plain = Counter(np.concatenate(sentences).tolist())
    words = {i: word for i, word in enumerate(VOCABULARY, 1) if is_word(word)}
    n_words = sum(plain[i] for i in words)
    return counts_of(
        store,
        [
            (word, plain[i], plain[i] if i in words else 0, 0.0, 1.0)
            for i, word in enumerate(VOCABULARY, 1)
        ],
        word_tokens=n_words,
    )


@pytest.fixture(scope="module")
def lsa(store, text, counts):
    return made(
        store, "blank-lsa", write_blank_lsa, text=text, counts=counts, dimensions=3, min_count=2
    )


def test_frequencies_are_of_words(counts):
    """They sum to 1 over words; marks have none, and *null* is a word."""
    freqs = read_folded_freqs(counts)
    assert {word for word, freq in freqs.items() if freq} == set(VOCABULARY) - {".", '"'}
    assert sum(freqs.values()) == pytest.approx(1)


def test_vectors_are_as_long_as_their_words_are_rare(lsa, sentences):
    """Length ln((n + 1) / (sentences with it + 1)); no marks."""
    vectors, words = np.load(lsa.path(VECTORS)), read_words(lsa)
    assert sorted(words) == sorted(set(VOCABULARY) - {".", '"', "once"})
    holding = Counter(VOCABULARY[i - 1] for row in sentences for i in set(row.tolist()))
    np.testing.assert_allclose(
        np.linalg.norm(vectors, axis=1),
        [np.log(302 / (holding[word] + 1)) for word in words],
        rtol=1e-5,
    )
    assert lsa.path(WORDS).is_file()


@pytest.fixture
def asked_blank_models():
    """A passage over the words of the text, and one word that it lacks."""
    said = ("The sea went out .", "The lamp went out .", "The sea kraken .")
    passage = BlankedPassage("b:0", said, (1,), (said[1], "Out once , kraken ."), (0,))
    return ClozeExample(
        passage,
        "b",
        "test",
        *(tuple(tuple(one.split()) for one in texts) for texts in (said, passage.candidates)),
    )


def test_a_scorer_opens_by_its_name(store, text, counts, lsa, asked_blank_models):
    try:
        find_lmplz()
    except ToolError as error:
        pytest.skip(str(error))
    ngrams = made(store, "ngrams", write_passage_ngrams, text=text, counts=counts, order=3)
    models = {COUNTS: counts, TEXT: text, LSA: lsa, NGRAMS: ngrams}
    for row in BLANK_BASELINES:
        if row.kind != "random":
            scorer = open_scorer(
                row.name,
                {name: models[name] for name in row.models if name in models},
                [asked_blank_models],
            )
            found = scorer.scores(asked_blank_models)
            assert found, row.name
            assert all(
                rows.shape == (1, 2) and np.isfinite(rows).all() for rows in found.values()
            ), row.name
            assert Direction.BOTH in found or set(found) == {
                Direction.P,
                Direction.N,
                Direction.AP,
                Direction.AN,
            }

"""What the scorers of blanks are made from, as artifacts, and the scorers opened by their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.errors import ToolError
from cloze_gen.evaluate.blanks.asked import AskedBlanks, Direction
from cloze_gen.evaluate.blanks.baselines import BLANK_BASELINES, LSA, NGRAMS, TEXT
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.evaluation import sentence_counts
from cloze_gen.stages.evaluation.blank_lsa import write_blank_lsa
from cloze_gen.stages.evaluation.blank_models import open_scorer
from cloze_gen.stages.evaluation.models import LsaSizes
from cloze_gen.stages.evaluation.opened_models import VECTORS, WORDS, read_words
from cloze_gen.stages.evaluation.passage_models import BLANK_NGRAMS, write_passage_ngrams
from cloze_gen.stages.evaluation.passage_words import PASSAGE_WORDS
from cloze_gen.stages.evaluation.sentence_counts import SENTENCE_COUNTS, read_freqs, write_sentence_counts
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.keys import StageKey
from cloze_gen.store.tables import read_tsv, write_tsv

VOCABULARY = ("the", ".", "sea", "lamp", "went", "out", "null", '"', "once")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("models"))


def made(store: Store, stage: str, write: Callable[..., None], **arguments: Any) -> Artifact:
    key = StageKey(stage, 1)
    with store.writing(key) as writer:
        if writer is not None:
            write(writer, Room(store, InProcessEngine(), stage), **arguments)
    return store.open(key)


@pytest.fixture(scope="module")
def sentences() -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [np.array([9, 1]), *(rng.integers(1, len(VOCABULARY), rng.integers(3, 9)) for _ in range(300))]


@pytest.fixture(scope="module")
def text(store: Store, sentences: list[np.ndarray]) -> Artifact:
    """Sentences of drawn words, as `write_passage_text` writes them."""
    with store.writing(StageKey("text", 1)) as writer:
        assert writer is not None
        np.save(writer.path(TOKENS), np.concatenate([np.append(row, 0) for row in sentences]).astype(np.uint32))
        counts = Counter(np.concatenate(sentences).tolist())
        write_tsv(writer.path(PASSAGE_WORDS), ("word", "count"), [(word, counts[i]) for i, word in enumerate(VOCABULARY, 1)])
        writer.facts |= {"tokens": sum(map(len, sentences)), "sentences": len(sentences)}
    return store.open(StageKey("text", 1))


@pytest.fixture(scope="module")
def counts(store: Store, text: Artifact) -> Artifact:
    return made(store, "sentence-counts", write_sentence_counts, text=text)


@pytest.fixture(scope="module")
def lsa(store: Store, text: Artifact, counts: Artifact) -> Artifact:
    return made(store, "blank-lsa", write_blank_lsa, text=text, counts=counts, sizes=LsaSizes(dimensions=3, min_count=2))


@pytest.mark.parametrize("block", [7, 1 << 22])
def test_words_are_counted_by_sentence(
    store: Store, text: Artifact, sentences: list[np.ndarray], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word that stands twice in a sentence counts once by sentence and twice by token, in whatever parts the text is read."""
    monkeypatch.setattr(sentence_counts, "_BLOCK", block)
    found = read_tsv(made(store, f"counts-{block}", write_sentence_counts, text=text).path(SENTENCE_COUNTS))
    plain = Counter(i for row in sentences for i in row.tolist())
    by_sentence = Counter(i for row in sentences for i in sorted(set(row.tolist())))
    assert found == [{"word": word, "count": str(plain[i]), "sentences": str(by_sentence[i])} for i, word in enumerate(VOCABULARY, 1)]


def test_frequencies_are_of_words(counts: Artifact) -> None:
    """They sum to 1 over words; marks have none, and *null* is a word."""
    freqs = read_freqs(counts)
    assert sorted(freqs) == sorted(set(VOCABULARY) - {".", '"'})
    assert sum(freqs.values()) == pytest.approx(1)


def test_vectors_are_as_long_as_their_words_are_rare(lsa: Artifact, counts: Artifact) -> None:
    """A row a word that stands often enough, marks not among them; its length is ln((n + 1) / (sentences with it + 1))."""
    vectors, words = np.load(lsa.path(VECTORS)), read_words(lsa)
    assert sorted(words) == sorted(set(VOCABULARY) - {".", '"', "once"})
    table = {row["word"]: int(row["sentences"]) for row in read_tsv(counts.path(SENTENCE_COUNTS))}
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [np.log(302 / (table[word] + 1)) for word in words], rtol=1e-5)
    assert lsa.path(WORDS).is_file()


@pytest.fixture
def asked() -> AskedBlanks:
    """A passage over the words of the text, and one word that it lacks."""
    said = ("The sea went out .", "The lamp went out .", "The sea kraken .")
    passage = BlankedPassage("b:0", said, (1,), (said[1], "Out once , kraken ."), (0,))
    return AskedBlanks(passage, "b", "test", *(tuple(tuple(one.split()) for one in texts) for texts in (said, passage.candidates)))


def test_a_scorer_opens_by_its_name(store: Store, text: Artifact, counts: Artifact, lsa: Artifact, asked: AskedBlanks) -> None:
    """Every baseline that scores answers from both sides with numbers, made of no more than its row says."""
    try:
        find_lmplz()
    except ToolError as error:
        pytest.skip(str(error))
    ngrams = made(store, "ngrams", write_passage_ngrams, text=text, sizes=BLANK_NGRAMS)
    models = {TEXT: counts, LSA: lsa, NGRAMS: ngrams}
    for row in BLANK_BASELINES:
        if row.kind != "random":
            scorer = open_scorer(row.name, {name: models[name] for name in row.models if name in models}, [asked])
            found = scorer.scores(asked)
            assert found, row.name
            assert all(rows.shape == (1, 2) and np.isfinite(rows).all() for rows in found.values()), row.name
            assert Direction.BOTH in found or set(found) == {Direction.P, Direction.N, Direction.AP, Direction.AN}

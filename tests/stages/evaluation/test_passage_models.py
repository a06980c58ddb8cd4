"""The text in small letters and its n-gram model, as artifacts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.evaluate.passages.asked import AskedPassage
from cloze_gen.stages.corpus.counts import COUNTS
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.evaluation import passage_models
from cloze_gen.stages.evaluation.passage_models import PassageNgramSizes, closed_lines, write_passage_ngrams, write_passage_text
from cloze_gen.stages.evaluation.passage_scores import PassageScorer, given_scores
from cloze_gen.stages.evaluation.passage_words import RARE, read_passage_words
from cloze_gen.stages.models.index import open_index
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.keys import StageKey
from cloze_gen.store.tables import write_tsv

SURFACE = ("the", "The", "Joe", "joe", "sea", "lamp", "went", "out", "NULL", '"', ".")
FOLDED = ("the", "joe", "sea", "lamp", "went", "out", "null", '"', ".")


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
def surface() -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [rng.integers(1, len(SURFACE) + 1, rng.integers(3, 9)) for _ in range(300)]


@pytest.fixture(scope="module")
def text(store: Store, surface: list[np.ndarray]) -> Artifact:
    """Three hundred sentences of drawn words, in small letters."""
    with store.writing(StageKey("text", 1)) as writer:
        assert writer is not None
        np.save(writer.path(TOKENS), np.concatenate([np.append(row, 0) for row in surface]).astype(np.uint32))
        writer.facts |= {"tokens": sum(map(len, surface)), "sentences": len(surface)}
    with store.writing(StageKey("counts", 1)) as writer:
        assert writer is not None
        counts = Counter(np.concatenate(surface).tolist())
        rows = [(word, counts[i], 0, counts[i], 0.1, 1.0) for i, word in enumerate(SURFACE, 1)]
        write_tsv(writer.path(COUNTS), ("word", "count", "initial_count", "folded_count", "freq", "lower_share"), rows)
        writer.facts |= {"word_tokens": 1}
    inputs = {name: store.open(StageKey(name, 1)) for name in ("text", "counts")}
    return made(store, "passage-text", write_passage_text, **inputs)


def test_the_text_is_the_training_text_in_small_letters(text: Artifact, surface: list[np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    """Number by number, words that differ in capitals being one; the commonest word is number 1, whatever blocks it was written in."""
    words, ids = read_passage_words(text), np.load(text.path(TOKENS))
    sentences = np.split(ids, np.flatnonzero(ids == 0) + 1)[:-1]
    said = [[words[i - 1] for i in sentence[:-1]] for sentence in sentences]
    assert said == [[SURFACE[i - 1].casefold() for i in row] for row in surface]
    counted = Counter(word for sentence in said for word in sentence)
    assert sorted(words) == sorted(FOLDED)
    assert words == sorted(FOLDED, key=lambda word: (-counted[word], word))
    assert text.facts["tokens"] == sum(counted.values())
    assert read_passage_words(text, most=2) == words[:2]
    monkeypatch.setattr(passage_models, "_BLOCK", 7)
    lines = b"".join(closed_lines(ids, words)).decode().splitlines()
    assert [line.split() for line in lines] == said


@pytest.fixture(scope="module")
def ngrams(store: Store, text: Artifact) -> Artifact:
    return made(store, "passage-ngrams", write_passage_ngrams, text=text, sizes=PassageNgramSizes(order=3, vocabulary=10))


def test_the_model_is_of_the_closed_vocabulary(store: Store, text: Artifact) -> None:
    """Words beyond it are one word, with a probability of its own after every history; nothing else is left of the making."""
    sizes = PassageNgramSizes(order=2, vocabulary=5)
    key = StageKey("passage-ngrams-small", 1)
    with store.writing(key) as writer:
        assert writer is not None
        write_passage_ngrams(writer, Room(store, InProcessEngine(), "x"), text=text, sizes=sizes)
    found = store.open(key)
    index = open_index(found)
    words = read_passage_words(text, most=5)
    assert set(index.words) == {"<s>", "</s>", "<unk>", RARE, *words}
    after = 10.0 ** index.next_word_log10_probs([words[0]]).astype(np.float64)
    assert after.sum() == pytest.approx(1, abs=1e-5)
    assert after[index.id_of[RARE]] == pytest.approx(0.3, abs=0.1)  # four of eleven types, and one in six or seven is an end
    assert not (found.folder / "temp").exists()


def test_scores_are_the_models_own(text: Artifact, ngrams: Artifact) -> None:
    """The target's probability is the index's after the words before it; the scorer opens by name, and a cache helps what was said."""
    asked = [AskedPassage("a:1", "passages", (("joe", "went"), ("the", "sea")), "lamp"), AskedPassage("a:2", "control", ((),), "gull")]
    scorer = PassageScorer({"text": text, "ngrams": ngrams})
    found, index = scorer.scores("n-gram", asked), open_index(ngrams)
    expected = index.next_word_log10_probs(["the", "sea"])[index.id_of["lamp"]]
    assert found.log10_prob[0] == pytest.approx(float(expected), abs=1e-5)
    assert found.known.tolist() == [True, False]
    said = AskedPassage("a:3", "passages", (("lamp",), ("the", "sea")), "lamp")
    assert scorer.scores("n-gram + cache", [said]).log10_prob[0] > scorer.scores("n-gram + cache", asked).log10_prob[0]
    assert '"' not in scorer.guesses
    assert "." not in scorer.guesses


def test_an_answer_serves_both_sets() -> None:
    """A passage that the control set holds too has one answer, and each set its own order."""
    asked = [AskedPassage(name, "passages", ((),), "x") for name in ("a:2", "a:1", "a:2")]
    lines = '{"id": "a:1", "log10_prob": -1, "rank": 4}\n{"id": "a:2", "log10_prob": -2, "rank": 1}\n'
    found = given_scores(lines, asked, name="mine")
    assert (found.log10_prob.tolist(), found.rank.tolist()) == ([-2, -1, -2], [1, 4, 1])
    assert found.right is not None
    assert found.right.tolist() == [True, False, True]


def test_a_log_of_a_harness_is_an_answer_too() -> None:
    """In either form the passages have what the model said of them; a log tells no ranks."""
    asked = [AskedPassage("a:1", "passages", ((),), "x")]
    own = given_scores('{"id": "a:1", "log10_prob": -1, "is_greedy": true}', asked, name="mine")
    log = given_scores('{"doc": {"id": "a:1"}, "resps": [[["-2.302585092994046", "True"]]]}', asked, name="mine")
    assert own.right is not None
    assert log.right is not None
    assert (own.log10_prob.tolist(), own.right.tolist()) == (log.log10_prob.tolist(), log.right.tolist()) == ([-1], [True])

"""The baselines' models: what is written opens as the same model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloze_gen.adapters.kenlm_binary import build_trie
from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.adapters.lmplz import train_arpa
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.errors import ToolError
from cloze_gen.evaluate.words.lsa import fit_word_vectors, fold_ids
from cloze_gen.evaluate.words.ngram_match import POINTS, index_blocks
from cloze_gen.stages.corpus.training_text import TEXT, TOKENS
from cloze_gen.stages.evaluation.models import EvalLmSizes, LsaSizes, write_evaluation_lm, write_lsa, write_match_index
from cloze_gen.stages.evaluation.opened_models import WORDS, IndexModel, open_evaluation_lm, open_lsa, open_match_index
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.keys import StageKey
from tests.small_models import index_of

NAMES = ("the", "a", "fog", "cab", "man", "saw", "left", "old", "grey", "lamp", ".", ",", "The")
WORDS_BY_ID = (*NAMES, "unseen")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def text(store: Store) -> Artifact:
    """Two hundred sentences of drawn words."""
    rng = np.random.default_rng(5)
    sentences = [rng.integers(1, len(NAMES) + 1, rng.integers(3, 9)) for _ in range(200)]
    key = StageKey("eval-text", 1)
    with store.writing(key) as writer:
        assert writer is not None
        np.save(writer.path(TOKENS), np.concatenate([np.append(row, 0) for row in sentences]).astype(np.uint32))
        writer.path(WORDS).write_text("".join(f"{word}\n" for word in WORDS_BY_ID), encoding="utf-8")
        lines = (" ".join(NAMES[i - 1] for i in row) for row in sentences)
        writer.path(TEXT).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return store.open(key)


def made(store: Store, stage: str, write: Callable[..., None], **arguments: Any) -> Artifact:
    key = StageKey(stage, 1, {"order": arguments["sizes"].order} if stage == "eval-lm" else {})
    with store.writing(key) as writer:
        if writer is not None:
            write(writer, Room(store, InProcessEngine(), stage), **arguments)
    return store.open(key)


def test_match_index_on_disk_is_the_index_in_memory(store: Store, text: Artifact) -> None:
    """The arrays read back are the joined blocks, and the words have their numbers."""
    hashes, vocabulary = open_match_index(made(store, "match-index", write_match_index, text=text))
    ids = np.load(text.path(TOKENS))
    assert all(np.array_equal(hashes[n], np.concatenate(list(index_blocks(ids, n)))) for n in POINTS)
    assert vocabulary["the"] == 1


def test_only_frequent_words_are_in_the_smoothed_model(store: Store, text: Artifact) -> None:
    """A word that the text does not hold five times is `<unk>`; the others are known."""
    model = open_evaluation_lm(made(store, "eval-lm", write_evaluation_lm, text=text, sizes=EvalLmSizes(order=4)))
    assert model.order == 4
    assert all(word in model for word in NAMES)
    assert "unseen" not in model


@pytest.mark.parametrize(("order", "prune"), [(3, ()), (4, (0, 0, 0, 1)), (5, (0, 0, 0, 1, 1))])
def test_only_four_grams_and_longer_are_pruned(order: int, prune: tuple[int, ...]) -> None:
    """MSR 4.2 drops 4-grams seen once and nothing shorter."""
    assert EvalLmSizes(order=order).prune == prune


def test_trie_and_index_score_as_the_arpa_file(store: Store, text: Artifact, tmp_path: Path) -> None:
    """KenLM gives the same scores from the ARPA file and from the trie, and the forward index those same scores."""
    arpa, binary = tmp_path / "m.arpa", tmp_path / "m.binary"
    train_arpa(text=text.path(TEXT), arpa=arpa, order=3, memory="100M", temp_dir=tmp_path, discount_fallback=True, on_line=lambda _: None)
    build_trie(arpa=arpa, binary=binary, memory="100M", temp_dir=tmp_path)
    index = IndexModel(index_of(arpa.read_bytes()))
    oracle, trie = KenlmModel(arpa), KenlmModel(binary)
    for line in text.path(TEXT).read_text(encoding="utf-8").split("\n")[:20]:
        tokens = [*line.split(" "), "zzz"]
        for model in (trie, index):
            assert model.score_sentence(tokens) == pytest.approx(oracle.score_sentence(tokens), abs=1e-4)
            assert model.log10_prob(("<s>", tokens[0]), "fog") == pytest.approx(oracle.log10_prob(("<s>", tokens[0]), "fog"), abs=1e-5)
    assert "fog" in index
    assert "<s>" not in index
    assert index.order == 3


def test_a_broken_arpa_file_is_one_message(tmp_path: Path) -> None:
    """build_binary's failure comes out as one error with what it said."""
    (tmp_path / "m.arpa").write_text("nothing\n")
    with pytest.raises(ToolError, match="build_binary failed"):
        build_trie(arpa=tmp_path / "m.arpa", binary=tmp_path / "m.binary", memory="100M", temp_dir=tmp_path)


def test_word_vectors_keep_only_words_that_have_one(store: Store, text: Artifact) -> None:
    """The rows on disk are those of `fit_word_vectors`, zero rows left out; marks and unseen words have none."""
    vectors, rows = open_lsa(made(store, "lsa", write_lsa, text=text, sizes=LsaSizes(dimensions=4)))
    mapping, folded = fold_ids({word: i for i, word in enumerate(WORDS_BY_ID, 1)})
    expected = fit_word_vectors(mapping[np.load(text.path(TOKENS))], len(folded) + 1, dimensions=4, seed=0)
    assert sorted(rows) == sorted({name.casefold() for name in NAMES} - {".", ","})
    assert not vectors[:2].any()
    assert all(np.allclose(vectors[row], expected[folded[word]], atol=1e-6) for word, row in rows.items())

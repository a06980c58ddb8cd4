"""Networks that passages are asked of: what each artifact holds, that it is the same each time, and that it knows something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.errors import CorpusError, UsageError
from cloze_gen.rng import derive_rng
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.evaluation.passage_networks import PassageNetworkSizes, open_passage_network, write_passage_network
from cloze_gen.stages.models import network_training
from cloze_gen.stages.models.network_training import CLASSES, NETWORK_WORDS, TRAINING, NetworkKind, count_words
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.keys import StageKey
from cloze_gen.store.tables import read_tsv, write_tsv

TINY = PassageNetworkSizes(
    vocabulary=40, vector=12, history=2, hidden=16, memories=20, hops=2, min_context_tokens=10,
    feedforward_words=16_000, recurrent_words=8_000, cbow_words=24_000, memory_words=8_000, supervised_cbow_passages=16_000, readings=20,
)  # fmt: skip
THINGS = {"sea": ["ship", "sail", "mast", "wave"], "home": ["house", "door", "roof", "fire"]}
KINDS: Sequence[NetworkKind] = ("feedforward", "recurrent", "cbow", "memory", "supervised_cbow")
WEIGHTS: Mapping[NetworkKind, set[str]] = {
    "feedforward": {"input"},
    "recurrent": {"input", "recurrent"},
    "cbow": set(),
    "memory": {"input", "told_vectors", "places", "told_places", "hops"},
    "supervised_cbow": {"input"},
}


def passage_text(store: Store, sentences: Sequence[str]) -> Artifact:
    """The training text in small letters, as the networks are handed it: words by falling count, numbers, 0 after each sentence."""
    lines = [sentence.split() for sentence in sentences]
    words, counts = np.unique([word for line in lines for word in line], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    number = {str(words[at]): i for i, at in enumerate(order, 1)}
    ids = np.array([one for line in lines for one in (*(number[word] for word in line), 0)], np.uint32)
    key = StageKey("passage_text", 1, settings={"sentences": len(lines), "ids": int(ids.sum())})
    with store.writing(key) as writer:
        if writer is not None:
            np.save(writer.path(TOKENS), ids)
            rows = [(str(words[at]), int(counts[at])) for at in order]
            writer.rows |= {TOKENS: len(ids), "words.tsv": write_tsv(writer.path("words.tsv"), ("word", "count"), rows)}
            writer.facts |= {"tokens": len(ids) - len(lines), "sentences": len(lines)}
    return store.open(key)


def small_novels() -> list[str]:
    """Sentences in threes, about a ship or about a house: what the last word of the third is, only words of the others tell."""
    rng = derive_rng(1, "test.passage_networks")
    text = []
    for _ in range(700):
        target = str(rng.choice(["sea", "home"]))
        text += [f"the {rng.choice(THINGS[target])} and the {rng.choice(THINGS[target])} ." for _ in range(2)]
        text.append(f'it was {target} , "')
    return [*text, "rare words once each : " + " ".join(f"w{i}" for i in range(40)) + " ."]


def trained(text: Artifact, out: Path, kind: NetworkKind, *, cbow: Artifact | None = None, seed: int = 1) -> Artifact:
    store, key = Store(out), StageKey(f"passage_{kind}", 1, seed=seed)
    with store.writing(key) as writer:
        assert writer is not None
        room = Room(store, InProcessEngine(), kind)
        write_passage_network(writer, room, text=text, sizes=TINY, kind=kind, seed=seed, cbow=cbow)
    return store.open(key)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    return passage_text(Store(tmp_path_factory.mktemp("text")), small_novels())


@pytest.fixture(scope="module")
def networks(text: Artifact, tmp_path_factory: pytest.TempPathFactory) -> dict[NetworkKind, Artifact]:
    out, made = tmp_path_factory.mktemp("networks"), dict[NetworkKind, Artifact]()
    for kind in KINDS:
        made[kind] = trained(text, out, kind, cbow=made.get("cbow") if kind == "supervised_cbow" else None)
    return made


@pytest.fixture(scope="module")
def words(text: Artifact) -> list[str]:
    return [row["word"] for row in read_tsv(text.path("words.tsv"))]


def asked(words: list[str], passage: str) -> np.ndarray:
    """A passage as numbers: a full stop ends a sentence."""
    flat = passage.replace(".", ". <end>").split()
    return np.array([0 if word == "<end>" else words.index(word) + 1 for word in flat])


@pytest.mark.parametrize("kind", KINDS)
def test_an_artifact_holds_one_network(networks: dict[NetworkKind, Artifact], kind: NetworkKind) -> None:
    """Its weights, its vocabulary and classes, the course of its training; nothing of the state of a training is left."""
    shared = {"word_vectors", "class_weights", "word_weights"}
    weights = {f"{kind}/{name}.npy" for name in shared | WEIGHTS[kind]}
    assert set(networks[kind].manifest["files"]) == weights | {NETWORK_WORDS, CLASSES, TRAINING}
    assert count_words(networks[kind]) == 40
    assert np.load(networks[kind].path(CLASSES))[-1] == 42
    rows = read_tsv(networks[kind].path(TRAINING))
    assert {row["network"] for row in rows} == {kind}
    assert float(rows[-1]["perplexity"]) < float(rows[0]["perplexity"])


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_a_distribution(networks: dict[NetworkKind, Artifact], words: list[str], kind: NetworkKind) -> None:
    """Over ends of sentences, the words and the unknown word; the target's share is the one that is told alone."""
    network, ids = open_passage_network(networks[kind], kind), asked(words, "the ship and the mast . it was sea")
    every = network.all_log_probs(ids, np.array([len(ids)]))
    assert every.shape == (1, 42)
    assert np.exp(every.astype(np.float64)).sum() == pytest.approx(1, abs=1e-5)
    assert network.log_probs(ids, np.array([len(ids)]))[0] == pytest.approx(every[0, ids[-1]], abs=1e-5)


@pytest.mark.parametrize("kind", ["feedforward", "recurrent", "memory"])
def test_what_always_follows_is_learnt(networks: dict[NetworkKind, Artifact], words: list[str], kind: NetworkKind) -> None:
    """After "ship and" comes "the", whatever the passage."""
    ids = asked(words, "it was sea . the ship and the")
    assert open_passage_network(networks[kind], kind).log_probs(ids, np.array([len(ids)]))[0] > np.log(0.5)


def test_what_only_the_passage_tells_is_learnt(networks: dict[NetworkKind, Artifact], words: list[str]) -> None:
    """By supervised CBOW, to which a passage is one bag: after ships the sea, after houses home, though both follow the same words."""
    network = open_passage_network(networks["supervised_cbow"], "supervised_cbow")
    opening = {"sea": "the ship and the sail . the wave and the mast .", "home": "the door and the roof . the house and the fire ."}
    for own, other in (("sea", "home"), ("home", "sea")):
        ids = asked(words, f"{opening[own]} it was {own}")
        every = network.all_log_probs(ids, np.array([len(ids)]))[0]
        assert every[words.index(own) + 1] > every[words.index(other) + 1] + 0.05


def test_words_that_stand_together_have_like_vectors(networks: dict[NetworkKind, Artifact], words: list[str]) -> None:
    """Those of the unsupervised baseline, and of the supervised one, which takes them as they are."""
    vectors = np.load(networks["cbow"].path("cbow/word_vectors.npy"))
    assert np.array_equal(vectors, np.load(networks["supervised_cbow"].path("supervised_cbow/word_vectors.npy")))
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    sea, home = (vectors[[words.index(word) + 1 for word in things]] for things in THINGS.values())
    assert min((sea @ sea.T).mean(), (home @ home.T).mean()) > (sea @ home.T).mean() + 0.005


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bytes_each_time(
    networks: dict[NetworkKind, Artifact], text: Artifact, tmp_path: Path, kind: NetworkKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the course is cut into other lessons; the table of the lessons apart."""
    monkeypatch.setattr(network_training, "_LESSONS", 3)
    again = trained(text, tmp_path, kind, cbow=networks["cbow"] if kind == "supervised_cbow" else None)
    files = set(again.manifest["files"]) - {TRAINING}
    assert {name: again.manifest["files"][name] for name in files} == {name: networks[kind].manifest["files"][name] for name in files}


def test_another_seed_is_another_network(networks: dict[NetworkKind, Artifact], text: Artifact, tmp_path: Path) -> None:
    """As far as its weights go."""
    name = "memory/hops.npy"
    assert trained(text, tmp_path, "memory", seed=2).manifest["files"][name] != networks["memory"].manifest["files"][name]


def test_a_text_too_small_is_told(tmp_path: Path) -> None:
    """A message with the number of its tokens."""
    with pytest.raises(CorpusError, match="memory: the training text has 10 tokens"):
        trained(passage_text(Store(tmp_path / "text"), ["it was the sea"] * 2), tmp_path, "memory")


def test_a_text_without_passages_is_told(networks: dict[NetworkKind, Artifact], tmp_path: Path) -> None:
    """No sentence of one that ends in numbers can be asked; the message says what would help."""
    text = passage_text(Store(tmp_path / "text"), ["they were 40"] * 30 + [f"w{i} 1" for i in range(40)])
    with pytest.raises(CorpusError, match="no sentence of the training text that ends in a word of letters"):
        trained(text, tmp_path, "supervised_cbow", cbow=networks["cbow"])


def test_vectors_of_another_vocabulary_are_refused(networks: dict[NetworkKind, Artifact], text: Artifact, tmp_path: Path) -> None:
    """And so is a training without any."""
    with pytest.raises(UsageError, match="no vectors to start from"):
        trained(text, tmp_path / "none", "supervised_cbow")
    small = passage_text(Store(tmp_path / "text"), ["it was the sea"] * 30)
    with pytest.raises(UsageError, match="42 vectors for 6 words"):
        trained(small, tmp_path / "other", "supervised_cbow", cbow=networks["cbow"])

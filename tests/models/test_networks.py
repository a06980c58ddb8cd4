from __future__ import annotations

import math

import numpy as np
import pytest

from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.engine.local import InProcessEngine, LocalEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.models.networks import (
    CLASSES,
    NETWORK_WORDS,
    TRAINING,
    NetworksSettings,
    open_trained,
    write_networks,
)
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_tsv

TINY = NetworksSettings(
    vocabulary=400,
    vector_size=8,
    history=3,
    feedforward_hidden=16,
    feedforward_words=24_000,
    recurrent_hidden=16,
    recurrent_words=16_000,
)
KINDS = ("feedforward", "recurrent")


def written(finished, out, *, engine=None, seed=1, **given):
    """The networks of the finished run's training books."""
    store, key = Store(out), StageKey("networks", 1, {"seed": seed})
    inputs = (
        {name: stage_artifact(finished.folder, name) for name in ("text", "counts")}
        | {"settings": TINY, "kinds": KINDS}
        | given
    )
    with store.writing(key) as writer:
        assert writer is not None
        write_networks(
            writer,
            StageContext(store, engine or InProcessEngine(), "networks"),
            **inputs,
            seed=seed,
        )
    return store.open(key)


@pytest.fixture(scope="module")
def networks(finished, tmp_path_factory):
    return written(finished, tmp_path_factory.mktemp("networks"))


def test_the_vocabulary_is_the_commonest_words(networks, finished):
    words = networks.path(NETWORK_WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    assert words == list(read_counts(stage_artifact(finished.folder, "counts")).words[:400])
    bounds = np.load(networks.path(CLASSES))
    assert (bounds[0], bounds[-1]) == (0, 402)


@pytest.mark.parametrize("kind", KINDS)
def test_it_beats_the_counts_of_words(networks, finished, kind):
    """Perplexity below the entropy of the unigrams."""
    ids = np.minimum(
        np.load(stage_artifact(finished.folder, "text").path("tokens.npy")), 401
    ).astype(np.int64)[:4000]
    shares = np.bincount(ids) / len(ids)
    entropy = -float((shares[shares > 0] * np.log(shares[shares > 0])).sum())
    network = open_trained(networks, kind)
    passages = np.concatenate([ids[i : i + 12] for i in range(0, 3900, 3)])
    lengths = np.full(len(passages) // 12, 12)
    assert -network.log_probs(passages, lengths).mean() < entropy - 0.3
    assert np.exp(
        network.all_log_probs(passages[:12], lengths[:1]).astype(np.float64)
    ).sum() == pytest.approx(1, abs=1e-5)


def test_progress_is_kept(networks):
    rows = read_tsv(networks.path(TRAINING))
    for kind, most in (("feedforward", 24_000), ("recurrent", 16_000)):
        own = [
            (int(row["words_read"]), float(row["perplexity"]))
            for row in rows
            if row["network"] == kind
        ]
        assert len(own) == 20
        assert [words for words, _ in own] == sorted(words for words, _ in own)
        assert most - 500 < own[-1][0] <= most
        assert own[-1][1] < own[0][1] / 2


def test_nothing_is_left_of_the_training(networks):
    files = {name for name in networks.manifest["files"] if "/" in name}
    shared = {"word_vectors.npy", "input.npy", "class_weights.npy", "word_weights.npy"}
    assert files == {f"feedforward/{name}" for name in shared} | {
        f"recurrent/{name}" for name in shared | {"recurrent.npy"}
    }


@pytest.mark.slow
def test_two_workers_write_the_same_bytes(networks, finished, tmp_path):
    engine = LocalEngine(2)
    try:
        again = written(finished, tmp_path / "two", engine=engine)
    finally:
        engine.close()
    assert again.manifest["files"] == networks.manifest["files"]
    other = written(finished, tmp_path / "seed", seed=2)
    assert (
        other.manifest["files"]["recurrent/recurrent.npy"]
        != networks.manifest["files"]["recurrent/recurrent.npy"]
    )


def test_one_kind_is_as_it_is_beside_the_other(networks, finished, tmp_path):
    alone = written(finished, tmp_path, kinds=("feedforward",))
    assert {name for name in alone.manifest["files"] if name.startswith("recurrent")} == set()
    name = "feedforward/word_weights.npy"
    assert alone.manifest["files"][name] == networks.manifest["files"][name]


def test_a_vocabulary_larger_than_the_text_is_all_its_words(finished, tmp_path):
    few = TINY.model_copy(update={"vocabulary": 60_000, "feedforward_words": 2000})
    artifact = written(finished, tmp_path, settings=few, kinds=("feedforward",))
    size = len(artifact.path(NETWORK_WORDS).read_text(encoding="utf-8").split("\n")) - 1
    assert size == len(read_counts(stage_artifact(finished.folder, "counts")).words)
    assert math.isfinite(
        open_trained(artifact, "feedforward").log_probs(np.array([0, 1, size + 1]), np.array([3]))[
            0
        ]
    )


def test_a_text_too_small_is_told(finished, tmp_path):
    text = stage_artifact(finished.folder, "text")
    small = Artifact(text.folder, {**text.manifest, "facts": {"tokens": 40, "sentences": 3}})
    with pytest.raises(CorpusError, match="the training text has 43 tokens"):
        written(finished, tmp_path, text=small)

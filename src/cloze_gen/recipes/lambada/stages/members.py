"""The members of the committee, each with an artifact of its own: what it thinks of every target, given the passage."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from cloze_gen.lm.cache import shares_before_last, with_cache
from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.lm.histories import histories_of_last
from cloze_gen.networks.word_classes import close_ids
from cloze_gen.recipes.lambada.stages.tables import NumberedPassages, read_numbered
from cloze_gen.recipes.lambada.steps.committee import CacheSettings, passage_ids
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.models.index import open_index
from cloze_gen.stages.models.network_training import NeuralModel, count_words, open_trained
from cloze_gen.stages.models.networks import Kind
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.tables import read_parquet, write_parquet
from cloze_gen.text.word_ids import SEPARATOR

SCORES = "scores.parquet"
_PASSAGES_A_SHARD = 8192


@dataclass(frozen=True, slots=True)
class Span:
    """Some consecutive passages, for a worker: `first` to `last`, exclusive."""

    passages: Path
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class NgramShard:
    """Passages for the n-gram model in the folder `index`; the rows of `counts` number the words."""

    span: Span
    index: Path
    counts: Path


@dataclass(frozen=True, slots=True)
class NetworkShard:
    """Passages for the network of this kind in the folder `networks`."""

    span: Span
    networks: Path
    kind: Kind


Scored = tuple[np.ndarray, np.ndarray]  # log10 P(target), float32, and whether the target is unknown to the model


@functools.lru_cache(maxsize=1)
def _numbered(folder: Path) -> NumberedPassages:
    return read_numbered(open_artifact(folder))


@functools.lru_cache(maxsize=1)
def _index(folder: Path, counts: Path) -> tuple[ForwardIndex, np.ndarray]:
    index = open_index(open_artifact(folder))
    return index, index_numbers(index, read_counts(open_artifact(counts)).words)


def index_numbers(index: ForwardIndex, words: Sequence[str]) -> np.ndarray:
    """The n-gram model's numbers of what the passages are numbered by: `<s>` of 0, then of each word of the counts, `<unk>` of any other.

    Returns:
        int64, shape (words + 2,).
    """
    return np.array([index.start, *index.ids(words), index.unknown], np.int64)


@functools.lru_cache(maxsize=1)
def _network(folder: Path, kind: Kind) -> tuple[NeuralModel, int]:
    artifact = open_artifact(folder)
    return open_trained(artifact, kind), count_words(artifact)


def _read(span: Span) -> tuple[np.ndarray, np.ndarray]:
    passages = _numbered(span.passages)
    rows = slice(span.first, span.last)
    return passage_ids(passages.numbers, passages.first[rows], passages.target[rows])


def score_by_ngrams(shard: NgramShard) -> Scored:
    """Ask the n-gram model about one shard."""
    index, of_number = _index(shard.index, shard.counts)
    ids, lengths = _read(shard.span)
    histories, targets = histories_of_last(of_number[ids], lengths, order=index.order, start=index.start)
    return index.log10_probs(histories, targets), targets == index.unknown


def cached_shares(span: Span) -> np.ndarray:
    """The share of each passage's tokens that are its target, float64, shape (passages,)."""
    ids, lengths = _read(span)
    return shares_before_last(ids, lengths, separator=SEPARATOR)


def score_by_network(shard: NetworkShard) -> Scored:
    """Ask a network about one shard."""
    network, size = _network(shard.networks, shard.kind)
    ids, lengths = _read(shard.span)
    closed = close_ids(ids, size)
    log10_probs = network.log_probs(closed, lengths) / np.float32(np.log(10))
    return log10_probs.astype(np.float32), closed[np.cumsum(lengths) - 1] == size + 1


def write_ngram_scores(writer: ArtifactWriter, room: Room, *, passages: Artifact, counts: Artifact, index: Artifact) -> None:
    """Ask the n-gram model of the training novels about every passage; it sees the words before the target in the target's sentence.

    File: `scores.parquet` (`write_scores`).
    """
    shards = [NgramShard(span, index.folder, counts.folder) for span in _spans(passages)]
    write_scores(writer, room, passages, list(room.map(score_by_ngrams, shards, unit="parts")))


def write_cache_scores(writer: ArtifactWriter, room: Room, *, passages: Artifact, ngram: Artifact, settings: CacheSettings) -> None:
    """Add a cache to the scores of the n-gram model (`lm.cache`): a target that stands in the passage already is likelier.

    All words that the training novels do not have are one to the cache too, as to the model.

    File: `scores.parquet` (`write_scores`).

    Args:
        ngram: of `write_ngram_scores`.
    """
    log10_probs, unknown = read_scores(ngram)
    shares = np.concatenate(list(room.map(cached_shares, _spans(passages), unit="parts")))
    write_scores(writer, room, passages, [(with_cache(log10_probs, shares, weight=settings.weight).astype(np.float32), unknown)])


def write_network_scores(writer: ArtifactWriter, room: Room, *, passages: Artifact, networks: Artifact, kind: Kind) -> None:
    """Ask a network about every passage.

    File: `scores.parquet` (`write_scores`).
    """
    shards = [NetworkShard(span, networks.folder, kind) for span in _spans(passages)]
    write_scores(writer, room, passages, list(room.map(score_by_network, shards, unit="parts")))


def _spans(passages: Artifact) -> list[Span]:
    n = len(read_numbered(passages).first)
    return [Span(passages.folder, first, min(first + _PASSAGES_A_SHARD, n)) for first in range(0, n, _PASSAGES_A_SHARD)]


def write_scores(writer: ArtifactWriter, room: Room, passages: Artifact, scored: Sequence[Scored]) -> None:
    """Write what a member thinks of all passages, in their order.

    File: `scores.parquet`: `id`, `log10_prob` of the target (float32), `oov` where the target is unknown to the member: then the
    probability is that of all unknown words together.
    """
    log10_probs, unknown = (np.concatenate(parts) for parts in zip(*scored, strict=True))
    columns = {"id": read_numbered(passages).ids, "log10_prob": log10_probs, "oov": unknown}
    writer.rows[SCORES] = write_parquet(writer.path(SCORES), columns)
    writer.facts |= {"oov": int(unknown.sum()), "mean_log10_prob": round(float(log10_probs.mean(dtype=np.float64)), 4)}
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    room.say(f"{len(unknown):,} passages scored; {unknown.mean():.1%} of the targets are unknown")


def read_scores(artifact: Artifact) -> Scored:
    """What a member thinks of all passages, in their order."""
    table = read_parquet(artifact.path(SCORES), columns=["log10_prob", "oov"])
    return table["log10_prob"].to_numpy(), table["oov"].to_numpy()

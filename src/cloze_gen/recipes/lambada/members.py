"""What the members of the committee give each target: log10 P(target | passage) (LAMBADA 3.1).

The n-gram model sees only the target's sentence, the cache and the networks the whole passage. An
unknown target has the probability of the unknown word.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.language_model import open_index
from cloze_gen.models.network_layers import SoftmaxNetwork
from cloze_gen.models.networks import NETWORK_WORDS, Kind, open_trained
from cloze_gen.models.ngram_index import ForwardIndex, histories_of_last
from cloze_gen.models.unigram_cache import shares_before_last
from cloze_gen.recipes.lambada.passages import batches, read_passages
from cloze_gen.records.passage import Passage
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.schema import Column, Table, TableWriter

NGRAM = "ngram"
CACHE = "cache"
NETWORKS: tuple[Kind, ...] = ("feedforward", "recurrent")
MEMBERS = (NGRAM, CACHE, *NETWORKS)
CACHE_SHARE = "cache_share"
_PASSAGES_PER_SHARD = 8192

SCORES = Table(
    "scores.parquet",
    "One row a passage, in the order of `passages.parquet`.",
    Column("id", pa.string(), "id of the passage"),
    Column(NGRAM, pa.float32(), "log10 P(target | passage) of the n-gram model"),
    Column(CACHE_SHARE, pa.float32(), "share of the target in the tokens before it"),
    Column("feedforward", pa.float32(), "log10 P of the feed-forward network; null if no member"),
    Column("recurrent", pa.float32(), "log10 P of the recurrent network; null if no member"),
    example='{"id": "aunt-sabinas-goose:8", "ngram": -4.6745500564575195, '
    '"cache_share": 0.045045044273138046, ...}',
)


def word_ids(
    passages: Iterable[Passage], ids: Mapping[str, int], *, start: int, unknown: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Word ids of passages up to their targets, concatenated, and the lengths of the passages.

    `start` precedes each sentence; `unknown` is the id of words that are not in `ids`.

    >>> from cloze_gen.records.passage import Part
    >>> passage = Passage("b:1", "b", Part.TEST, (("Who", "?"), ("Ann", ".")), ("Who?", "Ann."), 0, 0, 9)
    >>> numbers, lengths = word_ids([passage], {"?": 1, "Ann": 2}, start=0, unknown=3)
    >>> numbers.tolist(), lengths.tolist()
    ([0, 3, 1, 0, 2], [5])
    """
    numbers: list[int] = []
    lengths: list[int] = []
    for passage in passages:
        before = len(numbers)
        read = passage.target_sentence[: passage.target_position + 1]
        for sentence in (*passage.sentences[:-1], read):
            numbers.append(start)
            numbers.extend(ids.get(token, unknown) for token in sentence)
        lengths.append(len(numbers) - before)
    return np.array(numbers, np.int64), np.array(lengths, np.int64)


@functools.lru_cache(maxsize=1)
def _index(artifact: Artifact) -> ForwardIndex:
    return open_index(artifact)


@functools.lru_cache(maxsize=len(NETWORKS))
def _network(artifact: Artifact, kind: Kind) -> SoftmaxNetwork:
    return open_trained(artifact, kind)


@functools.lru_cache(maxsize=1)
def _network_ids(artifact: Artifact) -> dict[str, int]:
    words = artifact.path(NETWORK_WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    return {word: number for number, word in enumerate(words, SEPARATOR + 1)}


def score_passages(
    passages: Sequence[Passage],
    *,
    index: Artifact,
    networks: Artifact | None,
    kinds: Sequence[Kind],
) -> pa.Table:
    """Rows of `SCORES`; `kinds` of networks are members."""
    model = _index(index)
    ids, lengths = word_ids(passages, model.id_of, start=model.start, unknown=model.unknown)
    histories, targets = histories_of_last(ids, lengths, order=model.order, start=model.start)
    columns: dict[str, object] = {
        "id": [passage.id for passage in passages],
        NGRAM: model.log10_probs(histories, targets),
        CACHE_SHARE: shares_before_last(ids, lengths, separator=model.start),
        **dict.fromkeys(NETWORKS, pa.nulls(len(passages), pa.float32())),
    }
    if networks is not None:
        vocabulary = _network_ids(networks)
        unknown = len(vocabulary) + 1
        ids, lengths = word_ids(passages, vocabulary, start=SEPARATOR, unknown=unknown)
        for kind in kinds:
            columns[kind] = _network(networks, kind).log_probs(ids, lengths) / np.log(10)
    return SCORES.arrow(columns)


def write_scores(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    passages: Artifact,
    index: Artifact,
    networks: Artifact | None,
    kinds: Sequence[Kind],
) -> None:
    score = functools.partial(score_passages, index=index, networks=networks, kinds=kinds)
    shards = batches(read_passages(passages), _PASSAGES_PER_SHARD)
    n_passages = passages.funnel["kept"]
    total = -(-n_passages // _PASSAGES_PER_SHARD)
    with TableWriter(writer, SCORES) as scores:
        for table in ctx.map_as_they_come(score, shards, unit="parts", total=total):
            scores.append(table)
    ctx.say(f"{scores.rows:,} passages scored")

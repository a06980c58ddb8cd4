"""The committee of language models: drops passages that any member guesses (LAMBADA 3.1).

"Any passage whose target word had probability >= 0.00175 according to any of the language models
was excluded." The n-gram model with a cache is our addition.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import Field, field_validator

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.language_model import open_index
from cloze_gen.models.network_layers import close_ids
from cloze_gen.models.networks import Kind, NeuralModel, count_words, open_trained
from cloze_gen.models.ngram_index import ForwardIndex, histories_of_last
from cloze_gen.models.unigram_cache import shares_before_last, with_cache
from cloze_gen.recipes.lambada.passages import NumberedPassages, read_numbered
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import REJECTED, read_parquet, write_parquet

NGRAM, CACHE, FEEDFORWARD, RECURRENT = "ngram", "cache", "feedforward", "recurrent"
MEMBERS = (NGRAM, CACHE, FEEDFORWARD, RECURRENT)
NETWORKS = (FEEDFORWARD, RECURRENT)
OUTSIDE_MEMBERS = CAUSAL_MODEL, SCORES_FILE = "hf", "scores"
PASSAGES_INPUT = "passages"  # an input of the stage that is not a member
GUESSED_BY = "guessed_by_"  # prefix of a reason; a member's label follows
VERDICT_COLUMNS = ("id", "kept")  # one column a member follows
_RESERVED = {*VERDICT_COLUMNS, PASSAGES_INPUT, *MEMBERS}
_MAX_LABEL_CHARS = 100  # part of a file name


class CommitteeSettings(SettingsGroup):
    members: tuple[str, ...] = Field(
        MEMBERS,
        min_length=1,
        strict=False,
        description="models that must miss the target; also hf:FOLDER, scores:FILE",
    )
    threshold: float = Field(
        0.00175,
        gt=0,
        le=1,
        description="probability from which a member guesses the target; 3.1",
    )
    rendering: Literal["cased", "published"] = Field(
        "cased",
        description="how hf: and scores: members see the text",
    )

    @field_validator("members")
    @classmethod
    def _known(cls, members: tuple[str, ...]) -> tuple[str, ...]:
        for member in members:
            kind, _, _ = member.partition(":")
            if not (member in MEMBERS or (kind in OUTSIDE_MEMBERS and label_of(member))):
                raise ValueError(
                    f"{member!r} is not a member of the committee; use {', '.join(MEMBERS)}, "
                    "hf:FOLDER or scores:FILE"
                )
            label = label_of(member)
            if member not in MEMBERS and (label in _RESERVED or len(label) > _MAX_LABEL_CHARS):
                why = (
                    "which the committee's table already uses"
                    if label in _RESERVED
                    else f"which is longer than {_MAX_LABEL_CHARS} characters"
                )
                raise ValueError(
                    f"{member!r} would get the label {label!r}, {why}; rename the file or folder"
                )
        labels = [label_of(member) for member in members]
        if len(set(labels)) < len(labels):
            raise ValueError(
                f"two members would get the same label, {max(labels, key=labels.count)!r}; rename "
                "a file or folder"
            )
        return members


def label_of(member: str) -> str:
    """Label of a member in tables and folders: a safe form of the name of its folder or file.

    >>> label_of("ngram"), label_of("hf:/models/pythia-70m/"), label_of("scores:answers/gpt2.jsonl")
    ('ngram', 'pythia-70m', 'gpt2')
    """
    kind, colon, place = member.partition(":")
    name = place.rstrip("/").rpartition("/")[2]
    return (
        re.sub(
            r"[^A-Za-z0-9._-]+", "-", name.removesuffix(".jsonl") if kind == SCORES_FILE else name
        )
        if colon
        else member
    )


class CacheSettings(SettingsGroup):
    # A weight of 0.06 maximizes the probability of the targets of 700,000 passages of novels. At 0.1
    # the member guesses nearly every target that occurs twice in its passage, and those are the
    # targets that readers guess. At 0.05 it guesses a quarter of those that the n-gram model misses.
    weight: float = Field(
        0.05,
        gt=0,
        lt=1,
        description="weight of the cache; the n-gram model has the rest",
    )


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The decisions of a committee on n passages.

    Attributes:
        guessed_by: index of the first member that guesses the target; -1 for kept passages.
        survival: member -> share of the passages that this member alone keeps.
    """

    kept: NDArray[np.bool_]
    guessed_by: NDArray[np.int64]
    survival: Mapping[str, float]


def has_guessed(log10_probs: NDArray[np.floating], *, threshold: float) -> NDArray[np.bool_]:
    """bool, shape (n,): which targets a member guesses, from its log10 P(target | passage).

    >>> has_guessed(np.log10([0.00174, 0.00175, 0.5]), threshold=0.00175).tolist()
    [False, True, True]
    """
    return np.asarray(log10_probs >= math.log10(threshold))


def apply_committee(
    log10_probs: Mapping[str, NDArray[np.floating]], *, threshold: float
) -> Verdicts:
    """Verdicts of all members together, from log10 P(target | passage) of each, shape (n,).

    >>> verdicts = apply_committee({"ngram": np.log10([0.001, 0.1]), "cache": np.log10([0.01, 0.2])}, threshold=0.00175)
    >>> verdicts.kept.tolist(), verdicts.guessed_by.tolist(), dict(verdicts.survival)
    ([False, False], [1, 0], {'ngram': 0.5, 'cache': 0.0})
    """
    guessed = np.array([has_guessed(own, threshold=threshold) for own in log10_probs.values()])
    kept = np.asarray(~guessed.any(axis=0))
    survival = {
        member: float(1 - own.mean()) if len(own) else 1.0
        for member, own in zip(log10_probs, guessed, strict=True)
    }
    return Verdicts(kept, np.where(kept, -1, guessed.argmax(axis=0)), survival)


def passage_ids(
    numbers: NDArray[np.integer], first: NDArray[np.int64], target: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Word ids of n passages up to their targets, concatenated, and the lengths of the passages.

    >>> ids, lengths = passage_ids(np.array([5, 6, 0, 7, 8, 9, 0]), first=np.array([0, 3]), target=np.array([4, 5]))
    >>> ids.tolist(), lengths.tolist()
    ([0, 5, 6, 0, 7, 8, 0, 7, 8, 9], [6, 4])
    """
    lengths = target - first + 2
    starts = np.cumsum(lengths) - lengths
    places = np.arange(int(lengths.sum())) + np.repeat(first - 1 - starts, lengths)
    ids = numbers[np.maximum(places, 0)].astype(np.int64)
    ids[starts] = SEPARATOR
    return ids, lengths


SCORES = "scores.parquet"
_PASSAGES_PER_SHARD = 8192


@dataclass(frozen=True, slots=True)
class Span:
    passages: Path
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class NgramShard:
    span: Span
    index: Path
    counts: Path


@dataclass(frozen=True, slots=True)
class NetworkShard:
    span: Span
    networks: Path
    kind: Kind


Scored = tuple[np.ndarray, np.ndarray]


@functools.lru_cache(maxsize=1)
def _numbered(folder: Path) -> NumberedPassages:
    return read_numbered(open_artifact(folder))


@functools.lru_cache(maxsize=1)
def _index(folder: Path, counts: Path) -> tuple[ForwardIndex, np.ndarray]:
    index = open_index(open_artifact(folder))
    return index, index_numbers(index, read_counts(open_artifact(counts)).words)


def index_numbers(index: ForwardIndex, words: Sequence[str]) -> np.ndarray:
    """int64, shape (words + 2,): the n-gram model's ids of `<s>`, each word, and unknown words."""
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
    index, of_number = _index(shard.index, shard.counts)
    ids, lengths = _read(shard.span)
    histories, targets = histories_of_last(
        of_number[ids], lengths, order=index.order, start=index.start
    )
    return index.log10_probs(histories, targets), targets == index.unknown


def cached_shares(span: Span) -> np.ndarray:
    """float64, shape (passages,): share of each passage's tokens that equal its target."""
    ids, lengths = _read(span)
    return shares_before_last(ids, lengths, separator=SEPARATOR)


def score_by_network(shard: NetworkShard) -> Scored:
    network, size = _network(shard.networks, shard.kind)
    ids, lengths = _read(shard.span)
    closed = close_ids(ids, size)
    log10_probs = network.log_probs(closed, lengths) / np.float32(np.log(10))
    return log10_probs.astype(np.float32), closed[np.cumsum(lengths) - 1] == size + 1


def write_ngram_scores(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    passages: Artifact,
    counts: Artifact,
    index: Artifact,
) -> None:
    """Score all targets by n-grams, which see only the target's sentence."""
    shards = [NgramShard(span, index.folder, counts.folder) for span in _spans(passages)]
    write_scores(writer, ctx, passages, list(ctx.map(score_by_ngrams, shards, unit="parts")))


def write_cache_scores(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    passages: Artifact,
    ngram: Artifact,
    settings: CacheSettings,
) -> None:
    """Add a unigram cache to the n-gram scores; all unknown words count as one word."""
    log10_probs, unknown = read_scores(ngram)
    shares = np.concatenate(list(ctx.map(cached_shares, _spans(passages), unit="parts")))
    write_scores(
        writer,
        ctx,
        passages,
        [(with_cache(log10_probs, shares, weight=settings.weight).astype(np.float32), unknown)],
    )


def write_network_scores(
    writer: ArtifactWriter, ctx: StageContext, *, passages: Artifact, networks: Artifact, kind: Kind
) -> None:
    shards = [NetworkShard(span, networks.folder, kind) for span in _spans(passages)]
    write_scores(writer, ctx, passages, list(ctx.map(score_by_network, shards, unit="parts")))


def _spans(passages: Artifact) -> list[Span]:
    n = len(read_numbered(passages).first)
    return [
        Span(passages.folder, first, min(first + _PASSAGES_PER_SHARD, n))
        for first in range(0, n, _PASSAGES_PER_SHARD)
    ]


def write_scores(
    writer: ArtifactWriter, ctx: StageContext, passages: Artifact, scored: Sequence[Scored]
) -> None:
    """Write log10 P(target); an `oov` target has the probability of the unknown word."""
    log10_probs, unknown = (np.concatenate(parts) for parts in zip(*scored, strict=True))
    columns = {"id": read_numbered(passages).ids, "log10_prob": log10_probs, "oov": unknown}
    writer.rows[SCORES] = write_parquet(writer.path(SCORES), columns)
    writer.facts |= {
        "oov": int(unknown.sum()),
        "mean_log10_prob": round(float(log10_probs.mean(dtype=np.float64)), 4),
    }
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    ctx.say(
        f"{len(unknown):,} passages scored; {unknown.mean():.1%} of the targets are not in the "
        "vocabulary"
    )


def read_scores(artifact: Artifact) -> Scored:
    table = read_parquet(artifact.path(SCORES), columns=["log10_prob", "oov"])
    return table["log10_prob"].to_numpy(), table["oov"].to_numpy()


VERDICTS = "verdicts.parquet"


def read_survivors(committee: Artifact) -> frozenset[str]:
    table = read_parquet(committee.path(VERDICTS), columns=["id", "kept"])
    return frozenset(table.filter(pc.field("kept"))["id"].to_pylist())


def write_committee(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    passages: Artifact,
    scores: Mapping[str, Artifact],
    threshold: float,
) -> None:
    log10_probs = {member: read_scores(artifact)[0] for member, artifact in scores.items()}
    verdicts = apply_committee(log10_probs, threshold=threshold)
    ids = read_numbered(passages).ids
    columns = dict(zip(VERDICT_COLUMNS, (ids, verdicts.kept), strict=True)) | log10_probs
    writer.rows[VERDICTS] = write_parquet(writer.path(VERDICTS), columns)
    rejected_rows = np.flatnonzero(~verdicts.kept)
    by = verdicts.guessed_by[rejected_rows]
    reasons = [f"{GUESSED_BY}{member}" for member in log10_probs]
    probs = 10.0 ** np.array(list(log10_probs.values()), np.float64)[by, rejected_rows]
    rejected = {
        "id": ids.take(pa.array(rejected_rows)),
        "reason": pa.DictionaryArray.from_arrays(pa.array(by.astype(np.int32)), pa.array(reasons)),
        "detail": pc.binary_join_element_wise(
            "P(target) =", pc.cast(pc.round(pa.array(probs), 6), pa.string()), " "
        ),
    }
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejected)
    counts = dict(zip(reasons, np.bincount(by, minlength=len(reasons)).tolist(), strict=True))
    writer.funnel = funnel(
        "passages",
        kept=int(verdicts.kept.sum()),
        rejected={reason: count for reason, count in counts.items() if count},
    )
    writer.facts |= {
        "survival": {member: round(share, 4) for member, share in verdicts.survival.items()}
    }
    alone = ", ".join(f"{member} {share:.1%}" for member, share in verdicts.survival.items())
    ctx.say(
        f"{verdicts.kept.sum():,} of {len(ids):,} passages kept: no member guesses their targets. "
        f"Share that each member alone keeps: {alone}"
    )

"""The committee of language models: drops passages that any member guesses (LAMBADA 3.1).

"Any passage whose target word had probability >= 0.00175 according to any of the language models
was excluded." The n-gram model with a cache is our addition.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field, field_validator

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.unigram_cache import with_cache
from cloze_gen.recipes.lambada.members import CACHE, CACHE_SHARE, MEMBERS, NETWORKS, NGRAM, SCORES
from cloze_gen.recipes.lambada.outside_members import CAUSAL_MODEL, OUTSIDE_SCORES, SCORES_FILE
from cloze_gen.recipes.tables import write_rejections
from cloze_gen.records.rejection import Rejection
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.schema import Column, Table
from cloze_gen.store.tables import read_parquet

GUESSED_BY = "guessed_by_"  # prefix of a reason; a member's label follows
VERDICTS = "verdicts.parquet"
# A label is a column beside "id" and "kept", and an input beside "scores".
_RESERVED = frozenset({"id", "kept", "scores", *MEMBERS})
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

    @field_validator("members")
    @classmethod
    def _known(cls, members: tuple[str, ...]) -> tuple[str, ...]:
        labels: set[str] = set()
        for member in members:
            kind, _, _ = member.partition(":")
            label = label_of(member)
            is_outside = kind in (CAUSAL_MODEL, SCORES_FILE) and label != ""
            if member not in MEMBERS and not is_outside:
                raise ValueError(
                    f"{member!r} is not a member of the committee; use {', '.join(MEMBERS)}, "
                    "hf:FOLDER or scores:FILE"
                )
            if label in labels or (is_outside and label in _RESERVED):
                raise ValueError(
                    f"{member!r} would get the label {label!r}, which is already in use; rename "
                    "the file or folder"
                )
            labels.add(label)
        return members


def label_of(member: str) -> str:
    """Label of a member in tables and folders: a safe form of the name of its folder or file.

    >>> label_of("ngram"), label_of("hf:/models/pythia-70m/"), label_of("scores:answers/gpt2.jsonl")
    ('ngram', 'pythia-70m', 'gpt2')
    """
    if member in MEMBERS:
        return member
    name = PurePath(member.partition(":")[2]).name.removesuffix(".jsonl")
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:_MAX_LABEL_CHARS]


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


def apply_committee(
    log10_probs: Mapping[str, NDArray[np.floating]], *, threshold: float
) -> Verdicts:
    """Verdicts of all members together, from log10 P(target | passage) of each, shape (n,).

    >>> verdicts = apply_committee({"ngram": np.log10([0.001, 0.1]), "cache": np.log10([0.01, 0.2])}, threshold=0.00175)
    >>> verdicts.kept.tolist(), verdicts.guessed_by.tolist(), dict(verdicts.survival)
    ([False, False], [1, 0], {'ngram': 0.5, 'cache': 0.0})
    """
    guessed = np.asarray(np.array(list(log10_probs.values())) >= math.log10(threshold))
    kept = np.asarray(~guessed.any(axis=0))
    shares = 1 - guessed.mean(axis=1) if len(kept) else np.ones(len(guessed))
    survival = dict(zip(log10_probs, shares.tolist(), strict=True))
    return Verdicts(kept, np.where(kept, -1, guessed.argmax(axis=0)), survival)


def verdict_table(members: Sequence[str]) -> Table:
    """One row a passage; a column for each member's label."""
    probs = [
        Column(member, pa.float32(), "log10 P(target | passage) of the member of this name")
        for member in members
    ]
    return Table(
        VERDICTS,
        "One row a passage.",
        Column("id", pa.string(), "id of the passage"),
        Column("kept", pa.bool_(), "no member guesses the target"),
        *probs,
        example='{"id": "aunt-sabinas-goose:8", "kept": true, "ngram": -4.6745500564575195, '
        '"cache": -3.0354411602020264, ...}',
    )


def write_committee(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    scores: Artifact,
    outside: Mapping[str, Artifact],
    members: Sequence[str],
    threshold: float,
    cache_weight: float,
) -> None:
    """Write the verdicts of members, by their labels; `outside` has the scores of the user's."""
    table = SCORES.read(scores.path(SCORES.name))
    known = {name: table[name].to_numpy() for name in (NGRAM, CACHE_SHARE, *NETWORKS)}
    cached = with_cache(known[NGRAM], known[CACHE_SHARE], weight=cache_weight)
    known[CACHE] = cached.astype(np.float32)
    for label, artifact in outside.items():
        scored = OUTSIDE_SCORES.read(artifact.path(OUTSIDE_SCORES.name))
        known[label] = scored["log10_prob"].to_numpy()
    log10_probs = {member: known[member] for member in members}
    verdicts = apply_committee(log10_probs, threshold=threshold)
    columns = {"id": table["id"], "kept": verdicts.kept, **log10_probs}
    verdict_table(members).write(writer, columns)
    ids = table["id"].to_pylist()
    rejected = []
    for row in np.flatnonzero(~verdicts.kept).tolist():
        member = members[verdicts.guessed_by[row]]
        probability = 10.0 ** float(log10_probs[member][row])
        detail = f"P(target) = {probability:.4g}"
        rejected.append(Rejection(ids[row], f"{GUESSED_BY}{member}", detail))
    n_kept = int(verdicts.kept.sum())
    write_rejections(writer, rejected, unit="passages", kept=n_kept)
    survival = {member: round(share, 4) for member, share in verdicts.survival.items()}
    writer.facts["survival"] = survival
    alone = ", ".join(f"{member} {share:.1%}" for member, share in survival.items())
    ctx.say(
        f"{n_kept:,} of {table.num_rows:,} passages kept: no member guesses their targets. "
        f"Share that each member alone keeps: {alone}"
    )


def read_survivors(committee: Artifact) -> pa.Array:
    """Ids of the passages that no member guesses, in order."""
    table = read_parquet(committee.path(VERDICTS), columns=["id", "kept"])
    return table.filter(table["kept"])["id"].combine_chunks()

"""The committee: a passage falls whose last word any language model finds likely (Paperno et al. 2016, 3.1).

"We filtered out passages that are relatively easy for standard language models, since such cases are likely to be guessable based on local
context alone ... Any passage whose target word had probability >= 0.00175 according to any of the language models was excluded." The paper
asks a pre-trained recurrent network and, trained on the corpus, a 4-gram model, a recurrent and a feed-forward network; a 4-gram model
with a cache is ours to add or to leave out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from cloze_gen.settings import IgnoredWhen, SettingsGroup
from cloze_gen.text.word_ids import SEPARATOR

NGRAM, CACHE, FEEDFORWARD, RECURRENT = "ngram", "cache", "feedforward", "recurrent"
MEMBERS = (NGRAM, CACHE, FEEDFORWARD, RECURRENT)
NETWORKS = (FEEDFORWARD, RECURRENT)
OUTSIDE_MEMBERS = CAUSAL_MODEL, SCORES_FILE = "hf", "scores"
PASSAGES_INPUT = "passages"  # the input of the committee that is no member
VERDICT_COLUMNS = ("id", "kept")  # of the committee's table, before a column a member
_RESERVED = {*VERDICT_COLUMNS, PASSAGES_INPUT, *MEMBERS}
_MOST_LABEL_CHARS = 100  # it becomes part of a file's name


class CommitteeSettings(SettingsGroup):
    """Settings of the committee."""

    members: tuple[str, ...] = Field(
        MEMBERS, min_length=1, strict=False, description=f"who is asked: {', '.join(MEMBERS)}, hf:FOLDER (a causal model), scores:FILE"
    )
    threshold: float = Field(0.00175, gt=0, le=1, description="inclusive: P(target | passage) from which a member has guessed it; 3.1")
    rendering: Literal["cased", "published"] = Field("cased", description="the form in which a model of others is asked")

    ignored_when = (IgnoredWhen(("rendering",), {"members": lambda members: set(members) <= set(MEMBERS)}),)

    @field_validator("members")
    @classmethod
    def _known(cls, members: tuple[str, ...]) -> tuple[str, ...]:
        for member in members:
            kind, _, _ = member.partition(":")
            if not (member in MEMBERS or (kind in OUTSIDE_MEMBERS and label_of(member))):
                raise ValueError(f"{member!r} is no member; known: {', '.join(MEMBERS)}, hf:FOLDER, scores:FILE")
            label = label_of(member)
            if member not in MEMBERS and (label in _RESERVED or len(label) > _MOST_LABEL_CHARS):
                why = (
                    "a name that the committee's table already uses"
                    if label in _RESERVED
                    else f"longer than {_MOST_LABEL_CHARS} characters"
                )
                raise ValueError(f"{member!r} would be called {label!r}, {why}; rename the file or folder")
        labels = [label_of(member) for member in members]
        if len(set(labels)) < len(labels):
            raise ValueError(f"two members would both be called {max(labels, key=labels.count)!r}")
        return members


def label_of(member: str) -> str:
    """What a member is called in tables and folders: its own name, or that of its folder or file, with `-` for what is no letter or digit.

    >>> label_of("ngram"), label_of("hf:/models/pythia-70m/"), label_of("scores:answers/gpt2.jsonl")
    ('ngram', 'pythia-70m', 'gpt2')
    """
    kind, colon, place = member.partition(":")
    name = place.rstrip("/").rpartition("/")[2]
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name.removesuffix(".jsonl") if kind == SCORES_FILE else name) if colon else member


class CacheSettings(SettingsGroup):
    """Settings of the n-gram model with a cache."""

    # The targets of 700,000 passages of novels are likeliest at 0.06. At 0.1 the member guesses nearly every target that the passage holds
    # twice, at 0.05 one in four of those that the n-gram model does not guess; it is such targets that readers guess.
    weight: float = Field(0.05, gt=0, lt=1, description="of the cache, the n-gram model having the rest (Kuhn & De Mori 1990)")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What a committee says of some passages.

    Attributes:
        kept: bool, shape (n,): no member has guessed the target.
        guessed_by: int64, shape (n,): the first member that has, by its place; -1 where the passage is kept.
        survival: member -> share of the passages that it alone would keep.
    """

    kept: NDArray[np.bool_]
    guessed_by: NDArray[np.int64]
    survival: Mapping[str, float]


def has_guessed(log10_probs: NDArray[np.floating], *, threshold: float) -> NDArray[np.bool_]:
    """Which targets a member has guessed, shape (n,), from its log10 P(target | passage) of the same shape.

    >>> has_guessed(np.log10([0.00174, 0.00175, 0.5]), threshold=0.00175).tolist()
    [False, True, True]
    """
    return np.asarray(log10_probs >= math.log10(threshold))


def ask_committee(log10_probs: Mapping[str, NDArray[np.floating]], *, threshold: float) -> Verdicts:
    """The verdicts of all members together.

    Args:
        log10_probs: member -> log10 P(target | passage), shape (n,); in the order in which a fallen passage is put down to them.

    >>> verdicts = ask_committee({"ngram": np.log10([0.001, 0.1]), "cache": np.log10([0.01, 0.2])}, threshold=0.00175)
    >>> verdicts.kept.tolist(), verdicts.guessed_by.tolist(), dict(verdicts.survival)
    ([False, False], [1, 0], {'ngram': 0.5, 'cache': 0.0})
    """
    guessed = np.array([has_guessed(own, threshold=threshold) for own in log10_probs.values()])
    kept = np.asarray(~guessed.any(axis=0))
    survival = {member: float(1 - own.mean()) if len(own) else 1.0 for member, own in zip(log10_probs, guessed, strict=True)}
    return Verdicts(kept, np.where(kept, -1, guessed.argmax(axis=0)), survival)


def passage_ids(
    numbers: NDArray[np.integer], first: NDArray[np.int64], target: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What a member reads of some passages, one after the other: each from the end of a sentence before it to its target.

    Args:
        numbers: of all words, `SEPARATOR` between sentences; may be memory-mapped.
        first: where each passage begins in them, shape (n,).
        target: where its target stands, shape (n,).
    Returns:
        int64, shape (the sum of the lengths,): `SEPARATOR`, then the words, the target last; int64, shape (n,): the lengths.

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

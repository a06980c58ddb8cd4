"""Rejections are data: every stage writes what it dropped, with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from cloze_gen.renamed import REASONS


class Reason(StrEnum):
    """Reasons of a stage: each member is its name, with a line that explains it.

    >>> class Size(Reason):
    ...     SHORT = ("too_short", "it has fewer than three words")
    >>> str(Size.SHORT), Size("too_short").legend
    ('too_short', 'it has fewer than three words')
    """

    legend: str

    def __new__(cls, name: str, legend: str = "") -> Self:
        member = str.__new__(cls, name)
        member._value_ = name
        member.legend = legend
        return member


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a record was dropped: `reason` is a key of the funnel, `detail` is for a reader."""

    id: str
    reason: str
    detail: str = ""


def legends_of(*reasons: Iterable[Reason], more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Reason -> its legend; `more` has those of other reasons, a key ending in `*` for a prefix."""
    found = {str(one): one.legend for some in reasons for one in some}
    return found | dict(more or {})


def legend_of(reason: str, legends: Mapping[str, str]) -> str:
    """The line that explains a reason, also under its name of 0.1; empty if there is none.

    >>> legend_of("guessed_by_ngram", {"guessed_by_*": "a model guessed the target"})
    'a model guessed the target'
    """
    reason = REASONS.get(reason, reason)
    if reason in legends:
        return legends[reason]
    return next(
        (
            legend
            for name, legend in legends.items()
            if name.endswith("*") and reason.startswith(name[:-1])
        ),
        "",
    )

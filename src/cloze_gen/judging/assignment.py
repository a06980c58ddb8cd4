"""Who is asked about which item: one code for all tasks. No function of it touches a file or a clock.

An item is a `Case`; a task's `Rule` says how many judges it wants next and what they see. Nobody is asked of one item twice, nor of two
whose text overlaps (LAMBADA 3.1 asks that nobody is on both sides); a page is of one condition, so that its reader need not think again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from cloze_gen.records.judgement import Kind, Span
from cloze_gen.records.spans import TakenSpans


@dataclass(frozen=True, slots=True)
class Answer:
    """What a judge said of a case, in the shape of its task."""

    judge: str
    condition: str
    said: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """An item on its way through a study.

    Attributes:
        asked: who has been asked and has not answered, with the condition.
        answers: those taken, a judge's latest.
        withdrawn: who was asked and is waited for no longer; they may have seen it.
    """

    id: str
    spans: tuple[Span, ...]
    key: Mapping[str, Any]
    asked: tuple[tuple[str, str], ...] = ()
    answers: tuple[Answer, ...] = ()
    withdrawn: tuple[str, ...] = ()

    @property
    def seen_by(self) -> tuple[str, ...]:
        return (*(judge for judge, _ in self.asked), *(answer.judge for answer in self.answers), *self.withdrawn)


class Rule(Protocol):
    """How a task asks."""

    def wanted(self, case: Case) -> tuple[str, int]:
        """What the next judges of a case see, and how many may be asked now."""

    def outcome(self, case: Case) -> str:
        """What became of it; empty while judges are wanted or waited for."""

    def page(self, condition: str) -> int | None:
        """Items that a judge is dealt at a time in this condition; None: as many as the study says."""


@dataclass(frozen=True, slots=True)
class EachJudged:
    """Every item is judged by so many, whatever they say.

    >>> EachJudged(3).wanted(Case("b:7", (), {}, asked=(("ann", ""),)))
    ('', 2)
    """

    judges: int
    condition: str = ""

    def wanted(self, case: Case) -> tuple[str, int]:
        return self.condition, max(0, self.judges - len(case.asked) - len(case.answers))

    def outcome(self, case: Case) -> str:
        return "judged" if len(case.answers) >= self.judges else ""

    def page(self, condition: str) -> int | None:
        return None


def deal(
    cases: Iterable[Case], judge: str, rule: Rule, *, most: int, seen: Iterable[Span], condition: str | None = None
) -> list[tuple[str, str]]:
    """The next items for a judge, in the order of the cases.

    Args:
        most: items at most, where the rule has no size of a page.
        seen: spans that the judge was shown before.
        condition: what they are to be asked in; None: whichever comes first.
    Returns:
        (id of the item, condition), of one condition all.

    >>> cases = [Case(f"b:{n}", (("b", 100 * n, 100 * n + 99),), {}) for n in range(12)]
    >>> deal(cases, "ann", EachJudged(3), most=2, seen=[("b", 50, 60)])
    [('b:1', ''), ('b:2', '')]
    """
    shown = TakenSpans(seen)
    dealt: list[tuple[str, str]] = []
    for case in cases:
        if len(dealt) >= most:
            break
        asked_in, count = rule.wanted(case)
        if not count or condition not in {None, asked_in} or judge in case.seen_by:
            continue
        if any(shown.overlaps(*span) for span in case.spans):
            continue
        condition, most = asked_in, rule.page(asked_in) or most  # the first tells what the page is of
        dealt.append((case.id, asked_in))
        for span in case.spans:
            shown.add(*span)
    return dealt


def assignment_id(study: str, judge: str, item: str, condition: str, kind: Kind) -> str:
    """12 hexadecimal digits, the same whenever this judge is asked so; whoever does not know the study's seed learns nothing from them.

    Args:
        study: what only the study knows.
    """
    asked = "\x1f".join((study, judge, item, condition, kind))
    return hashlib.blake2b(asked.encode(), digest_size=6).hexdigest()

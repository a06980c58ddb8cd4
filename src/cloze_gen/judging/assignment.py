"""Assignment of items to judges, and their order.

A judge never gets an item twice, nor two items with overlapping text (LAMBADA 3.1). All items of a
page have the same condition.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from cloze_gen.records.judgement import Span
from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import derive_rng


@dataclass(frozen=True, slots=True)
class Answer:
    judge: str
    condition: str
    response: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """An item and its state in a study.

    `pending`: (judge, condition) of those yet to answer; `late`: judges who did not answer in time.
    """

    id: str
    spans: tuple[Span, ...]
    key: Mapping[str, Any]
    pending: tuple[tuple[str, str], ...] = ()
    answers: tuple[Answer, ...] = ()
    late: tuple[str, ...] = ()

    @property
    def seen_by(self) -> tuple[str, ...]:
        return (
            *(judge for judge, _ in self.pending),
            *(answer.judge for answer in self.answers),
            *self.late,
        )


class Rule(Protocol):
    def wanted(self, case: Case) -> tuple[str, int]:
        """The condition of the next judges of a case, and how many may be assigned now."""

    def outcome(self, case: Case) -> str:
        """The item's outcome; empty while answers are missing."""

    def page(self, condition: str) -> int | None:
        """Number of items on a page; None: the study's `page` setting."""


@dataclass(frozen=True, slots=True)
class JudgesPerItem:
    """
    >>> JudgesPerItem(3).wanted(Case("b:7", (), {}, pending=(("ann", ""),)))
    ('', 2)
    """

    judges: int
    condition: str = ""

    def wanted(self, case: Case) -> tuple[str, int]:
        return self.condition, max(0, self.judges - len(case.pending) - len(case.answers))

    def outcome(self, case: Case) -> str:
        return "judged" if len(case.answers) >= self.judges else ""

    def page(self, condition: str) -> int | None:
        return None


def assign_items(
    cases: Iterable[Case],
    judge: str,
    rule: Rule,
    *,
    limit: int,
    seen: Iterable[Span],
    condition: str | None = None,
) -> list[tuple[str, str]]:
    """The next (item, condition) pairs for a judge, in order, all of one condition.

    `limit`: page size where the rule sets none; `seen`: spans that the judge has seen before.

    >>> cases = [Case(f"b:{n}", (("b", 100 * n, 100 * n + 99),), {}) for n in range(12)]
    >>> assign_items(cases, "ann", JudgesPerItem(3), limit=2, seen=[("b", 50, 60)])
    [('b:1', ''), ('b:2', '')]
    """
    shown = TakenSpans(seen)
    assigned: list[tuple[str, str]] = []
    for case in cases:
        if len(assigned) >= limit:
            break
        answered_in, count = rule.wanted(case)
        if not count or condition not in {None, answered_in} or judge in case.seen_by:
            continue
        if any(shown.overlaps(*span) for span in case.spans):
            continue
        # the first item sets the condition of the page
        condition, limit = answered_in, rule.page(answered_in) or limit
        assigned.append((case.id, answered_in))
        for span in case.spans:
            shown.add(*span)
    return assigned


def assignment_id(study: str, judge: str, item: str, condition: str) -> str:
    """12 hexadecimal digits, deterministic, and unpredictable without the `study`'s secret."""
    parts = "\x1f".join((study, judge, item, condition))
    return hashlib.blake2b(parts.encode(), digest_size=6).hexdigest()


def shown_order(seed: int, judge: str, item: str, n: int) -> list[int]:
    """A random order for each judge and item, so that no position is favoured.

    >>> sorted(shown_order(1, "ann", "b:7", 4))
    [0, 1, 2, 3]
    """
    return [int(i) for i in derive_rng(seed, "judging.order", f"{judge}:{item}").permutation(n)]

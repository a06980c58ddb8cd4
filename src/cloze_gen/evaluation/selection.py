"""Selection of baselines with `--only`, and reasons for left-out ones, for all kinds of items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from cloze_gen.errors import UsageError
from cloze_gen.parsing import quote

HUMAN = "human"  # name and kind of the row of people
USER = "user"  # kind of the rows of `--scores`
NO_BOOKS = "no training corpus; pass --train DIR"
NO_SCORES = "no scores file; pass --scores FILE"
NO_PEOPLE = "no answers of people; pass --people FILE, written by `cloze-gen judge apply`"


class Named(Protocol):
    @property
    def name(self) -> str: ...


Row = TypeVar("Row", bound=Named)


def check_files(only: Iterable[str], *, scores: bool, people: bool) -> None:
    """Raise UsageError if `--only user` or `--only human` is given without its file."""
    lacking = {USER: "" if scores else NO_SCORES, HUMAN: "" if people else NO_PEOPLE}
    for word in only:
        if lacking.get(word):
            raise UsageError(f"--only {word}: {lacking[word]}")


def check_known(only: Iterable[str], known: Iterable[str], *, noun: str, choices: str) -> None:
    """Raise UsageError if a value of `--only` is unknown; `choices` lists the known ones."""
    unknown = next((word for word in only if word not in known), None)
    if unknown is not None:
        raise UsageError(
            f"--only {quote(unknown)}: unknown baseline of {noun}. Choose from: {choices}."
        )


def measurable(
    rows: Sequence[Row], only: Sequence[str], missing: Mapping[str, str], *, others: bool
) -> list[Row]:
    """Rows that can be measured; UsageError if there are none, or a name in `only` is missing.

    `missing`: name or kind -> reason; `others`: there is more to measure than rows.
    """
    named = {word: missing[word] for word in only if word in missing}
    if named:
        raise UsageError(
            "; ".join(
                f"--only {', '.join(names)}: {why}" for why, names in _by_reason(named).items()
            )
        )
    found = [row for row in rows if row.name not in missing]
    if not found and not others:
        raise UsageError("; ".join(["nothing to measure", *left_out_lines(missing)]))
    return found


def left_out_lines(missing: Mapping[str, str]) -> list[str]:
    """
    >>> left_out_lines({"lsa": "no books", "random": "no luck", "pmi": "no books"})
    ['left out: lsa, pmi (no books)', 'left out: random (no luck)']
    """
    return [f"left out: {', '.join(names)} ({why})" for why, names in _by_reason(missing).items()]


def _by_reason(missing: Mapping[str, str]) -> dict[str, list[str]]:
    return {
        why: [name for name in missing if missing[name] == why]
        for why in dict.fromkeys(missing.values())
    }

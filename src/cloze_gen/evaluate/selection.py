"""Which baselines an evaluation measures: one rule for `--only` and for what is missing, whatever the kind of the items."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.people import HUMAN
from cloze_gen.notation import shown

USER = "user"  # kind of the rows of `--scores`
LOCAL_MODEL = "hf:"  # before the path of a model's folder, in `--only`
SCORES_FILE = "scores:"  # before the path of a file of scores, in `--only`
NO_BOOKS = "no training corpus; give --train DIR"
NO_SCORES = "no file of scores; give --scores FILE"
NO_PEOPLE = "no verdicts of people; give --people FILE, which `cloze-gen judge apply` writes"

_MOST_LINE_CHARS = 460


class Named(Protocol):
    """A row of the table before it is measured."""

    @property
    def name(self) -> str: ...


Row = TypeVar("Row", bound=Named)


def split_files(only: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of `--only` with `user` for each `scores:FILE`, and these files.

    >>> split_files(["random", "scores:a/mine.jsonl"])
    (['random', 'user'], ['a/mine.jsonl'])
    """
    files = [word for word in dict.fromkeys(only) if word.startswith(SCORES_FILE) and word != SCORES_FILE]
    return [USER if word in files else word for word in only], [word.removeprefix(SCORES_FILE) for word in files]


def check_files(only: Iterable[str], *, scores: bool, people: bool) -> None:
    """Check that the files are given from which the rows of `--only user` and `--only human` come.

    Raises:
        UsageError: one is not.
    """
    lacking = {USER: "" if scores else NO_SCORES, HUMAN: "" if people else NO_PEOPLE}
    for word in only:
        if lacking.get(word):
            raise UsageError(f"--only {word}: {lacking[word]}")


def check_known(only: Iterable[str], known: Iterable[str], *, noun: str, choices: str) -> None:
    """Check that every word of `--only` names a baseline or a kind.

    Args:
        choices: the words there are, for the message.
    Raises:
        UsageError: one does not.
    """
    unknown = next((word for word in only if word not in known), None)
    if unknown is not None:
        said = f"--only {shown(unknown)}: no such baseline of {noun}. Known: {choices}, {SCORES_FILE}FILE."
        raise UsageError(textwrap.fill(said, _MOST_LINE_CHARS, break_on_hyphens=False))


def measurable(rows: Sequence[Row], only: Sequence[str], missing: Mapping[str, str], *, others: bool) -> list[Row]:
    """The rows that can be measured.

    A name in `--only` that cannot be measured is an error. Of a kind, and of all without `--only`, whatever can be measured is. It is an
    error when nothing can.

    Args:
        rows: those asked for.
        missing: name or kind -> why it cannot be measured.
        others: something that is no row can be measured.
    Raises:
        UsageError: as above; nothing has been written.
    """
    named = {word: missing[word] for word in only if word in missing}
    if named:
        raise UsageError("; ".join(f"--only {', '.join(names)}: {why}" for why, names in _by_reason(named).items()))
    found = [row for row in rows if row.name not in missing]
    if not found and not others:
        raise UsageError("; ".join(["nothing to measure", *left_out_lines(missing)]))
    return found


def left_out_lines(missing: Mapping[str, str]) -> list[str]:
    """What was left out, a line for each reason.

    >>> left_out_lines({"lsa": "no books", "random": "no luck", "pmi": "no books"})
    ['left out: lsa, pmi (no books)', 'left out: random (no luck)']
    """
    return [f"left out: {', '.join(names)} ({why})" for why, names in _by_reason(missing).items()]


def _by_reason(missing: Mapping[str, str]) -> dict[str, list[str]]:
    return {why: [name for name in missing if missing[name] == why] for why in dict.fromkeys(missing.values())}

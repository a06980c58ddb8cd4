"""A sample of a release for people: its filters, the draw and the page to print."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2

from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.errors import UsageError
from cloze_gen.formats.quiz import QuizQuestion, option_letter, to_csv, to_moodle_xml
from cloze_gen.json_lines import read_objects
from cloze_gen.parsing import as_number, name_list, quote
from cloze_gen.release.items.kind import ItemKind
from cloze_gen.rng import derive_rng

Range = tuple[float, float]  # both ends included


@dataclass(frozen=True, slots=True)
class Filters:
    """Empty or None: no filter.

    Attributes:
        difficulty: share of models that are right, from an item analysis; mean over blanks.
        length: words of the text with its blanks.
        skipped: ids of items to leave out.
    """

    classes: Collection[str] = ()
    books: Collection[str] = ()
    difficulty: Range | None = None
    length: Range | None = None
    skipped: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class _Candidate:
    question: QuizQuestion
    word_class: str
    difficulty: float

    @property
    def length(self) -> int:
        return sum(len(text.split()) for text in self.question.paragraphs)


def draw_questions(
    kind: ItemKind, data: bytes, *, n: int, seed: int, filters: Filters
) -> tuple[list[QuizQuestion], int, int]:
    """At most `n` questions in drawn order, the number that fit the filters, and that of the set.

    Each item has its own draw, so that removing one keeps the others. Questions whose answer is
    that of an earlier one come last.

    Raises:
        FormatError: `data`, the JSON lines of the items, do not follow the format.
        UsageError: nothing fits, or a filter reads what no item has.
    """
    items = kind.items_of(data)
    records = read_objects(data.decode().split("\n"), name=kind.file)
    listed = [
        _Candidate(kind.quiz(item, record), _word_class(record), _difficulty(record))
        for item, (_, record) in zip(items, records, strict=True)
        if kind.counts(item)
    ]
    _check_values("--class", filters.classes, [one.word_class for one in listed])
    _check_values("--book", filters.books, [one.question.book for one in listed])
    _check_values("--skip", filters.skipped, [one.question.id for one in listed])
    if filters.difficulty and all(math.isnan(one.difficulty) for one in listed):
        raise UsageError(
            "--difficulty: the items have none. Measure it with `cloze-gen evaluate RUN --items "
            "--scores A B C`, then export the run, or the file *_with_items.jsonl of the result."
        )
    drawn = sorted(
        (one.question for one in listed if _fits(one, filters)),
        key=lambda one: derive_rng(seed, "export", one.id).random(),
    )
    fitting = [one for one in _answers_once(drawn) if one.id not in filters.skipped]
    if not fitting:
        raise UsageError(
            f"none of {len(listed):,} {kind.noun}s fits the filters. Nothing was written. Widen the "
            "filters."
        )
    return fitting[:n], len(fitting), len(listed)


def _answers_once(drawn: Sequence[QuizQuestion]) -> list[QuizQuestion]:
    first = {one.answer_texts: one.id for one in reversed(drawn)}
    return sorted(drawn, key=lambda one: first[one.answer_texts] != one.id)


def _word_class(record: Mapping[str, Any]) -> str:
    given, tag = record.get("answer_class"), record.get("answer_tag")
    if isinstance(given, str):
        return given
    return coarse_class(tag) if isinstance(tag, str) and tag else ""


def _difficulty(record: Mapping[str, Any]) -> float:
    """The column `items` of an item analysis: an object, or a list for the blanks of a passage."""
    items = record.get("items")
    shares = [
        as_number(one.get("difficulty"))
        for one in (items if isinstance(items, list) else [items])
        if isinstance(one, dict)
    ]
    return sum(shares) / len(shares) if shares else math.nan


def _check_values(option: str, wanted: Collection[str], found: Sequence[str]) -> None:
    known = sorted(set(found) - {""})
    unknown = next((value for value in wanted if value not in known), None)
    if unknown is not None:
        here = f"The items have: {name_list(known)}." if known else "The items have none."
        raise UsageError(f"{option} {quote(unknown)}: no item has it. {here}")


def _fits(one: _Candidate, filters: Filters) -> bool:
    return (
        (not filters.classes or one.word_class in filters.classes)
        and (not filters.books or one.question.book in filters.books)
        and _within(one.difficulty, filters.difficulty)
        and _within(one.length, filters.length)
    )


def _within(value: float, bounds: Range | None) -> bool:
    return bounds is None or bounds[0] <= value <= bounds[1]


# ---- the formats


def to_print(questions: Sequence[QuizQuestion], title: str) -> bytes:
    """One HTML page for A4 and Letter, with the answers on a page of their own."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("cloze_gen.release", "templates"),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    page = environment.get_template("quiz.html.j2")
    return page.render(questions=questions, title=title, letter=option_letter).encode()


FORMATS: Mapping[str, Callable[[Sequence[QuizQuestion], str], bytes]] = {
    "csv": to_csv,
    "moodle-xml": to_moodle_xml,
    "print": to_print,
}

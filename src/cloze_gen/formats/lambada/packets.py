"""Pages of passages for subjects to guess, and their answers back, as plain values and as text (LAMBADA 3.1).

A page names its subject and holds what the subject may see and nothing else: no title, no id that tells the book, no word of the target.
The texts of a page are the book's own, cased, with a gap where the target stood and the marks behind it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.jsonl import parse_records
from cloze_gen.notation import shown
from cloze_gen.records.guess_page import Condition, Event, Origin, Page, PageAnswer, Withdrawal
from cloze_gen.records.passage import Passage

GAP = "_____"
NO_IDEA = "-"  # what a subject without an idea writes; an empty row of a table is not answered yet
TORN = " #torn"  # ends a line of a ledger that a killed command had begun; no event ends so
_MOST_GUESS_CHARS = 100


def packet_rows(pages: Iterable[Page], passage_of: Callable[[str], Passage], *, sentence_guesses: int) -> Iterator[dict[str, Any]]:
    """One row an item, all that its subject may see: ``page``, ``item``, ``subject``, ``condition``, ``guesses`` (at most), ``text``."""
    for page in pages:
        guesses = 1 if page.condition is Condition.PASSAGE else sentence_guesses
        for item, passage_id in enumerate(page.passage_ids, 1):
            yield {
                "page": page.id, "item": item, "subject": page.subject, "condition": str(page.condition), "guesses": guesses,
                "text": blanked_text(passage_of(passage_id), page.condition),
            }  # fmt: skip


def blanked_text(passage: Passage, condition: Condition) -> str:
    """The passage, or its target sentence alone, with a gap for the target."""
    context = passage.texts[:-1] if condition is Condition.PASSAGE else ()
    return " ".join((*context, f"{passage.opening}{GAP}{passage.closing}"))


def packets_jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows as JSON lines, for a program that shows them."""
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def packets_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows as a table to be filled in: a column ``guess_1``, ``guess_2``, ... for each guess that some row allows, empty."""
    listed = [dict(row) for row in rows]
    guesses = [f"guess_{n}" for n in range(1, max((row["guesses"] for row in listed), default=1) + 1)]
    lines: list[str] = []
    writer = csv.DictWriter(
        _Written(lines), ["page", "item", "subject", "condition", "guesses", "text", *guesses], restval="", lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(listed)
    return "".join(lines)


def parse_answers(text: str, *, name: str = "answers") -> list[PageAnswer]:
    """Answers from JSON lines (``page``, ``item``, ``guesses``, perhaps ``subject``) or from a table that was filled in (`packets_csv`).

    A row of a table without any guess is not answered yet and passed over; a guess of `NO_IDEA` counts as one that is wrong.

    Raises:
        FormatError: the text is neither, or a field is missing or of another type; names file and line.

    >>> parse_answers('{"page": "3f", "item": 2, "guesses": ["menu"]}')
    [PageAnswer(page='3f', item=2, guesses=('menu',), subject='')]
    """
    text = text.removeprefix("\ufeff")
    return list(_from_jsonl(text, name) if text.lstrip().startswith("{") else _from_csv(text, name))


def ledger_jsonl(events: Iterable[Event]) -> str:
    """What happened, an event a line: pages handed out and from which ranking, answers taken, pages withdrawn.

    Lines are only ever added. They are ASCII, so that one torn anywhere is text.
    """
    return "".join(f"{json.dumps(_event_record(event))}\n" for event in events)


def parse_ledger(text: str, *, name: str = "ledger") -> list[Event]:
    """The events of a ledger; what was torn (`torn_end`, `TORN`) is none.

    Raises:
        FormatError: a line is no event; names file and line.

    >>> parse_ledger(ledger_jsonl([PageAnswer("3f", 2, ("menu",))]) + '{"pag')
    [PageAnswer(page='3f', item=2, guesses=('menu',), subject='')]
    """
    whole = "\n".join("" if line.endswith(TORN) else line for line in text.split("\n")[:-1])
    return [_event(record, f"{name}, line {number}") for number, record in parse_records(whole.split("\n"), name=name)]


def torn_end(text: str) -> str:
    """What stands behind the last whole line of a ledger: an event whose writer was killed before it was on the disk.

    >>> torn_end('{"withdrawn": "3f"}\\n{"pag')
    '{"pag'
    """
    return text[text.rfind("\n") + 1 :]


def _event_record(event: Event) -> dict[str, Any]:
    if isinstance(event, Page):
        return {"asked": event.id, "subject": event.subject, "condition": str(event.condition), "passages": list(event.passage_ids)}
    if isinstance(event, Withdrawal):
        return {"withdrawn": event.page}
    if isinstance(event, Origin):
        return {"ranking": event.ranking}
    return {"page": event.page, "item": event.item, "subject": event.subject, "guesses": list(event.guesses)}


def _event(record: Mapping[str, Any], where: str) -> Event:
    if "page" in record:
        return _page_answer(record, where)
    for field, kind in (("withdrawn", Withdrawal), ("ranking", Origin)):
        if isinstance(record.get(field), str):
            return kind(record[field])
    page, subject, condition, passages = (record.get(field) for field in ("asked", "subject", "condition", "passages"))
    named = isinstance(passages, list) and bool(passages) and all(isinstance(one, str) for one in passages)
    if not (isinstance(page, str) and isinstance(subject, str) and condition in list(Condition) and named):
        raise FormatError(f"{where}: expected a page handed out, its ranking, an answer or a page withdrawn, found {shown(dict(record))}")
    return Page(page, subject, Condition(condition), tuple(passages or ()))


def _from_jsonl(text: str, name: str) -> Iterator[PageAnswer]:
    for number, record in parse_records(text.split("\n"), name=name):
        yield _page_answer(record, f"{name}, line {number}")


def _from_csv(text: str, name: str) -> Iterator[PageAnswer]:
    lines = text.removesuffix("\n").split("\n")
    reader = csv.DictReader(
        (f"{line}\n" for line in lines), delimiter=max(",;\t", key=lines[0].count)
    )  # as the spreadsheet's country has it
    try:
        columns = [column for column in reader.fieldnames or () if column and column.startswith("guess_")]
        if not columns or not {"page", "item"} <= set(reader.fieldnames or ()):
            found = f"its first line is {shown(lines[0])}" if lines[0].strip() else "it is empty"
            raise FormatError(f"{name}: expected JSON lines, or a table with the columns page, item and guess_1; {found}")
        for row in reader:
            guesses = [guess for column in columns if (guess := (row[column] or "").strip())]
            item, where = row["item"] or "", f"{name}, line {reader.line_num}"
            if guesses:
                number = int(item) if item.isascii() and item.isdigit() and len(item) < 10 else item
                yield _page_answer({"page": row["page"], "item": number, "guesses": guesses, "subject": row.get("subject") or ""}, where)
    except csv.Error as error:
        raise FormatError(f"{name}, line {reader.line_num}: not a table of cells ({error})") from None


@dataclass(frozen=True, slots=True)
class _Written:
    """What the table's writer asks of a file."""

    lines: list[str]

    def write(self, line: str) -> None:
        self.lines.append(line)


def _page_answer(record: Mapping[str, Any], where: str) -> PageAnswer:
    page, item, guesses, subject = (record.get(field) for field in ("page", "item", "guesses", "subject"))
    if not isinstance(page, str) or type(item) is not int or not isinstance(guesses, list) or not isinstance(subject, str | None):
        raise FormatError(f'{where}: expected {{"page": ..., "item": ..., "guesses": [...]}}, found {shown(dict(record))}')
    for guess in guesses:
        if not isinstance(guess, str) or len(guess) > _MOST_GUESS_CHARS:
            raise FormatError(f"{where}: a guess must be a text of at most {_MOST_GUESS_CHARS} characters, found {shown(guess)}")
    return PageAnswer(page, item, tuple("" if guess.strip() == NO_IDEA else guess.strip() for guess in guesses), subject or "")

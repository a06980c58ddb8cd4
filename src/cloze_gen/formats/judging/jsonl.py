"""Packets and verdicts as JSON lines, for programs: one assignment a line, UTF-8.

A packet goes out with ``"said": null``; whoever answers puts the verdict there, or writes lines of ``assignment`` and ``said`` alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from cloze_gen.errors import FormatError
from cloze_gen.formats.jsonl import parse_records
from cloze_gen.formats.judging.packet import PacketRow, VerdictRow
from cloze_gen.formats.judging.said import PacketOf, checked, packet_named, seconds_told
from cloze_gen.notation import shown


def packets_jsonl(rows: Iterable[PacketRow], verdicts: Iterable[VerdictRow] = ()) -> str:
    """The rows, a line each: ``assignment``, ``judge``, ``task``, ``condition``, ``shown``, ``said``: null where no verdict is given, and
    of one that is ``seconds`` and ``id`` besides."""
    given = {one.assignment: {"said": dict(one.said), "seconds": one.seconds, "id": one.id} for one in verdicts}
    lines = (
        {**_head(row), "condition": row.condition, "shown": dict(row.shown), **given.get(row.assignment, {"said": None})} for row in rows
    )
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def parse_verdicts_jsonl(text: str, packet_of: PacketOf, *, name: str = "verdicts.jsonl") -> list[VerdictRow]:
    """Verdicts of lines with ``assignment``, ``said`` and perhaps ``judge``, ``seconds``, ``id``; other fields are not read.

    A line whose ``said`` is null is not answered yet and passed over.

    Raises:
        FormatError: a line is no JSON object, names no assignment of the study or somebody else's, or says what can not be said; names
            file and line.

    >>> row = PacketRow("3f", "bo", "guess", "passage", {"text": "_____", "guesses": 1})
    >>> parse_verdicts_jsonl('{"assignment": "3f", "said": {"guesses": ["menu"]}, "seconds": 4}', {"3f": row}.get)
    [VerdictRow(assignment='3f', said={'guesses': ['menu']}, judge='bo', seconds=4.0, id='')]
    """
    verdicts = []
    for number, record in parse_records(text.removeprefix("\ufeff").split("\n"), name=name):
        where = f"{name}, line {number}"
        if "assignment" not in record or "said" not in record:
            raise FormatError(f'{where}: expected {{"assignment": ..., "said": ...}}, found {shown(record)}')
        row = packet_named(record["assignment"], record.get("judge"), packet_of, where=where)
        if record["said"] is None:
            continue
        said = checked(row, record["said"], where=where)
        own_id = "" if record.get("id") is None else record["id"]
        if not isinstance(own_id, str) or len(own_id) > 100 or not own_id.isprintable():  # the page sends it back
            raise FormatError(f"{where}: the id of a verdict must be a text of at most 100 printable characters, found {shown(own_id)}")
        seconds = seconds_told(record.get("seconds"), where=where)
        verdicts.append(VerdictRow(row.assignment, said, record.get("judge") or row.judge, seconds, own_id))
    return verdicts


def _head(row: PacketRow) -> dict[str, str]:
    return {"assignment": row.assignment, "judge": row.judge, "task": row.task}

"""What a study asks and what it was told, row by row."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.records.judgement import Assignment, Judge, Kind, Role, StudyItem, Verdict
from cloze_gen.store.judgements.database import DATABASE, Database, create_database


def now() -> str:
    """The moment, in UTC, to the millisecond."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def items_digest(items: Iterable[StudyItem]) -> str:
    """All that is asked, as 32 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=16)
    for item in items:
        digest.update(f"{_json([item.id, item.source, item.spans, item.shown, item.key])}\n".encode())
    return digest.hexdigest()


def create_store(folder: Path, items: Sequence[StudyItem]) -> None:
    """A study's database with its items, in their order."""
    create_database(folder / DATABASE)
    database = Database(folder / DATABASE)
    rows = ((n, one.id, one.source, _json(one.spans), _json(one.shown), _json(one.key)) for n, one in enumerate(items, 1))
    with database.writing() as connection:
        connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?)", rows)
    database.close()


class StudyStore:
    """A study's rows. Reading asks for nothing but names; writing is on the disk when it returns."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / DATABASE)

    def items(self) -> Iterator[StudyItem]:
        """All items, in their order."""
        with self.database.reading() as connection:
            rows = connection.execute("SELECT id, spans, shown, key, source FROM items ORDER BY place").fetchall()
        return map(_item, rows)

    def outlines(self) -> list[tuple[str, str, Any, Any]]:
        """(id, source, spans, key) of every item, in their order: what can be known without what is shown."""
        with self.database.reading() as connection:
            rows = connection.execute("SELECT id, source, spans, key FROM items ORDER BY place").fetchall()
        return [(item, source, json.loads(spans), json.loads(key)) for item, source, spans, key in rows]

    def item(self, item_id: str) -> StudyItem:
        """The item of an id that the study has."""
        with self.database.reading() as connection:
            row = connection.execute("SELECT id, spans, shown, key, source FROM items WHERE id = ?", (item_id,)).fetchone()
        return _item(row)

    def judges(self) -> list[Judge]:
        """Everybody who is asked, in the order in which they came."""
        with self.database.reading() as connection:
            return [Judge(name, Role(role)) for name, role in connection.execute("SELECT name, role FROM judges ORDER BY rowid")]

    def add_judges(self, judges: Iterable[Judge]) -> None:
        """More judges; who is there already stays."""
        with self.database.writing() as connection:
            connection.executemany("INSERT OR IGNORE INTO judges VALUES (?, ?)", [(one.name, str(one.role)) for one in judges])

    def assignments(self) -> list[Assignment]:
        """All that were dealt, in that order."""
        with self.database.reading() as connection:
            rows = connection.execute("SELECT id, judge, item, condition, kind, place FROM assignments ORDER BY number").fetchall()
        return [Assignment(one, judge, item, condition, Kind(kind), place) for one, judge, item, condition, kind, place in rows]

    def add_assignments(self, assignments: Iterable[Assignment]) -> None:
        """Items dealt."""
        moment = now()
        rows = [(one.id, one.judge, one.item, one.condition, str(one.kind), one.place, moment) for one in assignments]
        with self.database.writing() as connection:
            connection.executemany(
                "INSERT INTO assignments (id, judge, item, condition, kind, place, made_at) VALUES (?, ?, ?, ?, ?, ?, ?)", rows
            )

    def verdicts(self) -> dict[str, Verdict]:
        """The latest verdict of every assignment that has one, in the order in which these were given."""
        with self.database.reading() as connection:
            rows = connection.execute("SELECT id, assignment, said, seconds, source FROM verdicts ORDER BY number").fetchall()
        latest = {row[1]: place for place, row in enumerate(rows)}
        return {row[1]: _verdict(row) for place, row in enumerate(rows) if latest[row[1]] == place}

    def find_verdict(self, verdict_id: str) -> Verdict | None:
        """The verdict of an id, latest or not."""
        with self.database.reading() as connection:
            row = connection.execute("SELECT id, assignment, said, seconds, source FROM verdicts WHERE id = ?", (verdict_id,)).fetchone()
        return _verdict(row) if row else None

    def count_verdicts(self, assignment: str) -> int:
        """How often an assignment was answered."""
        with self.database.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM verdicts WHERE assignment = ?", (assignment,)).fetchone()[0])

    def add_verdict(self, verdict: Verdict) -> None:
        """One more verdict, on the disk when this returns."""
        row = (verdict.id, verdict.assignment, _json(verdict.said), verdict.seconds, verdict.source, now())
        with self.database.writing() as connection:
            connection.execute("INSERT INTO verdicts (id, assignment, said, seconds, source, made_at) VALUES (?, ?, ?, ?, ?, ?)", row)

    def withdrawn(self) -> set[str]:
        """Assignments that are waited for no longer."""
        with self.database.reading() as connection:
            return {row[0] for row in connection.execute("SELECT assignment FROM withdrawals")}

    def withdraw(self, assignments: Iterable[str]) -> None:
        """Wait for these no longer."""
        moment = now()
        with self.database.writing() as connection:
            connection.executemany("INSERT OR IGNORE INTO withdrawals VALUES (?, ?)", [(one, moment) for one in assignments])


def _item(row: tuple[str, str, str, str, str]) -> StudyItem:
    item, spans, shown, key, source = row
    return StudyItem(item, tuple((book, start, end) for book, start, end in json.loads(spans)), json.loads(shown), json.loads(key), source)


def _verdict(row: tuple[str, str, str, float, str]) -> Verdict:
    return Verdict(row[0], row[1], json.loads(row[2]), row[3], row[4])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

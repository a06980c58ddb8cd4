"""Studies on disk: an SQLite database of facts, items, judges and verdicts."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import secrets
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from cloze_gen.errors import StoreError, UsageError
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import Assignment, Judge, Role, StudyItem, Task, Verdict

JUDGEMENTS = "judgements"  # the folder next to `runs`; it is never cleaned up
DATABASE = "study.sqlite"
_WAIT_SECONDS = 30.0  # for a process that writes
_REST_SECONDS = 1.0  # after a failed wait, so that other threads can read
_VERSION = 3
_TABLES = """
CREATE TABLE study (facts TEXT NOT NULL) STRICT;
CREATE TABLE items (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, source TEXT NOT NULL, spans TEXT NOT NULL, shown TEXT NOT NULL,
    key TEXT NOT NULL) STRICT;
CREATE TABLE judges (name TEXT PRIMARY KEY, role TEXT NOT NULL) STRICT;
CREATE TABLE tokens (digest TEXT PRIMARY KEY, judge TEXT NOT NULL REFERENCES judges, made_at TEXT NOT NULL, revoked_at TEXT) STRICT;
CREATE TABLE assignments (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, judge TEXT NOT NULL REFERENCES judges,
    item TEXT NOT NULL REFERENCES items (id), condition TEXT NOT NULL, place INTEGER NOT NULL, made_at TEXT NOT NULL,
    UNIQUE (judge, place)) STRICT;
CREATE TABLE verdicts (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, assignment TEXT NOT NULL REFERENCES assignments (id),
    response TEXT NOT NULL, seconds REAL NOT NULL, source TEXT NOT NULL, answers TEXT NOT NULL, made_at TEXT NOT NULL) STRICT;
CREATE INDEX verdicts_of ON verdicts (assignment);
"""
_ITEM = "id, spans, shown, key, source"
_VERDICT = "id, assignment, response, seconds, source, answers"
_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFacts:
    """What a study is of. `secret`: 32 hexadecimal digits; ids and orders are derived from it.

    `of`: label of the items' source (a stage, or ``release``) -> its fingerprint or digest.
    """

    name: str
    task: Task
    run: str
    style: str
    of: Mapping[str, str]
    settings: Mapping[str, Any]
    rules: Mapping[str, Any]
    secret: str
    items: int


def find_study(out: Path, study: str) -> Path:
    for folder in (out / JUDGEMENTS / study, Path(study)):
        try:
            if (folder / DATABASE).is_file():
                return folder
        except (OSError, ValueError):
            continue
    folders = sorted(path.parent for path in (out / JUDGEMENTS).glob(f"*/{DATABASE}"))
    known = ", ".join(path.name for path in folders) or "none"
    raise UsageError(
        f"no study {quote(study, most_chars=300)} in {out / JUDGEMENTS} (studies there: "
        f"{known}). Create one with `cloze-gen judge new RUN`."
    )


class Database:
    """One connection, shared by the threads of a process behind a lock."""

    def __init__(self, path: Path) -> None:
        self._lock, self._resting_until = threading.RLock(), 0.0
        if not path.is_file():
            raise UsageError(f"{path}: missing. It holds the study; restore it from a backup.")
        self._connection = _connect(path, "rw")
        # Python 3.13 warns of a connection that nobody closed.
        weakref.finalize(self, self._connection.close)
        try:
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute("PRAGMA foreign_keys=ON")
        except sqlite3.OperationalError as error:  # not damaged, so a backup must not overwrite it
            raise UsageError(
                f"{path}: cannot be opened for writing ({error}). Check that the folder is "
                "writable, that the disk is not full and that no other program has locked the "
                "file. Then try again."
            ) from None
        except sqlite3.DatabaseError as error:
            raise UsageError(
                f"{path}: not a readable study ({error}). Restore it from a backup."
            ) from None
        if not version:
            raise UsageError(f"{path}: not a readable study. Restore it from a backup.")
        if version != _VERSION:
            raise UsageError(
                f"{path}: version {version}; this program reads version {_VERSION}. Use the "
                "version of cloze-gen that made the study."
            )

    def wait_at_most(self, seconds: float) -> None:
        """Set the time to wait for another writing process; other threads wait too."""
        with self._lock:
            self._connection.execute(f"PRAGMA busy_timeout={round(1000 * seconds)}")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for reading; StoreError if it is damaged or locked."""
        with self._lock:
            try:
                yield self._connection
            except sqlite3.OperationalError as error:
                raise StoreError(
                    f"cannot read the study's database ({error}). Stored answers are safe; try "
                    "again."
                ) from None
            except sqlite3.DatabaseError as error:
                raise StoreError(
                    f"cannot read the study's database ({error}). Restore the study's folder from "
                    "a backup."
                ) from None

    @contextlib.contextmanager
    def as_of_now(self) -> Iterator[None]:
        """All reads inside see the same state, even if other processes write meanwhile."""
        with self.reading() as connection:
            if connection.in_transaction:
                yield
                return
            connection.execute("BEGIN")
            try:
                yield
            finally:
                _roll_back(connection)  # nothing was written

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The connection inside a transaction, durable when this ends; nested ones join the outer.

        No other process writes meanwhile, so what was read inside still holds.
        """
        with self._lock:
            if self._connection.in_transaction:
                yield self._connection
                return
            if time.monotonic() < self._resting_until:
                raise StoreError(
                    "another program has locked the study's database. Stored answers are safe; "
                    "try again."
                )
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._connection
                    self._connection.execute("COMMIT")
                finally:
                    _roll_back(self._connection)
            except (sqlite3.OperationalError, sqlite3.IntegrityError) as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                    self._resting_until = time.monotonic() + _REST_SECONDS
                raise StoreError(
                    f"cannot write to the study's database ({error}). Stored answers are safe; try "
                    "again."
                ) from None

    @property
    def version(self) -> int:
        """A number that changes when another connection has written."""
        with self._lock:
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def create_database(path: Path) -> None:
    """Create an empty database. Only its owner can read it and the files that SQLite adds."""
    path.touch(mode=0o600, exist_ok=False)
    with contextlib.closing(_connect(path, "rw")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(f"BEGIN;{_TABLES}PRAGMA user_version={_VERSION};COMMIT;")


def _roll_back(connection: sqlite3.Connection) -> None:
    """End an open transaction; on a full disk SQLite may already have ended it."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(
        uri, uri=True, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
    )


def now(*, hours_ago: int = 0) -> str:
    """The time in UTC; its texts sort by time."""
    moment = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=hours_ago)
    return moment.isoformat(timespec="milliseconds")


def create_store(folder: Path, facts: StudyFacts, items: Sequence[StudyItem]) -> None:
    create_database(folder / DATABASE)
    database = Database(folder / DATABASE)
    rows = (
        (n, one.id, one.source, _json(one.spans), _json(one.shown), _json(one.key))
        for n, one in enumerate(items, 1)
    )
    with database.writing() as connection:
        connection.execute("INSERT INTO study VALUES (?)", [_json(asdict(facts))])
        connection.executemany("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?)", rows)
    database.close()


def read_facts(folder: Path) -> StudyFacts:
    store = StudyStore(folder)
    with contextlib.closing(store.database):
        return store.facts()


class StudyStore:
    """A study's rows; writes are durable when a method returns."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / DATABASE)

    def facts(self) -> StudyFacts:
        [(text,)] = self._read("SELECT facts FROM study")
        return TypeAdapter(StudyFacts).validate_json(text)

    def items(self) -> Iterator[StudyItem]:
        return map(_item, self._read(f"SELECT {_ITEM} FROM items ORDER BY place"))

    def outlines(self) -> list[tuple[str, Any, Any]]:
        rows = self._read("SELECT id, spans, key FROM items ORDER BY place")
        return [(item, json.loads(spans), json.loads(key)) for item, spans, key in rows]

    def item(self, item_id: str) -> StudyItem:
        [row] = self._read(f"SELECT {_ITEM} FROM items WHERE id = ?", item_id)
        return _item(row)

    def judges(self) -> list[Judge]:
        rows = self._read("SELECT name, role FROM judges ORDER BY rowid")
        return [Judge(name, Role(role)) for name, role in rows]

    def add_judges(self, judges: Iterable[Judge]) -> None:
        """Add judges; existing ones keep their role."""
        self._write(
            "INSERT OR IGNORE INTO judges VALUES (?, ?)",
            [(one.name, str(one.role)) for one in judges],
        )

    def assignments(self) -> list[Assignment]:
        rows = self._read(
            "SELECT id, judge, item, condition, place, made_at FROM assignments ORDER BY number"
        )
        return [Assignment(*row) for row in rows]

    def add_assignments(self, assignments: Iterable[Assignment]) -> None:
        self._write(
            "INSERT INTO assignments (id, judge, item, condition, place, made_at) VALUES "
            "(?, ?, ?, ?, ?, ?)",
            [
                (one.id, one.judge, one.item, one.condition, one.place, one.made_at)
                for one in assignments
            ],
        )

    def verdicts(self) -> dict[str, Verdict]:
        """The latest verdict of every assignment that has one, oldest first."""
        rows = self._read(f"SELECT {_VERDICT} FROM verdicts ORDER BY number")
        latest = {row[1]: place for place, row in enumerate(rows)}
        return {row[1]: _verdict(row) for place, row in enumerate(rows) if latest[row[1]] == place}

    def find_verdict(self, verdict_id: str) -> Verdict | None:
        rows = self._read(f"SELECT {_VERDICT} FROM verdicts WHERE id = ?", verdict_id)
        return _verdict(rows[0]) if rows else None

    def add_verdict(self, one: Verdict) -> None:
        self._write(
            "INSERT INTO verdicts (id, assignment, response, seconds, source, answers, made_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    one.id,
                    one.assignment,
                    _json(one.response),
                    one.seconds,
                    one.source,
                    _json(one.answers),
                    now(),
                )
            ],
        )

    def _read(self, sql: str, *values: str) -> list[Any]:
        with self.database.reading() as connection:
            return connection.execute(sql, values).fetchall()

    def _write(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with self.database.writing() as connection:
            connection.executemany(sql, rows)


def _item(row: tuple[str, str, str, str, str]) -> StudyItem:
    item, spans, shown, key, source = row
    return StudyItem(
        item,
        tuple((book, start, end) for book, start, end in json.loads(spans)),
        json.loads(shown),
        json.loads(key),
        source,
    )


def _verdict(row: tuple[str, str, str, float, str, str]) -> Verdict:
    verdict_id, assignment, response, seconds, source, answers = row
    return Verdict(
        verdict_id, assignment, json.loads(response), seconds, source, tuple(json.loads(answers))
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def issue(database: Database, judge: str) -> str:
    """A new token for a judge's link. Only its SHA-256 is stored."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with database.writing() as connection:
        connection.execute(
            "INSERT INTO tokens (digest, judge, made_at) VALUES (?, ?, ?)",
            (_digest(token), judge, now()),
        )
    return token


def judge_for(database: Database, token: str) -> str | None:
    """The judge of this token; None if it is unknown or revoked."""
    with database.reading() as connection:
        row = connection.execute(
            "SELECT judge FROM tokens WHERE digest = ? AND revoked_at IS NULL", (_digest(token),)
        ).fetchone()
    return row[0] if row else None


def revoke(database: Database, judge: str) -> int:
    """Revoke a judge's links; returns their number."""
    with database.writing() as connection:
        done = connection.execute(
            "UPDATE tokens SET revoked_at = ? WHERE judge = ? AND revoked_at IS NULL",
            (now(), judge),
        )
        return done.rowcount


def is_shut_out(database: Database, judge: str) -> bool:
    """Whether a judge had links and all of them were revoked."""
    with database.reading() as connection:
        row = connection.execute(
            "SELECT count(*), count(revoked_at) FROM tokens WHERE judge = ?", (judge,)
        ).fetchone()
    return 0 < row[0] == row[1]


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()

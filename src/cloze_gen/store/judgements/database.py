"""The database of a study: SQLite in WAL mode, every verdict on the disk before anybody is told so.

Rows are added and never changed, but for the day on which a judge is shut out. Nothing is ever put into SQL as text.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from cloze_gen.errors import StoreError, UsageError

DATABASE = "study.sqlite"
_WAIT_SECONDS = 30.0  # for another process that writes
_REST_SECONDS = 1.0  # after waiting in vain; meanwhile other threads read
_VERSION = 1
_TABLES = """
CREATE TABLE items (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, source TEXT NOT NULL, spans TEXT NOT NULL, shown TEXT NOT NULL,
    key TEXT NOT NULL) STRICT;
CREATE TABLE judges (name TEXT PRIMARY KEY, role TEXT NOT NULL) STRICT;
CREATE TABLE passes (digest TEXT PRIMARY KEY, kind TEXT NOT NULL, judge TEXT NOT NULL REFERENCES judges, made_at TEXT NOT NULL,
    revoked_at TEXT) STRICT;
CREATE TABLE assignments (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, judge TEXT NOT NULL REFERENCES judges,
    item TEXT NOT NULL REFERENCES items (id), condition TEXT NOT NULL, kind TEXT NOT NULL, place INTEGER NOT NULL, made_at TEXT NOT NULL,
    UNIQUE (judge, place)) STRICT;
CREATE TABLE verdicts (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, assignment TEXT NOT NULL REFERENCES assignments (id),
    said TEXT NOT NULL, seconds REAL NOT NULL, source TEXT NOT NULL, made_at TEXT NOT NULL) STRICT;
CREATE TABLE withdrawals (assignment TEXT PRIMARY KEY REFERENCES assignments (id), made_at TEXT NOT NULL) STRICT;
CREATE INDEX verdicts_of ON verdicts (assignment);
"""


class Database:
    """One connection, shared by the threads of a process behind a lock."""

    def __init__(self, path: Path) -> None:
        """
        Raises:
            UsageError: it is not there, cannot be written, or is not a study's of this version.
        """
        self._lock, self._resting_until = threading.RLock(), 0.0
        if not path.is_file():
            raise UsageError(f"{path}: missing; a study's items and verdicts are in it. Put its copy back.")
        self._connection = _connect(path, "rw")
        try:
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute("PRAGMA foreign_keys=ON")
        except sqlite3.OperationalError as error:  # not its fault: no copy is to be laid over it
            raise UsageError(
                f"{path}: cannot be opened for writing ({error}). See that its folder can be written into, that there is room, and that no "
                "other program holds it; then try again."
            ) from None
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{path}: cannot be read as a study ({error}). Put its copy back.") from None
        if version != _VERSION:
            raise UsageError(f"{path}: is of version {version}; this program reads version {_VERSION}.")

    def wait_at_most(self, seconds: float) -> None:
        """Wait no longer for another process that writes: all threads of this one wait meanwhile."""
        with self._lock:
            self._connection.execute(f"PRAGMA busy_timeout={round(1000 * seconds)}")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for whoever reads.

        Raises:
            StoreError: it is damaged, or another program holds it.
        """
        with self._lock:
            try:
                yield self._connection
            except sqlite3.OperationalError as error:
                raise StoreError(f"the study's database cannot be read ({error}). What was taken before is safe; try again.") from None
            except sqlite3.DatabaseError as error:
                raise StoreError(f"the study's database cannot be read ({error}). Put the copy of its folder back.") from None

    @contextlib.contextmanager
    def as_of_now(self) -> Iterator[None]:
        """All that is read inside is of one moment, whatever other processes write meanwhile."""
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
        """The connection inside a transaction, on the disk when this ends; all of it or nothing. Inside another it is a part of that one.

        No other process writes meanwhile, so what was read inside still holds when it is written.

        Raises:
            StoreError: it cannot be written, or another process has written what cannot stand beside it.
        """
        with self._lock:
            if self._connection.in_transaction:
                yield self._connection
                return
            if time.monotonic() < self._resting_until:
                raise StoreError("the study's database is held by another program. What was taken before is safe; try again.")
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
                raise StoreError(f"the study's database cannot be written ({error}). What was taken before is safe; try again.") from None

    @property
    def version(self) -> int:
        """A number that changes when another connection has written."""
        with self._lock:
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Let go of the file; what was written stays."""
        with self._lock:
            self._connection.close()


def create_database(path: Path) -> None:
    """An empty one, in a file that is not there yet; its owner's alone, as SQLite makes the files beside it, wherever it is moved."""
    path.touch(mode=0o600, exist_ok=False)
    with contextlib.closing(_connect(path, "rw")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(f"BEGIN;{_TABLES}PRAGMA user_version={_VERSION};COMMIT;")


def _roll_back(connection: sqlite3.Connection) -> None:
    """End a transaction that is under way; one that was committed is none, and on a full disk SQLite may have ended it itself."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)

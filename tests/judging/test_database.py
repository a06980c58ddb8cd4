"""The database of a study, whoever is killed while writing."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from cloze_gen.errors import StoreError, UsageError
from cloze_gen.judging.database import DATABASE, Database, StudyFacts, StudyStore, create_store
from cloze_gen.records.judgement import Assignment, Judge, Role, StudyItem, Task, Verdict

WRITER = """
import sys
from pathlib import Path
from cloze_gen.records.judgement import Verdict
from cloze_gen.judging.database import StudyStore

store = StudyStore(Path(sys.argv[1]))
for n in range(100_000):
    store.add_verdict(Verdict(f"{n}", "a", {"guesses": [f"word {n}"] * 50}, 0.0, "page"))
    print(n, flush=True)
"""


@pytest.fixture
def folder(tmp_path):
    """A study of one item, which one judge is asked about."""
    facts = StudyFacts(
        name="tiny", task=Task.GUESS, run="tiny", style="lambada-style", of={}, settings={}, rules={},
        secret="0" * 32, items=1,
    )  # fmt: skip
    create_store(tmp_path, facts, [StudyItem("b:1", (), {}, {}, "tiny")])
    store = StudyStore(tmp_path)
    store.add_judges([Judge("ann", Role.JUDGE)])
    store.add_assignments([Assignment("a", "ann", "b:1", "", 1, "")])
    store.database.close()
    return tmp_path


@pytest.mark.parametrize("after", [0, 7, 40])
def test_what_was_said_to_be_written_is_there(folder, after):
    """A killed writer loses no reported verdict and adds at most the one in progress."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(after + 1)]
        os.kill(process.pid, signal.SIGKILL)
        told += [int(line) for line in process.stdout if line.endswith("\n")]
    store = StudyStore(folder)
    assert [store.find_verdict(str(n)).response for n in told] == [
        {"guesses": [f"word {n}"] * 50} for n in told
    ]
    assert store.find_verdict(str(told[-1] + 2)) is None
    store.add_judges([Judge("bob", Role.JUDGE)])
    assert [judge.name for judge in store.judges()] == ["ann", "bob"]


def test_half_a_transaction_is_none(folder):
    """Of assignments of which one cannot be, none is written; the study goes on."""
    store = StudyStore(folder)
    with pytest.raises(Exception, match="UNIQUE"):
        store.add_assignments(
            [
                Assignment("b", "ann", "b:1", "", 2, ""),
                Assignment("a", "ann", "b:1", "", 3, ""),
            ]
        )
    assert [one.id for one in store.assignments()] == ["a"]
    store.add_assignments([Assignment("b", "ann", "b:1", "", 2, "")])
    assert [one.id for one in StudyStore(folder).assignments()] == ["a", "b"]


def test_what_is_no_study_is_told(folder):
    """A database that is missing, torn or of another version."""
    file = folder / DATABASE
    with pytest.raises(UsageError, match="missing"):
        Database(folder / "nowhere.sqlite")
    file.write_bytes(b"no database at all, but long enough to be taken for one" * 99)
    with pytest.raises(UsageError, match="not a readable study"):
        Database(file)


def test_the_latest_verdicts_come_in_the_order_in_which_they_were_given(folder):
    store = StudyStore(folder)
    store.add_assignments([Assignment("b", "ann", "b:1", "", 2, "")])
    for verdict_id, assignment in (("1", "a"), ("2", "b"), ("3", "a")):
        store.add_verdict(Verdict(verdict_id, assignment, {}, 0.0, "page"))
    assert [verdict.id for verdict in store.verdicts().values()] == ["2", "3"]


def test_a_full_disk_is_a_message_and_passes(folder):
    store = StudyStore(folder)
    with store.database.reading() as connection:
        connection.execute("PRAGMA max_page_count=1")  # SQLite takes as many as there are
    with pytest.raises(StoreError, match="cannot write to the study"):
        store.add_verdict(Verdict("1", "a", {"note": "word " * 100_000}, 0.0, "page"))
    with store.database.reading() as connection:
        connection.execute("PRAGMA max_page_count=100000")
    store.add_verdict(Verdict("2", "a", {}, 0.0, "page"))
    assert list(StudyStore(folder).verdicts()["a"].id) == ["2"]


def test_a_damaged_page_is_a_message(folder):
    """A file whose head is whole and whose rows are not."""
    store = StudyStore(folder)
    with store.database.reading() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.database.close()
    file = folder / DATABASE
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    with pytest.raises(StoreError, match=r"cannot read .* backup"):
        StudyStore(folder).judges()


@pytest.fixture
def held(folder):
    """Another program that writes and does not come to an end."""
    with contextlib.closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield other


def test_who_reads_waits_for_no_other_program(folder, held):
    store = StudyStore(folder)
    store.database.wait_at_most(0.1)
    with pytest.raises(StoreError, match="locked"):
        store.add_judges([Judge("bob", Role.JUDGE)])
    store.database.wait_at_most(3600)
    with pytest.raises(StoreError, match="another program has locked"):
        store.add_judges([Judge("bob", Role.JUDGE)])
    assert [judge.name for judge in store.judges()] == ["ann"]


def test_a_lock_that_ends_leaves_nothing_behind(folder, held, monkeypatch):
    """Once the other program is done, what was refused can be written."""
    monkeypatch.setattr("cloze_gen.judging.database._REST_SECONDS", 0.0)
    store = StudyStore(folder)
    store.database.wait_at_most(0.0)
    with pytest.raises(StoreError, match="locked"):
        store.add_judges([Judge("bob", Role.JUDGE)])
    held.execute("ROLLBACK")
    store.add_judges([Judge("bob", Role.JUDGE)])
    assert [judge.name for judge in store.judges()] == ["ann", "bob"]


def test_what_cannot_be_read_is_told(folder):
    store = StudyStore(folder)
    with store.database.reading() as connection:
        connection.execute("ALTER TABLE judges RENAME TO others")
    with pytest.raises(StoreError, match="cannot read"):
        store.judges()
    with store.database.reading() as connection:
        connection.execute("ALTER TABLE others RENAME TO judges")
    assert [judge.name for judge in store.judges()] == ["ann"]


def test_a_transaction_that_cannot_end_is_taken_back(folder):
    store = StudyStore(folder)

    def refused_at_the_end():
        with store.database.writing() as connection:
            connection.execute("PRAGMA defer_foreign_keys=ON")
            connection.execute("INSERT INTO tokens VALUES ('d', 'nobody', '', NULL)")

    with pytest.raises(StoreError):
        refused_at_the_end()
    store.add_judges([Judge("bob", Role.JUDGE)])
    assert [judge.name for judge in store.judges()] == ["ann", "bob"]


def test_every_verdict_is_on_the_disk_before_it_is_told(folder):
    """The journal is flushed at each end of a transaction (synchronous 2 is FULL)."""
    with Database(folder / DATABASE).reading() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_the_database_is_its_owners_alone(folder):
    """Nobody else of the machine can read it or what SQLite lays beside it."""
    store = StudyStore(folder)
    store.add_judges([Judge("bob", Role.JUDGE)])
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == {
        DATABASE: 0o600, f"{DATABASE}-wal": 0o600, f"{DATABASE}-shm": 0o600,
    }  # fmt: skip

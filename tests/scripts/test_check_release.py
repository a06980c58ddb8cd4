"""The program that opens a release as strangers do."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM = Path(__file__).parents[2] / "scripts" / "check_release.py"


def said(*releases: Path) -> tuple[int, str]:
    found = subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, releases)],
        capture_output=True,
        text=True,
        check=False,
    )
    return found.returncode, found.stdout


def test_every_release_is_looked_at(tmp_path: Path) -> None:
    """A table that cannot be read is a fault, with its release; the next release is looked at all
    the same.
    """
    bad, good = tmp_path / "bad" / "release", tmp_path / "good" / "release"
    for folder in (bad, good):
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"id": ["b:1"]}), folder / "test.parquet")
    (bad / "test.parquet").write_bytes(b"PAR1 no more")
    status, text = said(bad, good)
    assert status == 1
    assert "FAULT  bad, parquet: ArrowInvalid" in text
    assert "ok     good, parquet: test.parquet: 1 rows of id\n" in text
    assert said(good)[0] == 0


def test_what_nothing_can_look_at_is_a_fault(tmp_path: Path) -> None:
    """Who forgets to install the harness is not told that all is well; tasks that cannot be read
    are no tasks.
    """
    folder = tmp_path / "mine" / "release" / "harness"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("task: [")
    status, text = said(folder.parent)
    assert status == 1
    if importlib.util.find_spec("lm_eval") is None:
        assert "FAULT  mine, harness: no lm_eval here to look at it\n" in text


def test_nothing_to_look_at_is_wrong_use() -> None:
    """Without a release nothing is right."""
    assert said()[0] == 2

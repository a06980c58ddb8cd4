"""The verdicts of blind readers: nothing is lost in the Parquet table, and the page shows it."""

import hashlib
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from cloze_gen.store.tables import read_parquet
from tests.conftest import ROOT

# Of the 119 files of JSON lines that the table was made from, in the order of their names.
DIGEST = "adc49eaf59a96d5bff8ae421f82de1b2ea21a558ac187d3b7a1801831aef5be4"


@pytest.fixture(scope="module")
def program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("readings", ROOT / "benchmarks" / "readings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_row_comes_back(program: ModuleType, tmp_path: Path) -> None:
    """Unpacked, the table gives the bytes of the files that it was made from. Packed again, these
    give the same table, and the same bytes each time.
    """
    program.unpack(tmp_path / "rows")
    files = sorted((tmp_path / "rows").glob("*.jsonl"))
    assert len(files) == 119
    assert hashlib.sha256(b"".join(map(Path.read_bytes, files))).hexdigest() == DIGEST
    tables = [tmp_path / "first.parquet", tmp_path / "second.parquet"]
    for table in tables:
        program.pack(tmp_path / "rows", table)
    assert tables[0].read_bytes() == tables[1].read_bytes()
    assert read_parquet(tables[0]).equals(read_parquet(program.TABLE))


def test_the_page_shows_the_tables_of_the_program(program: ModuleType) -> None:
    """docs/explanation/quality.md has every table that the program makes, and no other."""
    page = (ROOT / "docs" / "explanation" / "quality.md").read_text(encoding="utf-8")
    shown = [block.strip() for block in page.split("\n\n") if block.lstrip().startswith("|")]
    assert shown == program.tables().strip().split("\n\n")

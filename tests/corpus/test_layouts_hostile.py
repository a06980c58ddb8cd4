"""Catalogues and trees that mean harm: each is one note, and the books are read."""

import gzip
import time

import pytest

from cloze_gen.corpus.layouts import arrange
from cloze_gen.corpus.layouts import catalogs as module
from cloze_gen.corpus.scan import scan
from tests.corpus.test_layouts import EMMA, PG_HEADER, facts, put, table

HEADER = ",".join(PG_HEADER)
ROW = '158,Text,,"{title}",en,"Austen, Jane",,,\n'


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (f"{HEADER}\n{ROW.format(title='x' * 200_000)}".encode(), "field larger than field limit"),
        (b"\x1f\x8b\x08\x00broken", "not used"),
        (gzip.compress(HEADER.encode(), mtime=0)[:-6], "not used"),
        (b"", "not recognised"),
        (b"\0\0\0", "not recognised"),
        (b'"' * 1000, "not recognised"),
        (("a,\x1b[31mb" + ",c" * 5000).encode(), "columns: 'a', '\\x1b[31mb', 'c'"),
    ],
)
def test_a_damaged_catalogue_is_one_short_note(tmp_path, data, note):
    put(tmp_path, "158/158.txt")
    (tmp_path / "pg_catalog.csv").write_bytes(data)
    found = scan(tmp_path)
    assert facts(found) == {"pg158": {"etext": "158"}}
    (line,) = found.notes
    assert note in line
    assert line.isprintable()
    assert len(line) < 600


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("nul\0and\x1b[31m escape", "nul and [31m escape"),
        ("two\nlines", "two lines"),
        ("../../etc/passwd", "../../etc/passwd"),
        ("x" * 9_000, "x" * 2_000),
        ("\u202eevil", "evil"),
    ],
)
def test_a_cell_is_one_bounded_line_and_no_path(tmp_path, title, expected):
    put(tmp_path, "158/158.txt")
    (tmp_path / "pg_catalog.csv").write_text(f"{HEADER}\n{ROW.format(title=title)}")
    assert facts(scan(tmp_path))["pg158"]["title"] == expected


@pytest.mark.parametrize(
    "number", ["../../etc/passwd", "-158", "1e3", "158 158", "\u0661\u0665\u0668", "0", "9" * 5000, ""]
)  # fmt: skip
def test_a_number_that_is_none_is_ignored(tmp_path, number):
    put(tmp_path, "158/158.txt")
    table(tmp_path / "pg_catalog.csv", PG_HEADER, (number, *EMMA[1:]))
    found = scan(tmp_path)
    assert facts(found) == {"pg158": {"etext": "158"}}
    assert found.notes == ()


def test_latin_1_in_a_catalogue_leaves_the_book(tmp_path):
    put(tmp_path, "158/158.txt")
    (tmp_path / "pg_catalog.csv").write_bytes(
        f"{HEADER}\n{ROW.format(title='Émile')}".encode("latin-1")
    )
    assert facts(scan(tmp_path))["pg158"]["title"] == "\ufffdmile"


def test_a_catalogue_that_unpacks_to_much_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_MAX_BYTES", 2**20)
    put(tmp_path, "158/158.txt")
    (tmp_path / "pg_catalog.csv.gz").write_bytes(gzip.compress(bytes(2**20 + 1)))
    assert "more than 1 MiB" in scan(tmp_path).notes[0]


def test_a_link_to_a_device_or_nowhere_is_one_note(tmp_path):
    catalog = tmp_path / "pg_catalog.csv"
    for target in ("/dev/zero", tmp_path / "gone"):
        put(tmp_path, "158/158.txt")
        catalog.unlink(missing_ok=True)
        catalog.symlink_to(target)
        found = scan(tmp_path)
        assert facts(found) == {"pg158": {"etext": "158"}}
        assert len(found.notes) == 1


@pytest.mark.parametrize("kind", ["loop", "pipe"])
def test_copies_that_cannot_be_read_are_not_equal(tmp_path, kind):
    """They are dropped later, each with its reason."""
    put(tmp_path, "Fantasy/a.txt", "Romance/b.txt")
    for genre in ("Fantasy", "Romance"):
        (tmp_path / genre / "same.txt").symlink_to("same.txt" if kind == "loop" else "/dev/zero")
    assert sorted(facts(scan(tmp_path))) == ["a", "b", "same-Fantasy", "same-Romance"]


def test_names_with_strange_characters_have_safe_ids(tmp_path):
    put(tmp_path, "epubtxt/what is \u2028 this?.epub.txt", "epubtxt/!?.epub.txt")
    found = list(facts(scan(tmp_path)))
    assert len(found) == 2
    assert set("".join(found)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_many_files_are_arranged_fast(tmp_path):
    """20,000 files in about a second of CPU, and a catalogue of 76,000 rows."""
    table(tmp_path / "pg_catalog.csv", PG_HEADER, *((str(n), *EMMA[1:]) for n in range(1, 76_001)))
    files = [f"x/{n}/{n}{tag}.txt" for n in range(1, 10_001) for tag in ("", "-0")]
    start = time.process_time()
    found = arrange(tmp_path, files, catalogs=["pg_catalog.csv"], listed=())
    assert len(found.files) == 10_000
    assert time.process_time() - start < 5

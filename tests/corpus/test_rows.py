"""Files of many books: one open place a process, whatever the order of reading."""

from __future__ import annotations

import os
from typing import ClassVar

import pytest

from cloze_gen.corpus.readers import rows
from cloze_gen.corpus.readers.rows import RowReader
from cloze_gen.errors import BookError


class Lines(RowReader):
    """A book a line; the word "bad" is none. `started`: the members at which reading began."""

    endings: ClassVar[tuple[str, ...]] = (".lines",)

    def __init__(self):
        self.started: list[str] = []

    def rows(self, file, member):
        self.started.append(member)
        for number, line in enumerate(file):
            text = line.strip()
            yield str(number), BookError("binary", "bad line") if text == b"bad" else text

    def is_before(self, member, last):
        return int(member) < int(last)


@pytest.fixture
def lines():
    return Lines()


def fetch(reader, path, member, *, limit=99):
    with open(path, "rb") as file:
        return reader.fetch(file, member, limit=limit)[0]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "a.lines").write_text("zero\none\nbad\nthree\n")
    return tmp_path / "a.lines"


def test_rows_in_order_are_read_once(lines, path):
    """The last one may be asked for again; an earlier one starts over."""
    assert [fetch(lines, path, member) for member in "0113"] == [b"zero", b"one", b"one", b"three"]
    assert lines.started == ["0"]
    assert fetch(lines, path, "1") == b"one"
    assert lines.started == ["0", "1"]


def test_a_bad_row_does_not_end_the_file(lines, path):
    for _ in range(2):
        with pytest.raises(BookError, match="bad line"):
            fetch(lines, path, "2")
    assert fetch(lines, path, "3") == b"three"
    assert lines.started == ["2"]


def test_a_changed_or_other_file_is_opened_anew(lines, path):
    assert fetch(lines, path, "0") == b"zero"
    path.write_text("new\nnewer\n")
    os.utime(path, ns=(1, 1))
    assert fetch(lines, path, "1") == b"newer"
    other = path.with_name("b.lines")
    other.write_text("0\n1\n")
    assert fetch(lines, other, "1") == b"1"
    assert len(rows._places) == 1


def test_a_missing_row_is_a_book_error(lines, path):
    """And the file is read on as before."""
    with pytest.raises(BookError, match="no book '9' in this file"):
        fetch(lines, path, "9")
    assert not rows._places
    assert fetch(lines, path, "0") == b"zero"


def test_no_more_than_the_limit_is_returned_and_the_digest_is_of_all(lines, path):
    with open(path, "rb") as file:
        cut = lines.fetch(file, "3", limit=2)
        assert cut[0] == b"thr"
        assert cut[1] == lines.fetch(file, "3", limit=99)[1]

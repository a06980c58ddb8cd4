"""Releases made by others; hostile ones: `tests/hostile/test_foreign_releases.py`."""

from dataclasses import replace

import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.release.facts import ReleaseRecord, record_text
from cloze_gen.release.folder import ReleaseFolder, untrusted_input
from cloze_gen.release.signature import write_checksums
from tests.cases.releases import FACTS


@pytest.fixture
def release(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "sub" / "b.txt").write_text("two")
    record = ReleaseRecord(facts=replace(FACTS, settings={"release": {}}, text="full"))
    (tmp_path / "release.json").write_text(record_text(record))
    write_checksums(tmp_path)
    return tmp_path


def test_a_file_is_read_as_it_was_published(release):
    """A file without a checksum is only named; what Python leaves is not even that."""
    (release / "__pycache__").mkdir()
    (release / "__pycache__" / "x.pyc").touch()
    (release / "mine.txt").write_text("mine")
    found = ReleaseFolder.open(release)
    found.check_whole()
    assert found.read("sub/b.txt") == b"two"
    assert found.others == ("mine.txt",)
    with pytest.raises(FormatError, match="not listed in SHA256SUMS"):
        found.read("mine.txt")


def test_other_bytes_are_not_read(release):
    """Changed before it was opened, after that, or gone."""
    found = ReleaseFolder.open(release)
    (release / "a.txt").write_text("two")
    with pytest.raises(FormatError, match="changed while it was read"):
        found.read("a.txt")
    (release / "sub" / "b.txt").unlink()
    found = ReleaseFolder.open(release)
    assert (found.missing, found.changed) == (["sub/b.txt"], ["a.txt"])
    for name, fault in (("a.txt", "checksum differs from SHA256SUMS"), ("sub/b.txt", "missing")):
        with pytest.raises(FormatError, match=fault):
            found.read(name)
    with pytest.raises(
        FormatError, match=r"damaged files: sub/b.txt \(missing\), a.txt \(checksum differs"
    ):
        found.check_whole()


@pytest.mark.parametrize(
    "error",
    [KeyError("x"), TypeError("x"), ValueError("x"), ZeroDivisionError("x"), RecursionError("x")],
)
def test_an_unexpected_shape_is_a_fault_of_the_folder(error, tmp_path):
    """Any error of Python."""
    with (
        pytest.raises(FormatError, match="has an unexpected form"),
        untrusted_input(tmp_path),
    ):
        raise error


def test_an_error_of_ours_stays_as_it_is(tmp_path):
    """So does lack of memory, which is no fault of the folder."""
    for error in (UsageError("mine"), MemoryError()):
        with pytest.raises(type(error)), untrusted_input(tmp_path):
            raise error

"""Signature, canary and checksums of a release."""

import hashlib
import uuid

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.release.signature import (
    CHECKSUMS,
    canary_of,
    make_signature,
    read_signature,
    write_checksums,
)

# The signature and the canary


GIVEN = {
    "style": "holmes", "name": "a", "sides": {"train": "aa"}, "model": "kn3", "seed": 1, "n": 9, "order": "shuffled",
    "last": ("choice", "0011"), "items": "0" * 64,
}  # fmt: skip
OTHERWISE = {
    "style": "scs", "name": "b", "sides": {"train": "ab"}, "model": "kn4", "seed": 2, "n": 8, "order": "corpus",
    "last": ("choice", "0012"), "items": "1" * 64,
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_whatever_differs_has_another_signature_and_canary(name):
    """Also another fingerprint of the last stage, with the same items."""
    one, other = (make_signature(**(GIVEN | changed)) for changed in ({}, {name: OTHERWISE[name]}))
    assert one != other
    assert canary_of(one) != canary_of(other)
    assert uuid.UUID(canary_of(one)).version == 5


def test_the_full_release_is_read_where_there_is_one(tmp_path):
    """Of a run whose release holds no text; without either the run is not finished."""
    with pytest.raises(UsageError, match="has no release"):
        read_signature(tmp_path)
    for folder in ("release", "full"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "signature.txt").write_text(f"{folder}\n")
    # a file that a user added to `full` does not make it a release
    assert read_signature(tmp_path) == "release"
    (tmp_path / "full" / "release.json").write_text("{}")
    assert read_signature(tmp_path) == "full"


# The release's files


def test_checksums_cover_subfolders_and_links(tmp_path):
    (tmp_path / "store.txt").write_text("linked")
    release = tmp_path / "release"
    for name in ("b.txt", "sub/deeper/a.txt"):
        (release / name).parent.mkdir(parents=True, exist_ok=True)
        (release / name).write_text(name)
    (release / "sub" / "link.txt").symlink_to("../../store.txt")
    for _ in range(2):
        write_checksums(release)
    lines = [line.split("  ") for line in (release / CHECKSUMS).read_text().splitlines()]
    assert [name for _, name in lines] == ["b.txt", "sub/deeper/a.txt", "sub/link.txt"]
    assert lines[2][0] == hashlib.sha256(b"linked").hexdigest()

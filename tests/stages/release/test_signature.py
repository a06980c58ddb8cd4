"""The signature and the canary."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.stages.release.signature import canary_of, make_signature, read_signature

GIVEN: dict[str, Any] = {
    "style": "holmes", "name": "a", "sides": {"train": "aa"}, "model": "kn3", "seed": 1, "n": 9, "order": "shuffled",
    "last": ("choice", "0011"), "items": "0" * 64,
}  # fmt: skip
OTHERWISE: dict[str, Any] = {
    "style": "scs", "name": "b", "sides": {"train": "ab"}, "model": "kn4", "seed": 2, "n": 8, "order": "corpus",
    "last": ("choice", "0012"), "items": "1" * 64,
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_whatever_differs_has_another_signature_and_canary(name: str) -> None:
    """Also another fingerprint of the last stage, with the same items."""
    one, other = (make_signature(**(GIVEN | changed)) for changed in ({}, {name: OTHERWISE[name]}))
    assert one != other
    assert canary_of(one) != canary_of(other)
    assert uuid.UUID(canary_of(one)).version == 5


def test_the_full_release_is_read_where_there_is_one(tmp_path: Path) -> None:
    """Of a run whose release holds no text; without either the run is not finished."""
    with pytest.raises(UsageError, match="no release yet"):
        read_signature(tmp_path)
    for folder in ("release", "full"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "signature.txt").write_text(f"{folder}\n")
    assert read_signature(tmp_path) == "release"  # what a person laid into `full` makes no release of it
    (tmp_path / "full" / "release.json").write_text("{}")
    assert read_signature(tmp_path) == "full"

"""The tests stand where the rooms stand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture.conftest import ROOT

# Folders of tests that, with all below them, mirror no room, with the reason.
OF_THEIR_OWN: Mapping[str, str] = {
    "architecture": "the laws of the whole house",
    "cases": "labelled data that several tests read",
    "hostile": "bad input of every kind, through the command line",
    "toy": "a style that is laid into a copy of the package",
}


def homeless(root: Path) -> list[str]:
    """Folders below `tests/` that are neither a room of the package, nor a folder of the project, nor on the short list."""
    folders = {path.parent.relative_to(root / "tests").as_posix() for path in (root / "tests").rglob("*") if path.is_file()}
    rooms = {folder for folder in folders if (root / "src" / "cloze_gen" / folder).is_dir() or (root / folder).is_dir()}
    return sorted(name for name in folders - rooms - {"."} if name.split("/")[0] not in OF_THEIR_OWN and "__pycache__" not in name)


def test_every_folder_of_tests_is_a_room() -> None:
    """`tests/text` stands for `src/cloze_gen/text`, `tests/docs` and `tests/pipelines` for folders of the project."""
    assert homeless(ROOT) == []


def test_the_short_list_is_needed() -> None:
    """No folder on it is gone, or has become a room."""
    assert [name for name in OF_THEIR_OWN if not (ROOT / "tests" / name).is_dir() or (ROOT / "src" / "cloze_gen" / name).is_dir()] == []


@pytest.mark.parametrize(("folder", "found"), [("text", []), ("docs", []), ("recipes/lambada", ["recipes/lambada"])])
def test_a_folder_without_a_room_is_found(folder: str, found: list[str], tmp_path: Path) -> None:
    """Of a room that is gone, or not built yet, tests stand alone."""
    for place in ("src/cloze_gen/text", "docs", f"tests/{folder}"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
    (tmp_path / "tests" / folder / "test_it.py").write_text("")
    assert homeless(tmp_path) == found

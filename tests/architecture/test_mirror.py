"""The tests stand where the rooms stand, and bear the names of what they test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture.conftest import ROOT

# Folders of tests that, with all below them, mirror no room, with the reason.
OF_THEIR_OWN: Mapping[str, str] = {
    "architecture": "the laws of the whole house",
    "cases": "labelled data that several tests read",
    "pins": "what `make pins` compares with",
    "hostile": "bad input of every kind, through the command line",
    "toy": "a style that is laid into a copy of the package",
}
# Tests of a room that bear no module's name: a folder with all in it, or one file, with the reason.
OF_NO_MODULE: Mapping[str, str] = {
    "docs": "the pages",
    "pipelines": "whole runs: finished, killed, damaged, run again",
    "commands/test_bad_input.py": "through the command line",
    "commands/test_command_line.py": "through the command line",
    "commands/test_widths.py": "what all commands print",
    "recipes/msr/stages/test_scored_tables.py": "three stages over one finished run, each beside what the model says",
    "report/test_browser.py": "the page in a real browser",
    "scripts": "programs of their own",
    "web/static": "the script of the judges' page, in a real browser",
    "web/test_hostile.py": "bytes that no page sends, over the wire",
    "test_lock.py": "requirements.lock",
    "test_makefile.py": "the Makefile",
    "test_programs.py": "the programs of `training/`, `benchmarks/` and `scripts/`",
    "test_new_style.py": "what a style costs that nothing names",
    "test_records.py": "the room `records/`, whose files are a few lines each",
}


def homeless(root: Path) -> list[str]:
    """Folders below `tests/` that are neither a room of the package, nor a folder of the project, nor on the short list."""
    folders = {path.parent.relative_to(root / "tests").as_posix() for path in (root / "tests").rglob("*") if path.is_file()}
    rooms = {folder for folder in folders if (root / "src" / "cloze_gen" / folder).is_dir() or (root / folder).is_dir()}
    return sorted(name for name in folders - rooms - {"."} if name.split("/")[0] not in OF_THEIR_OWN and "__pycache__" not in name)


def nameless(root: Path) -> list[str]:
    """Test modules without a module of their name in the same room, `test_tokens.py` for `tokens.py`."""
    package = root / "src" / "cloze_gen"
    tests = sorted(path.relative_to(root / "tests") for path in (root / "tests").rglob("test_*.py"))
    return [
        path.as_posix()
        for path in tests
        if path.parts[0] not in OF_THEIR_OWN and not (package / path.parent / path.name.removeprefix("test_")).is_file()
    ]


def _on_the_list(name: str) -> bool:
    return any(name == one or name.startswith(f"{one}/") for one in OF_NO_MODULE)


def test_every_test_is_of_a_module() -> None:
    """Who changes `store/tables.py` finds its tests in `tests/store/test_tables.py`, but for the short list."""
    assert [name for name in nameless(ROOT) if not _on_the_list(name)] == []


def test_every_folder_of_tests_is_a_room() -> None:
    """`tests/text` stands for `src/cloze_gen/text`, `tests/docs` and `tests/pipelines` for folders of the project."""
    assert homeless(ROOT) == []


def test_the_short_list_is_needed() -> None:
    """No folder on it is gone, or has become a room; nor is a file that is gone, or has its module."""
    assert [name for name in OF_THEIR_OWN if not (ROOT / "tests" / name).is_dir() or (ROOT / "src" / "cloze_gen" / name).is_dir()] == []
    assert [one for one in OF_NO_MODULE if not any(name == one or name.startswith(f"{one}/") for name in nameless(ROOT))] == []


@pytest.mark.parametrize(("folder", "found"), [("text", []), ("docs", []), ("recipes/lambada", ["recipes/lambada"])])
def test_a_folder_without_a_room_is_found(folder: str, found: list[str], tmp_path: Path) -> None:
    """Of a room that is gone, or not built yet, tests stand alone."""
    for place in ("src/cloze_gen/text", "docs", f"tests/{folder}"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
    (tmp_path / "tests" / folder / "test_it.py").write_text("")
    assert homeless(tmp_path) == found


def test_a_test_of_no_module_is_found(tmp_path: Path) -> None:
    """Of a module that was renamed, in a room that still stands."""
    for place in ("src/cloze_gen/text/tokens.py", "tests/text/test_tokens.py", "tests/text/test_words.py", "tests/hostile/test_it.py"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("")
    assert nameless(tmp_path) == ["text/test_words.py"]

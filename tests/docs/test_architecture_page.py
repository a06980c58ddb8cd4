"""`docs/architecture.md` draws the house that stands: every room, every law."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"


def drawn(text: str) -> str:
    """The drawing of the floors: the page's first block."""
    return text.split("```")[1]


def rooms() -> list[str]:
    """Folders and files of the package as the drawing writes them, and the DAGs' folder; of `recipes/` and `stages/` those below."""
    package = ROOT / "src" / "cloze_gen"
    own = {
        path.name + "/" if path.is_dir() else path.stem
        for path in package.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    recipes = {f"recipes/{path.parent.name}/" for path in package.glob("recipes/*/__init__.py")}
    shared = {f"{path.parent.name}/" for path in package.glob("stages/*/__init__.py")}
    return sorted((own | recipes | shared | {"pipelines/"}) - {"__init__", "recipes/"})


def way(text: str) -> list[str]:
    """The rooms on the data's way, in order: the page's second block."""
    return re.findall(r"^ ([\w/]+/) ", text.split("```")[3], re.MULTILINE)


def not_drawn(text: str) -> list[str]:
    return [room for room in rooms() if not re.search(rf"(?<![\w/]){re.escape(room)}(?!\w)", drawn(text))]


def laws() -> Iterator[str]:
    """The tests of `tests/architecture/` that ask the whole house, as a page names them."""
    for path in sorted((ROOT / "tests" / "architecture").glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            house = isinstance(node, ast.FunctionDef) and {"house"} & {argument.arg for argument in node.args.args}
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and house and "still" not in node.name:
                yield f"{path.relative_to(ROOT).as_posix()}::{node.name}"


def not_listed(text: str) -> list[str]:
    return [law for law in laws() if f"`{law}`" not in text]


def test_every_room_is_drawn() -> None:
    """Each folder and each file at the top of the package, each wing and each shared room of stages stands in the first drawing."""
    assert not_drawn(PAGE.read_text(encoding="utf-8")) == []


def test_each_room_is_on_the_way_once() -> None:
    """The second drawing goes through rooms that exist, each once, and through the steps of every wing."""
    package, rooms = ROOT / "src" / "cloze_gen", way(PAGE.read_text(encoding="utf-8"))
    assert [room for room in rooms if not (package / room).is_dir()] == []
    assert len(rooms) == len(set(rooms)) > 10
    assert {path.relative_to(package).as_posix() + "/" for path in package.glob("recipes/*/steps")} <= set(rooms)


def test_every_law_is_listed() -> None:
    """Each test over the whole house stands in the table of laws."""
    assert not_listed(PAGE.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("room", ["store/", "recipes/msr/", "notation"])
def test_a_room_left_out_is_found(room: str) -> None:
    """In a copy of the page without one room."""
    assert not_drawn(PAGE.read_text(encoding="utf-8").replace(room, "")) == [room]


def test_a_law_left_out_is_found() -> None:
    """In a copy of the page without one law."""
    law = "tests/architecture/test_floors.py::test_wings_stand_apart"
    assert not_listed(PAGE.read_text(encoding="utf-8").replace(law, "")) == [law]

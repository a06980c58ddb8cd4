"""The arrows between the rooms, and what each room may know."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "cloze_gen"

# Room -> the rooms it may import. Floors from the bottom up; rooms of one floor do not see each other.
GROUND = {"records", "rng", "errors", "words", "notation", "settings", "columns"}
CORE_BASE = {"lm", "stats", "text"}
CORE = {"formats", "evaluate", "cloze"}
KEEPERS = {"store", "adapters", "config"}
ALLOWED = (
    {room: set() for room in GROUND}
    | dict.fromkeys(CORE_BASE, GROUND)
    | dict.fromkeys(CORE, GROUND | CORE_BASE)
    | {"interrupts": set(), "store": GROUND, "adapters": GROUND | CORE_BASE | {"interrupts"}, "config": GROUND}
    | {"engine": GROUND | KEEPERS | {"interrupts"}, "report": GROUND | CORE_BASE | CORE | KEEPERS}
    | {"stages": GROUND | CORE_BASE | CORE | KEEPERS | {"engine", "report"}}
    | {"pipelines": GROUND | CORE_BASE | CORE | KEEPERS | {"engine", "report", "stages"}}
    | {"cli": GROUND | KEEPERS | {"interrupts", "pipelines"}}
    | {"__main__": {"interrupts", "cli"}}
)
# The engine and Room of the stages are handed down; only these libraries are big enough to have a room.
BIG = {"spacy", "kenlm", "lemminflect", "luigi", "torch", "subprocess"}
BIG_ALLOWED = {"adapters": {"spacy", "kenlm", "lemminflect", "torch", "subprocess"}, "pipelines": {"luigi"}}
PURE = GROUND | CORE_BASE | CORE
OUTSIDE = {"pathlib", "os", "sys", "io", "shutil", "tempfile", "logging", "tqdm", "time"}
BY_CHANCE = {"hash", "os.listdir", "np.random.seed", "np.random.rand"}
OPENERS = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "unlink", "mkdir", "iterdir", "glob", "rglob"}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the package with the room it is in."""
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] != "__init__":
            yield parts[0], path
    for path in sorted((ROOT / "pipelines").glob("*.py")):
        yield "pipelines", path


def imports(tree: ast.AST) -> Iterator[str]:
    """Dotted names that a module imports, at its top or anywhere inside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the room"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@functools.cache  # every test asks, and none changes a tree
def parsed() -> list[tuple[str, Path, ast.Module]]:
    return [(room, path, ast.parse(path.read_text(encoding="utf-8"))) for room, path in modules()]


def test_every_room_is_known() -> None:
    """A new room must be given its floor here."""
    assert {room for room, _ in modules()} - {"py"} <= set(ALLOWED)


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_arrows_point_one_way(room: str) -> None:
    """A room imports only from floors below its own, and rooms of one floor do not import each other."""
    wrong = []
    for own, path, tree in parsed():
        for name in imports(tree) if own == room else ():
            parts = name.split(".")
            other = parts[1] if parts[0] == "cloze_gen" and len(parts) > 1 else ""
            if other and other not in {own, "__version__", "py"} and other not in ALLOWED[own]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_steps_of_a_paper_do_not_import_each_other() -> None:
    """A step of `cloze/` stands alone; what steps share lies below them."""
    steps = {path.stem for room, path in modules() if room == "cloze"} - {"__init__"}
    wrong = []
    for room, path, tree in parsed():
        if room == "cloze":
            found = {name.split(".")[2] for name in imports(tree) if name.startswith("cloze_gen.cloze.")} & steps
            wrong += [f"{path.name} imports {other}" for other in sorted(found - {path.stem})]
    assert wrong == []


def test_big_libraries_have_one_room() -> None:
    """spaCy, KenLM, lemminflect, torch and outside programs are known to adapters only, Luigi to pipelines only."""
    wrong = []
    for room, path, tree in parsed():
        found = {name.split(".")[0] for name in imports(tree)} & BIG
        if found - BIG_ALLOWED.get(room, set()):
            wrong.append(f"{path.relative_to(ROOT)}: {', '.join(sorted(found))}")
    assert wrong == []


def test_the_core_is_pure() -> None:
    """Below the store nothing opens a file, knows a path, prints or asks the machine."""
    wrong = []
    for room, path, tree in parsed():
        if room not in PURE:
            continue
        names = {name.split(".")[0] for name in imports(tree)} & OUTSIDE
        calls = {called(node) for node in ast.walk(tree) if isinstance(node, ast.Call)} & (OPENERS | {"print", "input"})
        wrong += [f"{path.relative_to(ROOT)}: {name}" for name in sorted(names | calls)]
    assert wrong == []


def called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def test_nothing_depends_on_chance() -> None:
    """No `hash()`, no global generator, no unsorted directory listing."""
    wrong = []
    for _, path, tree in parsed():
        imported = {name.split(".")[0] for name in imports(tree)}
        if "random" in imported:
            wrong.append(f"{path.name}: random")
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        wrong += [f"{path.name}:{call.lineno}: {ast.unparse(call.func)}" for call in calls if ast.unparse(call.func) in BY_CHANCE]
    assert wrong == []

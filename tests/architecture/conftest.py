"""The house as the laws see it: its files, what they import and what they define. Nothing here names a paper: a new wing needs no edit."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPES = "recipes"
WING_ROOMS = ("steps", "stages")
SHARED = "recipes/+"  # every folder of `recipes/` that is no wing: what several papers share of a step


@dataclass(frozen=True)
class Source:
    """One of our files.

    Attributes:
        name: dotted, below `cloze_gen`: `recipes.msr.steps.focus`; a folder's `__init__.py` has the folder's name.
        tree: parsed; no law changes it.
        wing: `msr` for all of `recipes/msr/`, since that holds `steps/` or `stages/`; empty elsewhere.
    """

    name: str
    path: Path
    wing: str
    tree: ast.Module = field(repr=False)

    @functools.cached_property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.name.split("."))

    @property
    def room(self) -> str:
        """The room that has a floor: `store`; of a wing `recipes/*/steps`, and `recipes/*` for files beside; else of `recipes/` SHARED."""
        if not self.wing:
            return SHARED if self.recipe else self.parts[0]
        inner = self.parts[2] if self.parts[2:3] and self.parts[2] in WING_ROOMS else ""
        return "/".join(filter(None, (RECIPES, "*", inner)))

    @property
    def recipe(self) -> str:
        """The folder of `recipes/`, a wing or not: `msr`, `questions`; empty elsewhere."""
        return self.parts[1] if self.parts[0] == RECIPES and len(self.parts) > 1 else ""

    @property
    def folder(self) -> tuple[str, ...]:
        return self.parts if self.path.name == "__init__.py" else self.parts[:-1]


@dataclass(frozen=True)
class House:
    """All files of `src/cloze_gen/` and `pipelines/` by dotted name."""

    root: Path
    sources: Mapping[str, Source]

    def __iter__(self) -> Iterator[Source]:
        return iter(self.sources.values())

    @functools.cached_property
    def wings(self) -> set[str]:
        return {source.wing for source in self} - {""}

    @functools.cached_property
    def arrows(self) -> Mapping[str, Mapping[str, str]]:
        """File -> the files of ours that it imports -> the import as written."""
        return {source.name: dict(self._ours(source.tree)) for source in self}

    @functools.cached_property
    def named(self) -> Mapping[str, list[tuple[Source, ast.stmt]]]:
        """Name -> the functions, classes and constants at the top of a file that bear it."""
        found: dict[str, list[tuple[Source, ast.stmt]]] = {}
        for source in self:
            for node in source.tree.body:
                for name in bound(node):
                    found.setdefault(name, []).append((source, node))
        return found

    @property
    def front(self) -> str:
        """The text of the package's own `__init__.py`, which has no room."""
        path = self.root / "src" / "cloze_gen" / "__init__.py"
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def is_folder(self, name: str) -> bool:
        """Whether a dotted name is that of a folder: packages of data hold no file of ours."""
        place = name.replace(".", "/")
        return (self.root / "src" / "cloze_gen" / place).is_dir() or (self.root / place).is_dir()

    def _ours(self, tree: ast.AST) -> Iterator[tuple[str, str]]:
        for name in imports(tree):
            head, _, rest = name.partition(".")
            if head != "cloze_gen":
                continue
            while rest and rest not in self.sources:
                rest = rest.rpartition(".")[0]
            if rest:
                yield rest, name

    def longest_chain(self, names: Sequence[str]) -> list[str]:
        """The longest way from import to import among these files.

        Raises:
            ValueError: they import each other in a circle.
        """
        among = set(names)

        @functools.cache
        def chain(name: str) -> tuple[str, ...]:
            if name in under_way:
                raise ValueError(f"{name} is imported by what it imports: {' -> '.join([*under_way, name])}")
            under_way.append(name)
            below = [chain(other) for other in sorted(self.arrows[name]) if other in among and other != name]
            under_way.pop()
            return (name, *max(below, key=len, default=()))

        under_way: list[str] = []
        return list(max((chain(name) for name in sorted(among)), key=len, default=()))


def bound(node: ast.stmt) -> set[str]:
    """The names that a definition or an assignment gives."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)}


def imports(tree: ast.AST) -> Iterator[str]:
    """Dotted names that a module imports, at its top or anywhere inside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError("relative imports hide the room")
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def read_house(root: Path) -> House:
    package, sources = root / "src" / "cloze_gen", {}
    wings = {path.parent.name for inner in WING_ROOMS for path in (package / RECIPES).glob(f"*/{inner}")}
    for base, inside in ((package, package), (root / "pipelines", root)):
        for path in sorted(base.rglob("*.py")):
            parts = path.relative_to(inside).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if name:
                wing = parts[1] if parts[0] == RECIPES and parts[1] in wings else ""
                sources[name] = Source(name, path, wing, ast.parse(path.read_text(encoding="utf-8")))
    return House(root, sources)


@pytest.fixture(scope="session")
def house() -> House:
    return read_house(ROOT)


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every function and method with its qualified name; those inside functions are part of them."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{inner.name}", inner) for inner in node.body if isinstance(inner, ast.FunctionDef))


def called(node: ast.Call) -> str:
    """The last name of what is called: `write_text` of `path.write_text(...)`."""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def built(root: Path, files: Mapping[str, str]) -> House:
    """A house of these files; `../../` leads out of `src/cloze_gen/`."""
    for name, text in files.items():
        file = (root / "src" / "cloze_gen" / name).resolve()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return read_house(root)


def place(source: Source) -> str:
    return source.path.as_posix().removeprefix(f"{ROOT.as_posix()}/")

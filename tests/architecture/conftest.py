"""The project's modules, what they import and what they define. No recipe is named here."""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Module:
    """A file of ours; `name` is dotted, without `cloze_gen`: `recipes.msr.focus`."""

    name: str
    path: Path
    tree: ast.Module = field(repr=False)

    @property
    def package(self) -> str:
        """`recipes.msr` and `judging.web` are packages of their own; otherwise the first name."""
        first, *rest = self.name.split(".")
        return f"{first}.{rest[0]}" if rest and (first == "recipes" or rest[0] == "web") else first


@dataclass(frozen=True)
class Project:
    """All modules of `src/cloze_gen/` and `pipelines/` by name."""

    root: Path
    modules: Mapping[str, Module]

    def __iter__(self) -> Iterator[Module]:
        return iter(self.modules.values())

    @functools.cached_property
    def recipes(self) -> set[str]:
        """Packages of papers, `recipes.msr`: those with a `trace.py`. Others hold shared code."""
        packages = {module.package for module in self if module.name.startswith("recipes.")}
        return {package for package in packages if f"{package}.trace" in self.modules}

    @functools.cached_property
    def imported(self) -> Mapping[str, Mapping[str, str]]:
        """Module -> the modules of ours that it imports -> the import as written."""
        return {
            module.name: {
                other: name
                for name in imports(module.tree)
                if (other := self._module_of(name)) is not None
            }
            for module in self
        }

    def _module_of(self, imported: str) -> str | None:
        head, _, name = imported.partition(".")
        while name and name not in self.modules:
            name = name.rpartition(".")[0]
        return name if head == "cloze_gen" and name else None


def read_project(root: Path) -> Project:
    package, modules = root / "src" / "cloze_gen", {}
    for base, inside in ((package, package), (root / "pipelines", root)):
        for path in sorted(base.rglob("*.py")):
            name = ".".join(path.relative_to(inside).with_suffix("").parts)
            name = name.removesuffix("__init__").removesuffix(".")
            if name:
                modules[name] = Module(name, path, ast.parse(path.read_text(encoding="utf-8")))
    return Project(root, modules)


def built(root: Path, files: Mapping[str, str]) -> Project:
    """A project of these files; names that begin with `pipelines/` are outside of the package."""
    for name, text in files.items():
        base = root if name.startswith("pipelines/") else root / "src" / "cloze_gen"
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(textwrap.dedent(text))
    return read_project(root)


@pytest.fixture(scope="session")
def project() -> Project:
    return read_project(ROOT)


def imports(tree: ast.Module) -> Iterator[str]:
    """Dotted names that a module imports, at its top or anywhere inside."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"line {node.lineno}: a relative import hides the package")
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif not isinstance(node, ast.expr):
            waiting += ast.iter_child_nodes(node)


def bound(node: ast.stmt) -> set[str]:
    """The names that a statement at the top of a module gives to things."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    inner = list(ast.walk(node))
    names = {it.id for it in inner if isinstance(it, ast.Name) and isinstance(it.ctx, ast.Store)}
    return names | {it.asname or it.name.split(".")[0] for it in inner if isinstance(it, ast.alias)}


def called(node: ast.AST) -> str:
    """The last name of what is called: `write_text` of `path.write_text(...)`; else nothing."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""

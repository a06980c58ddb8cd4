"""Whatever is public is used by the program, not only by its tests."""

from __future__ import annotations

import ast
import importlib
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from tests.architecture.conftest import Module, Project, built

# Public names that no program of ours reads.
KEPT = {
    "api.release.Release.to_datasets": "the Python API; no command converts a release",
    "formats.msr.parse_human": "the inverse of a writer of published files",
    "formats.msr.parse_lm": "the inverse of a writer of published files",
    "formats.scs.parse_ranks": "the inverse of a writer of published files",
    "pipelines.task.InProcessFactory.create_local_scheduler": "Luigi calls it by name",
    "pipelines.task.InProcessFactory.create_worker": "Luigi calls it by name",
}
# A function under another decorator is handed on by it and needs no reader of its name.
KEEP_THE_NAME = {
    *("property", "cached_property", "cache", "lru_cache", "staticmethod", "classmethod"),
    *("contextmanager", "dataclass", "abstractmethod"),
}


@dataclass(frozen=True)
class Definition:
    """A public function, class or constant, or a method or member of a class, the `owner`."""

    module: Module
    name: str
    lines: range
    owner: str = ""

    @property
    def path(self) -> str:
        return ".".join(filter(None, [self.module.name, self.owner, self.name]))


@dataclass(frozen=True)
class Reads:
    """Names and attributes that a file reads, with their lines, and what it imports.

    `by_name`: it imports modules by name, so that any attribute may be of any module.
    """

    names: list[tuple[str, int]] = field(default_factory=list)
    attributes: list[tuple[str, int]] = field(default_factory=list)
    imported: set[str] = field(default_factory=set)
    by_name: bool = False


def python_reads(tree: ast.Module) -> Reads:
    reads = Reads()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            reads.names.append((node.id, node.lineno))
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            reads.attributes.append((node.attr, node.lineno))
        elif isinstance(node, ast.ImportFrom):
            reads.imported.update(f"{node.module}.{alias.name}" for alias in node.names)
    by_name = "import_module" in {name for name, _ in reads.attributes}
    return Reads(reads.names, reads.attributes, reads.imported, by_name)


def template_reads(text: str) -> Reads:
    found = Environment().parse(text).find_all(nodes.Getattr)
    return Reads(attributes=[(node.attr, node.lineno) for node in found])


def caller_reads(text: str) -> Reads:
    """Functions named as in an entry point, `cloze_gen.__main__:main`."""
    found = re.findall(r"\b(cloze_gen[\w.]*):(\w+)", text)
    return Reads(imported={f"{module}.{name}" for module, name in found})


# Programs outside of the package, pages that read attributes, and files with entry points.
OTHERS: Mapping[str, Callable[[str], Reads]] = {
    **dict.fromkeys(
        ("scripts/*.py", "benchmarks/*.py", "training/**/*.py", "setup.py"),
        lambda text: python_reads(ast.parse(text)),
    ),
    "src/cloze_gen/__init__.py": lambda text: python_reads(ast.parse(text)),
    "src/**/*.j2": template_reads,
    "pyproject.toml": caller_reads,
    "Makefile": caller_reads,
}


def unused(project: Project) -> list[str]:
    """Public definitions that nothing but their own body and tests read."""
    reads = {module.name: python_reads(module.tree) for module in project} | {
        path.as_posix(): read(path.read_text(encoding="utf-8"))
        for pattern, read in OTHERS.items()
        for path in sorted(project.root.glob(pattern))
    }
    found = (one for module in project for one in definitions(module))
    return [one.path for one in found if not _is_read(one, reads)]


def definitions(module: Module) -> Iterator[Definition]:
    """Definitions at the top of a module; methods of ours, and the members of enumerations."""
    for node in module.tree.body:
        yield from _defined(module, node)
        if isinstance(node, ast.ClassDef):
            is_enum = any(ast.unparse(base).endswith("Enum") for base in node.bases)
            for inner in node.body:
                if is_enum or isinstance(inner, ast.FunctionDef):
                    own = list(_defined(module, inner, node.name))
                    yield from (one for one in own if is_enum or not _overrides(one))


def _defined(module: Module, node: ast.stmt, owner: str = "") -> Iterator[Definition]:
    names: list[str] = []
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        decorators = (ast.unparse(one).split("(")[0] for one in node.decorator_list)
        if {one.rpartition(".")[2] for one in decorators} <= KEEP_THE_NAME:
            names = [node.name]
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        inner = (one for target in targets for one in ast.walk(target))
        names = [one.id for one in inner if isinstance(one, ast.Name)]
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    yield from (Definition(module, name, lines, owner) for name in names if name[0] != "_")


def _overrides(one: Definition) -> bool:
    """Whether a class that is not ours has a method of this name, and calls it."""
    module = importlib.import_module(f"cloze_gen.{one.module.name}")
    bases = getattr(module, one.owner, object).__mro__
    return any(
        not base.__module__.startswith("cloze_gen") and hasattr(base, one.name) for base in bases
    )


def _is_read(one: Definition, reads: Mapping[str, Reads]) -> bool:
    own, module = reads[one.module.name], f"cloze_gen.{one.module.name}"
    if one.owner:
        return any(
            name == one.name and (other is not own or line not in one.lines)
            for other in reads.values()
            for name, line in other.attributes
        )
    return any(name == one.name and line not in one.lines for name, line in own.names) or any(
        f"{module}.{one.name}" in other.imported
        or (
            (other.by_name or module in other.imported)
            and any(name == one.name for name, _ in other.attributes)
        )
        for other in reads.values()
        if other is not own
    )


@pytest.mark.slow
def test_nothing_public_is_dead(project: Project) -> None:
    """Every public function, class, constant, method and member is read outside of the tests,
    except those listed, which are not.
    """
    assert set(found := unused(project)) == set(KEPT), "\n".join(found)


def test_dead_code_is_found(tmp_path: Path) -> None:
    """Words in comments, strings and other files do not count as reading; imports, attributes,
    pages and entry points do.
    """
    files = {
        "rng.py": """
            from enum import StrEnum

            LIMIT, _OWN = 3, 4

            class Reason(StrEnum):
                SHORT = "short"
                LONG = "long"

            class Words:
                size: int

                def __len__(self): ...

                def fold(self): ...

                def count(self): ...

                def has(self): ...

                def title(self): ...

            def turns(n):
                return turns(n - 1)

            def used(words: Words):
                return words.count(), Reason.SHORT
            """,
        "corpus/tokens.py": "from cloze_gen.rng import used\n\nprint(used)\n",
    }
    dead = {"LIMIT", "Reason.LONG", "Words.fold", "Words.has", "Words.title", "turns"}
    steps: list[tuple[dict[str, str], set[str]]] = [
        ({}, set()),
        (
            {
                "scripts/a.py": '# LIMIT turns\nLIMIT = "fold"\nturns = LIMIT\n',
                "Makefile": "turns: fold\n\t@echo has LIMIT src/cloze_gen/rng.py\n",
                "src/cloze_gen/page.html.j2": '<p class="fold">turns</p>{# words.fold #}',
            },
            set(),
        ),
        ({"src/cloze_gen/page.html.j2": "{{ words.title() }}"}, {"Words.title"}),
        (
            {"scripts/a.py": "from cloze_gen.rng import LIMIT\n\nprint(LIMIT.fold)\n"},
            {"LIMIT", "Words.fold"},
        ),
        ({"pyproject.toml": 'turn = "cloze_gen.rng:turns"'}, {"turns"}),
    ]
    for others, alive in steps:
        for name, text in others.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(textwrap.dedent(text))
        dead -= alive
        assert set(unused(built(tmp_path, files))) == {f"rng.{name}" for name in dead}

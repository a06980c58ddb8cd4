"""Whatever is public is used by the program, not by its tests alone."""

from __future__ import annotations

import ast
import importlib
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, nodes

from tests.architecture.conftest import ROOT, House, Source, read_house

# Public names that no program of ours reads, with the reason.
KEPT: Mapping[str, str] = {
    "adapters.spacy_tagger.SpacyTagger.is_fast": "which of two ways of equal outcome a pipeline takes; nothing else would tell",
    "formats.msr.human.parse_human": "reads a published file back, so that the format has an inverse",
    "formats.msr.lm.parse_lm": "reads a published file back, so that the format has an inverse",
    "formats.scs.parse_ranks": "reads a published file back, so that the format has an inverse",
    "pipelines.worker.InProcessFactory.create_local_scheduler": "Luigi asks for it by name",
    "pipelines.worker.InProcessFactory.create_worker": "Luigi asks for it by name",
    "text.tokens.tokenize": "one sentence by hand; books go through the memory of chunks",
}
# Programs of ours outside the package, and pages that reach into objects; what calls them names modules (`cloze_gen.__main__:main`).
PROGRAMS = ("scripts/*.py", "benchmarks/*.py", "training/**/*.py", "setup.py")
PAGES = ("src/**/*.j2",)
CALLERS = ("pyproject.toml", "Makefile")
# Under these decorators a function is still called by its name; any other hands it on to whoever calls it.
KEEP_THE_NAME = {
    "property",
    "cached_property",
    "cache",
    "lru_cache",
    "staticmethod",
    "classmethod",
    "contextmanager",
    "dataclass",
    "abstractmethod",
}


@dataclass(frozen=True)
class Definition:
    """A public function, class or constant, or a public method or member of a class (`owner`)."""

    source: Source
    name: str
    first: int
    last: int
    owner: str = ""

    @property
    def path(self) -> str:
        return ".".join(filter(None, [self.source.name, self.owner, self.name]))


@dataclass(frozen=True)
class Reads:
    """What a file reads: names and attributes of anything, with their lines; what it imports, and whether it imports modules by name."""

    names: list[tuple[str, int]] = field(default_factory=list)
    attributes: list[tuple[str, int]] = field(default_factory=list)
    imported: set[str] = field(default_factory=set)
    by_name: bool = False

    @classmethod
    def of(cls, tree: ast.Module) -> Reads:
        nodes = list(ast.walk(tree))
        names = [(node.id, node.lineno) for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
        attributes = [(node.attr, node.lineno) for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)]
        froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        imported = {f"{node.module}.{alias.name}" for node in froms for alias in node.names}
        return cls(names, attributes, imported, "import_module" in {name for name, _ in attributes})

    @classmethod
    def of_template(cls, text: str) -> Reads:
        """A page of jinja's: attributes of what it is handed. Its HTML and its comments read nothing."""
        return cls(attributes=[(node.attr, node.lineno) for node in Environment().parse(text).find_all(nodes.Getattr)])

    @classmethod
    def of_caller(cls, text: str) -> Reads:
        """What is neither: functions of ours by their path, as a console script is written (`cloze_gen.__main__:main`)."""
        return cls(imported={f"{module}.{name}" for module, name in re.findall(r"\b(cloze_gen[\w.]*):(\w+)", text)})


def unused(house: House, others: Mapping[str, Reads]) -> list[str]:
    """Public definitions that neither the house nor another program of ours reads, their own bodies apart."""
    reads = {source.name: Reads.of(source.tree) for source in house} | dict(others)
    return [one.path for source in house for one in definitions(source) if not _is_read(one, reads)]


def definitions(source: Source) -> Iterator[Definition]:
    for node in source.tree.body:
        yield from _named(source, node)
        if isinstance(node, ast.ClassDef):
            members = [one for inner in node.body for one in _named(source, inner, node.name)]
            enum = any(ast.unparse(base).endswith("Enum") for base in node.bases)
            yield from (one for one in members if enum or not (_is_field(node, one.name) or _foreign(one)))


def _named(source: Source, node: ast.stmt, owner: str = "") -> Iterator[Definition]:
    names: list[str] = []
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        handed_on = {re.split(r"[.(]", ast.unparse(one).split("(")[0])[-1] for one in node.decorator_list} - KEEP_THE_NAME
        names = [] if handed_on else [node.name]
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)]
    for name in names:
        if not name.startswith("_"):
            yield Definition(source, name, node.lineno, node.end_lineno or node.lineno, owner)


def _is_field(node: ast.ClassDef, name: str) -> bool:
    """Fields of records and attributes of classes are what their class is about; methods must be called."""
    return name not in {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}


def _foreign(one: Definition) -> bool:
    """Whether a method stands in the place of one of a class that is not ours, which calls it."""
    module = importlib.import_module(f"cloze_gen.{one.source.name}")
    bases = getattr(module, one.owner, object).__mro__
    return any(not base.__module__.startswith("cloze_gen") and hasattr(base, one.name) for base in bases)


def _is_read(one: Definition, reads: Mapping[str, Reads]) -> bool:
    own = reads[one.source.name]
    if one.owner:
        return any(
            name == one.name and (other is not own or not one.first <= line <= one.last)
            for other in reads.values()
            for name, line in other.attributes
        )
    here = any(name == one.name and not one.first <= line <= one.last for name, line in own.names)
    written, module = f"cloze_gen.{one.path}", f"cloze_gen.{one.source.name}"
    elsewhere = (other for other in reads.values() if other is not own)
    return here or any(
        written in other.imported or ((other.by_name or module in other.imported) and one.name in {name for name, _ in other.attributes})
        for other in elsewhere
    )


def other_programs(root: Path) -> dict[str, Reads]:
    ways = {PROGRAMS: lambda text: Reads.of(ast.parse(text)), PAGES: Reads.of_template, CALLERS: Reads.of_caller}
    return {
        path.as_posix(): read(path.read_text(encoding="utf-8"))
        for patterns, read in ways.items()
        for pattern in patterns
        for path in sorted(root.glob(pattern))
    }


def test_nothing_public_is_dead(house: House) -> None:
    """Every public function, class, constant, method and member of an enumeration is read somewhere outside the tests."""
    wrong = [path for path in unused(house, other_programs(ROOT)) if path not in KEPT]
    assert not wrong, "\n".join(wrong)


def test_what_is_kept_still_needs_it(house: House) -> None:
    """The short list names nothing that is gone, or is read after all."""
    assert set(KEPT) - set(unused(house, other_programs(ROOT))) == set()


def test_the_dead_are_found(tmp_path: Path) -> None:
    """Found, whatever words scripts and pages hold: what calls itself alone, and constants, methods and members that nobody reads."""
    files = {
        "rng": """
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
        "text/tokens": "from cloze_gen.rng import used\n\nprint(used)\n",
    }
    for name, text in files.items():
        file = tmp_path / "src" / "cloze_gen" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    dead = ["rng.LIMIT", "rng.Reason.LONG", "rng.Words.fold", "rng.Words.has", "rng.Words.title", "rng.turns"]
    assert unused(read_house(tmp_path), other_programs(tmp_path)) == dead
    others = {
        "scripts/count.py": '# What has LIMIT turns?\nLIMIT = "fold"\nturns = LIMIT\n',
        "Makefile": "turns: fold\n\t@echo has LIMIT src/cloze_gen/rng.py\n",
        "src/cloze_gen/page.html.j2": '<p class="fold">It has turns.</p>{# words.fold #}{{ words.title() }}',
    }
    for name, text in others.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert unused(read_house(tmp_path), other_programs(tmp_path)) == (dead := [path for path in dead if path != "rng.Words.title"])
    (tmp_path / "scripts" / "count.py").write_text("from cloze_gen.rng import LIMIT\n\nprint(LIMIT.fold)\n")
    (tmp_path / "pyproject.toml").write_text('turn = "cloze_gen.rng:turns"')
    assert unused(read_house(tmp_path), other_programs(tmp_path)) == [
        path for path in dead if path not in {"rng.LIMIT", "rng.Words.fold", "rng.turns"}
    ]

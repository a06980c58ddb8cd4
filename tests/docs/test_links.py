"""What the pages point to is there: files, headings, modules, functions, tests and settings."""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "cloze_gen"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
# Folders of the project whose names begin a path of ours. `data/` and `artifacts/` are a user's.
PROJECT = {"benchmarks", "configs", "corpora", "docs", "pipelines", "scripts", "src", "tests", "training"}
# Rooms whose names a run's folders bear too: `store/<stage>-<fingerprint>/`.
ALSO_ON_DISK = {"store"}
PLACEHOLDER = "NAME"  # stands for what a reader chooses
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)")
_CODE = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"([\w.-]+)/[\w./*-]*(?:::\w+)?")
_DOTTED = re.compile(r"[a-z]\w*(?:\.\w+)+")
_EXTENSIONS = {
    "arpa",
    "binary",
    "css",
    "csv",
    "gz",
    "html",
    "json",
    "jsonl",
    "lock",
    "log",
    "md",
    "npy",
    "parquet",
    "svg",
    "toml",
    "tsv",
    "txt",
    "xz",
    "yaml",
}


def dead_links(text: str, page: Path) -> list[str]:
    """Links of a page to files or headings that are not there."""
    wrong = []
    for target in _LINK.findall(_FENCED.sub("", text)):
        name, _, anchor = target.partition("#")
        if ":" in target:
            continue
        file = page.parent / name if name else page
        known = headings(text if file == page else file.read_text(encoding="utf-8")) if anchor and file.is_file() else set()
        if not file.exists() or (anchor and anchor not in known):
            wrong.append(target)
    return wrong


def headings(text: str) -> set[str]:
    """The anchors that a page's headings have where it is shown."""
    found: dict[str, int] = {}
    for title in re.findall(r"^#+ +(.*?) *#*$", _FENCED.sub("", text), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"`", "", title).lower()).replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
    return {slug if i == 0 else f"{slug}-{i}" for slug, times in found.items() for i in range(times + 1)}


def dead_names(text: str) -> list[str]:
    """Paths, modules, functions, tests and settings in backquotes that look like ours and are not there."""
    return [code for code in codes(text) if not (path_is_there(code) and name_is_there(code))]


def codes(text: str) -> Iterator[str]:
    """What stands in backquotes outside of blocks, without a value (`focus.max_freq = 1e-4`) or a call's brackets."""
    for code in _CODE.findall(_FENCED.sub("", text)):
        yield re.sub(r"( = .*|\(.*\))$", "", code.strip())


def path_is_there(code: str) -> bool:
    """Whether a path exists below the project or the package; yes for what is no path of ours."""
    match = _PATH.fullmatch(code)
    if match is None:
        return True
    path, _, test = code.partition("::")
    first = match[1]
    if PLACEHOLDER in path:
        return True
    ours = first in PROJECT or path.endswith(".py") or ((PACKAGE / first).is_dir() and first not in ALSO_ON_DISK)
    places = [place for base in (ROOT, PACKAGE) for place in base.glob(path)] if ours else []
    return not ours or (bool(places) and (not test or test in _defined(places[0])))


def name_is_there(code: str) -> bool:
    """Whether a dotted name is a module of ours, something defined there, or a setting; yes for what is none of ours."""
    parts = code.split(".")
    if not _DOTTED.fullmatch(code) or parts[-1] in _EXTENSIONS:
        return True
    if parts[-1] == "py":
        return any(True for _ in [*ROOT.rglob(code)]) if "/" not in code else True
    ours = parts[0] == "cloze_gen" or (PACKAGE / parts[0]).is_dir() or parts[0] in _settings()
    if not ours:
        return True
    name = code.removeprefix("cloze_gen.")
    return name in _settings().get(parts[0], set()) or _resolves(f"cloze_gen.{name}") or parts[0] in ALSO_ON_DISK


def _resolves(dotted: str) -> bool:
    """Whether this is a module, or what a module or a class of it holds."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            fields = getattr(found, "model_fields", {})
            if part not in fields and not hasattr(found, part):
                return False
            found = fields.get(part) or getattr(found, part)
        return True
    return False


@functools.cache
def _settings() -> dict[str, set[str]]:
    """Group -> `group.key` of every style's settings."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "pipelines").glob("*_style.py")):
        module = importlib.import_module(f"cloze_gen.pipelines.{path.stem}")
        for model in (one for one in vars(module).values() if isinstance(one, type) and issubclass(one, BaseModel)):
            for group, field in model.model_fields.items():
                keys = getattr(field.annotation, "model_fields", {})
                found.setdefault(group, set()).update({f"{group}.*", *(f"{group}.{key}" for key in keys)})
    return {group: keys for group, keys in found.items() if len(keys) > 1}


def _defined(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef | ast.ClassDef)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link leads to a file, and its anchor to a heading."""
    assert dead_links(page.read_text(encoding="utf-8"), page) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_names_are_there(page: Path) -> None:
    """Every path, module, function, test and setting in backquotes that looks like one of ours exists."""
    wrong = dead_names(page.read_text(encoding="utf-8"))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "target",
    ["docs/nowhere.md", "docs/papers.md#nowhere", "#nowhere"],
)
def test_a_dead_link_is_found(target: str) -> None:
    """In a copy of README: a page that is not there, a heading that is not there, on another page and on its own."""
    page = ROOT / "README.md"
    text = page.read_text(encoding="utf-8")
    assert dead_links(f"{text}\n[this]({target}) and [that](docs/architecture.md#architecture)\n", page) == [target]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("text/rendering.py", "text/renderings.py"),
        ("src/cloze_gen/text/rendering.py", "src/cloze_gen/render.py"),
        ("docs/readings/", "docs/lessons/"),
        ("pipelines/*_style.py", "pipelines/*_fashion.py"),
        ("text.rendering.rendered_tokens", "text.rendering.printed_tokens"),
        ("cloze_gen.store.artifacts.Store.open", "cloze_gen.store.artifacts.Store.shut"),
        ("overlap.within = drop", "overlap.without = drop"),
        ("tests/docs/test_links.py::test_names_are_there", "tests/docs/test_links.py::test_names_are_gone"),
        ("columns.py", "cloze/columns.py"),
    ],
)
def test_a_dead_name_is_found(right: str, wrong: str) -> None:
    """In a copy of README: each kind of name, as it is and with a slip."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert dead_names(f"{text}\nSee `{right}`.\n") == dead_names(text)
    assert len(dead_names(f"{text}\nSee `{wrong}`.\n")) == len(dead_names(text)) + 1

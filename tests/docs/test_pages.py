"""Links, names, pictures, diagrams and versions on the pages are correct."""

from __future__ import annotations

import ast
import functools
import importlib
import os
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import luigi
import pytest
from pydantic import BaseModel

from cloze_gen import __version__
from cloze_gen.api.run import make_task
from cloze_gen.formats.harness import LOADER_FILE
from cloze_gen.formats.inspect_tasks import INSPECT_TASK, LIGHTEVAL_TASK
from cloze_gen.records.judgement import Task

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "cloze_gen"
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").rglob("*.md"),
    ]
)
# Folders of the project whose names begin a path of ours. `data/` and `artifacts/` are a user's.
PROJECT = {
    "benchmarks",
    "configs",
    "corpora",
    "docs",
    "pipelines",
    "scripts",
    "src",
    "tests",
    "training",
}
# Packages whose names a run's folders bear too: `store/<stage>-<fingerprint>/`.
ALSO_ON_DISK = {"store"}
OF_A_RELEASE = {INSPECT_TASK, LIGHTEVAL_TASK, LOADER_FILE}  # programs that a release contains
PLACEHOLDER = "NAME"  # for a name that a reader chooses
# `make docs` generates these pages of docs/reference/, so git has none of them.
GENERATED = {"commands.md", "settings.md", "artifacts.md", "reasons.md"}
REFERENCE = ROOT / "docs" / "reference"
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
        if Path(os.path.normpath(file)).parent == REFERENCE:
            wrong += [target] if file.name not in GENERATED else []
            continue
        known = (
            headings(text if file == page else file.read_text(encoding="utf-8"))
            if anchor and file.is_file()
            else set()
        )
        if not file.exists() or (anchor and anchor not in known):
            wrong.append(target)
    return wrong


def headings(text: str) -> set[str]:
    """The anchors that a page's headings have where it is shown."""
    found: dict[str, int] = {}
    for title in re.findall(r"^#+ +(.*?) *#*$", _FENCED.sub("", text), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"`", "", title).lower()).replace(" ", "-")
        found[slug] = found.get(slug, -1) + 1
    return {
        slug if i == 0 else f"{slug}-{i}" for slug, times in found.items() for i in range(times + 1)
    }


def dead_names(text: str) -> list[str]:
    """Paths, modules, functions, tests and settings in backquotes that look like ours and are not
    there.
    """
    return [code for code in codes(text) if not (path_is_there(code) and name_is_there(code))]


def codes(text: str) -> Iterator[str]:
    """What stands in backquotes outside of blocks, without a value (`focus.max_freq = 1e-4`) or a
    call's brackets.
    """
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
    ours = (
        first in PROJECT
        or path.endswith(".py")
        or ((PACKAGE / first).is_dir() and first not in ALSO_ON_DISK)
    )
    places = [place for base in (ROOT, PACKAGE) for place in base.glob(path)] if ours else []
    return not ours or (bool(places) and (not test or test in _defined(places[0])))


def name_is_there(code: str) -> bool:
    """Whether a dotted name is a module of ours, something defined there, or a setting; yes for
    what is none of ours.
    """
    parts = code.split(".")
    if not _DOTTED.fullmatch(code) or parts[-1] in _EXTENSIONS:
        return True
    if code in OF_A_RELEASE:
        return True
    if parts[-1] == "py":
        return any(True for _ in [*ROOT.rglob(code)]) if "/" not in code else True
    ours = parts[0] == "cloze_gen" or (PACKAGE / parts[0]).is_dir() or parts[0] in _settings()
    if not ours:
        return True
    name = code.removeprefix("cloze_gen.")
    return (
        name in _settings().get(parts[0], set())
        or _resolves(f"cloze_gen.{name}")
        or parts[0] in ALSO_ON_DISK
    )


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
        for model in (
            one
            for one in vars(module).values()
            if isinstance(one, type) and issubclass(one, BaseModel)
        ):
            for group, field in model.model_fields.items():
                keys = getattr(field.annotation, "model_fields", {})
                found.setdefault(group, set()).update(
                    {f"{group}.*", *(f"{group}.{key}" for key in keys)}
                )
    return {group: keys for group, keys in found.items() if len(keys) > 1}


def _defined(path: Path) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link leads to a file, and its anchor to a heading."""
    assert dead_links(page.read_text(encoding="utf-8"), page) == []


# The changelog also has names of earlier versions.
NOW = [page for page in PAGES if page.name != "CHANGELOG.md"]


@pytest.mark.parametrize("page", NOW, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_names_are_there(page: Path) -> None:
    """Every path, module, function, test and setting in backquotes that looks like one of ours
    exists.
    """
    wrong = dead_names(page.read_text(encoding="utf-8"))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "target",
    ["docs/nowhere.md", "docs/tutorial.md#nowhere", "docs/reference/nowhere.md", "#nowhere"],
)
def test_a_dead_link_is_found(target: str) -> None:
    """On a page like README: a page that is not there, and a heading that is not there, on another
    page and on its own.
    """
    right = (
        "[this](docs/explanation/architecture.md#packages) [that](docs/reference/settings.md#focus)"
    )
    assert dead_links(f"# Page\n{right} [other]({target})\n", ROOT / "README.md") == [target]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("corpus/normalization.py", "corpus/normalisation.py"),
        ("src/cloze_gen/corpus/normalization.py", "src/cloze_gen/render.py"),
        ("docs/pictures/", "docs/paintings/"),
        ("pipelines/*_style.py", "pipelines/*_fashion.py"),
        ("corpus.normalization.rendered_tokens", "corpus.normalization.printed_tokens"),
        ("cloze_gen.store.artifacts.Store.open", "cloze_gen.store.artifacts.Store.shut"),
        ("overlap.within = drop", "overlap.without = drop"),
        (
            "tests/docs/test_pages.py::test_names_are_there",
            "tests/docs/test_pages.py::test_names_are_gone",
        ),
        ("text_layout.py", "cloze/text_layout.py"),
    ],
)
def test_a_dead_name_is_found(right: str, wrong: str) -> None:
    """In a copy of README: each kind of name, as it is and with a slip."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert dead_names(f"{text}\nSee `{right}`.\n") == dead_names(text)
    assert len(dead_names(f"{text}\nSee `{wrong}`.\n")) == len(dead_names(text)) + 1


# ---- pictures


PICTURES = sorted((ROOT / "docs" / "pictures").iterdir())
PROGRAM = ROOT / "scripts" / "pictures.py"
pictures = SimpleNamespace(**runpy.run_path(str(PROGRAM)))
MOST_BYTES = 400 * 1024
OF_JUDGES = {
    f"judge-{task}{screen}" for task in Task for screen in ("", "-phone")
}  # made by scripts/judge_pictures.py
_COLOUR_TYPE, _PALETTE = (
    25,
    3,
)  # where a PNG's header tells it, and what it says of a picture with a palette


def test_they_are_small() -> None:
    """All together, for everybody clones them; each is a picture of few colours."""
    assert 0 < sum(path.stat().st_size for path in PICTURES) <= MOST_BYTES
    assert {
        (header[:8], header[_COLOUR_TYPE])
        for header in (path.read_bytes()[:32] for path in PICTURES)
    } == {(b"\x89PNG\r\n\x1a\n", _PALETTE)}


def test_each_is_shown_by_a_page() -> None:
    """With words for whoever cannot see it."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [path.name for path in PICTURES if f"pictures/{path.name})" not in text] == []
    assert "![](" not in text


def test_the_program_makes_each_of_them() -> None:
    """None lies there that it would not make anew."""
    ours = {path.stem for path in PICTURES if path.stem not in OF_JUDGES}
    assert ours == {view.name for view in pictures.VIEWS}


def test_no_picture_shows_figures_that_grow_old() -> None:
    """The report's head holds the signature and other sections hold accuracies; both change with
    every version.
    """
    assert {view.section for view in pictures.VIEWS} <= {"funnel", "samples"}
    for view in pictures.VIEWS:
        assert "header" in pictures.ALONE.format(view.section, view.css).split("{")[0]


def test_the_question_shown_is_one_that_ci_looks_up() -> None:
    """`scripts/check_examples.py` finds in a run of the sample whatever the README traces."""
    assert f"cloze-gen trace {pictures.QUESTION} " in (ROOT / "README.md").read_text(
        encoding="utf-8"
    )


def test_without_a_browser_it_says_so() -> None:
    """Before anything is run or written."""
    done = subprocess.run(
        [sys.executable, PROGRAM],
        env=os.environ | {"PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no browser here" in done.stderr
    assert "apt-get install chromium" in done.stderr


# ---- recipes and stages

# A setting that brings all stages into the DAG.
WITH_ALL_STAGES = {
    "scs-style": ("books.reference=reference.jsonl",),
    "lambada-style": ("release.train_text=copy",),
}
STEPS_HEADER = "| Paper | Step | Stage | Code"  # of the table of a recipe's page
WITH_STEPS = {"holmes-style": "holmes.md", "scs-style": "scs.md"}  # style -> page with such a table
ARCHITECTURE = ROOT / "docs" / "explanation" / "architecture.md"
_ARROW = re.compile(r"^ *([\w &-]+?) --> ([\w-]+)$", re.MULTILINE)


@functools.cache
def stage_graph(style: str) -> dict[str, set[str]]:
    """Stage -> the stages that it reads, with `-` for the spaces of a label."""
    task = make_task(
        config=style,
        train="",
        source="",
        name="",
        out=Path("nowhere"),
        workers=1,
        seed=1,
        overrides=WITH_ALL_STAGES.get(style, ()),
    )
    return {
        _stage_id(stage): {_stage_id(one) for one in luigi.task.flatten(stage.requires())}
        for stage in task.stages()
    }


def _stage_id(stage: Any) -> str:
    return str(stage.label).replace(" ", "-")


def drawn_graph(text: str) -> dict[str, set[str]]:
    """The graph that the Mermaid block of a page draws, as `stage_graph` returns it.

    >>> drawn_graph("```mermaid\\ngraph TD\\n  a & b --> c\\n```\\n") == {"a": set(), "b": set(), "c": {"a", "b"}}
    True
    """
    block = re.search(r"^```mermaid\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    graph: dict[str, set[str]] = {}
    for before, after in _ARROW.findall(block[1] if block else ""):
        graph.setdefault(after, set()).update(before.split(" & "))
    for inputs in list(graph.values()):
        for one in inputs:
            graph.setdefault(one, set())
    return graph


def test_the_diagram_is_the_graph_of_the_pipeline() -> None:
    """Every stage of a Holmes-style run and every artifact that it reads."""
    assert drawn_graph(ARCHITECTURE.read_text(encoding="utf-8")) == stage_graph("holmes-style")


@pytest.mark.parametrize("line", ["  text --> lm\n", "forward & "])
def test_a_wrong_diagram_is_found(line: str) -> None:
    """In a copy of the page: a missing arrow, a missing input."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    assert line in text
    assert drawn_graph(text.replace(line, "", 1)) != stage_graph("holmes-style")


def listed_stages(text: str) -> list[str]:
    """The stages in backquotes in the third column of the table of steps."""
    table = text.split(STEPS_HEADER, 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [name for row in table for name in _CODE.findall(row.split("|")[3])]


@pytest.mark.parametrize(("style", "page"), WITH_STEPS.items())
def test_a_recipe_page_lists_every_stage(style: str, page: str) -> None:
    """Each stage of the run, and no other. Stages of two sides have one name: `corpus`."""
    text = (ROOT / "docs" / "explanation" / page).read_text(encoding="utf-8")
    known = {re.sub(r"-(train|source)$", "", stage) for stage in stage_graph(style)}
    assert set(listed_stages(text)) == known


# ---- version and changelog


def test_the_version_is_the_same_everywhere() -> None:
    """pyproject.toml, package, citation, changelog, and the wheel that the README installs."""
    texts = [
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("CITATION.cff", "CHANGELOG.md", "README.md")
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    patterns = (
        r"^version: (\S+)$",
        r"\A# Changelog\n\n## (\S+) \(\d{4}-\d\d-\d\d\)$",
        r"cloze_gen-([\d.]+)-py3",
    )
    found = [
        re.findall(pattern, text, re.MULTILINE)
        for pattern, text in zip(patterns, texts, strict=True)
    ]
    assert found == [[__version__]] * 3
    assert project["version"] == __version__


def test_the_site_has_every_page() -> None:
    """`make docs` ends with an error for a page that its contents do not name."""
    contents = (ROOT / "scripts" / "build_site.py").read_text(encoding="utf-8")
    pages = [
        path.stem for name in ("how-to", "explanation") for path in (ROOT / "docs" / name).iterdir()
    ]
    assert [page for page in pages if f'"{page}"' not in contents] == []

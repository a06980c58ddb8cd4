"""`docs/papers.md` is true: the steps that it names exist, the stages stand in the DAG, the settings have the defaults that it writes."""

from __future__ import annotations

import functools
import importlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.commands.run import make_task

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "papers.md"
HEADER = ["section", "step", "stage", "setting = default", "how we read it"]
# What brings stages into the DAG that a plain run has not.
WITH_ALL_STAGES = {"scs-style": ("books.reference=reference.jsonl",), "lambada-style": ("release.train_text=copy",)}
_SETTING = re.compile(r"(\w+)\.(\w+|\*)(?: = (.*))?")


@dataclass(frozen=True)
class Row:
    """One row of a paper's table; the cells of a step, a stage and a setting by what stands in backquotes."""

    style: str
    section: str
    steps: list[str]
    stages: list[str]
    settings: list[str]


def rows(text: str) -> Iterator[Row]:
    """The rows of every table below a heading that names a style (`## Paper -> `style``).

    Raises:
        ValueError: a row has more or fewer cells than the header, or a table another header.
    """
    style = ""
    for line in text.splitlines():
        if line.startswith("#"):
            found = re.search(r"-> `([\w-]+)`$", line)
            style = found[1] if found else ""
        elif style and line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) != len(HEADER):
                raise ValueError(f"{len(cells)} cells for {len(HEADER)}: {line}")
            if cells[0] != HEADER[0] and not set(cells[0]) <= set(":-"):
                yield Row(style, cells[0], *(re.findall(r"`([^`]+)`", cell) for cell in cells[1:4]))
            elif cells[0] == HEADER[0] and cells != HEADER:
                raise ValueError(f"{cells} for {HEADER}")


def slips(text: str) -> list[str]:
    """What the tables say that is not so, and what of a style they leave out."""
    found = list(rows(text))
    wrong = [f"{row.section}: {slip}" for row in found for slip in _slips(row)]
    for style in sorted({row.style for row in found}):
        own = [row for row in found if row.style == style]
        named = " ".join(name for row in own for name in row.steps)
        wrong += [f"{style}: no row for the step {step}" for step in steps_of(style) if not re.search(rf"{re.escape(step)}\b", named)]
        wrong += [f"{style}: no row for the stage {one}" for one in sorted(stages_of(style) - {name for row in own for name in row.stages})]
        told = {name.partition(".")[0] for row in own for name in row.settings}
        wrong += [f"{style}: no row for the settings {group}" for group in settings_of(style) if group not in told]
    return wrong


def _slips(row: Row) -> Iterator[str]:
    for name in row.steps:
        if not is_there(f"cloze_gen.{name}"):
            yield f"no step {name}"
    for name in row.stages:
        if name not in stages_of(row.style):
            yield f"no stage {name} in {row.style}"
    for text in row.settings:
        match = _SETTING.fullmatch(text)
        keys = settings_of(row.style).get(match[1], {}) if match else {}
        if match is None or not keys or (match[2] != "*" and match[2] not in keys):
            yield f"no setting {text} in {row.style}"
        elif (match[2] == "*") != (match[3] is None) or (match[3] is not None and not same(match[3], keys[match[2]])):
            yield f"{text}: the default is {keys.get(match[2], 'one for each')}"


def is_there(dotted: str) -> bool:
    """Whether this is a module, or what a module holds."""
    module, _, name = dotted.rpartition(".")
    for path, attribute in ((dotted, ""), (module, name)):
        try:
            found = importlib.import_module(path)
        except ModuleNotFoundError:
            continue
        return not attribute or hasattr(found, attribute)
    return False


def same(written: str, default: Any) -> bool:
    """Whether a default is written so: as TOML has it, a text without its quotes too."""
    try:
        value = tomllib.loads(f"x = {written}")["x"]
    except tomllib.TOMLDecodeError:
        value = written
    return value == (list(default) if isinstance(default, tuple) else default) and isinstance(value, bool) == isinstance(default, bool)


@functools.cache
def task(style: str) -> Any:
    overrides = WITH_ALL_STAGES.get(style, ())
    return make_task(config=style, train="", source="", name="", out=Path("nowhere"), workers=1, seed=1, overrides=overrides)


def stages_of(style: str) -> set[str]:
    """Links to the stages, without their numbers; `ingest` for those of every side."""
    return {re.sub(r"-(train|source|books)$", "", one.label.replace(" ", "-")) for one in task(style).stages()}


def settings_of(style: str) -> dict[str, dict[str, Any]]:
    """Group -> key -> default, of the style's own model and not of a config."""
    defaults = type(task(style).all_settings)()
    return {group: {key: getattr(own, key) for key in type(own).model_fields} for group, own in defaults}


def steps_of(style: str) -> list[str]:
    """The modules in the `steps/` of the wings that a style's DAG imports."""
    text = (ROOT / "pipelines" / f"{style.replace('-', '_')}.py").read_text(encoding="utf-8")
    wings = sorted(set(re.findall(r"cloze_gen\.recipes\.(\w+)\.(?:steps|stages)", text)))
    folders = [ROOT / "src" / "cloze_gen" / "recipes" / wing / "steps" for wing in wings]
    return [
        f"recipes.{path.parts[-3]}.steps.{path.stem}"
        for folder in folders
        for path in sorted(folder.glob("*.py"))
        if path.stem != "__init__"
    ]


def test_the_tables_are_true() -> None:
    """Every step, stage and setting is there with the default written; every step, stage and settings group of a style has a row."""
    wrong = slips(PAGE.read_text(encoding="utf-8"))
    assert not wrong, "\n".join(wrong)


def test_every_style_has_a_table() -> None:
    """Each DAG file has a table of its paper."""
    styles = {path.stem.replace("_", "-") for path in (ROOT / "pipelines").glob("*_style.py")}
    assert {row.style for row in rows(PAGE.read_text(encoding="utf-8"))} == styles


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("`recipes.msr.steps.forward.best_forward`", "`recipes.msr.steps.forward.worst_forward`"),
        ("`recipes.msr.steps.screening.answer_scores_best`", "`recipes.msr.steps.screens.answer_scores_best`"),
        ("| `forward` | `forward.keep = 30`", "| `forwards` | `forward.keep = 30`"),
        ("`forward.keep = 30`", "`forward.keep = 31`"),
        ("`forward.keep = 30`", "`forward.kept = 30`"),
        ("`forward.keep = 30`", "`forward.keep`"),
        ("`focus.proper_names = false`", "`focus.proper_names = 0`"),
        ("`focus.min_freq = 2e-7`", "`focus.min_tokens = 6`"),
        ("`alternates.count = 150`", "fixed"),
        ("`recipes.scs.steps.books.book_similarity`", ""),
        ("| `inflections` |", "| |"),
    ],
)
def test_a_slip_is_found(right: str, wrong: str) -> None:
    """In a copy of the page: a wrong function, file, stage, default, setting, another style's setting, and what is left out."""
    text = PAGE.read_text(encoding="utf-8")
    assert right in text
    assert set(slips(text.replace(right, wrong))) - set(slips(text))


def test_a_torn_row_is_found() -> None:
    """A row that lost a cell is no row."""
    with pytest.raises(ValueError, match="4 cells for 5"):
        list(rows(PAGE.read_text(encoding="utf-8").replace("| `index` | fixed |", "| `index` |")))

"""Finds and reads runs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from cloze_gen.errors import UsageError
from cloze_gen.json_lines import require
from cloze_gen.parsing import ParseError, error_text, parse_json, quote
from cloze_gen.records.release_facts import newer_format
from cloze_gen.store.artifacts import Artifact, Store, open_artifact
from cloze_gen.store.files import open_below, open_regular, stays_within
from cloze_gen.store.folder_replacement import find_change, leads_out

RUN_FILE, RELEASE, FULL, EVALUATION, EVALUATION_FILE = (
    "run.json",
    "release",
    "full",
    "evaluation",
    "evaluation.json",
)
RELEASE_FILE = "release.json"  # in every release: its description
RUN_SCHEMA, EVALUATION_SCHEMA = "cloze-gen/run", "cloze-gen/evaluation"


class NewerRunError(UsageError):
    """A newer version of cloze-gen made the run."""


def run_folders(out: Path) -> list[Path]:
    """The runs of an output folder, the newest first."""
    # ~: being written
    found = [path for path in Store(out).runs.glob(f"*/{RUN_FILE}") if "~" not in path.parent.name]
    return [
        path.parent
        for path in sorted(found, key=lambda path: (-path.stat().st_mtime_ns, path.parent.name))
    ]


_RUN_NAME = re.compile(r"[A-Za-z0-9._-]+")
_PREFIX = re.compile(r"[a-z]+:")  # of a member of a committee: what kind of file or folder follows
MOST_NAME_CHARS = (
    200  # a release file's name is the run's and up to 40 characters more; file systems allow 255
)


def is_run_name(name: str) -> bool:
    """Whether a run may have this name, which must be a valid file name on every system.

    >>> [is_run_name(name) for name in ("mine-2", ".hid", "..", "a/b", "", "x" * 201)]
    [True, True, False, False, False, False]
    """
    return (
        bool(_RUN_NAME.fullmatch(name)) and name not in {".", ".."} and len(name) <= MOST_NAME_CHARS
    )


def released_folder(folder: Path) -> Path:
    """The full set of a run: in `full` where `release` may hold no text of the books."""
    full = folder / FULL
    # `full` may hold a user's own files
    return full if (full / RELEASE_FILE).is_file() else folder / RELEASE


def link_name(number: int, label: str) -> str:
    """Name of a run's link to a stage's artifact.

    >>> link_name(3, "corpus train")
    '03-corpus-train'
    """
    return f"{number:02}-{label.replace(' ', '-')}"


def run_lock(folder: Path) -> Path:
    return folder.parent.parent / "store" / ".locks" / f"run-{folder.name}"


def name_lock(folder: Path) -> Path:
    """The lock of the command that makes a run of this name."""
    return folder.parent.parent / "store" / ".locks" / f"making-{folder.name}"


def lies_in_output(folder: Path) -> bool:
    """Whether a run's folder is `OUT/runs/NAME`, not a copy without a store."""
    return folder.parent.name == Store(Path()).runs.name


class Digested(Protocol):
    """A set of items with a digest."""

    @property
    def digest(self) -> str: ...


def evaluation_place(out: Path, name: str, items: Digested) -> Path:
    """The evaluation of exactly these items of a run."""
    return Store(out).root / "evaluations" / f"{name}-{items.digest}"


def check_as_written(folder: Path, *names: str) -> None:
    """UsageError unless these files of a run are unchanged."""
    for name in names:
        try:
            open_below(folder, name).close()
        except FileNotFoundError:
            pass  # named below
        except OSError as error:
            raise UsageError(
                f"{folder / name}: {error_text(error)}. A run's own files are not links. "
                "`cloze-gen run` rewrites it."
            ) from None
    changed = find_change(folder, only=names)
    if changed:
        raise UsageError(
            f"{changed} `cloze-gen run` rewrites it and keeps your changed files next to it."
        )


def leads_to(path: Path, kind: Callable[[Path], bool]) -> bool:
    """`kind(path)`; False for what can be no path."""
    try:
        return kind(path)
    except OSError:
        return False


def seek_run(out: Path, given: str | Path) -> Path | None:
    """A run by its name under `out`, its folder, or its release's folder; None without one."""
    path = Path(given)
    places = [Store(out).runs / given, path]
    if path.absolute().name in {RELEASE, FULL}:
        places.append(path.absolute().parent)
    return next((one for one in places if leads_to(one / RUN_FILE, Path.is_file)), None)


def find_run(out: Path, run: str | Path) -> Path:
    """As `seek_run`; UsageError without one or if `run.json` changed."""
    folder = seek_run(out, run)
    if folder is not None:
        check_as_written(folder, RUN_FILE)
        return folder
    known = ", ".join(sorted(folder.name for folder in run_folders(out))) or "none"
    is_folder = leads_to(Path(run), Path.is_dir)
    why = f"the folder of this name has no {RUN_FILE}" if is_folder else "no such folder"
    raise UsageError(
        f"no run {quote(str(run), most_chars=300)} in {out} (runs there: {known}), and {why}. Name "
        "another with --out, or run it to its end."
    )


def find_release(out: Path, given: str | Path) -> Path:
    """The folder of a release as given, or the release of a run by the run's name or folder."""
    folder = Path(given)
    run = None if leads_to(folder / RELEASE_FILE, os.path.lexists) else seek_run(out, given)
    if run is None:
        return folder
    released = released_folder(run)
    check_as_written(run, RUN_FILE, f"{released.name}/{RELEASE_FILE}")
    return released


# ---- the shape of `run.json`

_Plain = str | int | float | bool | None
_Setting = _Plain | list[_Plain] | dict[str, _Plain]


class _StageRecord(BaseModel):
    """A stage in `run.json`."""

    model_config = ConfigDict(strict=True)

    number: int = Field(gt=0, lt=1000)
    label: str = Field(pattern="^[a-z0-9 _-]+$")
    folder: str = Field(pattern="^[A-Za-z0-9_-]+$")
    fingerprint: str = Field(pattern="^[0-9a-f]+$")
    stage: str
    version: int
    settings: dict[str, _Setting]
    inputs: dict[str, str]


def _check_pattern(pattern: str) -> str:
    require(stays_within(pattern), "leaves the folder of the books")
    return pattern


class _RunRecord(BaseModel):
    """`run.json`; `patterns` are of files below the folder of a side."""

    model_config = ConfigDict(strict=True)

    name: str = Field(pattern=f"^{_RUN_NAME.pattern}$")
    style: str = Field(pattern="^[a-z-]+$")
    config: str = Field(pattern="^[^\0]*$")
    overrides: list[str]
    seed: int
    sample: bool
    patterns: dict[str, Annotated[str, AfterValidator(_check_pattern)]]
    settings: dict[str, dict[str, _Setting]]
    stages: list[_StageRecord] = Field(min_length=1)


_REMEDY = "Run again under this name to rewrite it."
_MAX_BYTES = 16 * 1024 * 1024  # a run of 522 books has 100 kB


def _unreadable(path: Path, error: Exception) -> UsageError:
    return UsageError(f"{path}: not readable as a run's description ({error}). {_REMEDY}")


def read_run(folder: Path) -> dict[str, Any]:
    """The contents of `run.json`; UsageError if unreadable or malformed."""
    path = folder / RUN_FILE
    try:
        with open_regular(path) as handle:
            text = handle.read(_MAX_BYTES)
    except OSError as error:
        raise _unreadable(path, error) from None

    try:
        run = parse_json(text)
    except ParseError as error:
        raise _unreadable(path, error) from None
    newer = newer_format(run.get("release_format")) if isinstance(run, dict) else ""
    if newer:
        raise NewerRunError(f"{path}: {newer}")
    try:
        _RunRecord.model_validate(run)
    except ValidationError as error:
        first = error.errors()[0]
        key = quote(".".join(map(str, first["loc"])) or "the whole record")
        raise UsageError(
            f"{path}: not the description of a run: {key}: {first['msg']}. {_REMEDY}"
        ) from None
    return dict(run)


def find_stage(folder: Path, label: str) -> Artifact | None:
    """A stage by label (`corpus train`), link (`03-corpus-train`) or number; None without it."""
    for stage in read_run(folder)["stages"]:
        link = link_name(stage["number"], stage["label"])
        if label in {stage["label"], stage["label"].replace(" ", "-"), link, str(stage["number"])}:
            return open_artifact(linked(folder, link))
    return None


def stage_artifacts(folder: Path) -> dict[str, Artifact]:
    """The artifact of each stage of a run, by label."""
    return {
        stage["label"]: open_artifact(linked(folder, link_name(stage["number"], stage["label"])))
        for stage in read_run(folder)["stages"]
    }


def linked(folder: Path, name: str) -> Path:
    """The target of a link in a run's folder; UsageError if it leaves the output folder."""
    path = folder / name
    if path.is_symlink() and leads_out(path.readlink(), name):
        raise UsageError(
            f"{path}: a link that leaves the output folder, which a run never has. "
            "`cloze-gen run` rewrites it."
        )
    return path


def stage_artifact(folder: Path, label: str) -> Artifact:
    """As `find_stage`, but UsageError without it."""
    artifact = find_stage(folder, label)
    if artifact is None:
        labels = ", ".join(stage["label"].replace(" ", "-") for stage in read_run(folder)["stages"])
        raise UsageError(f"{folder.name}: no stage {quote(label)}. Its stages: {labels}.")
    return artifact


def without_folders(value: Any) -> Any:
    """The same value with every path in it cut to its last name; a prefix such as ``hf:`` stays.

    >>> without_folders({"grooming": {"offensive_words": "/home/ann/list.txt", "max_ambiguity": 0.1}, "focus": {"classes": ["noun"]}})
    {'grooming': {'offensive_words': 'list.txt', 'max_ambiguity': 0.1}, 'focus': {'classes': ['noun']}}
    >>> without_folders(["ngram", "hf:/models/x/", "scores:answers/gpt2.jsonl"])
    ['ngram', 'hf:x', 'scores:gpt2.jsonl']
    """
    if isinstance(value, dict):
        return {key: without_folders(one) for key, one in value.items()}
    if isinstance(value, list):
        return [without_folders(one) for one in value]
    if not isinstance(value, str):
        return value
    prefix = _PREFIX.match(value)
    return (prefix[0] if prefix else "") + value.rstrip("/").rpartition("/")[2].removeprefix(
        prefix[0] if prefix else ""
    )

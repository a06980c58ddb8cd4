"""Finding a run and reading what it says of itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from cloze_gen.errors import UsageError
from cloze_gen.notation import reason, shown
from cloze_gen.store.artifacts import Artifact, Store, open_artifact
from cloze_gen.store.files import open_below
from cloze_gen.store.folder_replacement import find_change, leads_out
from cloze_gen.store.run_file import read_run_file

RUN_FILE, RELEASE, FULL, EVALUATION, EVALUATION_FILE = "run.json", "release", "full", "evaluation", "evaluation.json"
RELEASE_FILE = "release.json"  # in every release: what it says of itself
RUN_SCHEMA, EVALUATION_SCHEMA = "cloze-gen/run", "cloze-gen/evaluation"


def run_folders(out: Path) -> list[Path]:
    """The runs of an output folder, the one written last first; of one moment, by name."""
    found = [path for path in Store(out).runs.glob(f"*/{RUN_FILE}") if "~" not in path.parent.name]  # ~: being written
    return [path.parent for path in sorted(found, key=lambda path: (-path.stat().st_mtime_ns, path.parent.name))]


_RUN_NAME = re.compile(r"[A-Za-z0-9._-]+")
_PREFIX = re.compile(r"[a-z]+:")  # of a member of a committee: what kind of file or folder follows
MOST_NAME_CHARS = 200  # a release file's name is the run's and up to 40 characters more; file systems allow 255


def is_run_name(name: str) -> bool:
    """Whether a run may be called so: a name that is one file's on every system.

    >>> [is_run_name(name) for name in ("mine-2", ".hid", "..", "a/b", "", "x" * 201)]
    [True, True, False, False, False, False]
    """
    return bool(_RUN_NAME.fullmatch(name)) and name not in {".", ".."} and len(name) <= MOST_NAME_CHARS


def released_folder(folder: Path) -> Path:
    """Where the files of a run's set lie: in `release`, or, where that may hold no text of the books, in `full` beside it."""
    full = folder / FULL
    return full if (full / RELEASE_FILE).is_file() else folder / RELEASE  # a person may have laid something of theirs into `full`


def link_name(number: int, label: str) -> str:
    """The name of the link in a run's folder to a stage's artifact.

    >>> link_name(3, "corpus train")
    '03-corpus-train'
    """
    return f"{number:02}-{label.replace(' ', '-')}"


def run_lock(folder: Path) -> Path:
    """The lock file of whoever writes in a run's folder; it lies in the store, for a run may have any name, `.locks` too."""
    return folder.parent.parent / "store" / ".locks" / f"run-{folder.name}"


def name_lock(folder: Path) -> Path:
    """The lock file of the command that makes a run of this name, from its beginning to its end."""
    return folder.parent.parent / "store" / ".locks" / f"making-{folder.name}"


def lies_in_output(folder: Path) -> bool:
    """Whether a run's folder lies where runs are made, `OUT/runs/NAME`, or is a copy elsewhere, without a store."""
    return folder.parent.name == Store(Path()).runs.name


class Digested(Protocol):
    """A set of items that is known by what stands in it."""

    @property
    def digest(self) -> str: ...


def evaluation_place(out: Path, name: str, items: Digested) -> Path:
    """Where the evaluation of a run's items lies; other items under the same name have another place."""
    return Store(out).root / "evaluations" / f"{name}-{items.digest}"


def check_as_written(folder: Path, *names: str) -> None:
    """These files of a run, by their names in its folder, are what the run wrote, and files of this folder, reached through no link.

    Raises:
        UsageError: one was changed, is gone or is a link; says what to do.
    """
    for name in names:
        try:
            open_below(folder, name).close()
        except FileNotFoundError:
            pass  # named below
        except OSError as error:
            raise UsageError(f"{folder / name}: {reason(error)}. A run's own files are no links; `cloze-gen run` writes it anew.") from None
    changed = find_change(folder, only=names)
    if changed:
        raise UsageError(f"{changed} `cloze-gen run` writes it anew and keeps what was changed by hand beside it.")


def leads_to(path: Path, kind: Callable[[Path], bool]) -> bool:
    """Whether a path leads to a thing of this kind; what can be no path, as a name of 5,000 letters, leads nowhere."""
    try:
        return kind(path)
    except OSError:
        return False


def find_run(out: Path, run: str) -> Path:
    """A run by its name under `out`, or by its path.

    Raises:
        UsageError: there is none, listing those there are; or its `run.json` is not what was written.
    """
    for folder in (Store(out).runs / run, Path(run)):
        if leads_to(folder / RUN_FILE, Path.is_file):
            check_as_written(folder, RUN_FILE)
            return folder
    known = ", ".join(sorted(folder.name for folder in run_folders(out))) or "none"
    raise UsageError(f"no run {shown(run, most_chars=300)} in {out} (runs there: {known}), and no such folder. Name another with --out.")


def read_run(folder: Path) -> dict[str, Any]:
    """What a run says of itself; a UsageError where it is damaged."""
    return read_run_file(folder / RUN_FILE)


def find_stage(folder: Path, label: str) -> Artifact | None:
    """The artifact of one of a run's stages, by its label (`corpus train`), its link (`03-corpus-train`) or its number; None without it."""
    for stage in read_run(folder)["stages"]:
        link = link_name(stage["number"], stage["label"])
        if label in {stage["label"], stage["label"].replace(" ", "-"), link, str(stage["number"])}:
            return open_artifact(linked(folder, link))
    return None


def linked(folder: Path, name: str) -> Path:
    """What a run's folder links: one of its stages, its evaluation.

    Raises:
        UsageError: the link leaves the output folder, so it is none of ours.
    """
    path = folder / name
    if path.is_symlink() and leads_out(path.readlink(), name):
        raise UsageError(f"{path}: a link that leaves the output folder, which no run of ours has. `cloze-gen run` writes it anew.")
    return path


def stage_artifact(folder: Path, label: str) -> Artifact:
    """As `find_stage`.

    Raises:
        UsageError: the run has no such stage; lists those it has.
    """
    artifact = find_stage(folder, label)
    if artifact is None:
        labels = ", ".join(stage["label"].replace(" ", "-") for stage in read_run(folder)["stages"])
        raise UsageError(f"{folder.name}: no stage {shown(label)}. Its stages: {labels}.")
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
    return (prefix[0] if prefix else "") + value.rstrip("/").rpartition("/")[2].removeprefix(prefix[0] if prefix else "")

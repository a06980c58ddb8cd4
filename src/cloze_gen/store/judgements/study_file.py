"""`study.json`: what a study is of, fixed when it is made and sealed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cloze_gen.errors import DamageError, UsageError
from cloze_gen.notation import shown
from cloze_gen.records.judgement import Task
from cloze_gen.store.manifest import SEAL, read_manifest, write_manifest

JUDGEMENTS = "judgements"  # the folder beside `runs`, which nothing sweeps
STUDY_FILE, SCHEMA = "study.json", "cloze-gen/study/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFacts:
    """What a study is of.

    Attributes:
        run, style: the run that its items are of, and that run's style.
        of: label of what items were drawn from (a stage, or ``release``) -> its fingerprint, or digest of its items; other sets that are
            read with them by their name.
        settings: `judging.settings.StudySettings` as values of JSON.
        rules: settings of the run that say how judges are asked (of guessing), as values of JSON.
        secret: 32 hexadecimal digits that ids and orders are drawn from, so that nobody can tell them beforehand.
        items: how many there are; `digest` is of all of them.
    """

    schema: str
    name: str
    task: Task
    run: str
    style: str
    of: Mapping[str, str]
    settings: Mapping[str, Any]
    rules: Mapping[str, Any]
    secret: str
    items: int
    digest: str


def write_study_file(folder: Path, facts: StudyFacts) -> None:
    """Write it down; its owner's alone, for whoever knows the secret can tell ids and orders."""
    write_manifest(folder / STUDY_FILE, asdict(facts))
    (folder / STUDY_FILE).chmod(0o600)


def read_study_file(folder: Path) -> StudyFacts:
    """What a study says of itself.

    Raises:
        UsageError: there is none, or it is damaged or of another version.
    """
    try:
        record = read_manifest(folder / STUDY_FILE)
        facts = TypeAdapter(StudyFacts).validate_python({name: value for name, value in record.items() if name != SEAL})
    except DamageError as error:
        raise UsageError(f"{error.what} A study cannot be read without it; put its copy back.") from None
    except ValidationError:
        raise UsageError(f"{folder / STUDY_FILE}: has not the shape of a study of this version. Nothing was changed.") from None
    if facts.schema != SCHEMA:
        raise UsageError(f"{folder / STUDY_FILE}: is of schema {shown(facts.schema)}; this version reads {SCHEMA}.")
    return facts


def study_folders(out: Path) -> list[Path]:
    """The studies of an output folder, by name."""
    return sorted(path.parent for path in (out / JUDGEMENTS).glob(f"*/{STUDY_FILE}"))


def find_study(out: Path, study: str) -> Path:
    """A study by its name under `out`, or by its path.

    Raises:
        UsageError: there is none; lists those there are.
    """
    for folder in (out / JUDGEMENTS / study, Path(study)):
        try:
            if (folder / STUDY_FILE).is_file():
                return folder
        except (OSError, ValueError):
            continue
    known = ", ".join(path.name for path in study_folders(out)) or "none"
    raise UsageError(
        f"no study {shown(study, most_chars=300)} in {out / JUDGEMENTS} (studies there: {known}). `cloze-gen judge new RUN` makes one."
    )

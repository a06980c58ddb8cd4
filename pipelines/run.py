"""A run: a folder of numbered links to the stages it used, what it was made with, and the release."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, ClassVar

import luigi
from pydantic import BaseModel

from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.pipelines.corpus import StyleTask
from cloze_gen.pipelines.task import PipelineTask, StageTask, stage_order
from cloze_gen.report.funnel import FunnelStep, funnel_steps
from cloze_gen.stages.corpus.book_table import kept_books, read_books
from cloze_gen.stages.corpus.dropped import dropped_notes
from cloze_gen.stages.evaluation.question_sets import read_question_set
from cloze_gen.stages.release import ReleaseFormat, make_signature, write_release
from cloze_gen.stages.tables import QUESTIONS
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.locks import exclusive_lock, sweep_leavings
from cloze_gen.store.manifest import write_json
from cloze_gen.store.published import find_change, leavings, replace_published
from cloze_gen.store.runs import EVALUATION, RELEASE, RUN_FILE, RUN_SCHEMA, evaluation_place, link_name, run_lock, without_folders

_RUN_NAME = re.compile(r"[A-Za-z0-9._-]+")
_MAX_NAME_CHARS = 200  # a release file's name is the run's and up to 30 characters more; file systems allow 255


def check_run_name(name: str) -> str:
    """A run's name, or a UsageError: `[A-Za-z0-9._-]+`, and neither `.` nor `..`."""
    if not _RUN_NAME.fullmatch(name) or name in {".", ".."}:
        raise UsageError(f"run name {name!r}: use only A-Z a-z 0-9 . _ - (and not . or ..)")
    if len(name) > _MAX_NAME_CHARS:
        raise UsageError(f"run name {name[:20]}...: {len(name)} characters, more than {_MAX_NAME_CHARS}; choose a shorter one")
    return name


class RunTarget(luigi.Target):
    """The run's folder says the same as this task would write."""

    def __init__(self, folder: Path, description: dict[str, Any], links: dict[str, str]) -> None:
        self._folder, self._description, self._links = folder, description, links

    def exists(self) -> bool:
        if leavings(self._folder) or find_change(self._folder) is not None:
            return False
        written = json.loads((self._folder / RUN_FILE).read_text(encoding="utf-8"))
        return written == self._description and all((self._folder / name).readlink() == Path(to) for name, to in self._links.items())


class RunTask(PipelineTask):
    """The root of a style's DAG. Its name is no stage's setting: renaming writes another folder and runs no stage."""

    name = luigi.Parameter(default="", description="name of the run; empty: the config's name")

    model: ClassVar[type[BaseModel]]
    default_config: ClassVar[str]
    sample_config: ClassVar[str]
    style_name: ClassVar[str]
    release_format: ClassVar[ReleaseFormat]
    questions_task: ClassVar[type[StyleTask]]

    @property
    def questions(self) -> StyleTask:
        return self.clone(self.questions_task, style=self.style_name)

    @property
    def all_settings(self) -> Any:
        return self.questions.all_settings

    def stages(self) -> list[StageTask]:
        return stage_order(self.questions)

    def requires(self) -> list[StageTask]:
        return self.stages()  # all of them: an artifact deleted below a finished one is made again

    @property
    def run_name(self) -> str:
        return check_run_name(self.name or (self.default_config if self.train else self.sample_config))

    @property
    def folder(self) -> Path:
        return Store(Path(self.out)).runs / self.run_name

    def description(self) -> dict[str, Any]:
        """What `run.json` says: everything needed to explain or repeat the run, no path of the machine among it."""
        config = os.path.relpath(self.config, self.folder) if "/" in self.config or self.config.endswith(".toml") else self.config
        stages = [
            {"number": number, "label": task.label, "folder": task.key.folder_name, "fingerprint": task.key.fingerprint}
            | task.key.described()
            for number, task in enumerate(self.stages(), 1)
        ]
        return {
            "name": self.run_name,
            "style": self.style_name,
            "config": config,
            "overrides": json.loads(self.overrides),
            "seed": self.seed,
            "sample": not self.train,
            "settings": self.published_settings(),
            "stages": stages,
        }

    def published_settings(self) -> dict[str, Any]:
        """All settings as values of JSON; of a file that one names, its name without the user's own folders."""
        return without_folders(self.all_settings.model_dump(mode="json"))

    def links(self) -> dict[str, str]:
        links = {link_name(number, task.label): f"../../store/{task.key.folder_name}" for number, task in enumerate(self.stages(), 1)}
        for side in ("train", "source"):
            links[f"corpus-{side}"] = os.path.relpath(os.path.realpath(self.questions.folder(side)), os.path.realpath(self.folder))
        return links

    def output(self) -> RunTarget:
        return RunTarget(self.folder, self.description(), self.links())

    def complete(self) -> bool:
        return all(task.complete() for task in self.stages()) and self.output().exists()

    def run(self) -> None:
        with exclusive_lock(run_lock(self.folder)):
            sweep_leavings(self.store.runs)
            changed = find_change(self.folder) if (self.folder / RUN_FILE).exists() else None
            if changed:
                say(f"{self.run_name}: {changed} The run's folder is written anew.")
            for line in replace_published(self.folder, RUN_SCHEMA, self._write_folder):
                say(f"{self.run_name}: {line}")

    def _write_folder(self, folder: Path) -> None:
        """Everything in the run's folder; an evaluation of the very same questions comes with it."""
        for name, target in self.links().items():
            (folder / name).symlink_to(target)
        (folder / RELEASE).mkdir()
        self._write_release(folder / RELEASE)
        write_json(folder / RUN_FILE, self.description())
        place = evaluation_place(self.store.root, self.run_name, read_question_set(folder / RELEASE / QUESTIONS))
        if place.is_dir() and find_change(place) is None:
            (folder / EVALUATION).symlink_to(os.path.relpath(place, self.folder))
        _write_report(folder)

    def _write_release(self, folder: Path) -> None:
        questions = self.store.open(self.questions.key)
        write_release(
            folder,
            name=self.run_name,
            form=self.release_format,
            questions=questions,
            books=kept_books(self.stage_artifact("books", "corpus source")),
            notes=self.notes(),
            steps=self.steps(),
            settings=self.published_settings(),
            n_wanted=int(questions.facts["wanted"]),
            signature=self.signature(),
            seed=self.seed,
            harness=self.all_settings.release.harness,
        )

    def stage_artifact(self, *labels: str) -> Artifact:
        """The artifact of the first of these stages that the run has."""
        keys = {task.label: task.key for task in self.stages()}
        return self.store.open(next(keys[label] for label in labels if label in keys))

    def steps(self) -> list[FunnelStep]:
        return funnel_steps((task.label, self.store.open(task.key).manifest) for task in self.stages())

    def signature(self) -> str:
        prints = {task.label: task.key.fingerprint for task in self.stages()}
        questions = self.store.open(self.questions.key)
        return make_signature(
            style=self.style_name.removesuffix("_style"),
            name=self.run_name,
            train=prints["corpus train"][:8],
            source=prints["corpus source"][:8],
            model=self.model_name(),
            seed=self.seed,
            n=int(questions.funnel["kept"]),
            questions=questions.manifest["files"][QUESTIONS]["sha256"],
        )

    def model_name(self) -> str:
        """The model behind the set, for its signature."""
        return "none"

    def style_notes(self) -> list[str]:
        """What a user must know of this style's settings."""
        return []

    def notes(self) -> list[str]:
        """What a user of the set must know."""
        books = read_books(self.stage_artifact("books", "corpus source"))
        kept = {row["book_id"] for row in books if row["status"] == "kept"}
        leaks = [book for book in self.stage_artifact("corpus source").facts["kept_although_overlapping"] if book in kept]
        notes = ["groomed: machine (no human has judged the candidates)", *self.style_notes()]
        notes.append(f"books on both sides: {self.all_settings.overlap.across}")
        notes += [f"leak: source book {book} overlaps the training corpus and was kept (overlap.across = keep)" for book in leaks]
        return notes + dropped_notes(books)


def _write_report(folder: Path) -> None:
    from cloze_gen.commands.report import write_report  # here, for matplotlib takes most of a second to load

    write_report(folder)

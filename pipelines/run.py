"""A run: a folder with numbered links to its stages, its settings, and the release."""

from __future__ import annotations

import functools
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import luigi
from luigi.task_register import Register

from cloze_gen.config import is_config_file
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.parsing import quote
from cloze_gen.pipelines.books import SIDES, Books
from cloze_gen.pipelines.stage import Pipeline, PipelineTask, Stage, StageTask
from cloze_gen.pipelines.styles import find_style, load_settings, style_of_run
from cloze_gen.records.release_facts import RELEASE_FORMAT
from cloze_gen.release.settings import public_settings
from cloze_gen.release.style import FinishedRun, Style
from cloze_gen.store.artifacts import Store
from cloze_gen.store.folder_replacement import find_change, replace_entries, rewrite_entries
from cloze_gen.store.locks import exclusive_lock, remove_stale_temp_dirs
from cloze_gen.store.manifest import write_json
from cloze_gen.store.runs import (
    EVALUATION,
    MOST_NAME_CHARS,
    RUN_FILE,
    RUN_SCHEMA,
    NewerRunError,
    check_as_written,
    evaluation_place,
    is_run_name,
    link_name,
    read_run,
    released_folder,
    run_lock,
    stage_artifacts,
)
from cloze_gen.store.tables import escape_cell


def check_run_name(name: str) -> str:
    """A run's name, or a UsageError."""
    if not is_run_name(name):
        raise UsageError(
            f"run name {quote(name)}: only A-Z a-z 0-9 . _ - are allowed, at most "
            f"{MOST_NAME_CHARS} of them, and not . or .. alone. Choose another name"
        )
    return name


class RunTask(PipelineTask):
    """A run. Another name writes another folder and runs no stage."""

    style = luigi.Parameter(description="name of the style")
    name = luigi.Parameter(default="", description="name of the run; empty: the style's name")
    config = luigi.Parameter(
        default="", description="a built-in config's name or a TOML file; empty: the style's own"
    )
    overrides = luigi.ListParameter[tuple[str, ...]](
        default=(), description="JSON list of group.key=value settings"
    )
    train = luigi.Parameter(
        default="",
        description="training books: folder, file or pattern; empty: the source books, or the sample",
    )
    source = luigi.Parameter(
        default="", description="source books: folder, file or pattern; empty: the embedded sample"
    )
    books = luigi.Parameter(
        default="",
        description="books of a style of one side: folder, file or pattern; empty: the sample",
    )
    out = luigi.Parameter(default="artifacts", description="output folder")
    seed = luigi.IntParameter(default=1, description="random seed")
    processes = luigi.IntParameter(
        default=2,
        significant=False,
        description="processes of the local engine (Luigi has its own `--workers`)",
    )
    engine = luigi.Parameter(
        default="local", significant=False, description="local, or dask:ADDRESS"
    )
    plan_only = luigi.BoolParameter(
        default=False, significant=False, description="write nothing: the run is only planned"
    )
    strict = luigi.BoolParameter(
        default=False, significant=False, description="stop the run if a book is dropped"
    )

    @property
    def of_style(self) -> Style:
        return find_style(self.style)

    @functools.cached_property
    def sides(self) -> Books:
        return Books.of(self.of_style, {side: getattr(self, side) for side in SIDES})

    @property
    def config_used(self) -> str:
        """The given config, else the default for the given books."""
        return str(self.config) or self.sides.config

    @functools.cached_property
    def settings(self) -> Any:
        return load_settings(self.of_style.settings, self.config_used, self.overrides)

    @functools.cached_property
    def pipeline(self) -> Pipeline:
        """The stages of the run, in the order of the links; books are listed and hashed here."""
        pipeline = Pipeline(
            store=self.store,
            seed=self.seed,
            workers=self.processes,
            engine_name=self.engine,
            strict=self.strict,
            remedy=self._remedy,
        )
        with tempfile.TemporaryDirectory(prefix="cloze-gen-plan-") as scratch:
            pipeline.scratch = Store(Path(scratch)) if self.plan_only else None
            self.of_style.stages(pipeline, self.sides, self.settings)
        return pipeline

    @property
    def store(self) -> Store:
        return Store(Path(self.out))

    @property
    def stages(self) -> list[Stage]:
        return self.pipeline.stages

    def _remedy(self, stage: Stage) -> str:
        alone = self.of_style.own_background and not self.train
        train = ", give other novels as --train" if alone else ""
        of_stage = stage.arguments.get("settings")
        relax = "".join(
            f", or relax the settings in [{name}] (`cloze-gen settings {self.style}` lists them)"
            for name, group in self.settings
            if group is of_stage
        )
        chosen = ", ".join(quote(one, most_chars=60) for one in self.overrides)
        return f"Give more books{train}{relax}.{f' You chose {chosen}.' if chosen else ''}"

    def requires(self) -> list[StageTask]:
        # all stages: an artifact deleted below a finished one is rebuilt
        return [StageTask(stage=stage, pipeline=self.pipeline) for stage in self.stages]

    @property
    def run_name(self) -> str:
        return check_run_name(self.name or self.of_style.name)

    @property
    def folder(self) -> Path:
        return self.store.runs / self.run_name

    def description(self) -> dict[str, Any]:
        """The contents of `run.json`: everything needed to repeat the run, and no path of the
        machine.
        """
        config = (
            escape_cell(os.path.relpath(self.config, self.folder))
            if is_config_file(self.config)
            else self.config
        )
        stages = [
            {
                "number": number,
                "label": stage.label,
                "folder": stage.key.folder_name,
                "fingerprint": stage.key.fingerprint,
            }
            | stage.key.described()
            for number, stage in enumerate(self.stages, 1)
        ]
        patterns = {
            side: pattern
            for side in self.sides.given
            if (pattern := self.sides.location(side).pattern)
        }
        return {
            "name": self.run_name,
            "style": self.style,
            "config": config,
            "overrides": list(self.overrides),
            "seed": self.seed,
            "sample": self.sides.is_sample,
            "patterns": patterns,
            "release_format": RELEASE_FORMAT,
            "settings": public_settings(self.settings.model_dump(mode="json")),
            "stages": stages,
        }

    def links(self) -> dict[str, str]:
        links = {
            link_name(number, stage.label): f"../../store/{stage.key.folder_name}"
            for number, stage in enumerate(self.stages, 1)
        }
        for side in self.sides.given or self.of_style.sides:
            links[f"corpus-{side}"] = os.path.relpath(
                os.path.realpath(self.sides.location(side).root), os.path.realpath(self.folder)
            )
        return links

    def complete(self) -> bool:
        if not all(map(self.pipeline.is_complete, self.stages)):
            return False
        if find_change(self.folder) is not None:
            return False
        written = json.loads((self.folder / RUN_FILE).read_text(encoding="utf-8"))
        return written == self.description() and all(
            (self.folder / name).readlink() == Path(to) for name, to in self.links().items()
        )

    def run(self) -> None:
        with exclusive_lock(run_lock(self.folder)):
            remove_stale_temp_dirs(self.store.runs)
            changed = find_change(self.folder) if (self.folder / RUN_FILE).exists() else None
            if changed:
                say(f"{self.run_name}: {changed} The run's folder is rewritten.")
            for line in replace_entries(self.folder, RUN_SCHEMA, self._write_folder):
                say(f"{self.run_name}: {line}")

    def written(self) -> dict[str, Any] | None:
        """`run.json` of the run of this name; None: there is none, or a damaged one.

        UsageError if a newer version of cloze-gen made it.
        """
        folder = self.folder
        try:
            written = read_run(folder)
            check_as_written(folder, RUN_FILE)
        except NewerRunError:
            raise
        except UsageError:
            return None
        return written

    def _write_folder(self, folder: Path) -> None:
        """Everything of the run, with an existing evaluation of exactly these items."""
        for name, target in self.links().items():
            (folder / name).symlink_to(target)
        from cloze_gen.release.publish import publish  # slow to import
        from cloze_gen.release.report import write_report

        run = FinishedRun(
            name=self.run_name,
            seed=self.seed,
            settings=self.settings,
            artifacts={stage.label: self.pipeline.open(stage) for stage in self.stages},
            books=self.sides.location(self.of_style.drawn_from),
            store=self.store,
            sample=self.sides.is_sample,
            overrides=self.overrides,
        )
        publish(folder, self.of_style, run)
        write_json(folder / RUN_FILE, self.description())
        items = self.of_style.items
        place = evaluation_place(
            self.store.root, self.run_name, items.read_set(released_folder(folder) / items.file)
        )
        if place.is_dir() and find_change(place) is None:
            (folder / EVALUATION).symlink_to(os.path.relpath(place, self.folder))
        write_report(folder, self.of_style)


def new_run(**parameters: Any) -> RunTask:
    """A run that reads its books and config again: Luigi would return an earlier task."""
    Register.clear_instance_cache()  # type: ignore[no-untyped-call]
    return RunTask(**parameters)


def renew_report(folder: Path, evaluation: Path | None = None) -> None:
    """Rewrite a finished run's report by replacing the run's folder; the caller holds its lock."""
    from cloze_gen.release.report import write_report  # slow to import

    check_as_written(folder)
    stage_artifacts(folder)  # report faults here, with the final name of the folder

    def change(partial: Path) -> None:
        if evaluation is not None:
            (partial / EVALUATION).unlink(missing_ok=True)
            (partial / EVALUATION).symlink_to(os.path.relpath(evaluation, folder))
        write_report(partial, style_of_run(folder))

    for line in rewrite_entries(folder, RUN_SCHEMA, change):
        say(f"{folder.name}: {line}")

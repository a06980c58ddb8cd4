"""The baselines' trained models as tasks: training text as printed -> n-gram index, smoothed models, LSA. Shared by all evaluations."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import luigi

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.engine.progress import say
from cloze_gen.errors import StoreError
from cloze_gen.pipelines.build import build, given_back, log_file, logged
from cloze_gen.pipelines.corpus import Corpus, Counts, TrainingText, scanned
from cloze_gen.pipelines.models import Index, LanguageModel
from cloze_gen.pipelines.task import PipelineTask, StageTask, current_engine, look_ahead
from cloze_gen.stages.corpus.book_table import kept_books
from cloze_gen.stages.evaluation.models import EVAL_LMS, LSA, write_evaluation_lm, write_lsa, write_match_index
from cloze_gen.stages.evaluation.text import write_evaluation_text
from cloze_gen.stages.models.language_model import LmSettings
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.keys import StageKey

# A training text below this many bytes is too small for Kneser-Ney discounts (the sample has 250 kB); lmplz's fixed ones serve.
_SMALL_CORPUS_BYTES = 5_000_000


class Finished(StageTask):
    """An artifact that a run left in the store, known by its folder's name."""

    stage = "finished"
    folder = luigi.Parameter()

    @functools.cached_property
    def key(self) -> StageKey:
        manifest = open_artifact(self.store.store / self.folder).manifest
        return StageKey(**{name: manifest[name] for name in ("stage", "version", "settings", "inputs", "seed")})

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        raise StoreError(f"{self.store.store / self.folder}: gone from the store; run the run again to rebuild it")


class FromCorpus(StageTask):
    """A stage over the training books of a run, which are in the store, or of --train, which may have to be read first."""

    corpus = luigi.Parameter(default="", description="folder in the store of a run's training books; empty: made from --train")
    lm = luigi.Parameter(default="{}", description="settings of the generating model, as JSON")
    style = luigi.Parameter(default="holmes-style", description="of whose settings the books are read with")
    left_out = luigi.Parameter(default="", description="folder in the store of items whose sentences no baseline may read; empty: none")

    def training_books(self) -> StageTask:
        """The run's own, as they lie in the store; else the kept books of --train."""
        return self.clone(Finished, folder=self.corpus) if self.corpus else self.clone(Corpus, side="train")


class CorpusCounts(FromCorpus, Counts):
    """As `Counts`, of the same fingerprint."""


class CorpusText(FromCorpus, TrainingText):
    """As `TrainingText`, of the same fingerprint."""

    needs = {"counts": CorpusCounts}


class CorpusLanguageModel(FromCorpus, LanguageModel):
    """As the run's `LanguageModel`, of the same fingerprint."""

    needs = {"text": CorpusText}

    @property
    def own(self) -> LmSettings:
        return LmSettings.model_validate_json(self.lm)


class CorpusIndex(FromCorpus, Index):
    """As the run's `Index`, of the same fingerprint."""

    needs = {"model": CorpusLanguageModel}


class EvaluationText(FromCorpus):
    """The training sentences as published questions print them."""

    stage = "eval-text"

    def inputs(self) -> dict[str, StageTask]:
        items = {"left_out": self.clone(Finished, folder=self.left_out)} if self.left_out else {}
        return {"text": self.clone(CorpusText), "counts": self.clone(CorpusCounts)} | items

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_evaluation_text(writer, room, **self.artifacts())

    def artifacts(self) -> dict[str, Artifact]:
        return {name: self.artifact(name) for name in self.inputs()}


class OverText(FromCorpus):
    """A model of the printed text."""

    def inputs(self) -> dict[str, StageTask]:
        return {"text": self.clone(EvaluationText)}


class MatchIndex(OverText):
    """The n-grams of the simple 4-gram baseline (MSR 4.1)."""

    stage = "match-index"

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_match_index(writer, room, text=self.artifact("text"))


class EvaluationLm(OverText):
    """A smoothed n-gram model (MSR 4.2)."""

    stage = "eval-lm"
    outside = True
    order = luigi.IntParameter()

    @property
    def label(self) -> str:
        return f"eval-lm {self.order}-gram"

    def settings(self) -> dict[str, Any]:
        return asdict(EVAL_LMS[self.order])

    def look_ahead(self) -> None:
        find_lmplz()

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_evaluation_lm(writer, room, text=self.artifact("text"), sizes=EVAL_LMS[self.order])


class Lsa(OverText):
    """Word vectors of the LSA baseline (MSR 4.3)."""

    stage = "lsa"

    def settings(self) -> dict[str, Any]:
        return asdict(LSA)

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_lsa(writer, room, text=self.artifact("text"), sizes=LSA)


class AllModels(PipelineTask):
    """Nothing but its models. What lies below a finished model is not asked for: it may be gone."""

    models: Sequence[StageTask] = ()

    def requires(self) -> Sequence[StageTask]:
        return self.models

    def complete(self) -> bool:
        return all(model.complete() for model in self.models)


def model_tasks(base: FromCorpus) -> dict[str, StageTask]:
    """The models by the names that `evaluate.words.baselines.MODELS` knows them by."""
    return {
        "index": base.clone(CorpusIndex),
        "counts": base.clone(CorpusCounts),
        "match": base.clone(MatchIndex),
        "3gram": base.clone(EvaluationLm, order=3),
        "4gram": base.clone(EvaluationLm, order=4),
        "lsa": base.clone(Lsa),
    }


def fit_models(
    corpus: CorpusText, tasks: Mapping[str, StageTask], *, workers: int, log_name: str
) -> tuple[dict[str, Artifact], list[dict[str, Any]]]:
    """The models, trained where they are not on disk.

    Args:
        corpus: the training text; the books' fingerprint is in it.
        tasks: name -> model over that text.
        log_name: of the log that is kept where something is trained.
    Returns:
        the artifacts by name; and what was trained in this call, by artifact: ``stage``, ``artifact`` (its folder's name), ``seconds``.
    """
    fitted: list[dict[str, Any]] = []

    @PipelineTask.event_handler(luigi.Event.PROCESSING_TIME)
    def remember(task: luigi.Task, seconds: float) -> None:
        if isinstance(task, StageTask):
            fitted.append({"stage": task.label, "artifact": task.key.folder_name, "seconds": round(seconds, 1)})

    root = corpus.clone(AllModels)
    root.models = list(tasks.values())
    root.store.sweep()
    try:
        if not root.complete():
            for task in tasks.values():
                look_ahead(task)
            with given_back(current_engine("local", workers)), logged(root.store, log_name):
                build(root)
            say(f"log: {log_file(root.store, log_name)}")
    finally:
        PipelineTask.remove_event_handler(luigi.Event.PROCESSING_TIME, remember)
    return {name: task.store.open(task.key) for name, task in tasks.items()}, sorted(fitted, key=lambda one: str(one["artifact"]))


def corpus_of_folder(train: str, out: Path, workers: int) -> CorpusText:
    """The training corpus of a folder, read with the settings of holmes-style, so that its runs share the artifacts."""
    size = sum(book.path.stat().st_size for book in scanned(train)[0] if book.path.is_file())
    return CorpusText(train=train, source=train, out=str(out), processes=workers, lm=json.dumps(_lm_settings(size)))


def corpus_of_run(run: Path, described: Mapping[str, Any], *, trained_on: str, workers: int, left_out: str = "") -> CorpusText | None:
    """The books that a run's own models were made of; None where it has no such books.

    Args:
        described: the run's `run.json`.
        trained_on: label of the stage that kept them (`Style.trained_on`).
        left_out: label of the stage whose items no baseline may read; empty: none stand in these books.
    """
    folders = {stage["label"]: stage["folder"] for stage in described["stages"]}
    folder = folders.get(trained_on)
    if folder is None:
        return None
    lm = described["settings"].get("lm")  # a style without a language model says nothing of it
    if lm is None:
        books = kept_books(open_artifact(run.parent.parent / "store" / folder))
        lm = _lm_settings(sum(int(row["book_bytes"]) for row in books))
    kept_out = folders[left_out] if left_out else ""
    return CorpusText(corpus=folder, out=str(run.parent.parent), processes=workers, lm=json.dumps(lm), left_out=kept_out)


def _lm_settings(corpus_bytes: int) -> dict[str, Any]:
    """Settings of the generating model where no run says them."""
    return {"discount_fallback": True} if corpus_bytes < _SMALL_CORPUS_BYTES else {}

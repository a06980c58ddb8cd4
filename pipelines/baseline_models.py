"""The baselines' models as tasks: training text -> n-gram index, smoothed models, LSA."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import luigi

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.corpus.books import kept_books
from cloze_gen.corpus.location import Location
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.engine.local import engine_scope
from cloze_gen.engine.progress import say
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import StoreError
from cloze_gen.evaluation.question_models import (
    EVAL_LMS,
    LSA,
    write_evaluation_lm,
    write_evaluation_text,
    write_lsa,
)
from cloze_gen.models.language_model import LmSettings
from cloze_gen.pipelines.corpus import (
    Corpus,
    Counts,
    Index,
    LanguageModel,
    TrainingText,
    scanned,
)
from cloze_gen.pipelines.task import (
    Build,
    PipelineTask,
    StageTask,
    build,
    log_file,
    logged,
    look_ahead,
)
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.fingerprint import StageKey

# A training text below this many bytes is too small for Kneser-Ney discounts (the sample has 250
# kB); lmplz's fixed ones serve.
_SMALL_CORPUS_BYTES = 5_000_000


class Finished(StageTask):
    """A run's artifact in the store, identified by its folder's name."""

    stage = "finished"
    folder = luigi.Parameter()

    @functools.cached_property
    def key(self) -> StageKey:
        manifest = open_artifact(self.store.store / self.folder).manifest
        return StageKey.of_manifest(manifest)

    def work(self, writer: ArtifactWriter, ctx: StageContext) -> None:
        raise StoreError(
            f"{self.store.store / self.folder}: missing from the store. Run `cloze-gen run` again to rebuild it."
        )


class FromCorpus(StageTask):
    """A stage over a run's stored training books or those of --train; its function gets `sizes`."""

    corpus = luigi.Parameter(
        default="",
        description="folder in the store of a run's training books; empty: made from --train",
    )
    lm = luigi.Parameter(default="{}", description="settings of the generating model, as JSON")
    style = luigi.Parameter(
        default="holmes-style", description="name of the style that reads the books"
    )
    left_out = luigi.Parameter(
        default="",
        description="folder in the store of items whose sentences no baseline may read; empty: none",
    )

    @property
    def sizes(self) -> Any:
        """A dataclass of model sizes, the settings."""
        return None

    def settings(self) -> dict[str, Any]:
        return super().settings() | (asdict(self.sizes) if self.sizes else {})

    def given(self) -> dict[str, Any]:
        return super().given() | ({"sizes": self.sizes} if self.sizes else {})

    def training_books(self) -> StageTask:
        return (
            self.clone(Finished, folder=self.corpus)
            if self.corpus
            else self.clone(Corpus, side="train")
        )


class CorpusCounts(FromCorpus, Counts):
    """`Counts` with the same fingerprint."""


class CorpusText(FromCorpus, TrainingText):
    needs = {"counts": CorpusCounts}


class CorpusLanguageModel(FromCorpus, LanguageModel):
    needs = {"text": CorpusText}

    @property
    def own(self) -> LmSettings:
        return LmSettings.model_validate_json(self.lm)


class CorpusIndex(FromCorpus, Index):
    needs = {"model": CorpusLanguageModel}


class EvaluationText(FromCorpus):
    """The training sentences as published questions print them."""

    stage = "eval-text"
    needs = {"text": CorpusText, "counts": CorpusCounts}
    write = staticmethod(write_evaluation_text)

    def inputs(self) -> dict[str, StageTask]:
        items = {"left_out": self.clone(Finished, folder=self.left_out)} if self.left_out else {}
        return super().inputs() | items


class EvaluationLm(FromCorpus):
    """A smoothed n-gram model (MSR 4.2)."""

    stage = "eval-lm"
    needs = {"text": EvaluationText}
    write = staticmethod(write_evaluation_lm)
    order: Any = luigi.IntParameter()

    @property
    def priority(self) -> int:
        """The largest first: the others are trained beside it."""
        return int(self.order)

    @property
    def label(self) -> str:
        return f"eval-lm {self.order}-gram"

    @property
    def sizes(self) -> Any:
        return EVAL_LMS[self.order]

    def given(self) -> dict[str, Any]:
        return super().given() | {"meanwhile": self.build.run_those_ready}

    def look_ahead(self) -> None:
        find_lmplz()


class Lsa(FromCorpus):
    """Word vectors of the LSA baseline (MSR 4.3)."""

    stage = "lsa"
    version = 2
    priority = 1 + max(EVAL_LMS)
    sizes = LSA
    needs = {"text": EvaluationText}
    write = staticmethod(write_lsa)

    def given(self) -> dict[str, Any]:
        return super().given() | {"meanwhile": self.build.run_those_ready}


class AllModels(PipelineTask):
    """Requires the models only; the inputs of a finished model may be gone."""

    models: Sequence[StageTask] = ()

    def requires(self) -> Sequence[StageTask]:
        return self.models

    def complete(self) -> bool:
        return all(model.complete() for model in self.models)


def model_tasks(base: FromCorpus) -> dict[str, StageTask]:
    """The models by their names in `evaluate.questions.MODELS`."""
    return {
        "index": base.clone(CorpusIndex),
        "counts": base.clone(CorpusCounts),
        "text": base.clone(EvaluationText),
        "3gram": base.clone(EvaluationLm, order=3),
        "4gram": base.clone(EvaluationLm, order=4),
        "lsa": base.clone(Lsa),
    }


def fit_models(
    corpus: CorpusText, tasks: Mapping[str, StageTask], *, workers: int, log_name: str
) -> tuple[dict[str, Artifact], list[dict[str, Any]]]:
    """The models over `corpus`, trained where they are not on disk.

    Returns:
        artifacts by name; and for each trained now ``stage``, ``artifact`` (folder name),
            ``seconds``.
    """
    root = corpus.clone(AllModels)
    root.models = list(tasks.values())
    # Without inputs: those of a finished model may be gone.
    corpus.build.stages = sorted(root.models, key=lambda model: -model.priority)
    root.store.sweep()
    if not root.complete():
        for task in tasks.values():
            look_ahead(task)
        engine = corpus.build.engine("local", workers)
        with root.store.in_use(), engine_scope(engine), logged(root.store, log_name):
            build(root)
        say(f"log: {log_file(root.store, log_name)}")
    fitted = [
        {"stage": task.label, "artifact": task.key.folder_name, "seconds": round(own, 1)}
        for task, own in corpus.build.seconds.items()
    ]
    return {name: task.store.open(task.key) for name, task in tasks.items()}, sorted(
        fitted, key=lambda one: str(one["artifact"])
    )


def corpus_of_folder(train: str, out: Path, workers: int) -> CorpusText:
    """The training corpus of a folder, read with holmes-style's settings to share its artifacts."""
    build = Build()
    books = build.once(scanned, Location.parse(train), InputSettings(), "train")[0]
    size = sum(book.path.stat().st_size for book in books if book.path.is_file())
    return CorpusText(
        build=build,
        train=train,
        source=train,
        out=str(out),
        processes=workers,
        lm=json.dumps(_lm_settings(size)),
    )


def corpus_of_run(
    run: Path, described: Mapping[str, Any], *, trained_on: str, workers: int, left_out: str = ""
) -> CorpusText | None:
    """The books that a run's own models were made of; None without such books.

    Args:
        trained_on: label of the stage that kept them (`Style.trained_on`).
        left_out: label of the stage whose items no baseline may read; empty without one.
    """
    folders = {stage["label"]: stage["folder"] for stage in described["stages"]}
    folder = folders.get(trained_on)
    if folder is None:
        return None
    lm = described["settings"].get("lm")  # a style without a language model has no such settings
    if lm is None:
        books = kept_books(open_artifact(run.parent.parent / "store" / folder))
        lm = _lm_settings(sum(int(row["book_bytes"]) for row in books))
    kept_out = folders[left_out] if left_out else ""
    return CorpusText(
        build=Build(),
        corpus=folder,
        out=str(run.parent.parent),
        processes=workers,
        lm=json.dumps(lm),
        left_out=kept_out,
    )


def _lm_settings(corpus_bytes: int) -> dict[str, Any]:
    """Settings of the generating model for runs that record none."""
    return {"discount_fallback": True} if corpus_bytes < _SMALL_CORPUS_BYTES else {}

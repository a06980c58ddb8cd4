"""The models of the baselines of an evaluation, as stages over a run's training books or others.

They use the stages of a run where these have the same arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.corpus.folder import Location
from cloze_gen.engine.local import engine_scope
from cloze_gen.errors import StoreError
from cloze_gen.evaluation import blank_baselines as of_blanks
from cloze_gen.evaluation.blank_models import write_blank_lsa
from cloze_gen.evaluation.passage_baselines import COUNTS, NETWORK_KINDS, NGRAMS
from cloze_gen.evaluation.passage_models import (
    BLANK_ORDER,
    PASSAGE_NETWORKS,
    PASSAGE_ORDER,
    write_passage_network,
    write_passage_ngrams,
)
from cloze_gen.evaluation.question_models import (
    SMOOTHED_ORDERS,
    write_evaluation_lm,
    write_evaluation_text,
    write_lsa,
)
from cloze_gen.models.language_model import LmSettings
from cloze_gen.pipelines.books import BookSettings, corpus, find_books, ingest
from cloze_gen.pipelines.shared import count_words, ngram_index, training_text
from cloze_gen.pipelines.stage import Pipeline, Stage, logged
from cloze_gen.store.artifacts import Artifact, Store, open_artifact
from cloze_gen.store.fingerprint import StageKey

# Of the generating model for books without a run that records them. The sample is too small to
# estimate discounts.
_LM = LmSettings(discount_fallback=True)
_TRAINED_ON = ("training novels", "corpus train")  # labels of stages with a run's training books


@dataclass(frozen=True)
class TrainingBooks:
    """The books of the baselines, with the stages that every kind of item uses.

    Attributes:
        lm: settings of the generating model.
        left_out: items whose sentences no baseline may read; None: none.
    """

    run: Pipeline
    counts: Stage
    text: Stage
    lm: LmSettings
    left_out: Stage | None = None


def books_of_folder(train: str, out: Path, workers: int) -> TrainingBooks:
    """The books of a folder, read with default settings to share the artifacts of runs."""
    run = Pipeline(store=Store(out), workers=workers)
    settings = BookSettings()
    found = find_books(run, Location.parse(train), settings.input, side="train")
    ingested = ingest(run, found, "train", settings=settings.ingest)
    kept = corpus(run, ingested, "train", "train")
    return _training_books(run, kept, _LM)


def books_of_run(
    folder: Path, described: Mapping[str, Any], *, workers: int, left_out: str = ""
) -> TrainingBooks | None:
    """The books that a run's own models were made of; None without such books.

    Args:
        left_out: label of the stage whose items no baseline may read; empty without one.
    """
    folders = {stage["label"]: stage["folder"] for stage in described["stages"]}
    trained_on = next((label for label in _TRAINED_ON if label in folders), None)
    if trained_on is None:
        return None
    run = Pipeline(store=Store(folder.parent.parent), workers=workers)
    settings = described["settings"].get("lm")  # a style without a language model has none
    lm = LmSettings(**settings) if settings else _LM
    items = _finished(run, folders[left_out]) if left_out else None
    return _training_books(run, _finished(run, folders[trained_on]), lm, left_out=items)


def _training_books(
    run: Pipeline, kept: Stage, lm: LmSettings, left_out: Stage | None = None
) -> TrainingBooks:
    counts = count_words(run, kept)
    text = training_text(run, kept, counts)
    return TrainingBooks(run, counts, text, lm, left_out)


def _finished(run: Pipeline, folder: str) -> Stage:
    """A run's artifact in the store, by the name of its folder."""
    path = run.store.store / folder

    def write(*_: Any) -> None:
        raise StoreError(f"{path}: missing from the store. Run `cloze-gen run` again.")

    key = StageKey.of_manifest(open_artifact(path).manifest)
    stage = Stage(key=key, label=f"finished {folder}", write=write, arguments={})
    run.stages.append(stage)
    return stage


def question_models(books: TrainingBooks) -> dict[str, Stage]:
    """The models by their names in `evaluation.questions.MODELS`."""
    run = books.run
    # The training sentences as published questions print them.
    text = run.stage(
        "eval-text",
        write_evaluation_text,
        text=books.text,
        counts=books.counts,
        left_out=books.left_out,
    )
    # Word vectors of the LSA baseline (MSR 4.3).
    lsa = run.stage("lsa", write_lsa, v=2, text=text)
    models = {
        "index": ngram_index(run, books.text, books.lm),
        "counts": books.counts,
        "text": text,
        "lsa": lsa,
    }
    for order in SMOOTHED_ORDERS:
        # A smoothed n-gram model (MSR 4.2).
        models[f"{order}gram"] = run.stage(
            "eval-lm",
            write_evaluation_lm,
            label=f"eval-lm {order}-gram",
            check=find_lmplz,
            text=text,
            order=order,
        )
    return models


def _passage_ngrams(books: TrainingBooks, order: int) -> Stage:
    return books.run.stage(
        "passage-ngrams",
        write_passage_ngrams,
        waits=True,
        check=find_lmplz,
        text=books.text,
        counts=books.counts,
        order=order,
    )


def passage_models(books: TrainingBooks, *, seed: int) -> dict[str, Stage]:
    """The models by their names in `evaluation.passage_baselines`."""
    models = {COUNTS: books.counts, NGRAMS: _passage_ngrams(books, PASSAGE_ORDER)}
    for kind in NETWORK_KINDS.values():
        models[kind] = books.run.stage(
            "passage-network",
            write_passage_network,
            label=f"passage-network {kind}",
            text=books.text,
            counts=books.counts,
            settings=PASSAGE_NETWORKS,
            kind=kind,
            seed=seed,
        )
    return models


def blank_models(books: TrainingBooks) -> dict[str, Stage]:
    """The models by their names in `evaluation.blank_baselines`."""
    # LSA word vectors for the coherence of sentences.
    lsa = books.run.stage("blank-lsa", write_blank_lsa, v=2, text=books.text, counts=books.counts)
    return {
        of_blanks.COUNTS: books.counts,
        of_blanks.TEXT: books.text,
        of_blanks.NGRAMS: _passage_ngrams(books, BLANK_ORDER),
        of_blanks.LSA: lsa,
    }


def fit_models(
    run: Pipeline, models: Mapping[str, Stage], *, log_name: str
) -> tuple[dict[str, Artifact], list[dict[str, str]]]:
    """Train the models that are not on disk; the inputs of a finished model may be gone.

    Returns:
        artifacts by name; and for each trained now ``stage`` and ``artifact`` (folder name).
    """
    run.store.sweep()
    missing = _missing(run, models.values())
    if missing:
        run.check_early(missing)
        with run.store.in_use(), engine_scope(run.engine), logged(run.store, log_name):
            run.run(missing)
    fitted = [{"stage": stage.label, "artifact": stage.key.folder_name} for stage in missing]
    return {name: run.open(stage) for name, stage in models.items()}, fitted


def _missing(run: Pipeline, stages: Iterable[Stage]) -> list[Stage]:
    """The missing ones of these stages, and of all that a missing one needs."""
    needed = {stage for stage in stages if not run.is_complete(stage)}
    for stage in reversed(run.stages):
        if stage in needed:
            needed.update(earlier for earlier in stage.inputs if not run.is_complete(earlier))
    return [stage for stage in run.stages if stage in needed]

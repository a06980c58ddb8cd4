"""Blanked passages evaluated: from every context and by both decoders, with the models that are not on disk yet trained on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.commands.asked import local_model_row, read_scores, user_row
from cloze_gen.commands.asked_blanks import AskedBlankedPassages
from cloze_gen.commands.evaluation_folder import EVALUATION_VERSION, place_of, show_in_report, write_evaluation
from cloze_gen.commands.people import read_people
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.evaluate.blanks.baselines import CLASSIFIERS, PASSAGES, RANDOM, RULES, TEXT, BlankBaseline, asks_for, pick
from cloze_gen.evaluate.blanks.metrics import bootstrap_draws
from cloze_gen.evaluate.blanks.people import human_blank_row
from cloze_gen.evaluate.blanks.results import BlankResult, context_results, matrix_results, prediction_rows, random_result
from cloze_gen.evaluate.blanks.rules import rule_results
from cloze_gen.evaluate.blanks.table import candidates_text, main_rows, people_text, result_row, table_text
from cloze_gen.evaluate.blanks.user_scores import ANSWER, parse_blank_scores
from cloze_gen.evaluate.selection import NO_BOOKS, left_out_lines, measurable
from cloze_gen.pipelines.baseline_models import fit_models
from cloze_gen.pipelines.passage_models import blank_tasks
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.judgement import Task
from cloze_gen.stages.asking.filling import passages_by_digest
from cloze_gen.stages.evaluation.blank_models import open_scorer
from cloze_gen.stages.evaluation.blank_scores import classifier_record, score_passages
from cloze_gen.stages.evaluation.local_blank_models import open_local_scorer
from cloze_gen.store.artifacts import Artifact, Store

_NO_PASSAGES = "no passages to learn from; give --train FILE"


def evaluate_blanks(
    asked: AskedBlankedPassages, *, only: Sequence[str], scores: Sequence[Path], people: Path | None, out: Path, workers: int, seed: int,
    write_to: Path | None, columns: int | None = None,
) -> str:  # fmt: skip
    """Evaluate, write `evaluation.json` and `predictions.jsonl`, and return the tables.

    Raises:
        UsageError: an unknown baseline, one that lacks what it is made from, or people who filled other passages.
        FormatError: the file of scores does not answer for these passages.
    """
    clock = Stopwatch()
    others = bool(scores or people or asks_for(only, RULES) or asks_for(only, CLASSIFIERS))
    baselines, missing = _chosen(asked, only, others=others)
    store = Store(out) if asked.corpus is None else asked.corpus.store
    passages = [one.passage for one in asked.items.passages]
    draws = bootstrap_draws(len(passages), seed=seed)
    # Those of the user's own first, for a mistake in them should not wait for the training.
    given = [one for path in scores for one in _given(path, passages, draws)]
    local = [one for row in baselines if row.folder for one in _scored(row, asked, {}, draws)]
    fillers = _fillers(people, asked, seed)
    models, fitted = _models(asked, baselines, only, workers)
    own = [row for row in baselines if not row.folder]
    results = [one for row in own for one in _scored(row, asked, models, draws)] + local + given
    alone = _alone(asked, only, models, draws)
    record = _record(asked, results, fitted, missing, seed) | alone
    machines = record["baselines"]
    record |= {"baselines": [*machines, *fillers["baselines"]], "people": fillers["people"]} if fillers else {}
    folder = write_to or place_of(asked, store)
    write_evaluation(folder, record, _predictions(results, passages, record["baselines"]), store)
    say(f"evaluate: done in {clock.seconds:.1f} s")
    if write_to is None:
        show_in_report(asked, folder)
    tables = [table_text(machines, columns=columns)] if results else []
    tables += [candidates_text(alone, columns=columns)] if alone else []
    told = ["", people_text(*fillers["baselines"], columns=columns), fillers["people"]["judged"]] if fillers else []
    return "\n".join([*tables, *left_out_lines(missing), *told, f"signature  {record['signature']}", f"written to {folder}"])


def _chosen(asked: AskedBlankedPassages, only: Sequence[str], *, others: bool) -> tuple[list[BlankBaseline], dict[str, str]]:
    """The baselines to compute, and row -> why of those that cannot be (`measurable`)."""
    rows = pick(only)
    missing = {row.name: NO_BOOKS for row in rows if asked.corpus is None and set(row.models) - {PASSAGES}}
    missing |= {row.name: _NO_PASSAGES for row in rows if not asked.training and PASSAGES in row.models}
    return measurable(rows, only, missing, others=others), missing


def _models(
    asked: AskedBlankedPassages, baselines: Sequence[BlankBaseline], only: Sequence[str], workers: int
) -> tuple[dict[str, Artifact], list[dict[str, Any]]]:
    """The models the baselines need, trained where they are not on disk, and what training took in this call."""
    of_classifiers = [TEXT] if asks_for(only, CLASSIFIERS) else []
    needed = [name for name in dict.fromkeys([*(name for row in baselines for name in row.models), *of_classifiers]) if name != PASSAGES]
    if asked.corpus is None or not needed:
        return {}, []
    tasks = blank_tasks(asked.corpus)
    return fit_models(asked.corpus, {name: tasks[name] for name in needed}, workers=workers, log_name=f"evaluate-{asked.name}")


def _scored(
    row: BlankBaseline, asked: AskedBlankedPassages, models: Mapping[str, Artifact], draws: NDArray[np.float64]
) -> Iterator[BlankResult]:
    """The rows of a baseline of ours, or of a model in a folder."""
    clock = Stopwatch()
    passages = [one.passage for one in asked.items.passages]
    if row == RANDOM:
        yield random_result(row, passages)
        return
    scorer = open_local_scorer(Path(row.folder)) if row.folder else open_scorer(row.name, models, asked.training)
    name = local_model_row(row.name) if row.folder else row.name
    found = score_passages(name, scorer, asked.items.passages)
    yield from context_results(BlankBaseline(name, row.kind, row.source), passages, found, draws, seconds=clock.seconds)


def _given(path: Path, passages: Sequence[BlankedPassage], draws: NDArray[np.float64]) -> Iterator[BlankResult]:
    """The rows of somebody's own scores."""
    text = read_scores(path, expected=f"JSON lines such as {ANSWER}, or a log of lm-evaluation-harness")
    found = parse_blank_scores(text, passages, name=path.name)
    yield from matrix_results(BlankBaseline(*user_row(path)), passages, found, draws)


def _fillers(path: Path | None, asked: AskedBlankedPassages, seed: int) -> dict[str, Any]:
    """How people filled the passages: their row; nothing where nobody was asked."""
    known = passages_by_digest(one.passage for one in asked.items.passages)
    found = read_people(path, Task.FILL, known, name=asked.name)
    row = found and human_blank_row(found.found, known, seed=seed, digest=found.file.digest)
    return {"baselines": [row], "people": found.record} if found else {}


def _alone(asked: AskedBlankedPassages, only: Sequence[str], models: Mapping[str, Artifact], draws: NDArray[np.float64]) -> dict[str, Any]:
    """What the candidates tell by themselves: `rules` and `candidates` of `evaluation.json`."""
    passages = asked.items.passages
    found: dict[str, Any] = {"rules": list(rule_results(passages, draws))} if asks_for(only, RULES) else {}
    if asks_for(only, CLASSIFIERS):
        found["candidates"] = classifier_record(passages, draws, models.get(TEXT))
    return found


def _predictions(
    results: Sequence[BlankResult], passages: Sequence[BlankedPassage], rows: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """What each baseline answers, as the main table has it."""
    main = {(row["name"], row["context"], row["decoder"]) for row in main_rows(rows)}
    for one in results:
        if (one.baseline.name, one.context, one.decoder) in main:
            yield from prediction_rows(one, passages)


def _record(
    asked: AskedBlankedPassages, results: Sequence[BlankResult], fitted: list[dict[str, Any]], missing: Mapping[str, str], seed: int
) -> dict[str, Any]:
    """The object of `evaluation.json`; its fields are told in `docs/evaluation.md`."""
    passages = [one.passage for one in asked.items.passages]
    return {
        "version": EVALUATION_VERSION,
        "items": "blanked passages",
        "n": len(passages),
        "blanks": sum(len(one.blanks) for one in passages),
        "learnt_from": len(asked.training),
        "signature": f"{asked.signature}{asked.trained}|seed:{seed}",
        "fitted": fitted,
        "left_out": dict(missing),
        "baselines": [result_row(one) for one in results],
    }

"""Passages evaluated: the rows of the paper's Table 1 over each set, with the models that are not on disk yet trained on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.commands.asked import local_model_row, read_scores, user_row
from cloze_gen.commands.asked_passages import AskedPassages
from cloze_gen.commands.evaluation_folder import EVALUATION_VERSION, place_of, show_in_report, write_evaluation
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.errors import UsageError
from cloze_gen.evaluate.passages.asked import AskedPassage
from cloze_gen.evaluate.passages.baselines import NETWORK_KINDS, NETWORKS, PassageBaseline, pick
from cloze_gen.evaluate.passages.results import PassageResult, prediction_rows, random_result, rule_result, scored_result
from cloze_gen.evaluate.passages.table import table_text
from cloze_gen.evaluate.selection import LOCAL_MODEL, NO_BOOKS, left_out_lines, measurable
from cloze_gen.notation import shown
from cloze_gen.pipelines.baseline_models import fit_models
from cloze_gen.pipelines.passage_models import passage_tasks
from cloze_gen.stages.evaluation.passage_scores import PassageScorer, causal_scores, given_scores, open_causal_model
from cloze_gen.store.artifacts import Artifact, Store

_SCORES = 'JSON lines such as {"id": ..., "log10_prob": ...}, or a log of lm-evaluation-harness'


def evaluate_passages(
    asked: AskedPassages, *, only: Sequence[str], scores: Sequence[Path], out: Path, workers: int, seed: int, write_to: Path | None,
    columns: int | None = None,
) -> str:  # fmt: skip
    """Evaluate, write `evaluation.json` and `predictions.jsonl`, and return the table.

    Raises:
        UsageError: an unknown baseline, one that sat on the committee, or one that lacks its training corpus.
        FormatError: the file of scores does not answer for these passages.
    """
    clock = Stopwatch()
    baselines, missing = _chosen(asked, only, others=bool(scores))
    store = Store(out) if asked.corpus is None else asked.corpus.store
    # Those of the user's own first, for a mistake in them should not wait for the training.
    given = [one for file in scores for one in _given(file, asked)]
    causal = [one for row in baselines if row.is_causal for one in _causal(row, asked)]
    models, fitted = _models(asked, baselines, workers, seed)
    scorer = PassageScorer(models)
    trained = [_measured(row, name, some, scorer) for row in baselines if not row.is_causal for name, some in asked.sets.items()]
    results = [*trained, *causal, *given]
    folder = write_to or place_of(asked, store)
    record = _record(asked, results, fitted, missing, seed)
    write_evaluation(folder, record, (row for one in results for row in prediction_rows(one)), store)
    say(f"evaluate: done in {clock.seconds:.1f} s")
    if write_to is None:
        show_in_report(asked, folder)
    told = [table_text(record["baselines"], columns=columns), *left_out_lines(missing)]
    return "\n".join([*told, f"signature  {record['signature']}", f"written to {folder}"])


def _chosen(asked: AskedPassages, only: Sequence[str], *, others: bool) -> tuple[list[PassageBaseline], dict[str, str]]:
    """The baselines to compute, and row -> why of those that are not (`measurable`)."""
    rows = pick(only)
    members = {Path(member.removeprefix(LOCAL_MODEL)).name for member in asked.members}
    for row in rows:
        if row.is_causal and Path(row.folder).name in members:
            raise UsageError(f"{shown(row.name)}: sat on the committee that chose these passages, which is no measure of it.")
    lacking = {row.name: NO_BOOKS for row in rows if row.models and asked.corpus is None}
    untrained = {} if only else dict.fromkeys(NETWORK_KINDS, f"trained only on request; give --only {NETWORKS}")
    return measurable(rows, only, lacking, others=others), lacking | untrained


def _models(
    asked: AskedPassages, baselines: Sequence[PassageBaseline], workers: int, seed: int
) -> tuple[dict[str, Artifact], list[dict[str, Any]]]:
    """The models the baselines need, trained where they are not on disk, and what training took in this call."""
    needed = list(dict.fromkeys(name for row in baselines for name in row.models))
    if asked.corpus is None or not needed:
        return {}, []
    tasks = passage_tasks(asked.corpus, seed=seed)
    return fit_models(asked.corpus, {name: tasks[name] for name in needed}, workers=workers, log_name=f"evaluate-{asked.name}")


def _measured(row: PassageBaseline, set_name: str, passages: Sequence[AskedPassage], scorer: PassageScorer) -> PassageResult:
    """A baseline on one set."""
    clock = Stopwatch()
    if row.kind == "random":
        return random_result(row, set_name, passages, words=scorer.guesses if row.models else ())
    if row.kind == "rule":
        return rule_result(row, set_name, passages)
    found = scorer.scores(row.name, passages)
    return scored_result(row.name, row.kind, row.source, set_name, passages, found, seconds=clock.seconds)


def _causal(row: PassageBaseline, asked: AskedPassages) -> Iterator[PassageResult]:
    """A causal model on each set, in each rendering that its passages have."""
    model = open_causal_model(Path(row.folder))
    for name, passages in asked.sets.items():
        for rendering in passages[0].prompts:
            clock = Stopwatch()
            found = causal_scores(model, passages, rendering)
            label = f"{local_model_row(row.name)} ({rendering})"
            yield scored_result(label, row.kind, row.source, name, passages, found, seconds=clock.seconds)


def _given(path: Path, asked: AskedPassages) -> list[PassageResult]:
    text = read_scores(path, expected=_SCORES)
    every = [one for passages in asked.sets.values() for one in passages]
    given_scores(text, every, name=path.name)  # an id that lacks its answer is told among those of all sets
    return [
        scored_result(*user_row(path), name, passages, given_scores(text, passages, name=path.name))
        for name, passages in asked.sets.items()
    ]


def _record(
    asked: AskedPassages, results: Sequence[PassageResult], fitted: list[dict[str, Any]], missing: Mapping[str, str], seed: int
) -> dict[str, Any]:
    """The object of `evaluation.json`; its fields are told in `docs/evaluation.md`."""
    return {
        "version": EVALUATION_VERSION,
        "items": "passages",
        "n": len(asked.items.passages),
        "sets": {name: len(passages) for name, passages in asked.sets.items()},
        "signature": f"{asked.signature}{asked.trained}|seed:{seed}",
        "fitted": fitted,
        "left_out": dict(missing),
        "baselines": [dict(one.row) for one in results],
    }

"""`cloze-gen evaluate`: questions in, every baseline's accuracy out, with the models that are not on disk yet trained on the way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.commands.asked_questions import Asked, find_asked
from cloze_gen.commands.evaluation_folder import EVALUATION_VERSION, check_place, write_evaluation
from cloze_gen.commands.report import renew_report
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.evaluate.chance import chance_accuracy
from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.evaluate.results import Baseline, BaselineResult, joint_tests, judge_scores
from cloze_gen.evaluate.table import prediction_rows, random_row, result_row, table_text
from cloze_gen.evaluate.user_scores import parse_user_scores
from cloze_gen.evaluate.words.baselines import as_found, models_for, pick, word_baselines
from cloze_gen.notation import reason
from cloze_gen.pipelines.baseline_models import fit_models
from cloze_gen.pipelines.build import forget_what_was_read
from cloze_gen.stages.evaluation.question_sets import read_question_set
from cloze_gen.stages.evaluation.word_scores import Scorer, judge
from cloze_gen.stages.report import REPORT
from cloze_gen.stages.tables import QUESTIONS
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.runs import RELEASE, evaluation_place, lies_in_output, run_lock


def evaluate(
    *, questions: str, answers: Path | None, train: str, only: Sequence[str], scores: Path | None, out: Path, workers: int, seed: int,
    write_to: Path | None = None,
) -> str:  # fmt: skip
    """Evaluate, write `evaluation.json` and `predictions.jsonl`, and return the table.

    Raises:
        UsageError: no such questions, no answers, an unknown baseline, or a folder to write to that holds other things.
    """
    clock = Stopwatch()
    forget_what_was_read()
    if write_to is not None:
        check_place(write_to)
    asked = find_asked(questions, answers=answers, train=train, out=out, workers=workers)
    baselines = _chosen(asked, only)
    store = Store(out) if asked.corpus is None else asked.corpus.store
    users = [] if scores is None else [_judge_user(scores, asked, seed)]  # first, for a mistake in it should not wait for the training
    models, fitted = _models(asked, baselines, workers)
    scorer = Scorer(asked.question_set, models)
    results = [judge(baseline, scorer, asked.question_set, seed=seed) for baseline in baselines] + users
    folder = write_to or _place(asked, store)
    record = _record(asked, results, fitted, seed, with_random=not only or "random" in only)
    write_evaluation(folder, record, (row for one in results for row in prediction_rows(one, asked.question_set.questions)), store)
    say(f"evaluate: done in {clock.seconds:.1f} s")
    if asked.run and write_to is None:
        _show_in_report(asked.run, asked.question_set, folder)
    return f"{table_text(record['baselines'])}\nsignature  {record['signature']}\nwritten to {folder}"


def _place(asked: Asked, store: Store) -> Path:
    """Where the evaluation of these questions lies: of a run's under its name."""
    if asked.run is None:
        return store.root / "evaluations" / asked.question_set.digest
    out = asked.run.parent.parent if lies_in_output(asked.run) else store.root
    return evaluation_place(out, asked.run.name, asked.question_set)


def _show_in_report(run: Path, asked: QuestionSet, evaluation: Path) -> None:
    """Show the evaluation in the run's report. A run without its store can be evaluated all the same."""
    if not lies_in_output(run):
        say(f"report: left as it was, for {run} lies in no output folder, where its stages would be")
        return
    try:
        with exclusive_lock(run_lock(run)):
            if read_question_set(run / RELEASE / QUESTIONS).digest != asked.digest:
                say("report: left as it was, for the run was made anew meanwhile, with other questions")
                return
            renew_report(run, evaluation)
        say(f"report: {run / RELEASE / REPORT} shows it")
    except ClozeGenError as error:
        say(f"report: left as it was, for it cannot be made anew: {error}")


def _chosen(asked: Asked, only: Sequence[str]) -> list[Baseline]:
    """The baselines to compute; what lacks a training corpus is left out, saying so."""
    questions = asked.question_set.questions
    picked = pick(word_baselines(max(asked.question_set.option_counts)), only)
    rows = [row if asked.balanced else as_found(row, questions) for row in picked]
    if asked.corpus is not None:
        return rows
    lacking = [row.name for row in rows if models_for(row, asked.question_set)]
    if lacking and only:
        raise UsageError(f"{', '.join(lacking)}: needs a training corpus; name its folder with --train")
    if lacking:
        say(f"evaluate: left out for want of a training corpus (--train DIR): {', '.join(lacking)}")
    return [row for row in rows if row.name not in lacking]


def _models(asked: Asked, baselines: Sequence[Baseline], workers: int) -> tuple[dict[str, Artifact], list[dict[str, Any]]]:
    """The models the baselines need, trained where they are not on disk, and what training took in this call."""
    if asked.corpus is None:
        return {}, []
    needed = list(dict.fromkeys(name for row in baselines for name in models_for(row, asked.question_set)))
    return fit_models(asked.corpus, needed, workers=workers, log_name=f"evaluate-{asked.name}")


def _judge_user(path: Path, asked: Asked, seed: int) -> BaselineResult:
    clock = Stopwatch()
    try:
        text = read_regular_text(path)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: cannot be read as a file of scores ({reason(error)}). Give JSON lines, or `sentence TAB score` lines."
        ) from None
    found = parse_user_scores(text, asked.question_set.questions, name=path.name)
    row = Baseline(f"user:{path.stem}", "user", "user", path.name)
    return judge_scores(row, found, asked.question_set.questions, seed=seed, seconds=clock.seconds)


def _record(
    asked: Asked, results: Sequence[BaselineResult], fitted: list[dict[str, Any]], seed: int, *, with_random: bool
) -> dict[str, Any]:
    """The object of `evaluation.json`; its fields are told in `docs/evaluation.md`."""
    option_counts = asked.question_set.option_counts
    trained = f"|trained:{asked.corpus.key.fingerprint[:8]}" if asked.corpus else ""
    return {
        "version": EVALUATION_VERSION,
        "n": len(option_counts),
        "chance": chance_accuracy(option_counts),
        "signature": f"{asked.signature}{trained}|ties:{seed}",
        "joint_p": joint_tests(results, asked.question_set.questions),
        "fitted": fitted,
        "baselines": [*([random_row(option_counts)] if with_random else []), *(result_row(one) for one in results)],
    }

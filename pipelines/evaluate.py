"""`cloze-gen evaluate`: questions in, every baseline's accuracy out, with the models that are not on disk yet trained on the way."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import luigi

from cloze_gen import __version__
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.errors import ClozeGenError, UsageError
from cloze_gen.evaluate.chance import chance_accuracy
from cloze_gen.evaluate.user_scores import parse_user_scores
from cloze_gen.pipelines.baseline_models import CORPUS, AllModels, CorpusText, FromCorpus, model_tasks
from cloze_gen.pipelines.command import build, forget_what_was_read, given_back
from cloze_gen.pipelines.corpus import scanned
from cloze_gen.pipelines.reporting import report_run
from cloze_gen.pipelines.runs import RUN_FILE, read_run
from cloze_gen.pipelines.task import PipelineTask, StageTask, current_engine
from cloze_gen.stages.evaluation import (
    Baseline,
    Judged,
    Scorer,
    as_found,
    baselines,
    joint_tests,
    judge,
    judge_given,
    models_for,
    pick,
    predictions,
    random_row,
    result_row,
    table_text,
)  # fmt: skip
from cloze_gen.stages.question_sets import QuestionSet, read_question_set
from cloze_gen.store.artifacts import Artifact, Store, write_json
from cloze_gen.store.locks import exclusive_lock, partial_folder, replace_folder, sweep_leavings
from cloze_gen.store.tables import read_jsonl, write_jsonl

EVALUATION, PREDICTIONS = "evaluation.json", "predictions.jsonl"
# A training text below this many bytes is too small for Kneser-Ney discounts (the sample has 250 kB); lmplz's fixed ones serve.
_SMALL_CORPUS_BYTES = 5_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What is evaluated, and what it is trained on.

    Attributes:
        run: folder of the run, or None.
        corpus: any task over the training corpus, or None without one.
    """

    questions: QuestionSet
    run: Path | None
    corpus: FromCorpus | None
    balanced: bool
    signature: str


def evaluate(
    *, questions: str, answers: Path | None, train: str, only: Sequence[str], scores: Path | None, out: Path, workers: int, seed: int,
    write_to: Path | None = None,
) -> str:  # fmt: skip
    """Evaluate, write `evaluation.json` and `predictions.jsonl`, and return the table.

    Raises:
        UsageError: no such questions, no answers, or an unknown baseline.
    """
    clock = Stopwatch()
    forget_what_was_read()
    asked = _asked(questions, answers, train, out, workers)
    rows = _chosen_rows(asked, only)
    store = Store(out) if asked.corpus is None else asked.corpus.store
    users = [] if scores is None else [_judge_user(scores, asked, seed)]  # first, for a mistake in it should not wait for the training
    models, fitted = _models(asked, rows, workers)
    scorer = Scorer(asked.questions, models)
    judged = [judge(row, scorer, asked.questions, seed=seed) for row in rows] + users
    folder = write_to or (asked.run / "evaluation" if asked.run else store.root / "evaluations" / asked.questions.digest)
    record = _record(asked, judged, fitted, seed, with_random=not only or "random" in only)
    _write(folder, record, judged, asked.questions, store)
    say(f"evaluate: done in {clock.seconds:.1f} s")
    if asked.run and write_to is None:
        _renew_report(asked.run)
    return f"{table_text(record['baselines'])}\nsignature  {record['signature']}\nwritten to {folder}"


def _renew_report(run: Path) -> None:
    """Show the evaluation in the run's report. A run without its store can be evaluated all the same."""
    try:
        say(f"report: {report_run(run.parent.parent, str(run))} shows it")
    except ClozeGenError as error:
        say(f"report: left as it was, for it cannot be made anew: {error}")


def _asked(questions: str, answers: Path | None, train: str, out: Path, workers: int) -> Asked:
    run = next((folder for folder in (Store(out).runs / questions, Path(questions)) if (folder / RUN_FILE).is_file()), None)
    if run is None:
        if Path(questions).is_dir():
            expected = "Give a run, a questions.jsonl or a machine-format file."
            raise UsageError(f"{questions}: a folder, but no run (no {RUN_FILE} in it). {expected}")
        if not Path(questions).is_file():
            raise UsageError(f"{questions!r}: neither a run in {out} nor a file. `cloze-gen runs --out {out}` lists the runs.")
        found = read_question_set(Path(questions), answers)
        signature = f"cloze-gen|v:{__version__}|questions:{found.digest[:8]}|n:{len(found.questions)}"
        return Asked(found, None, _corpus(train, out, workers) if train else None, False, signature)
    run = run.resolve()
    described, release = read_run(run), run / "release"
    found = read_question_set(release / "questions.jsonl")
    corpus = _corpus(train, run.parent.parent, workers) if train else _corpus_of_run(run, described, workers)
    balanced = described["settings"].get("choice", {}).get("method") == "balanced"
    return Asked(found, run, corpus, balanced, (release / "signature.txt").read_text(encoding="utf-8").strip())


def _corpus(train: str, out: Path, workers: int) -> FromCorpus:
    """The training corpus of a folder, read with the settings of holmes-style, so that its runs share the artifacts."""
    size = sum(book.path.stat().st_size for book in scanned(train)[0] if book.path.is_file())
    lm = {"discount_fallback": True} if size < _SMALL_CORPUS_BYTES else {}
    return CorpusText(train=train, source=train, out=str(out), processes=workers, lm=json.dumps(lm))


def _corpus_of_run(run: Path, described: Mapping[str, Any], workers: int) -> FromCorpus:
    folder = next((stage["folder"] for stage in described["stages"] if stage["label"] == CORPUS), None)
    if folder is None:
        raise UsageError(f"{run.name}: has no training corpus of its own; name one with --train")
    lm = described["settings"].get("lm", {"discount_fallback": described["sample"]})
    return CorpusText(corpus=folder, out=str(run.parent.parent), processes=workers, lm=json.dumps(lm))


def _chosen_rows(asked: Asked, only: Sequence[str]) -> list[Baseline]:
    """The rows to compute; what lacks a training corpus is left out, saying so."""
    option_count = max(len(question.options) for question in asked.questions.questions)
    rows = [row if asked.balanced else as_found(row, asked.questions) for row in pick(baselines(option_count), only)]
    if asked.corpus is not None:
        return rows
    lacking = [row.name for row in rows if models_for(row, asked.questions)]
    if lacking and only:
        raise UsageError(f"{', '.join(lacking)}: needs a training corpus; name its folder with --train")
    if lacking:
        say(f"evaluate: left out for want of a training corpus (--train DIR): {', '.join(lacking)}")
    return [row for row in rows if row.name not in lacking]


def _models(asked: Asked, rows: Sequence[Baseline], workers: int) -> tuple[dict[str, Artifact], list[dict[str, Any]]]:
    """The models the rows need, trained where they are not on disk, and what training took in this call."""
    if asked.corpus is None:
        return {}, []
    needed = dict.fromkeys(name for row in rows for name in models_for(row, asked.questions))
    tasks = {name: task for name, task in model_tasks(asked.corpus).items() if name in needed}
    fitted: list[dict[str, Any]] = []

    @PipelineTask.event_handler(luigi.Event.PROCESSING_TIME)
    def remember(task: luigi.Task, seconds: float) -> None:
        if isinstance(task, StageTask):
            fitted.append({"stage": task.label, "artifact": task.key.folder_name, "seconds": round(seconds, 1)})

    root = asked.corpus.clone(AllModels)
    root.models = list(tasks.values())
    Store(Path(asked.corpus.out)).sweep()
    try:
        if not root.complete():
            with given_back(current_engine("local", workers)):
                build(root)
    finally:
        PipelineTask.remove_event_handler(luigi.Event.PROCESSING_TIME, remember)
    return {name: task.store.open(task.key) for name, task in tasks.items()}, fitted


def _judge_user(path: Path, asked: Asked, seed: int) -> Judged:
    clock = Stopwatch()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a file of scores ({error})") from None
    found = parse_user_scores(text, asked.questions.questions, name=path.name)
    row = Baseline(f"user:{path.stem}", "user", "user", path.name)
    return judge_given(row, found, asked.questions, seed=seed, seconds=clock.seconds)


def _record(asked: Asked, judged: Sequence[Judged], fitted: list[dict[str, Any]], seed: int, *, with_random: bool) -> dict[str, Any]:
    option_counts = [len(question.options) for question in asked.questions.questions]
    trained = f"|trained:{asked.corpus.key.fingerprint[:8]}" if asked.corpus else ""
    return {
        "n": len(option_counts),
        "chance": chance_accuracy(option_counts),
        "signature": f"{asked.signature}{trained}|ties:{seed}",
        "joint_p": joint_tests(judged, asked.questions),
        "fitted": fitted,
        "baselines": [*([random_row(asked.questions)] if with_random else []), *(result_row(row) for row in judged)],
    }


def _write(folder: Path, record: dict[str, Any], judged: Sequence[Judged], asked: QuestionSet, store: Store) -> None:
    """Write both files as one; rows of an earlier evaluation by the same signature that were not computed now stay."""
    rows = list(predictions(judged, asked))
    with exclusive_lock(store.store / ".locks" / f"evaluation-{asked.digest}"):
        sweep_leavings(folder.parent)
        old = _earlier(folder, record["signature"])
        if old:
            names = {row["name"] for row in record["baselines"]}
            kept = [row for row in old["baselines"] if row["name"] not in names]
            if kept:
                record = record | {"baselines": record["baselines"] + kept, "joint_p": old["joint_p"] or record["joint_p"]}
                rows += [row for row in read_jsonl(folder / PREDICTIONS) if row["baseline"] not in names]
        with partial_folder(folder) as partial:
            write_json(partial / EVALUATION, record)
            write_jsonl(partial / PREDICTIONS, rows)
            replace_folder(partial, folder)


def _earlier(folder: Path, signature: str) -> dict[str, Any]:
    try:
        found = json.loads((folder / EVALUATION).read_text(encoding="utf-8"))
        return found if found.get("signature") == signature and (folder / PREDICTIONS).is_file() else {}
    except (FileNotFoundError, json.JSONDecodeError):
        return {}

"""`cloze-gen evaluate`: questions in, every baseline's accuracy out, with the models that are not on disk yet trained on the way."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import luigi

from cloze_gen import __version__
from cloze_gen.commands.report import renew_report
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.errors import ClozeGenError, DamageError, UsageError
from cloze_gen.evaluate.chance import chance_accuracy
from cloze_gen.evaluate.user_scores import parse_user_scores
from cloze_gen.notation import reason, shown
from cloze_gen.pipelines.baseline_models import CORPUS, AllModels, CorpusText, FromCorpus, model_tasks
from cloze_gen.pipelines.build import build, forget_what_was_read, given_back, log_file, logged
from cloze_gen.pipelines.corpus import scanned
from cloze_gen.pipelines.task import PipelineTask, StageTask, current_engine, look_ahead
from cloze_gen.stages.corpus.book_table import kept_books
from cloze_gen.stages.evaluation.baselines import (
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
)
from cloze_gen.stages.evaluation.question_sets import QuestionSet, read_question_set
from cloze_gen.stages.release import SIGNATURE, read_signature
from cloze_gen.stages.report import REPORT
from cloze_gen.stages.tables import QUESTIONS
from cloze_gen.store.artifacts import Artifact, Store, open_artifact
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.locks import exclusive_lock, sweep_leavings
from cloze_gen.store.manifest import MANIFEST, read_manifest, write_json
from cloze_gen.store.published import find_change, replace_published
from cloze_gen.store.runs import (
    EVALUATION_FILE,
    EVALUATION_SCHEMA,
    RELEASE,
    RUN_FILE,
    check_as_written,
    evaluation_place,
    leads_to,
    lies_in_output,
    read_run,
    run_lock,
)
from cloze_gen.store.tables import read_jsonl, write_jsonl

PREDICTIONS = "predictions.jsonl"
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
        UsageError: no such questions, no answers, an unknown baseline, or a folder to write to that holds other things.
    """
    clock = Stopwatch()
    forget_what_was_read()
    if write_to is not None:
        check_place(write_to)
    asked = _asked(questions, answers, train, out, workers)
    rows = _chosen_rows(asked, only)
    store = Store(out) if asked.corpus is None else asked.corpus.store
    users = [] if scores is None else [_judge_user(scores, asked, seed)]  # first, for a mistake in it should not wait for the training
    models, fitted = _models(asked, rows, workers)
    scorer = Scorer(asked.questions, models)
    judged = [judge(row, scorer, asked.questions, seed=seed) for row in rows] + users
    folder = write_to or _place(asked, store)
    record = _record(asked, judged, fitted, seed, with_random=not only or "random" in only)
    _write(folder, record, judged, asked.questions, store)
    say(f"evaluate: done in {clock.seconds:.1f} s")
    if asked.run and write_to is None:
        _show_in_report(asked.run, asked.questions, folder)
    return f"{table_text(record['baselines'])}\nsignature  {record['signature']}\nwritten to {folder}"


def check_place(folder: Path) -> None:
    """An evaluation is written into a folder of its own: a new one, an empty one, or one that holds an evaluation.

    Raises:
        UsageError: the folder holds other things, or is the one that the command was called in.
    """
    if not folder.exists() and not folder.is_symlink():
        return
    advice = "Nothing was written; name a new folder with --write-to."
    if not folder.is_dir() or folder.is_symlink():
        raise UsageError(f"{folder}: is no folder. {advice}")
    if Path.cwd().is_relative_to(folder.resolve()):
        raise UsageError(f"{folder}: is the folder that this command was called in, or one above it. {advice}")
    try:
        ours = read_manifest(folder / MANIFEST).get("schema") == EVALUATION_SCHEMA
    except DamageError:
        ours = False
    others = sorted(path.name for path in folder.iterdir())
    if others and not ours:
        raise UsageError(f"{folder}: holds other things ({', '.join(map(repr, others[:3]))}{', ...' if len(others) > 3 else ''}). {advice}")


def _place(asked: Asked, store: Store) -> Path:
    """Where the evaluation of these questions lies: of a run's under its name."""
    if asked.run is None:
        return store.root / "evaluations" / asked.questions.digest
    out = asked.run.parent.parent if lies_in_output(asked.run) else store.root
    return evaluation_place(out, asked.run.name, asked.questions)


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


def _asked(questions: str, answers: Path | None, train: str, out: Path, workers: int) -> Asked:
    places = (Store(out).runs / questions, Path(questions))
    run = next((folder for folder in places if leads_to(folder / RUN_FILE, Path.is_file)), None)
    if run is None:
        if leads_to(Path(questions), Path.is_dir):
            expected = "Give a run, a questions.jsonl or a machine-format file."
            raise UsageError(f"{questions}: a folder, but no run (no {RUN_FILE} in it). {expected}")
        if not leads_to(Path(questions), Path.is_file):
            raise UsageError(
                f"{shown(questions, most_chars=300)}: neither a run in {out} nor a file. `cloze-gen runs --out {out}` lists the runs."
            )
        found = read_question_set(Path(questions), answers)
        signature = f"cloze-gen|v:{__version__}|n:{len(found.questions)}|questions:{found.digest}"
        return Asked(found, None, _corpus(train, out, workers) if train else None, False, signature)
    run = run.resolve()
    check_as_written(run, RUN_FILE, f"{RELEASE}/{QUESTIONS}", f"{RELEASE}/{SIGNATURE}")
    described, release = read_run(run), run / RELEASE
    found = read_question_set(release / QUESTIONS)
    if answers is not None:
        raise UsageError("--answers: a run has its own answers; leave it out.")
    if train:
        corpus = _corpus(train, run.parent.parent if lies_in_output(run) else out, workers)
    else:
        corpus = _corpus_of_run(run, described, workers) if lies_in_output(run) else None
    balanced = described["settings"].get("choice", {}).get("method") == "balanced"
    return Asked(found, run, corpus, balanced, read_signature(run))


def _corpus(train: str, out: Path, workers: int) -> FromCorpus:
    """The training corpus of a folder, read with the settings of holmes-style, so that its runs share the artifacts."""
    size = sum(book.path.stat().st_size for book in scanned(train)[0] if book.path.is_file())
    return CorpusText(train=train, source=train, out=str(out), processes=workers, lm=json.dumps(_lm(size)))


def _lm(corpus_bytes: int) -> dict[str, Any]:
    """Settings of the generating model where no run says them."""
    return {"discount_fallback": True} if corpus_bytes < _SMALL_CORPUS_BYTES else {}


def _corpus_of_run(run: Path, described: Mapping[str, Any], workers: int) -> FromCorpus | None:
    folder = next((stage["folder"] for stage in described["stages"] if stage["label"] == CORPUS), None)
    if folder is None:  # the run's books have no training side
        return None
    lm = described["settings"].get("lm")  # a style without a language model says nothing of it
    if lm is None:
        books = kept_books(open_artifact(run.parent.parent / "store" / folder))
        lm = _lm(sum(int(row["book_bytes"]) for row in books))
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
            for task in tasks.values():
                look_ahead(task)
            name = f"evaluate-{asked.run.name if asked.run else asked.questions.digest}"
            with given_back(current_engine("local", workers)), logged(root.store, name):
                build(root)
            say(f"log: {log_file(root.store, name)}")
    finally:
        PipelineTask.remove_event_handler(luigi.Event.PROCESSING_TIME, remember)
    return {name: task.store.open(task.key) for name, task in tasks.items()}, fitted


def _judge_user(path: Path, asked: Asked, seed: int) -> Judged:
    clock = Stopwatch()
    try:
        text = read_regular_text(path)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{path}: cannot be read as a file of scores ({reason(error)}). Give JSON lines, or `sentence TAB score` lines."
        ) from None
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
    place = hashlib.blake2b(str(folder.resolve()).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    # A folder of the user's own is locked in the temporary folder, for nothing is to be written beside what was asked for.
    within = folder.resolve().is_relative_to(store.root.resolve())
    locks = store.store / ".locks" if within else Path(tempfile.gettempdir()) / f"cloze-gen-{os.getuid()}"
    with exclusive_lock(locks / f"evaluation-{place}"):
        sweep_leavings(folder.parent)
        old = _earlier(folder, record["signature"])
        if old:
            names = {row["name"] for row in record["baselines"]}
            kept = [row for row in old["baselines"] if row["name"] not in names]
            if kept:
                tests = (record["joint_p"], old["joint_p"])  # the one of more rules; of as many, the new one
                widest = max(tests, key=lambda one: len(one.get("rules", ())))
                record = record | {"baselines": record["baselines"] + kept, "joint_p": widest}
                rows += [row for row in read_jsonl(folder / PREDICTIONS) if row["baseline"] not in names]

        def write(partial: Path) -> None:
            write_json(partial / EVALUATION_FILE, record)
            write_jsonl(partial / PREDICTIONS, rows)

        for line in replace_published(folder, EVALUATION_SCHEMA, write):
            say(f"evaluate: {line}")


def _earlier(folder: Path, signature: str) -> dict[str, Any]:
    """The evaluation in a folder, where it is whole and of the same questions, training books and seed; else empty."""
    if not (folder / MANIFEST).exists():
        return {}
    changed = find_change(folder)
    if changed:
        say(f"evaluate: {changed} What was evaluated before is not counted on.")
        return {}
    found = json.loads((folder / EVALUATION_FILE).read_text(encoding="utf-8"))
    return found if found["signature"] == signature else {}

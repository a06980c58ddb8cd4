"""Questions evaluated: every baseline's accuracy, with the models that are not on disk yet trained on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.adapters.tagger_identity import tagger_identity
from cloze_gen.commands.asked import read_scores, user_row
from cloze_gen.commands.asked_questions import AskedQuestions
from cloze_gen.commands.evaluation_folder import EVALUATION_VERSION, place_of, show_in_report, write_evaluation
from cloze_gen.commands.people import read_people
from cloze_gen.engine.progress import Stopwatch, say
from cloze_gen.evaluate.chance import chance_accuracy
from cloze_gen.evaluate.people import human_row, reading_figures, reading_table
from cloze_gen.evaluate.results import Baseline, BaselineResult, joint_tests, judge_scores
from cloze_gen.evaluate.selection import NO_BOOKS, left_out_lines, measurable
from cloze_gen.evaluate.table import prediction_rows, random_row, result_row, table_text
from cloze_gen.evaluate.user_scores import parse_user_scores
from cloze_gen.evaluate.words.adversary import AdversaryResult, adversary_row, why_untried
from cloze_gen.evaluate.words.adversary_line import adversary_line
from cloze_gen.evaluate.words.baselines import ADVERSARY, RANDOM, TAGGED, as_found, models_for, pick, tagger_text, word_baselines
from cloze_gen.pipelines.baseline_models import fit_models, model_tasks
from cloze_gen.records.judgement import Task
from cloze_gen.stages.asking.reading import questions_by_digest
from cloze_gen.stages.evaluation.word_scores import Scorer, judge, judge_adversary
from cloze_gen.store.artifacts import Artifact, Store


def evaluate_questions(
    asked: AskedQuestions, *, only: Sequence[str], scores: Sequence[Path], people: Path | None, out: Path, workers: int, seed: int,
    write_to: Path | None, columns: int | None = None,
) -> str:  # fmt: skip
    """Evaluate, write `evaluation.json` and `predictions.jsonl`, and return the table.

    Raises:
        UsageError: an unknown baseline, one that lacks its training corpus, or people who read other questions.
    """
    clock = Stopwatch()
    baselines, left_out = _chosen(asked, only, others=bool(scores or people or RANDOM in only))
    store = Store(out) if asked.corpus is None else asked.corpus.store
    users = [_judge_user(file, asked, seed) for file in scores]  # first, for a mistake in them should not wait for the training
    readers = _readers(people, asked, seed)
    models, fitted = _models(asked, baselines, workers)
    scorer = Scorer(asked.items, models)
    results = [judge(row, scorer, asked.items, seed=seed) for row in baselines if row.kind != ADVERSARY] + users
    tried = [judge_adversary(row, scorer, asked.items, seed=seed) for row in baselines if row.kind == ADVERSARY]
    for one in tried[:1]:
        if one.left_out:
            say(f"evaluate: of the adversaries left out {one.left_out}")
    folder = write_to or place_of(asked, store)
    record = _record(asked, tried, results, fitted, left_out, seed, with_random=not only or RANDOM in only)
    record |= _tagger(asked, record["baselines"])
    machines = record["baselines"]
    record |= {"baselines": [*machines, *readers["baselines"]], "people": readers["people"]} if readers else {}
    judged = [*(one.judged(seed=seed) for one in tried), *results]
    write_evaluation(folder, record, (row for one in judged for row in prediction_rows(one, asked.items.questions)), store)
    say(f"evaluate: done in {clock.seconds:.1f} s")
    if write_to is None:
        show_in_report(asked, folder)
    figures = {row["name"]: (row["accuracy"], row["low"], row["high"]) for row in record["baselines"]}
    said = adversary_line(figures, chance=record["chance"])
    told = [table_text(machines, columns=columns), *([said] if said else [])] if machines else []
    tagger = tagger_text(record.get("tagger", {}), [row["name"] for row in machines])
    told += [tagger] if tagger else []
    told += left_out_lines(left_out)
    told += _told_readers(readers, columns) if readers else []
    return "\n".join([*told, f"signature  {record['signature']}", f"written to {folder}"])


def _chosen(asked: AskedQuestions, only: Sequence[str], *, others: bool) -> tuple[list[Baseline], dict[str, str]]:
    """The baselines to compute, and row -> why of those that cannot be (`measurable`)."""
    questions = asked.items.questions
    rows = [row if asked.balanced else as_found(row, questions) for row in pick(word_baselines(max(asked.items.option_counts)), only)]
    left_out = {row.name: NO_BOOKS for row in rows if asked.corpus is None and models_for(row, asked.items)}
    untried = why_untried(questions)
    left_out |= {row.name: untried for row in rows if untried and row.kind == ADVERSARY}
    return measurable(rows, only, left_out, others=others), left_out


def _models(asked: AskedQuestions, baselines: Sequence[Baseline], workers: int) -> tuple[dict[str, Artifact], list[dict[str, Any]]]:
    """The models the baselines need, trained where they are not on disk, and what training took in this call."""
    if asked.corpus is None:
        return {}, []
    needed = list(dict.fromkeys(name for row in baselines for name in models_for(row, asked.items)))
    tasks = model_tasks(asked.corpus)
    return fit_models(asked.corpus, {name: tasks[name] for name in needed}, workers=workers, log_name=f"evaluate-{asked.name}")


def _judge_user(path: Path, asked: AskedQuestions, seed: int) -> BaselineResult:
    clock = Stopwatch()
    text = read_scores(path, expected="JSON lines, a log of lm-evaluation-harness, or `sentence TAB score` lines")
    found = parse_user_scores(text, asked.items.questions, name=path.name)
    name, kind, source = user_row(path)
    row = Baseline(name, kind, kind, source)
    return judge_scores(row, found, asked.items.questions, seed=seed, seconds=clock.seconds)


def _tagger(asked: AskedQuestions, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Which tagger the rows rest on: the built-in one, whichever the run used; nothing where no row rests on one."""
    tagged = any(row["name"] in TAGGED for row in rows)
    return {"tagger": {"used": tagger_identity("builtin"), "of_run": asked.tagger}} if tagged else {}


def _readers(path: Path | None, asked: AskedQuestions, seed: int) -> dict[str, Any]:
    """What people made of the questions: their row, and what they found wrong; nothing where nobody was asked."""
    known = questions_by_digest(asked.items)
    found = read_people(path, Task.READ, known, name=asked.name)
    if found is None:
        return {}
    row = human_row(found.found, known, seed=seed, digest=found.file.digest)
    return {"baselines": [row], "people": found.record | {"sets": reading_figures(found.judged)}}


def _told_readers(readers: Mapping[str, Any], columns: int | None) -> list[str]:
    """People by themselves, behind the table of the baselines."""
    [row], record = readers["baselines"], readers["people"]
    faults = reading_table(record["sets"], columns=columns)
    return ["", table_text([row], who="people", columns=columns), row["note"], "", faults, record["judged"]]


def _record(
    asked: AskedQuestions, tried: Sequence[AdversaryResult], results: Sequence[BaselineResult], fitted: list[dict[str, Any]],
    left_out: dict[str, str], seed: int, *, with_random: bool,
) -> dict[str, Any]:  # fmt: skip
    """The object of `evaluation.json`; its fields are told in `docs/evaluation.md`."""
    option_counts = asked.items.option_counts
    adversaries, random = [adversary_row(one, seed=seed) for one in tried], [random_row(option_counts)] if with_random else []
    return {
        "version": EVALUATION_VERSION,
        "items": "questions",
        "n": len(option_counts),
        "chance": chance_accuracy(option_counts),
        "signature": f"{asked.signature}{asked.trained}|ties:{seed}",
        "joint_p": joint_tests(results, asked.items.questions),
        "fitted": fitted,
        "left_out": left_out,
        "baselines": [*adversaries, *random, *(result_row(one) for one in results)],
    }

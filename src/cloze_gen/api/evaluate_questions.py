"""Evaluation of questions: the accuracy of each baseline, trained adversaries first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.api.evaluator import Data, People, Request, Source, machines, user_row
from cloze_gen.engine.local import engine_scope, make_engine
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.evaluation.adversary import AdversaryResult, adversary_line, skip_reason
from cloze_gen.evaluation.chance import chance_accuracy
from cloze_gen.evaluation.people import human_row, reading_figures, reading_table
from cloze_gen.evaluation.question_models import (
    AdversaryShard,
    Scorer,
    judge,
    judge_adversary,
)
from cloze_gen.evaluation.questions import (
    ADVERSARY,
    RANDOM,
    Baseline,
    BaselineResult,
    QuestionEvaluation,
    QuestionRow,
    QuestionSet,
    RandomResult,
    judge_scores,
    models_for,
    pick,
    table_text,
    without_balancing,
    word_baselines,
)
from cloze_gen.evaluation.selection import HUMAN, NO_BOOKS, measurable
from cloze_gen.evaluation.sets import read_question_set
from cloze_gen.evaluation.user_scores import QUESTION_ANSWER, parse_user_scores
from cloze_gen.pipelines.evaluation_models import question_models
from cloze_gen.pipelines.stage import Stage
from cloze_gen.records.judgement import Task
from cloze_gen.records.question import Question
from cloze_gen.release.study_items import questions_by_digest
from cloze_gen.store.artifacts import Artifact

_LEAST_FOR_WORKERS = 200  # questions; with fewer, worker processes take longer to start


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuestionData(Data):
    items: QuestionSet
    balanced: bool = False


class QuestionKind:
    items, seeded = "questions", "ties"
    task: Task | None = Task.READ
    scores_form = f"JSON lines such as {QUESTION_ANSWER}, or a log of lm-evaluation-harness"

    def read(self, source: Source, request: Request) -> QuestionData:
        of_file = source.run is None
        found = read_question_set(source.path, request.answers if of_file else None)
        if not of_file and request.answers is not None:
            raise UsageError("--answers: a run has its own answers. Leave it out.")
        run = source.described
        return QuestionData(
            items=found,
            run=source.run,
            training_books=source.training_books(request.train, request),
            signature=source.signature(self.items, found.digest, len(found.questions)),
            balanced=run is not None
            and run["settings"].get("choice", {}).get("method") == "matched",
        )

    def choose(self, data: QuestionData, request: Request) -> tuple[list[Baseline], dict[str, str]]:
        questions = data.items.questions
        rows = [
            row if data.balanced else without_balancing(row, questions)
            for row in pick(word_baselines(max(data.items.option_counts)), request.only)
        ]
        left_out = {
            row.name: NO_BOOKS
            for row in rows
            if data.training_books is None and models_for(row, data.items)
        }
        skipped = skip_reason(questions)
        left_out |= {row.name: skipped for row in rows if skipped and row.kind == ADVERSARY}
        others = bool(request.scores or request.people or RANDOM in request.only)
        return measurable(rows, request.only, left_out, others=others), left_out

    def models(
        self, data: QuestionData, chosen: Sequence[Baseline], request: Request
    ) -> dict[str, Stage]:
        needed = dict.fromkeys(name for row in chosen for name in models_for(row, data.items))
        models = question_models(data.training_books) if data.training_books is not None else {}
        return {name: models[name] for name in needed}

    def score(
        self, data: QuestionData, chosen: Sequence[Baseline], models: Mapping[str, Artifact], request: Request
    ) -> list[AdversaryResult | BaselineResult | RandomResult]:  # fmt: skip
        scorer = Scorer(data.items, models)
        others = [
            judge(row, scorer, data.items, seed=request.seed)
            for row in chosen
            if row.kind != ADVERSARY
        ]
        questions = data.items.questions
        adversaries = [
            AdversaryShard(row, scorer.features(row.score), questions, request.seed)
            for row in chosen
            if row.kind == ADVERSARY
        ]
        workers = request.workers if len(questions) >= _LEAST_FOR_WORKERS else 1
        with engine_scope(make_engine("local", workers=workers)) as engine:
            measured = list(engine.map(judge_adversary, adversaries))
        for one in measured[:1]:
            if one.left_out:
                say(f"evaluate: adversaries left out {one.left_out}")
        with_random = not request.only or RANDOM in request.only
        random = [RandomResult(data.items.option_counts)] if with_random else []
        return [*measured, *random, *others]

    def given(self, path: Path, text: str, data: QuestionData, request: Request) -> list[Any]:
        found = parse_user_scores(text, data.items.questions, name=path.name)
        name, kind, source = user_row(path)
        row = Baseline(name, kind, kind, source)
        return [judge_scores(row, found, data.items.questions, seed=request.seed)]

    def by_digest(self, data: QuestionData) -> Mapping[str, Question]:
        return questions_by_digest(data.items)

    def people(
        self, found: People, data: QuestionData, request: Request
    ) -> tuple[QuestionRow, dict[str, Any]]:
        known = self.by_digest(data)
        row = human_row(found.found, known, seed=request.seed, digest=found.file.digest)
        others = [one for one in found.judged if one.set_name != found.found.name]
        return row, {"sets": reading_figures([*found.found.items, *others])}

    def record(
        self, data: QuestionData, results: Sequence[Any], models: Mapping[str, Artifact], request: Request, known: Mapping[str, Any]
    ) -> QuestionEvaluation:  # fmt: skip
        counts = data.items.option_counts
        return QuestionEvaluation(n=len(counts), chance=chance_accuracy(counts), **known)

    def table(self, record: QuestionEvaluation) -> list[str]:
        rows = machines(record)
        line = adversary_line(record.of_kind(ADVERSARY), chance=record.chance)
        return [table_text(rows), *([line] if line else [])] if rows else []

    def people_table(self, record: QuestionEvaluation) -> list[str]:
        [row], people = record.of_kind(HUMAN), record.people or {}
        faults = reading_table(people["sets"])
        return [
            "",
            table_text([row], who="people"),
            row.note,
            "",
            faults,
            people["judged"],
        ]

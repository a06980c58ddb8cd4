"""Evaluation of passages: the rows of the LAMBADA paper's Table 1 for each set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.api.evaluator import Data, People, Request, Source, user_row
from cloze_gen.evaluation.passage_baselines import (
    NETWORK_KINDS,
    PassageBaseline,
    PassageResult,
    pick,
    random_result,
    rule_result,
    scored_result,
)
from cloze_gen.evaluation.passage_models import PassageScorer, given_scores
from cloze_gen.evaluation.passages import (
    SETS,
    PassageEvaluation,
    PassageExample,
    PassageRow,
    table_text,
)
from cloze_gen.evaluation.selection import NO_BOOKS, measurable
from cloze_gen.evaluation.sets import PassageEvaluationSet, read_passage_examples
from cloze_gen.pipelines.evaluation_models import passage_models
from cloze_gen.pipelines.stage import Stage
from cloze_gen.records.judgement import Task
from cloze_gen.store.artifacts import Artifact


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassageData(Data):
    items: PassageEvaluationSet

    @property
    def sets(self) -> dict[str, list[PassageExample]]:
        found = {name: [one for one in self.items.passages if one.set == name] for name in SETS}
        return {name: passages for name, passages in found.items() if passages}


class PassageKind:
    items, seeded = "passages", "seed"
    task: Task | None = None
    scores_form = (
        'JSON lines such as {"id": ..., "log10_prob": ...}, or a log of lm-evaluation-harness'
    )

    def read(self, source: Source, request: Request) -> PassageData:
        found = read_passage_examples(source.path)
        return PassageData(
            items=found,
            run=source.run,
            training_books=source.training_books(request.train, request),
            signature=source.signature("passages", found.digest, len(found.passages)),
        )

    def choose(
        self, data: PassageData, request: Request
    ) -> tuple[list[PassageBaseline], dict[str, str]]:
        rows = pick(request.only)
        lacking = {row.name: NO_BOOKS for row in rows if row.models and data.training_books is None}
        untrained = (
            {}
            if request.only
            else dict.fromkeys(NETWORK_KINDS, "trained only on request; give --only NAME")
        )
        chosen = measurable(rows, request.only, lacking, others=bool(request.scores))
        return chosen, lacking | untrained

    def models(
        self, data: PassageData, chosen: Sequence[PassageBaseline], request: Request
    ) -> dict[str, Stage]:
        needed = dict.fromkeys(name for row in chosen for name in row.models)
        models = (
            passage_models(data.training_books, seed=request.seed)
            if data.training_books is not None
            else {}
        )
        return {name: models[name] for name in needed}

    def score(
        self, data: PassageData, chosen: Sequence[PassageBaseline], models: Mapping[str, Artifact], request: Request
    ) -> list[PassageResult]:  # fmt: skip
        scorer = PassageScorer(models)
        return [one for row in chosen for one in _measured(row, data, scorer)]

    def given(
        self, path: Path, text: str, data: PassageData, request: Request
    ) -> list[PassageResult]:
        every = [one for passages in data.sets.values() for one in passages]
        # Over all sets first, so that the error names every id without a score.
        given_scores(text, every, name=path.name)
        return [
            scored_result(
                user_row(path), name, passages, given_scores(text, passages, name=path.name)
            )
            for name, passages in data.sets.items()
        ]

    def by_digest(self, data: PassageData) -> Mapping[str, Any]:
        raise NotImplementedError

    def people(
        self, found: People, data: PassageData, request: Request
    ) -> tuple[PassageRow, dict[str, Any]]:
        raise NotImplementedError

    def record(
        self, data: PassageData, results: Sequence[PassageResult], models: Mapping[str, Artifact], request: Request, known: Mapping[str, Any]
    ) -> PassageEvaluation:  # fmt: skip
        sets = {name: len(passages) for name, passages in data.sets.items()}
        return PassageEvaluation(n=len(data.items.passages), sets=sets, **known)

    def table(self, record: PassageEvaluation) -> list[str]:
        return [table_text(record.baselines)]

    def people_table(self, record: PassageEvaluation) -> list[str]:
        raise NotImplementedError


def _measured(
    row: PassageBaseline, data: PassageData, scorer: PassageScorer
) -> Iterator[PassageResult]:
    for name, passages in data.sets.items():
        if row.kind == "random":
            words = scorer.guesses if row.models else ()
            yield random_result(row, name, passages, words=words)
        elif row.kind == "rule":
            yield rule_result(row, name, passages)
        else:
            found = scorer.scores(row.name, passages)
            names = (row.name, row.kind, row.source)
            yield scored_result(names, name, passages, found)

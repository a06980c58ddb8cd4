"""Evaluation of blanked passages: rows of each context and decoder, and of candidates alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.api.evaluator import (
    Data,
    People,
    Request,
    Source,
    machines,
    user_row,
)
from cloze_gen.errors import UsageError
from cloze_gen.evaluation.blank_baselines import (
    CLASSIFIERS,
    COUNTS,
    PASSAGES,
    RANDOM,
    RULES,
    BlankBaseline,
    pick,
    selects,
)
from cloze_gen.evaluation.blank_models import (
    open_scorer,
    score_candidates,
    score_passages,
)
from cloze_gen.evaluation.blanks import (
    BlankEvaluation,
    BlankResult,
    BlankRow,
    ClozeExample,
    blank_row,
    bootstrap_draws,
    candidates_text,
    context_results,
    matrix_results,
    people_text,
    table_text,
)
from cloze_gen.evaluation.candidates import rule_rows
from cloze_gen.evaluation.chance import chance_metrics
from cloze_gen.evaluation.people import human_blank_row
from cloze_gen.evaluation.selection import HUMAN, NO_BOOKS, measurable
from cloze_gen.evaluation.sets import (
    ClozeEvaluationSet,
    holds_blanked_passages,
    read_cloze_examples,
)
from cloze_gen.evaluation.user_scores import BLANKS_ANSWER, parse_blank_scores
from cloze_gen.pipelines.evaluation_models import blank_models
from cloze_gen.pipelines.stage import Stage
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.judgement import Task
from cloze_gen.release.study_items import passages_by_digest
from cloze_gen.store.artifacts import Artifact

_NO_PASSAGES = "no passages to learn from; give --train FILE"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlankData(Data):
    """Blanked passages; `training`: passages with answers filled in, for trained baselines."""

    items: ClozeEvaluationSet
    training: Sequence[ClozeExample]
    draws: NDArray[np.float64]

    @property
    def passages(self) -> list[BlankedPassage]:
        return [one.passage for one in self.items.passages]

    @property
    def books(self) -> list[str]:
        return [one.book for one in self.items.passages]


class BlankKind:
    items, seeded = "blanked passages", "seed"
    task: Task | None = Task.FILL
    scores_form = f"JSON lines such as {BLANKS_ANSWER}, or a log of lm-evaluation-harness"

    def read(self, source: Source, request: Request) -> BlankData:
        """Read the passages; training passages come from `--train` or the set's own training split."""
        found = read_cloze_examples(source.path)
        training, learnt = _training(found, request.train)
        signature = source.signature("blanks", found.digest, len(found.passages))
        return BlankData(
            items=found,
            run=source.run,
            training_books=source.training_books("" if learnt else request.train, request),
            signature=signature + learnt,
            training=training,
            draws=bootstrap_draws(len(found.passages), seed=request.seed),
        )

    def choose(
        self, data: BlankData, request: Request
    ) -> tuple[list[BlankBaseline], dict[str, str]]:
        only, rows = request.only, pick(request.only)
        missing = {
            row.name: NO_BOOKS
            for row in rows
            if data.training_books is None and set(row.models) - {PASSAGES}
        }
        missing |= {
            row.name: _NO_PASSAGES for row in rows if not data.training and PASSAGES in row.models
        }
        others = bool(
            request.scores or request.people or selects(only, RULES) or selects(only, CLASSIFIERS)
        )
        return measurable(rows, only, missing, others=others), missing

    def models(
        self, data: BlankData, chosen: Sequence[BlankBaseline], request: Request
    ) -> dict[str, Stage]:
        of_classifiers = [COUNTS] if selects(request.only, CLASSIFIERS) else []
        needed = dict.fromkeys([*(name for row in chosen for name in row.models), *of_classifiers])
        models = blank_models(data.training_books) if data.training_books is not None else {}
        return {name: models[name] for name in needed if name != PASSAGES}

    def score(
        self, data: BlankData, chosen: Sequence[BlankBaseline], models: Mapping[str, Artifact], request: Request
    ) -> list[BlankResult]:  # fmt: skip
        return [one for row in chosen for one in _scored(row, data, models)]

    def given(self, path: Path, text: str, data: BlankData, request: Request) -> list[BlankResult]:
        found = parse_blank_scores(text, data.passages, name=path.name)
        found_rows = matrix_results(user_row(path), data.passages, found, data.draws)
        return [one.by_book(data.books) for one in found_rows]

    def by_digest(self, data: BlankData) -> Mapping[str, BlankedPassage]:
        return passages_by_digest(data.passages)

    def people(
        self, found: People, data: BlankData, request: Request
    ) -> tuple[BlankRow, dict[str, Any]]:
        known, digest = self.by_digest(data), found.file.digest
        return human_blank_row(found.found, known, seed=request.seed, digest=digest), {}

    def record(
        self, data: BlankData, results: Sequence[BlankResult], models: Mapping[str, Artifact], request: Request, known: Mapping[str, Any]
    ) -> BlankEvaluation:  # fmt: skip
        passages, only = data.items.passages, request.only
        alone: dict[str, Any] = {}
        if selects(only, RULES):
            alone["rules"] = tuple(rule_rows(passages, data.draws))
        if selects(only, CLASSIFIERS):
            alone["candidates"] = score_candidates(passages, data.draws, models.get(COUNTS))
        blanks = sum(len(one.blanks) for one in data.passages)
        return BlankEvaluation(
            n=len(passages), blanks=blanks, trained_on=len(data.training), **alone, **known
        )

    def table(self, record: BlankEvaluation) -> list[str]:
        rows, alone = machines(record), candidates_text(record)
        return [*([table_text(rows)] if rows else []), *([alone] if alone else [])]

    def people_table(self, record: BlankEvaluation) -> list[str]:
        [row] = [row for row in record.baselines if row.kind == HUMAN]
        return ["", people_text(row), (record.people or {})["judged"]]


def _training(found: ClozeEvaluationSet, train: str) -> tuple[Sequence[ClozeExample], str]:
    """Training passages and their part of the signature; UsageError if they are the measured ones."""
    if not train or not holds_blanked_passages(Path(train)):
        return found.training, ""
    other = read_cloze_examples(Path(train), to_learn=True)
    if other.digest == found.digest and not found.training:
        raise UsageError(
            f"--train {train}: contains the passages that are measured. Give a file of other "
            "passages to train on."
        )
    return other.training, f"|learnt:{other.digest}"


def _scored(
    row: BlankBaseline, data: BlankData, models: Mapping[str, Artifact]
) -> Iterator[BlankResult]:
    names = (row.name, row.kind, row.source)
    if row == RANDOM:
        yield BlankResult(blank_row(names, chance_metrics(data.passages)))
        return
    found = score_passages(
        row.name, open_scorer(row.name, models, data.training), data.items.passages
    )
    for one in context_results(names, data.passages, found, data.draws):
        yield one.by_book(data.books)

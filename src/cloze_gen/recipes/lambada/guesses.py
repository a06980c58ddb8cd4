"""The verdict on each ranked passage: from people, or still open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.assignment import Answer, Case
from cloze_gen.judging.study import read_verdicts
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.parsing import quote
from cloze_gen.recipes.lambada.guessing import (
    GuessingRule,
    GuessingSettings,
    Verdict,
    is_answer_right,
)
from cloze_gen.recipes.lambada.ranking import SIGNALS, read_ranking
from cloze_gen.records.judgement import Task
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table

OPEN = "open"  # no verdict yet

GUESSED = Table(
    "verdicts.parquet",
    "One row a ranked passage, in that order.",
    Column("id", pa.string(), "id of the passage"),
    Column("verdict", CODED, "`open` (not decided), `kept`, or the step that rejects the passage"),
    example='{"id": "aunt-sabinas-goose:8", "verdict": "open"}',
)
ANSWERS = Table(
    "answers.parquet",
    "One row an answer of a person, in the order of the ranking, then of the questions; empty "
    "without people.",
    Column("id", pa.string(), "id of the passage"),
    Column("condition", CODED, "what the person saw: `passage` or `sentence`"),
    Column(
        "subject",
        pa.int32(),
        "number of the person, in the order of their first question; no names",
    ),
    Column(
        "guesses",
        pa.list_(pa.string()),
        "the guesses without surrounding spaces; empty if there was no idea",
    ),
    Column("right", pa.bool_(), "one of them is the target"),
)


# ---- the verdict file of a study


class _JudgeAnswer(BaseModel):
    """An answer in a verdict file."""

    model_config = ConfigDict(strict=True)
    judge: int
    condition: Literal["passage", "sentence"]
    guesses: list[str]


_ANSWERS_OF_ROW = TypeAdapter(list[_JudgeAnswer])


def read_guessed(path: str) -> VerdictFile:
    file = read_verdicts(path, task=Task.GUESS, given_as="guessing.verdicts")
    for row in file.rows:
        try:
            answers = _ANSWERS_OF_ROW.validate_python(row.get("answers"))
        except ValidationError:
            raise FormatError(
                f"{path}: {quote(row['id'])} has no valid list of answers; found "
                f"{quote(dict(row))}. Write the file with `cloze-gen judge apply`."
            ) from None
        if len({answer.judge for answer in answers}) < len(answers):
            raise FormatError(
                f"{path}: {quote(row['id'])} has two answers from one judge; each judge may answer "
                "a passage once"
            )
    return file


def judged_cases(
    ranking: Artifact, people: VerdictFile, settings: GuessingSettings, ctx: StageContext
) -> list[Case]:
    """The passages with answers, in the order of the ranking."""
    where = f"guessing.verdicts: {quote(settings.verdicts, most_chars=300)}"
    for name, value in settings.rules.items():
        if people.rules.get(name) != value:
            raise UsageError(
                f"{where}: the study used guessing.{name} = {quote(people.rules.get(name))}, but "
                f"this run uses {value}. Set guessing.{name} to the value of the study."
            )
    ranked = read_ranking(ranking)
    rows = {row["id"]: row for row in people.rows}
    known = set(ranked)
    foreign = [item for item in rows if item not in known]
    if foreign:
        raise UsageError(
            f"{where}: {len(foreign):,} of its {len(rows):,} passages are not ranked in this run, "
            f"the first is {quote(foreign[0])}. The file belongs to another run, or the ranking "
            "has changed. Restore the books and settings of the study, or make a new study."
        )
    if people.of.get("ranking") != ranking.manifest["fingerprint"]:
        ctx.say(
            "warning: the ranking has changed since the study was made "
            f"({quote(people.of.get('ranking'))} -> {ranking.manifest['fingerprint']}). "
            "All passages of the study are still ranked, but texts and order may differ."
        )
    targets = SIGNALS.read(ranking.path(SIGNALS.name), ["id", "target"]).to_pylist()
    target_of = {row["id"]: row["target"] for row in targets}
    return [_case(rows[item], target_of[item]) for item in ranked if item in rows]


def _case(row: Mapping[str, Any], target: str) -> Case:
    answers = (
        Answer(str(answer["judge"]), answer["condition"], {"guesses": answer["guesses"]})
        for answer in row["answers"]
    )
    return Case(row["id"], (), {"target": target}, answers=tuple(answers))


# ---- the stage


def write_guesses(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    ranking: Artifact,
    settings: GuessingSettings,
    people: VerdictFile | None = None,
) -> None:
    judged = "human" if people else "none"
    ranked = read_ranking(ranking)
    verdicts = dict.fromkeys(ranked, OPEN)
    answers: list[dict[str, Any]] = []
    if people:
        cases = judged_cases(ranking, people, settings, ctx)
        rule = GuessingRule(settings)
        for case in cases:
            verdicts[case.id] = rule.outcome(case) or OPEN
            answers += _answer_rows(case)
        writer.facts["subjects"] = len({row["subject"] for row in answers})
        writer.facts["not_shown"] = len(verdicts) - len(cases)
    GUESSED.write(writer, {"id": ranked, "verdict": list(verdicts.values())})
    ANSWERS.write_records(writer, answers)
    counts = Counter(verdicts.values())
    n_open = counts.pop(OPEN, 0)
    n_kept = counts.pop(Verdict.KEPT, 0)
    writer.funnel = funnel("passages", kept=n_open + n_kept, rejected=counts)
    n_decided = len(verdicts) - n_open
    writer.facts |= {"judged": judged, "decided": n_decided, "kept": n_kept, "open": n_open}
    ctx.say(f"{len(verdicts):,} passages: {n_decided:,} decided, {n_kept:,} kept; judged: {judged}")


def _answer_rows(case: Case) -> list[dict[str, Any]]:
    return [
        {
            "id": case.id,
            "condition": answer.condition,
            "subject": int(answer.judge),
            "guesses": answer.response["guesses"],
            "right": is_answer_right(answer.response, case.key),
        }
        for answer in case.answers
    ]

"""The verdict on each ranked passage: from people, from the model reader, or still open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.assignment import Answer, Case
from cloze_gen.judging.study import read_verdicts
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.parsing import quote
from cloze_gen.recipes.lambada.committee import VERDICTS
from cloze_gen.recipes.lambada.guessing import (
    Condition,
    GuessingRule,
    GuessingSettings,
    Verdict,
    is_answer_right,
)
from cloze_gen.recipes.lambada.ranking import SIGNALS, read_ranking
from cloze_gen.records.judgement import Task
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_parquet


def read_guessed(path: str) -> VerdictFile:
    file = read_verdicts(path, task=Task.GUESS, given_as="guessing.verdicts")
    for row in file.rows:
        answers = row.get("answers")
        if not isinstance(answers, list) or not all(_is_answer(one) for one in answers):
            raise FormatError(
                f"{path}: {quote(row['id'])} has no valid list of answers; found "
                f"{quote(dict(row))}. Write the file with `cloze-gen judge apply`."
            )
        if len({one["judge"] for one in answers}) < len(answers):
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
    others = [name for name, value in settings.rules.items() if people.rules.get(name) != value]
    if others:
        raise UsageError(
            f"{where}: the study used guessing.{others[0]} = "
            f"{quote(people.rules.get(others[0]))}, but this run uses {settings.rules[others[0]]}. "
            f"Set guessing.{others[0]} to the value of the study."
        )
    table = read_parquet(ranking.path(SIGNALS), columns=["id", "target"])
    targets = dict(zip(*table.to_pydict().values(), strict=True))
    rows, head = {row["id"]: row for row in people.rows}, dict.fromkeys(read_ranking(ranking))
    foreign = [one for one in rows if one not in head]
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
    return [_case(rows[one], targets[one]) for one in head if one in rows]


def _is_answer(one: Any) -> bool:
    if (
        not isinstance(one, Mapping)
        or type(one.get("judge")) is not int
        or one.get("condition") not in list(Condition)
    ):
        return False
    return isinstance(one.get("guesses"), list) and all(
        isinstance(guess, str) for guess in one["guesses"]
    )


def _case(row: Mapping[str, Any], target: str) -> Case:
    answers = (
        Answer(str(one["judge"]), one["condition"], {"guesses": one["guesses"]})
        for one in row["answers"]
    )
    return Case(row["id"], (), {"target": target}, answers=tuple(answers))


ANSWERS = "answers.parquet"
OPEN = "open"  # no verdict yet


def write_guesses(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    ranking: Artifact,
    settings: GuessingSettings,
    people: VerdictFile | None = None,
) -> None:
    judged = "human" if people else settings.judges
    verdicts, rows = dict.fromkeys(read_ranking(ranking), OPEN), list[dict[str, Any]]()
    if people:
        cases, rule = judged_cases(ranking, people, settings, ctx), GuessingRule(settings)
        verdicts |= {case.id: rule.outcome(case) or OPEN for case in cases}
        rows = _answer_rows(cases)
        writer.facts |= {
            "subjects": len({row["subject"] for row in rows}),
            "not_shown": len(verdicts) - len(cases),
        }
    elif judged == "machine":
        table = read_parquet(ranking.path(SIGNALS), columns=["id", "machine"]).to_pydict()
        verdicts |= {
            one: verdict
            for one, verdict in zip(table["id"], table["machine"], strict=True)
            if one in verdicts
        }
    column = pa.array(verdicts.values(), pa.string()).dictionary_encode()
    writer.rows[VERDICTS] = write_parquet(
        writer.path(VERDICTS), {"id": list(verdicts), "verdict": column}
    )
    writer.rows[ANSWERS] = write_parquet(writer.path(ANSWERS), pa.Table.from_pylist(rows, _ANSWERS))
    counts = Counter(verdicts.values())
    reasons = {
        reason: count for reason, count in counts.items() if reason not in {OPEN, Verdict.KEPT}
    }
    writer.funnel = funnel("passages", kept=counts[OPEN] + counts[Verdict.KEPT], rejected=reasons)
    decided = len(verdicts) - counts[OPEN]
    writer.facts |= {
        "judged": judged,
        "decided": decided,
        "kept": counts[Verdict.KEPT],
        "open": counts[OPEN],
    }
    ctx.say(
        f"{len(verdicts):,} passages: {decided:,} decided, {counts[Verdict.KEPT]:,} kept; "
        f"judged: {judged}"
    )


_ANSWERS = pa.schema(
    [
        ("id", pa.string()),
        ("condition", pa.dictionary(pa.int32(), pa.string())),
        ("subject", pa.int32()),
        ("guesses", pa.list_(pa.string())),
        ("right", pa.bool_()),
    ]
)


def _answer_rows(cases: Iterable[Case]) -> list[dict[str, Any]]:
    return [
        {
            "id": case.id,
            "condition": given.condition,
            "subject": int(given.judge),
            "guesses": given.response["guesses"],
            "right": is_answer_right(given.response, case.key),
        }
        for case in cases
        for given in case.answers
    ]

"""What became of each passage that people are asked about: their verdicts, the stand-in's, or none yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from cloze_gen.formats.verdicts import VerdictFile
from cloze_gen.judging.assignment import Case
from cloze_gen.recipes.lambada.stages.decisions import ANSWERS, OPEN, SIGNALS, VERDICTS, read_ranking
from cloze_gen.recipes.lambada.stages.human_guesses import judged_cases
from cloze_gen.recipes.lambada.steps.guessing import GuessingRule, GuessingSettings, Verdict, rightly_answered
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_parquet


def write_guesses(
    writer: ArtifactWriter, room: Room, *, ranking: Artifact, settings: GuessingSettings, people: VerdictFile | None = None
) -> None:
    """Write the verdict on every passage of the head, and what people answered.

    Files: `verdicts.parquet`, in the order of the ranking: `id`, `verdict` (``open``: nobody has decided; ``kept``, or the step it fell in,
    `steps.guessing.Verdict`). `answers.parquet`, an answer of a person a row, in the order of the ranking and then as they were asked:
    `id`, `condition` (``passage`` or ``sentence``), `subject` (a number, in the order in which subjects were first asked; no name),
    `guesses` (none: no idea), `right` (one of them is the target).

    Args:
        people: what they answered; None where none were asked.
    Raises:
        UsageError: people were asked about another run's passages, or by other rules.
    """
    judged = "human" if people else settings.judges
    verdicts, rows = dict.fromkeys(read_ranking(ranking), OPEN), list[dict[str, Any]]()
    if people:
        cases, rule = judged_cases(ranking, people, settings, room), GuessingRule(settings)
        verdicts |= {case.id: rule.outcome(case) or OPEN for case in cases}
        rows = _answer_rows(cases)
        writer.facts |= {"subjects": len({row["subject"] for row in rows}), "not_asked": len(verdicts) - len(cases)}
    elif judged == "machine":
        table = read_parquet(ranking.path(SIGNALS), columns=["id", "machine"]).to_pydict()
        verdicts |= {one: said for one, said in zip(table["id"], table["machine"], strict=True) if one in verdicts}
    column = pa.array(verdicts.values(), pa.string()).dictionary_encode()
    writer.rows[VERDICTS] = write_parquet(writer.path(VERDICTS), {"id": list(verdicts), "verdict": column})
    writer.rows[ANSWERS] = write_parquet(writer.path(ANSWERS), pa.Table.from_pylist(rows, _ANSWERS))
    counts = Counter(verdicts.values())
    reasons = {reason: count for reason, count in counts.items() if reason not in {OPEN, Verdict.KEPT}}
    writer.funnel = funnel("passages", kept=counts[OPEN] + counts[Verdict.KEPT], rejected=reasons)
    decided = len(verdicts) - counts[OPEN]
    writer.facts |= {"judged": judged, "decided": decided, "kept": counts[Verdict.KEPT], "open": counts[OPEN]}
    room.say(f"{counts[Verdict.KEPT]:,} kept, {decided:,} decided of {len(verdicts):,} passages; judged: {judged}")


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
            "guesses": given.said["guesses"],
            "right": rightly_answered(given.said, case.key),
        }
        for case in cases
        for given in case.answers
    ]

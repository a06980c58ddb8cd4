"""`cloze-gen judge export --endpoint`: a model of the user's own judges, item by item, and is a machine for ever."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from cloze_gen.adapters.chat_endpoint import Reply, ask_endpoint, endpoint_from
from cloze_gen.adapters.terminal import show
from cloze_gen.commands.judge import add_judges
from cloze_gen.commands.judge_exchange import packet_of, said_of
from cloze_gen.commands.studies import judges_named, open_for, say_if_changed
from cloze_gen.engine.progress import say, track
from cloze_gen.errors import FormatError
from cloze_gen.formats.judging.chat import messages, parse_reply
from cloze_gen.formats.judging.packet import VerdictRow
from cloze_gen.records.judgement import Role
from cloze_gen.studies.study import Study

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_MOST_NAME_CHARS = 32


def ask(out: Path, study: str, *, url: str, model: str, per_second: float, limit: int | None) -> None:
    """Ask an OpenAI-compatible endpoint about every item that it has not answered; each verdict is written before the next is asked for.

    Its judge is called ``model-NAME`` and is a machine: nothing of it counts among people, in figures or in what is applied.

    Raises:
        UsageError: no such endpoint, or its key is refused.
        ToolError: it goes on failing; what was answered stays.
    """
    opened, asking = open_for(out, study)
    say_if_changed(opened, asking)
    endpoint = endpoint_from(url, model, os.environ, per_second=per_second)
    (judge,) = judges_named([f"model-{_NOT_IN_NAMES.sub('-', model)}"[:_MOST_NAME_CHARS]], Role.MACHINE)
    add_judges(opened, [judge])
    refused: dict[str, str] = {}

    def store(reply: Reply) -> None:
        problem = reply.error or _taken(opened, reply)
        if problem:
            refused[reply.id] = problem
            say(f"{reply.id}: no verdict ({problem})")

    asked = ask_endpoint(
        _requests(opened, judge.name, refused, limit), endpoint=endpoint, on_reply=store,
        on_wait=lambda why, seconds: say(f"{endpoint.url}: {why}; again in {seconds:.0f} s"),
    )  # fmt: skip
    total = len(opened.standing().cases) - len([one for one in opened.standing().of_judge.get(judge.name, ()) if _answered(opened, one.id)])
    count = sum(1 for _ in track(asked, stage="judge", unit="items", total=min(total, limit or total)))
    show(f"{judge.name}: asked of {count:,} items, {count - len(refused):,} verdicts taken, {len(refused):,} replies were none")


def _requests(study: Study, judge: str, refused: dict[str, str], limit: int | None) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """(assignment, messages) of every item that waits for the machine, page after page; what it could not answer is asked another time."""
    given = 0
    while waiting := [one for one in study.due(judge) if one.id not in refused] or study.deal(judge):
        for one in waiting:
            if limit is not None and given >= limit:
                return
            given += 1
            yield one.id, messages(packet_of(study, one))


def _taken(study: Study, reply: Reply) -> str:
    """Take what a model said; returns why it is no verdict, empty where it is one."""
    assignment = study.standing().by_id[reply.id]
    row = packet_of(study, assignment)
    try:
        said = parse_reply(reply.text, row)
        given = said_of(VerdictRow(reply.id, said))
        study.take(assignment, given, verdict_id=f"endpoint-{reply.id}", seconds=reply.seconds, source="endpoint")
    except FormatError as error:
        return str(error)
    return ""


def _answered(study: Study, assignment: str) -> bool:
    return assignment in study.standing().verdicts

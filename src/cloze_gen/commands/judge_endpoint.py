"""`cloze-gen judge export --endpoint`: a model of the user's own judges, item by item, and is a machine for ever."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator, Set
from pathlib import Path

from cloze_gen.adapters.chat_endpoint import Reply, ask_endpoint, endpoint_from
from cloze_gen.adapters.terminal import show
from cloze_gen.commands.judge import add_judges
from cloze_gen.commands.judge_exchange import packet_of, said_of
from cloze_gen.commands.studies import MOST_NAME_CHARS, judges_named, open_for, say_if_changed
from cloze_gen.engine.progress import say, track
from cloze_gen.errors import FormatError, RefusedError
from cloze_gen.formats.judging.chat import messages, parse_reply
from cloze_gen.formats.judging.packet import VerdictRow
from cloze_gen.records.judgement import Role
from cloze_gen.studies.study import Outcome, Study

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_WITH_DIGEST = re.compile(r"--[0-9a-f]{10}$")


def judge_of_model(model: str) -> str:
    """The judge's name of a model: another one for every model.

    A name that cannot stand as it is, being too long or of other characters, ends in a digest of the whole.

    >>> judge_of_model("qwen-7b"), judge_of_model("org/model"), judge_of_model("org:model")
    ('model-qwen-7b', 'model-org-model--6a74456cfb', 'model-org-model--60319d30a9')
    """
    plain = _NOT_IN_NAMES.sub("-", unicodedata.normalize("NFC", model))
    name = f"model-{plain}"
    if plain == model and len(name) <= MOST_NAME_CHARS and not _WITH_DIGEST.search(name):
        return name
    digest = hashlib.blake2b(model.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    return f"{name[: MOST_NAME_CHARS - len(digest) - 2]}--{digest}"


def ask(out: Path, study: str, *, url: str, model: str, per_second: float, limit: int | None) -> None:
    """Ask an OpenAI-compatible endpoint about every item that it has not answered; each verdict is written before the next is asked for.

    Its judge is called ``model-NAME`` and is a machine: nothing of it counts among people, in figures or in what is applied.

    Raises:
        UsageError: no such endpoint, or its key is refused.
        ToolError: it goes on failing, or was given up; what was answered stays.
        RefusedError: some replies were no verdicts.
    """
    opened, asking = open_for(out, study)
    say_if_changed(opened, asking)
    endpoint = endpoint_from(url, model, os.environ, per_second=per_second)
    (judge,) = judges_named([judge_of_model(endpoint.model)], Role.MACHINE)
    add_judges(opened, [judge])
    taken, refused = set[str](), set[str]()

    def store(reply: Reply) -> str:
        problem = reply.error or _taken(opened, reply)
        (refused if problem else taken).add(reply.id)
        if problem:
            say(f"{reply.id}: no verdict ({problem})")
        return problem

    asked = ask_endpoint(
        _requests(opened, judge.name, refused, limit), endpoint=endpoint, on_reply=store,
        on_wait=lambda why, seconds: say(f"{endpoint.url}: {why}; again in {seconds:.0f} s"),
    )  # fmt: skip
    total = len(opened.standing().cases) - len([one for one in opened.standing().of_judge.get(judge.name, ()) if _answered(opened, one.id)])
    try:
        for _ in track(asked, stage="judge", unit="items", total=min(total, limit or total)):
            pass
    finally:
        n = len(taken) + len(refused)
        show(f"{judge.name}: asked of {n:,} items, {len(taken):,} verdicts taken, {len(refused):,} replies were none")
    if refused:
        raise RefusedError(f"{judge.name}: {len(refused):,} of {n:,} replies were no verdicts. Run again to ask about these items.")


def _requests(study: Study, judge: str, refused: Set[str], limit: int | None) -> Iterator[tuple[str, list[dict[str, str]]]]:
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
        outcome = study.take(assignment, given, verdict_id=f"endpoint-{reply.id}", seconds=reply.seconds, source="endpoint")
    except FormatError as error:
        return str(error)
    return "another verdict was given meanwhile" if outcome is Outcome.CHANGED else ""


def _answered(study: Study, assignment: str) -> bool:
    return assignment in study.standing().verdicts

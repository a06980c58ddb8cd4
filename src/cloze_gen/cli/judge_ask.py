"""`cloze-gen judge ask`: a model annotates the items of a study."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from cloze_gen.adapters.chat_endpoint import ChatModel, Messages, Reply
from cloze_gen.adapters.terminal import show
from cloze_gen.cli.judge_exchange import packet_of
from cloze_gen.cli.judge_study import (
    add_judges,
    open_named_study,
    roles_agree,
    warn_if_changed,
)
from cloze_gen.engine.progress import say, track
from cloze_gen.errors import FormatError, RefusedError, UsageError
from cloze_gen.judging.agreement_text import kappa_lines
from cloze_gen.judging.chat import messages, parse_reply
from cloze_gen.judging.exchange import PacketRow
from cloze_gen.judging.state import order_dependence
from cloze_gen.judging.study import Study, StudySource, study_agreement
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import Assignment, Judge, Role


def ask(
    out: Path,
    study: str,
    *,
    url: str,
    model: str,
    per_second: float,
    timeout_seconds: float,
    limit: int | None,
) -> None:
    """Send every open item, and store each verdict at once.

    The judge ``model-NAME`` is recorded as a model annotator. If the task has choices, each item is
    sent in two orders, and only what both answers share counts. RefusedError if some replies could
    not be parsed.
    """
    opened, source = open_named_study(out, study)
    chat = ChatModel(url, model, os.environ, per_second=per_second, timeout_seconds=timeout_seconds)
    judge = judge_for_model(model)
    roles_agree(opened, [judge])
    warn_if_changed(opened, source)
    plan = opened.unanswered(judge)[:limit]
    refused = 0
    if plan:
        show(_plan_line(opened, plan, per_second))
        add_judges(opened, [judge])
        refused = _send(opened, judge, plan, chat)
    else:
        show(f"{judge.name}: has answered all {len(opened.state().cases):,} items")
    show("\n".join([*_order_lines(opened, judge), *_agreement_lines(opened, source, judge)]))
    if refused:
        raise RefusedError(
            f"{judge.name}: {refused:,} of {len(plan):,} items were not accepted. Run the command "
            "again to retry them."
        )


def judge_for_model(model: str) -> Judge:
    """
    >>> judge_for_model("org/model")
    Judge(name='model-org/model', role=<Role.MACHINE: 'machine'>)
    """
    if not model.isprintable():
        raise UsageError(
            f"--model {quote(model)}: has characters that cannot be printed. Give the name that the "
            "server knows."
        )
    return Judge(f"model-{model}", Role.MACHINE)


def _rows(study: Study, assignment: Assignment) -> list[PacketRow]:
    """An item as the model gets it, once for each order of the choices."""
    row = packet_of(study, assignment)
    if not study.task.choice:
        return [row]
    return [row, replace(row, shown=study.task.turned(row.shown))]


def _plan_line(study: Study, plan: Sequence[Assignment], per_second: float) -> str:
    requests = len(plan) * (2 if study.task.choice else 1)
    orders = " (the options of an item in two orders)" if study.task.choice else ""
    seconds = requests / per_second
    time = f"{seconds:,.0f} s" if seconds < 180 else f"{seconds / 60:,.0f} min"
    return (
        f"to send    {len(plan):,} items, {requests:,} requests{orders}, at least {time} at "
        f"{per_second:g} per second"
    )


def _send(study: Study, judge: Judge, plan: Sequence[Assignment], chat: ChatModel) -> int:
    """Send the items, and store and print the results; returns the number of refused items."""
    taken, refused = set[str](), set[str]()
    replies_of: dict[str, list[Reply]] = {}

    def requests() -> Iterator[tuple[str, Messages]]:
        for one in plan:
            while one.id not in study.state().by_id and study.assign_page(judge.name):
                pass
            if one.id not in study.state().by_id:  # people may have decided a guess meanwhile
                continue
            for row in _rows(study, one):
                if one.id not in refused:
                    yield one.id, messages(row)

    def store(reply: Reply) -> str:
        replies_of.setdefault(reply.id, []).append(reply)
        problem = reply.error or _store(study, replies_of[reply.id], chat)
        if problem:
            refused.add(reply.id)
            say(f"{reply.id}: not accepted ({problem})")
        elif reply.id in study.state().verdicts:
            taken.add(reply.id)
        return problem

    replies = chat.replies(requests(), store)
    total = len(plan) * (2 if study.task.choice else 1)
    try:
        for _ in track(replies, stage="judge", unit="requests", total=total):
            pass
    finally:
        show(f"answers    {len(taken):,} of {len(plan):,} accepted, {len(refused):,} not accepted")
    return len(refused)


def _store(study: Study, replies: Sequence[Reply], chat: ChatModel) -> str:
    """Store the verdict on an item once all its replies are there.

    Returns why the replies cannot be used, or an empty string.
    """
    assignment = study.state().by_id[replies[0].id]
    rows = _rows(study, assignment)
    try:
        answers = [parse_reply(reply.text, row) for reply, row in zip(replies, rows, strict=False)]
        if len(answers) < len(rows):
            return ""
        if len(answers) > 1:
            answers[1] = study.task.turned_back(answers[1], rows[0].shown)
        study.take_of_model(
            assignment,
            answers,
            verdict_id=f"endpoint-{assignment.id}",
            seconds=sum(reply.seconds for reply in replies),
            source=_source(replies[-1], chat),
        )
    except FormatError as error:
        return str(error)
    return ""


def _source(reply: Reply, chat: ChatModel) -> str:
    """Host, model and settings of a verdict. The name that the server states is untrusted."""
    other = f" ({quote(reply.served)})" if reply.served not in ("", chat.model) else ""
    settings = ", ".join(f"{name} {value}" for name, value in reply.settings.items())
    return (
        f"endpoint {urlsplit(chat.url).netloc}, model {chat.model}{other}, "
        f"{settings or 'default settings'}"
    )


def _order_lines(study: Study, judge: Judge) -> Iterator[str]:
    count, of = order_dependence(study.state(), study.facts.task).get(judge.name, (0, 0))
    if of:
        yield (
            f"order      {count:,} of {of:,} items ({100 * count / of:.1f} %) get another answer if "
            "the options are in another order; only what both answers share counts"
        )


def _agreement_lines(study: Study, source: StudySource, judge: Judge) -> list[str]:
    """Agreement of the model with each person who judged the same items."""
    found = study_agreement(study, is_right=source.is_right)
    own = {
        question: [one for one in kappas if judge.name in (one.one, one.other)]
        for question, kappas in found.machine_kappas.items()
    }
    lines = kappa_lines(own, "pair")
    return (
        ["", "agreement with people, on items with a verdict of the model", *lines] if lines else []
    )

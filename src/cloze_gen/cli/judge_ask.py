"""`cloze-gen judge ask`: a model annotates the items of a study."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from cloze_gen.adapters.chat_endpoint import (
    Endpoint,
    Messages,
    Reply,
    Usage,
    ask_endpoint,
    endpoint_from,
)
from cloze_gen.adapters.terminal import show
from cloze_gen.cli.judge_exchange import packet_of
from cloze_gen.cli.judge_study import (
    MOST_NAME_CHARS,
    add_judges,
    open_named_study,
    parse_judges,
    roles_agree,
    warn_if_changed,
)
from cloze_gen.engine.progress import say, track
from cloze_gen.errors import FormatError, RefusedError, UsageError
from cloze_gen.judging.agreement_text import kappa_lines
from cloze_gen.judging.chat import messages, parse_reply
from cloze_gen.judging.exchange import PacketRow
from cloze_gen.judging.state import order_dependence
from cloze_gen.judging.study import (
    Outcome,
    Study,
    StudySource,
    judge_numbers,
    study_agreement,
)
from cloze_gen.judging.study_agreement import Share
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import Assignment, Judge, Kind, Role

_CHARS_PER_TOKEN = 4  # of English text, for common tokenizers
_TOKENS_PER_REPLY = 30
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_WITH_DIGEST = re.compile(r"--[0-9a-f]{10}$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    tokens_in: float
    tokens_out: float

    def text(self, tokens_in: float, tokens_out: float) -> str:
        """
        >>> Price(0.15, 0.6).text(2_000_000, 100_000)
        '$0.36'
        """
        usd = (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1e6
        return f"${usd:,.2f}" if usd >= 0.01 or not usd else f"${usd:.4f}"


def ask(
    out: Path,
    study: str,
    *,
    url: str,
    model: str,
    price: str,
    per_second: float,
    timeout_seconds: float,
    limit: int | None,
    estimate_only: bool,
) -> None:
    """Print the expected cost, send every open item, and store each verdict at once.

    The judge ``model-NAME`` is recorded as a model annotator. If the task has choices, each item is
    sent in two orders, and only what both answers share counts. RefusedError if some replies could
    not be parsed.
    """
    usd = _parse_price(price)
    opened, source = open_named_study(out, study)
    endpoint = endpoint_from(
        url, model, os.environ, per_second=per_second, timeout_seconds=timeout_seconds
    )
    (judge,) = parse_judges(
        [judge_for_model(endpoint.model)], Role.MACHINE, list(opened.state().judges.values())
    )
    roles_agree(opened, [judge])
    warn_if_changed(opened, source)
    plan = _plan(opened, judge, limit)
    if not plan:
        show(f"{judge.name}: has answered all {len(opened.state().cases):,} items")
    else:
        show("\n".join(_estimate_lines(opened, plan, endpoint, usd)))
        if estimate_only:
            return
        add_judges(opened, [judge])
        refused = _send(opened, judge, plan, endpoint, usd)
    show("\n".join([*_order_lines(opened, judge), *_agreement_lines(opened, source, judge)]))
    if plan and refused:
        raise RefusedError(
            f"{judge.name}: {refused:,} of {len(plan):,} replies were not accepted. Run the command "
            "again to retry these items."
        )


def judge_for_model(model: str) -> str:
    """The judge's name for a model, different for every model.

    A name that is too long or has special characters ends in a digest of the model's name.

    >>> judge_for_model("qwen-7b"), judge_for_model("org/model"), judge_for_model("org:model")
    ('model-qwen-7b', 'model-org-model--6a74456cfb', 'model-org-model--60319d30a9')
    """
    plain = _NOT_IN_NAMES.sub("-", unicodedata.normalize("NFC", model))
    name = f"model-{plain}"
    if plain == model and len(name) <= MOST_NAME_CHARS and not _WITH_DIGEST.search(name):
        return name
    digest = hashlib.blake2b(model.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    return f"{name[: MOST_NAME_CHARS - len(digest) - 2]}--{digest}"


def _parse_price(text: str) -> Price | None:
    """
    >>> _parse_price("0.15,0.6")
    Price(tokens_in=0.15, tokens_out=0.6)
    """
    if not text:
        return None
    try:
        found = Price(*map(float, text.split(",")))
    except (ValueError, TypeError):
        found = None
    if found is None or not all(0 <= one < 1e6 for one in (found.tokens_in, found.tokens_out)):
        raise UsageError(
            f"--price {quote(text)}: expected two prices in dollars per million tokens, for input "
            "and output. Example: --price 0.15,0.60"
        )
    return found


def _plan(study: Study, judge: Judge, limit: int | None) -> list[Assignment]:
    """The open assignments of the first `limit` open items."""
    found = study.unanswered(judge)
    items = set(list(dict.fromkeys(one.item for one in found))[:limit])
    return [one for one in found if one.item in items]


def _row(study: Study, assignment: Assignment) -> PacketRow:
    row = packet_of(study, assignment)
    turned = assignment.kind is Kind.REPEAT
    return replace(row, shown=study.task.turned(row.shown)) if turned else row


def _estimate_lines(
    study: Study, plan: Sequence[Assignment], endpoint: Endpoint, usd: Price | None
) -> Iterator[str]:
    chars = sum(len(one["content"]) for each in plan for one in messages(_row(study, each)))
    tokens_in, tokens_out = chars / _CHARS_PER_TOKEN, len(plan) * _TOKENS_PER_REPLY
    items = len({one.item for one in plan})
    orders = " (the options of an item in two orders)" if study.task.choice else ""
    seconds = len(plan) / endpoint.per_second
    time = f"{seconds:,.0f} s" if seconds < 180 else f"{seconds / 60:,.0f} min"
    yield (
        f"to send    {items:,} items, {len(plan):,} requests{orders}, at least {time} at "
        f"{endpoint.per_second:g} per second"
    )
    yield (
        f"estimate   {chars:,} characters, about {_rounded(tokens_in)} tokens in and "
        f"{_rounded(tokens_out)} out; a model that thinks writes many more"
    )
    if usd:
        yield f"           about {usd.text(tokens_in, tokens_out)}"


def _send(
    study: Study, judge: Judge, plan: Sequence[Assignment], endpoint: Endpoint, usd: Price | None
) -> int:
    """Send the items, and store and print the results; returns the number of refused replies."""
    taken, refused, usage = set[str](), set[str](), Usage()

    def store(reply: Reply) -> str:
        problem = reply.error or _store(study, reply, endpoint)
        (refused if problem else taken).add(reply.id)
        if problem:
            say(f"{reply.id}: not accepted ({problem})")
        return problem

    replies = ask_endpoint(
        _requests(study, judge, plan), endpoint=endpoint, on_reply=store, usage=usage,
        on_wait=lambda why, seconds: say(f"{endpoint.url}: {why}; retrying in {seconds:.0f} s"),
    )  # fmt: skip
    try:
        for _ in track(replies, stage="judge", unit="requests", total=len(plan)):
            pass
    finally:
        show(
            f"answers    {len(taken):,} of {len(plan):,} accepted, {len(refused):,} not accepted\n"
            f"usage      {_usage_text(usage, usd)}"
        )
    return len(refused)


def _requests(
    study: Study, judge: Judge, plan: Sequence[Assignment]
) -> Iterator[tuple[str, Messages]]:
    for one in plan:
        while one.id not in study.state().by_id and study.assign_page(judge.name):
            pass
        if one.id in study.state().by_id:  # in guessing, people may have decided the item meanwhile
            yield one.id, messages(_row(study, one))


def _store(study: Study, reply: Reply, endpoint: Endpoint) -> str:
    """Store a model's verdict; returns the problem, or an empty string."""
    assignment = study.state().by_id[reply.id]
    row = _row(study, assignment)
    try:
        given = study.task.from_packet(parse_reply(reply.text, row))
        if assignment.kind is Kind.REPEAT:
            given = study.task.turned_back(given, row.shown)
        outcome = study.take(
            assignment,
            given,
            verdict_id=f"endpoint-{reply.id}",
            seconds=reply.seconds,
            source=_source(reply, endpoint),
        )
    except FormatError as error:
        return str(error)
    return "another verdict was stored meanwhile" if outcome is Outcome.CHANGED else ""


def _source(reply: Reply, endpoint: Endpoint) -> str:
    """Host, model and settings of a verdict. The name that the server states is untrusted."""
    other = f" ({quote(reply.served)})" if reply.served not in ("", endpoint.model) else ""
    settings = ", ".join(f"{name} {value}" for name, value in reply.settings.items())
    return (
        f"endpoint {urlsplit(endpoint.url).netloc}, model {endpoint.model}{other}, "
        f"{settings or 'default settings'}"
    )


def _usage_text(usage: Usage, usd: Price | None) -> str:
    if not usage.reported:
        return "not reported by the endpoint"
    cost = f", {usd.text(usage.tokens_in, usage.tokens_out)}" if usd else ""
    some = "" if usage.reported == usage.replies else f" (reported by {usage.reported:,} of {usage.replies:,} replies)"  # fmt: skip
    return f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out{cost}{some}"


def _order_lines(study: Study, judge: Judge) -> Iterator[str]:
    count, of = order_dependence(study.state(), study.facts.task).get(judge.name, (0, 0))
    if of:
        low, high = Share(count, of).interval() or (0.0, 1.0)
        yield (
            f"order      {count:,} of {of:,} items ({100 * count / of:.1f} %, 95 %: {100 * low:.1f} "
            f"to {100 * high:.1f}) get another answer if the options are in another order; only "
            "what both answers share counts"
        )


def _agreement_lines(study: Study, source: StudySource, judge: Judge) -> list[str]:
    """Agreement of the model with each person who judged the same items."""
    names = {name: f"judge {number}" for name, number in judge_numbers(study.state()).items()}
    found = study_agreement(study, is_right=source.is_right, display_names=names)
    own = {
        question: [one for one in kappas if one.one == judge.name]
        for question, kappas in found.machine_kappas.items()
    }
    lines = kappa_lines(own, "model and judge")
    return (
        ["", "agreement with people, on items with a verdict of the model", *lines] if lines else []
    )


def _rounded(tokens: float) -> str:
    """
    >>> _rounded(17_123.4), _rounded(12)
    ('17,000', '12')
    """
    return f"{float(f'{tokens:.2g}'):,.0f}"

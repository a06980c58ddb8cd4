"""The pages that a judge sees: an item, the end, a refusal. Values in, HTML out.

Jinja2 escapes whatever the templates print; nothing is let through as markup, no script and no style stands in a page. What the script
needs of an item it finds in attributes of the form.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jinja2

from cloze_gen.judging.groom import GUIDELINES, N_PICKED, REASONS, RejectReason
from cloze_gen.judging.tasks import INSTRUCTIONS
from cloze_gen.records.judgement import Task
from cloze_gen.web.assets import assets_version
from cloze_gen.web.votes import told_votes

_TITLES: Mapping[Task, str] = {
    Task.GROOM: "Four wrong options",
    Task.GUESS: "The missing word",
    Task.READ: "The right word",
    Task.FILL: "The missing sentences",
}
# What needs no space after it, before it.
_OPENS = re.compile(r"""(?:\s|[(\[\u2018\u201c\u2014]|-|(?:^|\s)["'])$""")
_CLOSES = re.compile(r"""\s|[)\].,;:!?\u2019\u201d\u2014-]|["'](?:\s|$|[.,;:!?])""")
# One key a reason: a letter of its own words.
_REASON_KEYS: Mapping[RejectReason, str] = {
    RejectReason.UNGRAMMATICAL: "g",
    RejectReason.AMBIGUOUS: "n",
    RejectReason.OFFENSIVE: "o",
    RejectReason.TOO_EASY: "a",
    RejectReason.UNCLEAR: "l",
    RejectReason.BROKEN: "w",
    RejectReason.OTHER: "x",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    """An item as one judge is shown it.

    Attributes:
        study: its name.
        judge: the judge's own name, so that who follows somebody else's link sees it.
        whose: tells this judge of this study from any other in the same browser, and is no secret; what is not sent yet is kept under it.
        place: the item's in the judge's own order, from 1.
        seconds_left: None where nobody can tell yet.
        seen: what is shown of the item (`Study.seen`).
        said: what this judge said of it before, in terms of what is seen.
        replaces: the id of that verdict; empty for none.
        csrf: what the page sends beside a verdict.
        previous, following: addresses.
    """

    study: str
    judge: str
    task: Task
    assignment: str
    place: int
    done: int
    left: int
    seconds_left: float | None
    seen: Mapping[str, Any]
    said: Mapping[str, Any] | None
    replaces: str
    adjudicating: bool
    csrf: str
    previous: str | None
    following: str | None
    whose: str = ""


def item_html(page: ItemPage) -> str:
    """The page of an item."""
    return _template(f"{page.task}.html").render(
        page=page,
        seen=page.seen,
        title=_TITLES[page.task],
        instruction=INSTRUCTIONS[page.task],
        said=json.dumps(page.said) if page.said is not None else "",
        time_left=time_told(page.seconds_left),
        votes=told_votes(page.task, page.seen.get("votes", ())) if page.adjudicating else None,
        reasons=[(reason, words, _REASON_KEYS[reason]) for reason, words in REASONS.items()],
        guidelines=GUIDELINES,
        widest=max(page.seen.get("candidates", ()), key=len, default=""),
        wanted=min(N_PICKED, len(page.seen.get("candidates", ()))),
    )


def done_html(study: str, *, waiting: bool, whose: str = "", csrf: str = "") -> str:
    """The page of a judge for whom there is nothing now.

    Args:
        waiting: others are still at work, and there may be more.
        whose, csrf: as of an item; what was not sent yet is sent from here too.
    """
    return _template("done.html").render(study=study, waiting=waiting, whose=whose, csrf=csrf)


def refused_html(status: int, words: str) -> str:
    """The page of what cannot be shown: its words and nothing of the inside."""
    return _template("refused.html").render(status=status, words=words)


def time_told(seconds: float | None) -> str:
    """What is left, as one says it; empty where nobody can tell.

    >>> time_told(20), time_told(540), time_told(4800), time_told(7200)
    ('less than a minute', 'about 9 minutes', 'about 1 h 20 min', 'about 2 h')
    >>> time_told(61), time_told(None)
    ('about 1 minute', '')
    """
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 60:
        return f"about {minutes} minute{'s' if minutes > 1 else ''}"
    hours, minutes = divmod(5 * round(minutes / 5), 60)
    return f"about {hours} h {minutes} min" if minutes else f"about {hours} h"


def emphasized(text: str) -> list[tuple[str, bool]]:
    """The pieces of a text in which *asterisks* stress, and whether each is stressed.

    >>> emphasized("Not *skiff*.")
    [('Not ', False), ('skiff', True), ('.', False)]
    """
    return [(piece, at % 2 == 1) for at, piece in enumerate(text.split("*")) if piece]


def joint(before: str, after: str) -> str:
    """What stands between two pieces of a text: a space, unless one of them brings it or a mark leans on the other.

    >>> [joint("They saw the", "harbour"), joint("harbour", ", at dawn"), joint("the \u201c", "harbour"), joint("the ", "harbour")]
    [' ', '', '', '']
    """
    return "" if not before or not after or _OPENS.search(before) or _CLOSES.match(after) else " "


def pieces(text: str) -> list[str]:
    """A text cut at its gaps.

    >>> pieces("She took the _____ of _____.")
    ['She took the ', ' of ', '.']
    """
    return re.split("_{3,}", text)


@functools.cache
def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("cloze_gen.web", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"emphasized": emphasized, "pieces": pieces, "joint": joint, "letter": lambda place: chr(ord("A") + place)}
    environment.globals["static"] = f"/static/{assets_version()}"
    return environment.get_template(name)

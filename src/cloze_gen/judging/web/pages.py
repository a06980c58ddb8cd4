"""The judges' pages and assets. Jinja2 escapes all values; pages have no inline script or style."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePath
from typing import Any

import jinja2
from starlette.responses import HTMLResponse, Response

from cloze_gen.judging.agreement_text import (
    ALPHA_HEADER,
    ALPHA_NOTE,
    alpha_rows,
    summary_line,
)
from cloze_gen.judging.state import count_outcomes, judges_progress
from cloze_gen.judging.study import Study
from cloze_gen.judging.study_agreement import StudyAgreement
from cloze_gen.judging.tasks import TASKS
from cloze_gen.records.judgement import Task

_ASSET_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

# Punctuation without a space after it, and without a space before it.
_OPENS = re.compile(r"""(?:\s|[(\[\u2018\u201c\u2014]|-|(?:^|\s)["'])$""")
_CLOSES = re.compile(r"""\s|[)\].,;:!?\u2019\u201d\u2014-]|["'](?:\s|$|[.,;:!?])""")


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    """The page of one item for one judge.

    Attributes:
        study, judge: names; the page shows them, so that a judge notices another judge's link.
        place: number of the item, from 1.
        response: the stored response, if any.
        storage_key: prefix for unsent verdicts in the browser.
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
    response: Mapping[str, Any] | None
    previous: str | None
    following: str | None
    storage_key: str = ""


def item_html(page: ItemPage) -> str:
    task = TASKS[page.task]
    return _template(f"{page.task}.html").render(
        page=page,
        seen=page.seen,
        title=task.title,
        instruction=task.instruction,
        response=json.dumps(page.response) if page.response is not None else "",
        time_left=time_text(page.seconds_left),
        **task.page(page.seen),
    )


def done_html(study: str, *, waiting: bool, storage_key: str = "") -> str:
    """The page without an item; `waiting`: there may be more later."""
    return _template("done.html").render(study=study, waiting=waiting, storage_key=storage_key)


def owner_html(study: Study, measured: StudyAgreement) -> str:
    """The figures of `judge status`, with names, for the owner alone."""
    state = study.state()
    return _template("owner.html").render(
        facts=study.facts,
        outcomes=count_outcomes(state),
        judges=judges_progress(state),
        summary=summary_line(measured),
        questions=TASKS[study.facts.task].questions,
        header=ALPHA_HEADER,
        alphas=alpha_rows(measured),
        note=ALPHA_NOTE + TASKS[study.facts.task].alpha_note,
    )


class Refusal(Exception):
    """A refused request; `wait`: seconds after which to retry, 0 if a retry is useless."""

    def __init__(self, status: int, words: str, *, wait: int = 0) -> None:
        super().__init__(words)
        self.status, self.words = status, words
        self.headers = {"Retry-After": f"{wait}"} if wait else {}


def refused(refusal: Refusal, *, as_json: bool) -> Response:
    if as_json:
        return json_reply({"error": refusal.words}, refusal.status, refusal.headers)
    html = _template("refused.html").render(status=refusal.status, words=refusal.words)
    return HTMLResponse(html, refusal.status, refusal.headers)


def json_reply(
    content: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """JSON in ASCII, because lone surrogates from a client cannot be encoded in UTF-8."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return Response(text, status, headers, media_type="application/json")


def time_text(seconds: float | None) -> str:
    """The time left in words; empty if unknown.

    >>> time_text(20), time_text(540), time_text(4800), time_text(7200)
    ('less than a minute', 'about 9 minutes', 'about 1 h 20 min', 'about 2 h')
    >>> time_text(61), time_text(None)
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
    """The pieces of a text with *emphasis*, and whether each is emphasized.

    >>> emphasized("Not *skiff*.")
    [('Not ', False), ('skiff', True), ('.', False)]
    """
    return [(piece, at % 2 == 1) for at, piece in enumerate(text.split("*")) if piece]


def joint(before: str, after: str) -> str:
    """The space between two pieces: empty at a space, and before or after punctuation.

    >>> [joint("They saw the", "harbour"), joint("harbour", ", at dawn"),
    ...     joint("the \u201c", "harbour"), joint("the ", "harbour")]
    [' ', '', '', '']
    """
    return "" if not before or not after or _OPENS.search(before) or _CLOSES.match(after) else " "


def pieces(text: str) -> list[str]:
    """
    >>> pieces("She took the _____ of _____.")
    ['She took the ', ' of ', '.']
    """
    return re.split("_{3,}", text)


@dataclass(frozen=True, slots=True)
class Asset:
    content: bytes
    media_type: str


@functools.cache
def assets() -> Mapping[str, Asset]:
    """The files of the folder `static/` by name; pages load nothing else."""
    found = sorted(
        (files("cloze_gen.judging.web") / "static").iterdir(), key=lambda file: file.name
    )
    typed = ((file, _ASSET_TYPES.get(PurePath(file.name).suffix)) for file in found)
    return {
        file.name: Asset(file.read_bytes(), media_type) for file, media_type in typed if media_type
    }


@functools.cache
def assets_version() -> str:
    """A digest of the files' content, part of their addresses, so that browsers may cache them."""
    return hashlib.sha256(b"\0".join(one.content for one in assets().values())).hexdigest()[:16]


@functools.cache
def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("cloze_gen.judging.web", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "emphasized": emphasized,
        "pieces": pieces,
        "joint": joint,
        "letter": lambda place: chr(ord("A") + place),
    }
    environment.globals["static"] = f"/static/{assets_version()}"
    return environment.get_template(name)

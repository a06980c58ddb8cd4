"""A verdict as a browser sends it, read with suspicion."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from cloze_gen.notation import NotationError, parse_json
from cloze_gen.web.refusals import Refusal

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ASSIGNMENT = re.compile(r"[0-9a-f]{12}")
_MOST_ID_CHARS = 100  # of an id that an import brought


@dataclass(frozen=True, slots=True)
class Sent:
    """What a page sent.

    Attributes:
        replaces: the verdict that it saw when this one was given; empty for none.
        said: not looked at yet.
    """

    id: str
    assignment: str
    replaces: str
    said: Any
    seconds: float


def read_sent(body: bytes) -> Sent:
    """
    Raises:
        Refusal: it is no JSON, or not of this shape.

    >>> read_sent(b'{"id":"0b6f0c3e-0000-4000-8000-0123456789ab","assignment":"0123456789ab","replaces":"","said":{},"seconds":2}').seconds
    2.0
    """
    try:
        record = parse_json(body)
    except NotationError:
        raise Refusal(400, "This is no JSON of a verdict.") from None
    if not isinstance(record, dict) or record.keys() != {"id", "assignment", "replaces", "said", "seconds"}:
        raise Refusal(400, "A verdict has id, assignment, replaces, said and seconds.")
    name, assignment, replaces, seconds = (record[key] for key in ("id", "assignment", "replaces", "seconds"))
    if not isinstance(name, str) or not _UUID.fullmatch(name):
        raise Refusal(400, "id: not a UUID in small letters.")
    if not isinstance(assignment, str) or not _ASSIGNMENT.fullmatch(assignment):
        raise Refusal(400, "assignment: not twelve hexadecimal digits.")
    if not isinstance(replaces, str) or len(replaces) > _MOST_ID_CHARS or not replaces.isprintable():
        raise Refusal(400, "replaces: not the id of a verdict.")
    if type(seconds) not in {int, float} or not 0 <= seconds < math.inf:
        raise Refusal(400, "seconds: not a number from 0 on.")
    return Sent(name, assignment, replaces, record["said"], float(min(seconds, 1e9)))

"""What is told to whoever is refused: a status, words, and nothing of the inside."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from starlette.responses import HTMLResponse, Response

from cloze_gen.web.pages import refused_html


class Refusal(Exception):
    """A request that is not answered.

    Attributes:
        wait: seconds after which it may be sent again; 0 where that would not help.
    """

    def __init__(self, status: int, words: str, *, wait: float = 0.0, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(words)
        self.status, self.words, self.wait, self.headers = status, words, wait, headers or {}


def json_reply(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """JSON in ASCII, for half of a character, which somebody may have sent, is none in UTF-8."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return Response(text, status, headers, media_type="application/json")


def refused(refusal: Refusal, *, as_json: bool) -> Response:
    """The reply to a request that is not answered."""
    headers = {**refusal.headers, **({"Retry-After": str(math.ceil(refusal.wait))} if refusal.wait else {})}
    if as_json:
        return json_reply({"error": refusal.words}, refusal.status, headers)
    return HTMLResponse(refused_html(refusal.status, refusal.words), refusal.status, headers)

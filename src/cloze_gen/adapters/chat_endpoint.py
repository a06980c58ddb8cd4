"""A chat endpoint of the user's that speaks OpenAI's protocol: asked one item at a time, slowly enough, and with patience.

The key comes from the environment and goes over TLS or to this machine itself (`chat_http` has the request). What the endpoint answers is a
text; what the text means is for `formats.judging.chat` to say.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from cloze_gen.adapters.chat_http import BadRequest, ChatLine, Endpoint, Messages, PassingFailure, Refusal, is_this_machine
from cloze_gen.errors import ToolError, UsageError
from cloze_gen.notation import shown

KEY_VARIABLES = ("CLOZE_GEN_API_KEY", "OPENAI_API_KEY")  # the first that is set
LONGEST_WAIT_SECONDS = 120.0  # between two tries, whatever a server asks for
FIRST_WAIT_SECONDS = 1.0  # doubled with every try
MOST_USELESS = 10  # replies in a row that are of no use: then it is no matter of the items


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one request.

    Attributes:
        text: what the model said, which may be nothing.
        error: why this request has no text; empty where it has one.
        seconds: from the request that was answered to its answer.
    """

    id: str
    text: str
    error: str
    seconds: float


def endpoint_from(
    url: str, model: str, environ: Mapping[str, str], *, timeout_seconds: float = 120.0, retries: int = 5, per_second: float = 1.0
) -> Endpoint:
    """The endpoint that a user names, with the key of the environment (`KEY_VARIABLES`) if there is one.

    Raises:
        UsageError: the URL is none, or would send the key in the clear to another machine; the key can be none; a number makes no sense.

    >>> endpoint_from("http://localhost:8000/v1/", "tiny", {"OPENAI_API_KEY": "sk-1"})
    Endpoint(url='http://localhost:8000/v1', model='tiny', key_variable='OPENAI_API_KEY', timeout_seconds=120.0, retries=5, per_second=1.0)
    """
    variable = next((name for name in KEY_VARIABLES if environ.get(name, "").strip()), "")
    key = environ.get(variable, "").strip() if variable else ""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(f"{variable} holds what can be no key: blanks or letters beyond ASCII; set it again.")
    if not model.strip():
        raise UsageError("--model names no model.")
    if not (timeout_seconds > 0 and retries >= 0 and per_second > 0):
        raise UsageError("a time-out and a number of requests a second must be above 0, a number of tries at least 0.")
    url = url.strip().rstrip("/").removesuffix("/chat/completions")
    _ask_url(url, variable if key else "")
    return Endpoint(url, model.strip(), key, variable or KEY_VARIABLES[0], timeout_seconds, retries, per_second)


def ask_endpoint(
    requests: Iterable[tuple[str, Messages]],
    *,
    endpoint: Endpoint,
    on_reply: Callable[[Reply], str | None],
    on_wait: Callable[[str, float], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Reply]:
    """Ask for one item after another; each reply is handed to `on_reply`, which may store it, before the next is asked for.

    Who goes on after an interruption leaves out the requests that are answered.

    Args:
        requests: ``(id, messages)``.
        on_reply: returns why a text was of no use; None or empty where it was.
        on_wait: told why a request is tried again, and in how many seconds.
        clock, sleep: seconds; of a test its own.
    Raises:
        UsageError: the key is refused, or there is no such URL or model.
        ToolError: the server can not be reached, or goes on failing, after all tries; or `MOST_USELESS` replies in a row were of no use.
    """
    asker = _Asker(endpoint, on_wait or (lambda _, __: None), clock, sleep)
    useless = 0
    for own_id, messages in requests:
        reply = asker.ask(own_id, messages)
        why = on_reply(reply) or reply.error
        yield reply
        useless = useless + 1 if why else 0
        if useless == MOST_USELESS:
            raise ToolError(f"{endpoint.url}: {useless} replies in a row were of no use, the last one: {why}. Is it the right model?")


class _Asker:
    """One endpoint, asked in turn; knows when it was asked last, and whether it takes `response_format`."""

    def __init__(
        self, endpoint: Endpoint, on_wait: Callable[[str, float], None], clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self._endpoint, self._on_wait, self._clock, self._sleep = endpoint, on_wait, clock, sleep
        self._line = ChatLine(endpoint, clock)
        self._with_format = True
        self._next_start = clock()

    def ask(self, own_id: str, messages: Messages) -> Reply:
        for tried in range(self._endpoint.retries + 1):
            try:
                return self._once(own_id, messages)
            except Refusal as refusal:
                return Reply(own_id, "", str(refusal), 0.0)
            except PassingFailure as failure:
                why, asked = str(failure), failure.wait_seconds
            if tried < self._endpoint.retries:
                wait = min(LONGEST_WAIT_SECONDS, max(asked, FIRST_WAIT_SECONDS * 2**tried))
                self._on_wait(why, wait)
                self._sleep(wait)
        raise ToolError(f"{self._endpoint.url}: {why}, after {tried + 1} tries; what was answered stays, run again to go on.")

    def _once(self, own_id: str, messages: Messages) -> Reply:
        """One try; where the server may not know `response_format`, another without it, which is remembered where it helped."""
        try:
            return self._timed(own_id, messages, self._with_format)
        except BadRequest:
            if not self._with_format:
                raise
        reply = self._timed(own_id, messages, False)
        self._with_format = False
        return reply

    def _timed(self, own_id: str, messages: Messages, with_format: bool) -> Reply:
        now = self._clock()
        if now < self._next_start:
            self._sleep(self._next_start - now)
        self._next_start = max(now, self._next_start) + 1 / self._endpoint.per_second
        start = self._clock()
        text = self._line.complete(messages, with_format=with_format)
        return Reply(own_id, text, "", self._clock() - start)


def _ask_url(url: str, key_variable: str) -> None:
    """Raises UsageError where a URL is none of ours, or would carry a key in the clear."""
    if "@" in url:  # told before anything quotes it
        raise UsageError(f"--endpoint names a user or a password; a key comes from {KEY_VARIABLES[0]}.")
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not whole or not url.isascii() or not url.isprintable() or " " in url or "?" in url or "#" in url:
        raise UsageError(f"--endpoint {shown(url)} is no address of a chat endpoint; expected one such as http://localhost:8000/v1")
    if key_variable and parts.scheme == "http" and not is_this_machine(parts.hostname or ""):
        raise UsageError(
            f"--endpoint {shown(url)} would carry the key of {key_variable} in the clear; use https, or unset it if no key is wanted."
        )

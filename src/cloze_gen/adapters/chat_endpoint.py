"""A client for chat endpoints with OpenAI's protocol. The key is sent over TLS or to this machine
only and never printed or returned; redirects are not followed.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import queue
import re
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, NoReturn
from urllib.parse import urlsplit

from cloze_gen.errors import ToolError, UsageError
from cloze_gen.parsing import ParseError, parse_json, quote

MOST_REPLY_BYTES = 1_000_000
_CHUNK_BYTES = 65_536
_AGAIN = {408, 425, 429}  # and all from 500
_BAD_REQUEST = {400, 422}  # an unknown field or model, an overlong item, or a content filter
_NO_MODEL = re.compile(
    r"model\b.{0,80}\b(not|n't) (a valid|found|exist|available)|model_not_found"
    r"|(invalid|unknown|no such) model",
    re.IGNORECASE | re.DOTALL,
)
_HTML = re.compile(rb"\s*<(!doctype|html|head|body)\b", re.IGNORECASE)
# Parts of the key with so many characters are removed from texts of the server. Shorter keys, such as
# `none`, are no secrets, and occur in good replies.
_KEY_PART = 8
TEMPERATURE, SEED = 0, 1
_JSON = {"response_format": {"type": "json_object"}}
# Settings of a request; the next ones are tried while a server knows none of the earlier ones.
_FORMS: tuple[Mapping[str, Any], ...] = (
    {"temperature": TEMPERATURE, "seed": SEED, **_JSON},
    {"temperature": TEMPERATURE, **_JSON},
    {"temperature": TEMPERATURE, "seed": SEED},
    {"temperature": TEMPERATURE},
    {},
)

Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address and limits of an endpoint.

    Attributes:
        url: without ``/chat/completions``.
        key: may be empty; in no message and no `repr`.
        timeout_seconds: for one reply as a whole.
        per_second: maximum, retries included.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    key_variable: str = "CLOZE_GEN_API_KEY"
    timeout_seconds: float = 120.0
    retries: int = 5
    per_second: float = 1.0


class PassingFailure(Exception):
    """A failure that may be transient; retry after the seconds that the server requests."""

    def __init__(self, why: str, wait_seconds: float = 0.0) -> None:
        super().__init__(why)
        self.wait_seconds = wait_seconds


class Refusal(Exception):
    """The server replied without a text for this item."""


class BadRequest(Refusal):
    """The server rejected the form of the request."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Treats a redirect as a reply: the key and the item go to the user's host only."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        return None


class ChatLine:
    """The connection to one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        # No proxy for a server on this machine: it would see the key.
        proxies = urllib.request.ProxyHandler(
            {} if is_this_machine(urlsplit(endpoint.url).hostname or "") else None
        )
        self._opener = urllib.request.build_opener(proxies, _NoRedirect)

    def complete(self, messages: Messages, settings: Mapping[str, Any]) -> tuple[str, str]:
        """The text of the model's reply, and the name of the model as the server states it.

        Raises:
            PassingFailure: may be retried.
            BadRequest, Refusal: a reply without text.
            UsageError, ToolError: a retry cannot help.
        """
        body = {"model": self.endpoint.model, "messages": list(messages), **settings}
        return self._text_of(self._within_time(json.dumps(body).encode()))

    def _within_time(self, body: bytes) -> bytes:
        """The reply, in a thread: a server can send its headers slower than any time-out."""
        outcome: queue.SimpleQueue[bytes | Exception] = queue.SimpleQueue()

        def post() -> None:
            try:
                outcome.put(self._post(body))
            except Exception as error:  # noqa: BLE001 - raised below, in the caller's thread
                outcome.put(error)

        threading.Thread(target=post, daemon=True).start()
        try:
            found = outcome.get(timeout=self.endpoint.timeout_seconds)
        except queue.Empty:
            found = TimeoutError()
        if isinstance(found, TimeoutError):
            raise PassingFailure(f"no answer within {self.endpoint.timeout_seconds:g} seconds")
        if isinstance(found, Exception):
            raise found
        return found

    def _post(self, body: bytes) -> bytes:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": "cloze-gen",
        }
        headers |= {"Authorization": f"Bearer {self.endpoint.key}"} if self.endpoint.key else {}
        request = urllib.request.Request(
            f"{self.endpoint.url}/chat/completions", data=body, headers=headers, method="POST"
        )
        try:
            with self._opener.open(request, timeout=self.endpoint.timeout_seconds) as answer:
                return self._bytes_of(answer)
        except urllib.error.HTTPError as error:
            with contextlib.closing(error):
                self._raise_status(error)
        except TimeoutError:
            raise
        except (OSError, HTTPException) as error:
            inner = getattr(error, "reason", error)
            if isinstance(inner, TimeoutError):
                raise inner from None
            if isinstance(inner, ssl.SSLCertVerificationError):
                raise UsageError(
                    f"{self.endpoint.url}: its certificate is not trusted ({inner.verify_message})."
                ) from None
            raise PassingFailure(_unreachable(inner)) from None

    def _bytes_of(self, answer: Any) -> bytes:
        chunks, size = [], 0
        while chunk := answer.read1(_CHUNK_BYTES):
            chunks.append(chunk)
            size += len(chunk)
            if size > MOST_REPLY_BYTES:
                raise Refusal(f"an answer of more than {MOST_REPLY_BYTES:,} bytes")
        if getattr(answer, "length", 0):  # announced bytes are missing
            raise PassingFailure("an incomplete answer")
        if not size and answer.status == 200:  # the connection was closed between the headers
            raise PassingFailure("an empty answer")
        return b"".join(chunks)

    def _raise_status(self, error: urllib.error.HTTPError) -> NoReturn:
        url, status = self.endpoint.url, error.code
        try:
            reply_text = _message_of(self._bytes_of(error).decode("utf-8", "replace"))
        except (OSError, HTTPException, PassingFailure, Refusal):
            reply_text = ""
        stated = f" ({self._quoted(reply_text)})" if reply_text.strip() else ""
        if status in (401, 403):
            lacking = (
                "is refused" if self.endpoint.key else "is not set, and the server requires a key"
            )
            raise UsageError(
                f"{url} returned {status}{stated}: {self.endpoint.key_variable} {lacking}; set it "
                "to a key that may use the model."
            )
        if status in (404, 405) or (status in _BAD_REQUEST and _NO_MODEL.search(reply_text)):
            raise UsageError(
                f"{url} returned {status}{stated}: no chat/completions there, or no model "
                f"{quote(self.endpoint.model)}; --endpoint is the part "
                "before /chat/completions, often ending in /v1."
            )
        if 300 <= status < 400:
            raise UsageError(
                f"{url} redirects ({status}) to "
                f"{self._quoted(error.headers.get('Location', ''))}; name that place if it is "
                "right."
            )
        why = f"the server returned {status}{stated}"
        if status in _BAD_REQUEST:
            raise BadRequest(why)
        if status == 413:
            raise Refusal(why)
        if status in _AGAIN or status >= 500:
            raise PassingFailure(why, _retry_seconds(error.headers))
        raise ToolError(f"{url}: {why}.")

    def _text_of(self, answer: bytes) -> tuple[str, str]:
        if _HTML.match(answer):
            raise UsageError(
                f"{self.endpoint.url} returned a page in HTML, no JSON: it is no chat endpoint. "
                "--endpoint is the part before /chat/completions, often ending in /v1."
            )
        try:
            reply = parse_json(answer)
        except ParseError as error:
            raise Refusal(
                f"no JSON ({error}): {self._quoted(answer[:200].decode('utf-8', 'replace'))}"
            ) from None
        try:
            choice = reply["choices"][0]
            content = choice["message"]["content"]
            if isinstance(content, list):  # parts, as of models that think
                content = "".join(one["text"] for one in content if one["type"] == "text")
            refusal = choice["message"].get("refusal")
        except (KeyError, IndexError, TypeError, AttributeError):
            shown = _message_of(answer[:10_000].decode("utf-8", "replace"))
            raise Refusal(f"no chat completion: {self._quoted(shown)}") from None
        if not isinstance(content, str | None):
            raise Refusal("a completion without text")
        if not content:
            ended = refusal if isinstance(refusal, str) else choice.get("finish_reason")
            raise Refusal(f"an empty reply{f': {self._quoted(str(ended))}' if ended else ''}")
        served = reply.get("model")
        return self._without_key(content), (
            self._without_key(served) if isinstance(served, str) else ""
        )

    def _quoted(self, text: str) -> str:
        return quote(self._without_key(text), most_chars=200)

    def _without_key(self, text: str) -> str:
        """A server's text without the key and its parts: some servers repeat it."""
        key, n = self.endpoint.key, _KEY_PART
        parts = {key[start : start + n] for start in range(len(key) - n + 1)}
        result, end = "", 0
        for start in sorted(
            found.start() for part in parts for found in re.finditer(f"(?={re.escape(part)})", text)
        ):
            result += f"{text[end:start]}..." if start >= end else ""
            end = start + n
        return result + text[end:]


def _message_of(reply_text: str) -> str:
    try:
        value = parse_json(reply_text)
    except ParseError:
        return reply_text
    inner = value.get("error", value) if isinstance(value, dict) else value
    message = inner.get("message", reply_text) if isinstance(inner, dict) else inner
    return message if isinstance(message, str) else reply_text


def _retry_seconds(headers: Message) -> float:
    """The server's Retry-After in seconds; a date is compared with the server's own clock."""
    requested = str(headers.get("Retry-After") or "").strip()
    with contextlib.suppress(ValueError):
        return max(0.0, float(requested))
    with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError):
        seconds = (
            parsedate_to_datetime(requested) - parsedate_to_datetime(str(headers.get("Date")))
        ).total_seconds()
        return max(0.0, seconds)
    return 0.0


def _unreachable(error: Any) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return (
        "no connection "
        f"({quote(getattr(error, 'strerror', None) or str(error) or type(error).__name__, most_chars=120)})"
    )


def is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


KEY_VARIABLES = ("CLOZE_GEN_API_KEY", "OPENAI_API_KEY")  # the first that is set
LONGEST_WAIT_SECONDS = 600.0  # between two tries; if the server requests more, the command ends
FIRST_WAIT_SECONDS = 1.0  # doubled with every try
MOST_USELESS = 10  # unusable replies in a row: the fault is not in the items


@dataclass(frozen=True, slots=True)
class Reply:
    """A text or an error.

    Attributes:
        seconds: of the successful try.
        served: the model as the server states it, or empty.
        settings: of the request, without its form.
    """

    id: str
    text: str
    error: str
    seconds: float = 0.0
    served: str = ""
    settings: Mapping[str, int] = field(default_factory=dict)


def endpoint_from(
    url: str,
    model: str,
    environ: Mapping[str, str],
    *,
    timeout_seconds: float = 120.0,
    retries: int = 5,
    per_second: float = 1.0,
) -> Endpoint:
    """An endpoint with the environment's key; UsageError if it would go out unencrypted.

    >>> endpoint_from("http://localhost:8000/v1/", "tiny", {"OPENAI_API_KEY": "sk-1"})
    Endpoint(url='http://localhost:8000/v1', model='tiny', key_variable='OPENAI_API_KEY', timeout_seconds=120.0, retries=5, per_second=1.0)
    """
    variable = next((name for name in KEY_VARIABLES if environ.get(name, "").strip()), "")
    key = environ.get(variable, "").strip() if variable else ""
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            f"{variable} is not a key: it holds spaces or non-ASCII letters. Set it again."
        )
    if not model.strip():
        raise UsageError("--model is empty. Name a model.")
    if not (timeout_seconds > 0 and retries >= 0 and per_second > 0):
        raise UsageError(
            "a time-out and a number of requests a second must be above 0, a number of tries "
            "at least 0."
        )
    url = url.strip().rstrip("/").removesuffix("/chat/completions")
    _ask_url(url, variable if key else "")
    return Endpoint(
        url, model.strip(), key, variable or KEY_VARIABLES[0], timeout_seconds, retries, per_second
    )


def ask_endpoint(
    requests: Iterable[tuple[str, Messages]],
    *,
    endpoint: Endpoint,
    on_reply: Callable[[Reply], str | None],
    on_wait: Callable[[str, float], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Reply]:
    """Request ``(id, messages)`` in turn; `on_reply` gets each reply before the next request.

    Args:
        on_reply: returns why a text could not be used, if so.
        on_wait: gets the reason and seconds of each delay before a retry.

    Raises:
        UsageError: the key is refused, or there is no such URL or model.
        ToolError: all retries failed, the server requests a longer wait than
            `LONGEST_WAIT_SECONDS`, or `MOST_USELESS` useless replies in a row.
    """
    asker = _Asker(ChatLine(endpoint), on_wait or (lambda _, __: None), clock, sleep)
    useless = 0
    for own_id, messages in requests:
        reply = asker.ask(own_id, messages)
        why = on_reply(reply) or reply.error
        yield reply
        useless = useless + 1 if why else 0
        if useless == MOST_USELESS:
            raise ToolError(
                f"{endpoint.url}: {useless} unusable replies in a row, the last one: "
                f"{why}. Is it the right model?"
            )


class _Asker:
    def __init__(
        self,
        line: ChatLine,
        on_wait: Callable[[str, float], None],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._line, self._endpoint = line, line.endpoint
        self._on_wait, self._clock, self._sleep = on_wait, clock, sleep
        self._forms = _FORMS  # one, once a request was answered
        self._next_start = clock()

    def ask(self, own_id: str, messages: Messages) -> Reply:
        for tried in range(self._endpoint.retries + 1):
            try:
                return self._once(own_id, messages)
            except Refusal as refusal:
                return Reply(own_id, "", str(refusal))
            except PassingFailure as failure:
                why, requested = str(failure), failure.wait_seconds
            if requested > LONGEST_WAIT_SECONDS:
                raise ToolError(
                    f"{self._endpoint.url}: {why}; the server requests a wait of {requested:,.0f} "
                    "seconds. Answers so far are kept; run again after that time to continue."
                )
            if tried < self._endpoint.retries:
                wait = max(requested, FIRST_WAIT_SECONDS * 2**tried)
                self._on_wait(why, wait)
                self._sleep(wait)
        raise ToolError(
            f"{self._endpoint.url}: {why}, after {tried + 1} tries. Answers so far are kept; "
            "run again to continue."
        )

    def _once(self, own_id: str, messages: Messages) -> Reply:
        """One try. Until a request was answered, each bad one is repeated with fewer settings."""
        for form in self._forms:
            try:
                reply = self._timed(own_id, messages, form)
            except BadRequest as bad:
                problem = bad
            else:
                self._forms = (form,)
                return reply
        raise problem

    def _timed(self, own_id: str, messages: Messages, form: Mapping[str, Any]) -> Reply:
        now = self._clock()
        if now < self._next_start:
            self._sleep(self._next_start - now)
        self._next_start = max(now, self._next_start) + 1 / self._endpoint.per_second
        start = self._clock()
        text, served = self._line.complete(messages, form)
        settings = {name: value for name, value in form.items() if name not in _JSON}
        return Reply(own_id, text, "", self._clock() - start, served, settings)


def _ask_url(url: str, key_variable: str) -> None:
    """UsageError for an invalid URL, or one that would send a key unencrypted."""
    if "@" in url:  # first, because later messages quote the URL
        raise UsageError(
            f"--endpoint holds a user name or a password; the key comes from {KEY_VARIABLES[0]}."
        )
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if (
        not whole
        or not url.isascii()
        or not url.isprintable()
        or " " in url
        or "?" in url
        or "#" in url
    ):
        raise UsageError(
            f"--endpoint {quote(url)} is not the address of a chat endpoint. Example: "
            "http://localhost:8000/v1"
        )
    if key_variable and parts.scheme == "http" and not is_this_machine(parts.hostname or ""):
        raise UsageError(
            f"--endpoint {quote(url)} would send the key in {key_variable} unencrypted. Use "
            "https, or unset the variable if the server needs no key."
        )

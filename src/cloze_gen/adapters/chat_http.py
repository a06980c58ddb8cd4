"""One request to a chat endpoint, and what its answer comes to: a text, a refusal, or a failure that may pass.

The key is sent to the named host only, and is told to nobody. Nothing that the server says is followed: no redirect, no more bytes than a
verdict can have.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, NoReturn
from urllib.parse import urlsplit

from cloze_gen.errors import ToolError, UsageError
from cloze_gen.notation import NotationError, parse_json, shown

MOST_REPLY_BYTES = 1_000_000
_CHUNK_BYTES = 65_536
_AGAIN = {408, 425, 429}  # and all from 500
_BAD_REQUEST = {400, 422}  # a field that the server does not know, an item too long, or one that a filter refuses

Messages = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked, and how patiently.

    Attributes:
        url: what stands before ``/chat/completions``.
        key: empty for a server that wants none; in no message and no `repr`.
        key_variable: the variable that the key came from, or would have come from.
        timeout_seconds: for one answer as a whole.
        retries: tries after the first, of one item.
        per_second: requests a second at most, those that are tried again counted.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    key_variable: str = "CLOZE_GEN_API_KEY"
    timeout_seconds: float = 120.0
    retries: int = 5
    per_second: float = 1.0


class PassingFailure(Exception):
    """A try that failed and may succeed later.

    Attributes:
        wait_seconds: as the server asks.
    """

    def __init__(self, why: str, wait_seconds: float = 0.0) -> None:
        super().__init__(why)
        self.wait_seconds = wait_seconds


class Refusal(Exception):
    """The server answers, but has no text for this item."""


class BadRequest(Refusal):
    """What was asked is not what the server takes."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """An answer that sends elsewhere stays an answer: a key and an item go where the user said, and nowhere else."""

    def redirect_request(self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str) -> None:
        return None


class ChatLine:
    """The way to one endpoint. `clock` tells seconds."""

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float]) -> None:
        self.endpoint, self._clock = endpoint, clock
        # A server on this machine is asked without the proxy that the environment may name, which would read the key.
        proxies = urllib.request.ProxyHandler({} if is_this_machine(urlsplit(endpoint.url).hostname or "") else None)
        self._opener = urllib.request.build_opener(proxies, _NoRedirect)

    def complete(self, messages: Messages, *, with_format: bool) -> str:
        """What the model says to the messages; nothing is the empty text.

        Args:
            with_format: ask for `response_format` ``json_object``, which not all servers know.
        Raises:
            PassingFailure: no connection, no answer in time, or one that says to come again.
            BadRequest, Refusal: an answer, but no text.
            UsageError, ToolError: it is of no use to ask again.
        """
        body: dict[str, Any] = {"model": self.endpoint.model, "messages": list(messages), "temperature": 0}
        body |= {"response_format": {"type": "json_object"}} if with_format else {}
        return self._text_of(self._post(json.dumps(body).encode()))

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "cloze-gen"}
        headers |= {"Authorization": f"Bearer {self.endpoint.key}"} if self.endpoint.key else {}
        request = urllib.request.Request(f"{self.endpoint.url}/chat/completions", data=body, headers=headers, method="POST")
        deadline = self._clock() + self.endpoint.timeout_seconds
        try:
            with self._opener.open(request, timeout=self.endpoint.timeout_seconds) as answer:
                return self._bytes_of(answer, deadline)
        except urllib.error.HTTPError as error:
            with contextlib.closing(error):
                self._raise_status(error, deadline)
        except TimeoutError:
            raise PassingFailure(f"no answer within {self.endpoint.timeout_seconds:g} seconds") from None
        except (OSError, HTTPException) as error:
            inner = getattr(error, "reason", error)
            if isinstance(inner, ssl.SSLCertVerificationError):
                raise UsageError(f"{self.endpoint.url}: its certificate is not trusted ({inner.verify_message}).") from None
            raise PassingFailure(_unreachable(inner)) from None

    def _bytes_of(self, answer: Any, deadline: float) -> bytes:
        """The whole of an answer, which has to come in time and be of a size that a verdict can have."""
        chunks, size = [], 0
        while chunk := answer.read1(_CHUNK_BYTES):
            chunks.append(chunk)
            size += len(chunk)
            if size > MOST_REPLY_BYTES:
                raise Refusal(f"an answer of more than {MOST_REPLY_BYTES:,} bytes")
            if self._clock() > deadline:
                raise TimeoutError
        if getattr(answer, "length", 0):  # bytes that were announced and did not come
            raise PassingFailure("an answer that was cut short")
        return b"".join(chunks)

    def _raise_status(self, error: urllib.error.HTTPError, deadline: float) -> NoReturn:
        """What an answer other than 200 comes to."""
        url, status = self.endpoint.url, error.code
        if status in (401, 403):
            lacking = "is refused" if self.endpoint.key else "is not set, and the server wants a key"
            raise UsageError(f"{url} answers {status}: {self.endpoint.key_variable} {lacking}; set it to a key that may use the model.")
        if status in (404, 405):
            raise UsageError(
                f"{url} answers {status}: it has no chat/completions, or no model {shown(self.endpoint.model)}; --endpoint is what stands "
                "before /chat/completions, often ending in /v1."
            )
        if 300 <= status < 400:
            raise UsageError(
                f"{url} sends elsewhere ({status}), to {self._told(error.headers.get('Location', ''))}; name that place if it is right."
            )
        try:
            told = self._bytes_of(error, deadline).decode("utf-8", "replace")
        except (OSError, HTTPException, PassingFailure, Refusal):
            told = ""
        why = f"the server answers {status}" + (f" ({self._told(_message_of(told))})" if told.strip() else "")
        if status in _BAD_REQUEST:
            raise BadRequest(why)
        if status == 413:
            raise Refusal(why)
        if status in _AGAIN or status >= 500:
            raise PassingFailure(why, _seconds_asked(error.headers))
        raise ToolError(f"{url}: {why}.")

    def _text_of(self, answer: bytes) -> str:
        """The text of a completion."""
        try:
            content = parse_json(answer)["choices"][0]["message"]["content"]
        except (NotationError, KeyError, IndexError, TypeError):
            raise Refusal(f"no chat completion: {self._told(answer[:200].decode('utf-8', 'replace'))}") from None
        if not isinstance(content, str | None):
            raise Refusal("a completion whose content is no text")
        return content or ""

    def _told(self, text: str) -> str:
        """What a server says, as a message quotes it: some repeat the key."""
        return shown(text.replace(self.endpoint.key, "...") if self.endpoint.key else text, most_chars=200)


def _message_of(told: str) -> str:
    """The message in an error's body, or the body."""
    try:
        value = parse_json(told)
    except NotationError:
        return told
    inner = value.get("error", value) if isinstance(value, dict) else value
    message = inner.get("message", told) if isinstance(inner, dict) else inner
    return message if isinstance(message, str) else told


def _seconds_asked(headers: Message) -> float:
    """How long a server asks to wait: seconds, or a date, which is compared with the server's own."""
    asked = str(headers.get("Retry-After") or "").strip()
    with contextlib.suppress(ValueError):
        return max(0.0, float(asked))
    with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError):
        seconds = (parsedate_to_datetime(asked) - parsedate_to_datetime(str(headers.get("Date")))).total_seconds()
        return max(0.0, seconds)
    return 0.0


def _unreachable(error: Any) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return f"no connection ({shown(getattr(error, 'strerror', None) or str(error) or type(error).__name__, most_chars=120)})"


def is_this_machine(host: str) -> bool:
    """Whether what is sent to a host stays on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

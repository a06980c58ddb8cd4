"""What stands before every page: what may be asked at all, and what every reply says to the browser.

A pure ASGI middleware: it sees each request before anything is read of it, and each reply after everything was written.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cloze_gen.web.refusals import Refusal, refused

# Nothing but our own script and style, from nowhere else; in no frame (CSP level 3). The one picture is the icon.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_NOT_NEEDED = "accelerometer camera display-capture geolocation gyroscope microphone midi payment usb".split()
HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),  # the token stands in the address of a link
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", ", ".join(f"{name}=()" for name in _NOT_NEEDED).encode()),
)
_UNSTORED = (b"cache-control", b"no-store")
_ONCE = (b"host", b"origin", b"cookie", b"content-type", b"content-length", b"x-csrf-token", b"sec-fetch-site", b"transfer-encoding")
_CLOSE = {"Connection": "close"}  # what is left of the request is not read


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much of a request is read, and how long it may take to come."""

    body_bytes: int = 64 * 1024
    body_seconds: float = 10.0
    url_bytes: int = 1024
    header_bytes: int = 8 * 1024
    headers: int = 64


class Guard:
    """Lets through what a page of ours may send, to the host that we are.

    The whole body is read here, so that no more than `bounds` says is ever held and what is within has nothing to wait for.
    """

    def __init__(self, app: ASGIApp, *, origin: str, bounds: Bounds, tell: Callable[[Exception], None]) -> None:
        """
        Args:
            tell: is told of an error that nobody foresaw; whoever asked learns no more than that there was one.
        """
        self._app, self._origin, self._bounds, self._tell = app, origin.encode(), bounds, tell
        self._host = urllib.parse.urlsplit(origin).netloc.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # no page of ours opens a socket
            return

        begun = False

        async def sealed(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(_with_headers(message) if message["type"] == "http.response.start" else message)

        try:
            self._look(scope)
            body = await self._body(scope, receive)
            given = iter([{"type": "http.request", "body": body, "more_body": False}])

            async def read() -> Message:
                return next(given, None) or await receive()

            await self._app(scope, read, sealed)
            return
        except Refusal as error:
            refusal = error
        except Exception as error:  # noqa: BLE001 - the last catch
            self._tell(error)
            refusal = Refusal(500, "Something went wrong here. What was saved is safe.")
        if not begun:
            await refused(refusal, as_json=scope["method"] == "POST")(scope, receive, sealed)

    def _look(self, scope: Scope) -> None:
        """
        Raises:
            Refusal: the head of the request is none that a page of ours sends.
        """
        bounds, headers = self._bounds, scope["headers"]
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > bounds.url_bytes:
            raise Refusal(414, "This address is too long.", headers=_CLOSE)
        if len(headers) > bounds.headers or sum(len(name) + len(value) for name, value in headers) > bounds.header_bytes:
            raise Refusal(431, "This request has too many headers, or too long ones.", headers=_CLOSE)
        names = [name for name, _ in headers]
        twice = any(names.count(name) > 1 for name in _ONCE) or {b"content-length", b"transfer-encoding"} <= set(names)
        if twice or not scope["path"].startswith("/") or scope["http_version"] not in {"1.0", "1.1"}:  # programs disagree on what is meant
            raise Refusal(400, "This is no request of a browser.", headers=_CLOSE)
        told = dict(headers)
        if told.get(b"host", b"").lower() != self._host:
            raise Refusal(421, f"This server is {self._origin.decode()} and answers under no other name.", headers=_CLOSE)
        if scope["method"] not in {"GET", "POST"}:
            raise Refusal(405, "This server knows GET and POST.", headers={"Allow": "GET, POST", **_CLOSE})
        if scope["method"] == "POST":
            self._look_at_post(told)
        elif b"transfer-encoding" in told or told.get(b"content-length", b"0") != b"0":
            raise Refusal(400, "A GET has no body.", headers=_CLOSE)
        elif told.get(b"sec-fetch-site") in {b"cross-site", b"same-site"} and not _is_step(told):
            raise Refusal(403, "Another site asked for this.")

    def _look_at_post(self, told: dict[bytes, bytes]) -> None:
        """Browsers tell with every POST which page sends it, and no page can make them lie (Fetch, 3.1 and 3.8)."""
        if told.get(b"origin") != self._origin or told.get(b"sec-fetch-site", b"same-origin") != b"same-origin":
            raise Refusal(403, "Another site sent this.", headers=_CLOSE)
        kind, _, more = told.get(b"content-type", b"").lower().partition(b";")
        if kind.strip() != b"application/json" or more.strip() not in {b"", b"charset=utf-8"} or b"content-encoding" in told:
            raise Refusal(415, "Verdicts are sent as application/json.", headers=_CLOSE)
        length = told.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 18 or int(length) > self._bounds.body_bytes:
            raise Refusal(413, "This is more than a verdict.", headers=_CLOSE)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """All that is sent after the head, whether or not its length was told.

        Raises:
            Refusal: it is too much, or does not come.
        """
        if scope["method"] != "POST":
            return b""
        body = bytearray()
        with anyio.move_on_after(self._bounds.body_seconds):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refusal(400, "The request broke off.", headers=_CLOSE)
                body += message.get("body", b"")
                if len(body) > self._bounds.body_bytes:
                    raise Refusal(413, "This is more than a verdict.", headers=_CLOSE)
                if not message.get("more_body", False):
                    return bytes(body)
        raise Refusal(408, "The request took too long to come.", headers=_CLOSE)


def _is_step(told: dict[bytes, bytes]) -> bool:
    """Whether somebody follows a link to a page. Other ports and other names of a domain are the same site and not ours (Fetch, 3.6)."""
    return told.get(b"sec-fetch-mode") == b"navigate" and told.get(b"sec-fetch-dest", b"document") == b"document"


def _with_headers(message: Message) -> dict[str, Any]:
    """The head of a reply with what every reply of ours says; stored nowhere unless it says how."""
    headers = list(message.get("headers", []))
    cached = any(name == b"cache-control" for name, _ in headers)
    return {**message, "headers": [*headers, *HEADERS, *(() if cached else (_UNSTORED,))]}

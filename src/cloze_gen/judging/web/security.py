"""Request checks, sessions and rate limits. Browsers send the origin of every POST, and pages cannot
forge it (Fetch, 3.1 and 3.8). A POST also needs our CSRF token.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cloze_gen.judging.database import SESSION, TOKEN, issue, judge_for
from cloze_gen.judging.study import Study
from cloze_gen.judging.web.pages import Refusal, refused
from cloze_gen.records.judgement import Role

# Only our own scripts, styles and icon; no frames (CSP level 3).
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src "
    "'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_NOT_NEEDED = (
    "accelerometer camera display-capture geolocation gyroscope microphone midi payment usb".split()
)
HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),  # a link contains the token
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", ", ".join(f"{name}=()" for name in _NOT_NEEDED).encode()),
)
_ONCE = {
    *(b"host", b"origin", b"cookie", b"content-type", b"content-length", b"x-csrf-token"),
    *(b"sec-fetch-site", b"transfer-encoding"),
}
_CLOSE = {"Connection": "close"}  # the rest of the request is not read
_MOST_HEADERS = 64
_MOST_HEAD_BYTES = 8 * 1024
_MOST_URL_BYTES = 1024
_MOST_BODY_BYTES = 64 * 1024
_BODY_SECONDS = 10.0
_SESSION_SECONDS = 90 * 24 * 3600  # long: a closed browser may still have unsent answers
_MOST_BUCKETS = 10_000  # limits the memory that a client with many addresses can fill


class Guard:
    """Middleware: refuses requests from other origins or hosts, and adds security headers.

    Starlette's `TrustedHostMiddleware` ignores the port, so the host is compared here.
    """

    def __init__(self, app: ASGIApp, *, origin: str, report: Callable[[Exception], None]) -> None:
        """`report` gets unexpected errors; replies give no details."""
        self._app, self._origin, self._report = app, origin, report
        self._host = urllib.parse.urlsplit(origin).netloc

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # our pages open no WebSocket
            return
        begun = False

        async def send_sealed(message: Message) -> None:
            nonlocal begun
            begun = True
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", []))
                stored = any(name == b"cache-control" for name, _ in headers)
                unstored = () if stored else ((b"cache-control", b"no-store"),)
                message = {**message, "headers": [*headers, *HEADERS, *unstored]}
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, send_sealed)
            return
        except Refusal as error:
            refusal = error
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - last resort
            self._report(error)
            refusal = Refusal(
                500, "Something went wrong on the server. Your saved answers are safe."
            )
        if not begun:
            await refused(refusal, as_json=scope["method"] == "POST")(scope, receive, send_sealed)

    def _check(self, scope: Scope) -> None:
        """Raise Refusal unless the request headers could come from one of our pages."""
        pairs, method = scope["headers"], scope["method"]
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > _MOST_URL_BYTES:
            raise Refusal(414, "This address is too long.", headers=_CLOSE)
        if (
            len(pairs) > _MOST_HEADERS
            or sum(len(name) + len(value) for name, value in pairs) > _MOST_HEAD_BYTES
        ):
            raise Refusal(
                431, "The headers of this request are too many or too long.", headers=_CLOSE
            )
        names = [name for name, _ in pairs if name in _ONCE]
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}
        # ambiguous: proxies and servers interpret these differently
        if (
            len(names) > len(set(names))
            or {"content-length", "transfer-encoding"} <= headers.keys()
            or not scope["path"].startswith("/")
            or scope["http_version"] not in {"1.0", "1.1"}
        ):
            raise Refusal(400, "This is not a valid browser request.", headers=_CLOSE)
        if headers.get("host", "").lower() != self._host:
            raise Refusal(
                421,
                f"Use the address {self._origin} for this server.",
                headers=_CLOSE,
            )
        site = headers.get("sec-fetch-site")
        if method == "POST":
            if headers.get("origin") != self._origin or site not in {None, "same-origin"}:
                raise Refusal(403, "This request came from another site.", headers=_CLOSE)
        elif method != "GET":
            raise Refusal(
                405,
                "This server accepts only GET and POST.",
                headers={"Allow": "GET, POST", **_CLOSE},
            )
        elif "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
            raise Refusal(400, "A GET request must not have a body.", headers=_CLOSE)
        elif site in {"cross-site", "same-site"} and not (
            # A user follows a link. Other ports and subdomains are the same site, but not our
            # origin (Fetch, 3.6).
            headers.get("sec-fetch-mode") == "navigate"
            and headers.get("sec-fetch-dest", "document") == "document"
        ):
            raise Refusal(403, "This request came from another site.")


async def read_json_body(request: Request) -> bytes:
    """The body of a POST, limited in size and time.

    Raises:
        Refusal: not JSON by its headers, too large, or too slow.
    """
    kind, _, more = request.headers.get("content-type", "").lower().partition(";")
    if (
        kind.strip() != "application/json"
        or more.strip() not in {"", "charset=utf-8"}
        or "content-encoding" in request.headers
    ):
        raise Refusal(415, "Send verdicts as application/json.", headers=_CLOSE)
    length = request.headers.get("content-length", "0")
    too_much = Refusal(413, "This verdict is too large.", headers=_CLOSE)
    if not length.isdecimal() or len(length) > 18 or int(length) > _MOST_BODY_BYTES:
        raise too_much
    body = bytearray()
    with anyio.move_on_after(_BODY_SECONDS):
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MOST_BODY_BYTES:
                raise too_much
        return bytes(body)
    raise Refusal(408, "The request took too long to arrive.", headers=_CLOSE)


@dataclass(frozen=True, slots=True)
class Session:
    judge: str
    secret: str


class Sessions:
    """The sessions of one study. Opening a link exchanges its token for a cookie."""

    def __init__(self, study: Study, *, secure: bool, owner: str = "") -> None:
        """`owner`: token of the owner's link; empty: there is no owner's page."""
        self._study, self._secure, self._owner = study, secure, owner
        # Browsers store cookies by host, not by port, so each study on this host needs its own
        # name. `__Host-` (RFC 6265bis, 4.1.3.2) prevents other subdomains from setting ours.
        digest = hashlib.sha256(f"cookie:{study.facts.secret}".encode()).hexdigest()[:12]
        self._cookie = f"{'__Host-' if secure else ''}cloze-gen-{digest}"

    def of(self, request: Request) -> Session | None:
        """None if there is no session or it was revoked."""
        secret = request.cookies.get(self._cookie, "")
        judge = self._person(secret, SESSION)
        return Session(judge, secret) if judge is not None else None

    def enter(self, token: str) -> str | None:
        """The judge of this link; None if it is unknown or revoked."""
        return self._person(token, TOKEN)

    def begin(self, judge: str, response: Response) -> None:
        """Give the browser a session.

        The cookie is Lax, not Strict: a browser omits a Strict cookie after a click on a link in a
        mail. A Lax cookie is never sent with a POST from another site.
        """
        secret = issue(self._study.store.database, judge, SESSION)
        response.set_cookie(
            self._cookie,
            secret,
            max_age=_SESSION_SECONDS,
            path="/",
            secure=self._secure,
            httponly=True,
            samesite="lax",
        )

    def begin_owner(self, token: str, response: Response) -> bool:
        """Give the owner's browser a cookie, so that the token leaves the address; False: unknown."""
        if not self._is_owner(token):
            return False
        response.set_cookie(
            f"{self._cookie}-owner", token, secure=self._secure, httponly=True, samesite="lax"
        )
        return True

    def is_owner(self, request: Request) -> bool:
        return self._is_owner(request.cookies.get(f"{self._cookie}-owner", ""))

    def _is_owner(self, token: str) -> bool:
        """Compared in constant time."""
        return bool(self._owner) and hmac.compare_digest(
            self._owner.encode(), token.encode("utf-8", "surrogatepass")
        )

    def csrf(self, session: Session) -> str:
        """A CSRF token that reveals nothing of the session and survives restarts."""
        return hmac.new(
            session.secret.encode(), f"csrf:{self._study.facts.secret}".encode(), hashlib.sha256
        ).hexdigest()

    def is_from_page(self, session: Session, csrf: str) -> bool:
        """Compared in constant time."""
        return hmac.compare_digest(
            self.csrf(session).encode(), csrf.encode("utf-8", "surrogatepass")
        )

    def storage_key(self, session: Session) -> str:
        """The browser's storage key for this judge and study; neither a secret nor a name."""
        return hashlib.sha256(
            f"whose:{self._study.facts.secret}:{session.judge}".encode()
        ).hexdigest()[:12]

    def _person(self, secret: str, kind: str) -> str | None:
        judge = judge_for(self._study.store.database, secret, kind)
        known = self._study.state().judges.get(judge) if judge is not None else None
        return judge if known is not None and known.role is not Role.MACHINE else None


@dataclass(frozen=True, slots=True)
class Rate:
    burst: float
    per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rate limits.

    Attributes:
        judge: requests of a judge, over all browsers.
        visit: new sessions by a judge's links.
        unknown_visitor: requests without a session, per address; a proxy's users share one.
        unknown_link: requests with an unknown link, per address.
    """

    judge: Rate = Rate(120, 20)
    visit: Rate = Rate(30, 1 / 60)
    unknown_visitor: Rate = Rate(120, 20)
    unknown_link: Rate = Rate(10, 0.1)


@dataclass(slots=True)
class Buckets:
    """A token bucket per key (RFC 2697); `clock` is monotonic."""

    rate: Rate
    clock: Callable[[], float] = time.monotonic
    _filled: dict[str, tuple[float, float]] = field(default_factory=dict)  # (tokens left, when)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, storage_key: str) -> float:
        """Take a token; returns 0, or the seconds until there is one again.

        >>> moments = iter([0.0, 0.0, 0.0, 2.0])
        >>> buckets = Buckets(Rate(2, 0.5), lambda: next(moments))
        >>> [buckets.wait("ann") for _ in range(4)]
        [0.0, 0.0, 2.0, 0.0]
        """
        with self._lock:
            moment = self.clock()
            left, since = self._filled.pop(storage_key, (self.rate.burst, moment))
            left = min(self.rate.burst, left + (moment - since) * self.rate.per_second)
            allowed = left >= 1
            left -= allowed
            if len(self._filled) >= _MOST_BUCKETS:
                self._filled.pop(next(iter(self._filled)))  # the least recent
            self._filled[storage_key] = (left, moment)
            return 0.0 if allowed else (1 - left) / self.rate.per_second

"""Who may open the pages of a study. Browsers send the origin of every POST, and pages of other sites
cannot forge it (Fetch, 3.1 and 3.8); they get no cookie of ours sent with a POST either (Lax).
"""

from __future__ import annotations

import hashlib
import hmac
import urllib.parse
from collections.abc import Callable

from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp

from cloze_gen.judging.database import judge_for
from cloze_gen.judging.study import Study
from cloze_gen.judging.web.pages import Refusal, refused
from cloze_gen.records.judgement import Role

HEADERS = {
    # Only our own scripts, styles and icon; no frames (CSP level 3).
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # a link contains the token
}
_MOST_BODY_BYTES = 64 * 1024
_COOKIE_SECONDS = 90 * 24 * 3600  # long: a closed browser may still have unsent answers


class Guard(BaseHTTPMiddleware):
    """Refuses requests of other sites or for other hosts, and adds security headers.

    Starlette's `TrustedHostMiddleware` ignores the port, so the host is compared here.
    """

    def __init__(self, app: ASGIApp, *, origin: str, report: Callable[[Exception], None]) -> None:
        """`report` gets unexpected errors; replies give no details."""
        super().__init__(app)
        self._origin, self._report = origin, report
        self._host = urllib.parse.urlsplit(origin).netloc

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        try:
            self._check(request)
            response = await call_next(request)
        except Refusal as error:
            response = refused(error, as_json=request.method == "POST")
        except ClientDisconnect:
            response = Response(status_code=400)  # nobody reads it
        except Exception as error:  # noqa: BLE001 - last resort
            self._report(error)
            refusal = Refusal(
                500, "Something went wrong on the server. Your saved answers are safe."
            )
            response = refused(refusal, as_json=request.method == "POST")
        response.headers.update(HEADERS)
        response.headers.setdefault("cache-control", "no-store")
        return response

    def _check(self, request: Request) -> None:
        if request.headers.get("host", "").lower() != self._host:
            raise Refusal(421, f"Use the address {self._origin} for this server.")
        if request.method == "POST" and request.headers.get("origin") != self._origin:
            raise Refusal(403, "This request came from another site.")


async def read_body(request: Request) -> bytes:
    """The body of a request; Refusal if it is too large for a verdict."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BODY_BYTES:
            raise Refusal(413, "This verdict is too large.")
    return bytes(body)


class Access:
    """Opening a link stores its token in a cookie, so that it leaves the address.

    A token has 256 random bits, so there is no limit of wrong ones.
    """

    def __init__(self, study: Study, *, secure: bool, owner: str = "") -> None:
        """`owner`: token of the owner's link; empty: there is no owner's page."""
        self._study, self._secure, self._owner = study, secure, owner
        # Browsers store cookies by host, not by port, so each study on this host needs its own
        # name.
        digest = hashlib.sha256(f"cookie:{study.facts.secret}".encode()).hexdigest()[:12]
        prefix = "__Host-" if secure else ""  # no other host of the domain can set such a cookie
        self._judges_cookie = f"{prefix}cloze-gen-{digest}"
        self._owners_cookie = f"{prefix}cloze-gen-{digest}-owner"

    def judge_of(self, request: Request) -> str | None:
        """None without a cookie, or if its link was revoked."""
        return self._judge(request.cookies.get(self._judges_cookie, ""))

    def enter(self, token: str, response: Response) -> bool:
        """Store the token of a judge's link; False if it is unknown or revoked."""
        known = self._judge(token) is not None
        if known:
            self._store(self._judges_cookie, token, response)
        return known

    def enter_owner(self, token: str, response: Response) -> bool:
        """Store the token of the owner's link; False if it is another."""
        known = self._is_owner(token)
        if known:
            self._store(self._owners_cookie, token, response)
        return known

    def is_owner(self, request: Request) -> bool:
        return self._is_owner(request.cookies.get(self._owners_cookie, ""))

    def storage_key(self, judge: str) -> str:
        """The browser's storage key for this judge and study; neither a secret nor a name."""
        text = f"whose:{self._study.facts.secret}:{judge}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def _store(self, cookie: str, token: str, response: Response) -> None:
        """Lax, not Strict: a browser omits a Strict cookie after a click on a link in a mail."""
        response.set_cookie(
            cookie,
            token,
            max_age=_COOKIE_SECONDS,
            secure=self._secure,
            httponly=True,
            samesite="lax",
        )

    def _is_owner(self, token: str) -> bool:
        """Compared in constant time."""
        return bool(self._owner) and hmac.compare_digest(
            self._owner.encode(), token.encode("utf-8", "surrogatepass")
        )

    def _judge(self, token: str) -> str | None:
        name = judge_for(self._study.store.database, token)
        judge = self._study.state().judges.get(name) if name is not None else None
        return name if judge is not None and judge.role is not Role.MACHINE else None

"""The web application of one study; each judge sees only their own items."""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import time
from collections.abc import Awaitable, Callable
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cloze_gen.cli_errors import write_crash_report
from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError, StoreError
from cloze_gen.judging.study import Outcome, Study, study_agreement
from cloze_gen.judging.tasks.task import IsRight
from cloze_gen.judging.web.pages import (
    ItemPage,
    Refusal,
    assets,
    assets_version,
    done_html,
    item_html,
    json_reply,
    owner_html,
    refused,
)
from cloze_gen.judging.web.security import (
    Buckets,
    Guard,
    Rate,
    Rates,
    Session,
    Sessions,
    read_json_body,
)
from cloze_gen.parsing import ParseError, parse_json
from cloze_gen.records.judgement import Kind

DONE, OWNER = "/done", "/owner"
_NO_LINK = (
    "You need your personal link for this page. Open the link that you were given. If it does not "
    "work, ask for a new one."
)
_NOT_THERE = "This page does not exist."
_BUSY_SECONDS = 5.0  # for Retry-After if the disk is full or another program writes
_LOCKED_SECONDS = 0.5  # wait for another writing program; browsers retry by themselves
_THREADS = 4
_MOST_REPORTED = 20  # crash reports, limited so that requests cannot fill the disk
_BUSY_REPORTS = Rate(5, 1 / 60)


class Submission(BaseModel):
    """A verdict as a browser sends it; `replaces`: id of the verdict on the page, or empty."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
    assignment: str = Field(pattern=r"^[0-9a-f]{12}$")
    replaces: str = Field(max_length=100)
    response: Any
    seconds: float = Field(ge=0, allow_inf_nan=False)


def make_app(
    study: Study,
    *,
    origin: str,
    rates: Rates | None = None,
    owner: str = "",
    is_right: IsRight = str.__eq__,
    clock: Callable[[], float] = time.monotonic,
) -> Starlette:
    """
    Args:
        origin: the address for judges, `http://127.0.0.1:8000`.
        owner: token of the owner's page; empty: there is none.
        is_right: as in `StudySource`.
        clock: monotonic seconds.
    """
    pages = _Pages(study, origin, rates or Rates(), clock, owner, is_right)
    routes = [
        Route("/", pages.in_thread(pages.first), methods=["GET"]),
        Route("/enter/{token}", pages.in_thread(pages.enter), methods=["GET"]),
        Route("/item/{assignment}", pages.in_thread(pages.item), methods=["GET"]),
        Route(DONE, pages.in_thread(pages.done), methods=["GET"]),
        Route(f"{OWNER}/{{token}}", pages.in_thread(pages.enter_owner), methods=["GET"]),
        Route(OWNER, pages.owner, methods=["GET"]),
        Route("/static/{version}/{name}", pages.static, methods=["GET"]),
        Route("/favicon.ico", pages.icon, methods=["GET"]),
        Route("/verdict", pages.verdict, methods=["POST"]),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, origin=origin, report=pages.report)],
        exception_handlers={
            404: pages.not_found,
            405: pages.not_allowed,
            Refusal: pages.refusal,
            StoreError: pages.busy,
        },
    )
    app.router.redirect_slashes = False
    return app


class _Pages:
    """The endpoints.

    Requests wait for the disk and the study's lock, so they run in a few threads. The 95th
    percentile of a verdict with 50 judges on two busy cores: 1 thread 190 to 740 ms, 2 threads
    140 ms, 4 threads 45 to 52 ms, 40 threads 54 to 85 ms.
    """

    def __init__(
        self,
        study: Study,
        origin: str,
        rates: Rates,
        clock: Callable[[], float],
        owner: str,
        is_right: IsRight,
    ) -> None:
        self._study, self._is_right = study, is_right
        self._sessions = Sessions(study, secure=origin.startswith("https:"), owner=owner)
        self._known, self._visits = Buckets(rates.judge, clock), Buckets(rates.visit, clock)
        self._unknown, self._unknown_links = (
            Buckets(rates.unknown_visitor, clock),
            Buckets(rates.unknown_link, clock),
        )
        self._n_reported, self._busy = 0, Buckets(_BUSY_REPORTS, clock)
        study.store.database.wait_at_most(_LOCKED_SECONDS)

    @functools.cached_property
    def _turn(self) -> CapacityLimiter:
        return CapacityLimiter(_THREADS)  # must be created inside the event loop

    @functools.cached_property
    def _turn_of_owner(self) -> CapacityLimiter:
        return CapacityLimiter(1)  # bootstraps may take seconds; judges do not wait for them

    def in_thread(
        self, answer: Callable[[Request], Response]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await run_sync(answer, request, limiter=self._turn)

        return endpoint

    def enter(self, request: Request) -> Response:
        """Turn a link's token into a session, or keep the existing one.

        The rate limit of unknown visitors does not apply, because a proxy gives all judges the same
        address.
        """
        judge = self._sessions.enter(request.path_params["token"])
        if judge is None:
            self._session(request)
            self._limit(self._unknown_links, _address(request))
            raise Refusal(404, _NO_LINK)
        session, response = self._sessions.of(request), RedirectResponse("/", 303)
        if session is None or session.judge != judge:
            self._limit(self._visits, judge)
            self._sessions.begin(judge, response)
        else:
            self._limit(self._known, judge)
        return response

    def first(self, request: Request) -> Response:
        return RedirectResponse(self._next(self._judge(request)), 303)

    def item(self, request: Request) -> Response:
        session, study = self._judge(request), self._study
        one = study.assignment(session.judge, request.path_params["assignment"])
        if one is None:
            raise Refusal(404, _NOT_THERE)
        before, after = study.neighbours(one)
        given, progress = study.current_response(one), study.progress(session.judge)
        page = ItemPage(
            study=study.facts.name, judge=one.judge, task=study.facts.task, assignment=one.id, place=one.place, done=progress.done,
            left=progress.left, seconds_left=progress.seconds_left, seen=study.seen(one), response=given[1] if given else None,
            replaces=given[0] if given else "", adjudicating=one.kind is Kind.ADJUDICATION, csrf=self._sessions.csrf(session),
            previous=_address_of(before.id) if before else None, following=_address_of(after.id) if after else None,
            storage_key=self._sessions.storage_key(session),
        )  # fmt: skip
        return HTMLResponse(item_html(page))

    def done(self, request: Request) -> Response:
        session = self._judge(request)
        address = self._next(session)
        if address != DONE:
            return RedirectResponse(address, 303)
        storage_key, csrf = self._sessions.storage_key(session), self._sessions.csrf(session)
        return HTMLResponse(
            done_html(
                self._study.facts.name,
                waiting=not self._study.state().finished,
                storage_key=storage_key,
                csrf=csrf,
            )
        )

    def enter_owner(self, request: Request) -> Response:
        response = RedirectResponse(OWNER, 303)
        if not self._sessions.begin_owner(request.path_params["token"], response):
            self._limit(self._unknown_links, _address(request))
            raise Refusal(404, _NO_LINK)
        return response

    async def owner(self, request: Request) -> Response:
        if not self._sessions.is_owner(request):
            self._limit(self._unknown, _address(request))
            raise Refusal(403, _NO_LINK)
        return HTMLResponse(await run_sync(self._figures, limiter=self._turn_of_owner))

    def _figures(self) -> str:
        """Reads the study anew, so that judges' threads are free to change theirs."""
        rule = self._study.state().rule
        with contextlib.closing(Study(self._study.folder, self._study.facts, rule)) as study:
            return owner_html(study, study_agreement(study, is_right=self._is_right))

    async def static(self, request: Request) -> Response:
        version, name = (request.path_params[part] for part in ("version", "name"))
        if version != assets_version() or name not in assets():
            raise Refusal(404, _NOT_THERE)
        asset = assets()[name]
        return Response(
            asset.content,
            headers={"Cache-Control": "public, max-age=31536000, immutable"},
            media_type=asset.media_type,
        )

    async def icon(self, request: Request) -> Response:
        return Response(status_code=204)

    async def verdict(self, request: Request) -> Response:
        return await run_sync(
            self._take, request, await read_json_body(request), limiter=self._turn
        )

    def _take(self, request: Request, body: bytes) -> Response:
        session = self._judge(request)
        if not self._sessions.is_from_page(session, request.headers.get("x-csrf-token", "")):
            raise Refusal(403, "This page is out of date. Reload it.")
        sent = _submission(body)
        one = self._study.assignment(session.judge, sent.assignment)
        if one is None:
            raise Refusal(404, _NOT_THERE)
        try:
            outcome = self._study.take(
                one,
                sent.response,
                verdict_id=sent.id,
                replaces=sent.replaces,
                seconds=sent.seconds,
                source="page",
            )
        except FormatError as error:
            raise Refusal(422, str(error)) from None
        if outcome is Outcome.CHANGED:
            current = self._study.current_response(one)
            return json_reply(
                {"current": {"id": current[0], "response": current[1]} if current else None}, 409
            )
        return json_reply({"next": self._next(session)})

    def _next(self, session: Session) -> str:
        one = self._study.next_open(session.judge)
        return _address_of(one.id) if one else DONE

    def _judge(self, request: Request) -> Session:
        """Raises Refusal without a session, or after too many requests."""
        session = self._session(request)
        if session is None:
            raise Refusal(403, _NO_LINK)
        return session

    def _session(self, request: Request) -> Session | None:
        """The session of a request; counts it, and raises Refusal after too many."""
        session = self._sessions.of(request)
        if session is None:
            self._limit(self._unknown, _address(request))
        else:
            self._limit(self._known, session.judge)
        return session

    def _limit(self, buckets: Buckets, storage_key: str) -> None:
        wait = buckets.wait(storage_key)
        if wait:
            raise Refusal(429, "Too many requests. Wait a moment.", wait=wait)

    async def not_found(self, request: Request, error: Exception) -> Response:
        return await self.refusal(request, Refusal(404, _NOT_THERE))

    async def not_allowed(self, request: Request, error: Exception) -> Response:
        return await self.refusal(
            request,
            Refusal(
                405, "This method is not allowed here.", headers=getattr(error, "headers", None)
            ),
        )

    async def refusal(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        return refused(error, as_json=request.method == "POST")

    async def busy(self, request: Request, error: Exception) -> Response:
        if not self._busy.wait(""):
            say(f"judge: {error}")
        return await self.refusal(
            request,
            Refusal(503, "The server cannot save right now. Try again.", wait=_BUSY_SECONDS),
        )

    def report(self, error: Exception) -> None:
        self._n_reported += 1
        if self._n_reported <= _MOST_REPORTED:
            say(f"judge: {write_crash_report(error)}")


def _submission(body: bytes) -> Submission:
    """Raises Refusal if the body is not a valid submission."""
    try:
        sent = Submission.model_validate(parse_json(body))
    except ParseError:
        raise Refusal(400, "The body is not valid JSON.") from None
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"]) or "verdict"
        raise Refusal(400, f"{where}: invalid value.") from None
    if not sent.replaces.isprintable():
        raise Refusal(400, "replaces: not a verdict id.")
    return sent


def _address(request: Request) -> str:
    """The client's address; all of an IPv6 /64 network count as one."""
    host = request.client.host if request.client else ""
    if ":" not in host:
        return host
    address = ipaddress.IPv6Address(host)
    return str(address.ipv4_mapped or ipaddress.IPv6Network((int(address), 64), strict=False))


def _address_of(assignment: str) -> str:
    return f"/item/{assignment}"

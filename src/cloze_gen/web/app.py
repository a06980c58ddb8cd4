"""The pages of one study and what they send: each judge sees the own items and nothing else."""

from __future__ import annotations

import functools
import ipaddress
import time
from collections.abc import Awaitable, Callable

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cloze_gen.endings import written_down
from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError, StoreError
from cloze_gen.records.judgement import Kind
from cloze_gen.studies.study import Outcome, Study
from cloze_gen.web.assets import assets, assets_version
from cloze_gen.web.pages import ItemPage, done_html, item_html
from cloze_gen.web.rates import Buckets, Rate, Rates
from cloze_gen.web.refusals import Refusal, json_reply, refused
from cloze_gen.web.security import Bounds, Guard
from cloze_gen.web.sent import read_sent
from cloze_gen.web.sessions import Sessions, Sitting

DONE = "/done"
_NO_LINK = "Nobody is known here without a link. Open the one that you were given; where it no longer works, ask for another."
_NOT_THERE = "There is nothing here."
_BUSY_SECONDS = 5.0  # the disk is full, or another program writes
_LOCKED_SECONDS = 0.5  # that a thread waits for another program that writes; a browser sends again by itself
_THREADS = 4
_MOST_TOLD = 20  # errors written to files; whoever finds one must not fill the disk
_TOLD_BUSY = Rate(5, 1 / 60)


def make_app(
    study: Study, *, origin: str, bounds: Bounds | None = None, rates: Rates | None = None, clock: Callable[[], float] = time.monotonic
) -> Starlette:
    """The pages of a study.

    Args:
        origin: where judges reach it, `http://127.0.0.1:8000`, in the form in which browsers tell it.
        clock: seconds that only grow, for `rates`.
    """
    pages = _Pages(study, origin, rates or Rates(), clock)
    routes = [
        Route("/", pages.in_turn(pages.first), methods=["GET"]),
        Route("/enter/{token}", pages.in_turn(pages.enter), methods=["GET"]),
        Route("/item/{assignment}", pages.in_turn(pages.item), methods=["GET"]),
        Route(DONE, pages.in_turn(pages.done), methods=["GET"]),
        Route("/static/{version}/{name}", pages.static, methods=["GET"]),
        Route("/favicon.ico", pages.icon, methods=["GET"]),
        Route("/verdict", pages.verdict, methods=["POST"]),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, origin=origin, bounds=bounds or Bounds(), tell=pages.tell)],
        exception_handlers={404: pages.not_there, 405: pages.not_so, Refusal: pages.refusal, StoreError: pages.busy},
    )
    app.router.redirect_slashes = False
    return app


class _Pages:
    """What each address answers.

    Whatever asks the study waits for the disk, and so runs in a thread; a few at a time, for the study has one lock and Python runs one
    thread at once. Measured with 50 judges on two cores that three other programs kept busy, 95th percentile of a verdict: one thread
    190 to 740 ms (each change of threads waits for a core, and all wait with it), 2 threads 140, 4 threads 45 to 52, 40 threads 54 to 85.
    """

    def __init__(self, study: Study, origin: str, rates: Rates, clock: Callable[[], float]) -> None:
        self._study = study
        self._sessions = Sessions(study, secure=origin.startswith("https:"))
        self._known, self._visits = Buckets(rates.judge, clock), Buckets(rates.visit, clock)
        self._strangers, self._wrong = Buckets(rates.stranger, clock), Buckets(rates.wrong, clock)
        self._told, self._busy = 0, Buckets(_TOLD_BUSY, clock)
        study.store.database.wait_at_most(_LOCKED_SECONDS)

    @functools.cached_property
    def _turn(self) -> CapacityLimiter:
        return CapacityLimiter(_THREADS)  # made where it is used, in the event loop

    def in_turn(self, answer: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint that answers in one of the few threads, when it is its turn."""

        async def endpoint(request: Request) -> Response:
            return await run_sync(answer, request, limiter=self._turn)

        return endpoint

    def enter(self, request: Request) -> Response:
        """A link: its token becomes a session. One that is there already is kept, however often the link is followed.

        Whoever has a link waits for no stranger: all may come from the address of one proxy.
        """
        judge = self._sessions.enter(request.path_params["token"])
        if judge is None:
            self._asked(request)
            self._bound(self._wrong, _address(request))
            raise Refusal(404, _NO_LINK)
        sitting, response = self._sessions.of(request), RedirectResponse("/", 303)
        if sitting is None or sitting.judge != judge:
            self._bound(self._visits, judge)
            self._sessions.begin(judge, response)
        else:
            self._bound(self._known, judge)
        return response

    def first(self, request: Request) -> Response:
        return RedirectResponse(self._next(self._judge(request)), 303)

    def item(self, request: Request) -> Response:
        sitting, study = self._judge(request), self._study
        one = study.assignment(sitting.judge, request.path_params["assignment"])
        if one is None:
            raise Refusal(404, _NOT_THERE)
        before, after = study.beside(one)
        given, progress = study.said(one), study.progress(sitting.judge)
        page = ItemPage(
            study=study.facts.name, judge=one.judge, task=study.task, assignment=one.id, place=one.place, done=progress.done,
            left=progress.left, seconds_left=progress.seconds_left, seen=study.seen(one), said=given[1] if given else None,
            replaces=given[0] if given else "", adjudicating=one.kind is Kind.ADJUDICATION, csrf=self._sessions.csrf(sitting),
            previous=_address_of(before.id) if before else None, following=_address_of(after.id) if after else None,
            whose=self._sessions.whose(sitting),
        )  # fmt: skip
        return HTMLResponse(item_html(page))

    def done(self, request: Request) -> Response:
        sitting = self._judge(request)
        address = self._next(sitting)
        if address != DONE:
            return RedirectResponse(address, 303)
        whose, csrf = self._sessions.whose(sitting), self._sessions.csrf(sitting)
        return HTMLResponse(done_html(self._study.facts.name, waiting=not self._study.standing().finished, whose=whose, csrf=csrf))

    async def static(self, request: Request) -> Response:
        version, name = (request.path_params[part] for part in ("version", "name"))
        if version != assets_version() or name not in assets():
            raise Refusal(404, _NOT_THERE)
        asset = assets()[name]
        return Response(asset.content, headers={"Cache-Control": "public, max-age=31536000, immutable"}, media_type=asset.media_type)

    async def icon(self, request: Request) -> Response:
        return Response(status_code=204)

    async def verdict(self, request: Request) -> Response:
        return await run_sync(self._take, request, await request.body(), limiter=self._turn)

    def _take(self, request: Request, body: bytes) -> Response:
        sitting = self._judge(request)
        if not self._sessions.is_from_page(sitting, request.headers.get("x-csrf-token", "")):
            raise Refusal(403, "This page is of another visit. Load it again.")
        sent = read_sent(body)
        one = self._study.assignment(sitting.judge, sent.assignment)
        if one is None:
            raise Refusal(404, _NOT_THERE)
        try:
            outcome = self._study.take(one, sent.said, verdict_id=sent.id, replaces=sent.replaces, seconds=sent.seconds, source="page")
        except FormatError as error:
            raise Refusal(422, str(error)) from None
        if outcome is Outcome.CHANGED:
            current = self._study.said(one)
            return json_reply({"current": {"id": current[0], "said": current[1]} if current else None}, 409)
        return json_reply({"next": self._next(sitting)})

    def _next(self, sitting: Sitting) -> str:
        """Where a judge goes on."""
        one = self._study.next_open(sitting.judge)
        return _address_of(one.id) if one else DONE

    def _judge(self, request: Request) -> Sitting:
        """
        Raises:
            Refusal: nobody is known there, or asks too often.
        """
        sitting = self._asked(request)
        if sitting is None:
            raise Refusal(403, _NO_LINK)
        return sitting

    def _asked(self, request: Request) -> Sitting | None:
        """Who asks, counted.

        Raises:
            Refusal: too often.
        """
        sitting = self._sessions.of(request)
        if sitting is None:
            self._bound(self._strangers, _address(request))
        else:
            self._bound(self._known, sitting.judge)
        return sitting

    def _bound(self, buckets: Buckets, whose: str) -> None:
        wait = buckets.wait(whose)
        if wait:
            raise Refusal(429, "Too many requests. Wait a little.", wait=wait)

    async def not_there(self, request: Request, error: Exception) -> Response:
        return await self.refusal(request, Refusal(404, _NOT_THERE))

    async def not_so(self, request: Request, error: Exception) -> Response:
        return await self.refusal(request, Refusal(405, "This address is not asked so.", headers=getattr(error, "headers", None)))

    async def refusal(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        return refused(error, as_json=request.method == "POST")

    async def busy(self, request: Request, error: Exception) -> Response:
        if not self._busy.wait(""):
            say(f"judge: {error}")
        return await self.refusal(request, Refusal(503, "Nothing can be written down now. Try again.", wait=_BUSY_SECONDS))

    def tell(self, error: Exception) -> None:
        """What nobody foresaw, with its traceback in a file."""
        self._told += 1
        if self._told <= _MOST_TOLD:
            say(f"judge: {written_down(error)}")


def _address(request: Request) -> str:
    """Where a request comes from; an IPv6 network is one, for each of its machines has addresses without end."""
    host = request.client.host if request.client else ""
    if ":" not in host:
        return host
    address = ipaddress.IPv6Address(host)
    return str(address.ipv4_mapped or ipaddress.IPv6Network((int(address), 64), strict=False))


def _address_of(assignment: str) -> str:
    return f"/item/{assignment}"

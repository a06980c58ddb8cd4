"""The web application of one study; each judge sees only their own items."""

from __future__ import annotations

import contextlib
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cloze_gen.cli_errors import write_crash_report
from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError, StoreError
from cloze_gen.judging.study import Study, study_agreement
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
from cloze_gen.judging.web.security import Access, Guard, read_body
from cloze_gen.parsing import ParseError, parse_json

DONE, OWNER = "/done", "/owner"
_NO_LINK = (
    "You need your personal link for this page. Open the link that you were given. If it does not "
    "work, ask for a new one."
)
_NOT_THERE = "This page does not exist."
_BUSY_SECONDS = 5  # for Retry-After if the disk is full or another program writes
_LOCKED_SECONDS = 0.5  # wait for another writing program; browsers retry by themselves
_MOST_REPORTED = 20  # crash reports, limited so that requests cannot fill the disk


class Submission(BaseModel):
    """A verdict as a browser sends it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
    assignment: str = Field(pattern=r"^[0-9a-f]{12}$")
    response: Any
    seconds: float = Field(ge=0, allow_inf_nan=False)


def make_app(
    study: Study, *, origin: str, owner: str = "", is_right: IsRight = str.__eq__
) -> Starlette:
    """
    Args:
        origin: the address for judges, `http://127.0.0.1:8000`.
        owner: token of the owner's page; empty: there is none.
        is_right: as in `StudySource`.
    """
    pages = _Pages(study, origin, owner, is_right)
    routes = [
        Route("/", pages.first),
        Route("/enter/{token}", pages.enter),
        Route("/item/{assignment}", pages.item),
        Route(DONE, pages.done),
        Route(f"{OWNER}/{{token}}", pages.enter_owner),
        Route(OWNER, pages.owner),
        Route("/static/{version}/{name}", pages.static),
        Route("/favicon.ico", pages.icon),
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
    """The endpoints. Starlette calls those that are not `async` in threads, because they wait for the
    disk and the study's lock.
    """

    def __init__(self, study: Study, origin: str, owner: str, is_right: IsRight) -> None:
        self._study, self._is_right = study, is_right
        self._access = Access(study, secure=origin.startswith("https:"), owner=owner)
        self._n_reported = 0
        study.store.database.wait_at_most(_LOCKED_SECONDS)

    def enter(self, request: Request) -> Response:
        response = RedirectResponse("/", 303)
        if not self._access.enter(request.path_params["token"], response):
            raise Refusal(404, _NO_LINK)
        return response

    def first(self, request: Request) -> Response:
        return RedirectResponse(self._next(self._judge(request)), 303)

    def item(self, request: Request) -> Response:
        judge, study = self._judge(request), self._study
        one = study.assignment(judge, request.path_params["assignment"])
        if one is None:
            raise Refusal(404, _NOT_THERE)
        before, after = study.neighbours(one)
        progress = study.progress(judge)
        page = ItemPage(
            study=study.facts.name,
            judge=judge,
            task=study.facts.task,
            assignment=one.id,
            place=one.place,
            done=progress.done,
            left=progress.left,
            seconds_left=progress.seconds_left,
            seen=study.seen(one),
            response=study.current_response(one),
            previous=_address_of(before.id) if before else None,
            following=_address_of(after.id) if after else None,
            storage_key=self._access.storage_key(judge),
        )
        return HTMLResponse(item_html(page))

    def done(self, request: Request) -> Response:
        judge = self._judge(request)
        address = self._next(judge)
        if address != DONE:
            return RedirectResponse(address, 303)
        waiting = not self._study.state().finished
        storage_key = self._access.storage_key(judge)
        return HTMLResponse(
            done_html(self._study.facts.name, waiting=waiting, storage_key=storage_key)
        )

    def enter_owner(self, request: Request) -> Response:
        response = RedirectResponse(OWNER, 303)
        if not self._access.enter_owner(request.path_params["token"], response):
            raise Refusal(404, _NO_LINK)
        return response

    def owner(self, request: Request) -> Response:
        """Reads the study anew, so that judges' threads are free to change theirs."""
        if not self._access.is_owner(request):
            raise Refusal(403, _NO_LINK)
        rule = self._study.state().rule
        with contextlib.closing(Study(self._study.folder, rule)) as study:
            return HTMLResponse(owner_html(study, study_agreement(study, is_right=self._is_right)))

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
        judge = await run_in_threadpool(self._judge, request)
        return await run_in_threadpool(self._take, judge, await read_body(request))

    def _take(self, judge: str, body: bytes) -> Response:
        sent = _submission(body)
        one = self._study.assignment(judge, sent.assignment)
        if one is None:  # of another judge in this browser, whose page keeps the answer
            raise Refusal(403, _NO_LINK)
        try:
            self._study.take(
                one, sent.response, verdict_id=sent.id, seconds=sent.seconds, source="page"
            )
        except FormatError as error:
            raise Refusal(422, str(error)) from None
        return json_reply({"next": self._next(judge)})

    def _next(self, judge: str) -> str:
        one = self._study.next_open(judge)
        return _address_of(one.id) if one else DONE

    def _judge(self, request: Request) -> str:
        judge = self._access.judge_of(request)
        if judge is None:
            raise Refusal(403, _NO_LINK)
        return judge

    async def not_found(self, request: Request, error: Exception) -> Response:
        return await self.refusal(request, Refusal(404, _NOT_THERE))

    async def not_allowed(self, request: Request, error: Exception) -> Response:
        return await self.refusal(request, Refusal(405, "This method is not allowed here."))

    async def refusal(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        return refused(error, as_json=request.method == "POST")

    async def busy(self, request: Request, error: Exception) -> Response:
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
        return Submission.model_validate(parse_json(body))
    except ParseError:
        raise Refusal(400, "The body is not valid JSON.") from None
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"]) or "verdict"
        raise Refusal(400, f"{where}: invalid value.") from None


def _address_of(assignment: str) -> str:
    return f"/item/{assignment}"

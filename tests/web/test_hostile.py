"""Whatever is sent: a refusal, nothing changed, and nothing shown."""

from __future__ import annotations

import contextlib
import hashlib
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cloze_gen.judging.assignment import EachJudged
from cloze_gen.judging.settings import StudySettings
from cloze_gen.records.judgement import Judge, Role, StudyItem, Task
from cloze_gen.store.judgements.passes import SESSION, TOKEN, new_pass, revoke
from cloze_gen.studies.make import make_study
from cloze_gen.studies.study import Study, open_study
from cloze_gen.web.security import HEADERS, Bounds
from cloze_gen.web.serve import Connection
from tests.cases.hostile_request import NOTHING, Known, Request
from tests.cases.hostile_requests import hostile_requests
from tests.cases.served import Served, exchange, rows, served
from tests.cases.studies import make_tiny_study

_SLOW_SECONDS = 0.4
_MOCK = Known(
    host="127.0.0.1:1", cookie="c=0", csrf="0" * 64, open_item="0" * 12, answered_item="1" * 12, verdict="v", said={"guesses": ["word"]},
    token="t", item_id="b1:1", other_csrf="1" * 64, other_item="2" * 12, other_verdict="w", foreign_token="u", foreign_session="s",
    foreign_item="3" * 12, revoked_token="r", revoked_session="q", digest="d",
)  # fmt: skip
NAMES = [request.name for request in hostile_requests(_MOCK)]  # what is sent depends on the study; how many there are does not


@dataclass(frozen=True, slots=True)
class Scene:
    """A study under attack, and what no reply may hold."""

    place: Served
    requests: list[Request]
    secrets: dict[str, str]


def guessing_study(folder: Path) -> Study:
    """A study whose targets are words that stand nowhere else."""
    items = []
    for n in range(1, 6):
        text = f"House {n} was dark. She looked for the _____."
        shown = {"passage": text, "sentence": text, "guesses": {"passage": 1, "sentence": 3}}
        items.append(StudyItem(f"b{n}:1", ((f"b{n}", 0, 90),), shown, {"target": f"zanzibar{n}"}, "tiny"))
    make_study(folder, items, task=Task.GUESS, run="tiny", style="lambada-style", of={}, settings=StudySettings(page=2), rules={})
    study = open_study(folder, EachJudged(3, "passage"))
    study.add_judges([Judge(name, Role.JUDGE) for name in ("annabel", "bartholomew", "cassandra")])
    return study


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Two judges at work, a third shut out, another study beside; slow requests are given little time."""
    folder = tmp_path_factory.mktemp("hostile")
    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr(Connection, "head_seconds", _SLOW_SECONDS)
        foreign = stack.enter_context(served(make_tiny_study(folder / "foreign", Task.GUESS, judges="annabel,bob")))
        place = stack.enter_context(served(guessing_study(folder / "study"), bounds=Bounds(body_seconds=_SLOW_SECONDS)))
        known, secrets = attacked(place, foreign)
        yield Scene(place, list(hostile_requests(known)), secrets)


def attacked(place: Served, foreign: Served) -> tuple[Known, dict[str, str]]:
    """What an attacker knows of the two studies, and what no reply may tell."""
    database = place.study.store.database
    tokens = {name: new_pass(database, name, TOKEN) for name in ("annabel", "bartholomew", "cassandra")}
    ann, bob, visitor = place.browser("annabel"), place.browser("bartholomew"), foreign.browser("annabel")
    mine, others, theirs = str(uuid.uuid4()), str(uuid.uuid4()), visitor.first()
    answered, other = ann.first(), bob.first()
    following = ann.verdict(answered, {"guesses": ["lamp"]}, name=mine).json["next"]
    bob.verdict(other, {"guesses": ["quillon"]}, name=others)
    gone = new_pass(database, "cassandra", SESSION)
    revoke(database, "cassandra")
    session = ann.cookie.split("=")[1]
    known = Known(
        host=f"{place.host}:{place.port}", cookie=ann.cookie, csrf=ann.csrf, open_item=following[6:], answered_item=answered[6:],
        verdict=mine, said={"guesses": ["word"]}, token=tokens["annabel"], item_id="b1:1", other_csrf=bob.csrf, other_item=other[6:],
        other_verdict=others,
        foreign_token=new_pass(foreign.study.store.database, "annabel", TOKEN), foreign_session=visitor.cookie.split("=")[1],
        foreign_item=theirs[6:], revoked_token=tokens["cassandra"], revoked_session=gone,
        digest=hashlib.sha256(session.encode()).hexdigest(),
    )  # fmt: skip
    secrets = {
        "a target": "zanzibar", "another judge": "bartholomew", "who was shut out": "cassandra", "what another said": "quillon",
        "the study's secret": place.study.facts.secret, "a path": str(place.study.folder), "this project's files": "cloze_gen",
        "a traceback": "Traceback", "the database": "sqlite", "a session": session, "another's session": bob.cookie.split("=")[1],
        "a token": tokens["annabel"], "another's token": tokens["bartholomew"], "another's item": other[6:], "what is asked": "House",
        "the csrf": ann.csrf, "another's csrf": bob.csrf, "the server": "uvicorn", "a file of the machine": "root:",
    }  # fmt: skip
    return known, secrets


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_hostile_requests_get_nowhere(number: int, scene: Scene) -> None:
    """A status of 4xx, no row of the database changed, no secret told, and the reply as strict as any."""
    request, place = scene.requests[number], scene.place
    before = rows(place.study.folder)
    reply = exchange((place.host, place.port), *request.parts, ends=request.ends)
    status = int(reply.split(b" ", 2)[1]) if reply.startswith(b"HTTP/1.1 ") else NOTHING
    assert status in request.statuses, reply[:200]
    assert rows(place.study.folder) == before
    text = reply.decode("utf-8", "replace")
    assert not [what for what, secret in scene.secrets.items() if secret.lower() in text.lower()]
    if status:
        head = text.partition("\r\n\r\n")[0].lower()
        assert "set-cookie" not in head
        assert not re.search("^server:", head, re.MULTILINE)
        for told, value in HEADERS:
            assert f"{told.decode()}: {value.decode()}".lower() in head


def test_there_are_enough() -> None:
    """Sixty were promised, and each is another."""
    assert len({request.parts for request in hostile_requests(_MOCK)}) >= 60


def test_the_study_goes_on_afterwards(scene: Scene) -> None:
    """A judge is served as before, once all of that has been refused."""
    for request in scene.requests[::5]:
        exchange((scene.place.host, scene.place.port), *request.parts, ends=request.ends)
    assert scene.place.browser("annabel").get("/").status == 303


def test_echoes_are_of_the_judges_own_words(scene: Scene) -> None:
    """What a refusal quotes is what was sent with it, as JSON that no browser takes for a page."""
    browser = scene.place.browser("bartholomew")
    reply = browser.verdict(browser.first(), {"guesses": ["<script>alert(1)</script>"] * 2})
    assert reply.status == 422
    assert reply.headers["content-type"] == "application/json"

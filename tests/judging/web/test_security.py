"""Whatever is sent: a refusal, nothing changed, and nothing shown."""

from __future__ import annotations

import contextlib
import hashlib
import re
import uuid
from dataclasses import dataclass

import pytest

from cloze_gen.judging.assignment import JudgesPerItem
from cloze_gen.judging.database import issue, revoke
from cloze_gen.judging.state import StudySettings
from cloze_gen.judging.study import Study, make_study
from cloze_gen.judging.web.security import HEADERS
from cloze_gen.records.judgement import Judge, Role, StudyItem, Task
from tests.cases.hostile_request import NOTHING, Known, Request
from tests.cases.hostile_requests import hostile_requests
from tests.cases.served import Served, exchange, rows, served
from tests.cases.studies import make_tiny_study

_NO_HTTP = b"Invalid HTTP request received."  # the server's own words, a text of a fixed form
_MOCK = Known(
    host="127.0.0.1:1", cookie="c=0", open_item="0" * 12, answered_item="1" * 12, verdict="v", response={"guesses": ["word"]},
    token="t", item_id="b1:1", other_item="2" * 12, other_verdict="w", foreign_token="u",
    foreign_item="3" * 12, revoked_token="r", digest="d",
)  # fmt: skip
# what is sent depends on the study; how many there are does not
NAMES = [request.name for request in hostile_requests(_MOCK)]


@dataclass(frozen=True, slots=True)
class Scene:
    """A study under attack, and what no reply may hold."""

    place: Served
    requests: list[Request]
    secrets: dict[str, str]


def guessing_study(folder):
    """A study whose targets are words that stand nowhere else."""
    items = []
    for n in range(1, 6):
        text = f"House {n} was dark. She looked for the _____."
        shown = {"passage": text, "sentence": text, "guesses": {"passage": 1, "sentence": 3}}
        items.append(
            StudyItem(f"b{n}:1", ((f"b{n}", 0, 90),), shown, {"target": f"zanzibar{n}"}, "tiny")
        )
    make_study(
        folder,
        items,
        task=Task.GUESS,
        run="tiny",
        style="lambada-style",
        of={},
        settings=StudySettings(page=2),
        rules={},
    )
    study = Study(folder, JudgesPerItem(3, "passage"))
    study.add_judges([Judge(name, Role.JUDGE) for name in ("annabel", "bartholomew", "cassandra")])
    return study


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """Two judges, a third shut out, another study."""
    folder = tmp_path_factory.mktemp("hostile")
    with contextlib.ExitStack() as stack:
        foreign = stack.enter_context(
            served(make_tiny_study(folder / "foreign", Task.GUESS, judges="annabel,bob"))
        )
        place = stack.enter_context(served(guessing_study(folder / "study")))
        known, secrets = attacked(place, foreign)
        yield Scene(place, list(hostile_requests(known)), secrets)


def attacked(place, foreign):
    """What an attacker knows of the two studies, and what no reply may tell."""
    database = place.study.store.database
    tokens = {name: issue(database, name) for name in ("annabel", "bartholomew", "cassandra")}
    ann, bob, visitor = (
        place.browser("annabel"),
        place.browser("bartholomew"),
        foreign.browser("annabel"),
    )
    mine, others, theirs = str(uuid.uuid4()), str(uuid.uuid4()), visitor.first()
    answered, other = ann.first(), bob.first()
    following = ann.verdict(answered, {"guesses": ["lamp"]}, name=mine).json["next"]
    bob.verdict(other, {"guesses": ["quillon"]}, name=others)
    revoke(database, "cassandra")
    known = Known(
        host=f"{place.host}:{place.port}", cookie=ann.cookie, open_item=following[6:], answered_item=answered[6:],
        verdict=mine, response={"guesses": ["word"]}, token=tokens["annabel"], item_id="b1:1", other_item=other[6:],
        other_verdict=others,
        foreign_token=issue(foreign.study.store.database, "annabel"),
        foreign_item=theirs[6:], revoked_token=tokens["cassandra"],
        digest=hashlib.sha256(tokens["annabel"].encode()).hexdigest(),
    )  # fmt: skip
    secrets = {
        "a target": "zanzibar", "another judge": "bartholomew", "who was shut out": "cassandra", "what another said": "quillon",
        "the study's secret": place.study.facts.secret, "a path": str(place.study.folder), "this project's files": "cloze_gen",
        "a traceback": "Traceback", "the database": "sqlite", "a cookie": ann.cookie.split("=")[1], "another's cookie": bob.cookie.split("=")[1],
        "a token": tokens["annabel"], "another's token": tokens["bartholomew"], "another's item": other[6:], "what is asked": "House",
        "the server": "uvicorn", "a file of the machine": "root:",
    }  # fmt: skip
    return known, secrets


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_hostile_requests_get_nowhere(number, scene):
    request, place = scene.requests[number], scene.place
    before = rows(place.study.folder)
    reply = exchange((place.host, place.port), *request.parts, ends=request.ends)
    status = int(reply.split(b" ", 2)[1]) if reply.startswith(b"HTTP/1.1 ") else NOTHING
    assert status in request.statuses, reply[:200]
    assert rows(place.study.folder) == before
    text = reply.decode("utf-8", "replace")
    assert not [what for what, secret in scene.secrets.items() if secret.lower() in text.lower()]
    if status and not reply.endswith(_NO_HTTP):
        head = text.partition("\r\n\r\n")[0].lower()
        assert "set-cookie" not in head
        assert not re.search("^server:", head, re.MULTILINE)
        for name, value in HEADERS.items():
            assert f"{name}: {value}".lower() in head


def test_the_study_goes_on_afterwards(scene):
    """A judge is served as before, once all of that has been refused."""
    for request in scene.requests[::5]:
        exchange((scene.place.host, scene.place.port), *request.parts, ends=request.ends)
    assert scene.place.browser("annabel").get("/").status == 303


def test_echoes_are_of_the_judges_own_words(scene):
    """What a refusal quotes is what was sent with it, as JSON that no browser takes for a page."""
    browser = scene.place.browser("bartholomew")
    reply = browser.verdict(browser.first(), {"guesses": ["<script>alert(1)</script>"] * 2})
    assert reply.status == 422
    assert reply.headers["content-type"] == "application/json"

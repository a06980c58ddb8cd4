"""The pages of a study, asked for as a browser does."""

import re
import uuid
from urllib.parse import quote

import pytest

from cloze_gen.errors import StoreError
from cloze_gen.judging.agreement_text import alpha_rows
from cloze_gen.judging.database import issue, revoke
from cloze_gen.judging.study import study_agreement
from cloze_gen.judging.web.pages import assets_version
from cloze_gen.records.judgement import Judge, Role, Task
from tests.cases.served import rows, served
from tests.cases.studies import make_tiny_study, response


def answer_all(browser, task):
    """Answer whatever is asked; returns how many items that were."""
    address, n = browser.first(), 0
    while address != "/done":
        assert browser.get(address).status == 200
        reply = browser.verdict(address, response(task))
        assert reply.status == 200, reply
        address, n = reply.json["next"], n + 1
    return n


@pytest.mark.parametrize("task", list(Task))
def test_judges_come_through(task, tmp_path):
    with served(make_tiny_study(tmp_path / "study", task, page=4)) as place:
        for judge in ("ann", "bob", "cara"):
            browser = place.browser(judge)
            assert answer_all(browser, task) == 6
            assert ("Nothing to do right now" in browser.get("/done").text) == (judge != "cara")
        assert place.study.state().finished
        assert {
            (seconds, source) for *_, seconds, source, _, _ in rows(place.study.folder)["verdicts"]
        } == {(2.0, "page")}
        assert place.browser("ann").get("/done").status == 200


def test_the_first_open_item_is_where_one_goes_on(tmp_path):
    """Another browser, later, begins where the judge stopped."""
    with served(make_tiny_study(tmp_path / "study")) as place:
        browser = place.browser("ann")
        following = browser.verdict(browser.first(), response(Task.READ)).json["next"]
        assert place.browser("ann").get("/").headers["location"] == following


def test_what_was_said_is_shown_again_and_can_be_changed(tmp_path):
    with served(make_tiny_study(tmp_path / "study")) as place:
        browser, place_of_answer = place.browser("ann"), "&#34;answer&#34;: {}"
        address = browser.first()
        for answer in (1, 0):
            browser.verdict(address, {**response(Task.READ), "answer": answer})
            assert place_of_answer.format(answer) in browser.get(address).text
        assert len(rows(place.study.folder)["verdicts"]) == 2


def test_a_verdict_sent_again_is_taken_once(tmp_path):
    """The same request, after a reply that never came, is answered as the first one was."""
    with served(make_tiny_study(tmp_path / "study")) as place:
        browser, name = place.browser("ann"), str(uuid.uuid4())
        address = browser.first()
        first, again = (browser.verdict(address, response(Task.READ), name=name) for _ in range(2))
        assert (first.status, first.text) == (again.status, again.text) == (200, first.text)
        assert len(rows(place.study.folder)["verdicts"]) == 1


def test_a_link_becomes_a_cookie(tmp_path):
    with served(make_tiny_study(tmp_path / "study")) as place:
        token = issue(place.study.store.database, "ann")
        reply = place.stranger().get(f"/enter/{token}")
        assert (reply.status, reply.headers["location"]) == (303, "/")
        parts = {part.strip().lower() for part in reply.headers["set-cookie"].split(";")[1:]}
        assert {"httponly", "samesite=lax", "path=/"} <= parts
        assert "secure" not in parts


def test_behind_a_proxy_with_tls_the_cookie_is_secure(tmp_path):
    """Where the origin is https, the cookie goes nowhere else, and pages answer to that name alone."""
    with served(make_tiny_study(tmp_path / "study"), origin="https://judges.example.org") as place:
        browser = place.stranger()
        reply = browser.get(f"/enter/{issue(place.study.store.database, 'ann')}")
        assert reply.headers["set-cookie"].startswith("__Host-cloze-gen-")
        assert "secure" in reply.headers["set-cookie"].lower()
        assert browser.get("/", Host=f"{place.host}:{place.port}").status == 421


def test_who_is_shut_out_is_out_at_once(tmp_path):
    """Links and open pages alike, while others go on."""
    with served(make_tiny_study(tmp_path / "study")) as place:
        ann, bob = place.browser("ann"), place.browser("bob")
        address = ann.first()
        revoke(place.study.store.database, "ann")
        assert (
            ann.get("/").status
            == ann.get(address).status
            == ann.verdict(address, response(Task.READ)).status
            == 403
        )
        assert bob.get("/").status == 303


def test_two_studies_in_one_browser_keep_apart(tmp_path):
    """Browsers keep cookies by host, not by port: each study has a name of its own for its cookie."""
    with (
        served(make_tiny_study(tmp_path / "one")) as one,
        served(make_tiny_study(tmp_path / "two")) as two,
    ):
        assert one.browser("ann").cookie.split("=")[0] != two.browser("ann").cookie.split("=")[0]


def test_files_of_the_page_are_kept_under_their_version(tmp_path):
    """All that a page names is there, to be kept for ever; under another version there is nothing."""
    with served(make_tiny_study(tmp_path / "study")) as place:
        browser = place.browser("ann")
        named = set(
            re.findall(r'(?:src|href)="(/static/[^"]+)"', browser.get(browser.first()).text)
        )
        assert {address.rpartition("/")[2] for address in named} >= {
            "page.js",
            "page.css",
            "icon.svg",
        }
        for address in named:
            reply = browser.get(address)
            assert (reply.status, reply.headers["cache-control"]) == (
                200,
                "public, max-age=31536000, immutable",
            )
            assert browser.get(address.replace(assets_version(), "0" * 16)).status == 404


def test_every_reply_says_what_browsers_may_do(tmp_path):
    with served(make_tiny_study(tmp_path / "study")) as place:
        browser = place.browser("ann")
        replies = [
            browser.get(path)
            for path in (
                "/",
                browser.first(),
                "/done",
                f"/static/{assets_version()}/page.css",
                "/favicon.ico",
                "/nowhere",
            )
        ]
        replies += [browser.verdict("/item/0", 1), browser.get("/", Host="evil.example")]
        for reply in replies:
            assert reply.headers["content-security-policy"].startswith(
                "default-src 'none'; script-src 'self'"
            )
            assert "unsafe" not in reply.headers["content-security-policy"]
            assert (reply.headers["x-content-type-options"], reply.headers["referrer-policy"]) == (
                "nosniff",
                "no-referrer",
            )
            assert reply.headers["cache-control"] in {
                "no-store",
                "public, max-age=31536000, immutable",
            }
            assert "server" not in reply.headers


def broken(place, monkeypatch, error):
    """A judge at an item, after which nothing more can be written."""
    browser = place.browser("ann")
    address = browser.first()

    def fail(*_):
        raise error

    monkeypatch.setattr(place.study.store, "add_verdict", fail)
    return browser, address


def test_an_error_tells_nothing_of_the_inside(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with served(make_tiny_study(tmp_path / "study")) as place:
        browser, address = broken(place, monkeypatch, ValueError("inner words"))
        reply = browser.verdict(address, response(Task.READ))
        assert reply.status == 500
        assert "inner" not in reply.text
        assert "content-security-policy" in reply.headers
    assert "ValueError: inner words" in capfd.readouterr().err
    assert "add_verdict" in next(tmp_path.glob("cloze-gen-*.txt")).read_text(encoding="utf-8")


def test_a_full_disk_is_told_to_try_again(tmp_path, monkeypatch):
    """Nothing was taken, and the browser keeps what it has."""
    with served(make_tiny_study(tmp_path / "study")) as place:
        browser, address = broken(place, monkeypatch, StoreError("the disk is full"))
        reply = browser.verdict(address, response(Task.READ))
        assert (reply.status, reply.headers["retry-after"]) == (503, "5")
        assert "disk" not in reply.text


def answer_rest(place, judge):
    study = place.study
    while (one := study.next_open(judge)) is not None:
        study.take(
            one, response(Task.READ), verdict_id=f"{judge}-{one.id}", seconds=30.0, source="page"
        )


def test_the_owner_sees_progress_time_and_agreement(tmp_path):
    study = make_tiny_study(tmp_path / "study", judges="ann,bob", each=2)
    with served(study, owner="o" * 43) as place:
        answer_rest(place, "ann")
        browser = place.stranger()
        entered = browser.get("/owner/" + "o" * 43)
        assert (entered.status, entered.headers["location"]) == (303, "/owner")
        browser.cookie = entered.headers["set-cookie"].split(";")[0]
        text = browser.get("/owner").text
        measured = study_agreement(study, is_right=str.__eq__)
        plain = " ".join(re.sub("<[^>]*>", " ", text).split())
        assert "ann 6 of 6 0 30 bob 0 of 0 0 -" in plain
        for cells in alpha_rows(measured):
            assert " ".join([study.task.questions[cells[0]], *cells[1:]]) in plain
        assert "<script" not in text
        answer_rest(place, "bob")  # another reading of the study notices
        new = browser.get("/owner").text
        (interval,) = (
            cells[2]
            for cells in alpha_rows(study_agreement(study, is_right=str.__eq__))
            if cells[0] == study.task.main_question
        )
        assert interval in new


def test_a_machine_has_no_page(tmp_path):
    study = make_tiny_study(tmp_path / "study")
    study.add_judges([Judge("model", Role.MACHINE)])
    with served(study) as place:
        token = issue(study.store.database, "model")
        assert place.stranger().get(f"/enter/{token}").status == 404


def test_the_owners_page_is_for_the_owner_alone(tmp_path, monkeypatch, capfd):
    """Not for judges, strangers, other tokens or other studies; the token is in no log or file."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    token = "o" * 43
    compared = []
    monkeypatch.setattr(
        "cloze_gen.judging.web.security.hmac.compare_digest",
        lambda one, other: (compared.append(other), one == other)[1],
    )
    with served(make_tiny_study(tmp_path / "study"), owner=token) as place:
        judge, stranger = place.browser("ann"), place.stranger()
        links = [issue(place.study.store.database, "ann"), "", "o" * 42, "\u00f8", "o" * 44]
        for browser in (judge, stranger):
            assert browser.get("/owner").status == 403
            for wrong in links:
                reply = browser.get(f"/owner/{quote(wrong)}")
                assert reply.status == 404
                assert "set-cookie" not in reply.headers
        assert "o" * 42 in [one.decode() for one in compared]
        entered = stranger.get(f"/owner/{token}")
        assert {"HttpOnly", " SameSite=lax"} & {*entered.headers["set-cookie"].split(";")}
        stranger.cookie = entered.headers["set-cookie"].split(";")[0]
        assert stranger.get("/").status == 403  # an owner is no judge
        monkeypatch.setattr(
            "cloze_gen.judging.web.app.owner_html", lambda *_: pytest.fail("in the page")
        )
        monkeypatch.setattr(
            "cloze_gen.judging.web.app.study_agreement",
            lambda *_, **__: (_ for _ in ()).throw(ValueError("inner words")),
        )
        assert stranger.get("/owner").status == 500
        files = [one for one in tmp_path.rglob("*") if one.is_file()]
        assert any("inner words" in one.read_text(errors="replace") for one in files)
        assert not any(token.encode() in one.read_bytes() for one in files)
        told = capfd.readouterr()
        assert "inner words" in told.err
        assert token not in told.out + told.err
    with served(make_tiny_study(tmp_path / "other")) as place:  # nobody may own it
        browser = place.stranger()
        assert browser.get("/owner/").status == browser.get(f"/owner/{token}").status == 404
        browser.cookie = stranger.cookie
        assert browser.get("/owner").status == 403

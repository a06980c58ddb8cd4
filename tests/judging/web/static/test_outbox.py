"""What was said stays in the browser until the server has it."""

import json

import pytest

from cloze_gen.records.judgement import Task
from tests.judging.web.static.conftest import block_verdicts, goes_on, ready

pytestmark = pytest.mark.thorough

FULL = (
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
)
FORBIDDEN = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', "
    "'SecurityError'); } });"
)


def kept(page, kind="out"):
    return page.evaluate(
        f"Object.entries(localStorage).filter(([key]) => key.includes('/{kind}/')).map(([_, "
        "value]) => JSON.parse(value))"
    )


def told(page, words):
    page.wait_for_function(
        "words => document.getElementById('status').textContent.includes(words)", arg=words
    )


@pytest.mark.parametrize(
    ("task", "keys", "look"),
    [
        (
            Task.GROOM, ["7", "o", "Tab", "Tab", "h", "m"],
            "() => document.querySelector('#count').innerText + "
                "document.querySelector('#note').value",
        ),
        (Task.GUESS, ["k", "e"], "() => document.querySelector('[name=guess]').value"),
        (Task.READ, ["3", "f", "1", "b"], "() => [...document.querySelectorAll('#item :checked')].map(one => one.name + "
            "one.value)"),
        (Task.FILL, ["d", "1"], "() => [...document.querySelectorAll('.blank')].map(one => one.textContent + "
            "one.ariaCurrent)"),
    ],
)  # fmt: skip
def test_a_reload_keeps_the_draft(task, keys, look, served, sit):
    """... of every task, and how long the item was looked at."""
    page = sit(served(task))
    untouched = page.evaluate(look)
    for key in keys:
        page.keyboard.press(key)
    before = page.evaluate(look)
    page.reload()
    ready(page)
    assert page.evaluate(look) == before != untouched
    assert kept(page, "draft")[0]["seconds"] > 0


def test_a_dead_network_loses_nothing(served, sit):
    """Saved while offline: the page says so, waits, and goes on by itself when the network is back."""
    study = served(Task.READ, n=3)
    page = sit(study, cut=True)
    page.context.set_offline(True)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    told(page, "Not sent yet")
    assert [one["response"]["answer"] for one in kept(page)] == [0]
    assert study.current_response() == []
    page.keyboard.press("Backspace")  # leads nowhere now
    goes_on(page, lambda: page.context.set_offline(False))
    assert [one["answer"] for one in study.current_response()] == [0]
    assert kept(page) == kept(page, "draft") == []


def cannot_send(page, key):
    """A verdict is given while no way leads to the server; the result opens it."""
    allow = block_verdicts(page)
    page.keyboard.press(key)
    page.keyboard.press("Enter")
    told(page, "Not sent yet")
    return allow


def test_a_closed_tab_loses_nothing(served, sit):
    study = served(Task.READ, n=1)
    page = sit(study, cut=True)
    cannot_send(page, "2")
    page.close()
    again = page.context.new_page()
    again.goto(study.origin)
    again.wait_for_url("**/done")
    assert [one["answer"] for one in study.current_response()] == [1]
    assert len(study.written()["ann"]) == 1


def test_what_is_no_answer_of_ours_acknowledges_nothing(served, sit):
    """A captive portal's status 200, a redirect, a server error."""
    study = served(Task.READ, n=2)
    page = sit(study, cut=True)
    first = page.url
    replies = [
        (200, "<html>Welcome!"),
        (200, '{"next": "//elsewhere.example/"}'),
        (500, "{}"),
        (503, ""),
    ]
    study.start_replying(*replies)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "n => performance.getEntriesByType('resource').filter(one => one.name.endsWith('/verdict'))"
        ".length >= n",
        arg=len(replies),
    )
    told(page, "Not sent yet")
    assert len(kept(page)) == 1
    assert study.current_response() == []
    study.kill()
    study.start()
    page.wait_for_url(lambda url: url != first)
    ready(page)
    assert kept(page) == []
    assert [one["answer"] for one in study.current_response()] == [1]


def test_the_last_of_two_tabs_counts(served, sit):
    """... and what the first one saved is still written down."""
    study = served(Task.READ, n=2)
    page = sit(study)
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    page.keyboard.press("1")
    goes_on(page)
    other.keyboard.press("4")
    goes_on(other)
    assert [one["answer"] for one in study.current_response()] == [3]
    assert len(study.written()["ann"]) == 2


def test_a_draft_of_before_another_tab_saved_is_gone(served, sit):
    page = sit(served(Task.READ, n=2))
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    page.keyboard.press("1")
    goes_on(page)
    other.keyboard.press("4")
    other.reload()
    ready(other)
    assert other.is_checked("[name=answer][value='0']")


def test_a_link_that_ended_keeps_what_was_said(served, sit):
    """The page tells that the link is no longer good; by a new one the verdict is sent."""
    study = served(Task.READ, n=1)
    page = sit(study, cut=True)
    study.shut_out("ann")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    told(page, "no longer valid")
    assert len(kept(page)) == 1
    page.goto(study.origin)
    assert (
        page.locator("h1").inner_text()
        == "You need your personal link for this page. Open the link that you were given. If it "
        "does not work, ask for a new one."
    )
    page.goto(study.link("ann"))
    page.wait_for_url("**/done")
    assert [one["answer"] for one in study.current_response()] == [2]


def test_another_judge_in_the_same_browser_sends_nothing_of_it(served, sit):
    study = served(Task.READ, n=1)
    page = sit(study, cut=True)
    allow = cannot_send(page, "3")
    page.goto("about:blank")  # where nothing is sent any more
    allow()
    page.goto(study.link("bob"))
    ready(page)
    assert page.locator("[name=answer]:checked").count() == 0
    page.keyboard.press("1")
    goes_on(page)
    assert (
        study.current_response("ann"),
        [one["answer"] for one in study.current_response("bob")],
    ) == ([], [0])
    page.goto(study.link("ann"))
    page.wait_for_url("**/done")
    assert [one["answer"] for one in study.current_response("ann")] == [2]


@pytest.mark.parametrize("script", [FULL, FORBIDDEN])
def test_a_browser_that_keeps_nothing_is_told_of(script, served, sit):
    study = served(Task.READ, n=1)
    page = sit(study, cut=True)
    page.add_init_script(script)
    page.reload()
    ready(page)
    page.keyboard.press("3")
    told(page, "cannot store your draft")
    study.kill()
    page.keyboard.press("Enter")
    told(page, "Keep this page open")
    study.start()
    page.wait_for_url("**/done")
    assert [one["answer"] for one in study.current_response()] == [2]


def test_ids_without_a_secure_context(served, sit):
    """Over plain http a browser has no `randomUUID`; ids are UUIDs of version 4 all the same."""
    study = served(Task.READ, n=1)
    page = sit(study)
    page.add_init_script(
        "Object.defineProperty(Crypto.prototype, 'randomUUID', { value: undefined });"
    )
    page.reload()
    ready(page)
    page.keyboard.press("3")
    with page.expect_request("**/verdict") as sent:
        page.keyboard.press("Enter")
    page.wait_for_url("**/done")
    name = json.loads(sent.value.post_data)["id"]
    assert [len(part) for part in name.split("-")] == [8, 4, 4, 4, 12]
    assert (name[14], name[19] in "89ab") == ("4", True)


def test_a_refused_verdict_is_a_draft_again(served, sit):
    study = served(Task.READ, n=1)
    page = sit(study, cut=True)
    study.start_replying((422, '{"error": "no such option"}'))
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    told(page, "Not saved: no such option")
    assert kept(page) == []
    study.kill()
    study.start()
    page.reload()
    ready(page)
    assert page.is_checked("[name=answer][value='2']")
    goes_on(page)
    assert len(study.current_response()) == 1

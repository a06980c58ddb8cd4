"""Servers that are killed, tabs and judges at the same time."""

import time

import pytest

from cloze_gen.records.judgement import Task
from tests.judging.web.static.conftest import block_verdicts, goes_on, ready

pytestmark = pytest.mark.thorough

# Nothing waits to be sent, and the item is a new one, or there is none. The browser's own page, of
# no server, is neither.
LOST = "location.protocol !== 'http:'"
FRESH = f"""() => {LOST} ||
  !Object.keys(localStorage).some(key => key.includes('/out/')) && !document.querySelector('[name=answer]:checked')"""


def test_kills_between_key_and_reply(served, sit):
    """SIGKILL before a verdict is read, before it is acknowledged, and soon after the key."""
    n = 20
    study = served(Task.READ, n=n, judges="ann", page=n)
    page = sit(study, cut=True)
    for at in range(n):
        how = ("unread", "unacknowledged", "timed")[at % 3]
        if how == "unacknowledged":
            study.kill()
            study.start("die")
        elif how == "unread":
            study.stop()
        page.keyboard.press(str(at % 5 + 1))
        page.keyboard.press("Enter")
        if how == "timed":
            time.sleep(at / 1000)
        if how == "unacknowledged":
            page.wait_for_function(
                "() => document.getElementById('status').textContent.includes('Not sent yet')"
            )
            assert len(study.written()["ann"]) == at + 1
        else:
            study.kill()
        study.start()
        if how == "timed":  # the tab may have been on its way to the next item
            page.close()
            page = page.context.new_page()
            page.goto(study.origin)
        page.wait_for_function(FRESH)
        if page.evaluate(LOST):  # it was, and found no server
            page.goto(study.origin)
            page.wait_for_function(FRESH)
        ready(page)
    assert page.url.endswith("/done")
    assert [one["answer"] for one in study.current_response()] == [at % 5 for at in range(n)]
    assert len(study.written()["ann"]) == len(set(study.written()["ann"])) == n


def test_two_judges_at_once(served, sit):
    """Each has the own items, order and verdicts."""
    study = served(Task.READ, n=4, judges="ann,bob")
    pages = {judge: sit(study, judge) for judge in ("ann", "bob")}
    for _ in range(4):
        for judge, page in pages.items():
            page.keyboard.press("1" if judge == "ann" else "2")
        for page in pages.values():
            page.keyboard.press("Enter")
        for page in pages.values():
            page.wait_for_function(FRESH)
            ready(page)
    assert [one["answer"] for one in study.current_response("ann")] == [0] * 4
    assert [one["answer"] for one in study.current_response("bob")] == [1] * 4


def test_two_tabs_at_once(served, sit):
    study = served(Task.READ, n=3, judges="ann")
    one = sit(study, cut=True)
    other = one.context.new_page()
    other.goto(one.url)
    ready(other)
    for _ in range(3):
        for tab in (one, other):
            tab.keyboard.press("2")
        for tab in (one, other):
            tab.keyboard.press("Enter")
        for tab in (one, other):
            tab.wait_for_function(FRESH)
            ready(tab)
    assert one.url == other.url == f"{study.origin}/done"
    assert [response["answer"] for response in study.current_response()] == [1] * 3
    assert len(set(study.written()["ann"])) == 3  # each tab's answer is kept, also an equal one


def test_what_one_tab_keeps_the_other_sends_once(served, sit):
    study = served(Task.READ, n=2, judges="ann")
    one = sit(study, cut=True)
    other = one.context.new_page()
    other.goto(one.url)
    ready(other)
    allow = block_verdicts(one)
    one.keyboard.press("2")
    one.keyboard.press("Enter")
    one.wait_for_function(
        "() => document.getElementById('status').textContent.includes('Not sent yet')"
    )
    goes_on(other, other.reload)
    allow()
    one.wait_for_url(lambda url: url == other.url)
    assert len(study.written()["ann"]) == 1

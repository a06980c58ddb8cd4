"""Pages as text: what stands in them, and what may never."""

import contextlib
import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from cloze_gen.judging.study import study_agreement
from cloze_gen.judging.tasks import TASKS
from cloze_gen.judging.tasks.groom import GUIDELINES, REASONS
from cloze_gen.judging.web import pages
from cloze_gen.judging.web.pages import (
    ItemPage,
    Refusal,
    assets,
    assets_version,
    done_html,
    item_html,
    joint,
    owner_html,
    refused,
)
from cloze_gen.records.judgement import Judge, Role, Task
from tests.cases.studies import item, make_tiny_study

HOSTILE = "<script>alert(1)</script>\" onload='x' {{ 7*7 }} {% raw %} &amp; \u202e</form>"


def page(task, **more):
    shown = dict(item(task, 1).shown)
    seen = {"text": shown["passage"], "guesses": 1} if task is Task.GUESS else shown
    told = {
        "study": "tiny", "judge": "ann", "task": task, "assignment": "0123456789ab", "place": 3, "done": 2, "left": 8, "seconds_left": None,
        "seen": seen, "response": None, "previous": "/item/aaaaaaaaaaaa",
        "following": None, "storage_key": "w",
    }  # fmt: skip
    return ItemPage(**{**told, **more})


def spiked(value):
    """The same shape with hostile text for every text."""
    if isinstance(value, dict):
        return {key: spiked(one) for key, one in value.items()}
    return (
        [spiked(one) for one in value]
        if isinstance(value, list)
        else f"{value} {HOSTILE}"
        if isinstance(value, str)
        else value
    )


@pytest.mark.parametrize("task", list(Task))
def test_text_of_books_and_of_people_is_text(task):
    seen = page(task).seen
    made = item_html(page(task, study=HOSTILE, seen=spiked(seen), response={"note": HOSTILE}))
    plain = item_html(page(task))
    assert re.findall(r"<(script|img|form)\b", made) == re.findall(r"<(script|img|form)\b", plain)
    assert made.count(html.escape(HOSTILE, quote=False)[:30].replace('"', "&#34;")) >= 3
    assert json.loads(html.unescape(re.search(r'data-response="([^"]*)"', made)[1])) == {
        "note": HOSTILE
    }


@pytest.mark.parametrize("task", list(Task))
def test_no_page_has_script_or_style_inside(task):
    for made in (
        item_html(page(task)),
        done_html("tiny", waiting=True, storage_key="w"),
        bytes(refused(Refusal(403, "No."), as_json=False).body).decode(),
    ):
        assert re.findall(r"<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|javascript:", made) == []
        asked = re.findall(rf'(?:src|href)="/static/{assets_version()}/([^"]+)"', made)
        assert asked
        assert set(asked) <= set(assets())
    folder = Path(pages.__file__).parent / "static"
    assert {one.name for one in folder.iterdir()} == set(assets())


def test_progress_is_told_in_words_and_as_a_bar():
    """... with the time that is left, once somebody can tell."""
    assert "2 done, 8 left</label>" in item_html(page(Task.READ))
    made = item_html(page(Task.READ, seconds_left=540.0))
    assert "2 done, 8 left, about 9 minutes</label>" in made
    assert '<progress id="progress" value="2" max="10">' in made


def test_the_way_on_is_there_only_where_it_was_answered():
    """Nobody skips an item; who came back may go on without saying it again."""
    assert "/item/bbbbbbbbbbbb" not in item_html(page(Task.READ, following="/item/bbbbbbbbbbbb"))
    assert "/item/bbbbbbbbbbbb" in item_html(
        page(Task.READ, following="/item/bbbbbbbbbbbb", response={"answer": 1})
    )


def test_what_machines_say_is_there_only_where_the_study_shows_it():
    """A word of the machine beside its candidate, and nothing where `seen` has none."""
    seen = page(Task.GROOM).seen
    assert "machine:" not in item_html(page(Task.GROOM))
    assert (
        item_html(page(Task.GROOM, seen={**seen, "machine": {"sandbow": "kept"}})).count(
            "machine: kept"
        )
        == 1
    )


def test_grooming_shows_every_reason_and_guideline():
    made = html.unescape(item_html(page(Task.GROOM)))
    assert all(made.count(one.rule) == 2 for one in GUIDELINES)
    assert all(words in made for words in REASONS.values())
    keys = re.findall(r'data-key="(\w)"', made)
    assert len(set(keys) - {"r"}) == len(keys) == len(REASONS)


@pytest.mark.parametrize("task", list(Task))
def test_the_instruction_is_told(task):
    assert TASKS[task].instruction in html.unescape(item_html(page(task)))


@pytest.mark.parametrize(
    ("before", "after", "between"),
    [("saw the", "boat", " "), ("boat", ", he", ""), ("boat ", "he", ""), ("\u201c", "boat", ""), ("so \"", "boat", ""),
     ("boat", '." She', ""), ("", "x", ""),
     ("well\u2014", "x", ""), ("he said", "\"x", " ")],
)  # fmt: skip
def test_words_stand_as_in_print(before, after, between):
    assert joint(before, after) == between


def test_the_judge_is_named():
    """Who was handed somebody else's link sees whose it is; a name is text."""
    assert "tiny, judge ann" in item_html(page(Task.READ))
    assert "<script>alert" not in item_html(page(Task.READ, judge=HOSTILE))


def test_names_on_the_owners_page_are_text(tmp_path):
    """Of the study, its run and its judges, wherever they come from."""
    with contextlib.closing(make_tiny_study(tmp_path / "study", n=2, judges="ann")) as study:
        measured = study_agreement(study, is_right=str.__eq__)
        plain = owner_html(study, measured)
        study.facts = replace(study.facts, name=HOSTILE, run=HOSTILE)
        study.state().judges[HOSTILE] = Judge(HOSTILE, Role.JUDGE)
        made = owner_html(study, measured)
    assert html.escape(HOSTILE).replace("&quot;", "&#34;").replace("&#x27;", "&#39;") in made
    for marks in (r"<(script|img|form|a)\b", r"<script|<style|\sstyle=|<[^>]*\son\w+="):
        assert re.findall(marks, made) == re.findall(marks, plain) == []

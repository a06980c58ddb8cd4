"""What a model is asked, and how its reply is read."""

import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.judging.chat import messages, parse_reply
from cloze_gen.judging.exchange import PacketRow


def fenced(content):
    """What stands between the fences, of which there are two, the last line being one."""
    lines = content.split("\n")
    fence = lines[-1]
    assert fence.strip("`") == ""
    assert lines.count(fence) == 2
    assert lines[-3] == fence
    return json.loads(lines[-2])


@given(
    st.text(
        st.one_of(st.sampled_from("`\n\u2028\x85{}\"'"), st.characters(exclude_categories=["Cs"]))
    )
)
@example("```\n````\n")
def test_a_book_can_not_end_its_fence(text):
    """Whatever it says stands on one line of JSON between two fences that it does not hold."""
    told = messages(PacketRow("1", "", "guess", "", {"text": text, "guesses": 1}))[1]["content"]
    assert fenced(told) == {"text": text}
    assert told.count(told.split("\n")[-1]) == 2
    assert len(told.splitlines()) == len(told.split("\n"))


def test_a_model_is_asked_for_the_form_that_is_read(rows):
    fields = {
        "groom": ["picked", "rejected", "note", "other"],
        "guess": ["guesses"],
        "read": ["answer", "fits_as_well"],
        "fill": ["fills"],
    }
    for task, row in rows.items():
        system, user = messages(row)
        assert (system["role"], user["role"]) == ("system", "user")
        question = user["content"].split("\n`")[0]
        assert all(field in question for field in fields[task])
        assert "{{" not in question
        assert "JSON" in system["content"]  # which servers ask for where the format is JSON
    data = fenced(messages(rows["read"])[1]["content"])
    assert data == {
        "text": "A _____ sat.",
        "options": {"a": "+cat", "b": "owl", "c": "bc", "d": "I", "e": "sea"},
    }
    assert fenced(messages(rows["groom"])[1]["content"])["candidates"]["2"] == "'Tis"


BLANK = {"answer": 1, "fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}


@pytest.mark.parametrize(
    ("task", "text", "response"),
    [
        ("groom", '{"picked": [5, 1, 2, 10]}', {"picked": ["owl", "'Tis", "sea", "@home"]}),
        (
            "groom",
            '```json\n{"rejected": "other", "note": "a {b}"}\n```',
            {"rejected": "other", "note": "a {b}"},
        ),
        ("groom", '{"picked": ["owl", 2, 3, "sea"]}', {"picked": ["owl", "'Tis", "=lamp", "sea"]}),
        ("guess", 'It {is} "menu": {"guesses": ["menu"]}. {Sure.', {"guesses": ["menu"]}),
        ("guess", ' {"guesses": []} ', {"guesses": []}),
        (
            "guess",
            '<think>{"guesses": ["a"]}? No.</think>\n{"guesses": ["b"]}',
            {"guesses": ["b"]},
        ),
        (
            "groom",
            '{"rejected": "other", "note": null}',
            {"rejected": "other", "note": ""},
        ),
        ("read", '{"answer": "B"}', BLANK),
        ("read", '{"answer": "B", "fits_as_well": ["b", "d"]}', {**BLANK, "fits_as_well": [3]}),
        (
            "read",
            '{"answer": "owl", "ungrammatical": ["e"], "trivial": true}',
            {**BLANK, "ungrammatical": [4], "trivial": True},
        ),
        ("read", '{"answer": null, "broken": true}', {**BLANK, "answer": None, "broken": True}),
        ("fill", '{"fills": [4, 1]}', {"fills": [3, 0]}),
        ("fill", '{"fills": ["=Four.", 1]}', {"fills": [3, 0]}),
    ],
)
def test_replies_are_read(task, text, response, rows):
    """One object, alone, in a fence or among words."""
    assert parse_reply(text, rows[task]) == response


@pytest.mark.parametrize(
    ("task", "text"),
    [
        *(("guess", text) for text in (
            "", "menu", "{", "[]", '{"guesses": ["a"]} {"guesses": ["b"]}', '{"guesses": "a"}', '{"guesses": ["\\ud800"]}',
            '<think>{"guesses": ["a"]}', '{"guesses": ["a"]}</think>', '<think>a</think><think>{"guesses": ["a"]}',
            '{"guesses": ["a"], "why": "b"}', '{"guesses": ["a"], "guesses": ["b"]}')),
        *(("groom", text) for text in (
            '{"picked": [1, 2, 3]}', '{"picked": [0, 1, 2, 3]}', '{"picked": ["1", "2", "3", "5"]}', '{"picked": 3}',
            '{"picked": [1, 2, 3, 3]}', '{"picked": [1, 2, 3, 4, 5]}', '{"picked": [1, 2, 3, 11]}', '{"picked": [1, 2, 3, true]}',
            '{"picked": [1, 2, 3, 4.0]}', '{"picked": ["owl", 1, 2, 3]}', '{"picked": [1, 2, 3, [4]]}', '{"rejected": "bad"}',
            '{"rejected": ["other"]}', '{"picked": [1, 2, 3, 4], "rejected": "other"}')),
        *(("read", f'{{"answer": {answer}}}') for answer in ('"f"', "1", "null", '["a"]', '""', '{"a": 1}', "true")),
        *(("fill", f'{{"fills": {fills}}}') for fills in (
            "[0, 1]", "[1]", "[1, 1]", '{"1": 2}', "[-1, 2]", "[true, 2]", "null", "[5, 1]", '["1", 2]')),
    ],
)  # fmt: skip
def test_other_replies_are_refused(task, text, rows):
    """With the name that the caller gave."""
    with pytest.raises(FormatError, match=r"^reply to 3f: "):
        parse_reply(text, rows[task], name="reply to 3f")


def test_long_replies_are_refused_soon(rows):
    start = time.process_time()
    for text in ("{" * 90_000, '{"a":' * 20_000, "x" * 100_001, '{"a": ' + "9" * 5000 + "}"):
        with pytest.raises(FormatError, match="reply"):
            parse_reply(text, rows["guess"])
    assert time.process_time() - start < 10

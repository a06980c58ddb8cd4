"""The published layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.scde.published import FIELDS, format_published, parse_published, without_marks
from cloze_gen.records.blanked_passage import BlankedPassage

# Own words in the layout, with all that it allows: answers out of order, blanks numbered out of order, a stray full stop.
EXAMPLE = """\
[
 {
  "eid": 4,
  "passage": [
   "<2>",
   ".",
   "The ferry left at noon.",
   "<1>"
  ],
  "candidates": [
   "Nobody waved.",
   "Caf\\u00e9s stood open.",
   "It was a Monday."
  ],
  "answer_sequence": [
   [
    1,
    0
   ],
   [
    2,
    2
   ]
  ],
  "number_of_blanks": 2,
  "candidate_length": 3
 }
]"""
PASSAGE = BlankedPassage(
    "4",
    ("It was a Monday.", ".", "The ferry left at noon.", "Nobody waved."),
    (3, 0),
    ("Nobody waved.", "Cafés stood open.", "It was a Monday."),
    (0, 2),
)

TEXT = st.text(max_size=8).filter(lambda text: not text.startswith("<"))


@st.composite
def blanked(draw: st.DrawFn, passage_id: str) -> BlankedPassage:
    candidates = draw(st.lists(TEXT.filter(str.strip), min_size=1, max_size=5))
    answers = draw(st.lists(st.sampled_from(range(len(candidates))), min_size=1, max_size=len(candidates)))
    sentences = draw(st.lists(TEXT, min_size=len(answers), max_size=len(answers) + 4))
    blanks = draw(st.permutations(range(len(sentences))))[: len(answers)]
    for place, answer in zip(blanks, answers, strict=True):
        sentences[place] = candidates[answer]
    return BlankedPassage(passage_id, tuple(sentences), tuple(blanks), tuple(candidates), tuple(answers))


@st.composite
def files(draw: st.DrawFn) -> list[BlankedPassage]:
    ids = draw(st.lists(st.integers(0, 10**18 - 1), max_size=3, unique=True))
    return [draw(blanked(str(eid))) for eid in ids]


@given(files())
def test_what_is_written_is_read(passages: list[BlankedPassage]) -> None:
    """`parse(format(p)) == p`, whatever the sentences are and however the blanks are numbered."""
    assert parse_published(format_published(passages)) == passages


def test_the_bytes_are_kept() -> None:
    """Read and printed, a file is the same bytes: numbers of blanks, the `eid`, the stray full stop, escaped letters."""
    assert parse_published(EXAMPLE) == [PASSAGE]
    assert format_published([PASSAGE]) == EXAMPLE


def test_answers_come_in_any_order() -> None:
    """They are read by their blanks' numbers, and printed in the order of the blanks."""
    items = json.loads(EXAMPLE)
    items[0]["answer_sequence"].reverse()
    assert parse_published(json.dumps(items)) == [PASSAGE]
    assert json.loads(format_published([PASSAGE]))[0]["answer_sequence"] == [[1, 0], [2, 2]]


@pytest.mark.parametrize(("ids", "eids"), [(("7", "3"), [7, 3]), (("emma:7", "3"), [0, 1]), (("3", "3"), [0, 1]), (("07", "1"), [0, 1])])
def test_passages_are_numbered(ids: tuple[str, ...], eids: list[int]) -> None:
    """Passages of a file that was read keep their `eid`; those of books, whose ids are no numbers, are numbered from 0."""
    passages = [BlankedPassage(name, PASSAGE.sentences, PASSAGE.blanks, PASSAGE.candidates, PASSAGE.answers) for name in ids]
    assert [item["eid"] for item in json.loads(format_published(passages))] == eids


def test_a_sentence_that_reads_as_a_blank_is_refused() -> None:
    """The layout cannot carry it: whoever read the file would count a blank more."""
    passage = BlankedPassage("b:1", ("<3>", "It rained."), (1,), ("It rained.",), (0,))
    with pytest.raises(FormatError, match=r"passage b:1: sentence 1 is '<3>'"):
        format_published([passage])


def test_marks_alone_are_no_sentences() -> None:
    """Elements without letter or digit go, the blanks' places follow; a blank stays even where its answer is marks alone."""
    found = without_marks(PASSAGE)
    assert (found.sentences, found.blanks) == (("It was a Monday.", "The ferry left at noon.", "Nobody waved."), (2, 0))
    assert (found.candidates, found.answers, found.id) == (PASSAGE.candidates, PASSAGE.answers, PASSAGE.id)
    marks = BlankedPassage("0", ("...", "Yes.", " ", "7"), (0,), ("...",), (0,))
    assert without_marks(marks).sentences == ("...", "Yes.", "7")


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"eid": -1}, "`eid` must be a whole number"),
    ({"eid": "4"}, "`eid` must be a whole number"),
    ({"eid": True}, "`eid` must be a whole number"),
    ({"passage": "It rained. <1>"}, "`passage` must be a list of sentences"),
    ({"passage": ["<1>", None, "<2>"]}, "`passage` must be a list of sentences"),
    ({"passage": ["It rained."]}, "`passage` has no blank"),
    ({"passage": ["<1>", "<1>"]}, "the blank <1> is there twice"),
    ({"passage": ["<1>", "<3>"]}, "<2> is missing"),
    ({"passage": ["<1>", "<02>"]}, "<2> is missing"),
    ({"passage": ["<0>", "<1>"]}, "<2> is missing"),
    ({"candidates": {"A": "x"}}, "`candidates` must be a list of texts"),
    ({"candidates": ["a", None, "c"]}, "`candidates` must be a list of texts"),
    ({"candidates": ["a", " ", "c"]}, "`candidates` holds an empty text, at 1"),
    ({"number_of_blanks": 3}, "`number_of_blanks` is 3, but the passage has 2 blanks"),
    ({"number_of_blanks": 2.0}, "`number_of_blanks` is 2.0"),
    ({"candidate_length": 7}, "`candidate_length` is 7, but the passage has 3 candidates"),
    ({"candidates": ["a"], "candidate_length": 1}, "2 blanks, but only 1 candidates"),
    ({"answer_sequence": None}, "`answer_sequence` must be a list of pairs"),
    ({"answer_sequence": [1, 0]}, "`answer_sequence` must be a list of pairs"),
    ({"answer_sequence": [[1, "A"], [2, "B"]]}, "`answer_sequence` must be a list of pairs"),
    ({"answer_sequence": [[1, 0]]}, "no answer for blank 2"),
    ({"answer_sequence": [[1, 0], [1, 2]]}, "answers blank 1 twice"),
    ({"answer_sequence": [[1, 0], [2, 1], [3, 2]]}, "answers blank 3, but the passage has 1 to 2"),
    ({"answer_sequence": [[0, 0], [1, 1]]}, "answers blank 0"),
    ({"answer_sequence": [[1, 0], [2, 3]]}, "blank 2 is answered by candidate 3, but there are 0 to 2"),
    ({"answer_sequence": [[1, 0], [2, -1]]}, "blank 2 is answered by candidate -1"),
]


@pytest.mark.parametrize(("change", "said"), FAULTS)
def test_a_fault_is_one_message(change: dict[str, Any], said: str) -> None:
    """It names the file and the item, counted from 1, and what is wrong there."""
    right = json.loads(EXAMPLE)[0]
    with pytest.raises(FormatError) as raised:
        parse_published(json.dumps([right | {"eid": 0}, right | change]), name="dev.json")
    assert str(raised.value).startswith("dev.json, item 2")
    assert said in str(raised.value)


@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_field_is_named(field: str) -> None:
    """Every field is asked for by name."""
    item = json.loads(EXAMPLE)[0]
    del item[field]
    with pytest.raises(FormatError, match=f"dev.json, item 1: lacks {field};"):
        parse_published(json.dumps([item]), name="dev.json")


@pytest.mark.parametrize("text", ["", "{", '{"eid": 0}', "3", "[3]", "[" * 5000, '["\\ud800"]', "[1" + "0" * 5000 + "]"])
def test_other_json_is_refused(text: str) -> None:
    """No JSON, no list of objects, or what Python's reader chokes on: one message with the file's name."""
    with pytest.raises(FormatError, match=r"^dev\.json"):
        parse_published(text, name="dev.json")


def test_an_eid_twice_is_refused() -> None:
    """Within one split it names one passage; both items are told."""
    item = json.loads(EXAMPLE)[0]
    with pytest.raises(FormatError, match=r"dev\.json, item 3: the eid 4 was there before, in item 1"):
        parse_published(json.dumps([item, item | {"eid": 5}, item]), name="dev.json")


@pytest.mark.realdata
def test_the_published_example_comes_back(data_dir: Path) -> None:
    """Table 1's passage, parsed and printed, is the same bytes: five blanks, seven candidates, a stray full stop behind the fourth."""
    path = data_dir / "published" / "scde" / "table1_example.json"
    if not path.is_file():
        pytest.skip("the published SCDE example is not unpacked (make data SHARED=DIR)")
    text = path.read_bytes().decode("utf-8")
    (passage,) = parse_published(text)
    assert format_published([passage]) == text
    assert (passage.answers, passage.distractors) == ((5, 4, 0, 3, 1), (2, 6))
    assert len(without_marks(passage).sentences) == len(passage.sentences) - 1

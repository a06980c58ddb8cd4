"""SCDE passages: published files, JSON lines, collected passages, requests, pairs for training."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.scde import (
    format_published,
    format_requests,
    parse_collected,
    parse_passages,
    parse_published,
    passage_record,
    split_record,
    without_marks,
)
from cloze_gen.records.blanked_passage import (
    BlankedPassage,
    SentenceSource,
    SetBlankedPassage,
)
from cloze_gen.records.passage import Part
from tests.support.errors import refused

# The published layout


# Own words in the layout, with all that it allows: answers out of order, blanks numbered out of
# order, a stray full stop.
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
def blanked(draw, passage_id):
    candidates = draw(st.lists(TEXT.filter(str.strip), min_size=1, max_size=5))
    answers = draw(
        st.lists(st.sampled_from(range(len(candidates))), min_size=1, max_size=len(candidates))
    )
    sentences = draw(st.lists(TEXT, min_size=len(answers), max_size=len(answers) + 4))
    blanks = draw(st.permutations(range(len(sentences))))[: len(answers)]
    for place, answer in zip(blanks, answers, strict=True):
        sentences[place] = candidates[answer]
    return BlankedPassage(
        passage_id, tuple(sentences), tuple(blanks), tuple(candidates), tuple(answers)
    )


@st.composite
def files(draw):
    ids = draw(st.lists(st.integers(0, 10**18 - 1), max_size=3, unique=True))
    return [draw(blanked(str(eid))) for eid in ids]


@given(files())
def test_what_is_written_is_read(passages):
    """`parse(format(p)) == p`, whatever the sentences are and however the blanks are numbered."""
    assert parse_published(format_published(passages)) == passages


def test_the_bytes_are_kept():
    """Numbers of blanks, the `eid`, the stray full stop, escaped letters."""
    assert parse_published(EXAMPLE) == [PASSAGE]
    assert format_published([PASSAGE]) == EXAMPLE


def test_answers_come_in_any_order():
    """They are read by their blanks' numbers, and printed in the order of the blanks."""
    items = json.loads(EXAMPLE)
    items[0]["answer_sequence"].reverse()
    assert parse_published(json.dumps(items)) == [PASSAGE]
    assert json.loads(format_published([PASSAGE]))[0]["answer_sequence"] == [[1, 0], [2, 2]]


@pytest.mark.parametrize(
    ("ids", "eids"),
    [(("7", "3"), [7, 3]), (("emma:7", "3"), [0, 1]), (("3", "3"), [0, 1]), (("07", "1"), [0, 1])],
)
def test_passages_are_numbered(ids, eids):
    """Read passages keep their `eid`; those of books are numbered from 0."""
    passages = [
        BlankedPassage(name, PASSAGE.sentences, PASSAGE.blanks, PASSAGE.candidates, PASSAGE.answers)
        for name in ids
    ]
    assert [item["eid"] for item in json.loads(format_published(passages))] == eids


def test_a_sentence_that_reads_as_a_blank_is_refused():
    """The layout cannot carry it: whoever read the file would count a blank more."""
    passage = BlankedPassage("b:1", ("<3>", "It rained."), (1,), ("It rained.",), (0,))
    with pytest.raises(FormatError, match=r"passage b:1: sentence 1 is '<3>'"):
        format_published([passage])


def test_marks_alone_are_no_sentences():
    found = without_marks(PASSAGE)
    assert (found.sentences, found.blanks) == (
        ("It was a Monday.", "The ferry left at noon.", "Nobody waved."),
        (2, 0),
    )
    assert (found.candidates, found.answers, found.id) == (
        PASSAGE.candidates,
        PASSAGE.answers,
        PASSAGE.id,
    )
    marks = BlankedPassage("0", ("...", "Yes.", " ", "7"), (0,), ("...",), (0,))
    assert without_marks(marks).sentences == ("...", "Yes.", "7")


FAULTS = [
    ({"eid": -1}, "`eid`"),
    ({"passage": ["<1>", None, "<2>"]}, "`passage`"),
    ({"passage": ["It rained."]}, "`passage` has no blank"),
    ({"passage": ["<1>", "<1>"]}, "numbered <1> to <2>, each once, but `passage` has <1>, <1>"),
    ({"passage": ["<1>", "<02>"]}, "`passage` has <1>, <02>"),
    ({"candidates": ["a", " ", "c"]}, "a candidate is null or empty"),
    ({"candidates": None}, "the list is missing"),
    ({"number_of_blanks": 3}, "`number_of_blanks` must be 2, found 3"),
    ({"candidate_length": 7}, "`candidate_length` must be 3, found 7"),
    ({"candidate_length": None}, "`candidate_length` must be 3"),
    ({"candidates": ["a"], "answer_sequence": [[1, 0], [2, 0]]}, "more blanks than candidates"),
    ({"answer_sequence": [1, 0]}, "`answer_sequence`"),
    ({"answer_sequence": [[1, 0]]}, "a blank has no answer"),
    (
        {"answer_sequence": [[1, 0], [1, 2]]},
        "answer the blanks 1 to 2, each once, but answers 1, 1",
    ),
    ({"answer_sequence": [[0, 0], [1, 1]]}, "but answers 0, 1"),
    ({"answer_sequence": [[1, 0], [2, 3]]}, "an answer names a candidate that is missing"),
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)  # fmt: skip


@pytest.mark.parametrize(("change", "names"), FAULTS)
def test_a_fault_is_one_message(change, names):
    """It names the file and the item, counted from 1, and what is wrong there."""
    right = json.loads(EXAMPLE)[0]
    text = json.dumps([right | {"eid": 0}, right | change])
    message = refused(lambda: parse_published(text, name="dev.json"), FormatError, names=names)
    assert message.startswith("dev.json, item 2")


@given(field=st.sampled_from(sorted(json.loads(EXAMPLE)[0])), value=VALUES)
def test_any_other_value_is_read_or_refused(field, value):
    text, message = json.dumps([json.loads(EXAMPLE)[0] | {field: value}]), ""
    try:
        parse_published(text, name="dev.json")
    except FormatError as error:
        message = str(error)
    assert not message or message.startswith("dev.json, item 1")


@pytest.mark.parametrize("text", ["", "{", '{"eid": 0}', "[3]", '[{"eid": 0}]'])
def test_other_json_is_refused(text):
    refused(lambda: parse_published(text, name="dev.json"), FormatError, names="dev.json")


def test_an_eid_twice_is_refused():
    """Within one split it names one passage; both items are told."""
    item = json.loads(EXAMPLE)[0]
    with pytest.raises(
        FormatError, match=r"dev\.json, item 3 \(eid 4\): the same eid as in item 1"
    ):
        parse_published(json.dumps([item, item | {"eid": 5}, item]), name="dev.json")


@pytest.mark.realdata
def test_the_published_example_comes_back(data_dir):
    """Table 1: five blanks, seven candidates, a stray full stop behind the fourth."""
    path = data_dir / "published" / "scde" / "table1_example.json"
    if not path.is_file():
        pytest.skip("the published SCDE example is not unpacked (make data SHARED=DIR)")
    text = path.read_bytes().decode("utf-8")
    (passage,) = parse_published(text)
    assert format_published([passage]) == text
    assert (passage.answers, passage.distractors) == ((5, 4, 0, 3, 1), (2, 6))
    assert len(without_marks(passage).sentences) == len(passage.sentences) - 1


# Blanked passages as JSON lines


JSONL_TEXT = st.text(min_size=1, max_size=8).filter(str.strip)
NUMBER = st.integers(0, 2**31)


@st.composite
def set_passages(draw):
    """Any passage of a set, also with a sentence that reads as a blank."""
    sentences = draw(st.lists(JSONL_TEXT, min_size=1, max_size=6))
    book = draw(JSONL_TEXT)
    sources = [SentenceSource(book, *draw(st.tuples(NUMBER, NUMBER, NUMBER))) for _ in sentences]
    blanks = draw(st.permutations(range(len(sentences))))[: draw(st.integers(1, len(sentences)))]
    own = [(sentences[blank], sources[blank]) for blank in blanks]
    others = draw(
        st.lists(
            st.tuples(JSONL_TEXT, st.builds(SentenceSource, JSONL_TEXT, NUMBER, NUMBER, NUMBER)),
            max_size=3,
        )
    )
    order = draw(st.permutations(range(len(own) + len(others))))
    candidates, candidate_sources = zip(*([*own, *others][i] for i in order), strict=True)
    answers = tuple(order.index(i) for i in range(len(own)))
    passage = BlankedPassage(draw(JSONL_TEXT), tuple(sentences), tuple(blanks), candidates, answers)
    paragraphs = tuple(draw(NUMBER) for _ in sentences)
    domain = draw(st.text(max_size=5))
    return SetBlankedPassage(
        passage, draw(st.sampled_from(Part)), domain, paragraphs, tuple(sources), candidate_sources
    )


@given(st.lists(set_passages(), max_size=3, unique_by=lambda one: one.id))
def test_a_passage_comes_back(passages):
    lines = [json.dumps(passage_record(one) | {"canary": "x"}) for one in passages]
    assert list(parse_passages([*lines, "\n"])) == passages


LEFT, RAINED, SANG = (SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5, 9))
ITEM = SetBlankedPassage(
    BlankedPassage("b:4", ("We left.", "It rained."), (1,), ("Jane sang.", "It rained."), (1,)),
    Part.DEVELOPMENT, "war", (2, 3), (LEFT, RAINED), (SANG, RAINED),
)  # fmt: skip


def test_a_person_can_read_it():
    """A blank is null; answers and distractors are places in the candidates."""
    record = passage_record(ITEM)
    assert record["passage"] == ["We left.", None]
    assert (record["blanks"], record["answers"], record["distractors"]) == ([1], [1], [0])
    assert record["sources"][1] == {
        "book_id": "b",
        "index": 5,
        "start": 50,
        "end": 59,
        "paragraph": 3,
    }
    assert (record["part"], record["domain"], record["book_id"]) == ("development", "war", "b")


def test_a_table_of_a_split_is_flat():
    """Each list holds one type and no null; a blank is numbered as in the published layout."""
    row = split_record(ITEM)
    assert row["passage"] == ["We left.", "<1>"]
    assert all(isinstance(value, (str, list)) for value in row.values())
    assert all(
        type(one) is type(value[0])
        for value in row.values()
        if isinstance(value, list)
        for one in value
    )


def test_no_candidate_answers_two_blanks():
    """A set of ours has an answer of its own for each blank."""
    record = passage_record(ITEM)
    source = record["candidate_sources"][1]
    two = {
        "passage": [None, None],
        "blanks": [0, 1],
        "answers": [1, 1],
        "sources": [source | {"paragraph": 1}] * 2,
    }
    with pytest.raises(FormatError, match="`answers` must be 2 different places in `candidates`"):
        list(parse_passages([json.dumps(record | two)]))


# Collected passages


COLLECTED = {
    "eid": 4,
    "passage": ["<2>", "We left.", "<1>"],
    "candidates": ["It rained.", "Jane sang.", "Nobody came."],
    "answer_sequence": [[2, 1], [1, 0]],
    "number_of_blanks": 2,
    "candidate_length": 3,
}


def test_collected_blanks_and_answers_are_in_the_order_of_their_numbers():
    (collected,) = parse_collected(json.dumps([COLLECTED]), name="raw.json")
    (published,) = parse_published(json.dumps([COLLECTED]))
    assert (collected.blanks, collected.answers) == (published.blanks, published.answers)
    assert (collected.blanks, collected.answers) == ((2, 0), (0, 1))


@pytest.mark.parametrize(
    ("change", "answers"),
    [
        ({"answer_sequence": [[2, 9]]}, (None, 9)),
        ({"answer_sequence": [[2, None], [1, -1]]}, (-1, None)),
        ({"answer_sequence": None}, (None, None)),
        ({"candidates": ["It rained.", None, ""]}, (0, 1)),
        ({"candidates": None, "number_of_blanks": 9}, (0, 1)),
    ],
)
def test_gaps_of_collected_passages_are_left_to_the_cleaning(change, answers):
    (collected,) = parse_collected(json.dumps([COLLECTED | change]), name="raw.json")
    assert collected.answers == answers


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"eid": "4"}, "`eid`"),
        ({"passage": ["<1>", None]}, "`passage`"),
        ({"passage": ["<1>", "<3>"]}, "numbered <1> to <2>"),
        ({"candidates": [1, 2]}, "`candidates`"),
        ({"answer_sequence": [[1, "A"]]}, "`answer_sequence`"),
    ],
)
def test_malformed_collected_passages_are_refused(change, names):
    text = json.dumps([COLLECTED, COLLECTED | change])
    message = refused(partial(parse_collected, text, name="raw.json"), FormatError, names=names)
    assert message.startswith("raw.json, item 2")


# What a model of somebody else's is asked about blanked passages


def test_the_key_is_not_told():
    passage = BlankedPassage(
        "b:4", ("Café.", "It rained.", "So?"), (2, 0), ("So?", "Jane sang.", "Café."), (0, 2)
    )
    (line,) = format_requests([passage])
    assert json.loads(line) == {
        "id": "b:4",
        "passage": [None, "It rained.", None],
        "blanks": [2, 0],
        "candidates": ["So?", "Jane sang.", "Café."],
    }
    assert "é" in line

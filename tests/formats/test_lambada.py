"""LAMBADA passages: renderings, published files, JSON lines, and another model's answers."""

import json
from collections import Counter
from itertools import pairwise
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.lambada import (
    cased_text,
    format_plain_text,
    format_requests,
    format_vocabulary,
    parse_answers,
    parse_passages,
    parse_plain_text,
    passage_record,
    published_counts,
    published_sentence,
    published_tokens,
    sentence_ends,
    split_record,
    whole_words,
)
from cloze_gen.records.passage import Part, Passage, SetPassage, Split
from cloze_gen.word_tokens import is_word
from tests.support.errors import refused

# How a passage is printed


WORDS = st.sampled_from(
    ["Ann", "lamp", "don't", "girl's", "Mr.", "cannot", "to-morrow", "60,000", "é", "I'd"]
)
MARKS = st.sampled_from([".", "?", '"', "'", ",", "(", ")", "--", "..."])


@st.composite
def passages(draw):
    """Any tokens with any spacing; behind the target stand marks alone."""
    listed = draw(st.lists(st.lists(WORDS | MARKS, min_size=1, max_size=6), max_size=3))
    last, ending = draw(st.lists(WORDS | MARKS, max_size=5)), draw(st.lists(MARKS, max_size=3))
    sentences = [*listed, [*last, "lamp", *ending]]
    texts = [
        "".join(token + draw(st.sampled_from(["", " "])) for token in tokens[:-1]) + tokens[-1]
        for tokens in sentences
    ]
    return Passage(
        "b:7", "b", Part.TEST, tuple(map(tuple, sentences)), tuple(texts), len(last), 0, 9
    )


@given(passages())
def test_both_renderings_hold_the_same_letters(passage):
    """Up to case, blanks, quotation marks and brackets."""
    published = published_tokens(passage)
    plain = "".join(whole_words(published))
    for mark in "\"'":
        plain = plain.replace(mark, "")
    assert plain == cased_text(passage).lower().replace(" ", "").replace('"', "").replace("'", "")
    assert published[-1] == "lamp"
    assert cased_text(passage).endswith("lamp")
    assert passage.opening + passage.target + passage.closing == passage.texts[-1]


@pytest.mark.parametrize(
    ("text", "tokens", "printed"),
    [
        ('"Who?" I said.', '" Who ? " I said .', "`` who ? '' i said"),
        (
            'He said, "\'Tis I," and fled.',
            'He said , " \'Tis I , " and fled .',
            "he said , `` 't is i , '' and fled",
        ),
        ("'Who?' I said.", "' Who ? ' I said .", "` who ? ' i said"),
        (
            "\"I said 'No.'\" He fled.",
            "\" I said ' No . ' \" He fled .",
            "`` i said ` no . ' '' he fled",
        ),
        (
            '(He "fled" (so) home.)',
            '( He " fled " ( so ) home . )',
            "-lrb- he `` fled '' -lrb- so -rrb- home",
        ),
        ('He -- "wait" -- fled.', 'He -- " wait " -- fled .', "he -- `` wait '' -- fled"),
        ('So " he said " fled.', 'So " he said " fled .', "so `` he said '' fled"),
        ("I can't, I'm Ann's.", "I can't , I'm Ann's .", "i ca n't , i 'm ann 's"),
    ],
)
def test_marks_have_their_direction(text, tokens, printed):
    """From the blanks around a mark, else from whether one is open."""
    own = tuple(tokens.split())
    at = max(i for i, token in enumerate(own) if token[0].isalpha())
    assert (
        " ".join(published_tokens(Passage("b:7", "b", Part.TEST, (own,), (text,), at, 0, 9)))
        == printed
    )


# Passages as JSON lines


ITEM = Passage(
    "b:7",
    "b",
    Part.TEST,
    (("Who", "hid", "?"), ('"', "Not", "Ann", ".", '"')),
    ("Who hid?", '"Not Ann."'),
    2,
    5,
    23,
)


def test_a_passage_comes_back():
    """With its split and genre; further fields are written and ignored on reading."""
    line = json.dumps(passage_record(ITEM, split="test", domain="crime", verdict="kept"))
    assert list(parse_passages([line, "\n"])) == [SetPassage(ITEM, Split.TEST, "crime")]
    assert json.loads(line)["text"] == "who hid ? `` not ann"
    assert (
        json.loads(line)["cased"]
        == json.loads(line)["context"] + json.loads(line)["target"]
        == 'Who hid? "Not Ann'
    )


def test_the_control_set_may_hold_what_another_split_does():
    """Ids are unique in a split only."""
    lines = [json.dumps(passage_record(ITEM, split=split)) for split in ("test", "control")]
    assert [one.split for one in parse_passages(lines)] == [Split.TEST, Split.CONTROL]
    with pytest.raises(FormatError, match=r"line 1: `split`"):
        list(parse_passages([json.dumps(passage_record(ITEM))]))


def test_a_table_of_a_split_holds_text_alone():
    row = split_record(SetPassage(ITEM, Split.CONTROL, ""))
    assert list(row) == ["text", "domain", "id", "book_id", "context", "target", "cased"]
    assert all(isinstance(value, str) for value in row.values())
    assert row["context"] + row["target"] == row["cased"]


def test_added_fields_are_not_the_passages_own():
    """A field cannot be given twice."""
    with pytest.raises(FormatError, match="context"):
        passage_record(ITEM, context="")


# The published plain text


TOKENS = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=6)
PASSAGES = st.lists(
    st.tuples(st.lists(TOKENS, min_size=1, max_size=5), st.sampled_from(["ann", "é"])).map(
        lambda p: (*p[0], p[1])
    )
)


@given(PASSAGES)
def test_what_is_written_is_read(passages):
    """`parse(format(p)) == p`, with and without what Windows does to line ends."""
    text = format_plain_text(passages)
    assert parse_plain_text(text) == passages
    assert parse_plain_text(text.replace("\n", "\r\n")) == passages


@pytest.mark.parametrize(
    "text", ["he  saw ann\n", "he saw ann \n", "ann\n", "he saw ann .\n", "he\tsaw ann\n"]
)
def test_other_lines_are_refused(text):
    with pytest.raises(FormatError, match=r"dev\.txt, line 2"):
        parse_plain_text(f"he saw ann\n{text}", name="dev.txt")


@pytest.mark.parametrize(
    "tokens", [("he", "saw", "the old"), ("he", ""), ("he", "saw", "."), ("ann",)]
)
def test_what_a_line_cannot_carry_is_refused(tokens):
    """A passage that would not come back as it was is an error that names it."""
    with pytest.raises(FormatError, match="passage 2"):
        format_plain_text([("he", "saw", "ann"), tokens])


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("he saw ann", 0),
        ("he came . he saw ann", 1),
        ("`` who ? '' he saw ann", 1),
        ("`` who ? '' asked ann", 0),
        ("he met mrs. pin . he saw ann", 1),
        ("he met mr . pin ... he saw ann", 1),
        ("( -lrb- yes ! -rrb- ann", 1),
    ],
)
def test_sentences_are_found_again(line, count):
    """A sentence ends at its mark, not at a title and not before its attribution."""
    assert len(sentence_ends(line.split())) == count


@pytest.fixture
def published(data_dir):
    path = data_dir / "published" / "lambada-dev" / "lambada_development_plain_text.txt"
    if not path.is_file():
        pytest.skip("the published LAMBADA development set is not unpacked (make data SHARED=DIR)")
    return path.read_bytes().decode("utf-8")


@pytest.mark.realdata
def test_the_published_file_comes_back(published):
    """Parsed and printed, the development file is the same bytes."""
    assert format_plain_text(parse_plain_text(published)) == published


@pytest.mark.realdata
def test_the_published_file_counts_as_known(published):
    """4,869 passages of 74.13 tokens and 4.6 context sentences; 83.0 % with target in context."""
    passages = parse_plain_text(published)
    assert (len(passages), len(set(passages))) == (4869, 4867)
    assert mean(map(len, passages)) == pytest.approx(74.13, abs=0.005)
    assert mean(tokens[-1] in tokens[:-1] for tokens in passages) == pytest.approx(
        0.830, abs=0.0005
    )
    assert round(mean(len(sentence_ends(tokens)) for tokens in passages), 1) == 4.6
    assert sum(not " ".join(tokens).isascii() for tokens in passages) == 49
    assert all(token == token.lower() for tokens in passages for token in tokens)
    assert mean("``" in tokens or "''" in tokens for tokens in passages) == pytest.approx(
        0.755, abs=0.0005
    )


@pytest.mark.realdata
def test_published_tokens_become_whole_words(published):
    for tokens in parse_plain_text(published):
        whole = whole_words(tokens)
        assert whole[-1] == tokens[-1]
        assert not {"``", "''", "`"} & set(whole)
        assert not any(
            token in {"n't", "'ll", "'re", "'ve"} and before.isalpha()
            for before, token in pairwise(whole)
        )


# The vocabulary file


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1), st.integers(0, 10**9)
    )
)
def test_a_vocabulary_comes_back_in_order(counts):
    """A word, a tab and its count a line, sorted by code point; nothing is lost."""
    lines = [
        line.split("\t")
        for line in format_vocabulary(counts).removesuffix("\n").split("\n")
        if line
    ]
    assert [(word, int(count)) for word, count in lines] == sorted(counts.items())


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Don't", "don't", "Ann", "girls'", ",", "--", "cannot", "to-day"]),
            st.integers(1, 9),
        )
    )
)
def test_published_words_are_counted(counts):
    tokens = [token for word, count in counts for token in [word] * count]
    printed, _ = published_sentence(tokens, " ".join(tokens))
    assert published_counts(counts) == Counter(word for word in printed if is_word(word))


def test_a_vocabulary_word_is_one_word():
    """What would not come back is refused."""
    with pytest.raises(FormatError, match="the old"):
        format_vocabulary({"the old": 1})


# Requests out and answers in


@given(st.dictionaries(st.text(min_size=1), st.floats(-50, 0), min_size=1))
def test_answers_come_back_in_the_order_asked(scores):
    """Whatever the order of the lines, with empty ones and with passages that nobody asked about."""
    requests = [
        json.loads(line)
        for line in format_requests((one, f"before {one}", "word") for one in scores)
    ]
    assert [request["context"] for request in requests] == [f"before {one}" for one in scores]
    lines = [
        json.dumps({"id": request["id"], "log10_prob": scores[request["id"]], "by": "x"})
        for request in reversed(requests)
    ]
    assert parse_answers(
        [*lines, "", '{"id": "\\u0000other", "log10_prob": -1}'], list(scores)
    ).log10_prob.tolist() == list(scores.values())


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('{"id": "b:1"}', "lacks log10_prob"),
        ('{"id": 1.5, "log10_prob": -1}', 'expected {"id"'),
        ('{"id": "b:1", "log10_prob": -1, "rank": 0}', "`rank` must be"),
        ('{"id": "b:1", "log10_prob": -1, "is_greedy": "yes"}', "is_greedy"),
        ('{"id": "b:1", "log10_prob": 0.3}', "at most 0"),
        ('{"id": "b:1", "log10_prob": "-1"}', "a finite number"),
        (f'{{"id": "b:1", "log10_prob": -1{"0" * 400}}}', "a finite number"),
        ('{"id": "b:2", "log10_prob": -1}', "already in mine.jsonl, line 1; keep one"),
    ],
)
def test_a_line_that_is_no_answer_is_refused(line, names):
    """With file and number of the line."""
    lines = ['{"id": "b:2", "log10_prob": -1}', line]
    message = refused(
        lambda: parse_answers(lines, ["b:1", "b:2"], name="mine.jsonl"), FormatError, names=names
    )
    assert message.startswith("mine.jsonl, line 2: ")


def test_ranks_and_first_choices_are_taken_where_they_are_told():
    """`correct` before `is_greedy`, before a rank of 1; a number may be an id."""
    lines = ['{"id": 1, "log10_prob": -1, "rank": 1, "correct": false}', '{"id": "2", "log10_prob": -2, "is_greedy": true}',
             '{"id": 3, "log10_prob": -3, "rank": 1}']  # fmt: skip
    found = parse_answers(lines, ["3", "2", "1"])
    assert found.log10_prob.tolist() == [-3, -2, -1]
    assert np.array_equal(found.rank, [1, np.nan, 1], equal_nan=True)
    assert found.right is not None
    assert found.right.tolist() == [True, True, False]


def test_first_choices_that_not_all_answers_tell_are_none():
    """An accuracy over some of the passages would be one of other passages."""
    lines = ['{"id": 1, "log10_prob": -1, "correct": true}', '{"id": 2, "log10_prob": -2}']
    assert parse_answers(lines, ["1", "2"]).right is None
    assert parse_answers(lines[:1], ["1"]).right is not None


def test_a_passage_without_answer_is_told():
    """How many there are, and the first."""
    with pytest.raises(FormatError, match=r"2 of 3 passages have no answer \(first: b:1\)"):
        parse_answers(['{"id": "b:2", "log10_prob": -1}'], ["b:1", "b:2", "b:3"])

"""The other files of a LAMBADA set: vocabulary, harness tasks, JSON lines."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.errors import FormatError
from cloze_gen.formats.lambada.harness import RENDERINGS, harness_files, harness_record
from cloze_gen.formats.lambada.jsonl import REQUIRED_FIELDS, parse_passages, passage_from_record, passage_record, split_record
from cloze_gen.formats.lambada.rendering import published_sentence
from cloze_gen.formats.lambada.vocabulary import format_vocabulary, parse_vocabulary, published_counts
from cloze_gen.records.passage import Part, Passage, SetPassage, Split
from cloze_gen.words import is_word

ITEM = Passage("b:7", "b", Part.TEST, (("Who", "hid", "?"), ('"', "Not", "Ann", ".", '"')), ("Who hid?", '"Not Ann."'), 2, 5, 23)
LINE = json.dumps(passage_record(ITEM, split="test"))


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1), st.integers(0, 10**9)))
def test_a_vocabulary_comes_back_in_order(counts: dict[str, int]) -> None:
    """Words and counts are what they were, sorted by code point."""
    found = parse_vocabulary(format_vocabulary(counts))
    assert found == counts
    assert list(found) == sorted(counts)


@pytest.mark.parametrize("line", ["two words", "", "ann\tmany", "ann\t-1", "ann\t", "lamp"])
def test_other_vocabulary_lines_are_refused(line: str) -> None:
    """A blank inside, an empty line, a count that is none, a word twice: the line is named."""
    with pytest.raises(FormatError, match="line 2"):
        parse_vocabulary(f"lamp\t3\n{line}\nzeal\t1\n")


def test_a_vocabulary_word_is_one_word() -> None:
    """What would not come back is refused."""
    with pytest.raises(FormatError, match="the old"):
        format_vocabulary({"the old": 1})


def test_a_passage_comes_back() -> None:
    """Further fields are written and ignored on reading."""
    line = json.dumps(passage_record(ITEM, split="test", domain="crime", verdict="kept"))
    assert list(parse_passages([line, "\n"])) == [SetPassage(ITEM, Split.TEST, "crime")]
    assert json.loads(line)["text"] == "who hid ? `` not ann"
    assert json.loads(line)["cased"] == json.loads(line)["context"] + json.loads(line)["target"] == 'Who hid? "Not Ann'


@pytest.mark.parametrize("field", REQUIRED_FIELDS)
def test_a_missing_field_is_named(field: str) -> None:
    """Every required field is asked for by name, with the line."""
    record = passage_record(ITEM)
    del record[field]
    with pytest.raises(FormatError, match=f"p.jsonl, line 1: lacks {field}"):
        list(parse_passages([json.dumps(record)], name="p.jsonl"))


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""}, {"part": "dev"}, {"part": []}, {"sentences": []}, {"sentences": [["Who"], []]}, {"sentences": "Who"},
        {"texts": ["Who hid?"]}, {"texts": ["Who hid?", '"Not Bob."']}, {"target_at": 5}, {"target_at": True}, {"start": -1}, {"end": "9"},
        {"target": "Bob"},
    ],
)  # fmt: skip
def test_contradictions_are_refused(change: dict[str, object]) -> None:
    """A record that does not hold together is no passage."""
    with pytest.raises(FormatError):
        passage_from_record(passage_record(ITEM) | change)


def test_an_id_twice_is_refused() -> None:
    """Ids are unique in a split, and both lines are named; the control set may hold what another split holds."""
    assert len(list(parse_passages([LINE, LINE.replace('"split": "test"', '"split": "control"')]))) == 2
    with pytest.raises(FormatError, match=r"line 2: the id b:7 was there before in this split, on line 1"):
        list(parse_passages([LINE, LINE]))


@pytest.mark.parametrize("change", [{"split": "train"}, {"split": None}, {"domain": 7}])
def test_a_split_is_one_of_three(change: dict[str, object]) -> None:
    """A line of another split, or whose domain is no text, is named."""
    with pytest.raises(FormatError, match="line 1"):
        list(parse_passages([json.dumps(json.loads(LINE) | change)]))


def test_a_table_of_a_split_holds_text_alone() -> None:
    """Every row has the same columns, as `datasets` wants them; what stands before the target and the target are `cased`."""
    row = split_record(SetPassage(ITEM, Split.CONTROL, ""))
    assert list(row) == ["text", "domain", "id", "context", "target", "cased"]
    assert all(isinstance(value, str) for value in row.values())
    assert row["context"] + row["target"] == row["cased"]


@given(st.lists(st.tuples(st.sampled_from(["Don't", "don't", "Ann", "girls'", ",", "--", "cannot", "to-day"]), st.integers(1, 9))))
def test_published_words_are_counted(counts: list[tuple[str, int]]) -> None:
    """As often as the published tokens of the same text hold them; letter case does not count, and marks are no words."""
    tokens = [token for word, count in counts for token in [word] * count]
    printed, _ = published_sentence(tokens, " ".join(tokens))
    assert published_counts(counts) == Counter(word for word in printed if is_word(word))


def test_added_fields_are_not_the_passages_own() -> None:
    """A field cannot be given twice."""
    with pytest.raises(FormatError, match="context"):
        passage_record(ITEM, context="")


@pytest.mark.parametrize("rendering", RENDERINGS)
def test_the_harness_scores_the_target_alone(rendering: str) -> None:
    """Context and continuation joined are the text; the context ends in no blank; nothing follows the target."""
    record = harness_record(ITEM, rendering)  # type: ignore[arg-type]
    assert record["context"] + record["continuation"] == record["text"]
    assert record["context"] == record["context"].rstrip()
    assert record["text"].endswith(record["target"])
    assert record["continuation"].strip() == record["target"]


def test_the_tasks_say_their_rendering() -> None:
    """Two tasks, a file a split each, and no task has the set's bare name."""
    files = harness_files("novels", {"validation": [], "test": [ITEM]}, version="1")
    assert sorted(files) == [
        "novels_cased.test.jsonl", "novels_cased.validation.jsonl", "novels_cased.yaml",
        "novels_published.test.jsonl", "novels_published.validation.jsonl", "novels_published.yaml",
    ]  # fmt: skip
    assert 'task: "novels_cased"' in files["novels_cased.yaml"]
    assert 'test: "novels_cased.test.jsonl"' in files["novels_cased.yaml"]
    assert 'doc_to_text: "{{context}}"' in files["novels_cased.yaml"]
    assert json.loads(files["novels_published.test.jsonl"])["text"] == "who hid ? `` not ann"

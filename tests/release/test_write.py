"""`release.json`, the order of the items, tables, and publication."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest

from cloze_gen.config import parse_settings
from cloze_gen.errors import FormatError
from cloze_gen.formats.questions import question_record
from cloze_gen.pipelines.styles import find_style
from cloze_gen.records.question import Question
from cloze_gen.records.rejection import FunnelStep
from cloze_gen.records.release_facts import RELEASE_FORMAT
from cloze_gen.release.card import CardTable
from cloze_gen.release.facts import ReleaseRecord, read_record, record_text
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.settings import public_overrides, shuffled_places
from cloze_gen.release.style import PublishedSet
from cloze_gen.release.write import SplitTable, data_files, split_tables
from cloze_gen.store.tables import write_parquet
from tests.cases.releases import FACTS, hostile_facts
from tests.support.errors import refused

# `release.json` there and back


@pytest.mark.parametrize("hostile", [False, True])
def test_a_record_comes_back(hostile, tmp_path):
    """Facts as its own keys, then the other values, for any manifest."""
    facts = (
        replace(hostile_facts('a "b": c\n---\u2028\x00{{'), name="mine", books=FACTS.books)
        if hostile
        else FACTS
    )
    facts = replace(facts, settings={"release": {}}, text="full")
    steps = (FunnelStep("focus", "words", 3, 2, {"short": 1}, {"x": 0.5}),)
    record = ReleaseRecord(
        facts=facts,
        steps=steps,
        tables=(CardTable("T", "t", ("a", "b"), (("c", "1"),)),),
        taken=("v.txt",),
        full={"a": "0"},
    )
    (tmp_path / "release.json").write_text(record_text(record), encoding="utf-8")
    assert read_record(tmp_path) == record
    assert json.loads(record_text(record))["signature"] == facts.signature


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "not a valid release.json"),
        ("[]", "not a valid release.json"),
        ("{}", "version"),
        ('{"version": 1}', "version"),
        ("{", "not a valid release.json"),
        ("\udcff", "not UTF-8"),
    ],
)
def test_damage_is_reported(text, what, tmp_path):
    """The file, and its first mistake."""
    (tmp_path / "release.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(FormatError, match=what):
        read_record(tmp_path)


def test_another_folder_is_no_release(tmp_path):
    """It lacks the file."""
    with pytest.raises(FormatError, match=r"no release\.json"):
        read_record(tmp_path)


# The order of a release


ITEMS = [
    SimpleNamespace(id=f"b:{number}", split="test" if number % 3 else "control")
    for number in range(300)
]


def test_splits_stay_together_and_hold_all():
    """In the order in which they first come, each item once."""
    places = shuffled_places(ITEMS, seed=1, split_of=lambda item: item.split)
    assert sorted(places) == list(range(300))
    assert [ITEMS[place].split for place in places] == ["control"] * 100 + ["test"] * 200


def test_an_item_less_moves_no_other():
    """Each has a place by its own id and the seed."""
    whole, less = (
        [one.id for one in (some[place] for place in shuffled_places(some, seed=7))]
        for some in (ITEMS, ITEMS[:-50])
    )
    assert [one for one in whole if one in less] == less
    assert less != [one.id for one in ITEMS[:-50]]


def test_places_have_nothing_to_do_with_where_items_stood():
    """Rank correlation with the corpus's order over 40 seeds is that of chance."""
    found = [np.corrcoef(shuffled_places(ITEMS, seed=seed), range(300))[0, 1] for seed in range(40)]
    assert abs(np.mean(found)) < 0.03
    assert 0.03 < np.std(found) < 0.09


# Records as Parquet


def test_rows_come_back_with_the_declared_types(tmp_path):
    records = [
        {
            "id": "a",
            "n": 1,
            "words": [],
            "scores": [{"p": 0.5, "w": "x"}],
            "who": None,
            "source": {"start": 3},
        },
        {
            "id": "b",
            "n": 0.5,
            "words": ["y"],
            "scores": [{"p": 1}],
            "who": None,
            "source": {"start": 4, "end": 9},
        },
    ]
    split = SplitTable("default", "test", "a.jsonl", records, QUESTION_ITEMS.schema(records))
    write_parquet(tmp_path / "a.parquet", split.table)
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.column_names == list(records[0])
    assert [str(field.type) for field in table.schema][:2] == ["string", "double"]
    assert table.to_pylist()[1] == {**records[1], "scores": [{"p": 1.0, "w": None}]}
    assert table.to_pylist()[0]["source"] == {"start": 3, "end": None}


# The user's settings in a release


@pytest.mark.parametrize(
    ("given", "published"),
    [
        ('committee.members=["ngram","hf:/models/x"]', 'committee.members=["ngram", "hf:x"]'),
        (
            "committee.members = ['scores:../a/gpt2.jsonl', 'cache']",
            'committee.members=["scores:gpt2.jsonl", "cache"]',
        ),
        ('committee.members=["ngram","cache"]', 'committee.members=["ngram","cache"]'),
        ('partition.offensive_words="/home/ann/list.txt"', "partition.offensive_words=list.txt"),
        ("partition.offensive_words=/home/ann/3", 'partition.offensive_words="3"'),
        ("lm.prune=[0, 1]", "lm.prune=[0, 1]"),
        ('release.creators=["a/b"]', 'release.creators=["a/b"]'),
        ("input.text_column=novel/text", "input.text_column=novel/text"),
    ],
)
def test_overrides_can_be_given_again(given, published):
    """Folders of the user are removed from each value; the result is a valid override."""
    assert public_overrides([given]) == [published]
    model = find_style("lambada-style").settings
    parse_settings(model, {}, where="x", overrides=[given])
    parse_settings(model, {}, where="x", overrides=[published])


def test_the_form_of_the_release_is_left_out():
    """A full release is the same whether pointers were requested or not."""
    assert public_overrides(["release.text=pointers", "release.text = pointers", "lm.order=3"]) == [
        "lm.order=3"
    ]


FILES_OF_FORMAT = {
    9: {
        "questions": {
            *("signature.txt", "questions.jsonl", "inspect_task.py"),
            *("harness/README.md", "harness/cloze_task.py"),
            *("harness/mine.yaml", "harness/mine_letters.yaml", "harness/mine_both.yaml"),
            *("harness/mine.test.jsonl", "harness/mine_letters.test.jsonl"),
        },
        "holmes-style": {
            *(
                f"mine.{label}_format.{part}.txt"
                for label in ("machine", "human", "lm")
                for part in ("questions", "answers")
            ),
        },
        "scs-style": {
            *(f"SCS_1_{name}.txt" for name in ("machine_questions", "machine_answers")),
            *(f"SCS_1_{name}.txt" for name in ("lm_questions", "randex_A", "randex_B")),
        },
    }
}


@pytest.mark.parametrize("name", ["holmes-style", "scs-style"])
def test_another_file_is_another_format(name):
    """Raise `RELEASE_FORMAT` with each file that a release gains or loses; list its files here."""
    options = ("write", "climb", "see", "be", "go")
    question = Question("b:0:1", "b", ("I", "could", "climb", "it", "."), 2, options, 1)
    source = {"book_id": "b", "start": 0, "end": 17, "text": "I could climb it."}
    style = find_style(name)
    published = PublishedSet(
        name="mine",
        items=[question],
        seed=1,
        release=style.settings().release,
        records=[question_record(question) | {"source": source}],
    )
    splits = list(split_tables(style.items, published))
    found = {file for file, _ in data_files(style, published, FACTS, splits)}
    files = FILES_OF_FORMAT[RELEASE_FORMAT]
    assert found == files["questions"] | files[name]


@pytest.mark.parametrize("written", [1, RELEASE_FORMAT + 1])
def test_a_release_of_another_format_is_refused(written, tmp_path):
    other = {"schema": "cloze-gen/release", "format_version": written, "unknown": []}
    (tmp_path / "release.json").write_text(json.dumps(other), encoding="utf-8")
    refused(lambda: read_record(tmp_path), FormatError, names=f"in format {written}")

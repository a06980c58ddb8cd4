"""`cloze-gen clean-exams`, and the options of commands that read books."""

import json

import pytest

from cloze_gen.formats.scde import parse_published


def exam(eid, **changes):
    """A passage that no rule rejects."""
    return {
        "eid": eid,
        "passage": [f"We left at {eid}.", "<1>", ".", "Nobody came", ".", "<2>"],
        "candidates": ["It rained.", "Jane sang.", "We went home."],
        "answer_sequence": [[2, 0], [1, 1]],
    } | changes


EXAMS = [  # one for each rule, in the rules' order, between two that stay
    exam(0),
    exam(1, passage=exam(0)["passage"]),
    exam(2, answer_sequence=[[1, 1], [2, 3]]),
    exam(3, candidates=["It rained.", None, "We went home."]),
    exam(4, candidates=["It rained."], answer_sequence=[[1, 0]]),
    exam(5, answer_sequence=[[1, 0]]),
    exam(6),
]
RULES = [
    "duplicate_passage",
    "answer_without_candidate",
    "missing_candidate",
    "more_blanks_than_candidates",
    "missing_answer",
]


def test_passages_are_cleaned(tmp_path, cli):
    """The accepted ones are in the new file; the others are listed with their rule."""
    exams, cleaned = tmp_path / "raw.json", tmp_path / "cleaned.json"
    exams.write_text(json.dumps(EXAMS), encoding="utf-8")
    outcome = cli("clean-exams", exams, "--to", cleaned)
    assert outcome.status == 0, outcome.err
    assert outcome.out.splitlines() == [f"eid {eid}: {rule}" for eid, rule in enumerate(RULES, 1)]
    assert "2 of 7 passages" in outcome.err
    kept = parse_published(cleaned.read_text(encoding="utf-8"))
    assert [one.id for one in kept] == ["0", "6"]
    assert kept[1].shown == ("We left at 6.", None, ".", "Nobody came", ".", None)
    assert kept[1].answers == (1, 0)


def test_an_existing_file_is_left_alone(tmp_path, cli):
    exams, mine = tmp_path / "raw.json", tmp_path / "thesis.txt"
    exams.write_text(json.dumps(EXAMS), encoding="utf-8")
    mine.write_text("mine", encoding="utf-8")
    outcome = cli("clean-exams", exams, "--to", mine)
    assert outcome.status == 2
    assert "thesis.txt" in outcome.err
    assert mine.read_text(encoding="utf-8") == "mine"


def test_a_malformed_file_leaves_nothing_behind(tmp_path, cli):
    (tmp_path / "raw.json").write_text(json.dumps([exam(0, passage=["<2>"])]), encoding="utf-8")
    outcome = cli("clean-exams", tmp_path / "raw.json", "--to", tmp_path / "cleaned.json")
    assert outcome.status == 1
    assert "raw.json, item 1" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["raw.json"]


@pytest.mark.parametrize(
    ("command", "splits", "short"),
    [
        (("run",), True, True),
        (("corpus", "inspect"), True, False),
        (("corpus", "rank"), True, False),
        (("fill",), False, False),
        (("verify",), False, False),
    ],
)
def test_options_of_tables_are_where_they_have_a_use(command, splits, short, cli):
    """`fill` and `verify` match books by checksum; only `run` has the settings they stand for."""
    text = " ".join(cli(*command, "--help").out.replace("\u2502", " ").split())
    assert "--text-column" in text
    assert ("--keep-splits" in text) == splits
    assert ("short for --set input." in text) == short

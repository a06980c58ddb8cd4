"""`cloze-gen clean-exams`, and the options of commands that read books."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.formats.scde import parse_published
from cloze_gen.store.tables import read_jsonl, read_tsv

ROOT = Path(__file__).parents[2]


def exam(eid: int, **changes: Any) -> dict[str, Any]:
    """An examination that no rule speaks against, with a passage of its own."""
    right = {
        "eid": eid,
        "passage": [f"We left at {eid}.", "<1>", ".", "Nobody came", ".", "<2>"],
        "candidates": ["It rained.", "Jane sang.", "We went home."],
        "answer_sequence": [[2, 0], [1, 1]],
    }
    return right | changes


# One for each rule, in the rules' order, between two that stay.
EXAMS = [
    exam(0),
    exam(1, passage=exam(0)["passage"]),
    exam(2, answer_sequence_ocr=[[1, 1], [2, 2]]),
    exam(3, answer_sequence=[[1, 1], [2, 3]]),
    exam(4, candidates=["It rained.", None, "We went home."]),
    exam(5, candidates=["It rained."], answer_sequence=[[1, 0]]),
    exam(6, answer_sequence=[[1, 0]]),
    exam(7),
]
RULES = [
    "duplicate_passage", "ocr_readings_disagree", "answer_without_candidate", "missing_candidate", "more_blanks_than_candidates",
    "missing_answer",
]  # fmt: skip


@pytest.fixture
def exams(tmp_path: Path) -> Path:
    path = tmp_path / "raw.json"
    path.write_text(json.dumps(EXAMS), encoding="utf-8")
    return path


def counts(folder: Path) -> list[tuple[str, ...]]:
    return [tuple(row.values()) for row in read_tsv(folder / "counts.tsv")]


def test_every_rule_is_counted(exams: Path, cli: Callable[..., Any]) -> None:
    outcome = cli("clean-exams", exams)
    assert outcome.status == 0, outcome.err
    folder = exams.with_name("raw-cleaned")
    expected = [("read", "8", "16"), *((rule, "1", "2") for rule in RULES), ("left", "2", "4")]
    assert counts(folder) == expected
    lines = [line.rsplit(maxsplit=2) for line in outcome.out.splitlines()]
    assert [tuple(line) for line in lines[1:9]] == [
        (rule.replace("_", " "), *numbers) for rule, *numbers in expected
    ]
    assert "stray marks repaired: 4, in 2 of the accepted passages" in outcome.out
    assert sorted(path.name for path in folder.iterdir()) == [
        "cleaned.json",
        "counts.tsv",
        "manifest.json",
        "rejected.jsonl",
    ]


def test_what_is_left_is_published(exams: Path, tmp_path: Path, cli: Callable[..., Any]) -> None:
    """In the published layout under its own `eid`, without stray marks."""
    assert cli("clean-exams", exams, "--out", tmp_path / "clean").status == 0
    left = parse_published((tmp_path / "clean" / "cleaned.json").read_text(encoding="utf-8"))
    assert [one.id for one in left] == ["0", "7"]
    assert left[1].shown == ("We left at 7.", None, "Nobody came.", None)
    assert left[1].answers == (1, 0)


def test_every_rejection_has_its_reason(
    exams: Path, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    """A line each, with the place in the file."""
    assert cli("clean-exams", exams, "--out", tmp_path / "clean").status == 0
    rows = list(read_jsonl(tmp_path / "clean" / "rejected.jsonl"))
    assert [(row["item"], row["eid"], row["rule"]) for row in rows] == [
        (place + 2, place + 1, rule) for place, rule in enumerate(RULES)
    ]
    assert all(row["detail"] for row in rows)


def test_rules_that_took_nothing_are_told(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """Zeros too."""
    (tmp_path / "raw.json").write_text(
        json.dumps([exam(0), exam(1, passage=["<1>", "<2>"])]), encoding="utf-8"
    )
    outcome = cli("clean-exams", tmp_path / "raw.json")
    assert counts(tmp_path / "raw-cleaned") == [
        ("read", "2", "4"),
        *((rule, "0", "0") for rule in RULES),
        ("left", "2", "4"),
    ]
    assert "stray marks repaired: 2, in 1 of" in outcome.out


def test_passages_without_numbers_of_their_own_are_numbered(
    tmp_path: Path, cli: Callable[..., Any]
) -> None:
    """And it is said."""
    (tmp_path / "raw.json").write_text(
        json.dumps([exam(5), exam(6) | {"eid": 5}, exam(7) | {"eid": None}]), encoding="utf-8"
    )
    outcome = cli("clean-exams", tmp_path / "raw.json")
    assert "cleaned.json numbers all of them from 0" in outcome.err
    left = json.loads((tmp_path / "raw-cleaned" / "cleaned.json").read_text(encoding="utf-8"))
    assert [item["eid"] for item in left] == [0, 1, 2]


def test_what_a_person_laid_there_stays(
    exams: Path, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    folder = tmp_path / "clean"
    assert cli("clean-exams", exams, "--out", folder).status == 0
    first = (folder / "cleaned.json").read_bytes()
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    (folder / "cleaned.json").write_text("[]", encoding="utf-8")
    outcome = cli("clean-exams", exams, "--out", folder)
    assert outcome.status == 0, outcome.err
    assert "changed by hand. The changed files were moved to cleaned.json.aside-1" in outcome.err
    assert ((folder / "notes.txt").read_text(), (folder / "cleaned.json.aside-1").read_text()) == (
        "mine",
        "[]",
    )
    assert (folder / "cleaned.json").read_bytes() == first


def test_a_folder_of_other_things_is_left_alone(
    exams: Path, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    """Nothing is written among them, also where an evaluation lies there."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine", encoding="utf-8")
    outcome = cli("clean-exams", exams, "--out", folder)
    assert outcome.status == 2
    assert (
        "contains other files ('thesis.txt'). Nothing was written. Give a new folder with --out."
        in outcome.err
    )
    assert [path.name for path in folder.iterdir()] == ["thesis.txt"]


def test_a_fault_leaves_nothing_behind(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """One message with file and item, before anything is written."""
    (tmp_path / "raw.json").write_text(
        json.dumps([exam(0), exam(1, answer_sequence=[[1, "A"]])]), encoding="utf-8"
    )
    outcome = cli("clean-exams", tmp_path / "raw.json")
    assert outcome.status == 1
    assert "raw.json, item 2 (eid 1): `answer_sequence` must give whole numbers" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["raw.json"]


def test_the_page_shows_what_comes_out(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """The example of `docs/how-to/exams.md`, cleaned, gives the table that stands there, and one rejection."""
    page = (ROOT / "docs" / "how-to" / "exams.md").read_text(encoding="utf-8")
    blocks = [block.split("\n", 1)[1] for block in page.split("```")[1::2]]
    example, printed = blocks[-2:]
    (tmp_path / "exams.json").write_text(example, encoding="utf-8")
    outcome = cli("clean-exams", tmp_path / "exams.json")
    assert (
        outcome.out.replace(str(tmp_path), "").replace("/exams-cleaned", "exams-cleaned") == printed
    )
    [rejected] = read_jsonl(tmp_path / "exams-cleaned" / "rejected.jsonl")
    assert (rejected["item"], rejected["eid"], rejected["rule"]) == (2, 1, "ocr_readings_disagree")


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
def test_options_of_tables_are_where_they_have_a_use(
    command: tuple[str, ...], splits: bool, short: bool, cli: Callable[..., Any]
) -> None:
    """`fill` and `verify` match books by checksum; only `run` has the settings they stand for."""
    text = " ".join(cli(*command, "--help").out.replace("\u2502", " ").split())
    assert "--text-column" in text
    assert ("--keep-splits" in text) == splits
    assert ("short for --set input." in text) == short

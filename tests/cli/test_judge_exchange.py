"""Packets out, verdicts in: files of every form, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.cli.judge_study import open_named_study
from cloze_gen.judging.study import Study
from cloze_gen.records.judgement import Task
from tests.cases.studies import make_tiny_study
from tests.conftest import Outcome

Cli = Callable[..., Outcome]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An output folder with a study of two items, two judges each."""
    (tmp_path / "judgements").mkdir()
    make_tiny_study(
        tmp_path / "judgements" / "tiny", Task.GROOM, n=2, judges="ann,bob", each=2
    ).close()
    return tmp_path


def file_of(out: Path, ending: str, cli: Cli, **options: str) -> Path:
    """The packet of ann in some form."""
    assert (
        cli("judge", "export", "tiny", "--judges", "ann", "--out", out, "--format", ending).status
        == 0
    )
    (file,) = (out / "judgements" / "tiny" / "packets").glob("ann-*")
    return file


def filled_csv(text: str) -> str:
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    for row in rows:
        words = [choice.split(" ", 1)[1] for choice in row["candidates"].split("; ")]
        row |= {f"pick_{n}": word for n, word in enumerate(sorted(words)[:4], 1)}
    made = io.StringIO()
    writer = csv.DictWriter(made, rows[0].keys(), delimiter=";")
    writer.writeheader()
    writer.writerows(rows)
    return made.getvalue()


def filled_jsonl(text: str) -> str:
    records = [json.loads(line) for line in text.splitlines()]
    return "".join(
        json.dumps(
            {
                "assignment": one["assignment"],
                "response": {"picked": sorted(one["shown"]["candidates"])[:4]},
            }
        )
        + "\n"
        for one in records
    )


def filled_label_studio(text: str) -> str:
    tasks = json.loads(text)
    for task in tasks:
        choices = sorted(
            task["data"]["candidates"], key=lambda choice: str(choice["value"]).split(" ", 1)[-1]
        )[:4]
        result = {
            "from_name": "picked",
            "to_name": "text",
            "type": "choices",
            "value": {"choices": [one["alias"] for one in choices]},
        }
        task["annotations"] = [
            {"result": [result], "completed_by": 1, "lead_time": 12.5, "was_cancelled": False}
        ]
    return json.dumps(tasks)


def picked(study: Study) -> list[Any]:
    return [
        answer.response
        for case in study.state().cases.values()
        for answer in case.answers
        if answer.judge == "ann"
    ]


@pytest.mark.parametrize(
    ("form", "fill"),
    [("csv", filled_csv), ("jsonl", filled_jsonl), ("label-studio", filled_label_studio)],
)
def test_a_packet_comes_back(
    form: str, fill: Callable[[str], str], out: Path, cli: Cli, tmp_path: Path
) -> None:
    back = tmp_path / f"back.{form}"
    back.write_text(fill(file_of(out, form, cli).read_text(encoding="utf-8")), encoding="utf-8")
    for told in ("2 accepted", "2 already stored"):
        outcome = cli("judge", "import", "tiny", back, "--out", out)
        assert (outcome.status, told in outcome.out) == (0, True), outcome
    study, _ = open_named_study(out, "tiny")
    words = sorted(next(study.store.items()).shown["candidates"])[:4]
    assert [sorted(one["picked"]) for one in picked(study)] == [words, words]


def test_a_file_that_is_there_stays(out: Path, cli: Cli) -> None:
    """A packet that somebody may be filling in is never written over, and --again deals nothing."""
    file = file_of(out, "csv", cli)
    file.write_text("mine", encoding="utf-8")
    outcome = cli("judge", "export", "tiny", "--judges", "ann", "--out", out, "--again")
    assert "(exists, not changed)" in outcome.out
    assert file.read_text(encoding="utf-8") == "mine"
    assert len(open_named_study(out, "tiny")[0].state().by_id) == 2


def test_what_can_be_taken_is_kept_beside_what_is_refused(
    out: Path, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two verdicts is refused: the counts of both are printed, and the exit status says so."""
    monkeypatch.setattr("cloze_gen.judging.study._MOST_VERDICTS", 0)
    text = file_of(out, "jsonl", cli).read_text(encoding="utf-8")
    back = tmp_path / "back.jsonl"
    back.write_text(filled_jsonl(text), encoding="utf-8")
    refused = cli("judge", "import", "tiny", back, "--out", out)
    assert (refused.status, "2 refused" in refused.out, refused.err.count("refused    ")) == (
        1,
        True,
        2,
    ), refused
    monkeypatch.undo()
    back.write_text(filled_jsonl(text.splitlines()[0]), encoding="utf-8")
    assert cli("judge", "import", "tiny", back, "--out", out).status == 0
    other = [
        {"assignment": json.loads(line)["assignment"], "response": {"rejected": "other"}}
        for line in text.splitlines()
    ]
    back.write_text("".join(json.dumps(one) + "\n" for one in other), encoding="utf-8")
    outcome = cli("judge", "import", "tiny", back, "--out", out)
    assert (
        outcome.status,
        "1 accepted, 1 refused" in outcome.out,
        "1 of 2 answers were refused" in outcome.err,
    ) == (1, True, True), outcome


def test_what_was_said_otherwise_is_refused(out: Path, cli: Cli, tmp_path: Path) -> None:
    """A second file cannot change a verdict; the first stays and the refusal is told."""
    text = file_of(out, "jsonl", cli).read_text(encoding="utf-8")
    back = tmp_path / "back.jsonl"
    for first, told, status in ((0, "2 accepted", 0), (4, "2 of 2 answers were refused", 1)):
        lines = (json.loads(line) for line in text.splitlines())
        response = (
            {
                "assignment": one["assignment"],
                "response": {"picked": one["shown"]["candidates"][first : first + 4]},
            }
            for one in lines
        )
        back.write_text("".join(json.dumps(one) + "\n" for one in response), encoding="utf-8")
        outcome = cli("judge", "import", "tiny", back, "--out", out)
        assert (outcome.status, told in outcome.out + outcome.err) == (status, True), outcome
    study, _ = open_named_study(out, "tiny")
    assert len(picked(study)) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected"),
        (
            '{"assignment": "000000000000", "response": {"picked": [1, 2, 3, 4]}}\n',
            "not an assignment of this study",
        ),
        ("[{}]", "expected"),
        ("[]", "no answers found"),
        ("assignment,pick_1\n", "no answers found"),
        ("a,b\n1,2\n", "expected the columns assignment"),
    ],
)
def test_what_is_no_packet_is_one_message(
    text: str, says: str, out: Path, cli: Cli, tmp_path: Path
) -> None:
    """It names the file, and nothing is taken."""
    back = tmp_path / "back.txt"
    back.write_text(text, encoding="utf-8")
    outcome = cli("judge", "import", "tiny", back, "--out", out)
    assert (outcome.status, says in outcome.err, "back.txt" in outcome.err) == (1, True, True), (
        outcome.err
    )
    assert cli("judge", "import", "tiny", tmp_path / "nowhere", "--out", out).status == 2


def test_options_that_are_none(out: Path, cli: Cli, tmp_path: Path) -> None:
    """A form, a name, a study, a role: one message each, status 2, nothing dealt."""
    for arguments, says in (
        (("--format", "xml"), "expected csv"),
        (("--judges", "../evil"), "part of file names"),
        (("--judges", "ANN"), "only in case"),
        (("--condition", "passage"), "only for guessing"),
        (("--again", "--judges", "cara"), "no such judge: 'cara'"),
    ):
        outcome = cli("judge", "export", "tiny", "--out", out, *arguments)
        assert (outcome.status, says in outcome.err) == (2, True), outcome.err
    assert "studies there: tiny" in cli("judge", "status", "other", "--out", out).err
    assert not open_named_study(out, "tiny")[0].state().by_id


def test_all_verdicts_are_looked_at_before_one_is_taken(tmp_path: Path, cli: Cli) -> None:
    """A file whose last line says what cannot be said of its item changes nothing."""
    (tmp_path / "judgements").mkdir()
    study = make_tiny_study(tmp_path / "judgements" / "read", Task.READ, n=2, judges="ann", each=1)
    good, bad = study.due("ann")
    study.close()
    response = {
        "answer": 1,
        "fits_as_well": [2],
        "ungrammatical": [],
        "broken": False,
        "trivial": False,
    }
    lines = [
        {"assignment": good.id, "response": response},
        {"assignment": bad.id, "response": {**response, "trivial": True}},
    ]
    back = tmp_path / "back.jsonl"
    back.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    outcome = cli("judge", "import", "read", back, "--out", tmp_path)
    assert (outcome.status, "back.jsonl, line 2: trivial" in outcome.err) == (1, True), outcome.err
    assert not open_named_study(tmp_path, "read")[0].state().verdicts


def test_two_verdicts_of_one_id_are_refused_before_one_is_taken(tmp_path: Path, cli: Cli) -> None:
    """Of one file, or one of them taken before; the same verdict twice is one."""
    (tmp_path / "judgements").mkdir()
    study = make_tiny_study(tmp_path / "judgements" / "read", Task.READ, n=2, judges="ann", each=1)
    assignments = [one.id for one in study.due("ann")]
    study.close()
    response = {
        "answer": 1,
        "fits_as_well": [2],
        "ungrammatical": [],
        "broken": False,
        "trivial": False,
    }
    first, second = (
        json.dumps({"assignment": one, "response": response, "id": "mine"}) + "\n"
        for one in assignments
    )
    for text, status, taken in ((first + second, 1, 0), (first + first, 0, 1), (second, 1, 1)):
        (tmp_path / "back.jsonl").write_text(text, encoding="utf-8")
        outcome = cli("judge", "import", "read", tmp_path / "back.jsonl", "--out", tmp_path)
        assert (outcome.status, "another verdict has this id" in outcome.err) == (
            status,
            status == 1,
        ), outcome.err
        assert len(open_named_study(tmp_path, "read")[0].state().verdicts) == taken


def test_a_condition_is_of_guessing(tmp_path: Path, cli: Cli) -> None:
    """One that no item is shown in is told, and is no page on which nothing waits."""
    (tmp_path / "judgements").mkdir()
    make_tiny_study(
        tmp_path / "judgements" / "guess", Task.GUESS, n=2, judges="ann", each=1
    ).close()
    outcome = cli("judge", "export", "guess", "--condition", "pasage", "--out", tmp_path)
    assert (outcome.status, "expected passage or sentence" in outcome.err) == (2, True)


@pytest.mark.parametrize("form", ["jsonl", "label-studio"])
def test_what_was_said_goes_out_and_comes_back(
    form: str, out: Path, cli: Cli, tmp_path: Path
) -> None:
    nothing = cli("judge", "export", "tiny", "--answered", "--format", form, "--out", out)
    assert (nothing.status, "no answers yet" in nothing.err) == (2, True), nothing.err
    back = tmp_path / "back.jsonl"
    back.write_text(
        filled_jsonl(file_of(out, "jsonl", cli).read_text(encoding="utf-8")), encoding="utf-8"
    )
    cli("judge", "import", "tiny", back, "--out", out)
    told = {}
    for names in ((), ("--names",)):
        outcome = cli(
            "judge",
            "export",
            "tiny",
            "--answered",
            *names,
            "--format",
            form,
            "--to",
            tmp_path / f"to{len(names)}",
            "--out",
            out,
        )
        assert outcome.status == 0, outcome.err
        (file,) = (tmp_path / f"to{len(names)}").iterdir()
        told[bool(names)] = file
    assert '"ann"' not in told[False].read_text(encoding="utf-8")
    assert '"judge 1"' in told[False].read_text(encoding="utf-8")
    if form == "jsonl":
        lines = [json.loads(line) for line in told[True].read_text(encoding="utf-8").splitlines()]
        verdicts = open_named_study(out, "tiny")[0].state().verdicts.values()
        assert {(line["id"], line["seconds"]) for line in lines} == {
            (one.id, one.seconds) for one in verdicts
        }
    again = cli("judge", "import", "tiny", told[True], "--out", out)
    assert "2 already stored" in again.out, again

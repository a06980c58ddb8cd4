"""Packets out, verdicts in: files of every form, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.commands.studies import open_for
from cloze_gen.records.judgement import Task
from cloze_gen.studies.study import Study
from tests.cases.studies import make_tiny_study
from tests.conftest import Outcome

Cli = Callable[..., Outcome]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An output folder with a study of two items, two judges each."""
    (tmp_path / "judgements").mkdir()
    make_tiny_study(tmp_path / "judgements" / "tiny", Task.GROOM, n=2, judges="ann,bob", each=2).close()
    return tmp_path


def file_of(out: Path, ending: str, cli: Cli, **options: str) -> Path:
    """The packet of ann in some form."""
    assert cli("judge", "export", "tiny", "--judges", "ann", "--out", out, "--format", ending).status == 0
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
        json.dumps({"assignment": one["assignment"], "said": {"picked": sorted(one["shown"]["candidates"])[:4]}}) + "\n" for one in records
    )


def filled_label_studio(text: str) -> str:
    tasks = json.loads(text)
    for task in tasks:
        choices = sorted(task["data"]["candidates"], key=lambda choice: str(choice["value"]).split(" ", 1)[-1])[:4]
        result = {"from_name": "picked", "to_name": "text", "type": "choices", "value": {"choices": [one["alias"] for one in choices]}}
        task["annotations"] = [{"result": [result], "completed_by": 1, "lead_time": 12.5, "was_cancelled": False}]
    return json.dumps(tasks)


def picked(study: Study) -> list[Any]:
    return [answer.said for case in study.standing().cases.values() for answer in case.answers if answer.judge == "ann"]


@pytest.mark.parametrize(("form", "fill"), [("csv", filled_csv), ("jsonl", filled_jsonl), ("label-studio", filled_label_studio)])
def test_a_packet_comes_back(form: str, fill: Callable[[str], str], out: Path, cli: Cli, tmp_path: Path) -> None:
    """Filled in and given twice it is taken once, as the words that were picked, whatever order the judge saw them in."""
    back = tmp_path / f"back.{form}"
    back.write_text(fill(file_of(out, form, cli).read_text(encoding="utf-8")), encoding="utf-8")
    for told in ("2 taken", "2 taken_before"):
        outcome = cli("judge", "import", "tiny", back, "--out", out)
        assert (outcome.status, told in outcome.out) == (0, True), outcome
    study, _ = open_for(out, "tiny")
    words = sorted(next(study.store.items()).shown["candidates"])[:4]
    assert [sorted(one["picked"]) for one in picked(study)] == [words, words]


def test_a_file_that_is_there_stays(out: Path, cli: Cli) -> None:
    """A packet that somebody may be filling in is never written over, and --again deals nothing."""
    file = file_of(out, "csv", cli)
    file.write_text("mine", encoding="utf-8")
    outcome = cli("judge", "export", "tiny", "--judges", "ann", "--out", out, "--again")
    assert "left as it was" in outcome.out
    assert file.read_text(encoding="utf-8") == "mine"
    assert len(open_for(out, "tiny")[0].standing().by_id) == 2


def test_what_can_be_taken_is_kept_beside_what_is_refused(out: Path, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two verdicts is refused: the counts of both are printed, and the exit status says so."""
    monkeypatch.setattr("cloze_gen.studies.study._MOST_VERDICTS", 0)
    text = file_of(out, "jsonl", cli).read_text(encoding="utf-8")
    back = tmp_path / "back.jsonl"
    back.write_text(filled_jsonl(text), encoding="utf-8")
    refused = cli("judge", "import", "tiny", back, "--out", out)
    assert (refused.status, "2 refused" in refused.out, refused.err.count("refused    ")) == (1, True, 2), refused
    monkeypatch.undo()
    back.write_text(filled_jsonl(text.splitlines()[0]), encoding="utf-8")
    assert cli("judge", "import", "tiny", back, "--out", out).status == 0
    other = [{"assignment": json.loads(line)["assignment"], "said": {"rejected": "other"}} for line in text.splitlines()]
    back.write_text("".join(json.dumps(one) + "\n" for one in other), encoding="utf-8")
    outcome = cli("judge", "import", "tiny", back, "--out", out)
    assert (outcome.status, "1 refused, 1 taken" in outcome.out, "1 of 2 verdicts were refused" in outcome.err) == (1, True, True), outcome


def test_what_was_said_otherwise_is_refused(out: Path, cli: Cli, tmp_path: Path) -> None:
    """A second file cannot change a verdict; the first stays and the refusal is told."""
    text = file_of(out, "jsonl", cli).read_text(encoding="utf-8")
    back = tmp_path / "back.jsonl"
    for first, told, status in ((0, "2 taken", 0), (4, "2 of 2 verdicts were refused", 1)):
        lines = (json.loads(line) for line in text.splitlines())
        said = ({"assignment": one["assignment"], "said": {"picked": one["shown"]["candidates"][first : first + 4]}} for one in lines)
        back.write_text("".join(json.dumps(one) + "\n" for one in said), encoding="utf-8")
        outcome = cli("judge", "import", "tiny", back, "--out", out)
        assert (outcome.status, told in outcome.out + outcome.err) == (status, True), outcome
    study, _ = open_for(out, "tiny")
    assert len(picked(study)) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected"),
        ('{"assignment": "000000000000", "said": {"picked": [1, 2, 3, 4]}}\n', "no assignment of this study"),
        ("[{}]", "expected"),
        ("[]", "nothing is answered"),
        ("assignment,pick_1\n", "nothing is answered"),
        ("a,b\n1,2\n", "needs the columns assignment"),
    ],
)
def test_what_is_no_packet_is_one_message(text: str, says: str, out: Path, cli: Cli, tmp_path: Path) -> None:
    """It names the file, and nothing is taken."""
    back = tmp_path / "back.txt"
    back.write_text(text, encoding="utf-8")
    outcome = cli("judge", "import", "tiny", back, "--out", out)
    assert (outcome.status, says in outcome.err, "back.txt" in outcome.err) == (1, True, True), outcome.err
    assert cli("judge", "import", "tiny", tmp_path / "nowhere", "--out", out).status == 2


def test_options_that_are_none(out: Path, cli: Cli, tmp_path: Path) -> None:
    """A form, a name, a study, a role: one message each, status 2, nothing dealt."""
    for arguments, says in (
        (("--format", "xml"), "expected csv"),
        (("--judges", "../evil"), "files bear the name"),
        (("--judges", "ANN"), "the same person"),
        (("--condition", "passage"), "is of guessing"),
        (("--again", "--judges", "cara"), "no such judge: 'cara'"),
    ):
        outcome = cli("judge", "export", "tiny", "--out", out, *arguments)
        assert (outcome.status, says in outcome.err) == (2, True), outcome.err
    assert "studies there: tiny" in cli("judge", "status", "other", "--out", out).err
    assert not open_for(out, "tiny")[0].standing().by_id


def test_all_verdicts_are_looked_at_before_one_is_taken(tmp_path: Path, cli: Cli) -> None:
    """A file whose last line says what cannot be said of its item changes nothing."""
    (tmp_path / "judgements").mkdir()
    study = make_tiny_study(tmp_path / "judgements" / "read", Task.READ, n=2, judges="ann", each=1)
    good, bad = study.due("ann")
    study.close()
    said = {"answer": 1, "fits_as_well": [2], "ungrammatical": [], "broken": False, "trivial": False}
    lines = [{"assignment": good.id, "said": said}, {"assignment": bad.id, "said": {**said, "trivial": True}}]
    back = tmp_path / "back.jsonl"
    back.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    outcome = cli("judge", "import", "read", back, "--out", tmp_path)
    assert (outcome.status, "back.jsonl, line 2: trivial" in outcome.err) == (1, True), outcome.err
    assert not open_for(tmp_path, "read")[0].standing().verdicts


def test_two_verdicts_of_one_id_are_refused_before_one_is_taken(tmp_path: Path, cli: Cli) -> None:
    """Of one file, or one of them taken before; the same verdict twice is one."""
    (tmp_path / "judgements").mkdir()
    study = make_tiny_study(tmp_path / "judgements" / "read", Task.READ, n=2, judges="ann", each=1)
    assignments = [one.id for one in study.due("ann")]
    study.close()
    said = {"answer": 1, "fits_as_well": [2], "ungrammatical": [], "broken": False, "trivial": False}
    first, second = (json.dumps({"assignment": one, "said": said, "id": "mine"}) + "\n" for one in assignments)
    for text, status, taken in ((first + second, 1, 0), (first + first, 0, 1), (second, 1, 1)):
        (tmp_path / "back.jsonl").write_text(text, encoding="utf-8")
        outcome = cli("judge", "import", "read", tmp_path / "back.jsonl", "--out", tmp_path)
        assert (outcome.status, "another verdict has this id" in outcome.err) == (status, status == 1), outcome.err
        assert len(open_for(tmp_path, "read")[0].standing().verdicts) == taken


def test_a_condition_is_of_guessing(tmp_path: Path, cli: Cli) -> None:
    """One that no item is shown in is told, and is no page on which nothing waits."""
    (tmp_path / "judgements").mkdir()
    make_tiny_study(tmp_path / "judgements" / "guess", Task.GUESS, n=2, judges="ann", each=1).close()
    outcome = cli("judge", "export", "guess", "--condition", "pasage", "--out", tmp_path)
    assert (outcome.status, "expected passage or sentence" in outcome.err) == (2, True)


@pytest.mark.parametrize("form", ["jsonl", "label-studio"])
def test_what_was_said_goes_out_and_comes_back(form: str, out: Path, cli: Cli, tmp_path: Path) -> None:
    """Beside what was seen, without names unless they are asked for; read back with names it is what stands there already."""
    nothing = cli("judge", "export", "tiny", "--answered", "--format", form, "--out", out)
    assert (nothing.status, "nobody has said anything" in nothing.err) == (2, True), nothing.err
    back = tmp_path / "back.jsonl"
    back.write_text(filled_jsonl(file_of(out, "jsonl", cli).read_text(encoding="utf-8")), encoding="utf-8")
    cli("judge", "import", "tiny", back, "--out", out)
    told = {}
    for names in ((), ("--names",)):
        outcome = cli("judge", "export", "tiny", "--answered", *names, "--format", form, "--to", tmp_path / f"to{len(names)}", "--out", out)
        assert outcome.status == 0, outcome.err
        (file,) = (tmp_path / f"to{len(names)}").iterdir()
        told[bool(names)] = file
    assert '"ann"' not in told[False].read_text(encoding="utf-8")
    assert '"judge 1"' in told[False].read_text(encoding="utf-8")
    if form == "jsonl":
        lines = [json.loads(line) for line in told[True].read_text(encoding="utf-8").splitlines()]
        verdicts = open_for(out, "tiny")[0].standing().verdicts.values()
        assert {(line["id"], line["seconds"]) for line in lines} == {(one.id, one.seconds) for one in verdicts}
    again = cli("judge", "import", "tiny", told[True], "--out", out)
    assert "2 taken_before" in again.out, again

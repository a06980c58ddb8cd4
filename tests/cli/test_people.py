"""A reading and a filling from a run to the row of people in its evaluation."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.api.evaluator import read_people
from cloze_gen.cli.judge_study import open_named_study
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.evaluation.people import FAULTS
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.records.judgement import Judge, Role, Task
from cloze_gen.rng import stable_fraction
from cloze_gen.store.tables import read_jsonl

JUDGES = ("ann", "bob", "cara")
SHOWN = {
    Task.READ: {"before", "after", "options"},
    Task.FILL: {"parts", "candidates"},
}
# shares of items that each gets wrong
ERRORS = {"ann": 0.0, "bob": 0.1, "cara": 0.4, "model": 1.0}


@dataclass(frozen=True)
class Round:
    """A finished study, its result, and how often each judge was right, by set."""

    out: Path
    file: Path
    told: str
    right: dict[str, list[bool]]
    seen: list[dict[str, Any]]

    def evaluation(self, name):
        return dict(
            json.loads(
                (self.out / "runs" / name / "evaluation" / "evaluation.json").read_text(
                    encoding="utf-8"
                )
            )
        )

    def human(self, name):
        [row] = [row for row in self.evaluation(name)["baselines"] if row["kind"] == "human"]
        return dict(row)


def scripted(study, judge, item):
    """A judge of known error rate: right, or the next option, or two candidates swapped."""
    errs = stable_fraction(judge, item.id) < ERRORS[judge]
    if study.facts.task is Task.FILL:
        fills = list(item.key["answers"])
        return {"fills": [fills[1], fills[0], *fills[2:]] if errs else fills}
    n, answer = len(item.shown["options"]), item.key["answer"]
    chosen = (answer + errs) % n
    marks = (
        [(answer + 2) % n]
        if item.source == "tiny" and stable_fraction("vague", item.id) < 0.3
        else []
    )
    return {
        "answer": chosen,
        "fits_as_well": marks,
        "ungrammatical": [],
        "broken": False,
        "trivial": False,
    }


def make_round(cli, out, *new):
    """A study of three people and a machine, who all say what they are scripted to."""
    made = cli("judge", "new", *new, "--judges", ",".join(JUDGES), "--name", "round", "--out", out)
    assert made.status == 0, made.err
    study, _ = open_named_study(out, "round")
    study.add_judges([Judge("model", Role.MACHINE)])
    seen = []
    right = {}
    for judge in ("model", *JUDGES):
        while (one := study.next_open(judge)) is not None:
            item = study.store.item(one.item)
            seen.append(study.seen(one) | {"of": [item.id, item.source]})
            response = scripted(study, judge, item)
            study.take(one, response, verdict_id=f"{judge}-{one.id}", source="page")
            if judge != "model":
                right.setdefault(item.source, []).append(
                    response.get("answer", response.get("fills")) == next(iter(item.key.values()))
                )
    study.close()
    applied = cli("judge", "apply", "round", "--out", out)
    assert applied.status == 0, applied.err
    [file] = (out / "judgements" / "round").glob("verdicts-*.jsonl")
    assert applied.out.strip() == f"cloze-gen evaluate tiny --out {out} --people {file}"
    return Round(out, file, applied.err, right, seen)


@pytest.fixture(scope="module")
def reading(finished, scs, cli, tmp_path_factory):
    """The questions of the Holmes sample among those of the SCS sample."""
    out = tmp_path_factory.mktemp("reading") / "out"
    shutil.copytree(finished.out, out, symlinks=True)
    return make_round(
        cli, out, "tiny", "--task", "read", "--pool", "40", "--with", scs / "runs" / "scs-style"
    )


@pytest.fixture(scope="module")
def filling(scde, cli, tmp_path_factory):
    """The passages of the SCDE sample."""
    out = tmp_path_factory.mktemp("filling") / "out"
    shutil.copytree(scde.out, out, symlinks=True)
    return make_round(cli, out, "tiny")


def test_the_row_of_people_is_what_they_were_scripted_to(reading, cli):
    outcome = cli(
        "evaluate",
        "tiny",
        "--people",
        reading.file,
        "--only",
        "human",
        "--only",
        "random",
        "--out",
        reading.out,
    )
    assert outcome.status == 0, outcome.err
    row, right = reading.human("tiny"), reading.right["tiny"]
    assert row["n"] == 40
    assert len(right) == 120
    assert row["accuracy"] == pytest.approx(sum(right) / len(right))
    assert row["low"] < row["accuracy"] < row["high"]
    assert 0.75 < row["accuracy"] < 0.92
    assert f"human    {100 * row['accuracy']:.2f} %" in outcome.out
    assert "3 judges, 120 verdicts" in outcome.out


def test_the_other_set_is_found_in_the_same_file(reading, scs, cli, tmp_path):
    """As a run, and as a copy of its questions under another name: the same row each time."""
    run = scs / "runs" / "scs-style"
    shutil.copyfile(run / "release" / "questions.jsonl", tmp_path / "theirs.jsonl")
    rows = []
    for number, items in enumerate((run, tmp_path / "theirs.jsonl")):
        target = tmp_path / f"{number}"
        outcome = cli(
            "evaluate",
            items,
            "--people",
            reading.file,
            "--only",
            "human",
            "--out",
            tmp_path,
            "--write-to",
            target,
        )
        assert outcome.status == 0, outcome.err
        rows += json.loads((target / "evaluation.json").read_text(encoding="utf-8"))["baselines"]
    right = reading.right["scs-style"]
    assert rows[0] == rows[1]
    assert (rows[0]["n"], len(right)) == (40, 120)
    assert rows[0]["accuracy"] == pytest.approx(sum(right) / len(right))


def test_what_was_found_wrong_is_told_of_each_set(reading, cli):
    assert (
        cli(
            "evaluate", "tiny", "--people", reading.file, "--only", "human", "--out", reading.out
        ).status
        == 0
    )
    people = reading.evaluation("tiny")["people"]
    assert people["judged"].startswith("human (3 judges, alpha 0.")
    assert (people["task"], people["set"], people["items"], people["other_items"]) == (
        "read",
        "tiny",
        40,
        0,
    )
    other, mine = people["sets"]
    assert (other["set"], mine["set"]) == ("scs-style", "tiny")
    marked = sum(
        stable_fraction("vague", row["id"]) < 0.3
        for row in read_jsonl(reading.file)
        if row.get("set") == "tiny"
    )
    assert marked > 3
    assert mine["ambiguous"]["by_one"] == pytest.approx(marked / 40)
    assert [other[fault]["by_most"] for fault in FAULTS] == [0.0] * 4


@pytest.mark.slow
def test_people_stay_when_machines_are_measured_later(reading, cli):
    for only in (("--only", "human", "--people", str(reading.file)), ("--only", "position-a")):
        assert cli("evaluate", "tiny", *only, "--out", reading.out).status == 0
    record = reading.evaluation("tiny")
    assert {"human", "balanced"} <= {row["kind"] for row in record["baselines"]}
    assert record["people"]["set"] == "tiny"
    assert not [
        row
        for row in read_jsonl(reading.out / "runs" / "tiny" / "evaluation" / "predictions.jsonl")
        if row["baseline"] == "human"
    ]
    card = (reading.out / "runs" / "tiny" / "release" / "README.md").read_text(encoding="utf-8")
    people, measured = card.partition("## Human accuracy")[2].split("## Evaluation")
    assert people.count("| human |") == 2  # who answers, and the kind
    assert "human" not in measured.partition("##")[0].partition("*random*")[2]
    assert "*ambiguity*: do not publish. Most of 3 readers call" in card
    page = (reading.out / "runs" / "tiny" / "release" / "report.html").read_text(encoding="utf-8")
    ours = f"{100 * reading.human('tiny')['accuracy']:.1f} %"
    [line] = [line for line in page.splitlines() if '<th scope="row">Human<' in line]
    assert f">{ours}<" in line
    assert ">91 %<" in line
    compared = cli("compare", "tiny", "tiny", "--out", reading.out).out
    assert "\n  human " in compared.partition("\nbaselines\n")[2]


@pytest.mark.parametrize("which", ["reading", "filling"])
def test_nothing_of_key_or_set_is_seen(which, request):
    found = request.getfixturevalue(which)
    allowed = SHOWN[Task.READ if which == "reading" else Task.FILL]
    assert len(found.seen) > 40
    for seen in found.seen:
        item, source = seen.pop("of")
        assert set(seen) == allowed
        text = json.dumps(seen)
        told = (item, "scs-style", '"answers"', *(f'"{name}"' for name in (source, *JUDGES)))
        assert [one for one in told if one in text] == []
    if which == "reading":
        assert {len(seen["options"]) for seen in found.seen} == {5}


def test_no_name_leaves_the_store(reading, filling):
    """Judges are numbers 1 to 3 in the file; only the machine, number 4, has a name."""
    for found in (reading, filling):
        head, *rows = read_jsonl(found.file)
        assert head["judges"] == 3
        assert head["rules"]["models"] == {"4": "model"}
        assert {answer["judge"] for row in rows for answer in row["answers"]} == {1, 2, 3, 4}
        text = found.file.read_text(encoding="utf-8")
        assert not any(f'"{name}"' in text for name in JUDGES)
        assert {row["set"] for row in rows} == set(found.right)


def test_people_fill_blanks(filling, cli):
    outcome = cli(
        "evaluate",
        "tiny",
        "--people",
        filling.file,
        "--only",
        "human",
        "--only",
        "random",
        "--out",
        filling.out,
    )
    assert outcome.status == 0, outcome.err
    row, right = filling.human("tiny"), filling.right["tiny"]
    share = sum(right) / len(right)
    assert row["n"] == len(right) / 3
    assert row["pa"] == pytest.approx(share)
    assert row["ba"] == pytest.approx(share + 0.6 * (1 - share))
    assert (row["de"], row["de_high"]) == (0.0, 0.0)
    assert row["ba_low"] < row["ba"] < row["ba_high"]
    assert filling.evaluation("tiny")["people"]["judged"].startswith("human (3 judges, alpha ")
    page = (filling.out / "runs" / "tiny" / "release" / "report.html").read_text(encoding="utf-8")
    [line] = [line for line in page.splitlines() if '<th scope="row">human<' in line]
    assert f">{100 * row['ba']:.1f}<" in line
    assert ">87.1<" in line
    assert '<th scope="row">People<' not in page
    card = (filling.out / "runs" / "tiny" / "release" / "README.md").read_text(encoding="utf-8")
    assert "| human |" in card.partition("## Human accuracy")[2].partition("## Evaluation")[0]


def test_a_file_of_another_task_is_refused(reading, filling, cli, tmp_path):
    """One message, and nothing is written."""
    options = ("--only", "longest", "--out", reading.out, "--write-to", tmp_path / "new")
    outcome = cli("evaluate", "tiny", "--people", filling.file, *options)
    assert outcome.status == 1, outcome.err
    assert outcome.err.count("cloze-gen: ") == 1
    assert "expected verdicts of the task read" in outcome.err
    assert not (tmp_path / "new").exists()


def test_people_are_asked_for_by_a_file(reading, cli):
    outcome = cli("evaluate", "tiny", "--only", "human", "--out", reading.out)
    assert outcome.status == 2
    assert "--only human: no answers of people; pass --people FILE" in outcome.err


def test_what_has_changed_since_is_not_counted(reading, cli, tmp_path):
    records = list(read_jsonl(reading.out / "runs" / "tiny" / "release" / "questions.jsonl"))
    read = {row["id"] for row in read_jsonl(reading.file) if "id" in row}
    changed = next(one for one in records if one["id"] in read)
    changed["options"] = changed["options"][::-1]
    changed["answer_index"] = len(changed["options"]) - 1 - changed["answer_index"]
    (tmp_path / "changed.jsonl").write_text(
        "".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8"
    )
    target = tmp_path / "new"
    outcome = cli(
        "evaluate",
        tmp_path / "changed.jsonl",
        "--people",
        reading.file,
        "--only",
        "human",
        "--out",
        tmp_path,
        "--write-to",
        target,
    )
    assert outcome.status == 0, outcome.err
    assert (
        "1 judged items of tiny are left out because they are not in this version of the set"
        in outcome.err
    )
    record = json.loads((target / "evaluation.json").read_text(encoding="utf-8"))
    [row] = record["baselines"]
    assert row["n"] == 39
    assert {one["set"]: one["items"] for one in record["people"]["sets"]}["tiny"] == 39


def test_a_set_of_passages_takes_no_such_file(lambada, reading, cli, tmp_path):
    """What people said of last words is in the set already."""
    outcome = cli(
        "evaluate", lambada.folder, "--people", reading.file, "--only", "random", "--out", tmp_path
    )
    assert outcome.status == 2
    assert "--people: LAMBADA's passages were already selected by people's guesses" in outcome.err


def test_a_model_is_no_person(tmp_path, capsys):
    """The verdicts of models in the file of a pool are left out of the row of people, which is said."""
    marks = {"fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}
    rows = [
        {"id": item, "set": "mine", "item": item,
         "answers": [{"judge": judge, "answer": judge, **marks} for judge in judges]}
        for item, judges in {"a": [1, 2], "b": [2]}.items()
    ]  # fmt: skip
    file = tmp_path / "verdicts.jsonl"
    for kept in (rows, rows[1:]):
        told = VerdictFile(Task.READ, {}, 1, None, kept, {"models": {"2": "model-x\x1b[2J"}})
        file.write_text(verdicts_jsonl(told), encoding="utf-8")
        if kept is rows:
            found = read_people(file, Task.READ, {"a", "b"}, name="mine").found
            assert (found.judges, found.verdicts, len(found.items)) == (1, 1, 1)
        else:
            with pytest.raises(UsageError, match="only verdicts of models"):
                read_people(file, Task.READ, {"a", "b"}, name="mine")
        err = capsys.readouterr().err
        assert "model-x" in err
        assert "\x1b" not in err
    file.write_text(verdicts_jsonl(told).replace('{"2"', '[{"2"', 1).replace('J"}}', 'J"}]}', 1))
    with pytest.raises(FormatError, match="line 1"):
        read_people(file, Task.READ, {"a", "b"}, name="mine")

"""What judges said made the run's own: a grooming study from `judge new` to the release made anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.commands.studies import open_for
from cloze_gen.records.judgement import Assignment
from cloze_gen.store.tables import read_jsonl
from cloze_gen.studies.study import Study
from tests.conftest import FinishedRun, Outcome

Cli = Callable[..., Outcome]
Say = Callable[[Study, Assignment], dict[str, Any]]


def first_four(study: Study, one: Assignment) -> dict[str, Any]:
    """A judge of firm taste: the candidates that come first in the alphabet."""
    words = study.seen(one)["candidates"]
    return {"picked": sorted(sorted(range(len(words)), key=words.__getitem__)[:4])}


def judge_all(out: Path, name: str, say: Say = first_four) -> None:
    study, _ = open_for(out, name)
    for judge in study.standing().judges:
        while (one := study.next_open(judge)) is not None:
            study.take(one, say(study, one), verdict_id=f"{judge}-{one.id}", seconds=5.0, source="import")
    study.close()


def stages_of(run: Path) -> dict[str, str]:
    return {one["label"]: one["fingerprint"] for one in json.loads((run / "run.json").read_text(encoding="utf-8"))["stages"]}


def release_bytes(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted((run / "release").rglob("*")) if path.is_file()}


@pytest.mark.slow
def test_a_round_of_grooming_makes_the_set(copied: FinishedRun, cli: Cli) -> None:
    """Exactly grooming, choice and release are made anew; the questions are the judges' fours; card, report and signature say who groomed;
    and the run without the study is what it was, byte for byte."""
    out, run = copied.out, copied.folder
    before, bytes_before = stages_of(run), release_bytes(run)
    assert cli("judge", "new", "tiny", "--out", out, "--pool", "20", "--judges", "ann,bob", "--each", "2").status == 0
    judge_all(out, "tiny-groom")
    outcome = cli("judge", "apply", "tiny-groom", "--out", out)
    assert outcome.status == 0, outcome.err
    after = stages_of(run)
    assert {label for label in after if after[label] != before[label]} == {"grooming", "choice"}
    candidates = {one["id"]: sorted(each["word"] for each in one["candidates"]) for one in read_jsonl(copied.release / "candidates.jsonl")}
    questions = list(read_jsonl(copied.release / "questions.jsonl"))
    assert questions
    for question in questions:
        assert sorted(set(question["options"]) - {question["answer"]}) == candidates[question["id"]][:4]
    told = "human (2 judges, alpha 1.00, 0 adjudicated)"
    for file in ("README.md", "signature.txt", "report.html"):
        assert told in (copied.release / file).read_text(encoding="utf-8")
    assert "takes the answer's Penn tag" not in (copied.release / "README.md").read_text(encoding="utf-8")
    assert cli("judge", "apply", "tiny-groom", "--out", out, "--set", "grooming.unjudged=machine").status == 0
    assert f"|groomed:{told} of 20 focus words and machine of " in (copied.release / "signature.txt").read_text(encoding="utf-8")
    assert cli("judge", "apply", "tiny-groom", "--out", out, "--set", "grooming.unjudged=left_out").status == 0
    assert cli("verify", copied.release).status == 0
    shown = cli("judge", "new", "tiny", "--name", "again", "--show-machine", "--out", out)
    assert (shown.status, "was groomed by people" in shown.err) == (2, True), shown.err
    assert "candidate_not_picked_by_judges" in cli("trace", questions[0]["id"], "--out", out).out
    assert cli("run", *copied.corpus.options, "--name", "tiny", "--out", out, "--workers", "1").status == 0
    assert release_bytes(run) == bytes_before


def test_no_name_leaves_the_study(copied: FinishedRun, cli: Cli) -> None:
    """Neither the verdicts' file nor the table of agreement has a judge's name, unless it is asked for."""
    cli("judge", "new", "tiny", "--out", copied.out, "--pool", "4", "--judges", "Annabella,Bartholomew", "--each", "2")
    judge_all(copied.out, "tiny-groom")
    assert cli("judge", "apply", "tiny-groom", "--no-run", "--out", copied.out).status == 0
    (file,) = (copied.out / "judgements" / "tiny-groom").glob("verdicts-*.jsonl")
    assert "Annabella" not in file.read_text(encoding="utf-8")
    assert "Annabella" not in cli("judge", "agree", "tiny-groom", "--out", copied.out).out
    assert "Annabella" in cli("judge", "agree", "tiny-groom", "--names", "--out", copied.out).out


def test_verdicts_of_another_run_are_refused(copied: FinishedRun, cli: Cli) -> None:
    """What judges picked elsewhere makes no set here; nothing of the run is changed."""
    before = release_bytes(copied.folder)
    cli("judge", "new", "tiny", "--out", copied.out, "--pool", "4", "--judges", "ann", "--each", "1")
    judge_all(copied.out, "tiny-groom")
    cli("judge", "apply", "tiny-groom", "--no-run", "--out", copied.out)
    (file,) = (copied.out / "judgements" / "tiny-groom").glob("verdicts-*.jsonl")
    text = file.read_text(encoding="utf-8")
    picked = json.loads(text.splitlines()[1])["picked"][0]
    wrong = copied.out / "wrong.jsonl"
    for change, says in (((f'"{picked}"', '"zzzz"'), "none of its candidates"), (('"id": "', '"id": "other-'), "none of this run's")):
        wrong.write_text(text.replace(*change), encoding="utf-8")
        outcome = cli("run", *copied.corpus.options, "--name", "tiny", "--out", copied.out, "--set", f"grooming.verdicts={wrong}")
        assert (outcome.status, says in outcome.err) == (2, True), outcome.err
    assert release_bytes(copied.folder) == before


def test_no_more_is_made_anew_than_what_people_said(copied: FinishedRun, cli: Cli) -> None:
    """Where other stages would run too, nothing runs: the verdicts are written, and the command that makes the run is told."""
    cli("judge", "new", "tiny", "--pool", "3", "--judges", "ann", "--each", "1", "--out", copied.out)
    judge_all(copied.out, "tiny-groom")
    before = stages_of(copied.folder)
    outcome = cli("judge", "apply", "tiny-groom", "--set", "forward.keep=20", "--out", copied.out)
    assert (outcome.status, "more would run again than what people said asks for: forward" in outcome.err) == (1, True), outcome.err
    [file] = (copied.out / "judgements" / "tiny-groom").glob("verdicts-*")
    assert f"grooming.verdicts={file}" in outcome.out
    assert stages_of(copied.folder) == before


def test_nothing_said_is_nothing_applied(copied: FinishedRun, cli: Cli) -> None:
    """A study without a verdict leaves the run alone and says who asks."""
    cli("judge", "new", "tiny", "--out", copied.out, "--judges", "ann")
    outcome = cli("judge", "apply", "tiny-groom", "--out", copied.out)
    assert (outcome.status, "nobody has judged anything yet" in outcome.err) == (2, True)


def test_a_file_that_was_changed_is_not_applied(copied: FinishedRun, cli: Cli) -> None:
    """What was said stands in the study; a file of another content under the same name is left where it is and refused."""
    cli("judge", "new", "tiny", "--pool", "2", "--judges", "ann", "--each", "1", "--out", copied.out)
    judge_all(copied.out, "tiny-groom")
    cli("judge", "apply", "tiny-groom", "--no-run", "--out", copied.out)
    (file,) = (copied.out / "judgements" / "tiny-groom").glob("verdicts-*.jsonl")
    file.write_text("mine", encoding="utf-8")
    outcome = cli("judge", "apply", "tiny-groom", "--no-run", "--out", copied.out)
    assert (outcome.status, "was changed since" in outcome.err, file.read_text(encoding="utf-8")) == (2, True, "mine")

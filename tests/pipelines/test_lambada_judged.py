"""A LAMBADA-style run that people have guessed, from the first page to the set."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.formats.lambada import parse_plain_text
from cloze_gen.judging.state import StudySettings
from cloze_gen.judging.study import Study, make_study
from cloze_gen.pipelines.lambada_style import judged
from cloze_gen.recipes.lambada.guesses import ANSWERS, GUESSED
from cloze_gen.recipes.lambada.people import GUESSING
from cloze_gen.records.judgement import Judge, Role
from cloze_gen.rng import stable_fraction
from cloze_gen.store.runs import read_run, stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet
from tests.conftest import Novels

GROUP = [f"s{n}" for n in range(14)]
REMADE = {"guesses", "passage set", "analysis"}


@dataclass(frozen=True)
class Judged:
    """A run that a test may have guessed, and the call that makes it."""

    out: Path
    cli: Callable[..., Any]
    books: Path

    @property
    def run(self):
        return self.out / "runs" / "tiny"

    def make(self, *more):
        return self.cli(
            "run",
            *Novels(self.books).options,
            "--name",
            "tiny",
            "--out",
            self.out,
            "--workers",
            "1",
            *more,
        )

    def stages(self):
        return {stage["label"]: stage["fingerprint"] for stage in read_run(self.run)["stages"]}

    def study(self, judges, name="study"):
        """A new study of its head."""
        folder, ranking = self.out / "judgements" / name, stage_artifact(self.run, "ranking")
        items, rules = (
            GUESSING.draw(self.run, StudySettings()),
            GUESSING.rules(read_run(self.run)["settings"]),
        )
        facts = make_study(
            folder, items, task=GUESSING.task, run="tiny", style="lambada-style", of={GUESSING.of: ranking.manifest["fingerprint"]},
            settings=StudySettings(), rules=rules,
        )  # fmt: skip
        study = Study(folder, GUESSING.rule(facts))
        study.add_judges([Judge(one, Role.JUDGE) for one in judges])
        return study

    def written(self, study):
        """The file of what people said."""
        file = study.folder / "verdicts.jsonl"
        file.write_text(GUESSING.verdicts(study), encoding="utf-8")
        return file


def targets_of(study):
    return {item.id: item.key["target"] for item in study.store.items()}


def guess_all(study, judge, targets, n=9999):
    """A judge guesses what is dealt: 7 of 10 passages, few sentences; returns the number dealt."""
    for count in range(n):
        one = study.next_open(judge)
        if one is None:
            return count
        share = 0.7 if one.condition == "passage" else 0.02
        knows = stable_fraction("knows", one.item + judge) < share
        guesses = [f" {targets[one.item].upper()}. "] if knows else []
        study.take(one, {"guesses": guesses}, verdict_id=f"{judge}-{one.id}", source="page")
    return n


def guess_until_one_is_kept(study, targets):
    """Everybody guesses a few at a time; most passages are still open then."""
    while not any(
        study.state().rule.outcome(case) == "kept" for case in study.state().cases.values()
    ):
        assert sum(guess_all(study, judge, targets, n=3) for judge in GROUP)


@pytest.fixture
def run(lambada, tmp_path, cli):
    """A copy of the finished run, with its books."""
    shutil.copytree(lambada.out.parent, tmp_path / "copy", symlinks=True)
    return Judged(tmp_path / "copy" / "out", cli, tmp_path / "copy" / "books")


@pytest.mark.slow
def test_a_study_from_the_first_page_to_the_set(run):
    study = run.study(GROUP)
    study.add_judges([Judge("robot", Role.MACHINE)])
    targets, before = targets_of(study), run.stages()
    guess_all(study, "robot", targets)
    while sum(guess_all(study, judge, targets, n=10) for judge in GROUP):
        pass
    assert study.state().finished
    made = run.make("--set", f"guessing.verdicts={run.written(study)}")
    assert made.status == 0, made.err
    assert {
        label for label, fingerprint in run.stages().items() if before[label] != fingerprint
    } == REMADE
    guesses = stage_artifact(run.run, "guesses")
    verdicts = read_parquet(guesses.path(GUESSED.name)).to_pydict()
    assert dict(zip(*verdicts.values(), strict=True)) == {
        one: study.state().rule.outcome(case) for one, case in study.state().cases.items()
    }
    kept = [one for one, verdict in zip(*verdicts.values(), strict=True) if verdict == "kept"]
    assert guesses.facts["judged"] == "human"
    assert 0 < guesses.facts["kept"] == len(kept) < guesses.facts["decided"] == len(verdicts["id"])
    records = [
        one
        for one in read_jsonl(run.run / "release" / "passages.jsonl")
        if one["split"] != "control"
    ]
    assert sorted(one["id"] for one in records) == sorted(kept)
    assert {(one["judged"], one["verdict"]) for one in records} == {("human", "kept")}
    rejected = (run.run / "release" / "rejected_plain_text.txt").read_text(encoding="utf-8")
    assert len(parse_plain_text(rejected)) == len(verdicts["id"]) - len(kept)
    told = (
        f"human (14 judges, {len(verdicts['id'])} decided, {len(kept)} kept, 0 open, 0 of these "
        "not shown to anyone)"
    )
    assert f"judged: {told}" in (run.run / "release" / "README.md").read_text(encoding="utf-8")
    signature = (run.run / "release" / "signature.txt").read_text(encoding="utf-8")
    assert "judged-human" in signature
    assert f"|judged:{told}|" in signature
    published = [
        path
        for path in run.run.rglob("*")
        if path.is_file() and path.suffix not in {".html", ".png", ".svg"}
    ]
    assert not [path for path in published if re.search(rb"\bs1[0-3]\b|robot", path.read_bytes())]
    trace = run.cli("trace", kept[0], "--run", "tiny", "--out", run.out).out
    assert len(re.findall(r"^ +passage +\d+ +\w.* +yes$", trace, re.MULTILINE)) == 2
    assert len(re.findall(r"^ +sentence +\d+ +- +no$", trace, re.MULTILINE)) == 10
    assert re.search(r"^ +verdict: kept \(the passage passes all steps\)$", trace, re.MULTILINE)


@pytest.mark.slow
def test_answers_make_the_last_stages_and_no_other(run, digests):
    """Without the file of verdicts the run is what it was, byte for byte."""
    before, stages = digests(run.run), run.stages()
    stored = {
        path: path.stat().st_mtime_ns
        for path in (run.out / "store").glob("*-*/**/*")
        if path.is_file()
    }
    study = run.study(GROUP)
    guess_until_one_is_kept(study, targets_of(study))
    file, log = run.written(study), run.out / "logs" / "tiny.log"
    response, kept_by_us = log.read_text(encoding="utf-8"), digests(run.out / "judgements")
    made = run.make("--set", f"guessing.verdicts={file}")
    assert made.status == 0, made.err
    worked = {
        line.partition(": ")[0]
        for line in log.read_text(encoding="utf-8").removeprefix(response).splitlines()
    }
    assert {stage for stage in run.stages() if any(stage in one for one in worked)} == REMADE
    answers = read_parquet(stage_artifact(run.run, "guesses").path(ANSWERS.name)).to_pylist()
    assert {1, 2} < {row["subject"] for row in answers} <= set(range(1, len(GROUP) + 1))
    verdicts = read_parquet(stage_artifact(run.run, "guesses").path(GUESSED.name)).to_pydict()
    of = dict(zip(verdicts["id"], verdicts["verdict"], strict=True))
    finished = stage_artifact(run.run, "passage set")
    kept = {
        one["id"]
        for one in read_jsonl(finished.path("passages.jsonl"))
        if one["split"] != "control"
    }
    fallen = {one["id"] for one in read_jsonl(finished.path("rejected.jsonl"))}
    assert kept == {one for one, verdict in of.items() if verdict == "kept"} != set()
    assert (
        fallen == {one for one, verdict in of.items() if verdict not in {"open", "kept"}} != set()
    )
    assert "open" in of.values()
    assert run.make().status == 0
    assert run.stages() == stages
    assert digests(run.run) == before
    assert {path: path.stat().st_mtime_ns for path in stored} == stored
    assert run.cli("doctor", "--store", run.out).status == 0
    assert digests(run.out / "judgements") == kept_by_us


@pytest.mark.slow
def test_the_file_is_known_by_its_content(run, tmp_path):
    """Moved elsewhere it makes the same set; one more answer makes another."""
    study = run.study(GROUP)
    targets = targets_of(study)
    guess_until_one_is_kept(study, targets)
    file = run.written(study)
    assert run.make("--set", f"guessing.verdicts={file}").status == 0
    stages = run.stages()
    moved = tmp_path / "elsewhere.jsonl"
    file.rename(moved)
    assert run.make("--set", f"guessing.verdicts={moved}").status == 0
    assert run.stages() == stages
    assert any(guess_all(study, judge, targets, n=1) for judge in GROUP)
    assert run.make("--set", f"guessing.verdicts={run.written(study)}").status == 0
    assert {label for label in stages if stages[label] != run.stages()[label]} == REMADE


def test_a_file_that_will_not_do_is_told(run):
    """Of another run, by other rules, none at all: one message, and the run stays as it was."""
    study = run.study(["ann"])
    study.next_open("ann")
    file, stages = run.written(study), run.stages()

    def refused(*more):
        outcome = run.make(*more)
        assert outcome.status == 2, outcome.err
        assert outcome.err.count("cloze-gen: ") == 1
        assert run.stages() == stages
        return str(outcome.err)

    assert "the study used guessing.passage_subjects = 2, but this run uses 3" in refused(
        "--set", f"guessing.verdicts={file}", "--set", "guessing.passage_subjects=3"
    )
    assert "nowhere.jsonl' (No such file" in refused("--set", "guessing.verdicts=nowhere.jsonl")
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace(f'"id": "{next(iter(targets_of(study)))}"', '"id": "emma:7"'), encoding="utf-8"
    )
    assert "the first is 'emma:7'" in refused("--set", f"guessing.verdicts={file}")


@pytest.mark.parametrize(
    ("subjects", "told"),
    [(1, "human (1 judge, 7 decided, 2 kept"), (1300, "human (1,300 judges, 7 decided, 2 kept")],
)
def test_whose_work_it_is(subjects, told):
    """How many people, and what they came to."""
    facts = {
        "judged": "human",
        "subjects": subjects,
        "decided": 7,
        "kept": 2,
        "open": 0,
        "not_shown": 0,
    }
    assert judged({"guesses": facts}).startswith(told)

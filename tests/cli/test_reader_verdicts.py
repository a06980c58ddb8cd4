"""Readers mark the questions of a run; a smaller set is chosen from what they leave."""

import json

import pytest

from cloze_gen.cli.judge_study import open_named_study
from cloze_gen.records.judgement import Judge, Role
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import QUESTIONS, REJECTED, read_jsonl, read_parquet

N = 8
FINE = {"fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}


@pytest.fixture
def larger(finished, tmp_path, cli):
    """A run whose questions ann reads."""
    run = finished.copy(tmp_path / "larger")
    study = cli("judge", "new", "tiny", "--judges", "ann", "--task", "read", "--each", "1", "--name", "read", "--out", run.out)  # fmt: skip
    assert study.status == 0, study.err
    return run


def questions_of(run, name="tiny"):
    folder = run.folder.parent / name
    questions = read_jsonl(stage_artifact(folder, "choice").path(QUESTIONS))
    return {question["id"]: question for question in questions}


def read_all(run, cli, marks, *, judges=("ann",)):
    """Every judge gives the right answer, but for what `marks` (id -> response) changes of ann's."""
    study, _ = open_named_study(run.out, "read")
    study.add_judges([Judge(judge, Role.MACHINE) for judge in judges if judge != "ann"])
    for judge in judges:
        while (assignment := study.next_open(judge)) is not None:
            answer = study.store.item(assignment.item).key["answer"]
            changed = marks.get(assignment.item, {}) if judge == "ann" else {}
            response = {"answer": answer, **FINE, **changed}
            study.take(assignment, response, verdict_id=f"{judge}-{assignment.id}", source="page")
    study.close()
    applied = cli("judge", "apply", "read", "--out", run.out)
    assert applied.status == 0, applied.err
    [file] = (run.out / "judgements" / "read").glob("verdicts-*.jsonl")
    assert f"--set choice.verdicts={file}" in applied.err
    return file


def choose(run, cli, file, *more):
    """A second run with these verdicts."""
    settings = (f"choice.n_questions={N}", f"choice.verdicts={file}", *more)
    arguments = [text for setting in settings for text in ("--set", setting)]
    return cli(*run.call(*arguments, name="other"))


def test_a_set_is_chosen_from_what_no_reader_marks(larger, cli):
    shown = questions_of(larger)
    wrong, vague, flat, torn, *fine = sorted(shown)
    answer = {
        item: question["options"].index(question["answer"]) for item, question in shown.items()
    }
    marks = {
        wrong: {"answer": (answer[wrong] + 1) % 5},
        vague: {"fits_as_well": [(answer[vague] + 1) % 5]},
        flat: {"trivial": True},
        torn: {"broken": True, "trivial": True},
    }
    file = read_all(larger, cli, marks)
    made = choose(larger, cli, file)
    assert made.status == 0, made.err
    assert f"{len(fine)} are left to choose from" in made.err
    chosen = questions_of(larger, "other")
    assert len(chosen) == N
    assert set(chosen) <= set(fine)
    assert all(set(chosen[item]["options"]) == set(shown[item]["options"]) for item in chosen)
    choice = stage_artifact(larger.folder.parent / "other", "choice")
    rejected = read_parquet(choice.path(REJECTED)).to_pylist()
    reasons = {row["id"]: row["reason"] for row in rejected}
    assert {item: reasons[item].removeprefix("readers_say_") for item in marks} == {
        wrong: "ambiguous",
        vague: "ambiguous",
        flat: "trivial",
        torn: "broken",
    }
    assert set(reasons.values()) >= {"not_read", "beyond_n_questions"}
    traced = cli("trace", flat, "--run", "other", "--out", larger.out)
    assert "readers_say_trivial" in traced.out
    card = (larger.out / "runs" / "other" / "release" / "README.md").read_text(encoding="utf-8")
    assert f"read: {len(shown)} questions, by human (1 judge" in card


def test_a_share_of_the_readers_may_mark_a_question(larger, cli):
    shown = questions_of(larger)
    marks = {item: {"trivial": True} for item in sorted(shown)[:3]}
    file = read_all(larger, cli, marks, judges=("ann", "model-x"))
    assert choose(larger, cli, file, "choice.max_marked=0.5").status == 0
    facts = stage_artifact(larger.folder.parent / "other", "choice").facts
    assert (facts["read"], facts["left"]) == (len(shown), len(shown))
    assert "model-x" in facts["read_by"]


def test_readers_who_mark_all_questions_leave_no_set(larger, cli):
    marks = {item: {"trivial": True} for item in questions_of(larger)}
    made = choose(larger, cli, read_all(larger, cli, marks))
    assert made.status == 2
    message = " ".join(made.err.split())
    assert f"readers marked all {len(marks)} questions" in message
    assert "Raise choice.max_marked" in message


def test_verdicts_of_other_questions_are_refused(larger, cli, tmp_path):
    file = read_all(larger, cli, {})
    header, *rows = file.read_text("utf-8").splitlines()

    def refusal(*changed):
        edited = tmp_path / "edited.jsonl"
        edited.write_text("\n".join((header, *changed, "")), encoding="utf-8")
        made = choose(larger, cli, edited)
        assert made.status in {1, 2}, made.err
        return " ".join(made.err.split())

    row = json.loads(rows[0])
    assert "has no verdicts" in refusal()
    foreign = json.dumps(row | {"id": "other-book:1:2"})
    assert "this run cannot ask 'other-book:1:2'" in refusal(*rows[1:], foreign)
    strange = json.dumps(row | {"options": [*row["options"][:-1], "aardvark"]})
    assert f"this run cannot ask '{row['id']}' with the options" in refusal(*rows[1:], strange)
    swapped = json.dumps(row | {"answer": (row["answer"] + 1) % 5})
    assert f"this run cannot ask '{row['id']}'" in refusal(*rows[1:], swapped)
    assert "has no valid `options`" in refusal(*rows[1:], json.dumps(row | {"options": None}))

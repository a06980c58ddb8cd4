"""A pool of questions, the readers' marks on it, and the set that is chosen from the rest."""

import json

import pytest

from cloze_gen.cli.judge_study import open_named_study
from cloze_gen.recipes.questions.pool import PoolReason
from cloze_gen.records.judgement import Judge, Role
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import QUESTIONS, REJECTED, read_jsonl, read_parquet

N, POOL = 8, 16
FINE = {"fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}


@pytest.fixture
def pooled(finished, tmp_path, cli):
    """A run of eight questions with a pool of sixteen, and a study of it: ann and a model read."""
    run = finished.copy(tmp_path / "pooled")
    made = cli(*run.call("--set", "choice.pool=2", "--set", f"choice.n_questions={N}"))
    assert made.status == 0, made.err
    study = cli("judge", "new", "tiny", "--judges", "ann", "--task", "read", "--each", "1", "--name", "pool", "--out", run.out)  # fmt: skip
    assert study.status == 0, study.err
    return run


def read_all(out, judge, mark, *, machine=False):
    """The judge gives the right answer to every question, but for what `mark` of it says."""
    study, _ = open_named_study(out, "pool")
    if machine:
        study.add_judges([Judge(judge, Role.MACHINE)])
    while (one := study.next_open(judge)) is not None:
        answer = study.store.item(one.item).key["answer"]
        response = {"answer": answer, **FINE, **mark(one.item, answer)}
        study.take(one, response, verdict_id=f"{judge}-{one.id}", source="page")
    study.close()
    return study


def of_stage(run, stage):
    return list(read_jsonl(stage_artifact(run.folder, stage).path(QUESTIONS)))


def test_the_set_is_chosen_from_what_no_reader_marks(pooled, cli):
    pool = {one["id"]: one for one in of_stage(pooled, "pool")}
    assert len(pool) == POOL
    assert {one["id"] for one in of_stage(pooled, "choice")} < set(pool)
    wrong, vague, flat, torn, *fine = sorted(pool)
    marks = {vague: lambda answer: {"fits_as_well": [(answer + 1) % 5]}, wrong: lambda answer: {"answer": (answer + 1) % 5},
             flat: lambda _: {"trivial": True}}  # fmt: skip
    read_all(pooled.out, "ann", lambda item, answer: marks.get(item, lambda _: {})(answer))
    read_all(pooled.out, "model-x", lambda item, _: {"broken": item == torn}, machine=True)
    applied = cli("judge", "apply", "pool", "--out", pooled.out)
    assert applied.status == 0, applied.err
    assert "human (1 judge, " in applied.err
    assert "model-x: 12 are left" in applied.err
    chosen = {one["id"]: one for one in of_stage(pooled, "choice")}
    assert len(chosen) == N
    assert set(chosen) <= set(fine)
    for item, one in chosen.items():
        assert set(one["options"]) == set(pool[item]["options"])
    rows = read_parquet(stage_artifact(pooled.folder, "choice").path(REJECTED)).to_pylist()
    reasons = {row["id"]: row["reason"] for row in rows}
    assert {item: reasons[item] for item in (wrong, vague, flat, torn)} == {
        wrong: "readers_say_ambiguous",
        vague: "readers_say_ambiguous",
        flat: "readers_say_trivial",
        torn: "readers_say_broken",
    }
    outside = read_parquet(stage_artifact(pooled.folder, "pool").path(REJECTED)).to_pylist()[0]
    for item, reason in ((flat, "readers_say_trivial"), (outside["id"], outside["reason"])):
        traced = cli("trace", item, "--run", "tiny", "--out", pooled.out)
        assert f": {reason}" in " ".join(traced.out.split())
    card = (pooled.release / "README.md").read_text(encoding="utf-8")
    assert "16 questions read by human (1 judge" in card
    assert "and model-x; the set" in card


def test_a_share_of_the_readers_may_mark_a_question(pooled, cli):
    flat = min(one["id"] for one in of_stage(pooled, "pool"))
    read_all(pooled.out, "ann", lambda item, _: {"trivial": item == flat})
    read_all(pooled.out, "model-x", lambda *_: {}, machine=True)
    assert cli("judge", "apply", "pool", "--out", pooled.out, "--set", "choice.max_marked=0.5").status == 0  # fmt: skip
    facts = json.loads(
        (stage_artifact(pooled.folder, "choice").folder / "manifest.json").read_text("utf-8")
    )["facts"]
    assert (facts["pool"], facts["left"]) == (POOL, POOL)


def test_a_choice_that_depends_on_the_order_is_no_reading(pooled, cli):
    """A model alone reads: a question that it answers by place is left out as not read."""
    lost = min(one["id"] for one in of_stage(pooled, "pool"))
    study, _ = open_named_study(pooled.out, "pool")
    study.add_judges([Judge("model-x", Role.MACHINE)])
    while (one := study.next_open("model-x")) is not None:
        answer = study.store.item(one.item).key["answer"]
        answers = (answer, (answer + (one.item == lost)) % 5)
        study.take_of_model(
            one,
            [{"answer": place, **FINE} for place in answers],
            verdict_id=one.id,
            seconds=1.0,
            source="endpoint h, model x, seed 1",
        )
    study.close()
    assert cli("judge", "apply", "pool", "--out", pooled.out).status == 0
    rows = read_parquet(stage_artifact(pooled.folder, "choice").path(REJECTED)).to_pylist()
    read_out = {row["id"]: row["reason"] for row in rows if row["reason"] in set(PoolReason)}
    assert read_out == {lost: "not_read"}
    [file] = (pooled.out / "judgements" / "pool").glob("verdicts-*.jsonl")
    rules = json.loads(file.read_text("utf-8").split("\n")[0])["rules"]
    assert rules["order_dependent"] == {"1": [1, POOL]}
    assert rules["sources"] == {"1": ["endpoint h, model x, seed 1"]}
    card = (pooled.release / "README.md").read_text(encoding="utf-8")
    assert "16 questions read by model-x; the set" in card


def test_questions_that_nobody_read_are_left_out(pooled, cli):
    study, _ = open_named_study(pooled.out, "pool")
    one = study.next_open("ann")
    assert one is not None
    answer = study.store.item(one.item).key["answer"]
    study.take(one, {"answer": answer, **FINE}, verdict_id="first", source="page")
    study.close()
    applied = cli("judge", "apply", "pool", "--out", pooled.out)
    assert "1 are left to choose from" in applied.err
    assert [found["id"] for found in of_stage(pooled, "choice")] == [one.item]


@pytest.mark.slow
def test_verdicts_of_another_pool_are_refused(pooled, cli):
    read_all(pooled.out, "ann", lambda *_: {})
    assert cli("judge", "apply", "pool", "--out", pooled.out).status == 0
    [file] = (pooled.out / "judgements" / "pool").glob("verdicts-*.jsonl")
    other = cli(
        *pooled.call("--set", "choice.pool=2", "--set", f"choice.n_questions={N}", "--seed", "7", "--set", f"choice.verdicts={file}", name="other")
    )  # fmt: skip
    assert other.status == 2
    assert "choice.verdicts: the verdicts are about another pool" in other.err


def test_a_finished_set_of_a_pool_is_read_as_a_release(pooled, cli):
    read_all(pooled.out, "ann", lambda *_: {})
    assert cli("judge", "apply", "pool", "--out", pooled.out).status == 0
    assert cli("judge", "new", "tiny", "--judges", "bob", "--task", "read", "--name", "set", "--out", pooled.out).status == 0  # fmt: skip
    study, source = open_named_study(pooled.out, "set")
    assert (source.of, study.facts.items) == ("release", N)
    study.close()

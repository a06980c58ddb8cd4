"""A whole round of grooming with scripted judges, whose errors are known beforehand."""

import json
import shutil
from itertools import combinations

import numpy as np
import pytest

from cloze_gen.cli.judge_study import open_named_study
from cloze_gen.judging.database import read_facts
from cloze_gen.judging.study import study_agreement
from cloze_gen.recipes.msr.grooming.people import read_groomed
from cloze_gen.records.judgement import Task
from cloze_gen.rng import derive_rng
from cloze_gen.store.tables import read_jsonl
from tests.cases.studies import make_tiny_study

N_CANDIDATES, N_PICKED = 80, 4  # as forward.keep of the sample
# of the four right candidates, how many a judge leaves for wrong ones
MISSES = {"ann": 0.05, "bob": 0.12, "cara": 0.25}
# sentences that are no question; a judge's errors there
REJECTED, WRONGLY_REJECTED, WRONGLY_KEPT = (0.3, 0.06, 0.1)


def right_four(item):
    """What a judge without error picks."""
    return sorted(item.shown["candidates"])[:N_PICKED]


def is_no_question(item):
    return bool(derive_rng(1, "tests.no_question", item.id).random() < REJECTED)


def says(judge, item):
    """A scripted judge's verdict: each right candidate may be missed, a wrong one replaces it."""
    rng = derive_rng(1, "tests.judges", f"{judge}:{item.id}")
    if (
        (rng.random() < 1 - WRONGLY_KEPT)
        if is_no_question(item)
        else (rng.random() < WRONGLY_REJECTED)
    ):
        return {"rejected": "context_insufficient", "note": ""}
    right = [word for word in right_four(item) if rng.random() >= MISSES[judge]]
    wrong = sorted(set(item.shown["candidates"]) - set(right_four(item)))
    taken = [wrong[i] for i in rng.permutation(len(wrong))[: N_PICKED - len(right)]]
    return {"picked": [*right, *taken]}


def judge_all(study):
    for judge in MISSES:
        while (one := study.next_open(judge)) is not None:
            response = says(judge, study.store.item(one.item))
            study.take(one, response, verdict_id=f"{judge}-{one.id}", seconds=20.0, source="import")


def expected_alpha(misses):
    """Of `picked`, from the judges' error rates (Krippendorff 2011)."""
    share = N_PICKED / N_CANDIDATES
    apart = []
    for one, other in combinations(misses.values(), 2):
        false_one, false_other = (rate * share / (1 - share) for rate in (one, other))
        of_right = one * (1 - other) + other * (1 - one)
        of_wrong = false_one * (1 - false_other) + false_other * (1 - false_one)
        apart.append(share * of_right + (1 - share) * of_wrong)
    return float(1 - np.mean(apart) / (2 * share * (1 - share)))


@pytest.fixture(scope="module")
def study(finished, tmp_path_factory, cli):
    """A finished round over a pool of 200 focus words."""
    out = tmp_path_factory.mktemp("round") / "out"
    shutil.copytree(finished.out, out, symlinks=True)
    assert (
        cli(
            "judge", "new", "tiny", "--out", out, "--pool", "200", "--judges", ",".join(MISSES)
        ).status
        == 0
    )
    opened, _ = open_named_study(out, "tiny-groom")
    judge_all(opened)
    return opened


@pytest.fixture(scope="module")
def found(study):
    return study_agreement(study, is_right=str.__eq__)


@pytest.mark.slow
def test_alpha_is_what_the_errors_make_it(found):
    """The alpha that follows from the judges' known errors lies within the interval that was found."""
    alpha = found.alphas["picked"]
    assert alpha.low is not None
    assert alpha.high is not None
    assert alpha.low <= expected_alpha(MISSES) <= alpha.high
    assert alpha.high - alpha.low < 0.1


@pytest.mark.slow
def test_the_verdict_is_the_truth_more_often_than_any_judge(study, cli):
    out = study.folder.parent.parent
    assert cli("judge", "apply", study.facts.name, "--no-run", "--out", out).status == 0
    (file,) = study.folder.glob("verdicts-*.jsonl")
    fit = [row for row in read_groomed(str(file)).rows if row["verdict"] == "fit"]
    items = {item.id: item for item in study.store.items()}
    share = np.mean(
        [len(set(row["picked"]) & set(right_four(items[row["id"]]))) / N_PICKED for row in fit]
    )
    assert len(fit) > 40
    assert share > 1 - min(MISSES.values())


# ---- what judges said made the run's own


def first_four(study, one):
    """A judge of firm taste: the candidates that come first in the alphabet."""
    words = study.seen(one)["candidates"]
    return {"picked": sorted(words)[:4]}


def judge_all_judge_apply(out, name, say=first_four):
    study, _ = open_named_study(out, name)
    for judge in study.state().judges:
        while (one := study.next_open(judge)) is not None:
            study.take(
                one, say(study, one), verdict_id=f"{judge}-{one.id}", seconds=5.0, source="import"
            )
    study.close()


def stages_of(run):
    return {
        one["label"]: one["fingerprint"]
        for one in json.loads((run / "run.json").read_text(encoding="utf-8"))["stages"]
    }


def release_bytes(run):
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in sorted((run / "release").rglob("*"))
        if path.is_file()
    }


@pytest.mark.slow
def test_a_round_of_grooming_makes_the_set(copied, cli):
    """Without the study the run is what it was, byte for byte."""
    out, run = copied.out, copied.folder
    before, bytes_before = stages_of(run), release_bytes(run)
    assert (
        cli(
            "judge",
            "new",
            "tiny",
            "--out",
            out,
            "--pool",
            "20",
            "--judges",
            "ann,bob",
            "--each",
            "2",
        ).status
        == 0
    )
    judge_all_judge_apply(out, "tiny-groom")
    outcome = cli("judge", "apply", "tiny-groom", "--out", out)
    assert outcome.status == 0, outcome.err
    after = stages_of(run)
    assert {label for label in after if after[label] != before[label]} == {"grooming", "choice"}
    candidates = {
        one["id"]: sorted(each["word"] for each in one["candidates"])
        for one in read_jsonl(copied.release / "candidates.jsonl")
    }
    questions = list(read_jsonl(copied.release / "questions.jsonl"))
    assert questions
    for question in questions:
        assert (
            sorted(set(question["options"]) - {question["answer"]})
            == candidates[question["id"]][:4]
        )
    told = "human (2 judges, alpha 1.00)"
    for file in ("README.md", "signature.txt", "report.html"):
        assert told in (copied.release / file).read_text(encoding="utf-8")
    assert "has the answer's Penn tag" not in (copied.release / "README.md").read_text(
        encoding="utf-8"
    )
    assert cli("verify", copied.release).status == 0
    shown = cli("judge", "new", "tiny", "--name", "again", "--show-machine", "--out", out)
    assert (shown.status, "was groomed by people" in shown.err) == (2, True), shown.err
    assert "candidate_not_picked_by_judges" in cli("trace", questions[0]["id"], "--out", out).out
    assert (
        cli("run", *copied.corpus.options, "--name", "tiny", "--out", out, "--workers", "1").status
        == 0
    )
    assert release_bytes(run) == bytes_before


def test_no_name_leaves_the_study(copied, cli):
    cli(
        "judge",
        "new",
        "tiny",
        "--out",
        copied.out,
        "--pool",
        "4",
        "--judges",
        "Annabella,Bartholomew",
        "--each",
        "2",
    )
    judge_all_judge_apply(copied.out, "tiny-groom")
    assert cli("judge", "apply", "tiny-groom", "--no-run", "--out", copied.out).status == 0
    (file,) = (copied.out / "judgements" / "tiny-groom").glob("verdicts-*.jsonl")
    assert "Annabella" not in file.read_text(encoding="utf-8")
    told = cli("judge", "status", "tiny-groom", "--out", copied.out).out
    assert "Annabella, Bartholomew" in told


def test_verdicts_of_another_run_are_refused(copied, cli):
    """What judges picked elsewhere makes no set here; nothing of the run is changed."""
    before = release_bytes(copied.folder)
    cli(
        "judge", "new", "tiny", "--out", copied.out, "--pool", "4", "--judges", "ann", "--each", "1"
    )
    judge_all_judge_apply(copied.out, "tiny-groom")
    cli("judge", "apply", "tiny-groom", "--no-run", "--out", copied.out)
    (file,) = (copied.out / "judgements" / "tiny-groom").glob("verdicts-*.jsonl")
    text = file.read_text(encoding="utf-8")
    picked = json.loads(text.splitlines()[1])["picked"][0]
    wrong = copied.out / "wrong.jsonl"
    for change, says in (
        ((f'"{picked}"', '"zzzz"'), "not among its candidates"),
        (('"id": "', '"id": "other-'), "are not in this run"),
    ):
        wrong.write_text(text.replace(*change), encoding="utf-8")
        outcome = cli(
            "run",
            *copied.corpus.options,
            "--name",
            "tiny",
            "--out",
            copied.out,
            "--set",
            f"grooming.verdicts={wrong}",
        )
        assert (outcome.status, says in outcome.err) == (2, True), outcome.err
    assert release_bytes(copied.folder) == before


def test_no_more_is_made_anew_than_what_people_said(copied, cli):
    cli(
        "judge", "new", "tiny", "--pool", "3", "--judges", "ann", "--each", "1", "--out", copied.out
    )
    judge_all_judge_apply(copied.out, "tiny-groom")
    before = stages_of(copied.folder)
    outcome = cli("judge", "apply", "tiny-groom", "--set", "forward.keep=20", "--out", copied.out)
    assert (
        outcome.status,
        "stages that do not depend on the verdicts would run again: forward" in outcome.err,
    ) == (1, True), outcome.err
    [file] = (copied.out / "judgements" / "tiny-groom").glob("verdicts-*")
    assert f"grooming.verdicts={file}" in outcome.out
    assert stages_of(copied.folder) == before


def test_nothing_said_is_nothing_applied(copied, cli):
    """A study without a verdict leaves the run alone and says who asks."""
    cli("judge", "new", "tiny", "--out", copied.out, "--judges", "ann")
    outcome = cli("judge", "apply", "tiny-groom", "--out", copied.out)
    assert (outcome.status, "no verdicts yet" in outcome.err) == (2, True)


def test_a_file_that_was_changed_is_not_applied(copied, cli):
    cli(
        "judge", "new", "tiny", "--pool", "2", "--judges", "ann", "--each", "1", "--out", copied.out
    )
    judge_all_judge_apply(copied.out, "tiny-groom")
    cli("judge", "apply", "tiny-groom", "--no-run", "--out", copied.out)
    (file,) = (copied.out / "judgements" / "tiny-groom").glob("verdicts-*.jsonl")
    file.write_text("mine", encoding="utf-8")
    outcome = cli("judge", "apply", "tiny-groom", "--no-run", "--out", copied.out)
    assert (
        outcome.status,
        "was changed after" in outcome.err,
        file.read_text(encoding="utf-8"),
    ) == (2, True, "mine")


# ---- studies found and opened


@pytest.fixture
def out(tmp_path):
    """An output folder with one study."""
    (tmp_path / "judgements").mkdir()
    make_tiny_study(tmp_path / "judgements" / "tiny", Task.GROOM, n=2, judges="ann,bob").close()
    return tmp_path


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--task", "sing"), "'sing' is not one of 'groom', 'guess', 'read', 'fill'"),
        (("--task", "guess"), "has no judging task 'guess'"),
        (("--each", "0"), "--each"),
        (("--task", "read", "--draw", "balanced"), "--draw"),
        (("--task", "read", "--show-machine"), "--show-machine"),
        (("--pool", "-1"), "--pool"),
        (("--draw", "best"), "--draw"),
        (("--judges", "a/b"), "part of file names"),
        (("--judges", "ann,Ann"), "only in case"),
        (("--name", "../evil"), "use only A-Z"),
        (("--with", "nowhere.txt"), "--with"),
    ],
)
def test_a_study_that_cannot_be_made(options, says, finished, tmp_path, cli):
    """One message that names the option, status 2, and no study."""
    shutil.copytree(finished.out / "runs", tmp_path / "runs", symlinks=True)
    (tmp_path / "store").symlink_to(finished.out / "store")
    task = () if "--task" in options else ("--task", "groom")
    outcome = cli("judge", "new", "tiny", *task, *options, "--out", tmp_path)
    assert (outcome.status, says in outcome.err) == (2, True), outcome.err
    assert not list(tmp_path.glob("judgements/*"))


@pytest.mark.parametrize(
    ("options", "each", "warns"),
    [
        (("--judges", "ann,bob, ann"), 2, False),
        (("--judges", "ann,bob,cara,dan"), 4, False),
        (("--judges", "ann,bob", "--each", "3"), 3, True),
        ((), 3, False),
    ],
)
def test_all_named_judges_judge_each_item(options, each, warns, copied, cli):
    """Unless --each says otherwise; three where no judges are named."""
    made = cli("judge", "new", "tiny", "--pool", "2", *options, "--out", copied.out)
    assert made.status == 0
    assert ("Each item needs" in made.err) == warns
    assert read_facts(copied.out / "judgements" / "tiny-groom").settings["each"] == each


def test_a_study_is_never_written_over(copied, cli):
    """The second of a name is refused, and the first is as it was."""
    assert (
        cli("judge", "new", "tiny", "--pool", "3", "--judges", "ann", "--out", copied.out).status
        == 0
    )
    before = (copied.out / "judgements" / "tiny-groom" / "study.sqlite").read_bytes()
    outcome = cli("judge", "new", "tiny", "--pool", "4", "--out", copied.out)
    assert (outcome.status, "already exists" in outcome.err) == (2, True)
    assert (copied.out / "judgements" / "tiny-groom" / "study.sqlite").read_bytes() == before


@pytest.mark.slow
def test_a_changed_run_is_noticed(copied, cli):
    """Whoever looks at the study is told; and what was said still stands."""
    cli("judge", "new", "tiny", "--pool", "3", "--judges", "ann", "--out", copied.out)
    assert "has changed" not in cli("judge", "status", "tiny-groom", "--out", copied.out).err
    other = ("--name", "tiny", "--out", copied.out, "--workers", "1", "--set", "forward.keep=20")
    assert cli("run", *copied.corpus.options, *other).status == 0
    assert (
        "has changed since the study was created"
        in cli("judge", "status", "tiny-groom", "--out", copied.out).err
    )
    shutil.rmtree(copied.folder)
    gone = cli("judge", "status", "tiny-groom", "--out", copied.out)
    assert (gone.status, "cannot read its run" in gone.err) == (0, True)


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (lambda study: (study / "study.sqlite").unlink(), "no study 'tiny'"),
        (
            lambda study: (study / "study.sqlite").write_bytes(b"x" * 4096),
            "not a readable study",
        ),
    ],
)
def test_a_damaged_study_is_one_message(harm, says, out, cli):
    """It says what is wrong; nothing is taken for a study that is none."""
    for file in (out / "judgements" / "tiny").glob("study.sqlite-*"):
        file.unlink()
    harm(out / "judgements" / "tiny")
    outcome = cli("judge", "status", "tiny", "--out", out)
    assert (outcome.status, says in outcome.err, "unexpected error" not in outcome.err) == (
        2,
        True,
        True,
    ), outcome.err


def test_a_study_is_found_by_name_and_path(out, cli, tmp_path):
    """A copy elsewhere can be looked at; its run cannot, which is said."""
    shutil.copytree(out / "judgements" / "tiny", tmp_path / "elsewhere")
    assert (
        cli("judge", "status", "tiny", "--out", out).out
        == cli("judge", "status", tmp_path / "elsewhere").out
    )
    assert open_named_study(out, "tiny")[0].facts.name == "tiny"

"""A whole round of grooming with scripted judges, whose errors are known beforehand."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
import pytest

from cloze_gen.commands.studies import open_for
from cloze_gen.judging.study_agreement import StudyAgreement
from cloze_gen.recipes.msr.stages.human_grooming import read_groomed
from cloze_gen.records.judgement import StudyItem
from cloze_gen.rng import derive_rng
from cloze_gen.studies.agreement import measured
from cloze_gen.studies.study import Study
from tests.conftest import FinishedRun, Outcome

Cli = Callable[..., Outcome]
N_CANDIDATES, N_PICKED = 30, 4
MISSES = {"ann": 0.05, "bob": 0.12, "cara": 0.25}  # of the four right candidates, how many a judge leaves for wrong ones
REJECTED, WRONGLY_REJECTED, WRONGLY_KEPT = 0.3, 0.06, 0.1  # sentences that are no question; a judge's errors there


def right_four(item: StudyItem) -> list[str]:
    """What a judge without error picks."""
    return sorted(item.shown["candidates"])[:N_PICKED]


def is_no_question(item: StudyItem) -> bool:
    return bool(derive_rng(1, "tests.no_question", item.id).random() < REJECTED)


def says(judge: str, item: StudyItem) -> dict[str, object]:
    """What a scripted judge says: each right candidate is missed by itself, and a wrong one of all takes its place."""
    rng = derive_rng(1, "tests.judges", f"{judge}:{item.id}")
    if (rng.random() < 1 - WRONGLY_KEPT) if is_no_question(item) else (rng.random() < WRONGLY_REJECTED):
        return {"rejected": "context_too_little", "note": ""}
    right = [word for word in right_four(item) if rng.random() >= MISSES[judge]]
    wrong = sorted(set(item.shown["candidates"]) - set(right_four(item)))
    taken = [wrong[i] for i in rng.permutation(len(wrong))[: N_PICKED - len(right)]]
    return {"picked": {*right, *taken}}


def judge_all(study: Study) -> None:
    for judge in MISSES:
        while (one := study.next_open(judge)) is not None:
            words, said = study.seen(one)["candidates"], says(judge, study.store.item(one.item))
            given = {"picked": [place for place, word in enumerate(words) if word in said["picked"]]} if "picked" in said else said
            study.take(one, given, verdict_id=f"{judge}-{one.id}", seconds=20.0, source="import")


def expected_alpha(misses: Mapping[str, float]) -> float:
    """Of `picked`, from the judges' error rates: one less the disagreement of pairs over that of chance (Krippendorff 2011)."""
    share = N_PICKED / N_CANDIDATES
    apart = []
    for one, other in combinations(misses.values(), 2):
        false_one, false_other = (rate * share / (1 - share) for rate in (one, other))
        of_right = one * (1 - other) + other * (1 - one)
        of_wrong = false_one * (1 - false_other) + false_other * (1 - false_one)
        apart.append(share * of_right + (1 - share) * of_wrong)
    return float(1 - np.mean(apart) / (2 * share * (1 - share)))


@pytest.fixture(scope="module")
def study(finished: FinishedRun, tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Study:
    """A finished round over a pool of 200 focus words."""
    out = tmp_path_factory.mktemp("round") / "out"
    shutil.copytree(finished.out, out, symlinks=True)
    assert cli("judge", "new", "tiny", "--out", out, "--pool", "200", "--judges", ",".join(MISSES)).status == 0
    opened, _ = open_for(out, "tiny-groom")
    judge_all(opened)
    return opened


@pytest.fixture(scope="module")
def found(study: Study) -> StudyAgreement:
    return measured(study, is_right=str.__eq__)


@pytest.mark.slow
def test_alpha_is_what_the_errors_make_it(found: StudyAgreement) -> None:
    """The alpha that follows from the judges' known errors lies within the interval that was found."""
    alpha = found.alphas["picked"]
    assert alpha.low is not None
    assert alpha.high is not None
    assert alpha.low <= expected_alpha(MISSES) <= alpha.high
    assert alpha.high - alpha.low < 0.1


@pytest.mark.slow
def test_errors_are_estimated_within_their_intervals(found: StudyAgreement) -> None:
    """Of every judge the shares of right candidates missed and of wrong ones picked, estimated without a key: of six at most one is outside
    its 95 % interval and none far off; and who errs most is told to err most."""
    rates = found.error_rates["picked"]
    left, picked = rates.labels.index("left"), rates.labels.index("picked")
    estimates, outside = {}, 0
    for place, judge in enumerate(rates.judges):
        estimates[judge] = rates.confusion[place, picked, left]
        for truth, said, known in ((picked, left, MISSES[judge]), (left, picked, MISSES[judge] * N_PICKED / (N_CANDIDATES - N_PICKED))):
            low, high = rates.confusion_low[place, truth, said], rates.confusion_high[place, truth, said]
            outside += not low <= known <= high
            assert 2 * low - high <= known <= 2 * high - low
    assert outside <= 1
    assert sorted(estimates, key=estimates.__getitem__) == sorted(MISSES, key=MISSES.__getitem__)


@pytest.mark.slow
def test_the_verdict_is_the_truth_more_often_than_any_judge(study: Study, cli: Cli) -> None:
    """Of what most kept and agreed on, the four are the right ones oftener than the best judge's are."""
    out = study.folder.parent.parent
    assert cli("judge", "apply", study.facts.name, "--no-run", "--out", out).status == 0
    (file,) = study.folder.glob("verdicts-*.jsonl")
    fit = [row for row in read_groomed(str(file)).rows if row["verdict"] == "fit"]
    items = {item.id: item for item in study.store.items()}
    share = np.mean([len(set(row["picked"]) & set(right_four(items[row["id"]]))) / N_PICKED for row in fit])
    assert len(fit) > 80
    assert share > 1 - min(MISSES.values())

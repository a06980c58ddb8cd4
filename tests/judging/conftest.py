"""One item of each task, with texts that a spreadsheet, XML or a prompt could misread."""

import numpy as np
import pytest

from cloze_gen.judging.exchange import PacketRow
from cloze_gen.judging.tasks.groom import RejectReason
from cloze_gen.judging.tasks.task import Judged
from cloze_gen.records.judgement import StudyItem, Task
from cloze_gen.rng import derive_rng

WORDS = ["owl", "'Tis", "=lamp", "3", "sea", "Map", "cup", "-ear", "naïve", "@home"]


@pytest.fixture
def rows():
    """By task; the id of each assignment is the task's name."""
    return {
        "groom": PacketRow("groom", "bo", "groom", "", {"before": "=He said, “", "answer": "cat", "after": "” & <b>", "candidates": WORDS}),
        "guess": PacketRow("guess", "bo", "guess", "sentence", {"text": "He ate the _____, \"she\" said;\nso?", "guesses": 3}),
        "read": PacketRow("read", "bo", "read", "", {"before": "A ", "after": " sat.", "options": ["+cat", "owl", "bc", "I", "sea"]}),
        "fill": PacketRow(
            "fill", "bo", "fill", "",
            {
                "parts": ["It rained.", {"blank": 1}, "They left.", {"blank": 2}],
                "candidates": ["One; 2 two.", "1 One.", "Sun,\tsnow.", "=Four."],
            },
        ),
    }  # fmt: skip


@pytest.fixture
def packet_of(rows):
    """What the study knows of an assignment's id."""
    return rows.get


# ---- scripted judges

CANDIDATES = tuple(f"word{n:02}" for n in range(30))
OPTIONS = ("boat", "skiff", "carriage", "hat", "owl")


def binary_ratings(errors, n, *, seed, positive=0.3):
    """Yes/no labels of n items by judges with (P(no | yes), P(yes | no))."""
    rng = derive_rng(seed, "tests.judging.binary")
    ratings = {}
    for item in range(n):
        true = rng.random() < positive
        ratings[(f"i{item}",)] = {
            judge: "yes" if (rng.random() >= miss if true else rng.random() < false_yes) else "no"
            for judge, (miss, false_yes) in sorted(errors.items())
        }
    return ratings


def groom_study(errors, n, *, seed, good=0.8):
    """Grooming by judges with their own error rates.

    Args:
        errors: judge -> (P(rejected | good), P(kept | bad)).
    """
    rng = derive_rng(seed, "tests.judging.groom")
    response = []
    for number in range(n):
        item = StudyItem(f"b:{number}", (), {"candidates": list(CANDIDATES)}, {}, "run")
        is_good = rng.random() < good
        for judge, (rejects_good, keeps_bad) in errors.items():
            kept = rng.random() >= rejects_good if is_good else rng.random() < keeps_bad
            appeal = np.where(np.arange(30) < 6, 3.0, 0.0) + rng.gumbel(size=30)
            picked = [CANDIDATES[place] for place in sorted(np.argsort(-appeal)[:4].tolist())]
            verdict = (
                {"picked": picked} if kept else {"rejected": str(RejectReason.UNCLEAR), "note": ""}
            )
            response.append(Judged(item, judge, verdict, seconds=5 + 10 * rng.random()))
    return Task.GROOM, response


def read_study(right, n, *, seed):
    """Reading by judges who mark single options; `right` is judge -> P(the answer is found)."""
    rng = derive_rng(seed, "tests.judging.read")
    answers = [int(rng.integers(5)) for _ in range(n)]
    response = []
    for number, answer in enumerate(answers):
        item = StudyItem(f"q:{number}", (), {"options": list(OPTIONS)}, {"answer": answer}, "run")
        ambiguous = rng.random() < 0.2
        for judge, rate in right.items():
            given = answer if rng.random() < rate else (answer + 1) % 5
            marks = [(given + 1) % 5] if ambiguous and rng.random() < 0.8 else []
            verdict = read_verdict(
                given, fits_as_well=marks, trivial=rng.random() < 0.1 and not marks
            )
            response.append(Judged(item, judge, verdict, seconds=8.0))
    return Task.READ, response


def read_verdict(
    answer,
    *,
    fits_as_well=(),
    ungrammatical=(),
    broken=False,
    trivial=False,
):
    """What a reader says."""
    marks = {"fits_as_well": list(fits_as_well), "ungrammatical": list(ungrammatical)}
    return {"answer": answer, **marks, "broken": bool(broken), "trivial": bool(trivial)}

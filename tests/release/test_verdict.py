"""Tests of the verdict on a set: each limit, the evidence used, and the same words everywhere."""

import html
import json
import re
from dataclasses import replace
from math import prod
from pathlib import Path

import pytest

from cloze_gen.evaluation.blanks import BlankEvaluation
from cloze_gen.evaluation.metrics import wilson_interval
from cloze_gen.evaluation.passages import PassageEvaluation, PassageRow
from cloze_gen.evaluation.questions import QuestionEvaluation, QuestionRow
from cloze_gen.pipelines.lambada_style import judged as judged_by
from cloze_gen.recipes.lambada.release import JUDGED
from cloze_gen.records.question import Question
from cloze_gen.records.release_facts import verdict_text
from cloze_gen.release.card import _verdict
from cloze_gen.release.html import render_report
from cloze_gen.release.verdict import (
    BAD,
    CARE,
    GOOD,
    LIMITS,
    UNKNOWN,
    Finding,
    Verdict,
    blank_verdict,
    expected_marks,
    passage_verdict,
    question_verdict,
)
from tests.conftest import RUN_FIXTURES

_ADVERSARIES = [name for name in LIMITS if name.startswith("adversary-")]
WORDS = ("ant", "bee", "cow", "dog", "elk")


def questions(n=1040):
    return [Question(f"b:{i}:1", "b", ("An", "ant", "."), 1, WORDS, 0) for i in range(n)]


def candidates(fits, plausible, n=1040):
    marks = {"fits_as_well": fits, "plausible": plausible}
    return [
        {"id": f"b:{i}:1", "candidates": [{"word": word} | marks for word in WORDS[1:]]}
        for i in range(n)
    ]


def adversary(accuracy, n=1040, *, name="adversary-scores"):
    """A row as `AdversaryResult.row` makes it: the best of four variants."""
    low, high = wilson_interval(round(accuracy * n), n, tried=4)
    return QuestionRow(
        name=name, kind="adversary", accuracy=accuracy, low=low, high=high, n=n, chance=0.2,
        corrected_for=4,
    )  # fmt: skip


def evaluated(*rows, **more):
    return QuestionEvaluation(n=1040, chance=0.2, baselines=rows, **more)


def judged(evaluation, n=1040, **choice):
    return question_verdict(questions(n), evaluation, choice=choice, candidates=())


def finding(verdict, rule):
    [found] = [one for one in verdict.findings if one.rule == rule]
    return found


@pytest.mark.parametrize("name", _ADVERSARIES)
@pytest.mark.parametrize(
    ("end", "step", "level"),
    [("good", 0.0, GOOD), ("good", 0.001, CARE), ("bad", -0.001, CARE), ("bad", 0.0, BAD)],
)
def test_a_leak_is_judged_by_the_end_of_its_interval(name, end, step, level):
    at = 0.2 + 0.8 * (getattr(LIMITS[name], end) + step)
    low, high = (0.2, at + 1e-12) if end == "good" else (at, 0.99)
    high -= 2e-12 if end == "good" else 0
    low += 1e-12 if end == "bad" else 0
    row = adversary(0.3, name=name).model_copy(update={"low": low, "high": high})
    sure = adversary(0.2, 10_000)
    rows = [row] if name == "adversary-scores" else [sure, row]
    assert finding(judged(evaluated(*rows)), "leak").level == level


def test_the_same_accuracy_of_fewer_questions_or_more_variants_is_less_sure():
    assert finding(judged(evaluated(adversary(0.26))), "leak").level == GOOD
    assert finding(judged(evaluated(adversary(0.26, 200))), "leak").level == CARE
    borderline = adversary(0.289)
    low, high = wilson_interval(round(0.289 * 1040), 1040)
    one_variant = borderline.model_copy(update={"low": low, "high": high, "corrected_for": 1})
    levels = [finding(judged(evaluated(row)), "leak").level for row in (one_variant, borderline)]
    assert levels == [GOOD, CARE]


def test_the_worst_adversary_counts():
    lsa = adversary(0.62, name="adversary-scores+ngrams+lsa")
    found = finding(judged(evaluated(adversary(0.22), lsa)), "leak")
    assert (found.level, "LSA score finds 62.0 %" in found.sentence) == (BAD, True)


@pytest.mark.parametrize(
    ("accuracy", "level"), [(0.22, GOOD), (0.25, CARE), (0.33, CARE), (0.4, BAD)]
)
def test_before_an_evaluation_the_check_of_the_choice_counts(accuracy, level):
    check = {"check": accuracy, "error": 0.01, "max_leak": 0.25, "rounds": 2}
    found = judged(None, leak=check)
    assert found.provisional
    assert "provisional, before `cloze-gen evaluate mine`" in found.head("mine")
    leak = finding(found, "leak")
    assert leak.level == level
    assert f"{100 * accuracy:.1f} %" in leak.sentence
    assert "corrected for 2 rounds" in leak.sentence
    assert not judged(evaluated(adversary(0.22)), leak=check).provisional


@pytest.mark.parametrize("choice", [{}, {"leak": None}])
def test_without_a_measured_leak_there_is_no_verdict(choice):
    found = judged(evaluated(adversary(0.3, name="adversary-length")), **choice)
    assert found.level == UNKNOWN
    assert found.head("mine") == "no verdict before `cloze-gen evaluate mine`"
    assert judged(None, 20, **choice).level == BAD, "it is too small whatever it reveals"


def test_a_number_that_reveals_too_much_has_a_notice():
    leak = {"check": 0.4, "error": 0.01, "max_leak": 0.25, "rounds": 3}
    found = judged(None, leak=leak)
    assert "choice.max_leak = 0.25" in found.notice
    assert found.lines("mine")[1] == f"notice: {found.notice}"
    assert judged(None, leak=leak | {"check": 0.24}).notice == ""


@pytest.mark.parametrize(
    ("n", "level"), [(1040, GOOD), (385, GOOD), (384, CARE), (97, CARE), (96, BAD), (1, BAD)]
)
def test_the_size_is_that_of_the_interval_of_an_accuracy(n, level):
    assert finding(judged(None, n), "size").level == level


def test_an_empty_set_is_not_published():
    assert judged(None, 0).level == BAD


@pytest.mark.parametrize(
    ("fits", "plausible", "ambiguity", "triviality"),
    [(0.01, 0.3, GOOD, GOOD), (0.02, 0.2, CARE, CARE), (0.04, 0.1, BAD, BAD)],
)
def test_before_people_read_the_models_of_their_marks_count(fits, plausible, ambiguity, triviality):
    of = candidates(fits, plausible)
    found = question_verdict(questions(), None, choice={}, candidates=of)
    levels = [finding(found, rule).level for rule in ("ambiguity", "triviality")]
    assert levels == [ambiguity, triviality]
    assert "an estimate" in finding(found, "ambiguity").sentence
    assert expected_marks(questions(), of) == pytest.approx(
        (1 - prod([1 - fits] * 4), prod([1 - plausible] * 4))
    )


def test_an_impostor_without_marks_leaves_the_marks_unknown():
    of = candidates(0.01, 0.3)
    of[7]["candidates"][2]["plausible"] = None
    assert expected_marks(questions(), of) is None
    assert expected_marks(questions(), of[1:]) is None
    found = question_verdict(questions(), None, choice={}, candidates=of)
    assert finding(found, "ambiguity").level == CARE
    assert "`cloze-gen judge new`" in finding(found, "ambiguity").sentence


@pytest.mark.parametrize(
    ("count", "items", "ambiguity", "triviality"),
    [(0, 60, GOOD, GOOD), (8, 60, CARE, GOOD), (15, 60, BAD, CARE), (40, 60, BAD, BAD)],
)
def test_readers_count_more_than_models(count, items, ambiguity, triviality):
    low, high = wilson_interval(count, items)
    fault = {"by_one": 0.5, "by_most": count / items, "low": low, "high": high}
    own = {"set": "mine", "items": items, "judges": 3, "ambiguous": fault, "trivial": fault}
    other = own | {"set": "published", "ambiguous": fault | {"low": 0.9}}
    people = {"set": "mine", "sets": [other, own]}
    found = question_verdict(
        questions(),
        evaluated(adversary(0.22), people=people),
        choice={},
        candidates=candidates(0.01, 0.3),
    )
    assert [finding(found, rule).level for rule in ("ambiguity", "triviality")] == [
        ambiguity,
        triviality,
    ]
    assert f"Most of 3 readers call {100 * count / items:.1f} % of 60 questions ambiguous" in (
        finding(found, "ambiguity").sentence
    )


def test_the_worst_finding_is_the_verdict():
    for levels in ((GOOD, GOOD), (GOOD, CARE), (CARE, BAD), (UNKNOWN, BAD)):
        found = Verdict(tuple(Finding("leak", level, "") for level in levels))
        assert found.level == levels[1]
    assert Verdict((Finding("leak", UNKNOWN, ""), Finding("size", GOOD, ""))).level == UNKNOWN


@pytest.mark.parametrize("name", [*_ADVERSARIES, "check"])
def test_the_page_has_the_limits_of_the_code(name):
    page = (Path(__file__).parents[2] / "docs/explanation/evaluation.md").read_text(
        encoding="utf-8"
    )
    label = "check of the choice" if name == "check" else f"`{name}`"
    row = next(
        line for line in page.splitlines() if re.search(rf"\| {re.escape(label)}[,| ]", line)
    )
    assert [float(one) for one in re.findall(r"([\d.]+) %", row)] == pytest.approx(
        [20 + 80 * end for end in (LIMITS[name].good, LIMITS[name].bad)]
    )


# ---- passages and blanked passages


def passage_row(name, kind, correct, of_set="passages"):
    low, high = wilson_interval(correct, 1000)
    return PassageRow(
        name=name, kind=kind, set=of_set, n=1000, correct=correct, accuracy=correct / 1000, low=low, high=high
    )  # fmt: skip


@pytest.mark.parametrize(("correct", "level"), [(60, GOOD), (120, CARE), (250, BAD)])
def test_the_best_simple_method_is_the_leak_of_passages(correct, level):
    rows = (
        passage_row("last name", "rule", correct),
        passage_row("n-gram", "model", 5),
        passage_row("n-gram", "model", 900, "control"),
        passage_row("user:mine", "user", 900),
    )
    found = passage_verdict(1000, PassageEvaluation(n=1000, baselines=rows), judged="human")
    assert (found.level, finding(found, "leak").level) == (level, level)
    assert "The best of 2 simple methods (last name) predicts" in finding(found, "leak").sentence


def test_passages_that_nobody_guessed_are_used_with_care():
    of = PassageEvaluation(n=1000, baselines=(passage_row("last name", "rule", 10),))
    counts = {"subjects": 12, "decided": 9, "kept": 5, "open": 1, "not_shown": 0}
    cards = [judged_by({"guesses": counts | {"judged": who}}) for who in JUDGED]
    found = [passage_verdict(1000, of, judged=card) for card in cards]
    assert [one.level for one in found] == [CARE, GOOD]
    said = [finding(one, "ambiguity").sentence for one in found]
    assert ["People guessed" in one for one in said] == [False, True]
    assert "nobody has guessed" in said[0]
    assert passage_verdict(1000, None, judged="human").level == UNKNOWN


def test_passages_that_nobody_will_guess_do_not_count():
    """Unless people have guessed them."""
    unguessed, by_people = (
        passage_verdict(1460, None, judged=who, guessable=105 / 1460)
        for who in ("none (x)", "human (x)")
    )
    assert (finding(unguessed, "size").level, finding(by_people, "size").level) == (CARE, GOOD)
    said = finding(unguessed, "size").sentence
    assert said.startswith(
        "With 105 of 1,460 test passages that a reader is expected to guess, an acc"
    )


def blank_row(name, kind, ba):
    ends = {"ba": ba, "ba_low": ba - 0.01, "ba_high": ba + 0.01, "ba_micro": ba}
    rest = {"pa": 0.1, "pa_low": 0.1, "pa_high": 0.1, "de": 1.0, "de_low": 1.0, "de_high": 1.0}
    return {"name": name, "kind": kind, "context": "", "decoder": "EXH", "n": 900, "blanks": 4500} | ends | rest  # fmt: skip


def blank_evaluation(surface, auc, people):
    classifier = {"name": "words", "input": "text alone", "auc": auc, "auc_low": auc - 0.01, "auc_high": auc + 0.01, "f1": 0.1}  # fmt: skip
    record = {
        "n": 900, "blanks": 4500, "baselines": [blank_row("random", "random", 1 / 7), blank_row("cues", "surface", surface),
        blank_row("lsa", "model", 0.9), blank_row("human", "human", people)],
        "candidates": {"distractors": 0.3, "always_distractor_f1": 0.4, "classifiers": [classifier]},
    }  # fmt: skip
    return BlankEvaluation.from_record(record, where="here")


@pytest.mark.parametrize(
    ("figures", "leak", "ambiguity"),
    [
        ((0.2, 0.53, 0.9), GOOD, GOOD),
        ((0.35, 0.53, 0.75), CARE, CARE),
        ((0.2, 0.65, 0.65), CARE, BAD),
        ((0.45, 0.53, 0.9), BAD, GOOD),
        ((0.2, 0.75, 0.9), BAD, GOOD),
    ],
)
def test_surface_and_candidates_alone_are_the_leak_of_blanks(figures, leak, ambiguity):
    found = blank_verdict(900, blank_evaluation(*figures))
    assert finding(found, "leak").level == leak
    assert finding(found, "ambiguity").level == ambiguity
    assert blank_verdict(900, None).level == UNKNOWN


# ---- the same words in run, report and card


@pytest.mark.parametrize("style", sorted(RUN_FIXTURES))
def test_run_report_and_card_have_the_same_words(style, run_of):
    finished = run_of(style)
    release = finished.release
    lines = json.loads((release / "release.json").read_text(encoding="utf-8"))["verdict"]
    rules = [line.partition(": ")[0] for line in lines]
    assert rules[0] == "verdict"
    assert {"leak", "ambiguity", "size"} <= set(rules)
    assert verdict_text(lines) in finished.outcome.out
    card = (release / "README.md").read_text(encoding="utf-8")
    page = html.unescape(
        re.sub(r"</?code>", "`", (release / "report.html").read_text(encoding="utf-8"))
    )
    assert card.index("## Verdict") < card.index("Signature: ")
    shown = re.sub(r"<[^>]+>", "", page)
    for line in lines:
        name, _, text = line.partition(": ")
        assert (f"**{line}**" if name == "verdict" else f"*{name}*: {text}") in card
        assert (f"Verdict: {text}" if name == "verdict" else line) in shown
    if style == "lambada-style":
        first_screen = shown[: shown.index("1. ")]
        assert "nobody has guessed the last words" in first_screen
        assert not lines[0].startswith("verdict: good")
    for place in (finished.outcome.out, card, shown):  # no person has seen these sets
        assert not re.search(r"People (guess|read|fill)|readers? calls? ", place)


@pytest.mark.parametrize("text", ["a\n## b", "<script>alert(1)</script>"])
def test_a_verdict_of_others_changes_no_document(text, data):
    verdict = Verdict((Finding("leak", BAD, text),), notice=text)
    assert "<script>alert" not in render_report(replace(data, verdict=verdict))
    listed = _verdict(verdict.lines("mine")).removesuffix("\n\n").splitlines()
    assert len(listed) == 4
    assert "<" not in "".join(listed)
    assert Verdict(()).level == UNKNOWN


def test_a_notice_is_red_in_report(data):
    verdict = Verdict((Finding("leak", BAD, "It leaks."),), notice="Too many questions.")
    page = render_report(replace(data, verdict=verdict))
    assert '<p class="bad notice">Too many questions.</p>' in page
    assert '<p class="bad"><strong>Verdict: do not publish' in page
    assert 'class="notice' not in render_report(data)

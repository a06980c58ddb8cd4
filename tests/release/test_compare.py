"""Two runs side by side."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.records.question import Question
from cloze_gen.records.rejection import FunnelStep
from cloze_gen.release.compare import ComparedPassage, RunFacts, comparison_text, paired_lines
from tests.release.conftest import question_row


def question(item: str, options: tuple[str, ...]) -> Question:
    return Question(item, "b", ("We", options[0], "it", item), 1, options, 0)


@pytest.fixture
def run() -> RunFacts:
    return RunFacts(
        name="one", signature="sig-one", seed=1, settings={"forward.keep": "30", "lm.order": "3"},
        fingerprints={"lm": "aa", "forward": "bb"},
        steps=[FunnelStep("forward", "focus words", 100, 90, {"no_alternates": 10})],
        baselines=(question_row("lsa", "baseline", 0.3, 0.25, 0.35, 100),), noun="question",
        questions=[question("b:0:1", ("hide", "eat")), question("b:1:1", ("see", "go"))],
    )  # fmt: skip


def test_a_run_compared_with_itself_has_no_differences(run: RunFacts) -> None:
    """The same run twice: no setting differs, all stages and questions are shared."""
    text = comparison_text(run, run)
    assert "different settings\n  none" in text
    assert "2 stages have the same artifact in both" in text
    assert "2 blanks in both; 2 of them with the same options, 2 in the same order" in text
    assert "only left" not in text


def test_options_in_another_order_are_reported(run: RunFacts) -> None:
    """The same question, the answer elsewhere among its options."""
    first, second = run.questions
    turned = replace(second, options=second.options[::-1], answer_index=1)
    assert (
        "2 blanks in both; 2 of them with the same options, 1 in the same order"
        in comparison_text(run, replace(run, questions=[first, turned]))
    )


def test_differences_are_reported(run: RunFacts) -> None:
    other = replace(
        run, seed=2, settings={"forward.keep": "20", "lm.order": "3", "new.key": "1"},
        fingerprints={"lm": "aa", "forward": "cc", "extra": "dd"},
        steps=[FunnelStep("forward", "focus words", 100, 45, {"no_alternates": 50, "other": 5})],
        baselines=(question_row("lsa", "baseline", 0.5, 0.4, 0.6, 100),),
        questions=[question("b:0:1", ("hide", "run")), question("b:9:1", ("see", "go"))],
    )  # fmt: skip
    lines = [" ".join(line.split()) for line in comparison_text(run, other).splitlines()]
    for line in (
        "seed 1 -> 2", "forward.keep 30 -> 20", "new.key - -> 1", "1 stages have the same artifact in both", "forward differs",
        "extra only right",
        "forward 90 -> 45 focus words kept (-50 %)", "no_alternates 10 -> 50", "other 0 -> 5", "lsa 30.0 % -> 50.0 % intervals do not overlap",
        "1 blanks in both; 0 of them with the same options, 0 in the same order", "only left: b:1:1", "only right: b:9:1",
    ):  # fmt: skip
        assert line in lines


def test_adversaries_come_first(run: RunFacts) -> None:
    """Before the settings, and not once more among the baselines."""
    rows = (question_row("adversary-scores", "adversary", 0.5, 0.4, 0.6, 100), *run.baselines)
    text = comparison_text(
        replace(run, baselines=rows),
        replace(
            run, baselines=(question_row("adversary-scores", "adversary", 0.25, 0.2, 0.3, 100),)
        ),
    )
    lines = [" ".join(line.split()) for line in text.splitlines()]
    place = lines.index("accuracy of trained adversaries")
    assert lines[place + 1] == "adversary-scores 50.0 % -> 25.0 % intervals do not overlap"
    assert place < lines.index("different settings")
    assert text.count("adversary-scores") == 1
    assert "adversary" not in comparison_text(run, run)


def test_human_accuracy_has_its_own_section(run: RunFacts) -> None:
    rows = (question_row("human", "human", 0.9, 0.85, 0.95, 40), *run.baselines)
    read = replace(run, baselines=rows)
    lines = [
        " ".join(line.split())
        for line in comparison_text(read, replace(read, baselines=rows[1:])).splitlines()
    ]
    place = lines.index("human accuracy")
    assert lines[place + 1 : place + 3] == ["no human answers: right", "human 90.0 % -> -"]
    assert place < lines.index("different settings")
    assert sum(line.startswith("human 90.0 %") for line in lines) == 1
    assert "human" not in comparison_text(run, run)


def test_an_unevaluated_run_is_named(run: RunFacts) -> None:
    """If one side has no evaluation, the comparison reports it and shows the other side."""
    text = comparison_text(run, replace(run, baselines=()))
    assert "not evaluated: right" in text
    assert "30.0 %" in text


def test_passages_are_compared_as_passages(run: RunFacts) -> None:
    """By id; changed targets, texts and scores are reported, for each split."""
    first = ComparedPassage("b:7", "test", "Ann", "He saw Ann", {"ngram": -3.0})
    left = replace(
        run,
        noun="passage",
        questions=(),
        passages=[first, replace(first, id="b:9", split="validation")],
    )
    moved = replace(first, text="It rained. He saw Ann", scores={"ngram": -4.0, "cache": -3.5})
    text = comparison_text(
        left, replace(left, passages=[moved, replace(first, id="b:8", target="door")])
    )
    lines = [" ".join(line.split()) for line in text[text.index("\npassages") :].splitlines()]
    for line in (
        "test: 1 left, 2 right, 1 in both", "validation: 1 left, 0 right, 0 in both",
        "1 passages in both; 1 of them with the same target, 0 with the same text",
        "1 different targets left, 2 right, 1 in both",
        "mean log10 P(target) by ngram: -3.000 -> -3.500; 1 passages in both have different scores",
        "mean log10 P(target) by cache: - -> -3.500; 0 passages in both have different scores",
        "only left: b:9", "only right: b:8",
    ):  # fmt: skip
        assert line in lines
    assert "question" not in text


def test_items_of_two_kinds_are_not_compared(run: RunFacts) -> None:
    """Questions and passages cannot be shared, and the comparison reports it."""
    other = replace(
        run,
        noun="passage",
        questions=(),
        passages=[ComparedPassage("b:7", "test", "Ann", "He saw Ann", {})],
    )
    assert "questions left, passages right: no shared items" in comparison_text(run, other)


def blanked(
    item: str, part: Part, candidates: tuple[str, ...] = ("It rained.", "Jane sang.")
) -> SetBlankedPassage:
    """A passage of two sentences, the second its only blank."""
    passage = BlankedPassage(
        item, ("We left.", "It rained."), (1,), candidates, (candidates.index("It rained."),)
    )
    sources = tuple(SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5))
    return SetBlankedPassage(passage, part, "", (2, 2), sources, sources)


def test_blanked_passages_are_compared_as_such(run: RunFacts) -> None:
    ids = ("b:1", "b:2", "b:3", "b:4")
    left = replace(
        run, noun="passage", questions=(), blanked=[blanked(item, Part.TEST) for item in ids]
    )
    same, turned = (
        blanked("b:1", Part.TEST),
        blanked("b:2", Part.TEST, ("Jane sang.", "It rained.")),
    )
    others = blanked("b:3", Part.TEST, ("It rained.", "We ran."))
    moved = replace(
        blanked("b:4", Part.TEST),
        passage=BlankedPassage("b:4", ("We left.", "It rained."), (0,), ("We left.", "No."), (0,)),
    )
    text = comparison_text(
        left, replace(left, blanked=[same, turned, others, moved, blanked("b:9", Part.TRAIN)])
    )
    lines = [" ".join(line.split()) for line in text[text.index("\npassages") :].splitlines()]
    for line in (
        "test: 4 left, 4 right, 4 in both", "train: 0 left, 1 right, 0 in both",
        "4 passages in both; 4 of them with the same sentences, 3 with the same blanks",
        "2 also with the same candidates, 1 in the same order",
        "only right: b:9",
    ):  # fmt: skip
        assert line in lines


def test_passages_of_two_kinds_share_nothing(run: RunFacts) -> None:
    """Both are called passages, and one of them ends in a word."""
    word = replace(
        run,
        noun="passage",
        questions=(),
        passages=[ComparedPassage("b:1", "test", "Ann", "He saw Ann", {})],
    )
    text = comparison_text(
        word, replace(run, noun="passage", questions=(), blanked=[blanked("b:1", Part.TEST)])
    )
    assert "passages left, blanked passages right: no shared items" in text


def answered(right: list[int]) -> dict[str, tuple[int, int, int]]:
    return {f"b:{number}": (5, one, 0) for number, one in enumerate(right)}


def test_a_difference_is_of_the_passages_in_both() -> None:
    """A baseline of one run alone has no line; a passage of one run alone counts in none."""
    one = {"lsa, AP+AN": answered([1, 2, 3]), "left": answered([1])}
    other = {"lsa, AP+AN": answered([2, 3, 4, 0, 0, 0]), "right": answered([1])}
    (line,) = paired_lines(one, other, seed=1)
    assert (
        re.sub(" +", " ", line)
        == "lsa, AP+AN 40.0 % -> 60.0 %, +20.0 (+20.0 to +20.0) over 3 passages"
    )


def test_the_same_answers_differ_in_nothing() -> None:
    """For any bootstrap draws."""
    one = {"lsa": answered([1, 5, 2, 0])}
    assert "+0.0 (+0.0 to +0.0) over 4 passages" in next(paired_lines(one, one, seed=7))

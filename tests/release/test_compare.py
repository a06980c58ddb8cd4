"""Two runs side by side."""

import re
from dataclasses import replace

import pytest

from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part, Passage, SetPassage, Split
from cloze_gen.records.question import Question
from cloze_gen.records.rejection import FunnelStep
from cloze_gen.release.compare import ComparedItem, RunFacts, comparison_text, paired_lines
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.release.items.questions import QUESTION_ITEMS
from tests.release.conftest import question_row


def question(item, options):
    return Question(item, "b", ("We", options[0], "it", item), 1, options, 0)


def passage(item, words, split=Split.TEST):
    tokens = tuple(words.split())
    of_book = Passage(item, "b", Part.TEST, (tokens,), (words,), len(tokens) - 1, 0, 1)
    return SetPassage(of_book, split, "")


def blanked(item, part, candidates=("It rained.", "Jane sang.")):
    """A passage of two sentences, the second its only blank."""
    of_book = BlankedPassage(
        item, ("We left.", "It rained."), (1,), candidates, (candidates.index("It rained."),)
    )
    sources = tuple(SentenceSource("b", index, 10 * index, 10 * index + 9) for index in (4, 5))
    return SetBlankedPassage(of_book, part, "", (2, 2), sources, sources)


def with_items(run, kind, *items):
    compared = {one.id: ComparedItem(kind.split_of(one), kind.compared(one)) for one in items}
    return replace(run, noun=kind.noun, items=compared)


def lines(left, right):
    return [" ".join(line.split()) for line in comparison_text(left, right).splitlines()]


@pytest.fixture
def run():
    empty = RunFacts(
        signature="sig-one", seed=1, settings={"forward.keep": "30", "lm.order": "3"},
        fingerprints={"lm": "aa", "forward": "bb"},
        steps=[FunnelStep("forward", "focus words", 100, 90, {"no_alternates": 10})],
        baselines=(question_row("lsa", "baseline", 0.3, 0.25, 0.35, 100),), noun="", items={},
    )  # fmt: skip
    questions = question("b:0:1", ("hide", "eat")), question("b:1:1", ("see", "go"))
    return with_items(empty, QUESTION_ITEMS, *questions)


def test_a_run_compared_with_itself_has_no_differences(run):
    found = lines(run, run)
    for title in ("settings", "stages", "counts of the funnel"):
        assert found[found.index(f"different {title}") + 1] == "none"
    assert "2 of these with the same order of options" in found
    assert not any(line.startswith("only ") for line in found)


def test_differences_are_reported(run):
    other = replace(
        run, seed=2, settings={"forward.keep": "20", "lm.order": "3", "new.key": "1"},
        fingerprints={"lm": "aa", "forward": "cc", "extra": "dd"},
        steps=[FunnelStep("forward", "focus words", 100, 45, {"no_alternates": 50, "other": 5})],
        baselines=(question_row("lsa", "baseline", 0.5, 0.4, 0.6, 100),),
    )  # fmt: skip
    turned, new = question("b:0:1", ("eat", "hide")), question("b:9:1", ("see", "go"))
    found = lines(run, with_items(other, QUESTION_ITEMS, turned, new))
    for line in (
        "seed 1 -> 2", "forward.keep 30 -> 20", "new.key - -> 1", "forward bb -> cc", "extra - -> dd",
        "forward 90 focus words -> 45 focus words", "forward: no_alternates 10 -> 50", "forward: other - -> 5",
        "lsa 30.0% (25.0% to 35.0%) -> 50.0% (40.0% to 60.0%)", "test: 2 left, 2 right, 1 in both",
        "1 of these with the same options", "0 of these with the same order of options",
        "only left: b:1:1", "only right: b:9:1",
    ):  # fmt: skip
        assert line in found
    assert not any(line.startswith("lm") for line in found)


@pytest.mark.parametrize("kind", ["adversary", "human"])
def test_adversaries_and_people_are_among_the_baselines(kind, run):
    row = question_row("row", kind, 0.5, 0.4, 0.6, 100)
    found = lines(replace(run, baselines=(row, *run.baselines)), run)
    assert found[found.index("baselines") + 1] == "row 50.0% (40.0% to 60.0%) -> -"


def test_an_unevaluated_run_is_named(run):
    """If one side has no evaluation, the comparison reports it and shows the other side."""
    text = comparison_text(run, replace(run, baselines=()))
    assert "not evaluated: right" in text
    assert "30.0%" in text


def test_passages_are_compared_by_target_and_text(run):
    left = with_items(
        run, PASSAGE_ITEMS, passage("b:7", "He saw Ann"), passage("b:9", "So it", Split.VALIDATION)
    )
    right = with_items(
        run, PASSAGE_ITEMS, passage("b:7", "They saw Ann"), passage("b:8", "The door")
    )
    found = lines(left, right)
    for line in (
        "test: 1 left, 2 right, 1 in both", "validation: 1 left, 0 right, 0 in both",
        "1 of these with the same target", "0 of these with the same text", "only left: b:9", "only right: b:8",
    ):  # fmt: skip
        assert line in found
    assert not any("question" in line for line in found)


def test_blanked_passages_are_compared_part_by_part(run):
    """A part counts only where the parts before it are equal."""
    ids = ("b:1", "b:2", "b:3", "b:4")
    left = with_items(run, BLANKED_ITEMS, *(blanked(item, Part.TEST) for item in ids))
    turned = blanked("b:2", Part.TEST, ("Jane sang.", "It rained."))
    others = blanked("b:3", Part.TEST, ("It rained.", "We ran."))
    moved = replace(
        blanked("b:4", Part.TEST),
        passage=BlankedPassage("b:4", ("We left.", "It rained."), (0,), ("We left.", "No."), (0,)),
    )
    right = with_items(
        run, BLANKED_ITEMS, blanked("b:1", Part.TEST), turned, others, moved, blanked("b:9", Part.TRAIN)
    )  # fmt: skip
    found = lines(left, right)
    for line in (
        "test: 4 left, 4 right, 4 in both", "train: 0 left, 1 right, 0 in both",
        "4 of these with the same sentences", "3 of these with the same blanks",
        "2 of these with the same candidates", "1 of these with the same order of candidates", "only right: b:9",
    ):  # fmt: skip
        assert line in found


def test_items_of_two_kinds_are_not_compared(run):
    """Even where both are called passages."""
    word = with_items(run, PASSAGE_ITEMS, passage("b:1", "He saw Ann"))
    for other in (run, with_items(run, BLANKED_ITEMS, blanked("b:1", Part.TEST))):
        assert "items of another kind: none is in both" in lines(word, other)


def answered(right):
    return {f"b:{number}": (5, one, 0) for number, one in enumerate(right)}


def test_a_difference_is_of_the_passages_in_both():
    """A baseline of one run alone has no line; a passage of one run alone counts in none."""
    one = {"lsa, AP+AN": answered([1, 2, 3]), "left": answered([1])}
    other = {"lsa, AP+AN": answered([2, 3, 4, 0, 0, 0]), "right": answered([1])}
    (line,) = paired_lines(one, other, seed=1)
    assert (
        re.sub(" +", " ", line)
        == "lsa, AP+AN 40.0 % -> 60.0 %, +20.0 (+20.0 to +20.0) over 3 passages"
    )


def test_the_same_answers_differ_in_nothing():
    """For any bootstrap draws."""
    one = {"lsa": answered([1, 5, 2, 0])}
    assert "+0.0 (+0.0 to +0.0) over 4 passages" in next(paired_lines(one, one, seed=7))

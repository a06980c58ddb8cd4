"""The six rules by which collected examinations are cleaned."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.formats.scde import format_published, parse_published
from cloze_gen.recipes.scde.cleaning import Rule, clean
from cloze_gen.records.blanked_passage import Examination

GOOD = Examination(
    item=1,
    eid=7,
    sentences=("We left at noon.", "<1>", "Nobody came.", "<2>"),
    blanks=(1, 3),
    candidates=("It rained.", "Jane sang.", "We went home."),
    answers=(1, 2),
    second_answers=None,
)


def other(**changes: Any) -> Examination:
    """The good examination as item 2 with another passage, and changes."""
    passage = {"item": 2, "eid": 8, "sentences": ("They stayed.", "<1>", "Nobody came.", "<2>")}
    return replace(GOOD, **(passage | changes))


def rule_of(**changes: Any) -> tuple[Rule, str] | None:
    """What speaks against an examination with these changes, among good ones."""
    found = clean([GOOD, other(**changes)])
    return (found.rejected[0].rule, found.rejected[0].detail) if found.rejected else None


# Tests that are the same but for what is no letter, and for the numbers of the blanks; blanks
# elsewhere make another test of the same text.
COPIES = [
    ("We left at noon.", "<1>", "Nobody came.", "<2>"),
    ("  we LEFT at noon", "<1>", ".", "Nobody came!", "<2>", "."),
    ("We left at noon.", "<2>", "Nobody came.", "<1>"),
]


@pytest.mark.parametrize("sentences", COPIES)
def test_a_copy_is_a_copy_however_it_is_set(sentences: tuple[str, ...]) -> None:
    blanks = (sentences.index("<1>"), sentences.index("<2>"))
    assert rule_of(sentences=sentences, blanks=blanks, candidates=None) == (
        Rule.DUPLICATE_PASSAGE,
        "the passage of item 1",
    )


@pytest.mark.parametrize(("sentences", "blanks"), [
    (("<1>", "We left at noon.", "Nobody came.", "<2>"), (0, 3)),
    (("We left at noon.", "<1>", "<2>", "Nobody came."), (1, 2)),
    (("We left at 9.", "<1>", "Nobody came.", "<2>"), (1, 3)),
])  # fmt: skip
def test_another_passage_is_no_copy(sentences: tuple[str, ...], blanks: tuple[int, ...]) -> None:
    """Blanks at other places, or another word, make another test."""
    assert rule_of(sentences=sentences, blanks=blanks) is None


def test_the_first_of_two_stays_a_candidate_whatever_becomes_of_it() -> None:
    """Duplicates are removed first, as in the paper, even if a later rule rejects the first."""
    found = clean([replace(GOOD, candidates=None), replace(GOOD, item=2)])
    assert [one.rule for one in found.rejected] == [Rule.MISSING_CANDIDATE, Rule.DUPLICATE_PASSAGE]
    assert found.left == ()


@pytest.mark.parametrize(
    ("changes", "rule", "detail"),
    [
        ({"second_answers": (1, 0)}, Rule.OCR_READINGS_DISAGREE, "blank 2: 2 or 0"),
        ({"second_answers": (None, 2)}, Rule.OCR_READINGS_DISAGREE, "blank 1: 1 or none"),
        ({"answers": (1, 3)}, Rule.ANSWER_WITHOUT_CANDIDATE, "blank 2: 3; there are 0 to 2"),
        ({"answers": (-1, 2)}, Rule.ANSWER_WITHOUT_CANDIDATE, "blank 1: -1; there are 0 to 2"),
        ({"candidates": None}, Rule.MISSING_CANDIDATE, "no candidates"),
        ({"candidates": ()}, Rule.MISSING_CANDIDATE, "no candidates"),
        ({"candidates": ("It rained.", None, " ")}, Rule.MISSING_CANDIDATE, "candidate 1, 2"),
        (
            {"candidates": ("It rained.",), "answers": (0, 0)},
            Rule.MORE_BLANKS_THAN_CANDIDATES,
            "2 blanks, 1 candidates",
        ),
        ({"answers": (None, None)}, Rule.MISSING_ANSWER, "blank 1, 2"),
        ({"answers": (1, None)}, Rule.MISSING_ANSWER, "blank 2"),
    ],
)
def test_each_rule_has_its_reason(changes: dict[str, Any], rule: Rule, detail: str) -> None:
    """What speaks against a passage is told with where it is."""
    assert rule_of(**changes) == (rule, detail)


def test_as_many_candidates_as_blanks_will_do() -> None:
    """There need be no distractor."""
    assert rule_of(candidates=("It rained.", "Jane sang."), answers=(1, 0)) is None


def test_two_readings_that_agree_are_no_fault() -> None:
    """An answer that was an image serves where both programs read the same."""
    assert rule_of(second_answers=(1, 2)) is None
    assert rule_of(answers=(1, None), second_answers=(1, None)) == (Rule.MISSING_ANSWER, "blank 2")


# Each fault with the next ones on top: the first rule tells.
FAULTS: list[dict[str, Any]] = [
    {"answers": (None, 5)},
    {"candidates": ("It rained.",), "answers": (None, 0)},
    {"candidates": (None,), "answers": (None, 0)},
    {"candidates": (None,), "answers": (None, 5)},
    {"candidates": (None,), "answers": (None, 5), "second_answers": (1, 5)},
    {
        "candidates": (None,),
        "answers": (None, 5),
        "second_answers": (1, 5),
        "sentences": GOOD.sentences,
    },
]
FIRST = [
    Rule.ANSWER_WITHOUT_CANDIDATE,
    Rule.MORE_BLANKS_THAN_CANDIDATES,
    Rule.MISSING_CANDIDATE,
    Rule.ANSWER_WITHOUT_CANDIDATE,
    Rule.OCR_READINGS_DISAGREE,
    Rule.DUPLICATE_PASSAGE,
]


@pytest.mark.parametrize(("changes", "rule"), list(zip(FAULTS, FIRST, strict=True)))
def test_the_rules_are_asked_in_the_papers_order(changes: dict[str, Any], rule: Rule) -> None:
    found = clean([GOOD, other(**changes)])
    assert [one.rule for one in found.rejected] == [rule]
    assert list(Rule) == [Rule(name) for name in (
        "duplicate_passage", "ocr_readings_disagree", "answer_without_candidate", "missing_candidate", "more_blanks_than_candidates",
        "missing_answer",
    )]  # fmt: skip


@pytest.mark.parametrize(
    ("sentences", "blanks", "mended"),
    [
        (
            ("We left.", "<1>", ".", "So?", "<2>"),
            (1, 4),
            ("We left.", "Jane sang.", "So?", "We went home."),
        ),
        (
            ("We left", ".", "<1>", "<2>", "?", "..."),
            (2, 3),
            ("We left.", "Jane sang.", "We went home."),
        ),
        (
            ("We left", " … ", ".", "<1>", "<2>"),
            (3, 4),
            ("We left…", "Jane sang.", "We went home."),
        ),
        (
            ('He said: "No."', ".", "<1>", "<2>"),
            (2, 3),
            ('He said: "No."', "Jane sang.", "We went home."),
        ),
        ((".", "<1>", "Oh", "!", "<2>"), (1, 4), ("Jane sang.", "Oh!", "We went home.")),
        (
            ("<2>", ".", "<1>", "* * *", "", '"'),
            (2, 0),
            ("We went home.", "Jane sang.", "* * *", "", '"'),
        ),
    ],
)
def test_stray_marks_are_mended(
    sentences: tuple[str, ...], blanks: tuple[int, ...], mended: tuple[str, ...]
) -> None:
    found = clean([other(sentences=sentences, blanks=blanks)])
    assert found.left[0].sentences == mended
    assert found.marks == (len(sentences) - len(mended),)
    assert [found.left[0].sentences[blank] for blank in found.left[0].blanks] == [
        "Jane sang.",
        "We went home.",
    ]


def test_a_mark_behind_a_blank_never_reaches_its_answer() -> None:
    """Not even where the answer has no end of its own: the candidates stay as they were collected."""
    found = clean(
        [
            replace(
                GOOD,
                candidates=("It rained", "Jane sang", "We went home"),
                sentences=("<1>", ".", "<2>", "."),
                blanks=(0, 2),
            )
        ]
    )
    assert found.left[0].sentences == ("Jane sang", "We went home")


@pytest.mark.parametrize(
    ("eids", "ids"),
    [
        ((7, 3), ("7", "3")),
        ((7, 7), ("0", "1")),
        ((7, None), ("0", "1")),
        ((None, None), ("0", "1")),
    ],
)
def test_what_is_left_is_known_by_its_number(
    eids: tuple[int | None, ...], ids: tuple[str, ...]
) -> None:
    """By its `eid`; where one is missing or there twice, by its place among what is left."""
    found = clean([replace(GOOD, eid=eids[0]), other(eid=eids[1])])
    assert tuple(one.id for one in found.left) == ids
    assert found.is_renumbered == (ids == ("0", "1"))


INDEX = st.one_of(st.none(), st.integers(-1, 4))
TEXTS = st.sampled_from(["It rained.", "Jane sang", "", ".", "<1", "No!"])


@st.composite
def examinations(draw: st.DrawFn) -> Examination:
    texts = draw(st.lists(TEXTS, max_size=4))
    n_blanks = draw(st.integers(1, 3))
    for number in range(1, n_blanks + 1):
        texts.insert(draw(st.integers(0, len(texts))), f"<{number}>")
    answers = st.lists(INDEX, min_size=n_blanks, max_size=n_blanks).map(tuple)
    return Examination(
        item=0,
        eid=draw(st.one_of(st.none(), st.integers(0, 5))),
        sentences=tuple(texts),
        blanks=tuple(texts.index(f"<{number}>") for number in range(1, n_blanks + 1)),
        candidates=draw(
            st.one_of(st.none(), st.lists(st.one_of(st.none(), TEXTS), max_size=4).map(tuple))
        ),
        answers=draw(answers),
        second_answers=draw(st.one_of(st.none(), answers)),
    )


@given(st.lists(examinations(), max_size=8))
def test_what_is_left_is_in_the_published_layout(found: list[Examination]) -> None:
    items = [replace(one, item=number) for number, one in enumerate(found, 1)]
    cleaned = clean(items)
    assert len(cleaned.left) + len(cleaned.rejected) == len(items)
    assert parse_published(format_published(cleaned.left)) == list(cleaned.left)
    again = [
        Examination(
            number,
            None,
            passage.sentences,
            passage.blanks,
            passage.candidates,
            passage.answers,
            None,
        )
        for number, passage in enumerate(cleaned.left, 1)
    ]
    assert [one.sentences for one in clean(again).left] == [one.sentences for one in cleaned.left]
    assert clean(again).rejected == ()

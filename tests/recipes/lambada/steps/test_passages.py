"""Every sentence of a novel has its verdict: a passage with the least context, or the first reason against it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.lambada.steps.passages import (
    REASONS,
    CutPassages,
    PassageReason,
    PassagesSettings,
    count_in_context,
    cut_passages,
    target_types,
)
from cloze_gen.text.book_text import book_text

SMALL = PassagesSettings(min_context_tokens=6, max_context_tokens=12, min_target_sentence_tokens=4, max_target_sentence_tokens=8)
RAIN, LAMP, JANE = "It rained hard .", "The lamp went out .", "Then in came Jane ."  # of 4, 5 and 5 tokens


def cut(
    lines: list[str], *, kinds: list[str] | None = None, paragraph: list[int] | None = None, settings: PassagesSettings = SMALL
) -> CutPassages:
    return cut_passages(book_text(lines, kinds=kinds, paragraph=paragraph), book_id="b", offensive={"damn"}, settings=settings)


def why(*lines: str, **columns: list[str] | list[int]) -> str:
    """The verdict on the last of some sentences."""
    return str(cut(list(lines), **columns).reason(len(lines) - 1) or "kept")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "last", "reason"),
    [
        ((RAIN, LAMP), JANE, "kept"),
        ((RAIN, LAMP), '" Then in came Jane . "', "kept"),
        ((RAIN, LAMP), "Then in came Jane", PassageReason.WITHOUT_FINAL_MARK),
        ((RAIN, LAMP), "Then in came Jane --", PassageReason.WITHOUT_FINAL_MARK),
        ((RAIN, LAMP), "It was nine o'clock .", PassageReason.TARGET_NOT_LETTERS),
        ((RAIN, LAMP), "Surely he cannot .", PassageReason.TARGET_NOT_LETTERS),
        ((RAIN, LAMP), "Who came ?", PassageReason.SHORT),
        ((RAIN, LAMP), "Then in came Jane and with her all the others .", PassageReason.LONG),
        ((LAMP,), JANE, PassageReason.CHAPTER_BEGINS),
        (("It rained and rained and rained and rained and rained on Sunday .", RAIN), JANE, PassageReason.CONTEXT_LONG),
        (("and then it rained .", LAMP), JANE, PassageReason.TORN),
        (("It rained , damn it .", LAMP), JANE, PassageReason.OFFENSIVE),
        ((RAIN, LAMP), "Then came the Damn .", PassageReason.OFFENSIVE),
        (('" Hush !', RAIN, LAMP), JANE, PassageReason.BEGINS_IN_SPEECH),
        (("damn it all .", RAIN, LAMP), JANE, "kept"),  # what stands before the passage does not count
    ],
)
def test_each_reason_has_its_case(before: tuple[str, ...], last: str, reason: str) -> None:
    """One sentence, one verdict."""
    assert why(*before, last) == reason


def test_chapters_and_verse_stand_between() -> None:
    """No passage crosses a heading; none holds verse, or runs on past what is no text; paragraphs do not matter."""
    lines = [RAIN, LAMP, "IX", LAMP, JANE]
    assert why(*lines, kinds=["prose", "prose", "heading", "prose", "prose"]) == PassageReason.CHAPTER_BEGINS
    assert why(RAIN, LAMP, JANE, kinds=["prose", "verse", "prose"]) == PassageReason.CONTEXT_NOT_PROSE
    assert why(RAIN, LAMP, JANE, kinds=["prose", "prose", "verse"]) == PassageReason.NOT_PROSE
    assert why(RAIN, LAMP, JANE, paragraph=[0, 1, 2]) == "kept"
    assert why(RAIN, LAMP, JANE, paragraph=[0, 1, 3]) == PassageReason.CONTEXT_NOT_PROSE
    assert why(RAIN, LAMP, JANE, paragraph=[0, 2, 3]) == PassageReason.CONTEXT_NOT_PROSE
    assert why(JANE, RAIN, LAMP, JANE, paragraph=[0, 2, 3, 4]) == "kept"


def test_speech_may_be_left_out_of_account() -> None:
    """As in the published set, of which one passage in seven begins within a speech."""
    lines = ['" Hush !', RAIN, LAMP, JANE]
    loose = SMALL.model_copy(update={"whole_speech": False})
    assert cut(lines, settings=loose).reason(3) is None


def test_tokens_are_counted_as_a_treebank_cuts_them() -> None:
    """Two sentences of three words each and a mark hold nine tokens where one of the words is cut in two."""
    least = SMALL.model_copy(update={"min_context_tokens": 9})
    assert cut(["It didn't rain .", "It did rain .", JANE], settings=least).reason(2) is None
    assert cut(["It did rain .", "It did rain .", JANE], settings=least).reason(2) == PassageReason.CHAPTER_BEGINS


def test_the_target_is_the_last_word() -> None:
    """Its place is that of the word, not of the marks behind it."""
    found = cut([RAIN, LAMP, "' Then in came Jane ! '"])
    assert found.target.tolist() == [2, 7, 13]
    assert (found.kept.tolist(), found.first[2], found.context_tokens[2], found.sentence_tokens[2]) == ([2], 0, 9, 7)


def test_thinning_asks_the_passage_alone() -> None:
    """A share of one half keeps about that, and those kept are kept by a larger share too."""
    lines = [RAIN, LAMP, JANE] * 400
    half, more = ({*cut(lines, settings=SMALL.model_copy(update={"keep_share": share})).kept.tolist()} for share in (0.5, 0.8))
    assert half < more < {*cut(lines).kept.tolist()}
    assert 0.42 < len(half) / len(cut(lines).kept) < 0.58


def test_targets_in_the_context_are_counted() -> None:
    """In any letter case, whole words, not in the target's own sentence nor before the passage."""
    lines = ["Jane was late .", "She was JANE to him .", "Old jane , to be sure --", "Jane was Jane ."]
    book = book_text(lines)
    found = cut_passages(book, book_id="b", offensive=(), settings=SMALL)
    assert (found.kept.tolist(), found.first.tolist()) == ([3], [-1, -1, 1, 2])
    assert count_in_context(book, found).tolist() == [1]


@given(st.lists(st.sampled_from([RAIN, LAMP, JANE, "Who came ?", "and so on .", "damn it all ."]), min_size=1, max_size=12))
def test_every_sentence_has_one_verdict(lines: list[str]) -> None:
    """A reason, or a passage of whole sentences that ends with it and has tokens as asked."""
    found = cut(lines)
    assert len(found.verdict) == len(lines)
    for i in range(len(lines)):
        reason = found.reason(i)
        assert (reason is None) == (i in found.kept)
        assert reason is None or reason in REASONS
        if reason is None:
            assert 0 <= found.first[i] < i
            assert SMALL.min_context_tokens <= found.context_tokens[i] <= SMALL.max_context_tokens


def test_an_empty_book_has_no_passage() -> None:
    """Nor has one of headings alone."""
    assert cut([]).kept.tolist() == []
    assert cut(["I", "II"], kinds=["heading"] * 2).kept.tolist() == []


@pytest.mark.parametrize(
    ("word", "may"),
    [("lamp", True), ("Jane", True), ("façade", True), ("o'clock", False), ("to-day", False), ("cannot", False), ("3", False)],
)
def test_targets_are_written_with_letters(word: str, may: bool) -> None:
    """All 4,869 published ones are; a treebank would cut `cannot`, and its last part would be the target."""
    assert target_types(book_text([word])).tolist() == [may]

"""Focus words: every qualifying position, and a reason for every other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.msr.steps.focus import (
    FocusReason,
    FocusSettings,
    FocusWord,
    select_focus_words,
    sentence_rejection,
    two_word_history,
)
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence

ELIGIBLE = {"climb", "attic", "lamp", "grim"}


def sentence(line: str, kind: str = "prose") -> Sentence:
    tokens = tuple(line.split(" "))
    return Sentence("b", 4, 0, len(line), 0, kind, line, tokens)


def verdicts(line: str, **settings: Any) -> list[FocusWord | Rejection]:
    return list(select_focus_words(sentence(line), eligible=ELIGIBLE, settings=FocusSettings(**settings)))


def test_every_qualifying_word_is_kept() -> None:
    """History, next token and provenance are the sentence's own."""
    found = [verdict for verdict in verdicts("He took the lamp , and could climb to it .") if isinstance(verdict, FocusWord)]
    assert found == [
        FocusWord("b:4:3", 3, "lamp", ("took", "the"), ","),
        FocusWord("b:4:7", 7, "climb", ("and", "could"), "to"),
    ]


@pytest.mark.parametrize(
    ("line", "history"),
    [
        ("Attic lamp to the old place now .", None),
        ('" The lamp went out last night . "', None),
        ("The -- lamp went out last night .", None),
        ("Well , lamp or none he went .", ("Well", ",")),
        ('Hang the " lamp " here at once .', ("the", '"')),
    ],
)
def test_two_tokens_are_printed_before_a_focus_word(line: str, history: tuple[str, str] | None) -> None:
    """Marks that are printed count, quotes and dashes do not; the history itself is the book's own."""
    (verdict,) = [one for one in verdicts(line) if one.id == f"b:4:{line.split(' ').index('lamp')}"]
    if history is None:
        assert getattr(verdict, "reason", "") == FocusReason.NO_HISTORY
    else:
        assert isinstance(verdict, FocusWord)
        assert verdict.history == history


def test_not_before_the_final_stop() -> None:
    """The published set has none there; a quotation mark after the stop does not hide it."""
    for line in ("We went up to the attic .", '" We went up to the attic . "', '" We went up to the attic , " said he .'):
        reasons = {verdict.id: verdict.reason for verdict in verdicts(line) if isinstance(verdict, Rejection)}
        expected = FocusReason.BEFORE_FINAL_STOP if "said" not in line else None
        assert reasons.get(f"b:4:{line.split(' ').index('attic')}") == expected


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("He took the lamp and went .", "verse", FocusReason.NOT_PROSE),
        ("He took the lamp and went .", "heading", FocusReason.NOT_PROSE),
        ("He took the lämp and went .", "prose", FocusReason.NOT_ASCII),
        ("He took the lamp .", "prose", FocusReason.TOO_SHORT),
        ("He took the lamp and went", "prose", FocusReason.NO_FINAL_STOP),
        ("He took the lamp and went ,", "prose", FocusReason.NO_FINAL_STOP),
        ("a " * 36 + ".", "prose", FocusReason.TOO_LONG),
        ("a " * 35 + ".", "prose", None),
        ("a " * 5 + ".", "prose", None),
        ("a " * 4 + ".", "prose", FocusReason.TOO_SHORT),
        ('" ' + "a " * 35 + '. "', "prose", None),
        ("He took the lamp and went ?", "prose", None),
        ("He took the lamp and went !", "prose", None),
    ],
)
def test_sentences_and_their_limits(line: str, kind: str, reason: FocusReason | None) -> None:
    """6 to 36 printed tokens, a final mark, prose, ASCII; quotation marks are not printed and not counted."""
    assert sentence_rejection(sentence(line, kind), FocusSettings()) == reason


WORDS = st.sampled_from(["He", "climb", "attic", "lamp", "the", ",", "--", '"', "ran", "?", "!", "."])


@given(st.lists(WORDS, min_size=1, max_size=20))
def test_each_word_has_one_verdict(words: list[str]) -> None:
    """A sentence is rejected once, or each of its word tokens is judged once; a focus word is eligible and fills its blank."""
    record = sentence(" ".join([*words, "."]))
    found = list(select_focus_words(record, eligible=ELIGIBLE, settings=FocusSettings(min_tokens=3)))
    ids = [verdict.id for verdict in found]
    assert len(set(ids)) == len(ids)
    if ids != [record.id]:
        places = [int(item.rpartition(":")[2]) for item in ids]
        assert places == [i for i, token in enumerate(record.tokens) if any(map(str.isalnum, token)) and i in places]
        assert {i for i, token in enumerate(record.tokens) if token in ELIGIBLE} <= set(places)
    for verdict in found:
        if isinstance(verdict, FocusWord):
            assert verdict.word in ELIGIBLE
            assert record.tokens[verdict.position] == verdict.word
            assert record.tokens[verdict.position + 1] == verdict.next_token
            assert two_word_history(record.tokens, verdict.position) == verdict.history

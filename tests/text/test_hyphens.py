"""Words broken at line ends are decided by the corpus."""

from __future__ import annotations

import pytest

from cloze_gen.text.hyphens import HyphenReason, resolve_hyphens


@pytest.mark.parametrize(
    ("counts", "form", "reason"),
    [
        ({"candlelight": 3, "candle-light": 2}, "candlelight", HyphenReason.JOINED_ATTESTED),
        ({"Candlelight": 1, "CANDLE-LIGHT": 2}, "candle-light", HyphenReason.HYPHENATED_ATTESTED),
        ({"candlelight": 2, "candle-light": 2}, "candle-light", HyphenReason.HYPHENATED_ATTESTED),
        ({"candlelight's": 2}, "candlelight", HyphenReason.PARTS_ARE_NOT_WORDS),
        ({"candle": 9, "light": 9}, "candle-light", HyphenReason.PARTS_ARE_WORDS),
        ({"candle": 9}, "candlelight", HyphenReason.PARTS_ARE_NOT_WORDS),
    ],
)
def test_the_better_attested_form_wins(counts: dict[str, int], form: str, reason: HyphenReason) -> None:
    """Joined or hyphenated by case-folded counts; with neither attested by its parts."""
    decision = resolve_hyphens(counts | {"candle\u00adlight": 1})["candle\u00adlight"]
    assert (decision.form, decision.reason) == (form, reason)


def test_a_possessive_is_decided_as_its_word() -> None:
    """The clitic does not hide the attested form, and stays."""
    assert resolve_hyphens({"sea\u00adman's": 1, "seaman": 4})["sea\u00adman's"].form == "seaman's"


def test_case_and_every_break_are_kept() -> None:
    """A word broken twice and capitalised keeps its spelling."""
    assert resolve_hyphens({"Mother-in\u00adlaw": 1, "mother-in-law": 7})["Mother-in\u00adlaw"].form == "Mother-in-law"

"""Words that a line end broke, decided once and mended everywhere alike."""

import pytest

from cloze_gen.corpus.hyphens import (
    HYPHENS,
    mend_line,
    mend_text,
    read_hyphen_forms,
    resolve_hyphens,
    write_hyphens,
)
from cloze_gen.corpus.normalization import LINE_END_HYPHEN as BROKEN
from cloze_gen.store.artifacts import ArtifactWriter

COUNTS = {f"lamp{BROKEN}light": 2, "lamplight": 5, f"sea{BROKEN}god": 1, "sea": 9, "god": 9}


def test_decisions_come_back_from_disk_as_they_were(tmp_path):
    forms = write_hyphens(ArtifactWriter(tmp_path), COUNTS)
    assert forms == {f"lamp{BROKEN}light": "lamplight", f"sea{BROKEN}god": "sea-god"}
    assert read_hyphen_forms(tmp_path / HYPHENS) == forms
    assert "lamp|light\t2\t5\t0\tlamplight\n" in (tmp_path / HYPHENS).read_text(encoding="utf-8")


def test_a_mended_line_has_no_broken_word():
    """A type that was never counted keeps the hyphen that the printer set; whole words stay."""
    line = f"the lamp{BROKEN}light on a fish{BROKEN}wife 's to-day ."
    assert (
        mend_line(line, {f"lamp{BROKEN}light": "lamplight"})
        == "the lamplight on a fish-wife 's to-day ."
    )


def test_a_broken_word_at_the_end_of_a_longer_one():
    """Each becomes its own form in the text too."""
    short, long = f"light{BROKEN}house", f"moonlight{BROKEN}house"
    forms = {short: "lighthouse", long: "moonlight-house"}
    assert (
        mend_text(f"A {long}, a {short}.", f"A {long} , a {short} .", forms)
        == "A moonlight-house, a lighthouse."
    )


# ---- words broken at line ends are decided by the corpus


@pytest.mark.parametrize(
    ("counts", "form"),
    [
        ({"candlelight": 3, "candle-light": 2}, "candlelight"),
        ({"Candlelight": 1, "CANDLE-LIGHT": 2}, "candle-light"),
        ({"candlelight": 2, "candle-light": 2}, "candle-light"),
        ({"candlelight's": 2}, "candlelight"),
        ({"candle": 9, "light": 9}, "candle-light"),
        ({"candle": 5, "light": 5}, "candle-light"),
        ({"candle": 9, "light": 4}, "candlelight"),
        ({"candle": 9}, "candlelight"),
    ],
)
def test_the_better_attested_form_wins(counts, form):
    """Joined or hyphenated by case-folded counts; with neither attested by its parts."""
    decisions = resolve_hyphens(counts | {"candle\u00adlight": 1})
    assert decisions["candle\u00adlight"].form == form


def test_a_possessive_is_decided_as_its_word():
    """The clitic does not hide the attested form, and stays."""
    assert resolve_hyphens({"sea\u00adman's": 1, "seaman": 4})["sea\u00adman's"].form == "seaman's"


def test_case_and_every_break_are_kept():
    """A word broken twice and capitalised keeps its spelling."""
    assert (
        resolve_hyphens({"Mother-in\u00adlaw": 1, "mother-in-law": 7})["Mother-in\u00adlaw"].form
        == "Mother-in-law"
    )

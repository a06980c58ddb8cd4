"""Decoding: the encoding is chosen by evidence, and flattening keeps every offset."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.decoding import decode_book, flatten
from cloze_gen.errors import BookError


@pytest.mark.parametrize(
    ("raw", "encoding", "word"),
    [
        (b"plain words", "ascii", "plain"),
        ("\ufeffcaf\u00e9".encode(), "utf-8-sig", "caf\u00e9"),
        ("the caf\u00e9 was shut".encode(), "utf-8", "caf\u00e9"),
        ("caf\u00e9 shut".encode("utf-16"), "utf-16", "caf\u00e9"),
        ("partie carr\u00e9e, an employ\u00e9".encode("latin-1"), "latin-1", "carr\u00e9e"),
        (b"the Battle of Ch\x83lons, Duke of Alen\x87on", "cp437", "Ch\u00e2lons"),
        (b"had to r\x82sum\x82 our silence", "cp437", "r\u00e9sum\u00e9"),
        (b"disgraced\x97but--rather", "cp1252", "disgraced\u2014but"),
        (b"it\x92s \x93so\x94 he said", "cp1252", "\u201cso\u201d"),
        (b"Plato, Locke,\xcaBerkeley", "mac_roman", "Locke,\u00a0Berkeley"),
    ],
)
def test_evidence_chooses_the_encoding(raw, encoding, word):
    """A mark decides, then validity as UTF-8, then which characters make words."""
    decoded = decode_book(raw)
    assert decoded.encoding == encoding
    assert word in decoded.text
    assert decoded.text == raw.decode(encoding)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "empty"),
        (b" \r\n\x1a", "empty"),
        (b"\x00" * 50, "empty"),
        (bytes(range(32)) * 9 + b"text", "binary"),
        (b"\xff\xfea", "binary"),
    ],
)
def test_what_holds_no_text_has_a_reason(raw, reason):
    """Empty and binary files are book errors with their reason."""
    with pytest.raises(BookError) as caught:
        decode_book(raw)
    assert caught.value.reason == reason


@given(st.text())
def test_flattening_keeps_every_offset(text):
    """One character stays one character, and no control character or foreign space is left."""
    flat = flatten(text)
    assert len(flat) == len(text)
    assert not any(char.isspace() and char not in " \n" for char in flat)
    assert not any(ord(char) < 32 and char != "\n" for char in flat)


@given(st.text())
def test_flattening_twice_is_flattening_once_but_for_soft_hyphens(text):
    """Only the stand-in of a soft hyphen is not its own image."""
    once = flatten(text)
    assert flatten(once) == once.replace("\x7f", " ")


def test_accents_that_lost_their_high_bit_are_repaired():
    """CP437 bytes stripped to seven bits are letters again inside a word, spaces elsewhere."""
    assert flatten("a d\x02collet\x02 gown, \x02 o\x1c") == "a d\u00e9collet\u00e9 gown,   o "


def test_line_ends_of_every_kind_become_one():
    """CRLF keeps its two places; stray CR, form feed and the Unicode line ends become a newline."""
    assert flatten("a\r\nb\rc\x0cd\x0be\x85f\u2028g") == "a \nb\nc\nd\ne\nf\ng"

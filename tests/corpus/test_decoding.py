"""Decoding: the encoding is chosen by evidence, damage is repaired, flattening keeps offsets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.decoding import decode_book, flatten
from cloze_gen.errors import BookError

LINE = "“Où est l’âne?” Renée asked — she’d looked… everywhere.\n"
TEXT = f"{LINE}The stable door stood open, and the straw was cold.\n" * 6
PARAGRAPHS = "Renée went down\nto the stable.\n\nThe straw was cold.\n" * 6
UNICODE = ("utf-16-le", "utf-16-be", "utf-16", "utf-32", "utf-7")


@pytest.mark.parametrize(
    ("raw", "encoding", "word"),
    [
        (b"plain words", "ascii", "plain"),
        ("\ufeffcaf\u00e9".encode(), "utf-8-sig", "caf\u00e9"),
        ("the caf\u00e9 was shut".encode(), "utf-8", "caf\u00e9"),
        ("caf\u00e9 shut".encode("utf-16"), "utf-16", "caf\u00e9"),
        ("caf\u00e9 shut".encode("utf-32"), "utf-32", "caf\u00e9"),
        ("partie carr\u00e9e, an employ\u00e9".encode("latin-1"), "latin-1", "carr\u00e9e"),
        (b"the Battle of Ch\x83lons, Duke of Alen\x87on", "cp437", "Ch\u00e2lons"),
        (b"had to r\x82sum\x82 our silence", "cp437", "r\u00e9sum\u00e9"),
        (b"\x85 la carte, and voil\x85!", "cp437", "voil\u00e0"),
        (b"disgraced\x97but--rather", "cp1252", "disgraced\u2014but"),
        (b"it\x92s \x93so\x94 he said", "cp1252", "\u201cso\u201d"),
        (b"she\x92d said it\x92s \x93so\x94 \x81", "cp1252", "\u201cso\u201d \ufffd"),
        (b"he waited\x85 and then\x85nothing", "cp1252", "then\u2026nothing"),
        (b"Plato, Locke,\xcaBerkeley", "mac_roman", "Locke,\u00a0Berkeley"),
    ],
)
def test_evidence_chooses_the_encoding(raw, encoding, word):
    """A mark decides, then validity as UTF-8, then which characters make words."""
    decoded = decode_book(raw)
    assert decoded.encoding == encoding
    assert word in decoded.text
    assert decoded.text == raw.decode(encoding, "replace")


@pytest.mark.parametrize("encoding", UNICODE)
@pytest.mark.parametrize("rest", [b"", b"\n"])
def test_all_encodings_of_unicode_are_read(encoding, rest):
    """UTF-16 also without a mark, and all with a byte after the last character."""
    decoded = decode_book(TEXT.encode(encoding) + rest)
    assert decoded.text.rstrip("\n") == TEXT.rstrip("\n")
    assert decoded.encoding == encoding


@pytest.mark.parametrize(
    ("raw", "reason", "words"),
    [
        (b"", "empty", "no text"),
        (b" \r\n\x1a", "empty", "no text"),
        (b"\x00" * 50, "empty", "no text"),
        (b"\xef\xbb\xbf", "empty", "no text"),
        (b"\xff\xfe \x00", "empty", "no text"),
        (bytes(range(32)) * 9 + b"text", "binary", "234 control bytes"),
        (b"\xff\xfe\x00\x00a", "binary", "damaged UTF-32"),
        (b"\xff\xfe" + TEXT.encode("utf-16-le")[1:], "binary", "damaged UTF-16"),
    ],
)
def test_what_holds_no_text_has_a_reason(raw, reason, words):
    """Empty and binary files are book errors with their reason."""
    with pytest.raises(BookError, match=words) as caught:
        decode_book(raw)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("byte", "char"),
    [
        (b"\x92", "’"),
        (b"\xe9", "é"),
        (b"\xff", "ÿ"),
        (b"\xa0", "\xa0"),
        (b"\x85", "…"),
        (b"\x93\xc9", "“É"),
        (b"\x81", "\ufffd"),
        ("”".encode()[:2], "\ufffd"),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_odd_bytes_in_utf8_are_cp1252(byte, char, mark):
    decoded = decode_book(mark.encode() + LINE.encode() + b"Ren" + byte + b" s straw")
    assert decoded.text == f"{LINE}Ren{char} s straw"
    assert decoded.encoding.startswith("utf-8")
    assert f"{len(byte)} of " in decoded.evidence


@pytest.mark.parametrize(
    ("raw", "repaired"),
    [
        # line ends
        (PARAGRAPHS.replace("\n", "\r\r\n").encode(), PARAGRAPHS),
        (PARAGRAPHS.replace("\n", "\r\r\r\n").encode(), PARAGRAPHS),
        (PARAGRAPHS.replace("\n", "\n\r").encode(), PARAGRAPHS),
        (PARAGRAPHS.replace("\n", "\x85").encode(), PARAGRAPHS),
        (PARAGRAPHS.replace("\n", "\x85").encode("latin-1"), PARAGRAPHS),
        (PARAGRAPHS.replace("\n\n", "\u2029").replace("\n", "\u2028").encode(), PARAGRAPHS),
        # encoded as UTF-8 twice
        (TEXT.encode().decode("latin-1").encode(), TEXT),
        (TEXT.encode().decode("cp1252", "replace").encode(), TEXT),
        (TEXT.encode().decode("cp1252", "ignore").encode(), TEXT),
        (TEXT.encode().decode("mac_roman").encode(), TEXT),
        (TEXT.encode().decode("cp437").encode(), TEXT),
        (TEXT.encode().decode("latin-1").encode().decode("latin-1").encode(), TEXT),
        # half of the text in another encoding
        (TEXT.encode() + TEXT.encode("cp1252"), TEXT + TEXT),
        # UTF-8 behind the mark of UTF-16
        (b"\xff\xfe" + TEXT.encode(), f"\xff\xfe{TEXT}"),
        # legacy bytes taken for Latin-1
        (TEXT.encode("cp1252").decode("latin-1").encode(), TEXT),
        ("Ch\x83teau, caf\x82, r\x82sum\x82".encode(), "Château, café, résumé"),
        ("Ren\u0082e \u0081".encode(), "Renée ü"),
        # character references
        (b"Ren&eacute;e&rsquo;s &#8220;ass&#X201d; &lt;3", "Renée’s “ass” <3"),
        (b"Ren&amp;eacute;e&amp;#8217;s ass &#151; and &hearts;", "Renée’s ass — and ♥"),
        (b"Ren&Atilde;&copy;e&acirc;&euro;&trade;s ass", "Renée’s ass"),
    ],
)
def test_damage_of_earlier_programs_is_repaired(raw, repaired):
    decoded = decode_book(raw)
    assert decoded.text == repaired
    assert decode_book(repaired.encode()).text == repaired


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("\n", "\r"),
        "a\r\n\r\nb\n\r\nc\n",
        "Research &c; R&D, 3 < 4, one &mdash;",
        "LE CHÂTEAU “À LA CARTE”, «CAFÉ», Ä“, Å, 30 Â, ├──┤",
        "Renée\ufffds ass",
    ],
)
def test_other_text_is_left_as_it_is(text):
    assert decode_book(text.encode()).text == text


def test_character_references_of_markup_are_left_to_its_parser():
    page = "<p>Ren&eacute;e &lt;the&gt; rider</p>"
    assert decode_book(page.encode(), markup=True).text == page


# ---- flat text


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


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        ("a\r\nb\rc\x0cd\x0be\x85f\u2028g", "a \nb\nc\nd\ne\nf\ng"),
        ("a d\x02collet\x1c", "a d collet "),
        ("a\x7f\xad", "a \x7f"),
        ("Ren\ufffde\u2019s", "Ren\ufffde's"),
    ],
)
def test_line_ends_controls_and_lost_characters(text, flat):
    assert flatten(text) == flat

"""Bytes of one book to text and to flat text. All offsets of the project count the characters of
the text that `decode_book` returns, and `flatten` keeps them.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from cloze_gen.corpus.legacy_encodings import most_plausible, read_as
from cloze_gen.corpus.text_repairs import (
    mend_line_ends,
    reread_controls,
    resolve_references,
    undo_double_encoding,
)
from cloze_gen.errors import BookError
from cloze_gen.parsing import whole_characters

_NO_TEXT = b" \t\r\n\f\v\x1a\x00\xef\xbb\xbf\xff\xfe"  # also of byte-order marks
# Bytes that no text holds: more than one control byte in 200 is a program or an image.
_BINARY_CONTROL_SHARE = 0.005
_TEXT_BYTES = bytes(range(0x20, 0x7F)) + b"\t\n\r\f\v\x1a" + bytes(range(0x80, 0x100))
_MARKS = {  # UTF-32 first: its mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# By whether the even and the odd bytes of English text are zero.
_ZERO_BYTES = {(False, True): "utf-16-le", (True, False): "utf-16-be"}
_MAX_SHIFTED_SHARE = 0.01
# UTF-7's accented letters, quotation marks and dashes
_UTF7 = re.compile(rb"\+(?:A[MO]|IB)[A-Za-z0-9+/]+-")
_MIN_UTF7 = 3
_ASCII = bytes(range(0x80))
_MAX_ODD_SHARE = 1 / 3  # of the high bytes; legacy text has few sequences that are valid UTF-8
_ODD_BYTES = re.compile("[\udc80-\udcff]+")  # as Python's "surrogateescape" keeps them

# replaces a soft hyphen or zero-width character of the input until `normalize` drops it
_SOFT_HYPHEN_MARK = "\x7f"
_SPACES = "\t\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_BREAKS = "\n\r\x0b\x0c\x85\u2028\u2029"
_NOTHING = "\xad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
_FLAT = (
    dict.fromkeys(map(chr, (*range(0x20), *range(0x7F, 0xA0))), " ")
    | dict.fromkeys(_SPACES, " ")
    | dict.fromkeys(_BREAKS, "\n")
    | dict.fromkeys(_NOTHING, _SOFT_HYPHEN_MARK)
    | dict.fromkeys("“”„‟«»″", '"')
    | dict.fromkeys("‘’‚‛′´ʼʹ", "'")
    | dict.fromkeys("\u2010\u2011", "-")
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded book; `evidence`: why this encoding was chosen and what was repaired."""

    text: str
    encoding: str
    evidence: str


def decode_book(raw: bytes, *, markup: bool = False) -> Decoded:
    r"""Decode by byte-order mark or zero bytes, else as UTF-8, else in the most plausible legacy
    encoding; then repair what earlier programs damaged. Usual text in UTF-8 is left as it is.

    Args:
        markup: HTML or XHTML, whose parser resolves character references.
    Raises:
        BookError: ``empty`` or ``binary``.

    >>> decode_book("Châlons".encode("cp437")).text
    'Châlons'
    >>> decode_book(b"He was disgraced\x97but alive.").encoding
    'cp1252'
    """
    if not raw.strip(_NO_TEXT):
        raise BookError("empty", "there is no text")
    decoded = _decode_wide(raw) or _decode_bytes(raw)
    repairs = [mend_line_ends, undo_double_encoding, reread_controls]
    if not markup:
        repairs.append(resolve_references)
    text, notes = decoded.text, [decoded.evidence]
    for repair in repairs:
        text, note = repair(text)
        if note:
            notes.append(note)
    return Decoded(text, decoded.encoding, "; ".join(notes))


def _decode_wide(raw: bytes) -> Decoded | None:
    """UTF-32, and UTF-16, also without a mark; None for other encodings."""
    if b"\0" not in raw:  # not even of spaces and line ends
        return None
    encoding = next((name for mark, name in _MARKS.items() if raw.startswith(mark)), "")
    evidence = "byte-order mark"
    if not encoding:
        are_zero = (raw[::2].count(0) > len(raw) / 4, raw[1::2].count(0) > len(raw) / 4)
        encoding = _ZERO_BYTES.get(are_zero, "")
        evidence = "zero bytes"
    if not encoding:
        return None
    # without a byte behind the last character
    text = raw.decode(encoding, "replace").removesuffix("\ufffd")
    # a missing byte makes U+7400 U+6800 U+6500 of "the"
    shifted = sum(ord(char) % 256 == 0 for char in text)
    if not text or shifted > _MAX_SHIFTED_SHARE * len(text):
        raise BookError("binary", f"damaged {encoding.upper()}: bytes are missing or added")
    return Decoded(text, encoding, evidence)


def _decode_bytes(raw: bytes) -> Decoded:
    """UTF-8, UTF-7 and one-byte encodings."""
    controls = len(raw.translate(None, _TEXT_BYTES))
    if controls > _BINARY_CONTROL_SHARE * len(raw) and controls > 8:
        raise BookError("binary", f"{controls} control bytes in {len(raw)}: not a text file")
    if raw.isascii():
        if len(_UTF7.findall(raw)) >= _MIN_UTF7:
            text = whole_characters(raw.decode("utf-7", "replace"))
            return Decoded(text, "utf-7", "letters and marks of UTF-7")
        return Decoded(raw.decode("ascii"), "ascii", "no high bytes")
    encoding, evidence = "utf-8", "valid UTF-8"
    if raw.startswith(codecs.BOM_UTF8):
        encoding, evidence = "utf-8-sig", "byte-order mark"
    try:
        return Decoded(raw.decode(encoding), encoding, evidence)
    except UnicodeDecodeError:
        return _decode_mixed(raw, encoding)


def _decode_mixed(raw: bytes, encoding: str) -> Decoded:
    """Mostly UTF-8, whose other bytes are cp1252; else a legacy encoding."""
    text = raw.decode(encoding, "surrogateescape")
    odd = sum(map(len, _ODD_BYTES.findall(text)))
    high = len(raw.translate(None, _ASCII))
    if encoding == "utf-8" and odd > _MAX_ODD_SHARE * high:
        # Line ends first: one of them is an accented letter of cp437.
        text, note = mend_line_ends(raw.decode("latin-1"))
        encoding, scores = most_plausible(text)
        evidence = f"{scores}; {note}" if note else scores
        return Decoded(read_as(text, encoding), encoding, evidence)
    text = text.replace("\udce2\udc80", "\ufffd")  # a quotation mark that was cut
    text = _ODD_BYTES.sub(_read_as_cp1252, text)
    return Decoded(text, encoding, f"{odd:,} of {high:,} high bytes are not UTF-8: read as cp1252")


def _read_as_cp1252(match: re.Match[str]) -> str:
    return match.group().encode(errors="surrogateescape").decode("cp1252", "replace")


def flatten(text: str) -> str:
    r"""Same-length text of plain spaces, newlines and straight quotes, without control characters.

    >>> flatten("a\tb\r\nc\rd “e”")
    'a b \nc\nd "e"'
    >>> len(flatten("x\u2028\xad\x1a")) == 4
    True
    """
    flat = text.replace("\r\n", " \n")
    # In order, because U+007F is special and replaces others. Faster than `str.translate`.
    for char in sorted(set(flat) & _FLAT.keys()):
        flat = flat.replace(char, _FLAT[char])
    return flat

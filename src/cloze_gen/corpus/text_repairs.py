"""Damage that earlier programs did to a text: each repair returns the text and a note, which is
empty if nothing was repaired.
"""

from __future__ import annotations

import html
import re

from cloze_gen.corpus.legacy_encodings import most_plausible, read_as

_ASCII = bytes(range(0x80))
LOST = "\ufffd"  # replaces a character that a program could not read

# of the beginning, in which LF CR and the CR LF of blank lines are distinguished
_SAMPLE_CHARS = 20_000
_RETURNS = re.compile(r"\r\r+\n")
_MIN_NEXT_LINES = 5
_MAX_LINE_CHARS = 500  # of the mean line, if U+0085 ends the lines and is not cp1252's dots


def mend_line_ends(text: str) -> tuple[str, str]:
    r"""CR CR LF, LF CR, U+0085 and U+2028 as a line end, U+2029 as a blank line.

    >>> mend_line_ends("a boat\r\r\nand an oar\r\r\n")
    ('a boat\nand an oar\n', 'unusual line ends replaced')
    """
    mended = text
    if "\r" in text:
        mended = _RETURNS.sub("\n", text)
        sample = mended[:_SAMPLE_CHARS]
        if sample.count("\n\r") > sample.count("\r\n"):
            mended = mended.replace("\n\r", "\n")
    if not text.isascii():
        mended = mended.replace("\u2028", "\n").replace("\u2029", "\n\n")
        next_lines = mended.count("\x85")
        others = mended.count("\n") + mended.count("\r")
        if next_lines > max(_MIN_NEXT_LINES, others, len(mended) / _MAX_LINE_CHARS):
            mended = mended.replace("\x85", "\n")
    return mended, "unusual line ends replaced" if mended != text else ""


# ---- UTF-8 that was read in a one-byte encoding and written as UTF-8 again

# Letters and marks of English books. Of all Unicode, more would be taken for one: `Ä“`.
_CHARACTERS = [
    *map(chr, range(0x80, 0x100)),
    *map(chr, range(0x2010, 0x203B)),
    *"ŒœŠšŽžŸ€™ﬀﬁﬂﬃﬄ",
    "\ufeff",
    LOST,
]


def _misread_characters() -> dict[str, str]:
    """Character by the characters that its UTF-8 becomes in a one-byte encoding."""
    # The last byte of U+201D is no character of cp1252: it is kept, replaced or lost.
    misread = {"â€\x9d": "”", "â€\ufffd": "”", "â€": "”"}
    for encoding in ("latin-1", "cp1252", "mac_roman", "cp437"):
        for char in _CHARACTERS:
            characters = char.encode().decode(encoding, "replace")
            if LOST not in characters:
                misread[characters] = char
    return misread


_MISREAD = _misread_characters()
_MISREAD_PATTERN = re.compile("|".join(map(re.escape, sorted(_MISREAD, key=len, reverse=True))))
_MISREAD_BEGINNINGS = {characters[:-1].encode() for characters in _MISREAD} - {"â".encode()}


def undo_double_encoding(text: str) -> tuple[str, str]:
    """Characters that were encoded as UTF-8 twice, or more often.

    >>> undo_double_encoding("RenÃ©e couldnâ€™t swim.")
    ('Renée couldn’t swim.', '2 double-encoded characters repaired')
    """
    high_bytes = _high_bytes(text)
    if not any(beginning in high_bytes for beginning in _MISREAD_BEGINNINGS):
        return text, ""
    repaired = 0
    count = 1
    while count:
        text, count = _MISREAD_PATTERN.subn(lambda match: _MISREAD[match.group()], text)
        repaired += count
    return text, f"{repaired:,} double-encoded characters repaired" if repaired else ""


def _high_bytes(text: str) -> bytes:
    """What is not ASCII, in UTF-8: so little that a search in it takes no time."""
    return b"" if text.isascii() else text.encode().translate(None, _ASCII)


# ---- bytes of another encoding that were read as Latin-1

_CONTROL = re.compile(rb"\xc2[\x80-\x9f]")


def reread_controls(text: str) -> tuple[str, str]:
    r"""
    >>> reread_controls("a d\x82collet\x82 gown")
    ('a décolleté gown', '2 control characters read as cp437')
    """
    count = len(_CONTROL.findall(_high_bytes(text)))
    if not count:
        return text, ""
    encoding, _ = most_plausible(text)
    return read_as(text, encoding), f"{count:,} control characters read as {encoding}"


# ---- HTML's character references in plain text

_REFERENCE = re.compile(r"&(?:amp;)*(#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,8}\d{0,2});")
_MIN_REFERENCES = 3  # one of 615 books has one, and it is an error


def resolve_references(text: str) -> tuple[str, str]:
    """
    >>> resolve_references("Ren&eacute;e couldn&#8217;t swim &amp;mdash; nor row.")
    ('Renée couldn’t swim — nor row.', '3 character references resolved')
    """
    count = len(_REFERENCE.findall(text))
    if count < _MIN_REFERENCES:
        return text, ""
    resolved = _REFERENCE.sub(lambda match: html.unescape(f"&{match[1]};"), text)
    return undo_double_encoding(resolved)[0], f"{count:,} character references resolved"


# ---- characters that no program can restore

# A question mark for a quotation mark, an apostrophe, a dash or an accented letter. The pattern
# begins with the mark itself: that is many times as fast.
_LOST_AS_QUESTION = re.compile(r"\?(?:(?<![^A-Za-z\s]\?)[A-Za-z]|(?<=,\?))")
MIN_LOST = 5  # so many or fewer drop no book
# Quotation marks and apostrophes are one in 158 characters of the median of 615 books. One of these,
# whose hyphens and `æ` are question marks, has lost one in 540; no other one in 50,000.
MAX_LOST_SHARE = 1 / 500


def count_lost_characters(text: str) -> int:
    """Characters that were replaced by U+FFFD, or by a question mark.

    >>> count_lost_characters("?I can?t swim,? said Ann. Can you? No? Ann?s brother?")
    4
    """
    return text.count(LOST) + len(_LOST_AS_QUESTION.findall(text))

r"""From a sentence's slice of the flat text to clean text. A word broken at a line end
keeps U+00AD for its hyphen (see `hyphens`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

LINE_END_HYPHEN = "\xad"
# All sentences of a book are normalized in one text; no pattern may reach across this character,
# which cannot occur in a flat text.
_SEPARATOR = "\x00"

# A page number alone on its line, with the text going on below. (On its last line a number may be
# the sentence's own.)
_PAGE_LINE = re.compile(
    r"\n[ ]*(?:\[[ ]*|\{|-+[ ]*)?(?:[Pp](?:age|AGE|g)?\.?[ ]*)?\d{1,4}(?:[ ]*\]|\}|[ ]*-+)?[ ]*(?=\n)"
)
_BROKEN_WORD = re.compile(r"-(?<=[^\W\d_]-)[ ]*\n\s*(?=[a-zà-öø-ÿ])")
_BROKEN_OTHER = re.compile(r"-(?<=[^\W_]-)[ ]*\n\s*(?=[^\W_])")
_BLANK_RULE = re.compile(r"__+")
_BRACKETED = (  # and what is left of it
    (  # tags
        re.compile(
            r"</?(?:a|abbr|b|big|blockquote|br|center|cite|code|del|dfn|div|em|font|h[1-6]|hr|i|ins|kbd|mark|p|pre|q|s|samp|sc|small|"
            r"span|strike|strong|sub|sup|tt|u|unk|var|wbr)[ ]?/?>",
            re.IGNORECASE,
        ),
        "",
    ),
    (re.compile(r"<([A-Za-z]{1,2})[\^'`:?,~]?>"), r"\1"),  # SJV04 writes <oe>, <e'>
    (re.compile(r"\[(?:\d{1,3}|[a-z]|[+#]+)?\]"), ""),  # marks of footnotes
    (re.compile(r"\[[Pp](?:age|g)?\.?[ ]*\d{1,4}\]"), ""),  # page numbers
    (re.compile(r"\{(?:[Pp](?:age|g)?\.?[ ]*)?\d{1,4}\}"), ""),
)
_ELLIPSIS = re.compile(r"\.(?:\s*\.){2,}")
_DIGIT_DASH = re.compile(r"(?<=\d)[–‒](?=\d)")
# Every pattern here begins with a plain character where it can: a class or a look-behind in front
# makes it fifty times slower.
_DASH = re.compile(r"-(?:-+|(?<!\S-)(?!\S))")
_LONG_DASH = re.compile(r"[—―–‒]+")
_LETTERS_OF = {
    "ſ": "s",
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "st",
    "ﬆ": "st",
    "…": "...",
}
_MARKS = "_*~|\x7f"  # italics, emphasis, scanner's specks, soft hyphens of the input


def normalize_sentence(piece: str) -> str:
    r"""Clean text of one sentence.

    >>> normalize_sentence("It was _very_\ndark by candle-\nlight--and cold.[3]")
    'It was very dark by candle\xadlight -- and cold.'
    >>> normalize_sentence("``Wait . . . .'' said he")
    '"Wait..." said he'
    """
    (text,) = normalize_many([piece])
    return text


def normalize_many(pieces: Sequence[str]) -> list[str]:
    r"""Clean, single-spaced texts of sentences.

    >>> normalize_many(["a\nb", "", "c"])
    ['a b', '', 'c']
    """
    text = f" {_SEPARATOR} ".join(("", *pieces, ""))
    beyond_ascii = not text.isascii()
    if beyond_ascii:
        # before words are joined at line ends: `bene-` + `ﬁt`
        for printed, letters in _LETTERS_OF.items():
            text = text.replace(printed, letters)
    text = _BROKEN_OTHER.sub("-", _BROKEN_WORD.sub(LINE_END_HYPHEN, text))
    text = _PAGE_LINE.sub("", text)
    text = _BLANK_RULE.sub("--", text)
    for mark in _MARKS:  # much faster than `str.translate`
        text = text.replace(mark, "")
    for pattern, left in _BRACKETED:
        text = pattern.sub(left, text)
    if beyond_ascii:
        text = unicodedata.normalize("NFC", text)
        text = _LONG_DASH.sub(" -- ", _DIGIT_DASH.sub("-", text))
    text = text.replace("``", '"').replace("`", "'").replace("''", '"')
    text = _ELLIPSIS.sub("...", text)
    text = _DASH.sub(" -- ", text)
    single_spaced = " ".join(text.split())
    return [text.strip() for text in single_spaced.split(_SEPARATOR)[1:-1]]

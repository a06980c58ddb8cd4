r"""From a sentence's slice of the flat text to clean text; idempotent. A book is normalized in one
pass, its sentences separated by a character that no flat text holds; no pattern may reach across
it. A word broken at a line end keeps U+00AD for its hyphen (see `hyphens`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

LINE_END_HYPHEN = "\xad"
_SPACE, _NEWLINE = ord(" "), ord("\n")
SEPARATOR = "\x00"  # cannot occur in a flat text; no whitespace to `str.split`

# A page number alone on its line, with the text going on below. (On its last line a number may be
# the sentence's own.)
_PAGE_LINE = re.compile(
    r"\n[ ]*(?:\[[ ]*|\{|-+[ ]*)?(?:[Pp](?:age|AGE|g)?\.?[ ]*)?\d{1,4}(?:[ ]*\]|\}|[ ]*-+)?[ ]*(?=\n)"
)
_INNER_PAGE = re.compile(r"\[[Pp](?:age|g)?\.?[ ]*\d{1,4}\]")
_INNER_BRACED_PAGE = re.compile(r"\{(?:[Pp](?:age|g)?\.?[ ]*)?\d{1,4}\}")
_BROKEN_WORD = re.compile(r"-(?<=[^\W\d_]-)[ ]*\n\s*(?=[a-zà-öø-ÿ])")
_BROKEN_OTHER = re.compile(r"-(?<=[^\W_]-)[ ]*\n\s*(?=[^\W_])")
_BLANK_RULE = re.compile(r"__+")
_FOOTNOTE_MARK = re.compile(r"\[(?:\d{1,3}|[a-z]|[+#]+|FN#?[ ]?\d+)?\]")
_GONE = "\x01"  # stands for a removed mark until the space before it has gone with it
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|blockquote|br|center|cite|code|del|dfn|div|em|font|h[1-6]|hr|i|ins|kbd|mark|p|pre|q|s|samp|sc|small|"
    r"span|strike|strong|sub|sup|tt|u|unk|var|wbr)[ ]?/?>",
    re.IGNORECASE,
)
_TAGGED_WORDS = re.compile(r"<i ([^<>\x00=]{1,60})>")  # DSOWN marks italics as <i Mon Dieu>
_ENCODED_LETTER = re.compile(r"<([A-Za-z]{1,2})[\^'`:?,~]?>")  # SJV04 writes <oe>, <e'>
_MAX_PASSES = 20  # deeper nesting is not text but an attack on the running time
_ELLIPSIS = re.compile(r"\.(?:\s*\.){2,}")
_DIGIT_DASH = re.compile(r"(?<=\d)[–‒](?=\d)")
# Every pattern here begins with a plain character where it can: a class or a look-behind in front
# makes it fifty times slower.
_DASH = re.compile(r"-(?:-+|(?<!\S-)(?!\S))")
_LONG_DASH = re.compile(r"[—―–‒]+")
_LIGATURES = {
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
    return normalize_many([piece])[2:-2]


def normalize_many(pieces: Sequence[str]) -> str:
    r"""Clean, single-spaced text with `SEPARATOR` before, between and after the sentences.

    >>> normalize_many(["a\nb", "", "c"])
    '\x00 a b \x00 \x00 c \x00'
    """
    if not pieces:
        return SEPARATOR
    text = f"{SEPARATOR} {f' {SEPARATOR} '.join(pieces)} {SEPARATOR}"
    beyond_ascii = not text.isascii()
    if "\n" in text:
        text = _BROKEN_OTHER.sub("-", _BROKEN_WORD.sub(LINE_END_HYPHEN, text))
        text = _PAGE_LINE.sub("", text)
    if "__" in text:
        text = _BLANK_RULE.sub("--", text)
    # much faster than `str.translate`; and looking for one letter than replacing it
    for mark in _MARKS:
        if mark in text:
            text = text.replace(mark, "")
    if "<" in text or "[" in text or "{" in text:
        text = _drop_bracketed_marks(text)
    if beyond_ascii:
        text = unicodedata.normalize("NFC", text)
        for ligature, letters in _LIGATURES.items():
            text = text.replace(ligature, letters)
        text = _LONG_DASH.sub(" -- ", _DIGIT_DASH.sub("-", text))
    if "`" in text:
        text = text.replace("``", '"').replace("`", "'")
    text = text.replace("''", '"')
    text = _ELLIPSIS.sub("...", text)
    text = _DASH.sub(" -- ", text)
    return _single_spaced(text)


def _single_spaced(text: str) -> str:
    """As ``" ".join(text.split())``; working on bytes is three times as fast."""
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    blank = (data == _SPACE) | (data == _NEWLINE)
    keep = np.ones(len(data), dtype=np.bool_)
    np.logical_not(blank[1:] & blank[:-1], out=keep[1:])
    kept = data[keep]
    kept[kept == _NEWLINE] = _SPACE
    return kept.tobytes().decode()


def _drop_bracketed_marks(text: str) -> str:
    """Remove tags, footnote marks and page marks until none is left: removal can make new ones."""
    for _ in range(_MAX_PASSES):
        before = text
        if "<" in text:
            text = _TAG.sub("", text)
            text = _TAGGED_WORDS.sub(r"\1", text)
            text = _ENCODED_LETTER.sub(r"\1", text)
        text = _FOOTNOTE_MARK.sub(_GONE, text)
        if _GONE in text:
            text = (
                text.replace(f"{SEPARATOR} {_GONE}", f"{SEPARATOR}  {_GONE}")
                .replace(f" {_GONE}", "")
                .replace(_GONE, "")
            )
        text = _INNER_BRACED_PAGE.sub("", _INNER_PAGE.sub("", text))
        if text == before:
            break
    return text


# ---- how the published MSR files print a sentence's tokens

# Marks that the published files never hold (data.md: only , ; . - ' occur inside; dashes and outer
# quotes are deleted).
DELETED_MARKS = frozenset(
    {
        '"',
        "'",
        "`",
        "``",
        "''",
        "--",
        "-",
        "---",
        "----",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "*",
        "_",
        "\u2014",
        "\u2013",
        "...",
    }
)
_PAUSES = frozenset(",;:.?!")
_FINAL = frozenset({".", "?", "!"})
# A colon is printed as the published files print a pause.
_REPLACED = {":": ";", "?": ",", "!": ","}


def rendered_positions(tokens: Sequence[str]) -> list[int]:
    """Indices of the printed tokens, in order.

    >>> rendered_positions(('"', "Come", ",", '"', "he", "said", "."))
    [1, 2, 4, 5, 6]
    """
    kept = [i for i, token in enumerate(tokens) if token not in DELETED_MARKS]
    return [i for k, i in enumerate(kept) if not _doubled(tokens, kept, k)]


def printed_lines(lines: Sequence[str]) -> pa.Array:
    """`rendered_tokens` of many space-joined sentences as such lines (under 2 GiB); empty
    ones are left out.

    >>> printed_lines(['" What is it ? "', "-- --"]).to_pylist()
    ['What is it .']
    """
    split = pc.split_pattern(pa.array(lines, pa.string()), " ")
    coded = split.flatten().dictionary_encode()
    types, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy()
    sentence = np.repeat(np.arange(len(lines)), np.diff(split.offsets.to_numpy()))
    deleted = np.array([word in DELETED_MARKS for word in types], np.bool_)
    pause = np.array([word in _PAUSES for word in types], np.bool_)
    kept = ~deleted[codes]
    codes, sentence = codes[kept], sentence[kept]
    starts = np.diff(sentence, prepend=-1) > 0
    before_pause = np.append(pause[codes[1:]] & ~starts[1:], np.zeros(min(1, len(codes)), np.bool_))
    kept = ~(pause[codes] & (starts | before_pause))  # as `_doubled`
    codes, sentence = codes[kept], sentence[kept]
    ends = np.diff(sentence, append=len(lines)) > 0
    within = [_REPLACED.get(word, word) for word in types]
    last = ["." if word in _FINAL else word for word in types]
    words = pa.array(within + last, pa.string()).take(pa.array(codes + len(types) * ends))
    offsets = np.concatenate(([0], np.flatnonzero(ends) + 1))
    return pc.binary_join(pa.ListArray.from_arrays(offsets.astype(np.int32), words), " ")


def printed_neighbours(
    tokens: Sequence[str], position: int, printed: Sequence[int] | None = None
) -> tuple[int, int]:
    """Indices of the tokens printed before and after a printed one; -1 and the length at the ends.

    >>> printed_neighbours(("an", '"', "owl", '"', "here", "."), 2)
    (0, 4)
    """
    printed = rendered_positions(tokens) if printed is None else printed
    rank = printed.index(position)
    return (printed[rank - 1] if rank else -1), (
        printed[rank + 1] if rank + 1 < len(printed) else len(tokens)
    )


def _doubled(tokens: Sequence[str], kept: Sequence[int], k: int) -> bool:
    """A pause before another mark (`, .` left by a deleted quote or dash) is not printed twice."""
    return tokens[kept[k]] in _PAUSES and (
        k == 0 or (k + 1 < len(kept) and tokens[kept[k + 1]] in _PAUSES)
    )


def rendered_tokens(tokens: Sequence[str]) -> tuple[str, ...]:
    """The printed tokens; a final `?` or `!` is printed as `.`, as published questions do.

    >>> rendered_tokens(('"', "What", "is", "it", "?", '"'))
    ('What', 'is', 'it', '.')
    >>> rendered_tokens(("He", "came", "--", "alas", "!", "--", "too", "late", "."))
    ('He', 'came', 'alas', ',', 'too', 'late', '.')
    """
    positions = rendered_positions(tokens)
    printed = [_REPLACED.get(tokens[i], tokens[i]) for i in positions[:-1]]
    if positions:
        last = tokens[positions[-1]]
        printed.append("." if last in _FINAL else last)
    return tuple(printed)

"""The body of a book cut into paragraphs, each with its kind. Blank lines separate paragraphs; in a
book without them, or with one after every line, the look of the lines decides (`_separators`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from cloze_gen.corpus.gutenberg import Body

PROSE, VERSE, HEADING, OTHER = "prose", "verse", "heading", "other"


class Paragraph(NamedTuple):
    """A block: span in the flat text without outer spaces, and kind. A tuple for speed."""

    start: int
    end: int
    kind: str


_FURNITURE_CHARS = 12  # a page number or a rule between two pages
_CLOSED = ".!?\"')]:"
_PAGE = r"[\[{(<-]*[ ]*(?:[Pp](?:age|AGE|g)?\.?[ ]*)?\d{1,4}[ ]*[\]})>-]*"
_PAGE_OPENS = "0123456789[{(<-pP"
_PAGE_NUMBER = re.compile(_PAGE)
_PAGE_LINE = re.compile(rf"{_PAGE}[ ]*\n[ ]*(?=\S)")


def split_paragraphs(flat: str, body: Body) -> Iterator[Paragraph]:
    r"""The paragraphs of the body in order.

    >>> flat = "CHAPTER I\n\nIt was late and\nthe lamp was\n\n[12]\n\nout.\n\n  Over the hill\n  And under the sky\n"
    >>> [(p.kind, flat[p.start:p.end]) for p in split_paragraphs(flat, Body(0, len(flat), "", ""))][1]
    ('prose', 'It was late and\nthe lamp was\n\n[12]\n\nout.')
    """
    # a prose paragraph that broke off without a stop, and the page furniture since
    held: list[Paragraph] = []
    for block in _blocks(flat, body):
        start, end, kind = block
        short = end - start <= _FURNITURE_CHARS
        if held and kind == OTHER and short:
            held.append(block)
            continue
        if held and kind == PROSE and "a" <= flat[start] <= "z" and flat[start - 1] == "\n":
            block = Paragraph(held[0].start, end, PROSE)
            held = []
        yield from held
        held = []
        if kind == PROSE and (flat[end - 1].islower() or flat[end - 1] in ",;-"):
            held.append(block)
        else:
            yield block
    yield from held


def _blocks(flat: str, body: Body) -> Iterator[Paragraph]:
    """The text between two separators without what is skipped, which may cut a block in two."""
    separators = _separators(flat, body)
    at = body.start
    for skipped in (*body.skipped, None):
        stop = skipped.start if skipped else body.end
        for separator in separators(flat, at, stop):
            yield from _block(flat, at, separator.start())
            at = separator.end()
        yield from _block(flat, at, stop)
        if skipped:
            yield Paragraph(skipped.start, skipped.end, OTHER)
            at = skipped.end


def _block(flat: str, start: int, end: int) -> Iterator[Paragraph]:
    """The block without outer spaces, if any is left; a page number above prose is a block of its own."""
    while start < end and flat[start] in " \n":
        start += 1
    while end > start and flat[end - 1] in " \n":
        end -= 1
    if start == end:
        return
    page = _PAGE_LINE.match(flat, start, end) if flat[start] in _PAGE_OPENS else None
    if page:
        below = page.end()
        if _kind(flat, below, end) == PROSE:
            yield Paragraph(start, start + len(page.group().rstrip()), OTHER)
            start = below
    yield Paragraph(start, end, _kind(flat, start, end))


# ---- what separates paragraphs

_BLANK_LINES = re.compile(r"\n(?:[ ]*+\n)++[ ]*+")
_TWO_BLANK_LINES = re.compile(r"\n(?:[ ]*+\n){2,}+[ ]*+|\n[ ]*+\n(?=[ ]{2,}\S)")
_INDENT = re.compile(rf"{_BLANK_LINES.pattern}|(?<=[.!?:\"')-])[ ]*+\n(?=[ ]{{2,}}\S)")
_LINE_END = re.compile(r"\n[ \n]*+")
_HEADING_LINE = re.compile(
    r"[ ]*(?:[A-Z][A-Z .,'-]+|(?i:chapter|book|part)[ ](?:[IVXLC]+|\d+)\.?)[ ]*"
)
_SAMPLE_CHARS = 100_000  # looked at, from the middle
_MIN_LINES = 12  # fewer show no habit
_WRAPPED = 0.3  # share of lines that begin with a small letter; wrapped books have 0.34 to 0.9
_HARDLY_ANY, _NEARLY_ALL = 0.02, 0.9  # share of line ends that are blank lines
_SHORT = 0.75  # of a long line; longer ones may be inside a paragraph
_LONG_LINE_CHARS = 40  # shorter ones may be headings or verse
_Separators = Callable[[str, int, int], Iterator[re.Match[str]]]


def _separators(flat: str, body: Body) -> _Separators:
    """The function that finds what separates paragraphs, chosen by a sample of the book.

    Of 600 novels 10 have wrapped lines and neither blank lines nor indents; 10 have one line a
    paragraph and few blank lines.
    """
    middle = max(body.start, (body.start + body.end - _SAMPLE_CHARS) // 2)
    sample = flat[middle : min(body.end, middle + _SAMPLE_CHARS)]
    lines = [line.rstrip() for line in sample.split("\n") if line.strip(" ")]
    if len(lines) < _MIN_LINES:
        return _BLANK_LINES.finditer
    blank = len(_BLANK_LINES.findall(sample)) / len(lines)
    indents = [line.startswith("  ") for line in lines]
    # the first lines of paragraphs, not of verse or of a letter
    indented = sum(a > b for a, b in pairwise(indents)) / len(lines)
    low = sum(1 for line in lines if line.lstrip(_OPENERS)[:1].islower())
    wrapped = low > _WRAPPED * len(lines)
    if wrapped and blank > _NEARLY_ALL:
        return _TWO_BLANK_LINES.finditer
    if wrapped and indented > max(2 * blank, _HARDLY_ANY):
        return _INDENT.finditer
    if wrapped and blank < _HARDLY_ANY:
        width = sorted(map(len, lines))[len(lines) * 9 // 10]
        return partial(_ends_of_short_lines, _SHORT * width)
    long_lines = [line for line in lines if len(line) >= _LONG_LINE_CHARS]
    closed = sum(1 for line in long_lines if line[-1] in _CLOSED)
    if blank < 0.2 and closed > 0.8 * len(long_lines):
        return _LINE_END.finditer
    return _BLANK_LINES.finditer


def _ends_of_short_lines(
    most_chars: float, flat: str, start: int, stop: int
) -> Iterator[re.Match[str]]:
    begin = start
    for end in _LINE_END.finditer(flat, start, stop):
        line = flat[begin : end.start()].rstrip(" ")
        short = len(line) < most_chars and line.endswith(tuple(_SPEECH_ENDS))
        if short or end.group().count("\n") > 1 or _HEADING_LINE.fullmatch(line):
            yield end
        begin = end.end()


# ---- the kind of a block, as a reader sees it

_OPENERS = " \"'`([_*-"
# a line that begins with a small letter at the margin: prose
_LINE_GOES_ON = re.compile(r"\n {0,1}[\"'(\[]?[a-z]")
_AT_MARGIN = re.compile(r"\n {0,3}[^ \n]")  # verse of HTML has four spaces
_LETTER = re.compile(r"[^\W\d_]")
_LOWER = re.compile(r"[a-zà-öø-ÿ]")
_CAPITAL_START = re.compile(r"[\"'`(\[_*-]*[A-ZÀ-Þ]")
_NUMBER = r"(?:[IVXLC]+|\d{1,3})\b"
# An entry of a list: "IV. The Lamp", "12 The Lamp", "The Lamp ..... 12"; not "I bowed", "12 men".
_LIST_LINE = re.compile(
    rf"^(?:(?i:chapter|chap\.|book|part|letter|canto|section)[ ]+)?{_NUMBER}"
    r"(?:[.:)][ ]+\S|[ ]+(?![a-z])\S|[ ]{2,}\S)|[ .]{3}[ ]?\d{1,4}$"
)
_COLUMNS = re.compile(r"\S[ ]{3,}\S")
_HEADING_WORD = re.compile(
    r"(?:the[ ])?(?:chapter|chap\.|book|part|volume|vol\.|act|scene|canto|letter|section|prologue|epilogue|introduction|preface|contents|"
    r"appendix|conclusion|dedication|note|notes|footnotes?|stave|fytte|finis|the[ ]end)\b",
    re.IGNORECASE,
)
_BYLINE = re.compile(r"(?:by|or|and|from|translated|edited)(?:[ ]|$)")
_NUMERAL = re.compile(r"[\[(*]*(?:[IVXLCDM]+|\d{1,3})[.\])*:]*")
_FINAL_MARKS = ".!?:;,-\"')]—–"
_SPEECH_ENDS = ".!?\"'"
_MAX_HEADING_CHARS = 160
_VERSE_LINE_CHARS = 60
_LONG_VERSE_CHARS = 140


def _kind(flat: str, start: int, end: int) -> str:
    if flat.find("   ", start, end) < 0 and _LINE_GOES_ON.search(flat, start, end):
        return PROSE
    block = flat[start:end]
    if "\n" not in block:
        return _kind_of_line(block)
    lines = [line.strip() for line in block.split("\n") if line.strip()]
    return _kind_of_lines(lines, indented=_AT_MARGIN.search(block) is None)


def _kind_of_line(line: str) -> str:
    # The most common single line: without it the other checks take a third longer.
    speech = line[0] in "\"'" and line[-1] in _SPEECH_ENDS and len(line) > 8 and "   " not in line
    if len(line) > _MAX_HEADING_CHARS or speech:
        return PROSE
    if _LETTER.search(line) is None or _PAGE_NUMBER.fullmatch(line):
        return OTHER
    if _NUMERAL.fullmatch(line) or (
        _HEADING_WORD.match(line) and len(line) < 80 and not _sentence_like(line)
    ):
        return HEADING
    if _LOWER.search(line) is None and (len(line) > 3 or line.isupper()) and line[0] not in "\"'`":
        return HEADING if line[-1] not in ",;" else PROSE
    if _COLUMNS.search(line) or (_LIST_LINE.search(line) and not _sentence_like(line)):
        return OTHER
    if line[-1] in _FINAL_MARKS or len(line) >= 70:
        return PROSE
    return HEADING if not line[0].islower() or _BYLINE.match(line) else PROSE


def _sentence_like(text: str) -> bool:
    """Whether it has a sentence's end, and at least half of its words begin with small letters."""
    if text[-1] not in _SPEECH_ENDS:
        return False
    words = text.split()
    small = sum(1 for word in words if word[0].islower())
    return small >= 3 and small * 2 >= len(words)


def _kind_of_lines(lines: list[str], *, indented: bool) -> str:
    count = len(lines)
    text = " ".join(lines)
    capitals = sum(1 for line in lines if _CAPITAL_START.match(line))
    listed = sum(1 for line in lines if _LIST_LINE.search(line))
    in_columns = sum(1 for line in lines if _COLUMNS.search(line))
    # Justified lines have wide spaces too, but begin with small letters.
    small = sum(1 for line in lines if line[0].islower())
    is_table = in_columns * 2 >= count and small * 2 < count
    if is_table or (count >= 3 and listed * 5 >= count * 3):
        return OTHER
    if _LOWER.search(text) is None and count <= 5 and not text.endswith((",", '"')):
        return HEADING
    longest = max(map(len, lines))
    if capitals == count <= 6 and longest < 60 and text[-1] not in _FINAL_MARKS:
        return HEADING  # a title page: "THE MOONSTONE / A Romance / By Wilkie Collins"
    spoken = sum(1 for line in lines if line[-1] in _SPEECH_ENDS)
    if capitals >= 3 and spoken * 5 >= count * 3 and text.count('"') * 2 >= count:
        return PROSE  # short speeches, one a line, without blank lines between
    is_short = count >= 3 and len(text) < _VERSE_LINE_CHARS * count
    if capitals >= 0.8 * count and (is_short or indented):
        return VERSE
    paused = sum(1 for line in lines[:-1] if line[-1] in ",;:")
    if capitals == count >= 4 and longest < _LONG_VERSE_CHARS and paused * 3 >= (count - 1) * 2:
        return VERSE  # long lines, most of which end in a pause
    return PROSE

"""The body cut into paragraphs, each with its kind.

Paragraphs are blocks between blank lines; a block that a page break cut in two is put together again. The kind is decided by the look of
the lines alone: ``prose``, ``verse`` (lines that begin with capitals or stand indented and short), ``heading``, ``other`` (contents,
tables, illustration marks, page numbers, rules, credits: stored with their span, never split into sentences).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cloze_gen.text.gutenberg import Body

PROSE, VERSE, HEADING, OTHER = "prose", "verse", "heading", "other"

_GAP = re.compile(r"\n(?:[ ]*+\n)++[ ]*+")
_LINE_GOES_ON = re.compile(r"\n {0,1}[\"'(\[]?[a-z]")  # a line that begins with a small letter at the margin: prose
_LETTER = re.compile(r"[^\W\d_]")
_LOWER = re.compile(r"[a-zà-öø-ÿ]")
_PAGE_NUMBER = re.compile(r"[\[{(<-]*[ ]*(?:[Pp](?:age|AGE|g)?\.?[ ]*)?\d{1,4}[ ]*[\]})>-]*")
_CAPITAL_START = re.compile(r"^[ ]*[\"'`(\[_*-]*[A-ZÀ-Þ]")
_LIST_LINE = re.compile(
    r"^[ ]*(?:(?:chapter|chap\.|book|part|letter|canto|section)[ ]+)?(?:[IVXLC]+\b|\d{1,3}\b)[.:)]?[ ]+\S|[ .]{3}[ ]?\d{1,4}[ ]*$",
    re.IGNORECASE,
)
_INNER_SPACES = re.compile(r"\S[ ]{3,}\S")
_HEADING_WORD = re.compile(
    r"(?:the[ ])?(?:chapter|chap\.|book|part|volume|vol\.|act|scene|canto|letter|section|prologue|epilogue|introduction|preface|contents|"
    r"appendix|conclusion|dedication|note|notes|footnotes?|stave|fytte|finis|the[ ]end)\b",
    re.IGNORECASE,
)
_BYLINE = re.compile(r"[ ]*(?:by|or|and|from|translated|edited)(?:[ ]|$)", re.IGNORECASE)
_NUMERAL = re.compile(r"[\[(*]*(?:[IVXLCDM]+|\d{1,3})[.\])*:]*")
_ILLUSTRATION = re.compile(
    r"[\[{<(]{1,3}\s{0,3}(?:illustrat|frontispiece|plate\b|map\b|picture|image|blank|decoration|figure|omitted|transcriber|etext)",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"\[(?:foot)?note:?\s*\w{0,3}[.:)]*\s+", re.IGNORECASE)
_NUMBERED_NOTE = re.compile(r"(?:\[(?:\d{1,3}|[a-z*+])\]|\*{1,3}|\+)\s*(?=\S)")
_ENDS_OPEN = re.compile(r"[a-zà-ÿ,;-]\s*$")
_TITLE_CHARS = 160  # a title page may hold lines with small first letters: "by Wilkie Collins"
_TABLE_CHARS = 240  # a table shows its columns in its first lines
_CLOSED = ".!?\"')]:"
_PAGE_FURNITURE_CHARS = 12
_FINAL_MARKS = ".!?:;,-\"')]"
_SPEECH_ENDS = ".!?\"'"
_MAX_HEADING_CHARS = 160
_VERSE_LINE_CHARS = 60


class Paragraph(NamedTuple):
    """A block of the body: character span in the flat text (outer spaces cut off) and kind.

    A tuple, not a dataclass: a corpus has a million of them, and each lives for a moment.
    """

    start: int
    end: int
    kind: str


def split_paragraphs(flat: str, body: Body) -> Iterator[Paragraph]:
    r"""The paragraphs of the body in order.

    >>> flat = "CHAPTER I\n\nIt was late and\nthe lamp was\n\n[12]\n\nout.\n\n  Over the hill\n  And under the sky\n"
    >>> [(p.kind, flat[p.start:p.end]) for p in split_paragraphs(flat, Body(0, len(flat), "", ""))][1]
    ('prose', 'It was late and\nthe lamp was\n\n[12]\n\nout.')
    """
    skipped = list(body.skipped)
    held: list[Paragraph] = []  # a prose paragraph that broke off without a stop, and the page furniture since
    for start, end in _blocks(flat, body):
        while skipped and skipped[0][1] <= start:
            skipped.pop(0)
        if skipped and skipped[0][0] < end:
            yield from held
            held = []
            yield Paragraph(start, end, OTHER)
            continue
        indent = start - (flat.rfind("\n", 0, start) + 1)
        kind = _kind(flat, start, end, indent)
        if kind == OTHER and held and end - start <= _PAGE_FURNITURE_CHARS:
            held.append(Paragraph(start, end, OTHER))
            continue
        if kind == PROSE:
            start, end = _trim_note_mark(flat, start, end)
            if held and indent == 0 and "a" <= flat[start] <= "z":
                start = held[0].start
                held = []
            yield from held
            held = []
            if flat[end - 1] not in _CLOSED and _ENDS_OPEN.search(flat, end - 3, end):
                held = [Paragraph(start, end, PROSE)]
                continue
        else:
            yield from held
            held = []
        yield Paragraph(start, end, kind)
    yield from held


def _blocks(flat: str, body: Body) -> Iterator[tuple[int, int]]:
    """Spans of the blocks between blank lines, outer whitespace cut off."""
    start = body.start
    for gap in _GAP.finditer(flat, body.start, body.end):
        end = gap.start()
        while end > start and flat[end - 1] in " \n":
            end -= 1
        while start < end and flat[start] in " \n":
            start += 1
        if start < end:
            yield start, end
        start = gap.end()
    end = start + len(flat[start : body.end].rstrip(" \n"))
    start += len(flat[start:end]) - len(flat[start:end].lstrip(" \n"))
    if start < end:
        yield start, end


def _trim_note_mark(flat: str, start: int, end: int) -> tuple[int, int]:
    """Cut ``[Footnote 3:`` with its closing bracket, or a bare ``[3]`` or ``*``, from the ends of a note."""
    if flat[start] not in "[*+":
        return start, end
    match = _FOOTNOTE.match(flat, start, end)
    if match:
        closed = flat[end - 1] == "]" and match.end() < end - 1
        return match.end(), end - closed
    match = _NUMBERED_NOTE.match(flat, start, end)
    return (match.end(), end) if match and match.end() < end else (start, end)


def _kind(flat: str, start: int, end: int, indent: int) -> str:
    """Kind of one block, from its lines; `indent` is the first line's."""
    first = flat[start]
    if first in "[{<(" and _ILLUSTRATION.match(flat, start, end):
        return OTHER
    if _LINE_GOES_ON.search(flat, start, end):
        plain = flat.find("   ", start, min(end, start + _TABLE_CHARS)) < 0
        if plain and (end - start > _TITLE_CHARS or flat[end - 1] in _CLOSED):
            return PROSE
    elif flat.find("\n", start, end) < 0:
        line = flat[start:end]
        # A speech, the commonest single line: no look at what else it might be.
        speech = first in "\"'`" and indent < 8 and line[-1] in _SPEECH_ENDS and len(line) > 8 and not line.isupper() and "   " not in line
        return PROSE if speech else _kind_of_line(line, indent)
    return _kind_of_lines([" " * indent + flat[start:end].split("\n", 1)[0], *flat[start:end].split("\n")[1:]])


def _kind_of_line(line: str, indent: int) -> str:
    if len(line) > _MAX_HEADING_CHARS:
        return PROSE
    if _LETTER.search(line) is None or _PAGE_NUMBER.fullmatch(line):
        return HEADING if _NUMERAL.fullmatch(line) and indent == 0 and len(line) < 4 and line.endswith(".") else OTHER
    if _NUMERAL.fullmatch(line) or (_HEADING_WORD.match(line) and len(line) < 80 and not _sentence_like(line)):
        return HEADING
    if _LOWER.search(line) is None and (len(line) > 3 or line.isupper()) and line[0] not in "\"'`":
        return HEADING if line[-1] not in ",;" else PROSE
    if _INNER_SPACES.search(line) or (_LIST_LINE.search(line) and not _sentence_like(line)):
        return OTHER
    if line[-1] in ".!?:;,-\"')" or line[-2:] == ".]":
        return PROSE if indent < 8 else _indented_line(line)
    title_like = line[0].isupper() or line[0].isdigit() or line[0] in "\"'[(_" or line.split(" ", 1)[0] in ("by", "or", "and", "of")
    return HEADING if len(line) < 70 and title_like else PROSE


def _indented_line(line: str) -> str:
    """A deeply indented single line: a signature or a centred title unless it reads as a sentence."""
    return PROSE if _sentence_like(line) else HEADING


def _sentence_like(line: str) -> bool:
    """Ends as a sentence and holds enough small-letter words to be one."""
    if line[-1] not in ".!?\"'" and line[-2:] not in ('."', ".'"):
        return False
    words = line.split()
    small = sum(1 for word in words if word[0].islower())
    return small >= 3 and small * 2 >= len(words)


def _kind_of_lines(lines: list[str]) -> str:
    filled = [line.rstrip() for line in lines if line.strip()]
    count = len(filled)
    text = " ".join(filled)
    if _LETTER.search(text) is None:
        return OTHER
    listed = sum(1 for line in filled if _LIST_LINE.search(line))
    tabled = sum(1 for line in filled if _INNER_SPACES.search(line))
    if (count >= 3 and listed * 5 >= count * 3) or (count >= 2 and tabled * 2 >= count):
        return OTHER
    longest = max(map(len, filled))
    if _LOWER.search(text) is None and count <= 5 and not text.rstrip().endswith((",", '"')):
        return HEADING
    indents = [len(line) - len(line.lstrip()) for line in filled]
    capitals = sum(1 for line in filled if _CAPITAL_START.match(line))
    mean = sum(map(len, filled)) / count - min(indents)
    if min(indents) >= 8 and count <= 4 and longest - min(indents) < 50 and not _sentence_like(text):
        return VERSE if count >= 2 and capitals == count and text[-1] in ",;:!?" else HEADING
    if _HEADING_WORD.match(filled[0].lstrip()) and len(filled[0].strip()) < 40 and count <= 4 and not _sentence_like(text):
        return HEADING
    unfinished = text[-1] not in _FINAL_MARKS and not any(map(_ends_in_comma, filled))
    bylines = sum(1 for line in filled if _BYLINE.match(line))
    if count <= 6 and longest < 60 and unfinished and (capitals == count or bylines):
        return HEADING  # a title page: "THE MOONSTONE / A Romance / by Wilkie Collins"
    if capitals >= 3 and sum(1 for line in filled if line[-1] in _SPEECH_ENDS) * 5 >= count * 3 and text.count('"') * 2 >= count:
        return PROSE  # short speeches, one a line, without blank lines between
    if capitals >= 0.8 * count and (count >= 3 or min(indents) >= 2) and mean < _VERSE_LINE_CHARS:
        return VERSE
    if min(indents) >= 2 and mean < 48 and longest - min(indents) < 64 and capitals * 2 >= count:
        return VERSE
    return PROSE


def _ends_in_comma(line: str) -> bool:
    return line.endswith((",", ";", ":"))

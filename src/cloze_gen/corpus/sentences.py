"""Sentence boundaries of a paragraph in the flat text. A closing mark belongs to the sentence it
closes: ``"Come!" said he.`` is one sentence, ``"Stay." He left.`` two. The stop of an abbreviation,
initial or number is final only before a word that begins sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cloze_gen.corpus.gutenberg import Body
from cloze_gen.english.word_lists import BEFORE_NUMBER, PERHAPS_FINAL, STARTERS, TITLES

_SMALL_ABBREVIATIONS = sorted(
    word for word in TITLES | PERHAPS_FINAL | BEFORE_NUMBER if word.isalpha() and word.islower()
)
_SPEECH_VERB = (
    r"(?:said|says|cried|cries|asked|exclaimed|replied|answered|returned|whispered|murmured|muttered|shouted|called|remarked|repeated|"
    r"continued|observed|inquired|enquired|demanded|ejaculated|interrupted|added|sighed|groaned|gasped|roared|screamed|began|responded|"
    r"retorted|rejoined|suggested|laughed|growled|snapped|put|thought|told|went)"
)
_TITLE = (
    r"(?:Mr|Mrs|Dr|Miss|Sir|Lady|Lord|Captain|Capt|Colonel|Col|Aunt|Uncle|Father|Mother|Madame|Monsieur|Master|Doctor|Professor|Major|"
    r"Count|Prince|King|Queen|Old|The|Poor|Little)"
)
_NO_SPEAKER = r"(?:He|She|It|They|We|You|Then|There|This|That|Here|And|But|So)"
# `"Where?" I asked.` and `"Ha!" Holmes cried.`: the attribution has a capital, yet the sentence
# goes on.
_SPEECH_CONTINUES = re.compile(
    rf"(?:I|(?:{_TITLE}\.?\s+)?(?!{_NO_SPEAKER}\s)[A-Z][\w'-]{{0,30}})\s+{_SPEECH_VERB}\b"
)
_OPENERS = r"[\"'`(\[{_*]*+"
_NEXT = rf"{_OPENERS}(?:-{{2,}}+[ ]?)?{_OPENERS}[A-ZÀ-ÖØ-Þ0-9]"
# What follows a mark that may end a sentence: what it closes, a footnote mark, then space and a
# capital or a number, or a glued dash before a capital.
_CLOSERS = r"""["'_*)\]}]*+(?:[\[(][\d*]{1,3}[\])])?"""
_GOES_ON = rf"{_CLOSERS}(?:-{{2,}}[ ]?)?(?:\s++(?={_NEXT})|(?<=--)(?={_OPENERS}[A-ZÀ-ÖØ-Þ]))"
# One pattern per mark, each beginning with the mark itself: a set of marks in front makes the search
# three times slower. An (empty) group is set if nothing is left to decide: a full stop behind
# five small letters (no abbreviation but "Messrs" has them) or behind a word of two to four that is
# no abbreviation, an exclamation or question mark that closes no quotation.
_PLAIN_WORD = "|".join(
    rf"(?<=[ \n\"'-][a-z]{{{letters}}}\.)(?<!(?:{'|'.join(word for word in _SMALL_ABBREVIATIONS if len(word) == letters)})\.)"
    for letters in (4, 3, 2)
)
_STOP = re.compile(rf"\.(?:(?:(?<=[a-z]{{5}}\.)(?<!essrs\.)|{_PLAIN_WORD})())?{_GOES_ON}")
_EXCLAMATION = re.compile(rf"!(?:(?=[ \n])())?{_GOES_ON}")
_QUESTION = re.compile(rf"\?(?:(?=[ \n])())?{_GOES_ON}")
_LAST_WORD = re.compile(r"[\w.&]+$")
_NEXT_WORD = re.compile(r"[\"'`(\[{_*-]*([\w']+)")
_ROMAN = re.compile(r"[IVXLC]+$")
_NUMBERING = re.compile(r"[\[(]?(?:[IVXLCDM]+|\d{1,4}|[A-Za-z])[\])]?$")
_WORD_CHARS = 14  # no abbreviation is longer


class SentenceCutter:
    r"""The sentences of a text, paragraph by paragraph; one pass finds the marks that may end one.

    >>> flat = 'Dr. J. H. Watson rose. "Come!" said he. "Stay." He left.'
    >>> [flat[a:b] for a, b in zip(*SentenceCutter(flat).bounds(0, len(flat)))]
    ['Dr. J. H. Watson rose.', '"Come!" said he.', '"Stay."', 'He left.']
    """

    __slots__ = ("_at", "_cuts", "_flat", "_marks")

    def __init__(self, flat: str) -> None:
        self._flat = flat
        # Mark -> where the text behind it begins; negative if still undecided. Numbers,
        # for a hundred thousand matches kept would have Python's garbage collector look through all
        # that is in memory.
        self._cuts = {
            match.start(): match.end() if match.lastindex else -match.end()
            for pattern in (_STOP, _EXCLAMATION, _QUESTION)
            for match in pattern.finditer(flat)
        }
        self._cuts[len(flat)] = len(flat)  # no paragraph holds it
        self._marks = sorted(self._cuts)
        self._at = 0  # the first mark after the paragraphs seen so far

    def bounds(self, start: int, end: int) -> tuple[list[int], list[int]]:
        """Starts and ends of the sentences of one paragraph, given without outer spaces and in
        order; they cover it but for spaces.
        """
        flat, marks, cuts = self._flat, self._marks, self._cuts
        starts, ends = [start], []
        begin = start
        for at in range(self._at, len(marks)):
            mark = marks[at]
            cut = cuts[mark]
            if abs(cut) >= end:
                self._at = at
                break
            if mark >= start and (cut > 0 or _ends_sentence(flat, begin, mark, -cut)):
                begin = abs(cut)
                starts.append(begin)
                stop = begin - 1
                while flat[stop] in " \n":
                    stop -= 1
                ends.append(stop + 1)
        ends.append(end)
        return starts, ends


def _ends_sentence(flat: str, begin: int, stop: int, following: int) -> bool:
    """Whether the mark at `stop` ends the sentence from `begin`; the next one is at `following`."""
    behind = flat[stop + 1]
    if flat[stop] != ".":
        # A finished quotation, followed by its speaker.
        return not (behind in "\"'" and _SPEECH_CONTINUES.match(flat, following))
    if flat[stop - 1] == "." or (flat[stop - 1] in " \n" and flat[stop - 2] == "."):
        # An ellipsis before "I" is a stammer; the text may end with it.
        return not (flat[following] == "I" and not flat[following + 1 : following + 2].isalnum())
    word_match = _LAST_WORD.search(flat, max(begin, stop - _WORD_CHARS), stop)
    if word_match is None:
        return True
    word = word_match.group()
    if len(word) > 6 and "." not in word:
        return True
    if stop - begin <= 6 and _NUMBERING.match(flat[begin:stop]):
        return False  # "1." or "IV." opens its sentence
    if behind in "\"'":
        return word not in TITLES
    return _stop_is_final(word, flat, following)


def _stop_is_final(word: str, flat: str, following: int) -> bool:
    """Whether a stop after a short word is a full stop, by the following word."""
    if word in TITLES:
        return False
    first = flat[following]
    if word in BEFORE_NUMBER:
        number = _next_word(flat, following)
        # "No. I am not": the pronoun is no number behind "no", though it is behind "Vol".
        if first.isdigit() or (
            _ROMAN.match(number) and not (number == "I" and word.lower() == "no")
        ):
            return False
    single = len(word) == 1 and word.isupper() and word != "I"
    dotted = "." in word and len(word.rsplit(".", 1)[-1]) <= 2
    if single or dotted or word in PERHAPS_FINAL:
        return _next_word(flat, following) in STARTERS and not (
            single and _next_word(flat, following) in ("A", "I")
        )
    if _ROMAN.match(word) and word != "I":
        return _next_word(flat, following) in STARTERS
    return True


def _next_word(flat: str, following: int) -> str:
    match = _NEXT_WORD.match(flat, following)
    return match.group(1) if match else ""


# ---- the body cut into paragraphs, each with its kind

PROSE, VERSE, HEADING, OTHER = "prose", "verse", "heading", "other"

_GAP = re.compile(r"\n(?:[ ]*+\n)++[ ]*+")
# a line that begins with a small letter at the margin: prose
_LINE_GOES_ON = re.compile(r"\n {0,1}[\"'(\[]?[a-z]")
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
_VERSE_INDENT = 4  # each line begins with a capital behind so many spaces: long verse


class Paragraph(NamedTuple):
    """A block: span in the flat text without outer spaces, and kind. A tuple for speed."""

    start: int
    end: int
    kind: str


def split_paragraphs(flat: str, body: Body) -> Iterator[Paragraph]:
    r"""The paragraphs of the body in order.

    >>> flat = "CHAPTER I\n\nIt was late and\nthe lamp was\n\n[12]\n\nout.\n\n  Over the hill\n  And under the sky\n"
    >>> [(p.kind, flat[p.start:p.end]) for p in split_paragraphs(flat, Body(0, len(flat), "", ""))][1]
    ('prose', 'It was late and\nthe lamp was\n\n[12]\n\nout.')
    """
    # a prose paragraph that broke off without a stop, and the page furniture since
    held: list[Paragraph] = []
    for start, end, skipped in _blocks(flat, body):
        if skipped:
            yield from held
            held = []
            yield Paragraph(start, end, OTHER)
            continue
        line = flat.rfind("\n", 0, start) + 1
        indent = start - line if flat[line:start].isspace() else 0
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


def _blocks(flat: str, body: Body) -> Iterator[tuple[int, int, bool]]:
    """Spans between blank lines, and what is skipped; a skipped span may begin or end inside a block."""
    at = body.start
    for one in body.skipped:
        yield from _blocks_between(flat, at, one.start)
        yield one.start, one.end, True
        at = one.end
    yield from _blocks_between(flat, at, body.end)


def _blocks_between(flat: str, start: int, stop: int) -> Iterator[tuple[int, int, bool]]:
    for gap in _GAP.finditer(flat, start, stop):
        end = gap.start()
        while end > start and flat[end - 1] in " \n":
            end -= 1
        while start < end and flat[start] in " \n":
            start += 1
        if start < end:
            yield start, end, False
        start = gap.end()
    end = start + len(flat[start:stop].rstrip(" \n"))
    start += len(flat[start:end]) - len(flat[start:end].lstrip(" \n"))
    if start < end:
        yield start, end, False


def _trim_note_mark(flat: str, start: int, end: int) -> tuple[int, int]:
    """Cut ``[Footnote 3:`` with its closing bracket, or a bare ``[3]`` or ``*``, off a note."""
    if flat[start] not in "[*+":
        return start, end
    match = _FOOTNOTE.match(flat, start, end)
    if match:
        closed = flat[end - 1] == "]" and match.end() < end - 1
        return match.end(), end - closed
    match = _NUMBERED_NOTE.match(flat, start, end)
    return (match.end(), end) if match and match.end() < end else (start, end)


def _kind(flat: str, start: int, end: int, indent: int) -> str:
    first = flat[start]
    if first in "[{<(" and _ILLUSTRATION.match(flat, start, end):
        return OTHER
    if _LINE_GOES_ON.search(flat, start, end):
        plain = flat.find("   ", start, min(end, start + _TABLE_CHARS)) < 0
        if plain and (end - start > _TITLE_CHARS or flat[end - 1] in _CLOSED):
            return PROSE
    elif flat.find("\n", start, end) < 0:
        line = flat[start:end]
        # A speech is the most common single line: skip the other checks.
        speech = (
            first in "\"'`"
            and indent < 8
            and line[-1] in _SPEECH_ENDS
            and len(line) > 8
            and not line.isupper()
            and "   " not in line
        )
        return PROSE if speech else _kind_of_line(line, indent)
    return _kind_of_lines(
        [" " * indent + flat[start:end].split("\n", 1)[0], *flat[start:end].split("\n")[1:]]
    )


def _kind_of_line(line: str, indent: int) -> str:
    if len(line) > _MAX_HEADING_CHARS:
        return PROSE
    if _LETTER.search(line) is None or _PAGE_NUMBER.fullmatch(line):
        return (
            HEADING
            if _NUMERAL.fullmatch(line) and indent == 0 and len(line) < 4 and line.endswith(".")
            else OTHER
        )
    if _NUMERAL.fullmatch(line) or (
        _HEADING_WORD.match(line) and len(line) < 80 and not _sentence_like(line)
    ):
        return HEADING
    if _LOWER.search(line) is None and (len(line) > 3 or line.isupper()) and line[0] not in "\"'`":
        return HEADING if line[-1] not in ",;" else PROSE
    if _INNER_SPACES.search(line) or (_LIST_LINE.search(line) and not _sentence_like(line)):
        return OTHER
    if line[-1] in ".!?:;,-\"')" or line[-2:] == ".]":
        return PROSE if indent < 8 else _indented_line(line)
    title_like = (
        line[0].isupper()
        or line[0].isdigit()
        or line[0] in "\"'[(_"
        or line.split(" ", 1)[0] in ("by", "or", "and", "of")
    )
    return HEADING if len(line) < 70 and title_like else PROSE


def _indented_line(line: str) -> str:
    """Signature or centred title, unless the line reads as a sentence."""
    return PROSE if _sentence_like(line) else HEADING


def _sentence_like(line: str) -> bool:
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
    if (
        min(indents) >= 8
        and count <= 4
        and longest - min(indents) < 50
        and not _sentence_like(text)
    ):
        return VERSE if count >= 2 and capitals == count and text[-1] in ",;:!?" else HEADING
    if (
        _HEADING_WORD.match(filled[0].lstrip())
        and len(filled[0].strip()) < 40
        and count <= 4
        and not _sentence_like(text)
    ):
        return HEADING
    unfinished = text[-1] not in _FINAL_MARKS and not any(map(_ends_in_comma, filled))
    bylines = sum(1 for line in filled if _BYLINE.match(line))
    if count <= 6 and longest < 60 and unfinished and (capitals == count or bylines):
        return HEADING  # a title page: "THE MOONSTONE / A Romance / by Wilkie Collins"
    if (
        capitals >= 3
        and sum(1 for line in filled if line[-1] in _SPEECH_ENDS) * 5 >= count * 3
        and text.count('"') * 2 >= count
    ):
        return PROSE  # short speeches, one a line, without blank lines between
    short = mean < _VERSE_LINE_CHARS or min(indents) >= _VERSE_INDENT
    if capitals >= 0.8 * count and (count >= 3 or min(indents) >= 2) and short:
        return VERSE
    if min(indents) >= 2 and mean < 48 and longest - min(indents) < 64 and capitals * 2 >= count:
        return VERSE
    return PROSE


def _ends_in_comma(line: str) -> bool:
    return line.endswith((",", ";", ":"))

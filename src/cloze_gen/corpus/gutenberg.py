"""Project Gutenberg's texts: where the book is inside its file, and the facts in its header;
patterns from 534 books.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.front_back_matter import Removed, find_matter


@dataclass(frozen=True, slots=True)
class Body:
    """The book inside its file, in characters of the flat text.

    Attributes:
        header_marker, footer_marker: the lines found, shortened; empty when none was.
        skipped: disjoint, ordered spans inside [start, end) that are no prose of the author's.
        etexts: how many texts of Project Gutenberg the file holds, counted by their headers.
    """

    start: int
    end: int
    header_marker: str
    footer_marker: str
    skipped: tuple[Removed, ...] = ()
    etexts: int = 0


def find_body(flat: str) -> Body:
    r"""The book without the licence texts around it, and between several texts of one file.

    >>> flat = "licence\n*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04*END*\nA story.\nEnd of Project Gutenberg's Etext of X\n"
    >>> body = find_body(flat)
    >>> flat[body.start:body.end].strip(), body.footer_marker
    ('A story.', "End of Project Gutenberg's Etext of X")
    """
    start, end = 0, len(flat)
    header = footer = ""
    etexts = behind = 0
    inside = []
    for licence in _licences(flat):
        marker = _short(flat[licence.marker.start : licence.marker.end])
        # A header over an older header counts once.
        if licence.marker.kind is _Kind.BEGIN and (licence.start > behind or not etexts):
            etexts += 1
        behind = licence.end
        if licence.start <= start:
            start, header = licence.end, marker
        elif licence.end == len(flat):
            end, footer = licence.start, marker
        else:
            inside.append(Removed(licence.start, licence.end, "licence"))
    return Body(
        start, end, header, footer, _joined([*inside, *find_matter(flat, start, end)]), etexts
    )


# ---- licence texts, found by the lines that begin and end them


class _Kind(Enum):
    TITLE = auto()  # the first line of a header; a few etexts close with it
    BEGIN = auto()  # the last line of a header
    END = auto()  # the first line of a footer


class _Marker(NamedTuple):
    start: int
    end: int
    kind: _Kind


class _Licence(NamedTuple):
    start: int
    end: int
    marker: _Marker


_MARKERS = {
    _Kind.BEGIN: re.compile(
        r"\*{3}[ ]*START[ ]OF[ ](?:THE|THIS)[ ]PROJECT[ ]GUTENBERG[^\n*]*(?:\n[^\n*]+){0,3}\*{0,3}[^\n]*"
        r"|END\s{0,3}\*?\s{0,3}THE\s{1,3}SMALL\s{1,3}PRINT[^\n]*(?:\n[^\n]{0,60}END\*?[ ]*(?=\n))?",
        re.IGNORECASE,
    ),
    # "End of the Project Gutenberg Etext of", "End if Project", "End ofThe Project", "***END OF THIS
    # PROJECT", "This is the end of the Project", "End\n\nof\n\nThe Project", "End Project Gutenberg"
    _Kind.END: re.compile(
        r"^[ *\[<>=_\"'-]*(?:this[ ]is[ ]|you[ ]have[ ]reached[ ])?(?:the[ ])?end\s{0,6}(?:of|if)?"
        r"\s{0,4}(?:the|this|that|a)?\s{0,4}(?:original[ ])?(?:wiretap/)?project[ ]gutenberg[^\n]*",
        re.IGNORECASE | re.MULTILINE,
    ),
    _Kind.TITLE: re.compile(
        r"^[ *\[]*(?:this[ ]is[ ])?(?:the[ ])?project[ ]gutenberg(?:'s\b|[ ](?:etext|ebook|e-text))[^\n]*",
        re.IGNORECASE | re.MULTILINE,
    ),
}
_ANCHORS = ("utenberg", "UTENBERG", "PRINT")  # every marker has one of these
_BEFORE_ANCHOR_CHARS, _BEHIND_ANCHOR_CHARS = 120, 500
_HEAD_CHARS = 60_000  # the longest header of the 534 ends at 13.5 kB
_LAST_CHARS = 400  # 14 of the 522 close with the bare title line of the etext
_TAIL_SHARE, _TAIL_CHARS = 0.25, 20_000  # an earlier footer does not end the last text
_FOOTER_CHARS = 200  # of a footer inside the book
# In licences, lists of corrections, encoding notes, and letters between proofreaders.
_NOT_THE_BOOK = re.compile(
    r"(?im)^[ ]*>|\betexts?\b|\be-texts?\b|changed[ ]to\b|\bpage[ ]+para|project[ ]gutenberg|small[ ]print|\bhttp|\bwww\.|\bOCR\b|\w@\w"
)
_GOES_ON_CHARS = 600  # so much without such words is a part of the book


def _licences(flat: str) -> Iterator[_Licence]:
    """In order: headers with the footer of the text before, lone footers, the last footer."""
    at = 0  # behind the last licence
    opened: _Marker | None = None  # a footer, or the title line of a header that may follow
    for marker in _markers(flat):
        footer = opened if opened and opened.kind is _Kind.END else None
        if footer and _is_book(flat[footer.end : marker.start]):
            line_end = flat.find("\n\n", footer.end)
            at = max(footer.end, min(line_end, footer.end + _FOOTER_CHARS))
            yield _Licence(footer.start, at, footer)
            opened = footer = None
        if marker.kind is _Kind.END:
            opened = footer or marker
        elif marker.kind is _Kind.BEGIN:
            start = opened.start if opened else at
            # The small print of 7878 is at the bottom of the file.
            at_bottom = footer and len(flat) - marker.end < _GOES_ON_CHARS
            if not at_bottom and marker.start - start <= _HEAD_CHARS:
                yield _Licence(start, marker.end, marker)
                at, opened = marker.end, None
        elif not footer and _is_title(flat, at, marker):
            opened = marker
    if opened and _is_footer(flat, at, opened):
        yield _Licence(opened.start, len(flat), opened)


def _markers(flat: str) -> Iterator[_Marker]:
    places = sorted(match.start() for anchor in _ANCHORS for match in re.finditer(anchor, flat))
    behind = 0
    for place in places:
        first = max(behind, place - _BEFORE_ANCHOR_CHARS)
        for kind, pattern in _MARKERS.items():
            match = pattern.search(flat, first, place + _BEHIND_ANCHOR_CHARS)
            if match and match.start() <= place < match.end():
                behind = match.end()
                yield _Marker(match.start(), behind, kind)
                break


def _is_book(text: str) -> bool:
    """Whether a text that follows a footer, or that a title line follows, is of the author's."""
    return len(text.strip()) >= _GOES_ON_CHARS and not _NOT_THE_BOOK.search(text)


def _is_title(flat: str, at: int, marker: _Marker) -> bool:
    """Whether the line may open a header: behind a text, or at the end of the file."""
    if marker.start >= len(flat) - _LAST_CHARS:
        return True
    before = flat[max(at, marker.start - 2 * _GOES_ON_CHARS) : marker.start]
    return (at > 0 or marker.start > _HEAD_CHARS) and _is_book(before)


def _is_footer(flat: str, at: int, opened: _Marker) -> bool:
    if opened.kind is _Kind.TITLE:
        return opened.start >= len(flat) - _LAST_CHARS
    in_tail = opened.start - at >= _TAIL_SHARE * (len(flat) - at)
    return in_tail or len(flat) - opened.start <= _TAIL_CHARS


def _joined(removed: list[Removed]) -> tuple[Removed, ...]:
    """The spans in order; what two rules remove counts for the first."""
    joined: list[Removed] = []
    for span in sorted(removed):
        start = max(span.start, joined[-1].end if joined else 0)
        if start < span.end:
            joined.append(Removed(start, span.end, span.rule))
    return tuple(joined)


def _short(marker: str) -> str:
    return " ".join(marker.split())[:100]


# ---- what the header says

_FACT_LINE = re.compile(r"^(Title|Author|Language):[ ]*(\S[^\n]*(?:\n[ ]+\S[^\n]*)*)", re.MULTILINE)
_NUMBER = re.compile(r"\[(?:e-?text|e-?book)[ ]*#[ ]*(\d+)\]", re.IGNORECASE)
# Up to 2002 "**The Project Gutenberg Etext of The Mill, by Skey**", "#3 in our series by A. Skey".
_TITLE_LINE = re.compile(
    r"^[ *]*(?:this[ ]is[ ])?(?:the[ ])?(?:first[ ])?project[ ]gutenberg(?:'s)?[ ](?:e-?(?:text|book),?[ ](?:of[ ])?)?"
    r"([^\n*#]+(?:\n[^\n*]*\bby[ ][^\n*#]+)?)",
    re.IGNORECASE | re.MULTILINE,
)
_SERIES_LINE = re.compile(
    r"^[ \[]*#\w+[ ]in[ ]our[ ]series[ ]by[ ]([^\n*\]]+)", re.IGNORECASE | re.MULTILINE
)
_BYLINE = re.compile(r"(.+?)(?:,[ ]by|[ ]by(?!.*[ ]by[ ]))[ ](.+)", re.IGNORECASE)
_OPENING_CHARS = 3_000  # title line, series and fact lines are so near the beginning


def header_facts(text: str) -> dict[str, str]:
    r"""Title, author, language and etext number (`etext`), as far as the header of a text of Project
    Gutenberg states them; empty for another text.

    >>> header_facts("Project Gutenberg's The Mill, by A. Skey\n\nMay, 1997 [Etext #904]\n")
    {'title': 'The Mill', 'author': 'A. Skey', 'etext': '904'}
    """
    head = flatten(text[:_OPENING_CHARS])
    if begin := _MARKERS[_Kind.BEGIN].search(head):
        head = head[: begin.start()]
    if "gutenberg" not in head.lower():
        return {}
    facts = {"title": "", "author": "", "language": "", "etext": ""}
    if title := _TITLE_LINE.search(head):
        facts["title"] = _cell(title[1])
        if byline := _BYLINE.fullmatch(facts["title"]):
            facts["title"], facts["author"] = _cell(byline[1]), _cell(byline[2])
    if series := _SERIES_LINE.search(head):
        facts["author"] = _cell(series[1])  # with first names
    stated: dict[str, str] = {}
    for name, value in _FACT_LINE.findall(head):
        stated.setdefault(name.lower(), _cell(value))
    if number := _NUMBER.search(head):
        facts["etext"] = number[1]
    return {name: value for name, value in (facts | stated).items() if value}


def _cell(text: str) -> str:
    return " ".join(text.split()).strip('*", ')

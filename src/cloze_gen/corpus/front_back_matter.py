"""What is printed around a book and is no prose: credits, copyright pages, footnotes, remarks,
transcribers' notes, advertisements. `RULES` is the whole list: to add a rule, add a line to it and a
case to `tests/cases/front_back_matter.json`. A rule asks for words that open no paragraph of a
story: a sentence too many is rejected later, a chapter too few is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

FRONT_CHARS = 4000  # credits and copyright pages are looked for in so many first characters,
BACK_SHARE = 0.1  # and, with notes and lists of books, in this share of the text at its end
BACK_CHARS = 25_000  # and at most in so many characters
_LISTS_CHARS = 5_000  # lists of books at the end are shorter
_NOTICE_CHARS = 1500  # the longest, PG 100's between two plays, has 700
_FOOTNOTE_CHARS = 8_000  # the longest in Gibbon has 6,500
_MARK_CHARS = 4_000  # the text before a note that must hold its mark
_PARAGRAPH = re.compile(r"[^\n]*[^\n ][^\n]*(?:\n[^\n]*[^\n ][^\n]*)*")


class Removed(NamedTuple):
    """A span of the flat text that is not the author's prose, and the name of its rule."""

    start: int
    end: int
    rule: str


class Zone(Enum):
    FRONT = auto()  # the first `FRONT_CHARS`
    MIDDLE = auto()
    BACK = auto()  # the last `BACK_SHARE`


ENDS = (Zone.FRONT, Zone.BACK)
EVERYWHERE = tuple(Zone)

# ---- how far a kind of matter goes: functions (flat, end of its first paragraph, end of the book) ->
# the end of the matter

_BOOK_GOES_ON = re.compile(
    r"\W{0,4}(?:(?:foot|end)?notes?|appendix|index|glossary|act|chapter|chap\.|book|part|letter|canto|section|volume|vol\.)"
    r"(?:\s+[ivxlc\d]+)?\W{0,4}",
    re.IGNORECASE,
)
# Two blank lines behind at least one paragraph.
_WIDE_GAP = re.compile(r"\s*+.+?(?=\n[ ]*\n[ ]*\n)", re.DOTALL)
_NOTE = re.compile(r"[ ]*(?:\[\d{1,3}\]|\(\d{1,3}\)|\*)")


def _paragraph(flat: str, stop: int, end: int) -> int:
    return stop


def _rest(flat: str, stop: int, end: int) -> int:
    """The rest of the book, if it is short."""
    return end if end - stop <= _LISTS_CHARS else stop


def _section(flat: str, stop: int, end: int) -> int:
    """To the next chapter or appendix, else to the end of the book."""
    for match in _PARAGRAPH.finditer(flat, stop, end):
        if _BOOK_GOES_ON.fullmatch(match.group()):
            return match.start()
    return end


def _notice(flat: str, stop: int, end: int) -> int:
    """Behind the paragraphs below a heading, if a wide gap follows them soon."""
    notice = _WIDE_GAP.match(flat, stop, min(end, stop + _NOTICE_CHARS))
    return notice.end() if notice else stop


def _notes(flat: str, stop: int, end: int) -> int:
    """Behind the notes below their heading: paragraphs that open with `(1)`, `[1]` or a star."""
    for match in _PARAGRAPH.finditer(flat, stop, end):
        if not _NOTE.match(match.group()):
            break
        stop = match.end()
    return stop


# ---- the rules


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of matter: `opens` must match the beginning of a paragraph of a zone."""

    name: str
    zones: tuple[Zone, ...]
    opens: re.Pattern[str]
    extent: Callable[[str, int, int], int] = _paragraph
    max_chars: int = 700  # of the paragraph


def _begins(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"[^\w\"']{{0,8}}(?:{pattern})", re.IGNORECASE | re.VERBOSE)


def _has(pattern: str) -> re.Pattern[str]:
    """Somewhere in the paragraph, which must not open a speech."""
    return re.compile(rf"(?![ ]*\")(?s:.*?)(?:{pattern})", re.IGNORECASE | re.VERBOSE)


_EBOOK = r"(?:e-?texts?|e-?books?|electronic[ ](?:text|version|edition|book)s?)"
_NAME = r"(?-i:[A-Z][\w.]*(?:[ ][A-Z][\w.]*){1,3})"

RULES = (
    # lists of books
    Rule("advertisements", (Zone.BACK,), _begins(
        rf"""(?:by[ ]the[ ]same[ ]author | advertisements | about[ ]the[ ]author | this[ ]isn't[ ]all!
        | (?:also|(?:\w+[ ]){{0,4}}(?:books|novels|titles|works|stories))\s{{1,3}}by[ ]{_NAME} | discover[ ]other[ ]titles[ ]by[^\n]{{1,60}}
        | connect[ ]with[ ][^\n]{{1,40}}[ ]online)[\W_]*(?:$|\n)"""), _rest),
    Rule("advertisements", ENDS, _begins(
        r"if[ ]you[ ](?:have[ ])?enjoyed[ ]this[ ](?:book|novel|story|e-?book) | thank[ ]you[ ](?:so[ ]much[ ])?for[ ]reading\b[^\"]*$")),
    # scanners' and transcribers' credits
    Rule("credits", (Zone.FRONT,), _has(
        rf"""\b{_EBOOK}\b | \b(?:ocr|omnipage|spell-?check\w*|proofread\w*|ascii|public[ ]domain|html[ ]version)\b | \bto[ ]scan\b""")),
    Rule("credits", ENDS, _has(r"[\w.+-]@[\w-]{1,60}\.\w | \bhttps?:// | \bwww\. | project[ ]gutenberg | \bsmashwords\b")),
    Rule("credits", ENDS, _begins(
        r"""(?:(?:this|the)\s(?:\w+\s)?(?:text|book|file|version|edition)\s(?:was|has\sbeen|is)\s)?
        (?:scanned|transcribed|digiti[sz]ed|proofed|keyed|typed|prepared|produced|compiled)\b [^\n]{0,60} \b(?:by|with|from|for[ ]project)\b"""),
        max_chars=400),
    # copyright pages
    Rule("copyright", ENDS, _has(
        r"""\bisbn\b | \ball[ ]rights[ ](?:are[ ])?reserved\b | \bcopyright(?:ed)?,?[ ]*(?:©|\(c\)|by\b|(?:in[ ])?\d{4}) | ©\s*\d{4}
        | \bentered[ ]according[ ]to[ ](?:the[ ])?act[ ]of""")),
    Rule("copyright", ENDS, _begins(
        r"""(?:l[o0]nd[o0]n\W{1,4})?(?:first|originally|made\sand|privately)?\s?(?:published|printed)\s(?:in|by|at|for|as|serially)\b
        | [^.]{1,80}\b(?:first|originally)\s(?:published|printed)\b[^.]{0,60}\b(?:1[789]|20)\d\d
        | (?:smashwords|kindle|first|second|revised)\sedition\b | author\sof\s["'] | cover\s(?:art|artist|design|image|photo)\b
        | (?:edited|illustrated)\sby\b"""), max_chars=200),
    Rule("copyright", ENDS, _begins(
        r"""(?:this|the[ ]following)[ ](?:is|(?:book|novel|story|e-?book)[ ]is)[ ]a[ ]work[ ]of[ ]fiction\b | no[ ]part[ ]of[ ]this[ ](?:book|publication|work|e-?book)\b
        | (?:all[ ])?(?:the[ ])?(?:names|characters),?[ ][^.]{0,160}\b(?:fictitious|imagination|fictional|coincidental)\b | any[ ]resemblance[ ]to\b
        | if[ ]you(?:'re|[ ]are)[ ]reading[ ]this[ ]book[ ]and | if[ ]you[ ]would[ ]like[ ]to[ ]share[ ]this[ ]book
        | thank[ ]you[ ]for[ ](?:respecting|your[ ]support)""")),
    # transcribers' notes
    Rule("notes", (Zone.BACK,), _begins(
        r"""(?:the[ ])?transcri(?:ber|ption)'?s?'?[ ]notes?\b[^a-z\n]{0,3}(?:$|\n) | a[ ]note[ ]on[ ]the[ ]text\W*(?:$|\n)
        | (?:appendix\W{1,4})?notes?[ ](?:on|to|about)[ ](?:the[ ]|this[ ])?(?:e-?text|electronic[ ](?:text|edition|version))\b"""), _section),
    Rule("notes", (Zone.FRONT, Zone.MIDDLE), _begins(r"(?:the[ ])?transcri(?:ber|ption)'?s?'?[ ]notes?\W*$"), _notice),
    Rule("notes", EVERYWHERE, re.compile(r"\W{0,300}transcri(?:ber|ption)'?s?'?[ ]notes?\b", re.IGNORECASE), max_chars=_NOTICE_CHARS),
    # the licence and the end of an e-text inside the book
    Rule("licence", EVERYWHERE, _begins(
        rf"""<<\s?this[ ](?:electronic|e-?text|e-?book) | (?:(?:this|here)[ ]is[ ])?(?:the[ ])?end[ ]of[ ](?:this[ ]|the[ ])?{_EBOOK}\b
        | this[ ]e-?book[ ](?:is[ ]licensed|may[ ]not[ ]be) | thank[ ]you[ ]for[ ](?:downloading|purchasing|buying)[ ]this[ ]e-?book"""),
        max_chars=_NOTICE_CHARS),
    # the heading may be in one paragraph with its notes
    Rule("footnotes", EVERYWHERE, _begins(r"(?:foot|end)notes?[\W_]*(?:$|\n\s*(?:[\[(]?\d|\*))"), _notes, max_chars=_FOOTNOTE_CHARS),
)  # fmt: skip


# A paragraph that opens with a note's mark.
_MARKED = re.compile(r"\n[ ]*\n[ ]*((?:\[\d{1,3}\]|\(\d{1,3}\))(?=[ ]+\S)|\*{1,3}(?=[ ]?[\w\"'(]))")
# In square brackets, with brackets inside.
_BRACKETED = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]")
# Words in a bracket: no number of a page or of a note.
_REMARK = re.compile(
    r"\[[ ]*(?:((?:foot|end)note\b)|(?!p(?:age|g)?\b\W*\d)[ _*]*[^\W\d_]{2})", re.IGNORECASE
)
# Where a paragraph or a sentence may begin, or behind a speaker's name in capitals.
_BEFORE_REMARK = re.compile(r"(?:[.!?:)\]-][\"']?|,[\"']|\n[ ]*\n|\b[A-Z]{2,}[_,]?|\A)\s*\Z")
_BEFORE_REMARK_CHARS = 80  # spaces and line ends between


def find_matter(flat: str, start: int, end: int) -> list[Removed]:
    r"""What is no prose in `flat[start:end]`; the spans may overlap and have no order.

    >>> flat = "Copyright 2012 A. Body\n\nIt was late.\n\n[Footnote 1: By the clock.]\n\nNobody came.\n"
    >>> [(span.rule, flat[span.start : span.end]) for span in find_matter(flat, 0, len(flat))]
    [('copyright', 'Copyright 2012 A. Body'), ('footnotes', '[Footnote 1: By the clock.]')]
    """
    return [
        *_by_rules(flat, start, end),
        *_bracketed(flat, start, end),
        *_marked_notes(flat, start, end),
    ]


def _by_rules(flat: str, start: int, end: int) -> Iterator[Removed]:
    rules = {zone: [rule for rule in RULES if zone in rule.zones] for zone in Zone}
    front = start + FRONT_CHARS
    back = end - min(BACK_CHARS, int((end - start) * BACK_SHARE))
    removed_to = start
    for paragraph in _PARAGRAPH.finditer(flat, start, end):
        begin, stop = paragraph.span()
        if begin < removed_to:
            continue
        zone = Zone.FRONT if begin < front else Zone.BACK if begin >= back else Zone.MIDDLE
        for rule in rules[zone]:
            if stop - begin <= rule.max_chars and rule.opens.match(flat, begin, stop):
                removed_to = rule.extent(flat, stop, end)
                yield Removed(begin, removed_to, rule.name)
                break


def _bracketed(flat: str, start: int, end: int) -> Iterator[Removed]:
    """Footnotes, stage directions and remarks in square brackets. A remark ends in its paragraph; a
    footnote may have several, and ends with its first if nothing closes it.
    """
    at = flat.find("[", start, end)
    while at >= 0:
        stop = at + 1
        remark = _REMARK.match(flat, at, end)
        before = flat[max(start, at - _BEFORE_REMARK_CHARS) : at]
        paragraph = _PARAGRAPH.match(flat, at, end)
        if remark and paragraph and _BEFORE_REMARK.search(before):
            is_footnote = remark[1] is not None
            limit = min(end, at + _FOOTNOTE_CHARS) if is_footnote else paragraph.end()
            closed = _BRACKETED.match(flat, at, limit)
            if closed or is_footnote:
                stop = closed.end() if closed else paragraph.end()
                yield Removed(at, stop, "footnotes" if is_footnote else "remarks")
        at = flat.find("[", stop, end)


def _marked_notes(flat: str, start: int, end: int) -> Iterator[Removed]:
    """Paragraphs that open with the mark of a note, `(1)`, `[1]` or `*`, if the text before has the
    same mark behind a word.
    """
    for match in _MARKED.finditer(flat, start, end):
        before = flat[max(start, match.start() - _MARK_CHARS) : match.start()]
        mark = re.escape(match[1])
        note = _PARAGRAPH.match(flat, match.start(1), end)
        if note is None or not re.search(rf"{mark}(?<=[\w.,;:!?\"')]{mark})(?![\w*])", before):
            continue
        if "*" in note.group().lstrip("*"):  # emphasis, not a mark
            continue
        yield Removed(note.start(), note.end(), "footnotes")

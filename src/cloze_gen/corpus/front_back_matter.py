"""What is printed around a book and is no prose: credits, copyright pages, contents, footnotes,
transcribers' notes, advertisements. `RULES` is the whole list: to add a rule, add a line to it and a
case to `tests/cases/front_back_matter.json`. A rule asks for words that open no paragraph of a
story: a sentence too many is rejected later, a chapter too few is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import combinations
from typing import NamedTuple

FRONT_CHARS = 4000  # credits and copyright pages are looked for in so many first characters,
BACK_SHARE = 0.1  # notes and lists of books in this share of the text at its end,
BACK_CHARS = 25_000  # and at most in so many characters
_LISTS_CHARS = 5_000  # lists of books that follow no "THE END" are shorter
_PARAGRAPH_CHARS = 900  # credits and notices are short; longer ones need more than two marks
_NOTICE_CHARS = 1500  # the longest, PG 100's between two plays, has 700
_BRACKET_CHARS = 8_000  # of one footnote; the longest of Gibbon's has 6,500
_MARK_CHARS = 4_000  # the text before a note that must hold its mark
_NOTE_CHARS = 3_000  # of a note without a bracket
_CONTENTS_CHARS = 30_000
_PARAGRAPH = re.compile(r"[^\n]*[^\n ][^\n]*(?:\n[^\n]*[^\n ][^\n]*)*")


class Removed(NamedTuple):
    """A span of the flat text that is not the author's prose, and the name of its rule."""

    start: int
    end: int
    rule: str


class Zone(Enum):
    FRONT = auto()  # the first `FRONT_CHARS`
    BACK = auto()  # the last `BACK_SHARE`
    AFTER = auto()  # directly after a paragraph that a rule of FRONT, BACK or AFTER removed
    INSIDE = auto()  # anywhere: at the hints of the rule


# ---- how far a kind of matter goes: functions (flat, begin and end of its first paragraph, end of the
# book) -> the end of the matter

_DIVISION = r"(?:chapter|chap\.|book|part|letter|canto|section|volume|vol\.)"
_BOOK_GOES_ON = re.compile(
    rf"\W{{0,4}}(?:(?:foot|end)?notes?|appendix|index|glossary|act|{_DIVISION})"
    r"(?:\s+[ivxlc\d]+)?\W{0,4}",
    re.IGNORECASE,
)
_ENTRY_LINE = re.compile(
    rf"[ ]*(?:{_DIVISION}[ ]+(?:[ivxlc]+|\d{{1,3}}|the[ ]\w+)\b|(?:[ivxlc]+|\d{{1,3}})[.:)]|\d{{1,3}}[ ])"
    r"|.*[ .]\d{1,4}[ ]*$",
    re.IGNORECASE,
)
_TITLE_CHARS = 90  # a longer line is prose, unless it is numbered
_ENTRY_CHARS = 160
_MIN_ENTRIES = 3
_MAX_HEADINGS = 8  # of the first chapter: title, part, number, title of the chapter
_NOTE = re.compile(r"[ ]*(?:([\[(]?)(\d{1,3})[\])]?[.:]?|\*{1,3})[ ]*(?=\S)")
_NOTES_GAP = 3  # so many paragraphs of a note may follow its first
_NOTICE_GAP = 2  # line ends between the paragraphs of a notice
_FINAL_MARKS = ".!?:;,\"')]"


def _paragraph(flat: str, begin: int, stop: int, end: int) -> int:
    return stop


def _rest(flat: str, begin: int, stop: int, end: int) -> int:
    """If it follows THE END or is near the end, see `_at_an_end`."""
    return end


def _section(flat: str, begin: int, stop: int, end: int) -> int:
    """To the next chapter or appendix, else to the end of the book."""
    for match in _PARAGRAPH.finditer(flat, stop, end):
        if _BOOK_GOES_ON.fullmatch(match.group()):
            return match.start()
    return end


def _notice(flat: str, begin: int, stop: int, end: int) -> int:
    """Behind the paragraphs below a heading, if a wide gap, a heading or a rule follows them soon."""
    last = stop
    for match in _PARAGRAPH.finditer(flat, stop, min(end, begin + _NOTICE_CHARS)):
        wide = flat.count("\n", last, match.start()) > _NOTICE_GAP
        if last > stop and (wide or match.group().rstrip()[-1] not in _FINAL_MARKS):
            return last
        last = match.end()
    return stop


def _entries(flat: str, begin: int, stop: int, end: int) -> int:
    """Behind the last entry below the heading of a table. The first chapter's own heading follows
    and looks like an entry, but repeats one.
    """
    entries: list[re.Match[str]] = []
    for match in _PARAGRAPH.finditer(flat, stop, min(end, begin + _CONTENTS_CHARS)):
        if not _is_entries(match.group()):
            break
        entries.append(match)
    listed = flat[begin:stop].casefold().split("\n")[1:]
    for match in entries:
        listed += match.group().casefold().split("\n")
    for _ in range(_MAX_HEADINGS):
        if not entries or not _repeats(entries[-1].group(), listed):
            break
        listed = listed[: -len(entries.pop().group().split("\n"))]
    return entries[-1].end() if len(listed) >= _MIN_ENTRIES and entries else stop


def _is_entries(paragraph: str) -> bool:
    """Whether the lines are entries of a table, or titles: short, without a final mark."""
    if _ENTRY_LINE.match(paragraph) and len(paragraph) <= _ENTRY_CHARS:
        return True
    lines = [line.rstrip() for line in paragraph.split("\n")]
    return sum(map(_is_entry, lines)) * 5 >= len(lines) * 4


def _is_entry(line: str) -> bool:
    if _ENTRY_LINE.match(line):
        return True
    opens = line.lstrip(" \"'([_*")[:1]
    return len(line) <= _TITLE_CHARS and line[-1] not in ".,;!?\"'" and not opens.islower()


def _repeats(paragraph: str, listed: list[str]) -> bool:
    """Whether the paragraph, at the end of `listed`, is a heading: bare, or of an earlier entry."""
    if _BOOK_GOES_ON.fullmatch(paragraph):
        return True
    lines = paragraph.casefold().split("\n")
    earlier = listed[: -len(lines)]
    return all(any(line.strip(" .") in entry for entry in earlier) for line in lines)


def _numbered_notes(flat: str, begin: int, stop: int, end: int) -> int:
    """Behind the last of the notes below their heading: numbers rise, and all have brackets or
    none, so that numbered chapters are no notes.
    """
    lines = flat[begin:stop].split("\n", 1)
    first = _NOTE.match(lines[1]) if len(lines) > 1 else None
    last = int(first[2] or 0) if first else 0
    gap = 0
    for match in _PARAGRAPH.finditer(flat, stop, end):
        mark = _NOTE.match(match.group())
        first = first or mark
        number = int(mark[2] or 0) if mark else 0
        if mark and first and mark[1] == first[1] and (number > last or not mark[2]):
            last, gap, stop = number, 0, match.end()
        elif mark or gap == _NOTES_GAP or _BOOK_GOES_ON.fullmatch(match.group()):
            break
        else:
            gap += 1
    return stop


# ---- the rules


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of matter: `opens` must match the beginning of a paragraph.

    `hints` are in small letters: where none of them is, the rule is not tried. They save time.
    """

    name: str
    zones: tuple[Zone, ...]
    opens: re.Pattern[str]
    extent: Callable[[str, int, int, int], int] = _paragraph
    max_chars: int = _PARAGRAPH_CHARS
    hints: tuple[str, ...] = ()


def _begins(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"[^\w\"']{{0,8}}(?:{pattern})", re.IGNORECASE | re.VERBOSE)


def _has(pattern: str) -> re.Pattern[str]:
    """Somewhere in the paragraph, which must not open a speech."""
    return re.compile(rf"(?![ ]*\")(?s:.*?)(?:{pattern})", re.IGNORECASE | re.VERBOSE)


ENDS = (Zone.FRONT, Zone.BACK, Zone.AFTER)
_EBOOK = r"(?:e-?texts?|e-?books?|electronic[ ](?:text|version|edition|book)s?)"
_FOOTNOTES = ("footnote", "endnote")
_EBOOKS = ("etext", "e-text", "ebook", "e-book", "electronic", "ascii")
_NAME = r"(?-i:[A-Z][\w.]*(?:[ ][A-Z][\w.]*){1,3})"
_MADE = r"""(?:scann(?:ed|er|ing)|transcri(?:bed|ber)|digiti[sz]ed|proof(?:ed|read|reading)?(?:ers)?|keyed|typed|prepared|produced
  |converted|compiled|reformatted|formatted|edited[ ]and[ ]corrected|created|contributed|donated|submitted)"""
# Marks of a trade catalogue: format, binding, price of a book. Two kinds of them open a list of books.
_FORMAT = r"\b(?:12mo|16mo|18mo|(?:crown|post|demy)[ ]8vo|8vo|fcap)\b"
_BINDING = r"\bcloth(?:,|[ ](?:gilt|extra|boards|binding))|\b(?:paper|cloth)[ ]boards\b"
_PRICE = (
    r"\$[ ]?\d\.\d\d\b|\b\d{1,2}s\.(?:[ ]\d{1,2}d\.)?[ ]net\b|\bprice[, ]+(?:\$|\d)|\bpostpaid\b"
)
_TRADE = re.compile(
    "|".join(
        rf"(?=(?s:.*?)(?:{one}))(?=(?s:.*?)(?:{other}))"
        for one, other in combinations((_FORMAT, _BINDING, _PRICE), 2)
    ),
    re.IGNORECASE,
)

RULES = (
    # lists of books; these come first, for they end the book
    Rule("advertisements", (Zone.BACK,), _begins(
        rf"""(?:by[ ]the[ ]same[ ]author|advertisements|press[ ]notices|opinions[ ]of[ ]the[ ]press|about[ ]the[ ]author|this[ ]isn't[ ]all!
        | (?-i:[A-Z])\w+[ ](?:\w+[ ]){{0,4}}(?:by|from)[ ]the[ ]same[ ](?:author|pen|publishers?)
        | (?:also|(?:(?:some|other|more|popular|recent|new|the)[ ])*(?:\w+[ ]){{0,2}}(?:books|novels|titles|works|stories))\s{{1,3}}by[ ]{_NAME}
        | discover[ ]other[ ]titles[ ]by[^\n]{{1,60}} | connect[ ]with[ ](?:me|us|the[ ]author|{_NAME}|(?-i:[A-Z]\w+))[ ]online
        )[\W_]*(?:$|\n)"""), _rest, BACK_CHARS),
    Rule("advertisements", (Zone.BACK,), _TRADE, _rest, BACK_CHARS, hints=("2mo", "6mo", "8mo", "8vo", "fcap", "cloth", "boards")),
    Rule("advertisements", ENDS, _begins(
        r"""if[ ]you[ ](?:have[ ])?enjoyed[ ]this[ ](?:book|novel|story|e-?book) | thank[ ]you[ ](?:so[ ]much[ ])?for[ ]reading\b[^\"]*$
        | (?:please[ ])?(?:visit|follow|find|friend)[ ](?:me|us|the[ ]author|my[ ]\w+)\b[^.!?]{0,80}\b(?:twitter|facebook|instagram|goodreads|website|blog|online)\b"""),
        max_chars=600),
    # scanners' and transcribers' credits
    Rule("credits", (Zone.FRONT, Zone.AFTER), _has(
        rf"""\b{_EBOOK}\b | \b(?:ocr|omnipage|spell-?check\w*|proofread\w*|ascii|iso-8859)\b | \bhtml[ ]version | \bpublic[ ]domain\b
        | \bbook\b[^.]{{0,60}}\bto[ ]scan\b | \btypographical[ ]notes?\b | \bclaimed[ ]as[ ]copyright"""), hints=(*_EBOOKS, "ocr", "omni", "spell", "proof", "iso-", "html", "public domain", "to scan", "typog", "claimed")),
    Rule("credits", ENDS, _has(
        r"[\w.+-]@[\w-]{1,60}\.\w | \bhttps?:// | \bwww\. | project[ ]gutenberg | gutenberg\.(?:org|net) | \bsmashwords\b"),
         hints=("@", "http", "www.", "gutenberg", "smashwords")),
    Rule("credits", ENDS, _begins(
        rf"""(?:(?:this|the)\s(?:\w+\s)?(?:text|book|file|version|edition|document|volume|transcription)\s(?:was|has\sbeen|is)\s|text\s)?
        {_MADE}\b [^\n]{{0,60}}\n?[^\n]{{0,40}} \b(?:by|with|from|using|against|for[ ]project)\b"""), max_chars=400),
    Rule("credits", (Zone.FRONT, Zone.AFTER), _begins(
        r"(?:(?:with|my|our)\s)?(?:special|many|grateful)\s(?:thanks|acknowledgements?)\b | thanks\s(?:to|are\sdue)\b"), max_chars=400),
    # copyright pages
    Rule("copyright", ENDS, _has(
        r"""\bisbn\b | \ball[ ]rights[ ](?:are[ ])?reserved\b | \bcopyright(?:ed)?,?[ ]*(?:©|\(c\)|by\b|(?:in[ ])?\d{4}) | ©\s*\d{4}
        | \bentered[ ]according[ ]to[ ](?:the[ ])?act[ ]of"""), hints=("isbn", "rights", "copyright", "©", "entered according")),
    Rule("copyright", ENDS, _begins(
        r"""(?:l[o0]nd[o0]n\W{1,4})?(?:first|originally|made\sand|privately)?\s?(?:published|printed)\s(?:and\sbound\s)?(?:in|by|at|for|as|serially|under)\b
        | [^.]{1,80}\b(?:first|originally)\s(?:published|printed)\b[^.]{0,60}\b(?:1[789]|20)\d\d
        | (?:smashwords|kindle|digital|first|second|revised)\sedition\b | author\sof\s["'] | cover\s(?:art|artist|design|image|photo|illustration)\w*\b
        | (?:edited|formatted|designed|illustrated)\sby\b | licen[cs]e\snotes?\W*$"""), max_chars=200),
    Rule("copyright", ENDS, _begins(
        r"""(?:this|the[ ]following)[ ](?:is|(?:book|novel|story|e-?book)[ ]is)[ ]a[ ]work[ ]of[ ]fiction\b | no[ ]part[ ]of[ ]this[ ](?:book|publication|work|e-?book)\b
        | (?:all[ ])?(?:the[ ])?(?:names|characters),?[ ][^.]{0,160}\b(?:fictitious|imagination|fictional|coincidental)\b | any[ ]resemblance[ ]to\b
        | if[ ]you(?:'re|[ ]are)[ ]reading[ ]this[ ]book[ ]and | if[ ]you[ ]would[ ]like[ ]to[ ]share[ ]this[ ]book
        | thank[ ]you[ ]for[ ](?:respecting|your[ ]support)""")),
    # transcribers' notes
    Rule("notes", (Zone.BACK,), _begins(
        r"""(?:the[ ])?transcri(?:ber|ption)'?s?'?[ ]notes?\b[^a-z\n]{0,3}(?:$|\n) | notes?[ ](?:of|by|from)[ ]the[ ]transcriber\W*(?:$|\n)
        | (?:appendix\W{1,4})?notes?[ ](?:on|to|about)[ ](?:the[ ]|this[ ])?(?:e-?text|electronic[ ](?:text|edition|version))\b
        | note:?\si[ ]have[ ]made[ ]the[ ]following[ ]changes | a[ ]note[ ]on[ ]the[ ]text\W*(?:$|\n) | [^\n]*\n(?:[^\n]{0,80}\n)?[ ]*a[ ]machine-readable[ ]transcription"""), _section, BACK_CHARS),
    Rule("notes", (Zone.FRONT, Zone.INSIDE), _begins(r"(?:the[ ])?transcri(?:ber|ption)'?s?'?[ ]notes?\W*$"), _notice, hints=("transcri",)),
    Rule("notes", (Zone.INSIDE,), re.compile(r"\W{0,300}transcri(?:ber|ption)'?s?'?[ ]notes?\b", re.IGNORECASE),
         max_chars=_NOTICE_CHARS, hints=("transcri",)),
    Rule("notes", ENDS, _begins(
        r"""(?:a[ ]few[ ]|the[ ]|some[ ]|all[ ])?obvious[ ](?:\w+'?s?'?[ ]){0,2}(?:errors?|misprints?|typos?|mistakes?)\b[^.]{0,120}\b(?:corrected|fixed|amended|repaired|changed)
        | (?:notes?:?\s+)?(?:\d+\.\s+)?(?:on\s)?p(?:age|p?\.)\s\d+\b[^\n]{0,200}\n?[^\n]{0,80}\b(?:changed|corrected|amended|replaced|inserted|removed|spelled|glued|torn|missing|misprint)
        | (?:the[ ]words?\s)?["'][^"\n]{1,60}["'][ ](?:was[ ]|has[ ]been[ ]|is[ ])?(?:changed|corrected|amended|replaced)[ ](?:to|with|by)\b
        | (?:italics?|italicized[ ]text|footnotes?|accents?|fractions|bold|small[ ]capitals)\b[^.]{0,60}\b(?:are|is|have[ ]been|has[ ]been)[ ](?:shown|marked|indicated|represented|surrounded|enclosed|moved|placed)\b""")),
    # changes that a transcriber made; an editor's preface may list the same
    Rule("notes", (Zone.AFTER,), _has(
        r"""(?:printer'?s'?|typographical|typesetting|spelling|punctuation)[ ]errors? | \bobvious[ ](?:errors?|misprints?|typos?)
        | \b(?:spellings?|punctuation|hyphenation|capitali[sz]ation|italics?|footnotes?|page[ ]numbers?|accents?|illustrations?|captions)\b [^.]{0,80}? \b
          (?:retained|preserved|corrected|standardi[sz]ed|normali[sz]ed|moderni[sz]ed|changed|moved|renumbered|removed|omitted|indicated|marked|shown|surrounded|enclosed|recorded)\b
        | \bchanged[ ](?:to|from)\b | \bsearch[^.]{0,60}\b(?:renewal|renewed)\b | \bcopyright[ ]on[ ]this[ ]publication\b""")),
    # the licence and the end of an e-text inside the book
    Rule("licence", (Zone.INSIDE,), re.compile(
        rf"""(?xi)<<\s?this[ ](?:electronic|e-?text|e-?book) | \W{{0,6}}(?:
        (?:(?:this|here)[ ]is[ ])?(?:the[ ])?end[ ]of[ ](?:this[ ]|the[ ])?{_EBOOK}\b
        | (?=[^.?!"]{{0,300}}\bascii\s(?:text|file|version|edition)\b) [^.?!"]{{0,300}}\bcan\s?not\b
        | note:?\s[^"]{{0,600}}\bthis[ ]{_EBOOK}\b
        | this[ ]e-?book[ ](?:is[ ]licensed|may[ ]not[ ]be) | thank[ ]you[ ]for[ ](?:downloading|purchasing|buying)[ ]this[ ]e-?book)"""),
        max_chars=_NOTICE_CHARS, hints=_EBOOKS),
    Rule("licence", (Zone.BACK,), _begins(r"end[ ]of[ ](?:the[ ])?text\W*$")),
    # contents and lists of illustrations
    Rule("contents", (Zone.FRONT,), _begins(
        r"(?:(?:the|table[ ]of|list[ ]of)[ ])?(?:contents|illustrations|plates|maps|figures|chapters)\b(?:[ ]of[ ][^\n]{1,40})?[\W_]*(?:$|\n)"),
        _entries, _CONTENTS_CHARS),
    # footnotes
    Rule("footnotes", (Zone.INSIDE,), _begins(r"(?:foot|end)notes?[\W_]*(?:$|\n\s*(?:[\[(]?\d|\*))"), _numbered_notes, _BRACKET_CHARS,
         hints=_FOOTNOTES),
)  # fmt: skip


_INSIDE = {
    hint.encode(): [rule for rule in RULES if Zone.INSIDE in rule.zones and hint in rule.hints]
    for hint in dict.fromkeys(h for rule in RULES if Zone.INSIDE in rule.zones for h in rule.hints)
}
_END_LINE = re.compile(r"[\W_]{0,6}(?:the[ ]end|finis|end)[\W_]{0,6}", re.IGNORECASE)
# Where the text goes on behind a note without a blank line: an indented line behind a full stop.
_TEXT_GOES_ON = re.compile(r"[.\])\"'][ ]*\n[ ]{3,}(?=[A-Z\"'])")
# A paragraph that opens with a note's mark.
_MARKED = re.compile(r"\n[ ]*\n[ ]*((?:\[\d{1,3}\]|\(\d{1,3}\))(?=[ ]+\S)|\*{1,3}(?=[ ]?[\w\"'(]))")
_BRACKET = re.compile(r"[\[\]]")
_MAX_DEPTH = 3
# Words in a bracket: no number of a page or of a note.
_REMARK = re.compile(
    r"\[[ ]*(?:((?:foot|end)note\b)|(?!p(?:age|g)?\b\W*\d)[ _*]*[^\W\d_]{2})", re.IGNORECASE
)
_BEFORE_REMARK = re.compile(r"(?:[.!?:\"')\]-]|\n[ ]*\n|\b[A-Z]{2,}[_,]?|\A)\s*\Z")
_SENTENCE_GOES_ON = re.compile(r"\s*[a-z,;:]")
_BEFORE_REMARK_CHARS = 80  # spaces and line ends between
_EMPHASIS = re.compile(r"[ (\"'-]\*(?=\w)")


def find_matter(flat: str, start: int, end: int) -> list[Removed]:
    r"""What is no prose in `flat[start:end]`; the spans may overlap and have no order.

    >>> flat = "Copyright 2012 A. Body\n\nIt was late.\n\n[Footnote 1: By the clock.]\n\nNobody came.\n"
    >>> [(one.rule, flat[one.start : one.end]) for one in find_matter(flat, 0, len(flat))]
    [('copyright', 'Copyright 2012 A. Body'), ('footnotes', '[Footnote 1: By the clock.]')]
    """
    back = max(start, end - min(BACK_CHARS, int((end - start) * BACK_SHARE)))
    return [
        *_at_an_end(flat, start, min(end, start + FRONT_CHARS), Zone.FRONT, end),
        *_at_an_end(flat, back, end, Zone.BACK, end),
        *_inside(flat, start, end),
        *_bracketed(flat, start, end),
        *_marked_notes(flat, start, end),
    ]


def _at_an_end(flat: str, start: int, stop: int, zone: Zone, end: int) -> Iterator[Removed]:
    """Spans of the rules of `zone` in `flat[start:stop]`."""
    small = flat[start:stop].lower()
    rules = [
        rule
        for rule in RULES
        if zone in rule.zones and (not rule.hints or any(hint in small for hint in rule.hints))
    ]
    ended = False
    removed_to = start
    for match in _PARAGRAPH.finditer(flat, start, end):
        if match.start() >= stop:
            return
        # The first paragraph of the zone at the end may be the rest of one.
        if match.start() < removed_to or (zone is Zone.BACK and match.start() == start > 0):
            continue
        ended = ended or _END_LINE.fullmatch(match.group().strip()) is not None
        near = ended or end - match.start() <= _LISTS_CHARS
        for rule in rules:
            if near or rule.extent is not _rest:
                for one in _removed(rule, flat, match, end):
                    removed_to = one.end
                    yield one
                if removed_to > match.start():
                    break


def _inside(flat: str, start: int, end: int) -> Iterator[Removed]:
    """Spans of the rules that hold anywhere, found by their hints."""
    # Small letters, one byte a character: ten times as fast as `flat.lower()` with its accents.
    small = flat.encode("latin-1", "replace").lower()
    for hint, rules in _INSIDE.items():
        at = small.find(hint, start, end)
        while at >= 0:
            removed_to = at + len(hint)
            for rule in rules:
                match = _paragraph_around(flat, at, max(start, at - rule.max_chars), end)
                if match is not None:
                    for one in _removed(rule, flat, match, end):
                        removed_to = max(removed_to, one.end)
                        yield one
            at = small.find(hint, removed_to, end)


def _paragraph_around(flat: str, at: int, first: int, end: int) -> re.Match[str] | None:
    """The paragraph that holds `at`; none if it begins before `first`."""
    begin = flat.rfind("\n", first, at) + 1
    while begin > first:
        before = flat.rfind("\n", first, begin - 1) + 1
        if not flat[before or first : begin].strip():
            return _PARAGRAPH.match(flat, begin, end)
        begin = before
    return _PARAGRAPH.match(flat, first, end) if first == 0 or flat[first - 1] == "\n" else None


def _removed(rule: Rule, flat: str, match: re.Match[str], end: int) -> Iterator[Removed]:
    """The paragraph, if `rule` removes it, with what belongs to it."""
    text = match.group()
    if len(text) > rule.max_chars or not rule.opens.match(text):
        return
    removed_to = rule.extent(flat, match.start(), match.end(), end)
    if removed_to > match.start():
        yield Removed(match.start(), removed_to, rule.name)
    if rule.extent not in (_paragraph, _notice):
        return
    for following in _PARAGRAPH.finditer(flat, removed_to, end):
        for other in RULES:
            text = following.group()
            if (
                Zone.AFTER in other.zones
                and len(text) <= other.max_chars
                and other.opens.match(text)
            ):
                yield Removed(following.start(), following.end(), other.name)
                break
        else:
            return


def _bracketed(flat: str, start: int, end: int) -> Iterator[Removed]:
    """Footnotes, stage directions and remarks in square brackets, where a paragraph or a sentence may
    begin or behind a speaker's name in capitals. A remark ends in its paragraph; a footnote may
    have several, and ends with its first if nothing closes it.
    """
    at = flat.find("[", start, end)
    while at >= 0:
        stop = at + 1
        remark = _REMARK.match(flat, at, end)
        before = flat[max(start, at - _BEFORE_REMARK_CHARS) : at]
        paragraph = _PARAGRAPH.match(flat, at, end)
        if remark and paragraph and _BEFORE_REMARK.search(before):
            paragraph_end = paragraph.end()
            footnote = remark[1] is not None
            closed = _closing(
                flat, at, min(end, at + _BRACKET_CHARS) if footnote else paragraph_end
            )
            # '"Lampad" [captain] of the guard': the sentence goes on.
            inside = before.rstrip()[-1:] in "\"'" and _SENTENCE_GOES_ON.match(flat, closed, end)
            if footnote or (closed and not inside):
                stop = closed or paragraph_end
                yield Removed(at, stop, "footnotes" if footnote else "remarks")
        at = flat.find("[", stop, end)


def _closing(flat: str, begin: int, end: int) -> int:
    """Behind the bracket that closes the one at `begin`; 0 if none does."""
    depth = 0
    for bracket in _BRACKET.finditer(flat, begin, end):
        depth += 1 if bracket.group() == "[" else -1
        if depth == 0:
            return bracket.end()
        if depth > _MAX_DEPTH:
            break
    return 0


def _marked_notes(flat: str, start: int, end: int) -> Iterator[Removed]:
    """Paragraphs that open with the mark of a note, `(1)`, `[1]` or `*`, if the text before has the
    same mark behind a word.
    """
    for match in _MARKED.finditer(flat, start, end):
        mark = match[1]
        before = flat[max(start, match.start() - _MARK_CHARS) : match.start()]
        literal = re.escape(mark)
        if not re.search(rf"{literal}(?<=[\w.,;:!?\"')]{literal})(?![\w*])", before):
            continue
        paragraph = _PARAGRAPH.match(flat, match.start(1), end)
        if paragraph is None or paragraph.end() - paragraph.start() > _NOTE_CHARS:
            continue
        if mark[0] == "*" and (_EMPHASIS.search(before) or "*" in paragraph.group().lstrip("*")):
            continue
        goes_on = _TEXT_GOES_ON.search(flat, paragraph.start(), paragraph.end())
        stop = goes_on.start() + 1 if goes_on else paragraph.end()
        yield Removed(paragraph.start(), stop, "footnotes")

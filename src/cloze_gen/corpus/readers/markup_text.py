"""HTML and XHTML to text that reads like a plain-text book.

Written for this project, without a parser of others: spans of published releases count characters of
this text, so it must not change with a library; XHTML's `<span/>` must end where it begins; and a
browser's tree takes quadratic time on some input. One pass, no recursion, no tree.

Raise `EXTRACTOR` whenever any text may change: it is part of the stored book's key, and of the
encoding in `books.tsv`, by which a newer extractor refuses spans of an older one.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

from cloze_gen.errors import BookError

EXTRACTOR = 1

_LINE_CHARS = 72  # paragraphs are wrapped like those of Gutenberg's text files
_VERSE_INDENT = " " * 4
_HEADING_INDENT = " " * 8
_BREAK = f"{' ' * 7}*{'       *' * 4}"  # Gutenberg's thought break
_MAX_DEPTH = 10_000  # of open elements; a book has about ten
_MAX_CACHED_CHARS = 200  # of attributes; longer ones hold images

# Attribute values may hold ">"; quotes count behind "=" only.
_TAG = re.compile(
    r"""<(/?)([A-Za-z][^\s/>]*+)((?:[^=>]++|=\s*+(?:"[^"]*+"|'[^']*+'|))*+)>""", re.ASCII
)
_LOOSE_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]*+)([^>]*+)>", re.ASCII)
_TAG_OPENS = re.compile(r"</?[A-Za-z]", re.ASCII)
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\][^>]*+)?>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([^\s=/"'>]++)(?:\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s>"']++))?""")
# `unescape` fails on thousands of digits
_LONG_REFERENCE = re.compile(r"&#[xX]?[0-9a-fA-F]{9,}+;?")
_BROKEN_WORD = re.compile(r"(?<=[^\W_]-)[ \t]*+\r?\n\s*+(?=[^\W_])")
_LINE, _CELL = "\v", "\0"  # ends of lines and cells among the pieces of a paragraph
# Characters that `decoding.flatten` ignores, and long dashes that it does not know.
_TRANSLATION = dict.fromkeys(map(ord, "\xad\u200b\u200c\u200d\u2060\ufeff")) | {
    0x2E3A: "\u2014" * 2,
    0x2E3B: "\u2014" * 3,
}

_VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input link meta param source track wbr".split()
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "hgroup"))
_BLOCKS = _HEADINGS | frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form head header hgroup html li main menu nav ol p pre search section "
    "summary table tbody td tfoot th thead tr ul".split()
)
# Open elements that the start of a block closes, `p` and `head` aside.
_IMPLIED_ENDS = {
    "li": ("li",),
    "dd": ("dd", "dt"),
    "dt": ("dd", "dt"),
    "td": ("td", "th"),
    "th": ("td", "th"),
    "tr": ("td", "th", "tr"),
    "tbody": ("td", "th", "tr", "thead", "tbody"),
    "tfoot": ("td", "th", "tr", "thead", "tbody"),
}
_CELLS = frozenset(("td", "th"))
_RAW_TEXT = {
    name: re.compile(f"</{name}", re.IGNORECASE)
    for name in ("script", "style", "iframe", "noembed", "noframes", "xmp")
}
_DROPPED_NAMES = dict.fromkeys(
    "head title script style template iframe noembed noframes object svg audio video canvas select "
    "button textarea rt rp".split(),
    "not_text",
) | {"nav": "contents", "figcaption": "caption", "caption": "caption"}

# Rules by class; each fits a whole class name.
_DROPPED_CLASSES = re.compile(
    r"""(?x)
    (?P<page_number>page-?_?num(?:ber)?s?\w*|page_?no|pageno|pgnum|pgno|line-?num(?:ber)?s?|line-?no)
    | (?P<note>fnanchor|fn-?ref\w*|(?:foot|end)?note-?_?ref\w*|(?:foot|end)note-?(?:mark|anchor|link)
      |(?:foot|end)notes?|fnotes?|foot|footnote-?(?:text|block|body)|rearnotes?)
    | (?P<contents>toc\d?\w?|table-?of-?contents|loi|lot)
    | (?P<caption>captions?\d?|caption\w?|fig(?:ure)?-?caption)
    | (?P<sidenote>side-?notes?\w?|margin-?notes?|marginalia)
    | (?P<transcribers_note>tnotes?|tn|tn-?box|trans-?notes?\d?|transcribers?-?_?notes?|trnotes?|mynotes?)
    | (?P<advertisement>adverts?|advertisements?)
    """
)
# `epub:type` and `role`; standardised words.
_DROPPED_TYPES = (
    dict.fromkeys(("pagebreak", "page-list"), "page_number")
    | dict.fromkeys(
        "noteref footnote footnotes endnote endnotes rearnote rearnotes backlink".split(), "note"
    )
    | dict.fromkeys("toc landmarks loi lot loa lov index".split(), "contents")
    | dict.fromkeys(
        "titlepage halftitlepage halftitle cover imprint colophon copyright-page copyright "
        "uncopyright seriespage other-credits contributors acknowledgements-of-sources".split(),
        "front_or_back_page",
    )
)
_VERSE_CLASS = re.compile(
    r"poem\w*|poetry\w*|poetry-container|verse\w*|stanza\w*|strophe|linegroup|lg-container-\w|lyrics?|song|hymn"
)
_STANZA_CLASS = re.compile(r"stanza\w*|strophe|linegroup|group")
_LINE_CLASS = re.compile(r"(?:line|verse|vers|l|i|in|indent|t|o|v)-?\d*[a-z]?")
_VERSE_TYPES = frozenset(("verse", "poem", "song", "hymn", "lyrics"))
_INITIAL_CLASS = re.compile(r"drop-?_?caps?\w*|letra|initial\w*|first-?letter\w*|lettrine|dcap|cap")
_PAGE_CLASS = re.compile(r"pages?|pb|folio|pagebreak|page-break")
_PAGE_TEXT = re.compile(
    r"[\W_]*(?:p(?:age|g)?\b\.?)?\s*(?:\d{1,4}|[ivxlc]{1,8})[\W_]*", re.IGNORECASE
)
_MARK_TEXT = re.compile(r"\s*(?:[\[(]\s*(?:\d{1,4}|[A-Za-z]{1,2}|[*†‡§‖¶]+)\s*[\])]|[*†‡§‖¶]+)\s*")
_RAISED_TEXT = re.compile(r"\s*[\[(]?\s*(?:\d{1,4}|[*†‡§‖¶]+)\s*[\])]?\s*")
_CHECKS = {"page_number": _PAGE_TEXT, "note": _MARK_TEXT, "raised": _RAISED_TEXT}
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_LETTER_ALT = re.compile(
    r"(?i:[^\w\"“'‘]{0,2}(?:(?:decorative|ornamental|illuminated|illustrated|drop|dropped|initial|capital|letter|cap)\W+)*)"
    r"([\"“'‘]?[A-Z])\W{0,2}"
)
_INITIAL_TEXT = re.compile(r"[\"“'‘]*[A-Z]")
_WORDS = re.compile(r"[^\W\d_]")
_HEADING_CHARS = 200
_ALT_CHARS = 80


@dataclass(frozen=True, slots=True)
class MarkupText:
    """The text of a document.

    Attributes:
        heading: its first heading, in one line.
        title: of its head.
        dropped: rule -> characters left out.
    """

    text: str
    heading: str
    title: str
    dropped: Mapping[str, int]


def attributes_of(tag: str) -> dict[str, str]:
    """The attributes of a tag by lower-case name; the first of equal names counts.

    >>> attributes_of('id=a CLASS="b&amp;c" hidden')
    {'id': 'a', 'class': 'b&c', 'hidden': ''}
    """
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(tag):
        value = value[1:-1] if value[:1] in ("'", '"') else value
        found.setdefault(name.lower(), unescape_text(value) if "&" in value else value)
    return found


def unescape_text(text: str) -> str:
    """Character references to characters; `html.unescape` that takes any number of digits."""
    return unescape(_LONG_REFERENCE.sub("\ufffd", text))


def extract_text(markup: str) -> MarkupText:
    r"""Paragraphs between blank lines, wrapped; `<br>` ends a line; verse and headings are indented.

    >>> extract_text("<h2>I</h2><p><span class='dropcap'>I</span>t was<sup>1</sup> <i>late</i>.<p>Dark.").text
    '        I\n\nIt was late.\n\nDark.\n'

    Raises:
        BookError: ``unreadable``: 10,000 elements inside one another.
    """
    reading = _Reading()
    markup = markup.replace(_CELL, " ").replace(_LINE, " ")
    pattern, doctype = _TAG, True
    at = 0
    while (opens := markup.find("<", at)) >= 0:
        if opens > at:
            reading.add(markup[at:opens])
        match = pattern.match(markup, opens)
        if match is None and pattern is _TAG and _TAG_OPENS.match(markup, opens):
            pattern = _LOOSE_TAG  # a quotation mark is missing: none is trusted from here on
            match = pattern.match(markup, opens)
        if match is not None:
            at = match.end()
            name = match[2].lower()
            if match[1]:
                reading.end(name)
            else:
                empty = match[3].endswith("/")
                reading.start(name, match[3], empty=empty)
                if name in _RAW_TEXT and not empty:
                    closes = _RAW_TEXT[name].search(markup, at)
                    at = closes.start() if closes else len(markup)
        elif markup.startswith("<!--", opens):
            at = _behind(markup, "-->", opens + 4)
        elif markup.startswith("<![CDATA[", opens):
            at = _behind(markup, "]]>", opens)
            reading.add(markup[opens + 9 : at].removesuffix("]]>"), escaped=False)
        elif markup.startswith(("<!", "<?"), opens):
            subset = _DOCTYPE.match(markup, opens) if doctype else None
            doctype = doctype and subset is not None
            at = subset.end() if subset else _behind(markup, ">", opens)
        elif _TAG_OPENS.match(markup, opens):  # no ">" behind it
            reading.skip(markup[opens:])
            break
        else:
            reading.add("<")
            at = opens + 1
    else:
        reading.add(markup[at:])
    return reading.finish()


def _behind(text: str, mark: str, start: int) -> int:
    found = text.find(mark, start)
    return len(text) if found < 0 else found + len(mark)


@dataclass(frozen=True, slots=True)
class _Effect:
    """What an element does to the text inside.

    Attributes:
        drop: rule that leaves it out.
        check: rule that leaves it out if its whole text looks so.
        link: it leads to another place of the book.
        letter: the capital that an image shows.
        alt: the text of an image.
    """

    drop: str = ""
    check: str = ""
    verse: bool = False
    stanza: bool = False
    line: bool = False
    link: bool = False
    initial: bool = False
    letter: str = ""
    alt: str = ""


_PLAIN = _Effect()


def _effect(name: str, attributes: str) -> _Effect:
    if not attributes and name not in _DROPPED_NAMES and name != "sup":
        return _PLAIN
    if len(attributes) > _MAX_CACHED_CHARS:
        return _find_effect(name, attributes)
    return _cached_effect(name, attributes)


def _find_effect(name: str, attributes: str) -> _Effect:
    given = attributes_of(attributes)
    classes = given.get("class", "").lower().split()
    types = [
        word.removeprefix("doc-").rpartition(":")[2]
        for word in f"{given.get('epub:type', '')} {given.get('role', '')}".lower().split()
    ]
    drop = _DROPPED_NAMES.get(name, "")
    if "hidden" in given or _HIDDEN.search(given.get("style", "")):
        drop = drop or "hidden"
    drop = drop or next((_DROPPED_TYPES[word] for word in types if word in _DROPPED_TYPES), "")
    if not drop and name not in {"html", "body"}:
        match = next(filter(None, map(_DROPPED_CLASSES.fullmatch, classes)), None)
        rule = str(match.lastgroup) if match else ""
        drop = "" if rule == "contents" and name in _HEADINGS else rule
    check = ""
    href = given.get("href", "")
    link = name == "a" and bool(href) and not _SCHEME.match(href)
    if name == "sup":
        check = "raised"
    elif link:
        check = "note"
    elif any(map(_PAGE_CLASS.fullmatch, classes)) and name not in _BLOCKS:
        check = "page_number"
    alt = " ".join(given.get("alt", "").split()) if name == "img" else ""
    alt = alt if len(alt) <= _ALT_CHARS and not alt.startswith("[") else ""
    letter = _LETTER_ALT.fullmatch(alt)
    made = _Effect(
        drop,
        check,
        verse=any(map(_VERSE_CLASS.fullmatch, classes)) or not _VERSE_TYPES.isdisjoint(types),
        stanza=any(map(_STANZA_CLASS.fullmatch, classes)),
        line=any(map(_LINE_CLASS.fullmatch, classes)),
        link=link,
        initial=any(map(_INITIAL_CLASS.fullmatch, classes)),
        letter=letter[1] if letter else "",
        alt=alt,
    )
    return _PLAIN if made == _PLAIN else made


_cached_effect = functools.lru_cache(maxsize=4096)(_find_effect)


@dataclass(slots=True)
class _Open:
    name: str
    effect: _Effect
    block: bool
    piece: int  # where its text begins,
    paragraph: int  # in this paragraph
    breaks_line: bool
    stanza: bool


class _Reading:
    """The state of one document."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._places: dict[str, list[int]] = {}  # name -> where it is open
        self._open_blocks: list[int] = []  # where blocks are open
        self._dropped: Counter[str] = Counter()
        self._drops: list[str] = []  # rules of the open elements that are left out
        self._verse = self._stanza = self._pre = self._links = self._headings = 0
        self._pieces: list[str] = []
        self._paragraph = 0
        self._line_begun = False  # something but space since the last end of a line
        self._unlinked = self._linked = False  # letters outside and inside links
        self._initial = False  # the paragraph so far is a capital that opens the next words
        self._glue = False
        self._blocks: list[str] = []
        self._alt = ""  # of the first image in the heading; stands for a heading without text
        self._heading = ""
        self._title: list[str] = []

    # ---- events

    def add(self, text: str, *, escaped: bool = True) -> None:
        if escaped and "&" in text:
            text = unescape_text(text)
        if self._drops:
            if text := text.strip():
                self._dropped[self._drops[-1]] += len(text)
                if self._places.get("title") and not self._blocks:
                    self._title.append(text)
            return
        if self._pre:
            self._pieces.append(text.replace("\r\n", _LINE).replace("\n", _LINE))
            return
        if self._glue:
            text = text.lstrip()
            self._glue = not text
        if not text:
            return
        if "-" in text:  # the line end stays, so that the word is joined as in a text file
            text = _BROKEN_WORD.sub(_LINE, text)
        self._pieces.append(text)
        if text.isspace():
            return
        self._line_begun = True
        if not (self._unlinked if not self._links else self._linked) and _WORDS.search(text):
            if self._links:
                self._linked = True
            else:
                self._unlinked = True

    def skip(self, text: str) -> None:
        self._dropped["not_text"] += len(text)

    def start(self, name: str, attributes: str, *, empty: bool) -> None:
        if name in _VOID:
            self._start_void(name, attributes)
            return
        effect = _effect(name, attributes)
        block = name in _BLOCKS
        breaks_line = False
        if block:
            breaks_line = bool(
                (self._stanza and not effect.stanza)
                or (self._verse and effect.line and name not in _HEADINGS)
            )
            self._close_implied(name)
            self._boundary(name, breaks_line)
        if empty:
            return
        if not block and effect is _PLAIN and not self._places.get(name):
            return
        if len(self._open) >= _MAX_DEPTH:
            raise BookError(
                "unreadable", f"more than {_MAX_DEPTH:,} elements inside one another: not a book"
            )
        stanza = effect.stanza and (effect.verse or self._verse > 0)
        one = _Open(name, effect, block, len(self._pieces), self._paragraph, breaks_line, stanza)
        self._places.setdefault(name, []).append(len(self._open))
        if block:
            self._open_blocks.append(len(self._open))
        self._open.append(one)
        self._count(one, 1)

    def end(self, name: str) -> None:
        if name == "br":  # browsers read </br> as <br>
            self._start_void(name, "")
            return
        block = name in _BLOCKS
        places = self._places.get(name)
        if not places:
            if block:
                self._boundary(name, breaks_line=False)
        elif block or not self._open_blocks or places[-1] > self._open_blocks[-1]:
            self._close(places[-1])

    def finish(self) -> MarkupText:
        self._close(0)
        self._end_paragraph()
        if self._initial:
            self._initial = False
            self._end_paragraph()
        text = "\n\n".join(self._blocks)
        return MarkupText(
            f"{text}\n" if text else "",
            self._heading,
            " ".join(" ".join(self._title).split()),
            dict(self._dropped),
        )

    # ---- elements

    def _start_void(self, name: str, attributes: str) -> None:
        if self._drops:
            return
        if name == "br":
            self._pieces.append(_LINE)
            self._line_begun = False
        elif name == "hr":
            self._close_implied(name)
            self._end_paragraph()
            if self._blocks and self._blocks[-1] != _BREAK:
                self._blocks.append(_BREAK)
        elif name == "img":
            shown = _effect(name, attributes)
            if self._headings:
                self._alt = self._alt or shown.alt
            elif shown.letter:
                self._pieces.append(shown.letter)
                self._initial = self._line_begun = self._unlinked = True
                self._glue = shown.letter[-1] not in "AIO"  # these may be words

    def _close_implied(self, name: str) -> None:
        """Close what the start of a block ends, however it was left open."""
        ends = ("p", "head", *_IMPLIED_ENDS.get(name, ()))
        while self._open_blocks and self._open[self._open_blocks[-1]].name in ends:
            self._close(self._open_blocks[-1])

    def _close(self, place: int) -> None:
        while len(self._open) > place:
            self._pop()

    def _pop(self) -> None:
        one = self._open[-1]
        if one.paragraph == self._paragraph and not self._drops:
            self._check(one.effect, one.piece)
        if one.block:
            self._boundary(one.name, one.breaks_line)
            self._open_blocks.pop()
        self._open.pop()
        self._places[one.name].pop()
        self._count(one, -1)

    def _check(self, effect: _Effect, piece: int) -> None:
        if not (effect.check or effect.initial):
            return
        text = "".join(self._pieces[piece:])
        if effect.check and len(text) < 40 and _CHECKS[effect.check].fullmatch(text):
            del self._pieces[piece:]
            rule = "note" if effect.check == "raised" else effect.check
            self._dropped[rule] += len(text.strip())
        elif effect.initial and _INITIAL_TEXT.fullmatch(text.strip()):
            self._initial = True

    def _count(self, one: _Open, step: int) -> None:
        effect = one.effect
        if effect.drop:
            if step > 0:
                self._drops.append(effect.drop)
            else:
                self._drops.pop()
        self._verse += step * effect.verse
        self._stanza += step * one.stanza
        self._links += step * effect.link
        self._headings += step * (one.name in _HEADINGS)
        self._pre += step * (one.name == "pre")

    # ---- paragraphs

    def _boundary(self, name: str, breaks_line: bool) -> None:
        if self._drops:
            return
        if breaks_line:
            if self._line_begun:
                self._pieces.append(_LINE)
                self._line_begun = False
        elif name in _CELLS:
            if self._pieces:
                self._pieces.append(_CELL)
        else:
            self._end_paragraph()

    def _end_paragraph(self) -> None:
        if not self._pieces and not self._alt:
            return
        joined = "".join(self._pieces).translate(_TRANSLATION)
        alt, self._alt = self._alt, ""
        self._pieces = []
        self._paragraph += 1
        contents = self._linked and not self._unlinked and not self._headings
        initial = self._initial
        self._linked = self._unlinked = self._line_begun = self._initial = self._glue = False
        if self._pre:
            lines = [line.rstrip() for line in joined.split(_LINE)]
        else:
            lines = [_cells(line) for line in joined.split(_LINE)]
        while lines and not lines[-1]:
            lines.pop()
        first = next((at for at, line in enumerate(lines) if line), len(lines))
        lines = lines[first:] or [alt]
        if lines == [""]:
            return
        if initial and not self._headings and _INITIAL_TEXT.fullmatch(lines[0]) and len(lines) == 1:
            self._pieces = [lines[0]]
            self._initial = self._glue = self._unlinked = True
            return
        if contents:
            self._dropped["contents"] += sum(map(len, lines))
            return
        if self._headings and not self._heading:
            self._heading = " ".join(lines)[:_HEADING_CHARS]
        if self._pre:
            text = "\n".join(lines)
        elif self._verse:
            text = "\n".join(f"{_VERSE_INDENT}{line}" if line else "" for line in lines)
        elif self._headings:
            text = "\n".join(f"{_HEADING_INDENT}{line}" if line else "" for line in lines)
        else:
            text = "\n".join(map(_wrapped, lines))
        self._blocks.append(text)


def _cells(line: str) -> str:
    if _CELL not in line:
        return " ".join(line.split())
    return "    ".join(filter(None, (" ".join(cell.split()) for cell in line.split(_CELL))))


def _wrapped(line: str) -> str:
    """At most `_LINE_CHARS` characters a line where words allow; rows of a table stay whole. Prose
    must not look like verse or a list, so a line begins with a small letter if one can.
    """
    if len(line) <= _LINE_CHARS or "    " in line:
        return line
    first = _wrap(line, _LINE_CHARS)
    for width in range(_LINE_CHARS, _LINE_CHARS - 24, -4):
        lines = _wrap(line, width)
        if any("a" <= one[0] <= "z" for one in lines[1:]):
            return "\n".join(lines)
    return "\n".join(first)


def _wrap(line: str, width: int) -> list[str]:
    lines = []
    at = 0
    while len(line) - at > width:
        end = line.rfind(" ", at, at + width + 1)
        if end <= at:
            end = line.find(" ", at + width)
            if end < 0:
                break
        lines.append(line[at:end])
        at = end + 1
    lines.append(line[at:])
    return lines

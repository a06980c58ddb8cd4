"""HTML and XHTML to text that reads like a plain-text book; lxml parses, this module writes.

Raise `collect.VERSION` whenever any text may change.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lxml import etree

from cloze_gen.errors import BookError

_VERSE_INDENT = " " * 4
_HEADING_INDENT = " " * 8
_BREAK = f"{' ' * 7}*{'       *' * 4}"  # Gutenberg's thought break
_HEADING_CHARS = 200
_ALT_CHARS = 80
_CHECKED_CHARS = 40  # longer text is no page number and no mark of a note

# Marks among the pieces of a paragraph; the parser lets no control character of the input pass.
_LINE = "\v"  # end of a line
_CELL = "\0"  # edge of a cell
_INITIAL = "\x1c"  # the capital before it opens the next words, perhaps in the next block
_IMAGE = "\x1d"  # the same, and an image shows the capital
_GLUE = "\x1e"  # no space follows

# Written for a parser of HTML, which ignores the slash: `<a id="p1"/>` must end where it begins.
_VOID = (
    "area|base|basefont|bgsound|br|col|embed|frame|hr|img|input|link|meta|param|source|track|wbr"
)
_EMPTY_ELEMENT = re.compile(
    rf"""<(?!(?:{_VOID})[\s/])([A-Za-z][^\s<>"'/]*+)((?:[^<>"'/]++|"[^"]*+"|'[^']*+'|/(?!>))*+)/>""",
    re.IGNORECASE,
)
# The parser skips everything behind the end of the first page, and ends a DOCTYPE at its first ">".
_PAGE_END = re.compile(
    r"</(?:body|html)\s*>|<!DOCTYPE[^>\[]{0,200}+\[[^\]]{0,2000}+\]\s*>", re.IGNORECASE
)

_BROKEN_WORD = re.compile(r"-(?<=[^\W_]-)[ \t]*+\r?\n\s*+(?=[^\W_])")
_HELD_INITIAL = re.compile(rf"\s*([\"“'‘]*[A-Z])\s*([{_INITIAL}{_IMAGE}]){_GLUE}?\s*")
_OPENED_WORD = re.compile(
    rf"([\"“'‘]?)([A-Z])([{_INITIAL}{_IMAGE}])({_GLUE}?)(\s*)(?=([\"“'‘]?)(.?))", re.DOTALL
)
# Characters that `decoding.flatten` ignores, and long dashes that it does not know.
_REPLACED = dict.fromkeys("\xad\u200b\u200c\u200d\u2060\ufeff", "") | {
    "\u2e3a": "\u2014" * 2,
    "\u2e3b": "\u2014" * 3,
}

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "hgroup"))
_BLOCKS = _HEADINGS | frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form head header html li main menu nav ol p pre search section "
    "summary table tbody td tfoot th thead tr ul".split()
)
_CELLS = frozenset(("td", "th"))
# Elements without prose of the author's: no text, contents, captions, deleted text.
_DROPPED_NAMES = frozenset(
    "head title script style template iframe noembed noframes object svg audio video canvas select "
    "button textarea rt rp xml nav figcaption caption del".split()
)
# Rules by class; each fits a whole class name. Those of `mso` are Word's, of `sd` LibreOffice's.
_DROPPED_CLASSES = re.compile(
    r"""(?x)
    fnanchor|fn-?ref\w*|(?:foot|end)?note-?_?ref\w*|(?:foot|end)note-?(?:mark|anchor|link)  # notes
      |(?:foot|end)notes?|fnotes?|foot|footnote-?(?:text|block|body)|rearnotes?
      |mso(?:foot|end)note(?:text|reference)\w*|sd(?:foot|end)note[\w-]*
    | toc\d?\w?|msotoc\d|table-?of-?contents|loi|lot  # contents
    | captions?\d?|caption\w?|fig(?:ure)?-?caption|msocaption
    | side-?notes?\w?|margin-?notes?|marginalia
    | tnotes?|tn|tn-?box|trans-?notes?\d?|transcribers?-?_?notes?|trnotes?|mynotes?  # transcribers' notes
    | adverts?|advertisements?
    | msodel  # deleted text
    | mso(?:com|annotation)\w*  # comments
    | mso(?:header|footer)
    """
)
# Word's `mso-element` and `mso-special-character`, and hidden text.
_DROPPED_STYLES = re.compile(
    r"""(?xi)
    display\s*:\s*none | mso-hide\s*:\s*all
    | mso-(?:element|special-character)\s*:\s*'?(?:(?:foot|end)note|comment|header|footer)
    """
)
# `epub:type` and `role`; standardised words.
_DROPPED_TYPES = frozenset(
    "noteref footnote footnotes endnote endnotes rearnote rearnotes backlink "
    "toc landmarks page-list loi lot loa lov index "
    "titlepage halftitlepage halftitle cover imprint colophon copyright-page copyright uncopyright "
    "seriespage other-credits contributors acknowledgements-of-sources".split()
)
_VERSE_CLASS = re.compile(
    r"poem\w*|poetry\w*|poetry-container|verse\w*|stanza\w*|strophe|linegroup|lg-container-\w|lyrics?|song|hymn"
)
_STANZA_CLASS = re.compile(r"stanza\w*|strophe|linegroup|group")
_LINE_CLASS = re.compile(r"(?:line|verse|vers|l|i|in|indent|t|o|v)-?\d*[a-z]?")
_VERSE_TYPES = frozenset(("verse", "poem", "song", "hymn", "lyrics"))
_INITIAL_CLASS = re.compile(r"drop-?_?caps?\w*|letra|initial\w*|first-?letter\w*|lettrine|dcap|cap")
# Classes and types of page numbers, if the text is one.
_PAGE_CLASS = re.compile(
    r"page-?_?num(?:ber)?s?\w*|page_?no|pg-?num|pg-?no|line-?num(?:ber)?s?|line-?no|pages?|pb|folio|page-?break"
)
_PAGE_TEXT = re.compile(
    r"[\W_]*(?:p(?:age|g)?\b\.?)?\s*(?:\d{1,4}|[ivxlc]{1,8})[\W_]*", re.IGNORECASE
)
_MARK_TEXT = re.compile(r"\s*(?:[\[(]\s*(?:\d{1,4}|[A-Za-z]{1,2}|[*†‡§‖¶]+)\s*[\])]|[*†‡§‖¶]+)\s*")
_RAISED_TEXT = re.compile(r"\s*[\[(]?\s*(?:\d{1,4}|[*†‡§‖¶]+)\s*[\])]?\s*")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_LETTER_ALT = re.compile(
    r"(?i:[^\w\"“'‘]{0,2}(?:(?:decorative|ornamental|illuminated|illustrated|drop|dropped|initial|capital|letter|cap)\W+)*)"
    r"([\"“'‘]?[A-Z])\W{0,2}"
)
_INITIAL_TEXT = re.compile(r"[\"“'‘]*[A-Z]")
_LETTER = re.compile(r"[^\W\d_]")
_CAPITAL_START = re.compile(r"[\"“'‘(\[]*[A-ZÀ-Þ]")
_SENTENCE_END = re.compile(r"[.!?][\"”'’)\]]*$")
_STANZA_NUMBER = re.compile(r"(?:\d{1,3}|[IVXLC]{1,7})\.?")


@dataclass(frozen=True, slots=True)
class MarkupText:
    """The text of a document.

    Attributes:
        heading: its first heading, in one line.
        title: of its head.
    """

    text: str
    heading: str = ""
    title: str = ""


def parse_html(markup: str) -> etree._Element | None:
    """The tree of a document; None if it has neither text nor elements.

    Raises:
        BookError: ``unreadable``: too many elements inside one another.
    """
    prepared = _EMPTY_ELEMENT.sub(r"<\1\2></\1>", _PAGE_END.sub("", markup))
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(prepared.encode(), parser)
    if any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log):
        raise BookError(
            "unreadable",
            "more than 2,000 elements inside one another, perhaps because the end tags are missing. "
            "Open it in a browser and save it as plain text",
        )
    return root


def extract_text(markup: str) -> MarkupText:
    r"""A paragraph a line, between blank lines; `<br>` ends a line; verse and headings are indented.

    >>> extract_text("<h2>I</h2><p><span class='dropcap'>I</span>t was<sup>1</sup> <i>late</i>.<p>Dark.").text
    '        I\n\nIt was late.\n\nDark.\n'

    Raises:
        BookError: see `parse_html`.
    """
    root = parse_html(markup)
    writer = _Writer()
    title = ""
    if root is not None:
        writer.write(root)
        title = " ".join((root.findtext(".//title") or "").split())
    text = "\n\n".join(writer.blocks)
    return MarkupText(f"{text}\n" if text else "", writer.heading, title)


# ---- rules of one element


@dataclass(frozen=True, slots=True)
class _Rule:
    """What an element does to the text inside.

    Attributes:
        dropped: it is left out.
        pattern: it is left out if its text is short and fits.
        link: it leads to another place of the book.
        initial: its text is a capital that opens the next words.
    """

    dropped: bool = False
    pattern: re.Pattern[str] | None = None
    verse: bool = False
    stanza: bool = False
    line: bool = False
    link: bool = False
    initial: bool = False


_ATTRIBUTES = frozenset(("class", "epub:type", "role", "style", "hidden"))


def _rule_of(element: etree._Element) -> _Rule:
    attributes = tuple(pair for pair in element.items() if pair[0] in _ATTRIBUTES)
    address = element.get("href", "") if element.tag == "a" else ""
    return _rule(element.tag, attributes, bool(address) and not _SCHEME.match(address))


@functools.lru_cache(maxsize=4096)
def _rule(name: str, attributes: tuple[tuple[str, str], ...], link: bool) -> _Rule:
    values = dict(attributes)
    classes = values.get("class", "").lower().split()
    types = [
        word.removeprefix("doc-").rpartition(":")[2]
        for word in f"{values.get('epub:type', '')} {values.get('role', '')}".lower().split()
    ]
    pattern = None
    if any(map(_PAGE_CLASS.fullmatch, (*classes, *types))):
        pattern = _PAGE_TEXT
    elif name == "sup":
        pattern = _RAISED_TEXT
    elif link:
        pattern = _MARK_TEXT
    return _Rule(
        _is_dropped(name, values, classes, types),
        pattern,
        verse=any(map(_VERSE_CLASS.fullmatch, classes)) or not _VERSE_TYPES.isdisjoint(types),
        stanza=any(map(_STANZA_CLASS.fullmatch, classes)),
        line=any(map(_LINE_CLASS.fullmatch, classes)),
        initial=any(map(_INITIAL_CLASS.fullmatch, classes)),
        link=link,
    )


def _is_dropped(name: str, values: Mapping[str, str], classes: list[str], types: list[str]) -> bool:
    """Whether an element is left out with any text."""
    if name in _DROPPED_NAMES or "hidden" in values or not _DROPPED_TYPES.isdisjoint(types):
        return True
    if _DROPPED_STYLES.search(values.get("style", "")):
        return True
    is_by_class = name not in _HEADINGS and name not in {"html", "body"}
    return is_by_class and any(map(_DROPPED_CLASSES.fullmatch, classes))


# ---- the text


class _Context(NamedTuple):
    """What the open elements do to the text inside. A tuple for speed.

    Attributes:
        initial: the innermost element is the capital that opens the next words.
        edge: `_LINE`, `_CELL` or `_PARAGRAPH` of the innermost element; empty within a line.
    """

    verse: bool = False
    stanza: bool = False
    heading: bool = False
    pre: bool = False
    link: bool = False
    initial: bool = False
    edge: str = ""


_PARAGRAPH = "paragraph"
_SKIPPED = _Context()


class _Writer:
    """Writes the blocks of a document.

    Attributes:
        heading: the first.
        pieces: of the current paragraph, each with whether it is in a link.
    """

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.heading = ""
        self.pieces: list[tuple[str, bool]] = []

    def write(self, root: etree._Element) -> None:
        contexts = [_Context()]
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "start":
                context = self.start(element, contexts[-1])
                contexts.append(context)
                if context is _SKIPPED:
                    walk.skip_subtree()
                else:
                    self.add(element.text, context)
            else:
                context = contexts.pop()
                if context.initial:
                    self.add(_INITIAL, context)
                self.reach(context.edge, context)
                self.add(element.tail, contexts[-1])
        self.end_paragraph(_Context(), last=True)

    def start(self, element: etree._Element, outer: _Context) -> _Context:
        """Begin an element: the context of its content, `_SKIPPED` if that is not read."""
        name = element.tag
        if name == "br":
            self.add(_LINE, outer)
            return _SKIPPED
        if name == "hr":
            self.end_paragraph(outer)
            if self.blocks and self.blocks[-1] != _BREAK:
                self.blocks.append(_BREAK)
            return _SKIPPED
        if name == "img":
            self.pieces.append((_image_text(element), False))
            return _SKIPPED
        rule = _rule_of(element)
        edge = _edge_of(name, rule, outer)
        self.reach(edge, outer)
        if rule.dropped or _fits(element, rule.pattern):
            return _SKIPPED
        verse = outer.verse or rule.verse
        return _Context(
            verse,
            outer.stanza or (rule.stanza and verse),
            outer.heading or name in _HEADINGS,
            outer.pre or name == "pre",
            outer.link or rule.link,
            rule.initial and bool(_INITIAL_TEXT.fullmatch(_beginning(element).strip())),
            edge,
        )

    def add(self, text: str | None, context: _Context) -> None:
        if text:
            if context.pre:
                text = text.replace("\r", "").replace("\n", _LINE)
            self.pieces.append((text, context.link))

    def reach(self, edge: str, context: _Context) -> None:
        """The edge of an element; `context` is that of the text before it."""
        if edge == _PARAGRAPH:
            self.end_paragraph(context)
        elif edge == _CELL or (edge == _LINE and self.in_line()):
            self.pieces.append((edge, False))

    def in_line(self) -> bool:
        """Whether the current line has text."""
        for text, _ in reversed(self.pieces):
            if text == _LINE:
                return False
            if not text.isspace():
                return True
        return False

    def end_paragraph(self, context: _Context, *, last: bool = False) -> None:
        pieces = self.pieces
        self.pieces = []
        text = "".join(piece for piece, _ in pieces)
        if not text or text.isspace():
            return
        for character, plain in _REPLACED.items():
            text = text.replace(character, plain)
        if not last and (held := _HELD_INITIAL.fullmatch(text)):
            self.pieces = [(f"{held[1]}{held[2]}{_GLUE}", False)]
            return
        lines = _lines(_OPENED_WORD.sub(_open_word, text), context)
        if not lines or (not context.heading and _is_in_links(pieces)):
            return
        if context.heading and not self.heading:
            self.heading = " ".join(lines)[:_HEADING_CHARS]
        self.blocks.append(_block(lines, context))


def _edge_of(name: str, rule: _Rule, outer: _Context) -> str:
    if name not in _BLOCKS:
        return ""
    if (outer.stanza and not rule.stanza) or (outer.verse and rule.line and name not in _HEADINGS):
        return _LINE
    return _CELL if name in _CELLS else _PARAGRAPH


def _fits(element: etree._Element, pattern: re.Pattern[str] | None) -> bool:
    """Whether the text of an element is short and fits; a lost end tag makes it long."""
    if pattern is None:
        return False
    text = _beginning(element)
    return len(text.strip()) <= _CHECKED_CHARS and pattern.fullmatch(text) is not None


def _beginning(element: etree._Element) -> str:
    """The text of an element, of a long one the beginning."""
    text = ""
    for piece in element.itertext():
        text += piece
        if len(text) > 2 * _CHECKED_CHARS:
            break
    return text


def _image_text(element: etree._Element) -> str:
    """The text of an image that shows the first letter of a word."""
    letter = _LETTER_ALT.fullmatch(element.get("alt", "")[:_ALT_CHARS])
    return f"{letter[1]}{_IMAGE}" if letter else ""


def _open_word(match: re.Match[str]) -> str:
    """A capital before the words that it opens; that of an image may be in the text too."""
    quotation, capital, mark, glue, space, next_quotation, following = match.groups()
    if mark == _IMAGE and following == capital:
        return "" if next_quotation else quotation
    if glue or capital not in "AIO":  # these may be words
        space = ""
    return f"{quotation}{capital}{space}"


def _is_in_links(pieces: Sequence[tuple[str, bool]]) -> bool:
    """Whether a paragraph has letters in links only, as a table of contents has."""
    places = {in_link for text, in_link in pieces if _LETTER.search(text)}
    return places == {True}


def _lines(text: str, context: _Context) -> list[str]:
    """The lines of a paragraph, without empty ones at its beginning and end."""
    if context.pre:
        lines = [line.rstrip() for line in text.split(_LINE)]
    else:
        text = _BROKEN_WORD.sub(f"-{_LINE}", text)  # the word is joined as in a text file
        lines = [_cells(line) for line in text.split(_LINE)]
    filled = [at for at, line in enumerate(lines) if line]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _cells(line: str) -> str:
    if _CELL not in line:
        return " ".join(line.split())
    return "    ".join(filter(None, (" ".join(cell.split()) for cell in line.split(_CELL))))


def _block(lines: list[str], context: _Context) -> str:
    if context.pre:
        return "\n".join(lines)
    if context.verse:
        return _verse(lines)
    if context.heading:
        return "\n".join(f"{_HEADING_INDENT}{line}" if line else "" for line in lines)
    if _is_verse(lines):
        return _verse(lines)
    return "\n".join(lines)


def _is_verse(lines: list[str]) -> bool:
    """Whether the lines, each ended by `<br>`, begin with capitals and go on after their ends."""
    verses = [line for line in lines if line and not _STANZA_NUMBER.fullmatch(line)]
    capitals = sum(1 for line in verses if _CAPITAL_START.match(line))
    ends = sum(1 for line in verses if _SENTENCE_END.search(line))
    return len(verses) >= 3 and capitals >= 0.8 * len(verses) and ends <= 0.5 * len(verses)


def _verse(lines: list[str]) -> str:
    """Indented lines; the number of a stanza is a paragraph."""
    indented = []
    for line in lines:
        indented.append(f"{_VERSE_INDENT}{line}" if line else "")
        if _STANZA_NUMBER.fullmatch(line):
            indented.append("")
    return "\n".join(indented)

"""Where the book begins and ends inside a Project Gutenberg file; patterns from 534 books. Credits,
notices and lists inside it are skipped, but only if they open with words that open no paragraph of
a story: a sentence too many is rejected later, a chapter too few is lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

# the longest header of the 534 ends at 13.5 kB; the limit allows for long licence texts
_HEAD_CHARS = 60_000
_START = re.compile(
    r"\*{3}[ ]*START[ ]OF[ ](?:THE|THIS)[ ]PROJECT[ ]GUTENBERG[^\n*]*(?:\n[^\n*]+){0,3}\*{0,3}[^\n]*",
    re.IGNORECASE,
)
_SMALL_PRINT_END = re.compile(
    r"END\s{0,3}\*?\s{0,3}THE\s{1,3}SMALL\s{1,3}PRINT[^\n]*(?:\n[^\n]{0,60}END\*?[ ]*(?=\n))?"
)
# "End of the Project Gutenberg Etext of", "The end of Project Gutenberg etext", "End if Project",
# "End ofThe Project", "***END OF THIS PROJECT", "End of A Project Gutenberg", "This is the end of
# the Project", "End of\nThe Project Gutenberg", "End Project Gutenberg".
_FOOTER = re.compile(
    r"^[ *\[<>=_\"'-]*(?:this[ ]is[ ]|you[ ]have[ ]reached[ ])?(?:the[ ])?end(?:[ ]*(?:of|if))?"
    r"\s{0,4}(?:the|this|that|a)?\s{0,4}(?:original[ ])?(?:wiretap/)?project[ ]gutenberg[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_FOOTER_ACROSS = re.compile(
    r"^[ *\[]*(?:the[ ])?end[ ]*\n\s*of[ ]*\n?\s*(?:the[ ])?project[ ]gutenberg[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
# 14 of the 522 close with the bare title line of the etext.
_BARE_FOOTER = re.compile(
    r"^[ *\[]*(?:the[ ])?project[ ]gutenberg(?:'s)?[ ](?:etext|ebook|e-text)[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_BARE_FOOTER_CHARS = 400
_TAIL_SHARE = 0.25  # a footer is looked for behind this share of the text only,
_TAIL_CHARS = 20_000  # and at least in so many last characters

# Text after a footer that is not part of the book: licence, lists of corrections, encoding notes, letters
# between proofreaders.
_NOT_THE_BOOK = re.compile(
    r"(?im)^[ ]*>|\betexts?\b|\be-texts?\b|changed[ ]to\b|\bpage[ ]+para|project[ ]gutenberg|small[ ]print|\bhttp|\bwww\.|\bOCR\b|\w@\w"
)
_FOOTER_LEAD_CHARS = 120  # "End of ..." begins at most so far before the word "Gutenberg"
_GOES_ON_CHARS = 600

CREDIT = re.compile(
    r"""(?x)  # searched in lower-cased paragraphs: ignoring case makes the search ten times slower
    \b(?:scann(?:ed|er|ing)|transcrib(?:ed|er)|digiti[sz]ed|proof(?:ed|read|reading)?(?:ers)?|keyed|typed|prepared|produced|entered|
       converted|compiled|reformatted|formatted|edited[ ]and[ ]corrected|created|contributed|donated|submitted)\b
       [^\n]{0,60} \n? [^\n]{0,40} \b(?:by|with|from|using|against|for[ ]project)\b
    | \bocr\b | \bomnipage\b | \be-?texts?\b | \be-?book\b | [\w.+-]@[\w-]{1,60}\.\w | \bhttps?:// | \bwww\.
    | project[ ]gutenberg | gutenberg\.(?:org|net) | \btranscriber'?s?'?[ ]note | \belectronic[ ](?:text|version|edition|book)
    | \bhtml[ ]version | \biso-8859 | \bpublic[ ]domain\b | \bproofread | \bspell-?check
    | \bascii\b | \btypographical[ ]notes?\b | \bsmashwords\b | \bisbn\b | \ball[ ]rights[ ]reserved\b
    """
)
# Changes that a transcriber made. An editor's preface may list the same, so such a paragraph counts
# only directly after another credit.
_CHANGES = re.compile(
    r"""(?x)
    \b(?:printer'?s'?|typographical|typesetting|spelling|punctuation)[ ]errors? | \bobvious[ ](?:errors?|misprints?|typos?)
    | \b(?:spelling|punctuation|hyphenation|capitali[sz]ation|italics?|footnotes?|page[ ]numbers?|accents?|illustrations?)\b
      [^.]{0,80}? \b(?:retained|preserved|corrected|standardi[sz]ed|normali[sz]ed|moderni[sz]ed|changed|moved|renumbered|removed|omitted
      |indicated|marked|shown|surrounded|enclosed)\b
    """
)
# No credit is without one of these; looking for them first is a hundred times faster.
_CREDIT_HINTS = tuple(
    "scan transcri digiti proof keyed typed prepared produced entered converted compiled "
    "formatted edited created contributed donated "
    "submitted ocr omnipage etext e-text ebook e-book @ http www. gutenberg electronic html "
    "iso-8859 public spell ascii typographical "
    "smashwords isbn rights".split()
)
# A credit paragraph is short, near the start, and not part of the story: longer ones need two marks.
_CREDIT_ZONE_CHARS = 4000
_CREDIT_MAX_CHARS = 900
# A notice of the e-text between two paragraphs of the book, by its first words.
_NOTICE = re.compile(
    r"""(?xi)
    \W{0,6}(?:(?:the[ ])?end[ ]of[ ](?:this[ ]|the[ ])?(?:e-?text|e-?book|electronic[ ](?:text|edition|version))\b
      | (?=[^.?!"]{0,300}\bascii\s(?:text|file|version|edition)\b) [^.?!"]{0,300}\bcan\s?not\b
      | transcriber'?s?'?[ ]notes?\b
      | note:?\s[^"]{0,600}\bthis[ ](?:e-?text|electronic[ ](?:text|edition|version))\b
      | this[ ]e-?book[ ](?:is[ ]licensed|may[ ]not[ ]be) | thank[ ]you[ ]for[ ](?:downloading|purchasing|buying)[ ]this[ ]e-?book)
    | <<\s?this[ ](?:electronic|e-?text|e-?book)
    """
)
# No notice is without one of these. Letter cases are listed, for a copy of every book in small
# letters takes longer than all else here.
_NOTICE_HINTS = tuple(
    "etext Etext ETEXT e-text ebook eBook electronic ELECTRONIC ASCII ranscriber RANSCRIBER".split()
)
_NOTICE_CHARS = 1500  # the longest, PG 100's between two plays, has 700
# First lines of paragraphs that begin the back matter.
_NOTES_OPEN = re.compile(
    r"""(?xi)
    \W{0,6}(?:(?:the[ ])?transcri(?:ber|ption)'?s?'?[ ]notes?\b[^a-z\n]{0,3}(?:$|[\n])
      | notes?[ ](?:of|by|from)[ ]the[ ]transcriber\W*(?:$|\n)
      | (?:appendix\W{1,4})?notes?[ ](?:on|to|about)[ ](?:the[ ]|this[ ])?(?:e-?text|electronic[ ](?:text|edition|version))\b
      | a[ ]note[ ]on[ ]the[ ]text\W*(?:$|\n)
      | [^\n]*\n(?:[^\n]{0,80}\n)?[ ]*a[ ]machine-readable[ ]transcription)
    """
)
_ADVERTISEMENTS_OPEN = re.compile(
    r"""(?xi)
    \W{0,6}(?:by[ ]the[ ]same[ ]author|advertisements|press[ ]notices|opinions[ ]of[ ]the[ ]press|about[ ]the[ ]author|this[ ]isn't[ ]all!
      | (?-i:[A-Z])\w+[ ](?:\w+[ ]){0,4}(?:by|from)[ ]the[ ]same[ ](?:author|pen|publishers?)
      | (?:also|(?:(?:some|other|more|popular|recent|new|the)[ ])*(?:\w+[ ]){0,2}(?:books|novels|titles|works|stories))\s{1,3}by[ ]
        (?-i:[A-Z][\w.]*(?:[ ][A-Z][\w.]*){1,3})
      | discover[ ]other[ ]titles[ ]by[^\n]{1,60} | connect[ ]with[ ](?:me|the[ ]author|(?-i:[A-Z]\w+))[ ]online
    )\W*(?:$|\n)
    """
)
# Marks of a trade catalogue: format, binding, price of a book.
_TRADE_MARKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:12mo|16mo|18mo|(?:crown|post|demy)[ ]8vo|8vo|fcap)\b",
        r"\bcloth(?:,|[ ](?:gilt|extra|boards|binding))|\b(?:paper|cloth)[ ]boards\b",
        r"\$[ ]?\d\.\d\d\b|\b\d{1,2}s\.(?:[ ]\d{1,2}d\.)?[ ]net\b|\bprice[, ]+(?:\$|\d)|\bpostpaid\b",
    )
)
_BACK_SHARE = 0.1  # such matter is looked for in this share of the book at its end,
_BACK_CHARS = 25_000  # and at most in so many characters
_BACK_CHARS_WITHOUT_END = 5_000  # lists of books that follow no "THE END" are shorter
_END_LINE = re.compile(r"[\W_]{0,6}(?:the[ ]end|finis|end)[\W_]{0,6}", re.IGNORECASE)
_BOOK_GOES_ON = re.compile(
    r"\W{0,4}(?:(?:foot|end)?notes?|appendix|chapter|index|glossary|book|part|act|canto)(?:\s+[ivxlc\d]+)?\W{0,4}",
    re.IGNORECASE,
)
_PARAGRAPH = re.compile(r"[^\n]*[^\n ][^\n]*(?:\n[^\n]*[^\n ][^\n]*)*")


@dataclass(frozen=True, slots=True)
class Body:
    """The book inside its file, in characters of the flat text.

    Attributes:
        header_marker, footer_marker: the lines found, shortened; empty when none was.
        skipped: disjoint, ordered spans inside [start, end) that are not the author's.
    """

    start: int
    end: int
    header_marker: str
    footer_marker: str
    skipped: tuple[tuple[int, int], ...] = ()


def find_body(flat: str) -> Body:
    r"""The book between the licence texts.

    >>> flat = "licence\n*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04*END*\nA story.\nEnd of Project Gutenberg's Etext of X\n"
    >>> body = find_body(flat)
    >>> flat[body.start:body.end].strip(), body.footer_marker
    ('A story.', "End of Project Gutenberg's Etext of X")
    """
    start, header = _find_header(flat)
    end, footer, inner = _find_footer(flat, start)
    foreign = [
        *_find_credits(flat, start, end),
        *_find_notices(flat, start, end),
        *_find_back_matter(flat, start, end),
        *inner,
    ]
    return Body(start, end, _short(header), _short(footer), _joined(foreign))


def _find_header(flat: str) -> tuple[int, str]:
    head_end = min(len(flat), _HEAD_CHARS)
    start, marker = 0, ""
    if "START OF TH" in flat[:head_end].upper():
        for match in _START.finditer(flat, 0, head_end):
            start, marker = match.end(), match.group()
    for match in _SMALL_PRINT_END.finditer(flat, 0, head_end):
        # 7878 has its small print at the bottom: one that follows the end of the book is no header.
        if match.end() > start and _FOOTER.search(flat, start, match.start()) is None:
            start, marker = match.end(), match.group()
    return start, marker


def _find_footer(flat: str, start: int) -> tuple[int, str, list[tuple[int, int]]]:
    """End of the book, the footer's line, and the spans of footers with more of the book behind."""
    tail_start = max(
        start, min(start + int((len(flat) - start) * _TAIL_SHARE), len(flat) - _TAIL_CHARS)
    )
    footers = _footers(flat, tail_start)
    if not footers:
        bare = _BARE_FOOTER.search(flat, max(tail_start, len(flat) - _BARE_FOOTER_CHARS))
        return (bare.start(), bare.group(), []) if bare else (len(flat), "", [])
    inner: list[tuple[int, int]] = []
    for footer, following in pairwise(footers):
        between = flat[footer.end() : following.start()]
        if len(between.strip()) < _GOES_ON_CHARS or _NOT_THE_BOOK.search(between):
            return footer.start(), footer.group(), inner
        line_end = flat.find("\n\n", footer.end())
        inner.append((footer.start(), max(footer.end(), min(line_end, footer.end() + 200))))
    return footers[-1].start(), footers[-1].group(), inner


def _footers(flat: str, tail_start: int) -> list[re.Match[str]]:
    found: dict[int, re.Match[str]] = {}
    for word in ("utenberg", "UTENBERG"):
        at = flat.find(word, tail_start)
        while at >= 0:
            # The line may begin two lines above: "End\n\nof\n\nThe Project Gutenberg Etext".
            near = max(tail_start, at - _FOOTER_LEAD_CHARS)
            if "end" in flat[near:at].lower():
                near = max(near, flat.rfind("\n", near, max(near, at - 60)) + 1)
                for pattern in (_FOOTER, _FOOTER_ACROSS):
                    match = pattern.search(flat, near, min(len(flat), at + 300))
                    if match and match.start() <= at < match.end():
                        found.setdefault(match.start(), match)
            at = flat.find(word, at + 1)
    return [found[start] for start in sorted(found)]


def _find_credits(flat: str, start: int, end: int) -> list[tuple[int, int]]:
    """Scanners' and transcribers' credits near the start of the body."""
    spans: list[tuple[int, int]] = []
    zone_end = min(end, start + _CREDIT_ZONE_CHARS)
    zone = flat[start:zone_end].lower()
    if not any(hint in zone for hint in _CREDIT_HINTS):
        return spans
    credited = -1  # where the paragraph before ends, if it was a credit
    for match in _PARAGRAPH.finditer(flat, start, zone_end):
        paragraph = match.group().lower()
        marks = (
            CREDIT.findall(paragraph) if any(hint in paragraph for hint in _CREDIT_HINTS) else []
        )
        goes_on = (
            credited >= 0
            and flat[credited : match.start()].isspace()
            and _CHANGES.search(paragraph) is not None
        )
        if (marks or goes_on) and (
            match.end() - match.start() <= _CREDIT_MAX_CHARS or len(marks) > 2
        ):
            spans.append(match.span())
            credited = match.end()
    return spans


def _find_notices(flat: str, start: int, end: int) -> list[tuple[int, int]]:
    """Paragraphs inside the book about the e-text: its end, its limits, its licence."""
    found: set[tuple[int, int]] = set()
    for hint in _NOTICE_HINTS:
        at = flat.find(hint, start, end)
        while at >= 0:
            first, last = max(start, at - _NOTICE_CHARS), min(end, at + _NOTICE_CHARS)
            match = next(
                (one for one in _PARAGRAPH.finditer(flat, first, last) if one.end() > at), None
            )
            whole = (
                match
                and (match.start() > first or first == start)
                and (match.end() < last or last == end)
            )
            if match and whole and _NOTICE.match(match.group()):
                found.add(match.span())
            at = flat.find(hint, at + len(hint), end)
    return sorted(found)


def _find_back_matter(flat: str, start: int, end: int) -> list[tuple[int, int]]:
    """Notes on the text and lists of other books after the end of the book."""
    zone = max(start, end - min(_BACK_CHARS, int((end - start) * _BACK_SHARE)))
    paragraphs = list(_PARAGRAPH.finditer(flat, zone, end))[
        zone > start :
    ]  # the first may be the rest of one
    spans: list[tuple[int, int]] = []
    ended = False
    for place, match in enumerate(paragraphs):
        paragraph = match.group()
        ended = ended or _END_LINE.fullmatch(paragraph.strip()) is not None
        if _NOTES_OPEN.match(paragraph):
            behind = [
                other.start()
                for other in paragraphs[place + 1 :]
                if _BOOK_GOES_ON.fullmatch(other.group())
            ]
            spans.append((match.start(), behind[0] if behind else end))
        elif (ended or end - match.start() <= _BACK_CHARS_WITHOUT_END) and _opens_advertisements(
            paragraph
        ):
            spans.append((match.start(), end))
            break
    return spans


def _opens_advertisements(paragraph: str) -> bool:
    """Whether publishers' lists begin here: by their title, or two marks of a trade catalogue."""
    return (
        _ADVERTISEMENTS_OPEN.match(paragraph) is not None
        or sum(1 for mark in _TRADE_MARKS if mark.search(paragraph)) >= 2
    )


def _joined(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


def _short(marker: str) -> str:
    return " ".join(marker.split())[:100]

"""Where the book begins and ends inside a Project Gutenberg file; patterns from 534 books."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from cloze_gen.corpus.front_back_matter import Removed, find_matter

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


@dataclass(frozen=True, slots=True)
class Body:
    """The book inside its file, in characters of the flat text.

    Attributes:
        header_marker, footer_marker: the lines found, shortened; empty when none was.
        skipped: disjoint, ordered spans inside [start, end) that are no prose of the author's.
    """

    start: int
    end: int
    header_marker: str
    footer_marker: str
    skipped: tuple[Removed, ...] = ()


def find_body(flat: str) -> Body:
    r"""The book between the licence texts.

    >>> flat = "licence\n*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04*END*\nA story.\nEnd of Project Gutenberg's Etext of X\n"
    >>> body = find_body(flat)
    >>> flat[body.start:body.end].strip(), body.footer_marker
    ('A story.', "End of Project Gutenberg's Etext of X")
    """
    start, header = _find_header(flat)
    end, footer, inner = _find_footer(flat, start)
    removed = [*(Removed(*span, "licence") for span in inner), *find_matter(flat, start, end)]
    return Body(start, end, _short(header), _short(footer), _joined(removed))


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


def _joined(removed: list[Removed]) -> tuple[Removed, ...]:
    """The spans in order; what two rules remove counts for the first."""
    joined: list[Removed] = []
    for one in sorted(removed):
        start = max(one.start, joined[-1].end if joined else 0)
        if start < one.end:
            joined.append(Removed(start, one.end, one.rule))
    return tuple(joined)


def _short(marker: str) -> str:
    return " ".join(marker.split())[:100]

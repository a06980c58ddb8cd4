"""One audit row a book: what was found, how much was kept, and the reason when a book is dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from cloze_gen.words import is_word

# The words that make up close to half of any running English text, whatever its subject.
FUNCTION_WORDS = frozenset(
    """the of and to a in that he was i it his is with as had you for her not be at on but she him have my by which from they all this we or
    me were so are their there if them would no been when an who one what will your more do has said could then than out into its some up
    only should now did upon such our any other very these how may can too much over must am most down""".split()
)
# As they are spelled; searching a lower-cased copy would take as long as finding all the sentences.
_RESIDUAL_MARKS = ("roject Gutenberg", "PROJECT GUTENBERG", " etext", "Etext", "ranscriber's note", "SMALL PRINT", "Small Print!")


class BookReason(StrEnum):
    """Why a book is dropped; each reads aloud as "dropped: <reason>"."""

    EMPTY = "empty"
    BINARY = "binary"
    NEARLY_EMPTY = "nearly_empty"
    OTHER_LANGUAGE = "other_language"
    TRUNCATED_GZIP = "truncated_gzip"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    DUPLICATE_CONTENT = "duplicate_content"
    DUPLICATE_OF = "duplicate_of"
    OVERLAPS_TRAIN = "overlaps_train"
    OVERLAPS_SOURCE = "overlaps_source"


class BookStatus(StrEnum):
    KEPT = "kept"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class BookAudit:
    """What ingest found in one book.

    Attributes:
        book_bytes: size of the raw (unpacked) file; `sha256` is of the same bytes.
        encoding, encoding_evidence: see `text.decode`.
        header_marker, footer_marker: the lines that bound the book; empty when none was found.
        body_share: characters of the sentences' spans / characters of the decoded file.
        control_chars: bytes below 0x20 in the raw file other than tab, line ends and form feed.
        residual_boilerplate: places in the kept text that still smell of licence or e-text.
        sentences, tokens, word_tokens: counts over all kinds (headings included).
        function_word_share: share of word tokens that are English function words; about 0.5 in English prose.
        line_end_hyphens: words broken at a line end.
        verse_share: share of sentences in verse.
        status: ``kept`` or ``rejected``; `reason` says why (empty when kept), `detail` in words.
    """

    book_id: str
    book_bytes: int
    sha256: str
    encoding: str = ""
    encoding_evidence: str = ""
    header_marker: str = ""
    footer_marker: str = ""
    body_share: float = 0.0
    control_chars: int = 0
    residual_boilerplate: int = 0
    sentences: int = 0
    tokens: int = 0
    word_tokens: int = 0
    function_word_share: float = 0.0
    line_end_hyphens: int = 0
    verse_share: float = 0.0
    status: BookStatus = BookStatus.KEPT
    reason: str = ""
    detail: str = ""


def count_residual_boilerplate(text: str) -> int:
    """Places where normalized text still speaks of the e-text and its licence.

    >>> count_residual_boilerplate("It was night. This etext was made by hand.")
    1
    """
    return sum(text.count(mark) for mark in _RESIDUAL_MARKS)


def count_word_tokens(type_counts: Mapping[str, int]) -> tuple[int, float]:
    """Number of word tokens and the share of English function words among them.

    >>> count_word_tokens({"the": 3, "whale": 1, ".": 2})
    (4, 0.75)
    """
    words = functional = 0
    for token, count in type_counts.items():
        if token.isalpha() or is_word(token):
            words += count
            if len(token) < 7 and token.lower() in FUNCTION_WORDS:
                functional += count
    return words, functional / words if words else 0.0

"""One audit row a book: what was found, how much was kept, and the reason when a book is dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

_BOILERPLATE_WORDS = tuple("Gutenberg GUTENBERG Gutenberg-tm etext Etext eText etexts Etexts e-text E-text eBook transcriber's".split())


class BookReason(StrEnum):
    """Why a book is dropped; each reads aloud as "dropped: <reason>"."""

    EMPTY = "empty"
    BINARY = "binary"
    MARKUP = "markup"
    ONE_SENTENCE_A_LINE = "one_sentence_a_line"
    NEARLY_EMPTY = "nearly_empty"
    OTHER_LANGUAGE = "other_language"
    TRUNCATED_GZIP = "truncated_gzip"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    NOT_AS_LISTED = "not_as_listed"
    DUPLICATE_OF = "duplicate_of"
    OVERLAPS_TRAIN = "overlaps_train"
    OVERLAPS_SOURCE = "overlaps_source"
    VOCABULARY_UNLIKE_REFERENCE = "vocabulary_unlike_reference"
    OFFENSIVE = "offensive"


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
        residual_boilerplate: tokens of the kept text that speak of licence or e-text.
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


def count_residual_boilerplate(type_counts: Mapping[str, int]) -> int:
    """Tokens that speak of the e-text and its licence; a book on printing has a few of its own.

    >>> count_residual_boilerplate({"night": 2, "Etext": 1})
    1
    """
    return sum(type_counts.get(word, 0) for word in _BOILERPLATE_WORDS)

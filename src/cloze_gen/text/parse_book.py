"""Raw bytes of one book to sentences of tokens, its counts, its content sketch and its audit row."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from pydantic import Field

from cloze_gen.english.function_words import function_word_share
from cloze_gen.errors import BookError
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.text.audit import BookAudit, BookReason, BookStatus, count_residual_boilerplate
from cloze_gen.text.decode import decode_book, flatten
from cloze_gen.text.duplicates import Sketch, content_sketch
from cloze_gen.text.gutenberg import Body, find_body
from cloze_gen.text.markup import find_markup
from cloze_gen.text.normalize import LINE_END_HYPHEN, SEPARATOR, normalize_many
from cloze_gen.text.paragraphs import HEADING, OTHER, VERSE, split_paragraphs
from cloze_gen.text.sentence_lines import find_sentence_lines
from cloze_gen.text.sentences import SentenceCutter
from cloze_gen.text.tokens import ChunkedText, ChunkMemo
from cloze_gen.words import is_word

_T = TypeVar("_T")
_NOT_CONTROL = b"\t\n\v\f\r" + bytes(range(0x20, 0x100))
_SHORT_CHARS = 8  # only a sentence this short can be without a word (stray quotation marks, rules)


class IngestSettings(SettingsGroup):
    """Settings of reading one book."""

    strip_boilerplate: bool = Field(
        default=True, description="cut Project Gutenberg headers, footers, credits, notices, transcribers' notes and lists of other books"
    )
    min_word_tokens: int = Field(default=200, ge=0, le=MOST_COUNTED, description="a book with fewer word tokens is dropped as nearly empty")
    min_function_word_share: float = Field(
        default=0.25, ge=0, le=1, description="share of English function words below which a book is in another language"
    )


@dataclass(frozen=True, slots=True)
class ParsedBook:
    """A book as columns, one entry a sentence, in the order of the text.

    Attributes:
        audit: the book's audit row; a dropped book (`audit.status`) has empty columns.
        start, end: character spans in the decoded raw file.
        paragraph: index of the sentence's paragraph, `other` paragraphs counted too.
        kind: ``prose``, ``verse`` or ``heading``.
        text: normalized text.
        tokens: tokens joined by single spaces.
        type_counts: surface counts of all tokens of prose and verse.
        sketch: see `text.duplicates`.
    """

    audit: BookAudit
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    paragraph: list[int] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    type_counts: Counter[str] = field(default_factory=Counter)
    sketch: Sketch = field(default_factory=lambda: np.empty(0, dtype=np.uint64))


def parse_book(raw: bytes, *, book_id: str, settings: IngestSettings, memo: ChunkMemo) -> ParsedBook:
    """Read one book; pure: the same bytes and settings give the same columns, whatever `memo` remembers.

    Args:
        raw: the unpacked bytes of the file.
        memo: tokenizer and memory of one worker, shared between books for speed.

    Returns:
        The book's columns. A book that cannot serve comes back with empty columns and its reason in the audit row.
    """
    sha256 = hashlib.sha256(raw).hexdigest()
    try:
        decoded = decode_book(raw)
    except BookError as error:
        return _dropped(BookAudit(book_id, len(raw), sha256), error.reason, str(error))
    markup = find_markup(decoded.text)
    if markup:
        audit = BookAudit(book_id, len(raw), sha256, encoding=decoded.encoding, encoding_evidence=decoded.evidence)
        return _dropped(audit, BookReason.MARKUP, f"{markup}; its tags would be read as prose")
    flat = flatten(decoded.text)
    if sentence_lines := find_sentence_lines(flat):
        audit = BookAudit(book_id, len(raw), sha256, encoding=decoded.encoding, encoding_evidence=decoded.evidence)
        detail = f"{sentence_lines}, as in BookCorpus's books_large_p1.txt; its books, paragraphs or names are lost"
        return _dropped(audit, BookReason.ONE_SENTENCE_A_LINE, detail)
    body = find_body(flat) if settings.strip_boilerplate else Body(0, len(flat), "", "")
    columns, texts, running = _sentences(flat, body)
    read = memo.read(running)
    tokens = _split_at_separators(memo.tokens(read))
    type_counts = Counter(memo.count_tokens(read))
    token_count = type_counts.total()
    word_tokens = memo.count_words(read)
    english_share = function_word_share(type_counts, word_tokens)
    residual = count_residual_boilerplate(type_counts)
    _subtract_headings(type_counts, read, columns.kind, memo)
    audit = BookAudit(
        book_id=book_id,
        book_bytes=len(raw),
        sha256=sha256,
        encoding=decoded.encoding,
        encoding_evidence=decoded.evidence,
        header_marker=body.header_marker,
        footer_marker=body.footer_marker,
        body_share=round((sum(columns.end) - sum(columns.start)) / len(flat), 4),
        control_chars=len(raw.translate(None, _NOT_CONTROL)),
        residual_boilerplate=residual,
        sentences=len(texts),
        tokens=token_count,
        word_tokens=word_tokens,
        function_word_share=round(english_share, 4),
        line_end_hyphens=running.count(LINE_END_HYPHEN),
        verse_share=round(columns.kind.count(VERSE) / max(1, len(texts)), 4),
    )
    if word_tokens < settings.min_word_tokens:
        detail = f"{word_tokens} word tokens, fewer than min_word_tokens = {settings.min_word_tokens}"
        return _dropped(audit, BookReason.NEARLY_EMPTY, detail)
    if english_share < settings.min_function_word_share:
        detail = f"English function words are {english_share:.2f} of all, fewer than {settings.min_function_word_share}"
        return _dropped(audit, BookReason.OTHER_LANGUAGE, detail)
    sketch = content_sketch(memo.word_hashes(read))
    return ParsedBook(audit, columns.start, columns.end, columns.paragraph, columns.kind, texts, tokens, type_counts, sketch)


@dataclass(frozen=True, slots=True)
class _Columns:
    start: list[int]
    end: list[int]
    paragraph: list[int]
    kind: list[str]

    def without(self, indices: list[int]) -> _Columns:
        return _Columns(*(_without(column, indices) for column in (self.start, self.end, self.paragraph, self.kind)))


def _sentences(flat: str, body: Body) -> tuple[_Columns, list[str], str]:
    """The places of the sentences that hold a word, their normalized texts, and these as one running text."""
    columns = _Columns(*_sentence_columns(flat, body))
    running = normalize_many([flat[a:b] for a, b in zip(columns.start, columns.end, strict=True)])
    texts = _split_at_separators(running)
    wordless = [index for index, text in enumerate(texts) if len(text) < _SHORT_CHARS and not is_word(text)]
    if wordless:
        columns, texts = columns.without(wordless), _without(texts, wordless)
        running = normalize_many(texts)
    return columns, texts, running


def _sentence_columns(flat: str, body: Body) -> tuple[list[int], list[int], list[int], list[str]]:
    """Start, end, paragraph index and kind of every sentence of the body."""
    starts: list[int] = []
    ends: list[int] = []
    indices: list[int] = []
    kinds: list[str] = []
    cutter = SentenceCutter(flat)
    for index, (begin, end, kind) in enumerate(split_paragraphs(flat, body)):
        if kind == OTHER:
            continue
        if kind == HEADING:
            starts.append(begin)
            ends.append(end)
            indices.append(index)
            kinds.append(kind)
            continue
        block_starts, block_ends = cutter.bounds(begin, end)
        starts += block_starts
        ends += block_ends
        indices += [index] * len(block_starts)
        kinds += [kind] * len(block_starts)
    return starts, ends, indices, kinds


def _subtract_headings(type_counts: Counter[str], read: ChunkedText, kinds: list[str], memo: ChunkMemo) -> None:
    """Take the tokens of headings out of the counts, in place."""
    if HEADING not in kinds:
        return
    is_heading = np.array([False, *(kind == HEADING for kind in kinds), False])
    sentence_of_chunk = np.cumsum(memo.separator_places(read))
    for token, count in memo.count_tokens(read, is_heading[sentence_of_chunk]).items():
        type_counts[token] -= count
        if not type_counts[token]:
            del type_counts[token]


def _split_at_separators(joined: str) -> list[str]:
    """The pieces between the separators, each without the spaces that set it off."""
    if len(joined) == len(SEPARATOR) or f"{SEPARATOR} {SEPARATOR}" in joined:  # no piece, or an empty one
        return [piece[1:-1] for piece in joined.split(SEPARATOR)[1:-1]]
    return joined[2:-2].split(f" {SEPARATOR} ")


def _without(column: list[_T], indices: list[int]) -> list[_T]:
    gone = set(indices)
    return [value for index, value in enumerate(column) if index not in gone]


def _dropped(audit: BookAudit, reason: str, detail: str) -> ParsedBook:
    return ParsedBook(replace(audit, status=BookStatus.REJECTED, reason=str(reason), detail=detail))

"""Raw bytes of one book to sentences of tokens, counts, content sketch and audit row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np
from pydantic import Field

from cloze_gen.corpus.content_sketch import Sketch, content_sketch
from cloze_gen.corpus.decoding import Decoded, decode_book, flatten
from cloze_gen.corpus.gutenberg import Body, find_body, header_facts
from cloze_gen.corpus.normalization import LINE_END_HYPHEN, SEPARATOR, normalize_many
from cloze_gen.corpus.paragraphs import HEADING, OTHER, VERSE, split_paragraphs
from cloze_gen.corpus.sentences import SentenceCutter
from cloze_gen.corpus.text_warnings import text_warnings
from cloze_gen.corpus.tokens import ChunkedText, ChunkMemo
from cloze_gen.english.content_words import function_word_share
from cloze_gen.errors import BookError
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.word_tokens import is_word

_BOILERPLATE_WORDS = tuple(
    "Gutenberg GUTENBERG Gutenberg-tm etext Etext eText etexts Etexts e-text E-text eBook "
    "transcriber's".split()
)


class BookReason(Reason):
    EMPTY = ("empty", "the file has no text")
    BINARY = ("binary", "the file is not plain text")
    MARKUP = ("markup", "the file has HTML or XML tags")
    ONE_SENTENCE_PER_LINE = (
        "one_sentence_per_line",
        "the text is already split into one sentence per line",
    )
    NEARLY_EMPTY = ("nearly_empty", "the book has fewer word tokens than ingest.min_word_tokens")
    OTHER_LANGUAGE = (
        "other_language",
        "by its header or its few English function words, the book is in another language",
    )
    TRUNCATED_GZIP = ("truncated_gzip", "the gzip file is damaged or incomplete")
    DAMAGED_EPUB = ("damaged_epub", "the EPUB is damaged, incomplete or not an EPUB")
    ENCRYPTED = ("encrypted", "the EPUB is encrypted (digital rights management)")
    UNREADABLE = ("unreadable", "the file cannot be read")
    TOO_LARGE = ("too_large", "the file is larger than a book can be")
    DIFFERS_FROM_MANIFEST = ("differs_from_manifest", "its checksum differs from manifest.tsv")
    AGGREGATE = ("aggregate", "a collection of other books of the same side")
    DUPLICATE_OF = ("duplicate_of", "another book of the same side contains this text")
    OVERLAPS_TRAIN = ("overlaps_train", "a training book shares text with this book")
    OVERLAPS_SOURCE = ("overlaps_source", "a source book shares text with this book")
    OFFENSIVE = ("offensive", "too many of its words are on the list of offensive words")


class BookStatus(StrEnum):
    KEPT = "kept"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class BookAudit:
    """Audit row of one book.

    Attributes:
        book_bytes: size of the raw (unpacked) file; `sha256` is of the same bytes.
        body_share: characters in sentences / characters of the decoded file.
        control_chars: characters below 0x20 other than tab, line ends and form feed.
        removed: characters that each rule of `front_back_matter` removed, most first.
        residual_boilerplate: kept tokens about licence or e-text.
        sentences, tokens, word_tokens: headings included.
        function_word_share: of word tokens; about 0.5 in English prose.
        unknown_word_share: of word tokens; over `ocr.MOST_UNKNOWN` in text from OCR.
        warnings: see `text_warnings`.
    """

    book_bytes: int
    encoding: str = ""
    encoding_evidence: str = ""
    header_marker: str = ""
    footer_marker: str = ""
    body_share: float = 0.0
    control_chars: int = 0
    removed: str = ""
    residual_boilerplate: int = 0
    sentences: int = 0
    tokens: int = 0
    word_tokens: int = 0
    function_word_share: float = 0.0
    unknown_word_share: float = 0.0
    line_end_hyphens: int = 0
    verse_share: float = 0.0
    warnings: str = ""
    status: BookStatus = BookStatus.KEPT
    reason: str = ""
    detail: str = ""


def count_residual_boilerplate(type_counts: Mapping[str, int]) -> int:
    """Tokens about the e-text and its licence; a book on printing has a few of its own.

    >>> count_residual_boilerplate({"night": 2, "Etext": 1})
    1
    """
    return sum(type_counts.get(word, 0) for word in _BOILERPLATE_WORDS)


_OPENINGS = (
    (re.compile(r"\s*<!doctype\s+html", re.IGNORECASE), "HTML"),
    (re.compile(r"\s*<html[\s>]", re.IGNORECASE), "HTML"),
    (re.compile(r"\s*<\?xml\s"), "XML"),
    (re.compile(r"\s*\{\\rtf\d"), "RTF"),
    (re.compile(r"\s*%PDF-\d"), "PDF"),
)
_PAGE_TAG = re.compile(
    r"</?(?:a|article|blockquote|body|br|div|dd|dl|dt|font|h[1-6]|head|hr|html|img|lb?|lg|li|link|meta|ol|p|pb|pre|s|script|section|span|"
    r"style|table|tbody|td|teiheader|text|th|title|tr|ul|w)(?:\s[^<>=]{0,200}=[^<>]{0,1000}|\s*/?)>",
    re.IGNORECASE,
)
_MIN_TAGS = 10
_MAX_CHARS_A_TAG = 2_000  # a chapter of HTML with one <p> a long paragraph stays far below


def find_markup(text: str) -> str:
    """The evidence that `text` is HTML, XML, RTF or PDF, in words; empty for plain text. Tags
    within a line (`<i>`) do not count; a few page tags (`<p>`) may occur in a plain book.

    >>> find_markup("<!DOCTYPE html><html><body><p>Call me Ishmael.")
    'HTML: begins with <!DOCTYPE html'
    >>> find_markup("It was <i>she</i> who wrote: a < b, and x > y.")
    ''
    >>> find_markup('<p class="a">Call me Ishmael.</p>' * 20)
    'HTML or XML: 40 tags in 660 characters, the first <p class="a">'
    """
    for opening, kind in _OPENINGS:
        found = opening.match(text)
        if found:
            return f"{kind}: begins with {found[0].strip()}"
    if text.count("<") < _MIN_TAGS:
        return ""
    tags = _PAGE_TAG.findall(text)
    if len(tags) < _MIN_TAGS or len(text) > _MAX_CHARS_A_TAG * len(tags):
        return ""
    first = " ".join(tags[0].split())
    return (
        f"HTML or XML: {len(tags):,} tags in {len(text):,} characters, the first "
        f"{first if len(first) <= 60 else first[:57] + '...'}"
    )


_SAMPLE_CHARS = 200_000  # looked at, from the middle: there is no licence there
_MIN_LINES = 100  # fewer may be a list, a poem or an article
_MAX_MEAN_WORDS = 60  # of a line; longer ones are paragraphs
_MIN_SHARE = 0.8  # of lines that end as sentences do, and of commas behind a space
_MAX_CAPITALS = 0.001  # share of the letters
_FINAL_MARKS = (".", "!", "?", "'", '"')


def find_sentence_lines(flat: str) -> str:
    r"""The evidence that a file has one sentence a line (BookCorpus's `books_large_p1.txt`), in
    words; empty for a book. Of 612 plain books none has over 0.03 of its commas after a space.

    >>> find_sentence_lines("`` i do n't know , '' he said .\n" * 200)
    '100 % of its lines are a sentence each, with spaces before commas and in small letters'
    >>> find_sentence_lines('"I do not know," he said.\n' * 200)
    ''
    """
    middle = max(0, (len(flat) - _SAMPLE_CHARS) // 2)
    sample = flat[middle : middle + _SAMPLE_CHARS]
    lines = [line.rstrip() for line in sample.split("\n") if line.strip()]
    if len(lines) < _MIN_LINES or sample.count(" ") > _MAX_MEAN_WORDS * len(lines):
        return ""
    ends = sum(1 for line in lines if line.endswith(_FINAL_MARKS)) / len(lines)
    if ends < _MIN_SHARE:
        return ""
    signs = []
    if sample.count(" , ") > _MIN_SHARE * sample.count(",") > 0:
        signs.append("with spaces before commas")
    if sum(map(str.isupper, sample)) <= _MAX_CAPITALS * sum(map(str.isalpha, sample)):
        signs.append("in small letters")
    return (
        f"{100 * ends:.0f} % of its lines are a sentence each, {' and '.join(signs)}"
        if signs
        else ""
    )


# ---- parse book

_T = TypeVar("_T")
# PG-19 replaces offensive words: "an old <DW64>" (README of google-deepmind/pg19).
_PLACEHOLDER = re.compile(r"<DW\d*>")
_NOT_CONTROL = b"\t\n\v\f\r" + bytes(range(0x20, 0x100))
_ENGLISH = re.compile(r"\b(?:english|eng?)\b", re.IGNORECASE)
_SHORT_CHARS = 8  # only a sentence this short can be without a word (stray quotation marks, rules)


class IngestSettings(SettingsGroup):
    min_word_tokens: int = Field(
        default=200,
        ge=0,
        le=MOST_COUNTED,
        description="a shorter book is dropped as nearly empty",
    )
    min_function_word_share: float = Field(
        default=0.25,
        ge=0,
        le=1,
        description="least share of English function words",
    )


@dataclass(frozen=True, slots=True)
class ParsedBook:
    """A book as columns, one entry a sentence; empty for a dropped book.

    Attributes:
        start, end: character spans in the decoded raw file.
        paragraph: block index, `other` paragraphs included.
        type_counts: surface counts of prose and verse.
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


def parse_book(
    raw: bytes,
    *,
    settings: IngestSettings,
    memo: ChunkMemo,
    decode: Callable[[bytes], Decoded] = decode_book,
) -> ParsedBook:
    """Read one book's unpacked bytes. The result does not depend on `memo`. A dropped book has
    empty columns and a reason in the audit row.
    """
    audit = BookAudit(len(raw))
    try:
        decoded = decode(raw)
    except BookError as error:
        return _dropped(audit, error.reason, str(error))
    if not decoded.text:  # a byte-order mark alone
        return _dropped(audit, BookReason.EMPTY, "the file is empty")
    audit = replace(audit, encoding=decoded.encoding, encoding_evidence=decoded.evidence)
    markup = find_markup(decoded.text)
    if markup:
        return _dropped(audit, BookReason.MARKUP, f"{markup}; tags are not prose")
    language = header_facts(decoded.text).get("language", "")
    if language and not _ENGLISH.search(language):
        detail = f'its header says "Language: {language}"'
        return _dropped(audit, BookReason.OTHER_LANGUAGE, detail)
    flat = flatten(decoded.text)
    if sentence_lines := find_sentence_lines(flat):
        detail = (
            f"{sentence_lines}, as in BookCorpus's books_large_p1.txt; book borders, paragraphs or "
            "names are lost"
        )
        return _dropped(audit, BookReason.ONE_SENTENCE_PER_LINE, detail)
    body = find_body(flat)
    columns, texts, running = _sentences(flat, body)
    read = memo.read(running)
    tokens = _split_at_separators(memo.tokens(read))
    type_counts = Counter(memo.count_tokens(read))
    token_count = type_counts.total()
    word_tokens, unknown = memo.count_words(read)
    english_share = function_word_share(type_counts, word_tokens)
    residual = count_residual_boilerplate(type_counts)
    _subtract_headings(type_counts, read, columns.kind, memo)
    body_share = round((sum(columns.end) - sum(columns.start)) / len(flat), 4)
    audit = replace(
        audit,
        header_marker=body.header_marker,
        footer_marker=body.footer_marker,
        body_share=body_share,
        control_chars=len(decoded.text.encode(errors="replace").translate(None, _NOT_CONTROL)),
        removed=_removed_text(body, len(flat)),
        residual_boilerplate=residual,
        sentences=len(texts),
        tokens=token_count,
        word_tokens=word_tokens,
        function_word_share=round(english_share, 4),
        unknown_word_share=round(unknown / max(1, word_tokens), 4),
        line_end_hyphens=running.count(LINE_END_HYPHEN),
        verse_share=round(columns.kind.count(VERSE) / max(1, len(texts)), 4),
        warnings=text_warnings(
            texts,
            columns.paragraph,
            etexts=body.etexts,
            licence_words=residual,
            body_share=body_share,
        ),
    )
    if word_tokens < settings.min_word_tokens:
        detail = (
            f"{word_tokens} word tokens, fewer than min_word_tokens = {settings.min_word_tokens}"
        )
        return _dropped(audit, BookReason.NEARLY_EMPTY, detail)
    if english_share < settings.min_function_word_share:
        detail = (
            f"English function words are {english_share:.2f} of all, fewer than "
            f"{settings.min_function_word_share}"
        )
        return _dropped(audit, BookReason.OTHER_LANGUAGE, detail)
    sketch = content_sketch(memo.word_hashes(read))
    return ParsedBook(
        audit,
        columns.start,
        columns.end,
        columns.paragraph,
        columns.kind,
        texts,
        tokens,
        type_counts,
        sketch,
    )


@dataclass(frozen=True, slots=True)
class _Columns:
    start: list[int]
    end: list[int]
    paragraph: list[int]
    kind: list[str]

    def without(self, indices: list[int]) -> _Columns:
        return _Columns(
            *(
                _without(column, indices)
                for column in (self.start, self.end, self.paragraph, self.kind)
            )
        )


def _sentences(flat: str, body: Body) -> tuple[_Columns, list[str], str]:
    """The sentences that hold a word, their normalized texts, and these joined."""
    columns = _Columns(*_sentence_columns(flat, body))
    running = normalize_many([flat[a:b] for a, b in zip(columns.start, columns.end, strict=True)])
    texts = _split_at_separators(running)
    wordless = [
        index for index, text in enumerate(texts) if len(text) < _SHORT_CHARS and not is_word(text)
    ]
    if wordless:
        columns, texts = columns.without(wordless), _without(texts, wordless)
        running = normalize_many(texts)
    return columns, texts, running


def _sentence_columns(flat: str, body: Body) -> tuple[list[int], list[int], list[int], list[str]]:
    starts: list[int] = []
    ends: list[int] = []
    indices: list[int] = []
    kinds: list[str] = []
    cutter = SentenceCutter(flat)
    placeholders = "<DW" in flat
    for index, (begin, end, kind) in enumerate(split_paragraphs(flat, body)):
        if kind == OTHER:
            continue
        if kind == HEADING:
            starts.append(begin)
            ends.append(end)
            indices.append(index)
            kinds.append(kind)
            continue
        if placeholders and _PLACEHOLDER.search(flat, begin, end):
            kind = OTHER  # background only: no item, and no context of one
        block_starts, block_ends = cutter.bounds(begin, end)
        starts += block_starts
        ends += block_ends
        indices += [index] * len(block_starts)
        kinds += [kind] * len(block_starts)
    return starts, ends, indices, kinds


def _removed_text(body: Body, chars: int) -> str:
    """`licence 18,420; notes 310`; the licence is what surrounds the body."""
    removed = Counter(licence=chars - (body.end - body.start))
    for one in body.skipped:
        removed[one.rule] += one.end - one.start
    return "; ".join(f"{rule} {count:,}" for rule, count in removed.most_common() if count)


def _subtract_headings(
    type_counts: Counter[str], read: ChunkedText, kinds: list[str], memo: ChunkMemo
) -> None:
    if HEADING not in kinds:
        return
    is_heading = np.array([False, *(kind == HEADING for kind in kinds), False])
    sentence_of_chunk = np.cumsum(memo.separator_places(read))
    for token, count in memo.count_tokens(read, is_heading[sentence_of_chunk]).items():
        type_counts[token] -= count
        if not type_counts[token]:
            del type_counts[token]


def _split_at_separators(joined: str) -> list[str]:
    # no piece, or an empty one
    if len(joined) == len(SEPARATOR) or f"{SEPARATOR} {SEPARATOR}" in joined:
        return [piece[1:-1] for piece in joined.split(SEPARATOR)[1:-1]]
    return joined[2:-2].split(f" {SEPARATOR} ")


def _without(column: list[_T], indices: list[int]) -> list[_T]:
    gone = set(indices)
    return [value for index, value in enumerate(column) if index not in gone]


def _dropped(audit: BookAudit, reason: str, detail: str) -> ParsedBook:
    return ParsedBook(replace(audit, status=BookStatus.REJECTED, reason=str(reason), detail=detail))

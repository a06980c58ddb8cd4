"""Text of one book to sentences of tokens, counts, content sketch and audit row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

from pydantic import Field

from cloze_gen.corpus.content_sketch import Sketch, content_sketch
from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.gutenberg import Body, find_body
from cloze_gen.corpus.normalization import normalize_many
from cloze_gen.corpus.ocr import unknown_word_share
from cloze_gen.corpus.paragraphs import HEADING, OTHER, split_paragraphs
from cloze_gen.corpus.sentences import SentenceCutter
from cloze_gen.corpus.text_repairs import LOST, MAX_LOST_SHARE, MIN_LOST, count_lost_characters
from cloze_gen.corpus.text_warnings import text_warnings
from cloze_gen.corpus.tokens import tokenize
from cloze_gen.english.content_words import function_word_share
from cloze_gen.errors import BookError
from cloze_gen.parsing import quote
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.word_tokens import count_words, is_word

# Words about the e-text and its licence; a book on printing has a few.
_BOILERPLATE_WORDS = (
    "Gutenberg GUTENBERG Gutenberg-tm etext Etext eText etexts Etexts e-text E-text eBook "
    "transcriber's".split()
)


class BookReason(Reason):
    EMPTY = ("empty", "the file has no text")
    BINARY = ("binary", "the file is not plain text")
    LOST_CHARACTERS = ("lost_characters", "many characters were replaced by U+FFFD or `?`")
    MARKUP = ("markup", "the file has HTML or XML tags")
    ONE_SENTENCE_PER_LINE = (
        "one_sentence_per_line",
        "the text is already split into one sentence per line",
    )
    NEARLY_EMPTY = ("nearly_empty", "the book has fewer word tokens than ingest.min_word_tokens")
    OTHER_LANGUAGE = (
        "other_language",
        "the book has few English function words, so it is in another language",
    )
    DAMAGED_EPUB = ("damaged_epub", "the EPUB is damaged, incomplete or not an EPUB")
    ENCRYPTED = ("encrypted", "the EPUB or the archived file is encrypted")
    UNREADABLE = ("unreadable", "the file cannot be read")
    TOO_LARGE = ("too_large", "the file is larger than a book can be")
    DIFFERS_FROM_MANIFEST = ("differs_from_manifest", "its checksum differs from manifest.tsv")
    AGGREGATE = ("aggregate", "a collection of other books of the same side")
    DUPLICATE_OF = ("duplicate_of", "another book of the same side contains this text")
    OVERLAPS_TRAIN = ("overlaps_train", "a training book shares text with this book")
    OVERLAPS_SOURCE = ("overlaps_source", "a source book shares text with this book")
    OFFENSIVE = ("offensive", "too many of its words are on the list of offensive words")


@dataclass(frozen=True, slots=True)
class BookAudit:
    """Measures of one kept book, for its row of `books.tsv`.

    Attributes:
        body_share: characters in sentences / characters of the decoded file.
        lost_chars: characters that became U+FFFD or a question mark.
        removed: characters that each rule of `front_back_matter` removed, most first.
        residual_boilerplate: kept tokens about licence or e-text.
        sentences, tokens, word_tokens: headings included.
        function_word_share: of word tokens; about 0.5 in English prose.
        unknown_word_share: see `ocr.unknown_word_share`.
        warnings: see `text_warnings`.
    """

    body_share: float
    sentences: int
    tokens: int
    word_tokens: int
    function_word_share: float
    header_marker: str = ""
    footer_marker: str = ""
    lost_chars: int = 0
    removed: str = ""
    residual_boilerplate: int = 0
    unknown_word_share: float = 0.0
    warnings: str = ""


_OPENING = re.compile(r"\s*(<!doctype\s+html|<html[\s>]|<\?xml\s|\{\\rtf\d|%PDF-\d)", re.IGNORECASE)
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
    'it begins with <!DOCTYPE html'
    >>> find_markup("It was <i>she</i> who wrote: a < b, and x > y.")
    ''
    >>> find_markup("<p>Call me Ishmael.</p>" * 20)
    "it has 40 tags of HTML or XML in 460 characters, the first '<p>'"
    """
    if opening := _OPENING.match(text):
        return f"it begins with {opening[1].strip()}"
    if text.count("<") < _MIN_TAGS:
        return ""
    tags = _PAGE_TAG.findall(text)
    if len(tags) < _MIN_TAGS or len(text) > _MAX_CHARS_A_TAG * len(tags):
        return ""
    return (
        f"it has {len(tags):,} tags of HTML or XML in {len(text):,} characters, the first "
        f"{quote(tags[0])}"
    )


_SAMPLE_CHARS = 200_000  # looked at, from the middle: there is no licence there
_MIN_LINES = 100  # fewer may be a list, a poem or an article
_MIN_SHARE = 0.8  # of lines that end as sentences do, and of commas behind a space
_MAX_CAPITALS = 0.001  # share of the letters
_FINAL_MARKS = (".", "!", "?", "'", '"')


def has_sentence_lines(flat: str) -> bool:
    r"""Whether a file has one sentence a line (BookCorpus's `books_large_p1.txt`): spaces stand before
    commas, or no letter is a capital. Of 612 plain books none has over 0.03 of its commas after a space.

    >>> has_sentence_lines("`` i do n't know , '' he said .\n" * 200)
    True
    >>> has_sentence_lines('"I do not know," he said.\n' * 200)
    False
    """
    middle = max(0, (len(flat) - _SAMPLE_CHARS) // 2)
    sample = flat[middle : middle + _SAMPLE_CHARS]
    lines = [line.rstrip() for line in sample.split("\n") if line.strip()]
    ends = sum(1 for line in lines if line.endswith(_FINAL_MARKS))
    if len(lines) < _MIN_LINES or ends < _MIN_SHARE * len(lines):
        return False
    if sample.count(" , ") > _MIN_SHARE * sample.count(",") > 0:
        return True
    return sum(map(str.isupper, sample)) <= _MAX_CAPITALS * sum(map(str.isalpha, sample))


# ---- parse book

# PG-19 replaces offensive words: "an old <DW64>" (README of google-deepmind/pg19).
_PLACEHOLDER = "<DW"


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
    """A book as columns, one entry a sentence.

    Attributes:
        start, end: character spans in the decoded file.
        paragraph: block index, `other` paragraphs included.
        type_counts: surface counts without headings.
    """

    audit: BookAudit
    start: list[int]
    end: list[int]
    paragraph: list[int]
    kind: list[str]
    text: list[str]
    tokens: list[str]
    type_counts: Counter[str]
    sketch: Sketch


def parse_book(text: str, *, settings: IngestSettings) -> ParsedBook:
    """Read one book's decoded text; BookError with a `BookReason` if it cannot serve."""
    if not text:  # a byte-order mark alone
        raise BookError(BookReason.EMPTY, "the file is empty")
    lost = count_lost_characters(text)
    if lost > max(MIN_LOST, MAX_LOST_SHARE * len(text)):
        raise BookError(
            BookReason.LOST_CHARACTERS,
            f"{lost:,} of {len(text):,} characters were replaced by U+FFFD or by a question mark: "
            "quotation marks, apostrophes, dashes or accented letters are lost",
        )
    if markup := find_markup(text):
        raise BookError(BookReason.MARKUP, f"{markup}: not plain text")
    flat = flatten(text)
    if has_sentence_lines(flat):
        raise BookError(
            BookReason.ONE_SENTENCE_PER_LINE,
            "each line is a sentence, with spaces before commas or in small letters, as in "
            "BookCorpus's books_large_p1.txt; book borders, paragraphs or names are lost",
        )
    body = find_body(flat)
    spans, texts = _sentences(flat, body)
    tokenized = tokenize(texts)
    counts = tokenized.type_counts
    word_tokens, english_share = check_prose(counts, settings)
    kinds = [span.kind for span in spans]
    paragraphs = [span.paragraph for span in spans]
    residual_boilerplate = sum(counts[word] for word in _BOILERPLATE_WORDS)
    body_share = sum(span.end - span.start for span in spans) / len(flat)
    unknown_share = unknown_word_share(counts, word_tokens)
    audit = BookAudit(
        header_marker=body.header_marker,
        footer_marker=body.footer_marker,
        body_share=round(body_share, 4),
        lost_chars=lost,
        removed=_removed_text(body, len(flat)),
        residual_boilerplate=residual_boilerplate,
        sentences=len(texts),
        tokens=counts.total(),
        word_tokens=word_tokens,
        function_word_share=round(english_share, 4),
        unknown_word_share=round(unknown_share, 4),
        warnings=text_warnings(
            texts,
            paragraphs,
            etexts=body.etexts,
            licence_words=residual_boilerplate,
            body_share=body_share,
            lost_chars=lost,
            unknown_word_share=unknown_share,
        ),
    )
    headings = " ".join(compress(tokenized.lines, [kind == HEADING for kind in kinds]))
    return ParsedBook(
        audit,
        start=[span.start for span in spans],
        end=[span.end for span in spans],
        paragraph=paragraphs,
        kind=kinds,
        text=texts,
        tokens=tokenized.lines,
        type_counts=counts - Counter(headings.split()),
        sketch=content_sketch(tokenized.word_hashes),
    )


def check_prose(counts: Mapping[str, int], settings: IngestSettings) -> tuple[int, float]:
    """Word tokens of a text and the share of English function words among them; BookError if there
    are too few of either.
    """
    word_tokens = count_words(counts)
    if word_tokens < settings.min_word_tokens:
        raise BookError(
            BookReason.NEARLY_EMPTY,
            f"{word_tokens} word tokens, fewer than min_word_tokens = {settings.min_word_tokens}",
        )
    english_share = function_word_share(counts, word_tokens)
    if english_share < settings.min_function_word_share:
        raise BookError(
            BookReason.OTHER_LANGUAGE,
            f"English function words are {english_share:.2f} of all, fewer than "
            f"{settings.min_function_word_share}",
        )
    return word_tokens, english_share


class _Span(NamedTuple):
    start: int
    end: int
    paragraph: int
    kind: str


def _sentences(flat: str, body: Body) -> tuple[list[_Span], list[str]]:
    """The sentences that hold a word, and their normalized texts."""
    spans = list(_sentence_spans(flat, body))
    texts = normalize_many([flat[span.start : span.end] for span in spans])
    has_word = list(map(is_word, texts))
    return list(compress(spans, has_word)), list(compress(texts, has_word))


def _sentence_spans(flat: str, body: Body) -> Iterator[_Span]:
    cutter = SentenceCutter(flat)
    for index, (begin, end, kind) in enumerate(split_paragraphs(flat, body)):
        if kind == OTHER:
            continue
        if kind == HEADING:
            yield _Span(begin, end, index, kind)
            continue
        if flat.find(_PLACEHOLDER, begin, end) >= 0 or flat.find(LOST, begin, end) >= 0:
            kind = OTHER  # background only: no item, and no context of one
        for start, stop in cutter.bounds(begin, end):
            yield _Span(start, stop, index, kind)


def _removed_text(body: Body, chars: int) -> str:
    """`licence 18,420; notes 310`; the licence is what surrounds the body."""
    removed = Counter(licence=chars - (body.end - body.start))
    for span in body.skipped:
        removed[span.rule] += span.end - span.start
    return "; ".join(f"{rule} {count:,}" for rule, count in removed.most_common() if count)

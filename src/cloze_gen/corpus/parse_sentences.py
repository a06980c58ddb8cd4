"""A part of a file of sentences (BookCorpus's `books_large_p1.txt`) to a book's columns.

Penn tokens become this project's tokens: clitics are joined (`do n't`), quotation marks are `"`.
Letter case stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from cloze_gen.corpus.content_sketch import content_sketch
from cloze_gen.corpus.decoding import Decoded, flatten
from cloze_gen.corpus.normalization import SEPARATOR, normalize_many
from cloze_gen.corpus.paragraphs import PROSE
from cloze_gen.corpus.parse_book import (
    BookAudit,
    BookReason,
    BookStatus,
    IngestSettings,
    ParsedBook,
)
from cloze_gen.corpus.tokens import ChunkMemo
from cloze_gen.english.content_words import function_word_share
from cloze_gen.errors import BookError
from cloze_gen.word_tokens import is_word

_JOINED = (
    (re.compile(r"(?<=\w) (?=n't )"), ""),
    (re.compile(r"(?<=[\w.]) (?='(?:s|m|d|ll|ve|re) )"), ""),
    (re.compile(r"(?:(?<=s)|(?<=in)) (?=' )"), ""),  # ladies ', goin '
    (re.compile(r"(?<= 't) (?=[iw])"), ""),  # 't is
    (re.compile(r"(?<= can) (?=not )|(?<= [gw][oa]n) (?=na )|(?<= got) (?=ta )"), ""),
    (re.compile(r"(?<= [gl][ie]m) (?=me )"), ""),
)
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}


def parse_sentences(
    raw: bytes,
    *,
    settings: IngestSettings,
    memo: ChunkMemo,
    decode: Callable[[bytes], Decoded],
) -> ParsedBook:
    """Read a part of a file of sentences, as `parse_book` reads a book. Each line is a sentence and
    a paragraph; `text` is the line as printed.
    """
    audit = BookAudit(len(raw))
    try:
        decoded = decode(raw)
    except BookError as error:
        return _dropped(audit, error.reason, str(error))
    starts, ends, texts = sentence_lines(flatten(decoded.text))
    between = f" {SEPARATOR} "
    running = f"{SEPARATOR} {between.join(texts)} {SEPARATOR}" if texts else SEPARATOR
    read = memo.read(penn_joined(running))
    tokens = memo.tokens(read)[2:-2].split(between) if texts else []
    counts = Counter(memo.count_tokens(read))
    word_tokens, _ = memo.count_words(read)  # names in small letters are not unknown words
    english_share = function_word_share(counts, word_tokens)
    audit = replace(
        audit,
        encoding=decoded.encoding,
        encoding_evidence=decoded.evidence,
        body_share=round((sum(ends) - sum(starts)) / len(decoded.text), 4),
        sentences=len(texts),
        tokens=counts.total(),
        word_tokens=word_tokens,
        function_word_share=round(english_share, 4),
    )
    if word_tokens < settings.min_word_tokens:
        return _dropped(audit, BookReason.NEARLY_EMPTY, f"{word_tokens} word tokens")
    if english_share < settings.min_function_word_share:
        return _dropped(audit, BookReason.OTHER_LANGUAGE, f"function words are {english_share:.2f}")
    return ParsedBook(
        audit,
        starts,
        ends,
        list(range(len(texts))),
        [PROSE] * len(texts),
        texts,
        tokens,
        counts,
        content_sketch(memo.word_hashes(read)),
    )


def sentence_lines(flat: str) -> tuple[list[int], list[int], list[str]]:
    """Start, end and normalized text of each line that has a word."""
    lines = flat.split("\n")
    normalized = normalize_many(lines).split(SEPARATOR)[1:-1]
    starts: list[int] = []
    ends: list[int] = []
    texts: list[str] = []
    first = 0
    for line, piece in zip(lines, normalized, strict=True):
        text = piece[1:-1]
        if any(map(is_word, text.split(" "))):
            starts.append(first + len(line) - len(line.lstrip(" ")))
            ends.append(first + len(line.rstrip(" ")))
            texts.append(text)
        first += len(line) + 1
    return starts, ends, texts


def penn_joined(text: str) -> str:
    """Separated Penn tokens with clitics, cut words and brackets as in a book.

    >>> penn_joined('" i ca n\\'t , " she said ; she \\'s gon na see the ladies \\' lamp .')
    '" i can\\'t , " she said ; she\\'s gonna see the ladies\\' lamp .'
    """
    for pattern, joined in _JOINED:
        text = pattern.sub(joined, text)
    for name, bracket in _BRACKETS.items():
        text = text.replace(f" {name} ", f" {bracket} ")
    return text


def _dropped(audit: BookAudit, reason: str, detail: str) -> ParsedBook:
    return ParsedBook(replace(audit, status=BookStatus.REJECTED, reason=str(reason), detail=detail))

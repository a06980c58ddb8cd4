"""A part of a file of sentences (BookCorpus's `books_large_p1.txt`) to a book's columns.

Penn tokens become this project's tokens: clitics are joined (`do n't`), quotation marks are `"`.
Letter case stays as it is.
"""

from __future__ import annotations

import re

from cloze_gen.corpus.content_sketch import content_sketch
from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.normalization import normalize_many
from cloze_gen.corpus.paragraphs import PROSE
from cloze_gen.corpus.parse_book import BookAudit, IngestSettings, ParsedBook, check_prose
from cloze_gen.corpus.tokens import tokenize
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


def parse_sentences(text: str, *, settings: IngestSettings) -> ParsedBook:
    """Read a part of a file of sentences, as `parse_book` reads a book. Each line is a sentence and
    a paragraph; `text` is the line as printed.
    """
    starts, ends, texts = sentence_lines(flatten(text))
    between = " \n "
    tokenized = tokenize(penn_joined(between.join(texts)).split(between) if texts else [])
    word_tokens, english_share = check_prose(tokenized.type_counts, settings)
    audit = BookAudit(
        body_share=round((sum(ends) - sum(starts)) / len(text), 4),
        sentences=len(texts),
        tokens=tokenized.type_counts.total(),
        word_tokens=word_tokens,
        function_word_share=round(english_share, 4),
        # names in small letters are not unknown words: no `unknown_word_share`
    )
    return ParsedBook(
        audit,
        start=starts,
        end=ends,
        paragraph=list(range(len(texts))),
        kind=[PROSE] * len(texts),
        text=texts,
        tokens=tokenized.lines,
        type_counts=tokenized.type_counts,
        sketch=content_sketch(tokenized.word_hashes),
    )


def sentence_lines(flat: str) -> tuple[list[int], list[int], list[str]]:
    """Start, end and normalized text of each line that has a word."""
    lines = flat.split("\n")
    starts: list[int] = []
    ends: list[int] = []
    texts: list[str] = []
    first = 0
    for line, text in zip(lines, normalize_many(lines), strict=True):
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
    text = f" {text} "
    for pattern, joined in _JOINED:
        text = pattern.sub(joined, text)
    for name, bracket in _BRACKETS.items():
        text = text.replace(f" {name} ", f" {bracket} ")
    return text.strip()

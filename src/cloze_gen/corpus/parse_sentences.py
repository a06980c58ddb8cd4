"""A part of a file of sentences (BookCorpus's `books_large_p1.txt`) to a book's columns.

Penn tokens become this project's tokens: clitics are joined (`do n't`), quotation marks are `"`.
Where all letters are small, capitals are restored: the first letter of a sentence, `I`, titles
(`Mr.`), and words that no dictionary has, which are mostly names. So a name has a capital in counts
and language model, and is no option. A name that is also a word (`rose`, `jack`) stays small.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate

from cloze_gen.adapters.inflector import is_dictionary_word
from cloze_gen.corpus.content_sketch import content_sketch
from cloze_gen.corpus.counts import opening_words
from cloze_gen.corpus.decoding import Decoded, flatten
from cloze_gen.corpus.normalization import SEPARATOR, normalize_many
from cloze_gen.corpus.parse_book import BookAudit, BookReason, BookStatus, IngestSettings, ParsedBook
from cloze_gen.corpus.sentences import PROSE
from cloze_gen.corpus.tokens import ChunkMemo, ChunkTokenizer
from cloze_gen.english.content_words import FUNCTION_LEMMAS, FUNCTION_WORDS, function_word_share
from cloze_gen.english.treebank import host
from cloze_gen.english.word_lists import PERHAPS_FINAL, TITLES, CLOSED_CLASS
from cloze_gen.errors import BookError
from cloze_gen.word_tokens import is_word

# Penn pieces that are one token here, each between spaces (`spacy_tokenizer`).
_CLITICS = ("n't", "'s", "'m", "'d", "'ll", "'ve", "'re")
_CUT_WORDS = ("can not", "gon na", "got ta", "wan na", "gim me", "lem me", "'t is", "'t was")
_POSSESSIVES = ("s '", "in '")  # ladies ', goin ': the tokenizer's own rule
_GLUED = re.compile(f"{SEPARATOR}(?! |$)")
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
_SHORT_CHARS = 8  # only a sentence this short can be without a word
_CAPITALS = bytes(range(ord("A"), ord("Z") + 1))
_FEW_CAPITALS = 0.002  # share of the bytes of a text in small letters


def in_small_letters(raw: bytes) -> bool:
    """Whether letter case is lost; a few capitals are slips."""
    return len(raw) - len(raw.translate(None, _CAPITALS)) <= _FEW_CAPITALS * len(raw)


def sentence_tokenizer(tokenize_chunk: ChunkTokenizer, *, small: bool) -> ChunkTokenizer:
    """The tokenizer of Penn tokens; `small` restores capitals."""

    def tokenize(chunk: str) -> tuple[str, ...]:
        chunk = _BRACKETS.get(chunk.lower(), chunk)
        return tokenize_chunk(restored_case(chunk) if small else chunk)

    return tokenize


_CASED_ABBREVIATIONS = {
    f"{word.lower()}.": f"{word}." for word in sorted(TITLES | PERHAPS_FINAL, reverse=True)
}
_INITIAL = re.compile(r"[b-z]\.")
_FIRST_PERSON = re.compile(r"i(?:'[a-z]+)?")
_NAME = re.compile(r"[a-z]{2,}(?:'s?)?")
_COMMON = FUNCTION_WORDS | FUNCTION_LEMMAS | CLOSED_CLASS
_LEAST_STEM = 4


def restored_case(chunk: str) -> str:
    """A token in small letters with its usual capital.

    >>> [restored_case(one) for one in ("i'm", "mr.", "holmes", "holmes's", "lamp", "rose", "b.")]
    ["I'm", 'Mr.', 'Holmes', "Holmes's", 'lamp', 'rose', 'B.']
    """
    if cased := _CASED_ABBREVIATIONS.get(chunk):
        return cased
    if _FIRST_PERSON.fullmatch(chunk) or _INITIAL.fullmatch(chunk):
        return chunk.capitalize()
    if _NAME.fullmatch(chunk) and not _is_common(host(chunk)):
        return chunk.capitalize()
    return chunk


def _is_common(word: str) -> bool:
    if word in _COMMON or is_dictionary_word(word):
        return True
    stem = word.removesuffix("ly")  # the dictionary lacks many adverbs
    if stem == word or len(stem) < _LEAST_STEM:
        return False
    return is_dictionary_word(stem) or is_dictionary_word(f"{stem[:-1]}y")


def parse_sentences(
    raw: bytes,
    *,
    settings: IngestSettings,
    memo: ChunkMemo,
    small: bool,
    decode: Callable[[bytes], Decoded],
) -> ParsedBook:
    """Read a part of a file of sentences, as `parse_book` reads a book. Each line is a sentence and
    a paragraph; `text` is the line as printed, `tokens` are those of `sentence_tokenizer`.

    Args:
        memo: of a `sentence_tokenizer` with the same `small`.
    """
    audit = BookAudit("", len(raw), hashlib.sha256(raw).hexdigest())
    try:
        decoded = decode(raw)
    except BookError as error:
        return _dropped(audit, error.reason, str(error))
    starts, ends, texts = _lines(flatten(decoded.text))
    between = f" {SEPARATOR} "
    running = f"{SEPARATOR} {between.join(texts)} {SEPARATOR}" if texts else SEPARATOR
    read = memo.read(joined_clitics(running))
    tokens = memo.tokens(read)[2:-2].split(between) if texts else []
    counts = Counter(memo.count_tokens(read))
    if small:
        for word, count in opening_words(tokens).items():
            counts[word] -= count
            counts[_capitalized(word)] += count
        counts = +counts
        tokens = list(map(_opened, tokens))
    word_tokens = memo.count_words(read)
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


def _lines(flat: str) -> tuple[list[int], list[int], list[str]]:
    """Start, end and normalized text of each line that holds a word."""
    lines = flat.split("\n")
    begins = accumulate((len(line) + 1 for line in lines), initial=0)
    pieces = normalize_many(lines).split(SEPARATOR)[1:-1]
    kept = [
        (begin, line, text)
        for begin, line, piece in zip(begins, lines, pieces, strict=False)
        if len(text := piece[1:-1]) >= _SHORT_CHARS or is_word(text)
    ]
    return (
        [begin + len(line) - len(line.lstrip(" ")) for begin, line, _ in kept],
        [begin + len(line.rstrip(" ")) for begin, line, _ in kept],
        [text for _, _, text in kept],
    )


def joined_clitics(text: str) -> str:
    """Separated Penn tokens with clitics and cut words joined.

    >>> joined_clitics("i ca n't , she 's gon na see the ladies ' lamp .")
    "i can't , she's gonna see the ladies' lamp ."
    """
    for clitic in _CLITICS:
        text = text.replace(f" {clitic} ", f"{clitic} ")
    for cut in _CUT_WORDS:
        text = text.replace(f" {cut} ", f" {cut.replace(' ', '')} ")
    for possessive in _POSSESSIVES:
        text = text.replace(f"{possessive} ", f"{possessive.replace(' ', '')} ")
    return _GLUED.sub(f"{SEPARATOR} ", text)


def _capitalized(word: str) -> str:
    """With a capital as its first letter, after an apostrophe too.

    >>> _capitalized("the"), _capitalized("'tis"), _capitalized("Mr."), _capitalized("30")
    ('The', "'Tis", 'Mr.', '30')
    """
    first = 1 if word[:1] == "'" else 0
    return word[:first] + word[first : first + 1].upper() + word[first + 1 :]


def _opened(line: str) -> str:
    """A sentence with its first word (`opening_words`) capitalized."""
    if line[0].isalpha():
        return line[0].upper() + line[1:]
    for word in opening_words([line]):
        before, _, after = f" {line}".partition(f" {word}")
        return f"{before} {_capitalized(word)}{after}"[1:]
    return line


def _dropped(audit: BookAudit, reason: str, detail: str) -> ParsedBook:
    return ParsedBook(
        replace(audit, status=BookStatus.REJECTED, reason=str(reason), detail=detail)
    )

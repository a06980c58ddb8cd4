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
from string import ascii_letters, ascii_lowercase, digits

import numpy as np
from numpy.typing import NDArray

from cloze_gen.adapters.inflector import is_dictionary_word
from cloze_gen.corpus.content_sketch import content_sketch
from cloze_gen.corpus.decoding import Decoded, flatten
from cloze_gen.corpus.normalization import SEPARATOR, normalize_many
from cloze_gen.corpus.parse_book import (
    BookAudit,
    BookReason,
    BookStatus,
    IngestSettings,
    ParsedBook,
)
from cloze_gen.corpus.sentences import PROSE
from cloze_gen.corpus.tokens import ChunkMemo, ChunkTokenizer
from cloze_gen.english.content_words import FUNCTION_LEMMAS, FUNCTION_WORDS, function_word_share
from cloze_gen.english.treebank import host
from cloze_gen.english.word_lists import CLOSED_CLASS, PERHAPS_FINAL, TITLES
from cloze_gen.errors import BookError
from cloze_gen.word_tokens import is_word

_CUT_WORDS = ("can not", "gon na", "got ta", "wan na", "gim me", "lem me")  # one token here
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
_SHORT_CHARS = 8  # only a sentence this short can be without a word
_MOST_OPENERS = 3
_PADDING = " " * 4  # so that each place has neighbours
_SPACE, _NEWLINE, _DASH, _STOP, _APOSTROPHE, _TICK = b" \n-.'`"
_S, _N, _I, _T, _L, _E = b"snitle"


def _byte_table(members: bytes) -> NDArray[np.bool_]:
    table = np.zeros(256, dtype=np.bool_)
    table[list(members)] = True
    return table


_HIGH = bytes(range(0x80, 0x100))
_IS_ODD = _byte_table(b"[<{_*~|\x7f" + _HIGH)
_MAY_BE_ODD = _byte_table(b"[<{_*~|\x7f-.`" + _HIGH)
_IS_BLANK = _byte_table(b" \n")
_IS_OPENER = _byte_table(b"\"'([")
_IS_SMALL = _byte_table(ascii_lowercase.encode())
_IS_JOINED = _byte_table((ascii_letters + digits + ".").encode() + _HIGH)  # before a clitic
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


_CASED_ABBREVIATIONS = {f"{word.lower()}.": f"{word}." for word in sorted(TITLES | PERHAPS_FINAL)}
_INITIAL = re.compile(r"[b-z]\.")
_FIRST_PERSON = re.compile(r"i(?:'[a-z]+)?")
_NAME = re.compile(r"[a-z]{2,}(?:'s|(?<=s)')?")
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
    if _NAME.fullmatch(chunk) and chunk not in _COMMON and not _is_common(host(chunk)):
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
    starts, ends, texts = sentence_lines(flatten(decoded.text))
    between = f" {SEPARATOR} "
    running = f"{SEPARATOR} {between.join(texts)} {SEPARATOR}" if texts else SEPARATOR
    read = memo.read(penn_joined(running, small=small), marks_apart=True)
    tokens = memo.tokens(read)[2:-2].split(between) if texts else []
    counts = Counter(memo.count_tokens(read))
    word_tokens, _ = memo.count_words(read)  # unknown words have a capital here
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
    """Start, end and normalized text of each line that holds a word."""
    lines = flat.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))[:-1]
    ends = [start + len(line) for start, line in zip(starts, lines, strict=True)]
    texts = flat.replace("``", '"').replace("''", '"').split("\n")
    odd = _odd_lines(flat)
    pieces = normalize_many([lines[at] for at in odd]).split(SEPARATOR)[1:-1]
    for at, piece in zip(odd, pieces, strict=True):
        ends[at] = starts[at] + len(lines[at].rstrip(" "))
        starts[at] += len(lines[at]) - len(lines[at].lstrip(" "))
        texts[at] = piece[1:-1]
    wordless = [
        at for at, text in enumerate(texts) if len(text) < _SHORT_CHARS and not is_word(text)
    ]
    for column in (starts, ends, texts):
        for at in reversed(wordless):
            del column[at]
    return starts, ends, texts


def _odd_lines(flat: str) -> list[int]:
    """Lines that `normalize_many` changes in more than quotation marks, and a few others."""
    data = np.frombuffer(f"\n{flat}\n\n".encode(), dtype=np.uint8)
    at = np.flatnonzero(_MAY_BE_ODD[data[:-2]])
    before, here, after, third = data[at - 1], data[at], data[at + 1], data[at + 2]
    odd = _IS_ODD[here]
    odd |= (here == _DASH) & ((after == _DASH) | _IS_BLANK[after])
    odd |= (here == _STOP) & ((after == _STOP) | (after == _SPACE) & (third == _STOP))
    odd |= (here == _TICK) & ((before == _TICK) == (after == _TICK))
    places = [at[odd]]
    if any(two in flat for two in ("  ", " \n", "\n ")) or " " in (flat[:1], flat[-1:]):
        blank = _IS_BLANK[data[:-1]]
        doubled = np.flatnonzero((data[1:-1] == _SPACE) & (blank[:-1] | _IS_BLANK[data[2:]])) + 1
        places.append(doubled)
    lines = np.searchsorted(np.flatnonzero(data[1:] == _NEWLINE), np.concatenate(places) - 1)
    return list(np.unique(lines).tolist())


def penn_joined(text: str, *, small: bool) -> str:
    r"""Separated Penn tokens with clitics and cut words joined; `small` capitalizes openings.

    >>> said = '" i ca n\'t , " she said ; she \'s gon na see the ladies \' lamp .'
    >>> penn_joined(f"{SEPARATOR} {said} {SEPARATOR}", small=True)[2:-2]
    '" I can\'t , " she said ; she\'s gonna see the ladies\' lamp .'
    """
    data = np.frombuffer(f"{text}{_PADDING}".encode(), dtype=np.uint8).copy()
    mark = np.flatnonzero(data == _APOSTROPHE)
    third_before, second_before, before, after, second, third = (
        data[mark + offset] for offset in (-3, -2, -1, 1, 2, 3)
    )
    apart = (before == _SPACE) & _IS_JOINED[second_before]
    clitic = (second == _SPACE) & _is_one_of(after, b"smd")
    clitic |= (third == _SPACE) & (
        (after == _L) & (second == _L) | (second == _E) & _is_one_of(after, b"vr")
    )
    possessive = (after == _SPACE) & (
        (second_before == _S) | (second_before == _N) & (third_before == _I)
    )
    negation = (second_before == _SPACE) & (before == _N) & (after == _T) & (second == _SPACE)
    elision = (before == _SPACE) & (after == _T) & (second == _SPACE) & _is_one_of(third, b"iw")
    keep = np.ones(len(data) - len(_PADDING), dtype=np.bool_)
    keep[mark[apart & (clitic | possessive)] - 1] = False
    keep[mark[negation & _IS_JOINED[third_before]] - 2] = False
    keep[mark[elision] + 2] = False
    if small:
        _capitalize(data, np.flatnonzero(data == 0)[:-1] + 2)
    text = data[: len(keep)][keep].tobytes().decode()
    for cut in _CUT_WORDS:
        text = text.replace(f" {cut} ", f" {cut.replace(' ', '')} ")
    return text


def _is_one_of(data: NDArray[np.uint8], letters: bytes) -> NDArray[np.bool_]:
    found = data == letters[0]
    for letter in letters[1:]:
        found |= data == letter
    return found


def _capitalize(data: NDArray[np.uint8], at: NDArray[np.int64]) -> None:
    """Capitalize the words that begin there, behind opening marks."""
    for _ in range(_MOST_OPENERS):
        at = at + 2 * (_IS_OPENER[data[at]] & (data[at + 1] == _SPACE))
    at = at + (data[at] == _APOSTROPHE)  # 'tis
    data[at] -= _IS_SMALL[data[at]] * np.uint8(32)


def _dropped(audit: BookAudit, reason: str, detail: str) -> ParsedBook:
    return ParsedBook(replace(audit, status=BookStatus.REJECTED, reason=str(reason), detail=detail))

"""Text from OCR, recognised by words that no list has: errors make many, each of them rare."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np

from cloze_gen.adapters.inflector import dictionary_words
from cloze_gen.corpus.counts import WORD_DATA
from cloze_gen.english.content_words import FUNCTION_LEMMAS, FUNCTION_WORDS
from cloze_gen.english.word_lists import CLOSED_CLASS

# Few books of Project Gutenberg have more (dialect, and a child's spelling). With an error in 200
# characters all have more (`tests/corpus/test_ocr.py`).
MOST_UNKNOWN = 0.01


@functools.cache
def _known_words() -> frozenset[str]:
    """Small-letter words of the dictionary, of 514 novels, and of closed classes."""
    with np.load(WORD_DATA / "words.npz", allow_pickle=False) as arrays:
        common = arrays["words"].tobytes().decode().split()
    return dictionary_words().union(common, FUNCTION_WORDS, FUNCTION_LEMMAS, CLOSED_CLASS)


def unknown_word_share(type_counts: Mapping[str, int], word_tokens: int) -> float:
    """Words in small letters that are in no list / word tokens. A word counts once: errors of OCR
    differ, while a book repeats its own words. The lists lack accented words, so these count as
    known.

    >>> unknown_word_share({"the": 94, "hobbit": 300, "éclat": 2, "Tlie": 1, "tlie": 2, "lainp": 1}, 400)
    0.0075
    """
    known = _known_words()
    unknown = [
        word
        for word in type_counts
        if word not in known and word.islower() and word.isalpha() and word.isascii()
    ]
    return len(unknown) / max(1, word_tokens)

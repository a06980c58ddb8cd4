"""How like a book's vocabulary is to that of a reference question set (Argouarc'h 2018, section 2).

The paper: the list of "the common word types of the MR questions as a list of tuples (lemma, word-class)", their frequencies in the
questions (F0, 3,845 components for 1,040 questions) and in the book (Fb); similarity is the cosine of the two vectors, coverage the share
of F0's components that are not zero in Fb. Books above 0.75 and 0.70 were taken.

*Common word* is read as a noun that is no name, a verb, an adjective or an adverb, without be, have, do and not. With function words or
those four every English book has a cosine above 0.94 and 0.75 would tell nothing; without them the paper's seven books lie between 0.73 and
0.80 (docs/scs.md), around the limit that the paper drew.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import Field

from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.settings import IgnoredWhen, SettingsGroup
from cloze_gen.stats.lemma_counts import Pair

_TOO_COMMON = frozenset({"be", "have", "do", "not"})


class BooksSettings(SettingsGroup):
    """Settings of the choice of source books by vocabulary."""

    reference: str = Field("", description="questions.jsonl of a release, or an MSR machine-format questions file; empty: no test")
    min_similarity: float = Field(0.75, ge=0, lt=1, description="exclusive: cosine with the reference's vocabulary; section 2")
    min_coverage: float = Field(0.70, ge=0, lt=1, description="exclusive: share of the reference's words that the book uses; section 2")

    ignored_when = (IgnoredWhen(("min_similarity", "min_coverage"), {"reference": ("",)}),)


@dataclass(frozen=True, slots=True)
class BookSimilarity:
    """The two measures of section 2, both in 0..1."""

    similarity: float
    coverage: float

    def passes(self, settings: BooksSettings) -> bool:
        """Both above their limits, which are exclusive: the paper says "higher than 0.75" and "over 0.70"."""
        return self.similarity > settings.min_similarity and self.coverage > settings.min_coverage


def reference_vector(pairs: Iterable[Pair]) -> Counter[Pair]:
    """F0: how often each common word type occurs in the reference questions.

    >>> reference_vector([("dog", "noun"), ("the", "function"), ("be", "verb"), ("dog", "noun")])
    Counter({('dog', 'noun'): 2})
    """
    return Counter(pair for pair in pairs if is_common_word(pair))


def is_common_word(pair: Pair) -> bool:
    """A noun, verb, adjective or adverb written with letters, and none of be, have, do, not."""
    lemma, word_class = pair
    return word_class in CONTENT_CLASSES and lemma not in _TOO_COMMON and any(character.isalpha() for character in lemma)


def book_similarity(reference: Mapping[Pair, int], book: Mapping[Pair, int]) -> BookSimilarity:
    """Compare a book with the reference, over the reference's components alone.

    >>> book_similarity({("dog", "noun"): 3, ("cat", "noun"): 4}, {("dog", "noun"): 30, ("cow", "noun"): 9})
    BookSimilarity(similarity=0.6, coverage=0.5)
    """
    shared = {pair: book.get(pair, 0) for pair in reference}
    norms = math.sqrt(sum(n * n for n in reference.values())) * math.sqrt(sum(n * n for n in shared.values()))
    product = sum(n * shared[pair] for pair, n in reference.items())
    return BookSimilarity(product / norms if norms else 0.0, sum(n > 0 for n in shared.values()) / max(1, len(reference)))

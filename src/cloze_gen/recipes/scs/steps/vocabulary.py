"""The content vocabulary: the most frequent (lemma, class) pairs of a tagged corpus that name things, deeds and qualities.

Source: Argouarc'h 2018, 3.3, takes impostors "from a vocabulary of 6900 words used in [1]", which is not published; this rule stands in
for it. Out of all pairs of the corpus, by descending count, keep those
  1. of class noun, verb, adjective or adverb,
  2. written with letters and inner hyphens, two letters at least,
  3. that are no function word (`FUNCTION_LEMMAS`: auxiliaries, modals, negation, pronouns and degree words that taggers file as content),
  4. whose word is no name: less than half of its tokens are tagged as proper nouns,
  5. that hold at least `min_class_share` of their lemma's tokens (a tagger's slips make a rare noun of every word),
  6. with `source = reference`: that the reference question set has (`steps.books`),
and of these the first `size`. "Common content word" (3.1) means: its pair stands in this vocabulary.

The paper's 6,900 words cannot be the reference's alone, which it counts as 3,845 (section 2), nor does it say that they hold them: so the
training books give the vocabulary by default. But "common" is the word by which section 2 calls the reference's word types, and a set
that is to be compared with the reference can be made of its words: that reading is `source = reference`. Counts and frequencies are the
training books' under both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import Field

from cloze_gen.english.function_words import FUNCTION_LEMMAS
from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.stats.lemma_counts import Pair

_SHAPE = re.compile(r"[a-z]+(?:-[a-z]+)*")
_NAME_SHARE = 0.5  # of a lemma's tokens; above it the word is mostly a name ("baker" is not, "bernard" is)


class VocabularySettings(SettingsGroup):
    """Settings of the content vocabulary."""

    size: int = Field(6900, ge=10, le=MOST_COUNTED, description="(lemma, class) pairs kept, most frequent first; the paper's number")
    source: Literal["corpus", "reference"] = Field(
        "corpus", description="'reference': only pairs that the questions of books.reference have, right answers in place; 3.3"
    )
    min_class_share: float = Field(0.1, ge=0, le=1, description="inclusive: share of a lemma's tokens that must be of the pair's class")


class VocabularyReason(StrEnum):
    """Why a pair is not in the vocabulary."""

    NOT_CONTENT = "pair_not_of_a_content_class"
    SHAPE = "pair_not_written_with_letters"
    FUNCTION = "pair_is_a_function_word"
    NAME = "pair_mostly_a_name"
    NOT_REFERENCE = "pair_not_in_the_reference"
    SLIP = "pair_rare_for_its_lemma"
    BEYOND_SIZE = "pair_beyond_the_size"


@dataclass(frozen=True, slots=True)
class VocabularyPair:
    """One content word: its count and its share of its lemma's tokens."""

    lemma: str
    word_class: str
    count: int
    class_share: float


def content_vocabulary(
    counts: Mapping[Pair, int], *, settings: VocabularySettings, reference: Container[Pair] | None = None
) -> tuple[list[VocabularyPair], Counter[VocabularyReason]]:
    """The vocabulary of a corpus, most frequent pair first (ties by the pair), and how many pairs each rule refused.

    Args:
        counts: (lemma, class) -> tokens, of every class.
        reference: the pairs that may be kept; None: any.

    >>> counts = {("walk", "verb"): 60, ("walk", "noun"): 40, ("be", "verb"): 900, ("walk", "adverb"): 2, ("rose", "proper_noun"): 9}
    >>> [(p.lemma, p.word_class) for p in content_vocabulary(counts, settings=VocabularySettings())[0]]
    [('walk', 'verb'), ('walk', 'noun')]
    """
    totals: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for (lemma, word_class), count in counts.items():
        totals[lemma] += count
        if word_class == "proper_noun":
            names[lemma] += count
    refused: Counter[VocabularyReason] = Counter()
    pairs = []
    for (lemma, word_class), count in counts.items():
        reason = _refusal(lemma, word_class, name_share=names[lemma] / totals[lemma], class_share=count / totals[lemma], settings=settings)
        if reason is None and reference is not None and (lemma, word_class) not in reference:
            reason = VocabularyReason.NOT_REFERENCE
        if reason is None:
            pairs.append(VocabularyPair(lemma, word_class, count, count / totals[lemma]))
        else:
            refused[reason] += 1
    pairs.sort(key=lambda pair: (-pair.count, pair.lemma, pair.word_class))
    refused[VocabularyReason.BEYOND_SIZE] += max(0, len(pairs) - settings.size)
    return pairs[: settings.size], refused


def _refusal(
    lemma: str, word_class: str, *, name_share: float, class_share: float, settings: VocabularySettings
) -> VocabularyReason | None:
    if word_class not in CONTENT_CLASSES:
        return VocabularyReason.NOT_CONTENT
    if len(lemma) < 2 or not _SHAPE.fullmatch(lemma):
        return VocabularyReason.SHAPE
    if lemma in FUNCTION_LEMMAS:
        return VocabularyReason.FUNCTION
    if name_share >= _NAME_SHARE:
        return VocabularyReason.NAME
    return VocabularyReason.SLIP if class_share < settings.min_class_share else None

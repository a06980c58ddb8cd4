"""Similarity of a book's vocabulary to a reference question set's (Argouarc'h 2018, section 2).

We read *common word* as a common noun, verb, adjective or adverb, except be, have, do and not. With
function words, every English book exceeds 0.94, above the limit of 0.75 (docs/explanation/scs.md).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.tagging import TAGGED_TYPES, lemma_pair
from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.errors import UsageError
from cloze_gen.formats.msr import BLANK, parse_machine
from cloze_gen.formats.questions import parse_questions
from cloze_gen.parsing import error_text, quote
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.tables import read_parquet

_TOO_COMMON = frozenset({"be", "have", "do", "not"})
MIN_SIMILARITY, MIN_COVERAGE = 0.75, 0.70  # exclusive: "higher than 0.75", "over 0.70"
_FORMS = "Give a questions.jsonl of a release or a questions file in MSR machine format."


class BookSimilarity(NamedTuple):
    """Cosine with the reference, and the share of the reference's words that the book contains."""

    similarity: float
    coverage: float

    @property
    def passes(self) -> bool:
        return self.similarity > MIN_SIMILARITY and self.coverage > MIN_COVERAGE


def book_similarity(reference: Mapping[Pair, int], book: Mapping[Pair, int]) -> BookSimilarity:
    """Compare a book with the reference, over the common words of the reference.

    >>> book_similarity({("dog", "noun"): 3, ("cat", "noun"): 4}, {("dog", "noun"): 30, ("cow", "noun"): 9})
    BookSimilarity(similarity=0.6, coverage=0.5)
    """
    shared = [book.get(pair, 0) for pair in reference]
    product = sum(n * in_book for n, in_book in zip(reference.values(), shared, strict=True))
    norms = math.hypot(*reference.values()) * math.hypot(*shared)
    coverage = sum(n > 0 for n in shared) / max(1, len(reference))
    return BookSimilarity(product / norms if norms else 0.0, coverage)


def is_common_word(pair: Pair) -> bool:
    lemma, word_class = pair
    if word_class not in CONTENT_CLASSES or lemma in _TOO_COMMON:
        return False
    return any(character.isalpha() for character in lemma)


def read_reference(file: Path) -> list[list[str]]:
    """The tokens of each question; those of `questions.*` have the answers of `answers.*` beside it."""
    try:
        text = read_regular_text(file)
        if file.suffix == ".jsonl":
            questions = list(parse_questions(text.split("\n"), name=file.name))
        else:
            key = file.with_name("answers".join(file.name.rsplit("questions", 1)))
            answers = read_regular_text(key) if key != file and key.is_file() else None
            questions = parse_machine(text, answers, name=file.name)
    except (OSError, ValueError) as error:
        where, cause = quote(str(file), most_chars=300), error_text(error)
        raise UsageError(f"{where}: cannot read the reference ({cause}). {_FORMS}") from None
    if not questions:
        raise UsageError(f"{file}: the reference contains no question. {_FORMS}")
    return [[token for token in question.tokens if token != BLANK] for question in questions]


def reference_counts(file: Path) -> Counter[Pair]:
    """How often each common word occurs in the reference questions with their right answers."""
    sentences = read_reference(file)
    tagged = load_tagger().tag(sentences)
    words = [
        lemma_pair(token, tag)
        for tokens, tags in zip(sentences, tagged, strict=True)
        for token, tag in zip(tokens, tags, strict=True)
    ]
    return Counter(pair for pair in words if is_common_word(pair))


def book_counts(folder: Path) -> Counter[Pair]:
    columns = read_parquet(folder / TAGGED_TYPES).to_pydict()
    counts: Counter[Pair] = Counter()
    for word, tag, count in zip(*columns.values(), strict=True):
        counts[lemma_pair(word, tag)] += count
    return counts

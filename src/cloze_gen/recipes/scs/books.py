"""Rank books by the similarity of their vocabulary to a question set's (Argouarc'h 2018, section 2).

We read *common word* as a common noun, verb, adjective or adverb, except be, have, do and not. With
function words, every English book exceeds 0.94, above the limit of 0.75 (docs/explanation/scs.md).
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cloze_gen.adapters.spacy_tagger import load_tagger, tagger_identity
from cloze_gen.corpus.collect import Book, InputSettings, collect, refuse_sentences
from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.folder import Location, check_apart
from cloze_gen.corpus.ingest import BookShard, ingest_book
from cloze_gen.corpus.inspect import summary
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.tagging import TAGGED_TYPES, TagShard, lemma_pair, tag_book
from cloze_gen.engine.local import engine_scope, make_engine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.evaluation.sets import read_question_set
from cloze_gen.store.artifacts import Store
from cloze_gen.store.tables import read_parquet

_TOO_COMMON = frozenset({"be", "have", "do", "not"})
MIN_SIMILARITY, MIN_COVERAGE = 0.75, 0.70  # exclusive: "higher than 0.75", "over 0.70"


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


def common_words(file: Path) -> Counter[Pair]:
    """How often each common word occurs in the reference questions with their right answers."""
    sentences = [question.tokens for question in read_question_set(file).questions]
    pairs: Counter[Pair] = Counter()
    for tokens, tags in zip(sentences, load_tagger().tag(sentences), strict=True):
        pairs.update(map(lemma_pair, tokens, tags))
    return Counter({pair: count for pair, count in pairs.items() if is_common_word(pair)})


def measure_book(
    book: Book, *, reference: Mapping[Pair, int], out: Path, tagger: str
) -> tuple[dict[str, Any], BookSimilarity]:
    """The audit of a book, and its measures; zeros if the book cannot be used."""
    shard = BookShard(out, book, IngestSettings())
    audit = ingest_book(shard)
    counts: Counter[Pair] = Counter()
    if audit["status"] == "kept":
        store = Store(out)
        tags = TagShard(out, store.folder(shard.key), tagger)
        tag_book(tags)
        for row in read_parquet(store.folder(tags.key) / TAGGED_TYPES).to_pylist():
            counts[lemma_pair(row["word"], row["tag"])] += row["count"]
    return audit, book_similarity(reference, counts)


def rank_books(
    place: str, *, settings: InputSettings, reference: Path, out: Path, workers: int
) -> Iterator[str]:
    """Lines of the table, most similar book first; `out` keeps the tagged books for later runs."""
    engine = make_engine("local", workers=workers)
    ctx = StageContext(Store(out), engine, "corpus rank")
    location = Location.parse(place)
    check_apart(out, location)
    with engine_scope(engine):
        words = common_words(reference)
        collection = collect(location, ctx.store, settings=settings, workers=workers)
        for line in summary(collection):
            ctx.say(line)
        refuse_sentences(collection.books, "corpus rank")
        measure = functools.partial(
            measure_book, reference=words, out=out, tagger=tagger_identity()
        )
        with ctx.store.in_use():
            measured = list(ctx.map(measure, collection.books, unit="books"))
    yield (
        f"reference: {len(words):,} common words (lemma, class); a book passes above "
        f"{MIN_SIMILARITY} / {MIN_COVERAGE} (similarity / coverage)"
    )
    yield f"{'book':<32} {'tokens':>11} {'similarity':>11} {'coverage':>9}  passes"
    rows = []
    for book, (audit, result) in zip(collection.books, measured, strict=True):
        verdict = "yes" if result.passes else "no"
        if audit["status"] != "kept":
            verdict = f"not measured: {audit['reason']}"
        line = (
            f"{book.book_id:<32} {audit.get('tokens', 0):>11,} {result.similarity:>11.3f} "
            f"{result.coverage:>9.3f}  {verdict}"
        )
        rows.append((-result.similarity, book.book_id, line))
    yield from (line for _, _, line in sorted(rows))

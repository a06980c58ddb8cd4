"""Similarity of a book's vocabulary to a reference question set's (Argouarc'h 2018, section 2).

We read *common word* as a common noun, verb, adjective or adverb, except be, have, do and not. With
function words, every English book exceeds 0.94, above the limit of 0.75 (docs/explanation/scs.md).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from cloze_gen.corpus.books import read_books, write_book_table
from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.dropped import warn_of_dropped
from cloze_gen.corpus.parse_book import BookReason
from cloze_gen.corpus.tagging import TAGGED_TYPES, lemma_pair, tag_folders, worker_tagger
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import CONTENT_CLASSES
from cloze_gen.errors import UsageError
from cloze_gen.formats.msr import BLANK, parse_machine
from cloze_gen.formats.questions import parse_questions
from cloze_gen.parsing import error_text, quote
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.tables import read_parquet, write_tsv

_TOO_COMMON = frozenset({"be", "have", "do", "not"})


class BooksSettings(SettingsGroup):
    reference: str = Field(
        "",
        description=(
            "questions.jsonl of a release, or a questions file in MSR machine "
            "format; source books must resemble its vocabulary; empty: all books are "
            "used"
        ),
    )
    min_similarity: float = Field(
        0.75,
        ge=0,
        lt=1,
        description=(
            "exclusive limit: cosine of the book's vocabulary with the reference's; section 2"
        ),
    )
    min_coverage: float = Field(
        0.70,
        ge=0,
        lt=1,
        description=(
            "exclusive limit: share of the reference's words that the book contains; section 2"
        ),
    )


@dataclass(frozen=True, slots=True)
class BookSimilarity:
    """Cosine with F0, and the share of F0's components that occur in the book."""

    similarity: float
    coverage: float

    def passes(self, settings: BooksSettings) -> bool:
        """Both limits are exclusive ("higher than 0.75", "over 0.70")."""
        return self.similarity > settings.min_similarity and self.coverage > settings.min_coverage


def reference_vector(pairs: Iterable[Pair]) -> Counter[Pair]:
    """F0: how often each common word type occurs in the reference questions.

    >>> reference_vector([("dog", "noun"), ("the", "function"), ("be", "verb"), ("dog", "noun")])
    Counter({('dog', 'noun'): 2})
    """
    return Counter(pair for pair in pairs if is_common_word(pair))


def is_common_word(pair: Pair) -> bool:
    lemma, word_class = pair
    return (
        word_class in CONTENT_CLASSES
        and lemma not in _TOO_COMMON
        and any(character.isalpha() for character in lemma)
    )


def book_similarity(reference: Mapping[Pair, int], book: Mapping[Pair, int]) -> BookSimilarity:
    """Compare a book with the reference, over the components of the reference.

    >>> book_similarity({("dog", "noun"): 3, ("cat", "noun"): 4}, {("dog", "noun"): 30, ("cow", "noun"): 9})
    BookSimilarity(similarity=0.6, coverage=0.5)
    """
    shared = {pair: book.get(pair, 0) for pair in reference}
    norms = math.sqrt(sum(n * n for n in reference.values())) * math.sqrt(
        sum(n * n for n in shared.values())
    )
    product = sum(n * shared[pair] for pair, n in reference.items())
    return BookSimilarity(
        product / norms if norms else 0.0,
        sum(n > 0 for n in shared.values()) / max(1, len(reference)),
    )


SIMILARITY = "similarity.tsv"


def read_reference(file: str) -> list[str]:
    """Sentences with right answers; those of `questions.*` come from `answers.*` in the same folder."""
    sentences = _reference_sentences(file)
    if not sentences:
        raise UsageError(
            f"{file}: the reference contains no question. Give a questions.jsonl of a release "
            "or a questions file in MSR machine format."
        )
    return sentences


def _reference_sentences(file: str) -> list[str]:
    path = Path(file)
    try:
        text = read_regular_text(path)
        if path.suffix == ".jsonl":
            return [
                " ".join(question.tokens)
                for question in parse_questions(text.split("\n"), name=path.name)
            ]
        answers_path = path.with_name("answers".join(path.name.rsplit("questions", 1)))
        answers = (
            read_regular_text(answers_path)
            if answers_path != path and answers_path.is_file()
            else None
        )
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{quote(file, most_chars=300)}: cannot read the reference ({error_text(error)}). "
            "Give a questions.jsonl of a release or a questions file in MSR machine format."
        ) from None
    questions = parse_machine(text, answers, name=path.name)
    return [
        " ".join(token for token in question.tokens if token != BLANK) for question in questions
    ]


def reference_counts(file: str, tagger: str) -> Counter[Pair]:
    sentences = [line.split(" ") for line in read_reference(file)]
    tagged = worker_tagger(tagger).tag(sentences)
    return reference_vector(
        lemma_pair(*one)
        for tokens, tags in zip(sentences, tagged, strict=True)
        for one in zip(tokens, tags, strict=True)
    )


def book_counts(folder: Path) -> Counter[Pair]:
    columns = read_parquet(folder / TAGGED_TYPES).to_pydict()
    counts: Counter[Pair] = Counter()
    for word, tag, count in zip(*columns.values(), strict=True):
        counts[lemma_pair(word, tag)] += count
    return counts


def write_books(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    source: Artifact,
    tagging: Artifact,
    settings: BooksSettings,
    tagger: str,
) -> None:
    reference = reference_counts(settings.reference, tagger)
    folders = tag_folders(tagging)
    rows: list[dict[str, str]] = []
    table: list[tuple[str, float, float, bool]] = []
    for row in read_books(source):
        if row["status"] == "kept":
            found = book_similarity(reference, book_counts(folders[row["book_id"]]))
            table.append((row["book_id"], found.similarity, found.coverage, found.passes(settings)))
            if not found.passes(settings):
                detail = f"similarity {found.similarity:.3f}, coverage {found.coverage:.3f}"
                row |= {
                    "status": "rejected",
                    "reason": str(BookReason.VOCABULARY_DIFFERS_FROM_REFERENCE),
                    "detail": detail,
                }
        rows.append(row)
    unlike = [row for row in rows if row["reason"] == BookReason.VOCABULARY_DIFFERS_FROM_REFERENCE]
    warn_of_dropped(ctx.say, unlike)
    header = ("book_id", "similarity", "coverage", "passes")
    writer.rows[SIMILARITY] = write_tsv(writer.path(SIMILARITY), header, table)
    writer.facts |= {"reference_components": len(reference)}
    write_book_table(writer, rows, strict=ctx.strict)

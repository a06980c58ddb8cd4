"""Books ranked by their vocabulary's likeness to a reference question set, and those below the limits dropped with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from cloze_gen.errors import UsageError
from cloze_gen.formats.jsonl import parse_questions
from cloze_gen.formats.msr.machine import parse_machine
from cloze_gen.formats.msr.questions import BLANK
from cloze_gen.notation import reason, shown
from cloze_gen.recipes.scs.steps.books import BookSimilarity, book_similarity, reference_vector
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.corpus.dropped import warn_of_dropped
from cloze_gen.stages.corpus.ingest import BookShard, ingest_book, read_books, write_books
from cloze_gen.stages.corpus.tags import TAGGED_TYPES, Pair, TagShard, lemma_pair, tag_book, tag_folders, worker_tagger
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.corpus import book_digest, scan_corpus
from cloze_gen.store.corpus_folder import check_apart
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.tables import read_parquet, write_tsv
from cloze_gen.text.audit import BookReason
from cloze_gen.text.parse_book import IngestSettings

SIMILARITY = "similarity.tsv"


class BookChoiceSettings(SettingsGroup):
    """Settings of the choice of source books by vocabulary."""

    reference: str = Field("", description="questions.jsonl of a release, or an MSR machine-format questions file; empty: no test")
    min_similarity: float = Field(0.75, ge=0, lt=1, description="exclusive: cosine with the reference's vocabulary; section 2")
    min_coverage: float = Field(0.70, ge=0, lt=1, description="exclusive: share of the reference's words that the book uses; section 2")


@dataclass(frozen=True, slots=True)
class BookRank:
    """One book's line of the table; `note` says why a book could not be measured."""

    book_id: str
    tokens: int
    found: BookSimilarity
    note: str = ""


def read_reference(file: str) -> list[str]:
    """The reference's sentences, tokens joined by spaces.

    The text of a question that counts is its sentence with the right answer in place; wrong options do not count. For a machine-format
    file the answers are read from the file beside it whose name has `answers` for `questions`; without one the sentence counts without
    its missing word.

    Raises:
        UsageError: the file cannot be read.
    """
    sentences = _reference_sentences(file)
    if not sentences:
        raise UsageError(f"{file}: the reference holds no question. Give a questions.jsonl or a machine-format questions file.")
    return sentences


def _reference_sentences(file: str) -> list[str]:
    path = Path(file)
    try:
        text = read_regular_text(path)
        if path.suffix == ".jsonl":
            return [" ".join(question.tokens) for question in parse_questions(text.split("\n"), name=path.name)]
        beside = path.with_name("answers".join(path.name.rsplit("questions", 1)))
        answers = read_regular_text(beside) if beside != path and beside.is_file() else None
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{shown(file, most_chars=300)}: the reference cannot be read ({reason(error)}). Give a questions.jsonl or a machine-format "
            "questions file."
        ) from None
    questions = parse_machine(text, answers, name=path.name)
    return [" ".join(token for token in question.tokens if token != BLANK) for question in questions]


def reference_counts(file: str, tagger: str) -> Counter[Pair]:
    """F0: the reference's common words, tagged like the books."""
    sentences = [line.split(" ") for line in read_reference(file)]
    tagged = worker_tagger(tagger).tag(sentences)
    return reference_vector(
        lemma_pair(*one) for tokens, tags in zip(sentences, tagged, strict=True) for one in zip(tokens, tags, strict=True)
    )


def book_counts(folder: Path) -> Counter[Pair]:
    """A tagged book's (lemma, class) counts."""
    columns = read_parquet(folder / TAGGED_TYPES).to_pydict()
    counts: Counter[Pair] = Counter()
    for word, tag, count in zip(*columns.values(), strict=True):
        counts[lemma_pair(word, tag)] += count
    return counts


def write_book_choice(
    writer: ArtifactWriter, room: Room, *, source: Artifact, tagging: Artifact, settings: BookChoiceSettings, tagger: str
) -> None:
    """Write the table of books, with those dropped that are unlike the reference beside those that were dropped before.

    Raises:
        CorpusError: no book is left.
    """
    reference = reference_counts(settings.reference, tagger)
    folders = tag_folders(tagging)
    rows: list[dict[str, str]] = []
    ranks, unlike = [], []
    for row in read_books(source):
        rows.append(row)
        if row["status"] != "kept":
            continue
        rank = BookRank(row["book_id"], int(row["tokens"]), book_similarity(reference, book_counts(folders[row["book_id"]])))
        ranks.append(rank)
        if not _passes(rank, settings):
            detail = f"similarity {rank.found.similarity:.3f}, coverage {rank.found.coverage:.3f}"
            rows[-1] = row | {"status": "rejected", "reason": str(BookReason.VOCABULARY_UNLIKE_REFERENCE), "detail": detail}
            unlike.append(rows[-1])
    warn_of_dropped(room.say, unlike)
    header = ("book_id", "similarity", "coverage", "passes")
    table = [(rank.book_id, rank.found.similarity, rank.found.coverage, _passes(rank, settings)) for rank in ranks]
    writer.rows[SIMILARITY] = write_tsv(writer.path(SIMILARITY), header, table)
    writer.facts |= {"reference_components": len(reference)}
    write_books(writer, rows, strict=room.strict)


def _passes(rank: BookRank, settings: BookChoiceSettings) -> bool:
    return rank.found.passes(min_similarity=settings.min_similarity, min_coverage=settings.min_coverage)


def rank_folder(room: Room, folder: Path, *, settings: BookChoiceSettings, tagger: str, ingest: IngestSettings) -> Iterator[str]:
    """The table of a folder's books, most similar first, as lines; books read and tagged here stay in the store for later runs."""
    check_apart(room.store.root, folder)
    books = scan_corpus(folder, notice=room.say)
    reference = reference_counts(settings.reference, tagger)
    identity = worker_tagger(tagger).identity
    shards = [BookShard(room.store.root, book, book_digest(book), ingest) for book in books]
    audits = list(room.map(ingest_book, shards, unit="books"))
    kept = [(shard, audit) for shard, audit in zip(shards, audits, strict=True) if audit["status"] == "kept"]
    tags = [TagShard(room.store.root, room.store.folder(shard.key), tagger, identity) for shard, _ in kept]
    list(room.map(tag_book, tags, unit="books tagged"))
    ranks = [
        BookRank(shard.book.book_id, audit["tokens"], book_similarity(reference, book_counts(room.store.folder(tag.key))))
        for (shard, audit), tag in zip(kept, tags, strict=True)
    ]
    ranks += [
        BookRank(shard.book.book_id, 0, BookSimilarity(0.0, 0.0), f"not measured: {audit['reason']}")
        for shard, audit in zip(shards, audits, strict=True)
        if audit["status"] != "kept"
    ]
    limits = f"{settings.min_similarity} / {settings.min_coverage}"
    yield f"reference: {len(reference):,} common words (lemma, class); a book passes above {limits}"
    yield f"{'book':<32} {'tokens':>11} {'similarity':>11} {'coverage':>9}  passes"
    for rank in sorted(ranks, key=lambda rank: (-rank.found.similarity, rank.book_id)):
        verdict = rank.note or ("yes" if _passes(rank, settings) else "no")
        yield f"{rank.book_id:<32} {rank.tokens:>11,} {rank.found.similarity:>11.3f} {rank.found.coverage:>9.3f}  {verdict}"

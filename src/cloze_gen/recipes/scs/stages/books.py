"""Books ranked by their vocabulary's likeness to a reference question set, and those below the limits dropped with the reason."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from cloze_gen.errors import UsageError
from cloze_gen.formats.jsonl import parse_questions
from cloze_gen.formats.msr.machine import parse_machine
from cloze_gen.formats.msr.questions import BLANK
from cloze_gen.notation import reason, shown
from cloze_gen.recipes.scs.steps.books import BooksSettings, book_similarity, reference_vector
from cloze_gen.stages.corpus.book_table import read_books, write_book_table
from cloze_gen.stages.corpus.dropped import warn_of_dropped
from cloze_gen.stages.corpus.tags import TAGGED_TYPES, lemma_pair, tag_folders, worker_tagger
from cloze_gen.stages.room import Room
from cloze_gen.stats.lemma_counts import Pair
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.tables import read_parquet, write_tsv
from cloze_gen.text.audit import BookReason

SIMILARITY = "similarity.tsv"


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


def write_books(writer: ArtifactWriter, room: Room, *, source: Artifact, tagging: Artifact, settings: BooksSettings, tagger: str) -> None:
    """Drop the books that are unlike the reference.

    Writes `similarity.tsv`, a row a book that was kept before (`book_id`, `similarity`, `coverage`, `passes`), and `books.tsv`
    (`write_book_table`), the source's with those dropped here.

    Raises:
        CorpusError: no book is left, or one was dropped under `--strict`.
        UsageError: the reference cannot be read.
    """
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
                row |= {"status": "rejected", "reason": str(BookReason.VOCABULARY_UNLIKE_REFERENCE), "detail": detail}
        rows.append(row)
    unlike = [row for row in rows if row["reason"] == BookReason.VOCABULARY_UNLIKE_REFERENCE]
    warn_of_dropped(room.say, unlike)
    header = ("book_id", "similarity", "coverage", "passes")
    writer.rows[SIMILARITY] = write_tsv(writer.path(SIMILARITY), header, table)
    writer.facts |= {"reference_components": len(reference)}
    write_book_table(writer, rows, strict=room.strict)

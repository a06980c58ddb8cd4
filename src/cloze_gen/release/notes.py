"""The notes of a set, for its card."""

from __future__ import annotations

from typing import Any

from cloze_gen.corpus.books import read_books
from cloze_gen.corpus.dropped import dropped_lines
from cloze_gen.corpus.partition import no_author_warning
from cloze_gen.corpus.splits import SPLITS_OF_SIDES
from cloze_gen.corpus.text_warnings import doubtful_books_warning
from cloze_gen.release.style import Artifacts, Style, facts_of, fingerprints_of


def set_notes(style: Style, settings: Any, artifacts: Artifacts) -> list[str]:
    books = read_books(artifacts[style.last_books(artifacts)[style.drawn_from]])
    kept = [row for row in books if row["status"] == "kept"]
    notes = [*style.notes(settings, facts_of(artifacts)), *background_notes(style, artifacts)]
    if settings.input.keep_splits:
        notes.append(f"splits: kept; {SPLITS_OF_SIDES[len(style.sides) > 1]}")
    elif "partition" in artifacts and settings.partition.by_author:
        notes.append(no_author_warning(row.get("author", "") for row in kept))
    notes.append(doubtful_books_warning((row["book_id"], row.get("warnings", "")) for row in kept))
    return [note for note in notes if note] + dropped_lines(books)


def background_notes(style: Style, artifacts: Artifacts) -> list[str]:
    """On training books that are also books of the items: all, or those that were let through."""
    facts = facts_of(artifacts)
    if style.own_background and style.is_own_background(fingerprints_of(artifacts)):
        return [
            f"background: no training books were given, so the {style.drawn_from} books are also "
            "the background. Word counts include each question's own book.",
            *style.own_background.notes(facts),
            "`cloze-gen evaluate` trains its baselines on these books without the sentences of the "
            "questions. The baselines see the rest of each question's book, so their accuracy is "
            "higher than on an unseen book.",
        ]
    return [
        f"leak: the {style.drawn_from} book {book} overlaps the training corpus and was kept "
        "(overlap.across = keep)"
        for book in facts[f"corpus {style.drawn_from}"]["kept_despite_overlap"]
    ]

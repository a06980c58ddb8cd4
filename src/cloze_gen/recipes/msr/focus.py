"""Focus words: infrequent words of a sentence that may become its blank (MSR 2.2 step 1).

We read "overall frequency less than 10^-4" as the case-folded share of word tokens in the training
corpus. "The two-word history immediately preceding" is the two tokens before the blank in the book,
with punctuation and quotation marks. At least two tokens must be printed before the blank, as in
every published development question.
"""

from __future__ import annotations

import functools
from collections.abc import Container
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.books import book_folder, kept_books
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.hyphens import HYPHENS, read_hyphen_forms, write_hyphens
from cloze_gen.corpus.option_words import OptionLimits, option_mask
from cloze_gen.corpus.source_sentences import hyphen_evidence, read_sentences
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.sentence_fitness import SentenceFault, shape_fault
from cloze_gen.formats.printed_tokens import rendered_positions
from cloze_gen.recipes.tables import SENTENCES, rejection_table, sentence_table, write_pieces
from cloze_gen.records.rejection import Reason, Rejection, first_reason
from cloze_gen.records.sentence import Sentence
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import Column, Table
from cloze_gen.store.tables import FOCUS
from cloze_gen.word_tokens import is_word

_HISTORY_TOKENS = 2


class FocusSettings(SettingsGroup):
    max_freq: float = Field(
        1e-4, gt=0, le=1, description="limit of a word's share of the training text; MSR 2.2"
    )
    min_count: int = Field(
        20, ge=1, le=MOST_COUNTED, description="least uses of an option in the training text"
    )
    # 20 of the 40.05 million word tokens of the 522 books; matters for larger corpora
    min_freq: float = Field(
        4.9e-7, ge=0, le=1, description="least share of an option in the training text"
    )
    # Blind readers found half of the shorter sentences ambiguous (guideline 2).
    min_tokens: int = Field(
        13, ge=3, le=1000, description="fewest printed tokens of a sentence; published: 6"
    )
    max_tokens: int = Field(
        36, ge=3, le=1000, description="most printed tokens of a sentence; published: 36"
    )
    allow_proper_names: bool = Field(False, description="allow words that are mostly capitalised")


class FocusReason(Reason):
    TOO_SHORT = ("sentence_too_short", "the sentence has fewer tokens than focus.min_tokens")
    TOO_LONG = ("sentence_too_long", "the sentence has more tokens than focus.max_tokens")
    NO_HISTORY = ("word_without_two_predecessors", "the word does not have two words before it")
    BEFORE_FINAL_STOP = ("word_before_final_stop", "the word is the last word of its sentence")
    NOT_ELIGIBLE = (
        "word_not_eligible",
        "the word is too frequent, too rare in the training books, or a name",
    )


FOCUS_WORDS = Table(
    FOCUS,
    "One row for each position that may become a blank.",
    Column("id", pa.string(), "id of the item"),
    Column("sentence_id", pa.string(), "id of the sentence"),
    Column("position", pa.int16(), "index among the sentence's own tokens"),
    Column("word", pa.string(), "the focus word"),
    Column(
        "history1",
        pa.string(),
        "the second token before it; `<s>` at the beginning of the sentence",
    ),
    Column("history2", pa.string(), "the token before it"),
    Column("next_token", pa.string(), "the token after it"),
    example='{"id": "the-lost-luggage-of-penny-cross:70:2", '
    '"sentence_id": "the-lost-luggage-of-penny-cross:70", "position": 2, "word": "broke", '
    '"history1": "Then", "history2": "she", "next_token": "the"}',
)


def sentence_rejection(
    sentence: Sentence, settings: FocusSettings
) -> SentenceFault | FocusReason | None:
    """Why a sentence gives no question. Lengths count printed tokens."""
    printed = rendered_positions(sentence.tokens)
    against = {
        FocusReason.TOO_SHORT: len(printed) < settings.min_tokens,
        FocusReason.TOO_LONG: len(printed) > settings.max_tokens,
    }
    return shape_fault(sentence, printed=printed) or first_reason(against)


def select_focus_words(
    sentence: Sentence, *, options: Container[str], settings: FocusSettings
) -> tuple[list[dict[str, Any]], list[Rejection]]:
    """Rows of `FOCUS_WORDS`, and a rejection of the sentence or of each of its other words.

    `options`: the words that may be options.

    >>> tokens = ("He", "could", "climb", "to", "the", "attic", ".")
    >>> sentence = Sentence("b", 0, 0, 33, 0, "prose", "He could climb to the attic.", tokens)
    >>> options = {"climb", "attic"}
    >>> rows, rejected = select_focus_words(sentence, options=options, settings=FocusSettings(min_tokens=6))
    >>> [row["word"] for row in rows]
    ['climb']
    """
    reason = sentence_rejection(sentence, settings)
    if reason is not None:
        return [], [Rejection(sentence.id, reason)]
    rows: list[dict[str, Any]] = []
    rejected: list[Rejection] = []
    tokens = sentence.tokens
    printed = rendered_positions(tokens)
    for rank, position in enumerate(printed[:-1]):
        word = tokens[position]
        if not is_word(word):
            continue
        item_id = f"{sentence.id}:{position}"
        if rank < _HISTORY_TOKENS:
            reason = FocusReason.NO_HISTORY
        elif word not in options:
            reason = FocusReason.NOT_ELIGIBLE
        elif rank == len(printed) - 2:
            reason = FocusReason.BEFORE_FINAL_STOP
        else:
            row = {
                "id": item_id,
                "sentence_id": sentence.id,
                "position": position,
                "word": word,
                "history1": tokens[position - 2],
                "history2": tokens[position - 1],
                "next_token": tokens[position + 1],
            }
            rows.append(row)
            continue
        rejected.append(Rejection(item_id, reason, word))
    return rows, rejected


@functools.lru_cache(maxsize=1)
def option_words(counts: Artifact, limits: OptionLimits) -> frozenset[str]:
    table = read_counts(counts)
    rows = np.flatnonzero(option_mask(table, limits))
    return frozenset(table.words[row] for row in rows)


def search_book(
    book: dict[str, str],
    *,
    source: Artifact,
    counts: Artifact,
    hyphens: Path,
    settings: FocusSettings,
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Rows of `FOCUS_WORDS`, of `SENTENCES` and of `REJECTIONS`."""
    options = option_words(counts, OptionLimits.of(settings))
    sentences: list[Sentence] = []
    rows: list[dict[str, Any]] = []
    rejected: list[Rejection] = []
    folder = book_folder(source, book)
    for sentence in read_sentences(folder, book["book_id"], read_hyphen_forms(hyphens)):
        selected, others = select_focus_words(sentence, options=options, settings=settings)
        rows += selected
        rejected += others
        if selected:
            sentences.append(sentence)
    return FOCUS_WORDS.of_records(rows), sentence_table(sentences), rejection_table(rejected)


def write_focus(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    source: Artifact,
    counts: Artifact,
    settings: FocusSettings,
) -> None:
    """Write focus words, their sentences, and every rejection with its reason."""
    write_hyphens(writer, hyphen_evidence(source, read_counts(counts)))
    search = functools.partial(
        search_book,
        source=source,
        counts=counts,
        hyphens=writer.path(HYPHENS),
        settings=settings,
    )
    books = ctx.map(search, kept_books(source), unit="books")
    rejected = write_pieces(writer, books, FOCUS_WORDS, SENTENCES)
    kept = writer.rows[FOCUS]
    writer.funnel = funnel("sentences and word positions", kept=kept, rejected=rejected)
    n_options = len(option_words(counts, OptionLimits.of(settings)))
    ctx.say(
        f"{kept:,} focus words in {writer.rows[SENTENCES.name]:,} sentences; "
        f"{n_options:,} words may be options"
    )

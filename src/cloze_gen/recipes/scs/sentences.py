"""Sentences with enough common content words, a verb and few names (Argouarc'h 2018, 3.1).

We require a finite verb, to exclude fragments. The paper keeps one sentence in four; we keep all,
because the screen keeps about one question in four.
"""

from __future__ import annotations

import functools
from collections.abc import Container, Sequence
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.hyphens import HYPHENS, read_hyphen_forms, write_hyphens
from cloze_gen.corpus.source_sentences import hyphen_evidence, read_sentences
from cloze_gen.corpus.tagging import TAGS, TaggedBook, lemma_pair, tagged_books
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import FINITE, VERBS
from cloze_gen.english.sentence_fitness import SentenceFault, printed_fault, shape_fault
from cloze_gen.formats.printed_tokens import rendered_positions
from cloze_gen.recipes.scs.vocabulary import read_vocabulary
from cloze_gen.recipes.tables import SENTENCES, rejection_table, sentence_table, write_pieces
from cloze_gen.records.rejection import Reason, Rejection, first_reason
from cloze_gen.records.sentence import Sentence
from cloze_gen.settings import SettingsGroup, Unhashed
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import Column, Table
from cloze_gen.store.tables import read_parquet


class SentencesSettings(SettingsGroup):
    min_content_words: int = Field(
        6,
        ge=1,
        le=1000,
        description="least number of content words; 3.1",
    )
    max_content_words: int = Field(
        12, ge=1, le=1000, description="greatest number of content words; 3.1"
    )
    max_proper_nouns: int = Field(
        2,
        ge=0,
        le=1000,
        description="greatest number of proper nouns; 3.1",
    )
    offensive_words: Unhashed[str] = Field(
        "builtin",
        description="file with one word a line, 'builtin' or 'none'",
    )


class SentenceReason(Reason):
    FEW_CONTENT_WORDS = (
        "sentence_few_content_words",
        "fewer content words than sentences.min_content_words",
    )
    MANY_CONTENT_WORDS = (
        "sentence_many_content_words",
        "more content words than sentences.max_content_words",
    )
    NO_FINITE_VERB = (
        "sentence_without_finite_verb",
        "no verb, or neither a finite one nor a modal",
    )
    PROPER_NOUNS = (
        "sentence_many_proper_nouns",
        "more proper nouns than sentences.max_proper_nouns",
    )


TAGGED_SENTENCES = Table(
    SENTENCES.name,
    "The kept sentences. Words that a line end breaks are joined.",
    *SENTENCES.columns,
    Column("tags", pa.string(), "Penn tags joined by single spaces"),
)


def fault_of_sentence(
    sentence: Sentence,
    tags: Sequence[str],
    *,
    vocabulary: Container[Pair],
    offensive: Container[str],
    settings: SentencesSettings,
) -> SentenceFault | SentenceReason | None:
    """The first fault: of shape, of what is printed, of the content words."""
    printed = rendered_positions(sentence.tokens)
    fault = shape_fault(sentence, printed=printed) or printed_fault(
        sentence.tokens, printed=printed, offensive=offensive
    )
    if fault is not None:
        return fault
    pairs = [lemma_pair(token, tag) for token, tag in zip(sentence.tokens, tags, strict=True)]
    return content_fault(tags, pairs, vocabulary=vocabulary, settings=settings)


def content_fault(
    tags: Sequence[str],
    pairs: Sequence[Pair],
    *,
    vocabulary: Container[Pair],
    settings: SentencesSettings,
) -> SentenceReason | None:
    """Faults that the tags and (lemma, class) pairs of the tokens show.

    >>> pairs = [("dog", "noun"), ("bark", "verb")]
    >>> content_fault(["NN", "VBD"], pairs, vocabulary=set(pairs), settings=SentencesSettings(min_content_words=2)) is None
    True
    >>> content_fault(["NN", "VBD"], pairs, vocabulary=set(pairs), settings=SentencesSettings())
    <SentenceReason.FEW_CONTENT_WORDS: 'sentence_few_content_words'>
    """
    content_count = sum(pair in vocabulary for pair in pairs)
    name_count = sum(word_class == "proper_noun" for _, word_class in pairs)
    has_finite_verb = VERBS.intersection(tags) and FINITE.intersection(tags)
    against = {
        SentenceReason.FEW_CONTENT_WORDS: content_count < settings.min_content_words,
        SentenceReason.MANY_CONTENT_WORDS: content_count > settings.max_content_words,
        SentenceReason.NO_FINITE_VERB: not has_finite_verb,
        SentenceReason.PROPER_NOUNS: name_count > settings.max_proper_nouns,
    }
    return first_reason(against)


def search_book(
    book: TaggedBook,
    *,
    vocabulary: Artifact,
    hyphens: Path,
    offensive: frozenset[str],
    settings: SentencesSettings,
) -> tuple[pa.Table, pa.Table]:
    """Rows of `TAGGED_SENTENCES` and of `REJECTIONS`."""
    words = read_vocabulary(vocabulary)
    sentences = read_sentences(book.folder, book.id, read_hyphen_forms(hyphens))
    lines = read_parquet(book.tags / TAGS)["tags"].to_pylist()
    kept: list[Sentence] = []
    tags: list[str] = []
    rejected: list[Rejection] = []
    for sentence, line in zip(sentences, lines, strict=True):
        fault = fault_of_sentence(
            sentence, line.split(" "), vocabulary=words, offensive=offensive, settings=settings
        )
        if fault is None:
            kept.append(sentence)
            tags.append(line)
        else:
            rejected.append(Rejection(sentence.id, fault))
    table = sentence_table(kept).append_column("tags", pa.array(tags, pa.string()))
    return table, rejection_table(rejected)


def write_sentences(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    source: Artifact,
    tagging: Artifact,
    counts: Artifact,
    vocabulary: Artifact,
    settings: SentencesSettings,
    offensive: frozenset[str],
) -> None:
    write_hyphens(writer, hyphen_evidence(source, read_counts(counts)))
    books = tagged_books(source, tagging)
    search = functools.partial(
        search_book,
        vocabulary=vocabulary,
        hyphens=writer.path(HYPHENS),
        offensive=offensive,
        settings=settings,
    )
    rejected = write_pieces(writer, ctx.map(search, books, unit="books"), TAGGED_SENTENCES)
    kept = writer.rows[TAGGED_SENTENCES.name]
    writer.funnel = funnel("sentences", kept=kept, rejected=rejected)
    ctx.say(f"{kept:,} of {writer.funnel['seen']:,} sentences are kept")

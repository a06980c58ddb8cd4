"""Sentences with enough common content words, a verb and few names (Argouarc'h 2018, 3.1)."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pydantic import Field

from cloze_gen.corpus.books import book_folder, kept_books
from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.hyphens import HYPHENS, write_hyphens
from cloze_gen.corpus.source_sentences import (
    book_parts,
    decided_hyphens,
    hyphen_evidence,
    read_sentences,
)
from cloze_gen.corpus.tagging import TAGS, lemma_pair, tag_folders
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import FINITE, VERBS
from cloze_gen.english.sentence_fitness import SentenceFault, printed_fault
from cloze_gen.english.word_lists import FINAL_MARKS
from cloze_gen.formats.printed_tokens import rendered_positions
from cloze_gen.recipes.scs.vocabulary import read_vocabulary
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import SettingsGroup, Unhashed
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel, open_artifact
from cloze_gen.store.tables import (
    REJECTED,
    SOURCE_SENTENCES,
    join_parquet,
    read_parquet,
    rejection_columns,
    sentence_columns,
    write_parquet,
)


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
    min_verbs: int = Field(
        1,
        ge=0,
        le=1000,
        description="least number of verbs, with be, have and do; 3.1",
    )
    require_finite_verb: bool = Field(
        True,
        description="no fragments; not in the paper",
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
    # The paper keeps one sentence in four; here the screen keeps about one question in four.
    keep_share: float = Field(
        1.0,
        gt=0,
        le=1,
        description="share of the fit sentences that is kept; 3.1: 0.25",
    )


class SentenceReason(Reason):
    NOT_PROSE = ("sentence_not_prose", "the sentence is verse, a heading or not text")
    NOT_ASCII = ("sentence_not_ascii", "the sentence has characters outside ASCII")
    NO_FINAL_STOP = ("sentence_without_final_stop", "the sentence does not end with a final mark")
    FEW_CONTENT_WORDS = (
        "sentence_few_content_words",
        "fewer content words than sentences.min_content_words",
    )
    MANY_CONTENT_WORDS = (
        "sentence_many_content_words",
        "more content words than sentences.max_content_words",
    )
    NO_VERB = ("sentence_without_verb", "fewer verbs than sentences.min_verbs")
    NO_FINITE_VERB = ("sentence_without_finite_verb", "no finite verb or modal")
    PROPER_NOUNS = (
        "sentence_many_proper_nouns",
        "more proper nouns than sentences.max_proper_nouns",
    )
    THINNED = ("sentence_not_sampled", "outside the sampled share, sentences.keep_share")


def fault_of_sentence(
    sentence: Sentence,
    tags: Sequence[str],
    *,
    pair_of: Callable[[str, str], Pair],
    vocabulary: Container[Pair],
    offensive: Container[str],
    settings: SentencesSettings,
) -> SentenceReason | SentenceFault | None:
    printed = rendered_positions(sentence.tokens)
    fault = shape_fault(sentence) or printed_fault(
        sentence.tokens, printed=printed, offensive=offensive
    )
    if fault is None:
        pairs = [pair_of(token, tag) for token, tag in zip(sentence.tokens, tags, strict=True)]
        fault = content_fault(tags, pairs, vocabulary=vocabulary, settings=settings)
    if fault is None and thinned_out(sentence.id, keep_share=settings.keep_share):
        fault = SentenceReason.THINNED
    return fault


def shape_fault(sentence: Sentence) -> SentenceReason | None:
    """Faults that need no tags: not prose, not ASCII, or no printed final stop."""
    if sentence.kind != "prose":
        return SentenceReason.NOT_PROSE
    if not all(token.isascii() for token in sentence.tokens):
        return SentenceReason.NOT_ASCII
    printed = rendered_positions(sentence.tokens)
    if not printed or sentence.tokens[printed[-1]] not in FINAL_MARKS:
        return SentenceReason.NO_FINAL_STOP
    return None


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
    if content_count < settings.min_content_words:
        return SentenceReason.FEW_CONTENT_WORDS
    if content_count > settings.max_content_words:
        return SentenceReason.MANY_CONTENT_WORDS
    if sum(tag in VERBS for tag in tags) < settings.min_verbs:
        return SentenceReason.NO_VERB
    if settings.require_finite_verb and not FINITE.intersection(tags):
        return SentenceReason.NO_FINITE_VERB
    if sum(word_class == "proper_noun" for _, word_class in pairs) > settings.max_proper_nouns:
        return SentenceReason.PROPER_NOUNS
    return None


def thinned_out(sentence_id: str, *, keep_share: float) -> bool:
    """Whether sampling drops a sentence. This depends on its id only, not on the seed.

    >>> kept = sum(not thinned_out(f"b:{i}", keep_share=0.25) for i in range(4000))
    >>> 900 < kept < 1100
    True
    """
    return stable_fraction("scs.thinning", sentence_id) >= keep_share


@dataclass(frozen=True, slots=True)
class BookSentences:
    book_id: str
    folder: Path
    tags: Path
    vocabulary: Path
    hyphens: Path
    out: Path
    offensive: frozenset[str]
    settings: SentencesSettings


@functools.lru_cache(maxsize=1)
def _vocabulary(folder: Path) -> frozenset[Pair]:
    return frozenset(read_vocabulary(open_artifact(folder)))


def sift_book(shard: BookSentences) -> tuple[int, Counter[str]]:
    """Write one book's part of each table. Returns the number kept, and rejections by reason."""
    kept: list[Sentence] = []
    tags: list[str] = []
    rejected: list[Rejection] = []
    lines = read_parquet(shard.tags / TAGS)["tags"].to_pylist()
    for sentence, line in zip(
        read_sentences(shard.folder, shard.book_id, decided_hyphens(shard.hyphens)),
        lines,
        strict=True,
    ):
        fault = fault_of_sentence(
            sentence,
            line.split(" "),
            pair_of=lemma_pair,
            vocabulary=_vocabulary(shard.vocabulary),
            offensive=shard.offensive,
            settings=shard.settings,
        )
        if fault is None:
            kept.append(sentence)
            tags.append(line)
        else:
            rejected.append(Rejection(sentence.id, fault))
    write_parquet(
        shard.out / SOURCE_SENTENCES, sentence_columns(kept) | {"tags": pa.array(tags, pa.string())}
    )
    write_parquet(shard.out / REJECTED, rejection_columns(rejected))
    return len(kept), Counter(str(rejection.reason) for rejection in rejected)


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
    words, folders, books = (
        offensive,
        tag_folders(tagging),
        kept_books(source),
    )
    hyphens = writer.path(HYPHENS)
    with book_parts(writer, len(books)) as parts:
        shards = [
            BookSentences(
                row["book_id"],
                book_folder(source, row),
                folders[row["book_id"]],
                vocabulary.folder,
                hyphens,
                part,
                words,
                settings,
            )
            for row, part in zip(books, parts, strict=True)
        ]
        n_kept, reasons = 0, Counter[str]()
        for kept, rejected in ctx.map(sift_book, shards, unit="books"):
            n_kept += kept
            reasons += rejected
        for name in (SOURCE_SENTENCES, REJECTED):
            writer.rows[name] = join_parquet(writer.path(name), [part / name for part in parts])
    seen = n_kept + reasons.total()
    writer.funnel = funnel("sentences", kept=n_kept, rejected=reasons)
    ctx.say(f"{n_kept:,} of {seen:,} sentences pass and are kept")


def read_tagged_sentences(artifact: Artifact) -> list[tuple[Sentence, list[str]]]:
    lines = read_parquet(artifact.path(SOURCE_SENTENCES), columns=["tags"])["tags"].to_pylist()
    return [
        (sentence, line.split(" "))
        for sentence, line in zip(read_source_sentences(artifact).values(), lines, strict=True)
    ]

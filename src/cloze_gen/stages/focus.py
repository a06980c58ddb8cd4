"""Focus words of the source books, as an artifact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from cloze_gen.cloze.focus import FocusSettings, FocusWord, select_focus_words
from cloze_gen.errors import CorpusError
from cloze_gen.records import Rejection, Sentence
from cloze_gen.stages.contexts import option_words
from cloze_gen.stages.counts import SOFT_HYPHEN, read_counts, write_hyphens
from cloze_gen.stages.ingest import SENTENCES, book_folder, kept_books, read_type_counts
from cloze_gen.stages.room import Room
from cloze_gen.stages.training_text import mend_hyphens
from cloze_gen.stats.counts import CountTable
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import read_parquet, write_parquet

FOCUS, REJECTED, SOURCE_SENTENCES = "focus.parquet", "rejected.parquet", "sentences.parquet"


@dataclass(frozen=True, slots=True)
class BookFocus:
    """One source book to be searched by a worker."""

    book_id: str
    folder: Path
    forms: dict[str, str]
    eligible: frozenset[str]
    settings: FocusSettings


def hyphen_evidence(source: Artifact, table: CountTable) -> Counter[str]:
    """What decides the source books' own line-end hyphens: the training corpus's counts, and which types the source breaks."""
    known = Counter(dict(zip(table.words, table.count.tolist(), strict=True)))
    own, _ = read_type_counts(book_folder(source, row) for row in kept_books(source))
    known.update({word: count for word, count in own.items() if SOFT_HYPHEN in word})
    return known


def read_sentences(folder: Path, book_id: str, forms: dict[str, str]) -> Iterator[Sentence]:
    """A book's sentences as records, line-end hyphens decided."""
    columns = read_parquet(folder / SENTENCES).to_pydict()
    for index, start, end, paragraph, kind, text, tokens in zip(*columns.values(), strict=True):
        if SOFT_HYPHEN in tokens:
            for broken in {token for token in tokens.split(" ") if SOFT_HYPHEN in token}:
                text = text.replace(broken, forms.get(broken, broken.replace(SOFT_HYPHEN, "-")))
            tokens = mend_hyphens(tokens, forms)
        yield Sentence(book_id, index, start, end, paragraph, kind, text, tuple(tokens.split(" ")))


def search_book(shard: BookFocus) -> tuple[list[Sentence], list[FocusWord], list[Rejection]]:
    """Every verdict of one book, and the sentences that hold a focus word."""
    sentences, found, rejected = [], [], []
    for sentence in read_sentences(shard.folder, shard.book_id, shard.forms):
        any_here = False
        for verdict in select_focus_words(sentence, eligible=shard.eligible, settings=shard.settings):
            if isinstance(verdict, Rejection):
                rejected.append(verdict)
            else:
                found.append(verdict)
                any_here = True
        if any_here:
            sentences.append(sentence)
    return sentences, found, rejected


def write_focus(writer: ArtifactWriter, room: Room, *, source: Artifact, counts: Artifact, settings: FocusSettings) -> None:
    """Write focus words, the sentences that hold them, and every rejection with its reason."""
    table = read_counts(counts)
    mask = option_words(table, settings)
    eligible = frozenset(word for word, allowed in zip(table.words, mask.tolist(), strict=True) if allowed)
    forms = write_hyphens(writer, hyphen_evidence(source, table))
    shards = [BookFocus(row["book_id"], book_folder(source, row), forms, eligible, settings) for row in kept_books(source)]
    results = list(room.map(search_book, shards, unit="books"))
    sentences = [sentence for part, _, _ in results for sentence in part]
    found = [focus for _, part, _ in results for focus in part]
    rejected = [rejection for _, _, part in results for rejection in part]
    rows = table.index()
    writer.rows[FOCUS] = write_parquet(writer.path(FOCUS), {
        "id": pa.array([focus.id for focus in found]),
        "sentence_id": pa.array([focus.id.rpartition(":")[0] for focus in found], pa.string()),
        "position": pa.array([focus.position for focus in found], pa.int16()),
        "word": pa.array([focus.word for focus in found], pa.string()),
        "history1": pa.array([focus.history[0] for focus in found], pa.string()),
        "history2": pa.array([focus.history[1] for focus in found], pa.string()),
        "next_token": pa.array([focus.next_token for focus in found], pa.string()),
        "count": pa.array([int(table.count[rows[focus.word]]) for focus in found], pa.int64()),
        "freq": pa.array([float(table.freq[rows[focus.word]]) for focus in found], pa.float64()),
    })  # fmt: skip
    writer.rows[SOURCE_SENTENCES] = write_parquet(writer.path(SOURCE_SENTENCES), sentence_columns(sentences))
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    if not found:
        told = ", ".join(f"{reason} {count:,}" for reason, count in sorted(reasons.items()))
        raise CorpusError(f"no word of the source books may become a blank ({told}). Lower focus.min_count, raise focus.max_freq or widen "
                          "focus.min_tokens and focus.max_tokens, or give more books.")  # fmt: skip
    writer.funnel = {
        "unit": "sentences and word positions",
        "seen": len(found) + len(rejected),
        "kept": len(found),
        "rejected": dict(sorted(reasons.items())),
    }
    writer.facts |= {"option_words": len(eligible), "sentences_with_focus": len(sentences)}
    room.say(f"{len(found):,} focus words in {len(sentences):,} sentences; {len(eligible):,} words may be options")


def sentence_columns(sentences: list[Sentence]) -> dict[str, pa.Array]:
    return {
        "id": pa.array([s.id for s in sentences], pa.string()),
        "book_id": pa.array([s.book_id for s in sentences], pa.string()).dictionary_encode(),
        "index": pa.array([s.index for s in sentences], pa.int32()),
        "start": pa.array([s.start for s in sentences], pa.int32()),
        "end": pa.array([s.end for s in sentences], pa.int32()),
        "paragraph": pa.array([s.paragraph for s in sentences], pa.int32()),
        "kind": pa.array([s.kind for s in sentences], pa.string()).dictionary_encode(),
        "text": pa.array([s.text for s in sentences], pa.string()),
        "tokens": pa.array([" ".join(s.tokens) for s in sentences], pa.string()),
    }


def rejection_columns(rejected: list[Rejection]) -> dict[str, pa.Array]:
    return {
        "id": pa.array([r.id for r in rejected], pa.string()),
        "reason": pa.array([str(r.reason) for r in rejected], pa.string()).dictionary_encode(),
        "detail": pa.array([r.detail for r in rejected], pa.string()),
    }


def read_source_sentences(artifact: Artifact) -> dict[str, Sentence]:
    """The sentences that hold a focus word, by id."""
    columns = read_parquet(artifact.path(SOURCE_SENTENCES)).to_pydict()
    return {
        row[0]: Sentence(row[1], row[2], row[3], row[4], row[5], row[6], row[7], tuple(row[8].split(" ")))
        for row in zip(*columns.values(), strict=True)
    }

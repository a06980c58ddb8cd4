"""`cloze-gen corpus rank`: the books of a folder beside a reference question set, before any run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.engine.local import make_engine
from cloze_gen.pipelines.build import given_back
from cloze_gen.recipes.scs.stages.books import book_counts, reference_counts
from cloze_gen.recipes.scs.steps.books import BookSimilarity, BooksSettings, book_similarity
from cloze_gen.stages.corpus.ingest import BookShard, ingest_book
from cloze_gen.stages.corpus.tags import TagShard, tag_book, worker_tagger
from cloze_gen.stages.room import Room
from cloze_gen.stats.lemma_counts import Pair
from cloze_gen.store.artifacts import Store
from cloze_gen.store.corpus import book_digest, scan_corpus
from cloze_gen.store.corpus_folder import check_apart
from cloze_gen.text.parse_book import IngestSettings


@dataclass(frozen=True, slots=True)
class BookRank:
    """One book's line of the table; `found` is None for a book that could not be measured, and `note` says why."""

    book_id: str
    tokens: int = 0
    found: BookSimilarity | None = None
    note: str = ""


def rank_books(folder: Path, *, reference: Path, out: Path, tagger: str, workers: int) -> Iterator[str]:
    """The table of a folder's books, most similar first, line by line; books read and tagged for it stay in `out` and serve later runs."""
    engine = make_engine("local", workers=workers)
    room = Room(Store(out), engine, "corpus rank")
    settings = BooksSettings(reference=str(reference))
    with given_back(engine):
        check_apart(out, folder)
        components = reference_counts(settings.reference, tagger)
        ranks = _ranks(room, folder, components, tagger)
    limits = f"{settings.min_similarity} / {settings.min_coverage}"
    yield f"reference: {len(components):,} common words (lemma, class); a book passes above {limits}"
    yield f"{'book':<32} {'tokens':>11} {'similarity':>11} {'coverage':>9}  passes"
    for rank in sorted(ranks, key=lambda rank: (-rank.found.similarity if rank.found else 0.0, rank.book_id)):
        found = rank.found or BookSimilarity(0.0, 0.0)
        verdict = rank.note or ("yes" if found.passes(settings) else "no")
        yield f"{rank.book_id:<32} {rank.tokens:>11,} {found.similarity:>11.3f} {found.coverage:>9.3f}  {verdict}"


def _ranks(room: Room, folder: Path, reference: Mapping[Pair, int], tagger: str) -> list[BookRank]:
    """Every book of the folder, ingested, tagged and measured as a run would."""
    ingest, identity = IngestSettings(), worker_tagger(tagger).identity
    shards = [BookShard(room.store.root, book, book_digest(book), ingest) for book in scan_corpus(folder, notice=room.say)]
    audits = list(room.map(ingest_book, shards, unit="books"))
    kept = [shard for shard, audit in zip(shards, audits, strict=True) if audit["status"] == "kept"]
    tags = [TagShard(room.store.root, room.store.folder(shard.key), tagger, identity) for shard in kept]
    list(room.map(tag_book, tags, unit="books tagged"))
    tags_of = {shard.book.book_id: room.store.folder(tag.key) for shard, tag in zip(kept, tags, strict=True)}
    ranks = []
    for shard, audit in zip(shards, audits, strict=True):
        name = shard.book.book_id
        if name in tags_of:
            ranks.append(BookRank(name, audit["tokens"], book_similarity(reference, book_counts(tags_of[name]))))
        else:
            ranks.append(BookRank(name, note=f"not measured: {audit['reason']}"))
    return ranks

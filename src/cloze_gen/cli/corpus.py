"""`cloze-gen corpus`: inspect books."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import typer

from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.adapters.terminal import show
from cloze_gen.corpus.collect import Collection, InputSettings, collect, refuse_sentences
from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.folder import Location, check_apart
from cloze_gen.corpus.ingest import BookShard, ingest_book
from cloze_gen.corpus.inspect import inspection, summary
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.tagging import TagShard, tag_book
from cloze_gen.engine.local import engine_scope, make_engine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.recipes.scs.books import (
    MIN_COVERAGE,
    MIN_SIMILARITY,
    BookSimilarity,
    book_counts,
    book_similarity,
    reference_counts,
)
from cloze_gen.store.artifacts import Store


@dataclass(frozen=True, slots=True)
class BookRank:
    book_id: str
    tokens: int = 0
    found: BookSimilarity | None = None
    note: str = ""


def inspect_books(place: str, *, settings: InputSettings) -> None:
    """Print the page of `cloze-gen corpus inspect`; exit with status 1 without a readable book."""
    with tempfile.TemporaryDirectory(prefix="cloze-gen-inspect-") as scratch:
        found = collect(Location.parse(place), Store(Path(scratch)), settings=settings, workers=2)
        show(inspection(found, settings))
    if not found.readable:
        raise typer.Exit(1)


# ---- `cloze-gen corpus rank`


def rank_books(
    place: str, *, settings: InputSettings, reference: Path, out: Path, workers: int
) -> Iterator[str]:
    """Lines of the table, most similar book first; `out` keeps the tagged books for later runs."""
    engine = make_engine("local", workers=workers)
    ctx = StageContext(Store(out), engine, "corpus rank")
    location = Location.parse(place)
    check_apart(out, location)
    with engine_scope(engine):
        components = reference_counts(reference)
        collection = collect(location, ctx.store, settings=settings, workers=workers)
        ranks = _ranks(ctx, collection, components)
    yield (
        f"reference: {len(components):,} common words (lemma, class); a book passes above "
        f"{MIN_SIMILARITY} / {MIN_COVERAGE} (similarity / coverage)"
    )
    yield f"{'book':<32} {'tokens':>11} {'similarity':>11} {'coverage':>9}  passes"
    for rank in sorted(
        ranks, key=lambda rank: (-rank.found.similarity if rank.found else 0.0, rank.book_id)
    ):
        found = rank.found or BookSimilarity(0.0, 0.0)
        verdict = rank.note or ("yes" if found.passes else "no")
        yield (
            f"{rank.book_id:<32} {rank.tokens:>11,} {found.similarity:>11.3f} "
            f"{found.coverage:>9.3f}  {verdict}"
        )


def _ranks(ctx: StageContext, found: Collection, reference: Mapping[Pair, int]) -> list[BookRank]:
    ingest, identity = IngestSettings(), tagger_identity()
    for line in summary(found):
        ctx.say(line)
    refuse_sentences(found.books, "corpus rank")
    shards = [BookShard(ctx.store.root, book, ingest) for book in found.books]
    with ctx.store.in_use():
        audits = list(ctx.map(ingest_book, shards, unit="books"))
        kept = [
            shard for shard, audit in zip(shards, audits, strict=True) if audit["status"] == "kept"
        ]
        tags = [TagShard(ctx.store.root, ctx.store.folder(shard.key), identity) for shard in kept]
        list(ctx.map(tag_book, tags, unit="books tagged"))
        tags_of = {
            shard.book.book_id: ctx.store.folder(tag.key)
            for shard, tag in zip(kept, tags, strict=True)
        }
        ranks = []
        for shard, audit in zip(shards, audits, strict=True):
            name = shard.book.book_id
            if name in tags_of:
                ranks.append(
                    BookRank(
                        name,
                        audit["tokens"],
                        book_similarity(reference, book_counts(tags_of[name])),
                    )
                )
            else:
                ranks.append(BookRank(name, note=f"not measured: {audit['reason']}"))
    return ranks

"""`cloze-gen corpus` and `clean-exams`: inspect books, and clean collected exams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import typer

from cloze_gen.adapters.terminal import show
from cloze_gen.api.run import located
from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.folder import check_apart
from cloze_gen.corpus.ingest import BookShard, ingest_book
from cloze_gen.corpus.inspect import inspection, summary
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.remote import is_copy
from cloze_gen.corpus.scan import CorpusScan, read_digests, refuse_sentences, scan
from cloze_gen.corpus.tagging import TagShard, tag_book, worker_tagger
from cloze_gen.engine.local import engine_scope, make_engine
from cloze_gen.engine.progress import say
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import UsageError
from cloze_gen.formats.scde import format_published, parse_exams
from cloze_gen.parsing import error_text
from cloze_gen.recipes.scde.cleaning import CleanedExaminations, Rule, clean
from cloze_gen.recipes.scs.books import (
    BookSimilarity,
    BooksSettings,
    book_counts,
    book_similarity,
    reference_counts,
)
from cloze_gen.records.blanked_passage import Examination
from cloze_gen.store.artifacts import Store
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.folder_replacement import check_own_folder, own_folder_lock, replace_within
from cloze_gen.store.tables import write_jsonl, write_tsv


@dataclass(frozen=True, slots=True)
class BookRank:
    book_id: str
    tokens: int = 0
    found: BookSimilarity | None = None
    note: str = ""


def inspect_books(place: str, *, settings: InputSettings, out: Path) -> None:
    """Print the page of `cloze-gen corpus inspect`; exit with status 1 without a readable book."""
    found = scan(located(place, out), settings=settings)
    show(inspection(found, settings))
    if not found.readable:
        raise typer.Exit(1)


# ---- `cloze-gen corpus rank`


def rank_books(
    place: str, *, settings: InputSettings, reference: Path, out: Path, tagger: str, workers: int
) -> Iterator[str]:
    """Lines of the table, most similar book first; `out` keeps the tagged books for later runs."""
    engine = make_engine("local", workers=workers)
    ctx = StageContext(Store(out), engine, "corpus rank")
    limits_of = BooksSettings(reference=str(reference))
    location = located(place, out)
    if not is_copy(location.root, ctx.store):
        check_apart(out, location)
    with engine_scope(engine):
        components = reference_counts(limits_of.reference, tagger)
        ranks = _ranks(ctx, scan(location, settings=settings), components, tagger)
    limits = f"{limits_of.min_similarity} / {limits_of.min_coverage}"
    yield (
        f"reference: {len(components):,} common words (lemma, class); a book passes above {limits} "
        "(similarity / coverage)"
    )
    yield f"{'book':<32} {'tokens':>11} {'similarity':>11} {'coverage':>9}  passes"
    for rank in sorted(
        ranks, key=lambda rank: (-rank.found.similarity if rank.found else 0.0, rank.book_id)
    ):
        found = rank.found or BookSimilarity(0.0, 0.0)
        verdict = rank.note or ("yes" if found.passes(limits_of) else "no")
        yield (
            f"{rank.book_id:<32} {rank.tokens:>11,} {found.similarity:>11.3f} "
            f"{found.coverage:>9.3f}  {verdict}"
        )


def _ranks(
    ctx: StageContext, found: CorpusScan, reference: Mapping[Pair, int], tagger: str
) -> list[BookRank]:
    ingest, identity = IngestSettings(), worker_tagger(tagger).identity
    for line in summary(found):
        ctx.say(line)
    books = sorted(found.books, key=lambda book: (book.file, book.position))
    refuse_sentences(books, "corpus rank")
    shards = [
        BookShard(ctx.store.root, book, digest, ingest)
        for book, digest in zip(books, read_digests(books), strict=True)
    ]
    with ctx.store.in_use():
        audits = list(ctx.map(ingest_book, shards, unit="books"))
        kept = [
            shard for shard, audit in zip(shards, audits, strict=True) if audit["status"] == "kept"
        ]
        tags = [
            TagShard(ctx.store.root, ctx.store.folder(shard.key), tagger, identity)
            for shard in kept
        ]
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


# ---- `cloze-gen clean-exams`

CLEANED, REJECTED, COUNTS = "cleaned.json", "rejected.jsonl", "counts.tsv"
SCHEMA = "cloze-gen/cleaned-exams"
COLUMNS = ("rule", "passages", "blanks")
READ, LEFT = "read", "left"

Row = tuple[str, int, int]


def clean_exams(exams: Path, out: Path | None) -> str:
    """Clean a file of exams; returns a table of the passages and blanks that each rule dropped.

    Writes to `out` (default: `NAME-cleaned` next to the file): `cleaned.json` in the published
    layout; `rejected.jsonl` with `item` (from 1), `eid`, `rule`, `detail`; `counts.tsv`.
    """
    try:
        text = read_regular_text(exams, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        cause = "not UTF-8" if isinstance(error, UnicodeError) else error_text(error)
        raise UsageError(
            f"{exams}: cannot be read ({cause}). Give a JSON file of exams (docs/how-to/exams.md)."
        ) from None
    folder = exams.with_name(f"{exams.stem}-cleaned") if out is None else out
    check_own_folder(folder, SCHEMA, option="--out")
    read = parse_exams(text, name=exams.name)
    if not read:
        raise UsageError(
            f"{exams}: contains no passage. Give a JSON file of exams (docs/how-to/exams.md)."
        )
    cleaned = clean(read)
    if cleaned.is_renumbered:
        say(
            "clean-exams: some accepted passages lack an eid or share one, so cleaned.json numbers "
            "all of them from 0"
        )
    rows = list(_rows(read, cleaned))
    _write(folder, cleaned, rows)
    return "\n".join(
        [
            *_table(rows),
            _marks_line(cleaned),
            f"written to {folder}: {CLEANED}, {REJECTED}, {COUNTS}",
        ]
    )


def _rows(read: list[Examination], cleaned: CleanedExaminations) -> Iterator[Row]:
    yield READ, len(read), _blanks(read)
    passages = Counter(one.rule for one in cleaned.rejected)
    for rule in Rule:
        yield (
            rule,
            passages[rule],
            _blanks(one.examination for one in cleaned.rejected if one.rule == rule),
        )
    yield LEFT, len(cleaned.left), sum(len(one.blanks) for one in cleaned.left)


def _blanks(examinations: Iterable[Examination]) -> int:
    return sum(len(one.blanks) for one in examinations)


def _table(rows: list[Row]) -> Iterator[str]:
    yield f"{COLUMNS[0]:<28} {COLUMNS[1]:>9} {COLUMNS[2]:>9}"
    for rule, passages, blanks in rows:
        yield f"{rule.replace('_', ' '):<28} {passages:>9,} {blanks:>9,}"


def _marks_line(cleaned: CleanedExaminations) -> str:
    return (
        f"stray marks repaired: {sum(cleaned.marks):,}, in {sum(map(bool, cleaned.marks)):,} of the "
        "accepted passages"
    )


def _write(folder: Path, cleaned: CleanedExaminations, rows: list[Row]) -> None:
    def write(partial: Path) -> None:
        (partial / CLEANED).write_text(
            format_published(cleaned.left), encoding="utf-8", newline="\n"
        )
        rejected = ((one.examination, one) for one in cleaned.rejected)
        write_jsonl(
            partial / REJECTED,
            (
                {"item": exam.item, "eid": exam.eid, "rule": str(one.rule), "detail": one.detail}
                for exam, one in rejected
            ),
        )
        write_tsv(partial / COUNTS, COLUMNS, rows)

    with own_folder_lock(folder, "clean-exams"):
        for line in replace_within(folder, SCHEMA, write):
            say(f"clean-exams: {line}")

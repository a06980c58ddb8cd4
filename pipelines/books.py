"""The books of a run by side, and the stages that read them."""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.corpus.folder import check_apart
from cloze_gen.corpus.ingest import BOOK_VERSION, write_ingest
from cloze_gen.corpus.inspect import summary
from cloze_gen.corpus.location import Location
from cloze_gen.corpus.overlap import OverlapSettings, write_overlap
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.scan import BookFile, listed_digest, read_digests, refuse_sentences, scan
from cloze_gen.corpus.splits import books_of_split
from cloze_gen.engine.progress import say
from cloze_gen.errors import NoBooksError, UsageError
from cloze_gen.pipelines.stage import Content, Pipeline, Stage
from cloze_gen.release.style import Style
from cloze_gen.store.tables import escape_cell

# Faults in the books of either side are reported before long stages start.
BOOKS_FIRST = 2
SIDES = ("train", "source", "books")


@dataclass(frozen=True)
class Books:
    """The books of a style's sides.

    Attributes:
        given: side -> folder, file or pattern that the user gave; empty: the embedded sample.
    """

    style: Style
    given: Mapping[str, str]

    @classmethod
    def of(cls, style: Style, folders: Mapping[str, str]) -> Books:
        """The user's books; `folders`: side -> place or an empty text. UsageError: wrong sides."""
        given = {side: place for side, place in folders.items() if place}
        foreign = next((side for side in given if side not in style.sides), None)
        options = " and ".join(f"--{side}" for side in style.sides)
        neither = "neither" if len(style.sides) > 1 else "none"
        if foreign is not None:
            raise UsageError(
                f"--{foreign}: {style.name} does not read it. Give {options}, or {neither} to use "
                f"the embedded sample.{_meant(style, given)}"
            )
        alone = style.own_background is not None and list(given) == [style.drawn_from]
        if given and len(given) < len(style.sides) and not alone:
            or_alone = (
                f"; --{style.drawn_from} alone (its books are then the training books too)"
                if style.own_background
                else ""
            )
            raise UsageError(
                f"give both {options}{or_alone}, or {neither} to use the embedded sample"
            )
        return cls(style, {side: given[side] for side in style.sides if side in given})

    @property
    def is_sample(self) -> bool:
        return not self.given

    @property
    def own_background(self) -> bool:
        """Whether the source books are the training books too."""
        return 0 < len(self.given) < len(self.style.sides)

    @property
    def config(self) -> str:
        """The built-in config for these books."""
        if self.is_sample:
            return self.style.sample_config
        alone = self.style.own_background
        return alone.config if alone and self.own_background else self.style.name

    def read_as(self, side: str) -> str:
        """The side whose books serve as this side's."""
        return self.style.drawn_from if self.own_background else side

    def location(self, side: str) -> Location:
        """Where the books of a side are; a style of one side reads all books of the sample."""
        if self.given:
            return Location.parse(self.given[self.read_as(side)])
        sample = importlib.resources.files("cloze_gen.corpora") / "sample"
        return Location(Path(str(sample if side == "books" else sample / side)))


def _meant(style: Style, given: Mapping[str, str]) -> str:
    one_folder = len(style.sides) == 1 or style.own_background is not None
    if len(given) > 1 or not one_folder:
        return ""
    return f" Did you mean --{style.drawn_from} {next(iter(given.values()))}?"


@dataclass(frozen=True)
class FoundBooks:
    """The books of one side, with the digests of their files."""

    files: tuple[BookFile, ...]
    digests: tuple[str, ...]

    @functools.cached_property
    def by_name(self) -> dict[str, str]:
        """Name of each book in the manifest -> digest of its file and of what is listed of it."""
        digests = {}
        for book, digest in zip(self.files, self.digests, strict=True):
            parts = (book.book_id, escape_cell(book.file), book.member, book.kind)
            digests[" ".join(filter(None, parts))] = listed_digest(book, digest)
        return digests


def find_books(location: Location, settings: InputSettings, *, side: str) -> FoundBooks:
    """The books of a location; prints what is there and what is not read."""
    found = scan(location, settings=settings)
    for line in summary(found):
        say(f"{side}: {line}")
    files = books_of_split(found.books, side) if settings.keep_splits else found.books
    if len(files) < len(found.books):
        say(f"{side}: {len(files):,} of these books, by the splits")
    return FoundBooks(files, read_digests(files))


def corpora(run: Pipeline, books: Books, s: Any) -> dict[str, Stage]:
    """Side -> its kept books: each once and, of the source, none that is a training book.

    Both sides are one artifact if the source books are the training books too.
    """
    found: dict[str, FoundBooks] = {}
    ingested = {}
    for side in books.style.sides:
        read_as = books.read_as(side)
        if read_as not in found:
            found[read_as] = _find(run, books, read_as, s.input)
        ingested[side] = ingest(run, found[read_as], side, settings=s.ingest)
    kept = {}
    for side, stage in ingested.items():
        looks_across = side == "source" or s.overlap.across == "drop_train"
        other = {"train": "source", "source": "train"}.get(side, "")
        compared = ingested.get(other) if looks_across and not books.own_background else None
        read_as = books.read_as(side)
        kept[side] = corpus(run, stage, side, read_as, other=compared, settings=s.overlap)
    return kept


def _find(run: Pipeline, books: Books, side: str, settings: InputSettings) -> FoundBooks:
    location = books.location(side)
    check_apart(run.store.root, location)
    try:
        found = find_books(location, settings, side=side)
    except NoBooksError as error:
        if side == "train" and books.style.own_background:
            advice = "If you have no background, leave out --train."
            raise UsageError(f"{error} {advice}") from None
        raise
    if side != "train":
        refuse_sentences(found.files, f"--{side}")
    return found


def ingest(run: Pipeline, books: FoundBooks, side: str, *, settings: IngestSettings) -> Stage:
    """Read the books of a side."""
    return run.stage(
        "ingest",
        write_ingest,
        v=BOOK_VERSION,
        label=f"ingest {side}",
        priority=BOOKS_FIRST,
        books=Content(books.files, books.by_name),
        settings=settings,
        unhashed={"digests": books.digests},
    )


def corpus(
    run: Pipeline,
    own: Stage,
    side: str,
    read_as: str,
    *,
    settings: OverlapSettings,
    other: Stage | None = None,
) -> Stage:
    """The kept books of one side."""
    return run.stage(
        "corpus",
        write_overlap,
        v=5,
        label=f"corpus {side}",
        priority=BOOKS_FIRST,
        own=own,
        other=other,
        side=read_as,
        settings=settings,
    )


def book_ids(run: Pipeline, side: str) -> list[str]:
    """The ids of the books that were found on a side, kept or not."""
    files = run.labelled(f"ingest {side}").arguments["books"].value
    return [book.book_id for book in files]

"""The books of a run by side, and the stages that read them."""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.corpus.collect import InputSettings, collect, refuse_sentences
from cloze_gen.corpus.folder import Location, check_apart
from cloze_gen.corpus.ingest import BOOK_VERSION, write_ingest
from cloze_gen.corpus.inspect import summary
from cloze_gen.corpus.overlap import OverlapSettings, write_overlap
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.corpus.splits import books_of_split
from cloze_gen.engine.progress import say
from cloze_gen.errors import NoBooksError, UsageError
from cloze_gen.pipelines.stage import Content, Pipeline, Stage
from cloze_gen.release.style import Style
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.tables import escape_cell

SIDES = ("train", "source", "books")
_OTHER_SIDE = {"train": "source", "source": "train"}


class BookSettings(SettingsGroup):
    """The first groups of the settings of every style."""

    input: InputSettings = InputSettings()
    ingest: IngestSettings = IngestSettings()
    overlap: OverlapSettings = OverlapSettings()


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
        foreign = next((side for side in given if side not in style.sides), "")
        alone = style.own_background is not None and list(given) == [style.drawn_from]
        if not foreign and (alone or len(given) in {0, len(style.sides)}):
            return cls(style, given)
        options = " and ".join(f"--{side}" for side in style.sides)
        if style.own_background:
            options += f", --{style.drawn_from} alone (its books are then the training books too)"
        advice = f"Give {options}, or none to use the embedded sample."
        if foreign:
            advice = f"--{foreign}: {style.name} does not read it. {advice}"
        if foreign and len(given) == 1:
            advice += f" Did you mean --{style.drawn_from} {given[foreign]}?"
        raise UsageError(advice)

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


def find_books(run: Pipeline, location: Location, settings: InputSettings, *, side: str) -> Content:
    """The books of a location; prints what is there and what is not read."""
    check_apart(run.store.root, location)
    found = collect(
        location, run.store, settings=settings, workers=run.workers, scratch=run.scratch
    )
    for line in summary(found):
        say(f"{side}: {line}")
    files = books_of_split(found.books, side) if settings.keep_splits else found.books
    if len(files) < len(found.books):
        say(f"{side}: {len(files):,} of these books, by the splits")
    digests = {f"{book.book_id} {escape_cell(book.place)}": book.digest for book in files}
    return Content(files, digests)


def corpora(run: Pipeline, books: Books, s: BookSettings) -> dict[str, Stage]:
    """Side -> its kept books: each once and, of the source, none that is a training book.

    Both sides are one artifact if the source books are the training books too.
    """
    sides = {side: books.read_as(side) for side in books.style.sides}
    for side in sides.values():  # of all sides, before the first one writes texts
        check_apart(run.store.root, books.location(side))
    found = {side: _find(run, books, side, s.input) for side in dict.fromkeys(sides.values())}
    ingested = {
        side: ingest(run, found[read_as], side, settings=s.ingest)
        for side, read_as in sides.items()
    }
    kept = {}
    # the side that loses its books looks for those of the other; the source side, if none does
    loser = "train" if s.overlap.across == "drop_train" else "source"
    for side, stage in ingested.items():
        looks_across = side == loser and not books.own_background
        other = ingested[_OTHER_SIDE[side]] if looks_across else None
        keep_across = other is not None and s.overlap.across == "keep"
        kept[side] = corpus(run, stage, side, sides[side], other=other, keep_across=keep_across)
    return kept


def _find(run: Pipeline, books: Books, side: str, settings: InputSettings) -> Content:
    try:
        found = find_books(run, books.location(side), settings, side=side)
    except NoBooksError as error:
        if side == "train" and books.style.own_background:
            advice = "If you have no background, leave out --train."
            raise UsageError(f"{error} {advice}") from None
        raise
    if side != "train":
        refuse_sentences(found.value, f"--{side}")
    return found


def ingest(run: Pipeline, books: Content, side: str, *, settings: IngestSettings) -> Stage:
    """Read the books of a side."""
    return run.stage(
        "ingest",
        write_ingest,
        v=BOOK_VERSION,
        label=f"ingest {side}",
        books=books,
        settings=settings,
    )


def corpus(
    run: Pipeline,
    own: Stage,
    side: str,
    read_as: str,
    *,
    other: Stage | None = None,
    keep_across: bool = False,
) -> Stage:
    """The kept books of one side."""
    return run.stage(
        "corpus",
        write_overlap,
        v=8,
        label=f"corpus {side}",
        own=own,
        other=other,
        side=read_as,
        keep_across=keep_across,
    )


def book_ids(run: Pipeline, side: str) -> list[str]:
    """The ids of the books that were found on a side, kept or not."""
    return [book.book_id for book in run.labelled(f"ingest {side}").arguments["books"].value]

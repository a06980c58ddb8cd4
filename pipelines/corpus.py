"""The stages that styles share: books, counts, training text, tags, parts, and models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import luigi

from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.adapters.spacy_tagger import tagger_identity
from cloze_gen.config import settings_dict
from cloze_gen.corpus.folder import check_apart
from cloze_gen.corpus.frequencies import write_counts, write_tagged_counts
from cloze_gen.corpus.ingest import BOOK_VERSION, write_ingest
from cloze_gen.corpus.inspect import summary
from cloze_gen.corpus.location import Location
from cloze_gen.corpus.offensive_words import words_digest
from cloze_gen.corpus.option_words import OptionLimits
from cloze_gen.corpus.overlap import write_overlap
from cloze_gen.corpus.partition import write_part, write_partition
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.scan import BookFile, listing_digest, read_digests, refuse_sentences, scan
from cloze_gen.corpus.splits import books_of_split
from cloze_gen.corpus.tagging import write_tagging
from cloze_gen.corpus.training_text import write_training_text
from cloze_gen.engine.progress import say
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import NoBooksError, UsageError
from cloze_gen.models.contexts import (
    Background,
    background_of,
    builtin_words_facts,
    write_context_vectors,
)
from cloze_gen.models.held_out import (
    write_held_out_contexts,
    write_held_out_indexes,
    write_held_out_models,
)
from cloze_gen.models.language_model import write_index, write_language_model
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.pipelines.task import StageTask
from cloze_gen.records.passage import Part
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.store.tables import escape_cell

# Luigi's priority: faults in the books of either side are reported before long stages start
BOOKS_FIRST = 2


def scanned(
    location: Location, settings: InputSettings, side: str
) -> tuple[tuple[BookFile, ...], tuple[str, ...]]:
    """The books of a location with their digests; prints what was found and what is not read."""
    found = scan(location, settings=settings)
    for line in summary(found):
        say(f"{side}: {line}")
    books = books_of_split(found.books, side) if settings.keep_splits else found.books
    if len(books) < len(found.books):
        say(f"{side}: {len(books):,} of these books, by the splits")
    return books, read_digests(books)


class OneSide(StyleTask):
    """A stage for each side of the books."""

    side = luigi.Parameter(description="train, source or books")

    @property
    def label(self) -> str:
        return f"{self.stage} {self.side}"


class Ingest(OneSide):
    stage = "ingest"
    group = "ingest"
    priority = BOOKS_FIRST

    def books_found(self) -> tuple[tuple[BookFile, ...], tuple[str, ...]]:
        """The books with their digests; none may be a run's own file."""
        location = self.location(self.side)
        check_apart(Path(self.out), location)
        side = self.of_style.drawn_from if self.is_own_background else self.side
        try:
            books, digests = self.build.once(scanned, location, self.all_settings.input, side)
        except NoBooksError as error:
            if self.side == "train" and self.of_style.own_background:
                raise UsageError(f"{error} If you have no background, leave out --train.") from None
            raise
        if side != "train":
            refuse_sentences(books, f"--{side}")
        return books, digests

    def digests(self) -> dict[str, str]:
        books, digests = self.books_found()
        return {
            " ".join(
                filter(None, (book.book_id, escape_cell(book.file), book.member, book.kind))
            ): digest
            for book, digest in zip(books, digests, strict=True)
        }

    def settings(self) -> dict[str, Any]:
        return super().settings() | {
            "book_version": BOOK_VERSION,
            "manifest": listing_digest(*self.books_found()),
        }

    def work(self, writer: ArtifactWriter, ctx: StageContext) -> None:
        books, digests = self.books_found()
        write_ingest(writer, ctx, books=books, digests=digests, settings=self.own)


class Corpus(OneSide):
    """The kept books of one side, without duplicates and (by default) training books."""

    stage = "corpus"
    group = "overlap"
    version = 4
    priority = BOOKS_FIRST
    write = staticmethod(write_overlap)

    def inputs(self) -> dict[str, StageTask]:
        other = (
            None
            if self.is_own_background
            else {"train": "source", "source": "train"}.get(self.side)
        )
        looks_across = self.side == "source" or self.own.across == "drop_train"
        others = (
            {"other": self.clone(Ingest, side=other)}
            if other in self.of_style.sides and looks_across
            else {}
        )
        return {"own": self.clone(Ingest, side=self.side)} | others

    def settings(self) -> dict[str, Any]:
        """With cross-fitting both sides are one artifact."""
        return super().settings() | {
            "side": self.of_style.drawn_from if self.is_own_background else self.side
        }

    def artifacts(self) -> dict[str, Any]:
        return {"other": None} | super().artifacts()

    def given(self) -> dict[str, Any]:
        return super().given() | {"side": self.settings()["side"]}


class OverTrainingBooks(StyleTask):
    def training_books(self) -> StageTask:
        task = self.of_style.training
        return self.clone(Corpus, side="train") if task is None else self.clone(task)

    def inputs(self) -> dict[str, StageTask]:
        return {"corpus": self.training_books()} | super().inputs()


class Counts(OverTrainingBooks):
    """Surface and case-folded counts of the training books."""

    stage = "counts"
    write = staticmethod(write_counts)


class TrainingText(OverTrainingBooks):
    stage = "text"
    needs = {"counts": Counts}
    write = staticmethod(write_training_text)


class Tagging(OneSide):
    """One Penn tag a token; an artifact a book."""

    stage = "tagging"
    group = "tagger"
    not_covered = frozenset({"name"})  # covered with the versions of its parts
    write = staticmethod(write_tagging)

    def inputs(self) -> dict[str, StageTask]:
        return {"corpus": self.clone(Corpus, side=self.side)}

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"tagger": tagger_identity(self.own.name)}

    def given(self) -> dict[str, Any]:
        return super().given() | {"identity": tagger_identity(self.own.name)}


class TaggedCounts(StyleTask):
    stage = "tagged_counts"
    needs = {"tagging": (Tagging, "train"), "counts": Counts}
    write = staticmethod(write_tagged_counts)


class Partition(StyleTask):
    stage = "partition"
    group = "partition"
    version = 2
    draws = True
    not_covered = frozenset({"offensive_words"})  # covered by its words
    needs = {"corpus": (Corpus, "books")}
    write = staticmethod(write_partition)

    def settings(self) -> dict[str, Any]:
        return (
            super().settings()
            | {"offensive_words": words_digest(self.own.offensive_words)}
            | self.splits()
        )

    def splits(self) -> dict[str, bool]:
        return {"keep_splits": True} if self.all_settings.input.keep_splits else {}

    def given(self) -> dict[str, Any]:
        return super().given() | self.splits()


class TrainingNovels(StyleTask):
    stage = "training_novels"
    needs = {"partition": Partition}
    write = staticmethod(write_part)

    def given(self) -> dict[str, Any]:
        return {"part": Part.TRAIN}


class OfTrainingText(StyleTask):
    """A model of the training text; with cross-fitting one for each group."""

    def inputs(self) -> dict[str, StageTask]:
        corpus = {"corpus": self.clone(Corpus, side="train")} if self.is_own_background else {}
        return super().inputs() | corpus

    def cross_fitting(self) -> dict[str, int]:
        """Number of groups for cross-fitting."""
        return {"groups": self.all_settings.cross_fitting.groups} if self.is_own_background else {}

    def of_groups(self) -> dict[str, int]:
        return {f"n_{name}": value for name, value in self.cross_fitting().items()}


class LanguageModel(OfTrainingText):
    """KenLM's modified Kneser-Ney model."""

    stage = "lm"
    group = "lm"
    priority = 1  # before what can be done while lmplz works
    outside = True
    not_covered = frozenset({"memory"})  # the model is the same whatever the memory
    needs = {"text": TrainingText}

    def settings(self) -> dict[str, Any]:
        return super().settings() | self.cross_fitting()

    def look_ahead(self) -> None:
        find_lmplz()

    def given(self) -> dict[str, Any]:
        ahead = {"meanwhile": self.build.run_those_ready}
        return super().given() | ahead | self.of_groups()

    def work(self, writer: ArtifactWriter, ctx: StageContext) -> None:
        write = write_held_out_models if self.is_own_background else write_language_model
        write(writer, ctx, **self.artifacts(), **self.given())


class Index(StyleTask):
    stage = "index"
    needs = {"model": LanguageModel}

    def work(self, writer: ArtifactWriter, ctx: StageContext) -> None:
        write = write_held_out_indexes if self.is_own_background else write_index
        write(writer, ctx, **self.artifacts())


class Contexts(OfTrainingText):
    """The context space of the style's `context_words`: similarity, topic, frames, neighbours."""

    stage = "contexts"
    group = "contexts"
    version = 8
    needs = {"text": TrainingText, "counts": Counts}

    def settings(self) -> dict[str, Any]:
        builtin = (
            {}
            if background_of(self.own) is Background.CORPUS
            else {"builtin_words": builtin_words_facts()["sha256"]}
        )
        limited = {
            name: value
            for name, value in settings_dict(self.all_settings.context_words).items()
            if hasattr(OptionLimits, name)
        }
        return super().settings() | builtin | self.cross_fitting() | limited

    def given(self) -> dict[str, Any]:
        return super().given() | {"limits": self.all_settings.context_words} | self.of_groups()

    def work(self, writer: ArtifactWriter, ctx: StageContext) -> None:
        write = write_held_out_contexts if self.is_own_background else write_context_vectors
        write(writer, ctx, **self.artifacts(), **self.given())

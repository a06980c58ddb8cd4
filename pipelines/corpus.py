"""The tasks that every style shares: books, overlap, counts, training text, tags. Two sets on one corpus share their artifacts."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import luigi

from cloze_gen.adapters.tagger_identity import tagger_identity
from cloze_gen.config import settings_dict
from cloze_gen.engine.progress import say
from cloze_gen.pipelines.style_task import StyleTask
from cloze_gen.pipelines.task import StageTask
from cloze_gen.stages.corpus.counts import write_counts
from cloze_gen.stages.corpus.ingest import BOOK_VERSION, write_ingest
from cloze_gen.stages.corpus.overlap import write_overlap
from cloze_gen.stages.corpus.tagged_counts import write_tagged_counts
from cloze_gen.stages.corpus.tags import write_tagging
from cloze_gen.stages.corpus.training_text import write_training_text
from cloze_gen.stages.room import Room
from cloze_gen.store.articles import article_books, is_texts_folder, write_articles
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.store.corpus import BookFile, book_digest, listing_digest, scan_corpus
from cloze_gen.store.corpus_folder import check_apart
from cloze_gen.store.tables import escape_cell

BOOKS_FIRST = 2  # Luigi's priority: what is wrong with the books of either side is told before the long work begins


@functools.lru_cache(maxsize=4)
def scanned(folder: str) -> tuple[tuple[BookFile, ...], tuple[str, ...]]:
    """The books of a folder with the digests of their files, read once a process; says then what in the folder is not read."""
    books = scan_corpus(Path(folder), notice=say)
    return tuple(books), tuple(book_digest(book) for book in books)


class OneSide(StyleTask):
    """A stage that each side of the books has."""

    side = luigi.Parameter(description="train, source or books")

    @property
    def label(self) -> str:
        return f"{self.stage} {self.side}"


class Ingest(OneSide):
    """Raw bytes to sentences of tokens, one artifact a book, one audit row a book."""

    stage = "ingest"
    group = "ingest"
    priority = BOOKS_FIRST

    def books_found(self) -> tuple[tuple[BookFile, ...], tuple[str, ...]]:
        """The books with their digests, once it is sure that no run's own file is among them."""
        folder, articles = self.folder(self.side), self.articles(self.side)
        if not is_texts_folder(Path(folder), self.store):
            check_apart(Path(self.out), Path(folder))
        elif articles is not None:
            check_apart(Path(self.out), Path(getattr(self, self.side)))
            return tuple(article_books(articles, self.store)), tuple(article.digest for article in articles)
        return scanned(folder)

    def digests(self) -> dict[str, str]:
        books, digests = self.books_found()
        return {f"{book.book_id} {escape_cell(book.file)}": digest for book, digest in zip(books, digests, strict=True)}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.own) | {"book_version": BOOK_VERSION, "manifest": listing_digest(*self.books_found())}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        books, digests = self.books_found()
        if articles := self.articles(self.side):
            write_articles(articles, self.store, say=room.say)
        write_ingest(writer, room, books=books, digests=digests, settings=self.own)
        if is_texts_folder(Path(self.folder(self.side)), self.store):
            writer.holds = sorted({*writer.holds, f"../{Path(self.folder(self.side)).parent.name}"})


class Corpus(OneSide):
    """The books of one side that go on: no book twice, and by default no source book that the training side holds."""

    stage = "corpus"
    group = "overlap"
    version = 3
    priority = BOOKS_FIRST

    def inputs(self) -> dict[str, StageTask]:
        other = None if self.is_own_background else {"train": "source", "source": "train"}.get(self.side)
        looks_across = self.side == "source" or self.own.across == "drop_train"
        others = {"other": self.clone(Ingest, side=other)} if other in self.of_style.sides and looks_across else {}
        return {"own": self.clone(Ingest, side=self.side)} | others

    def settings(self) -> dict[str, Any]:
        """Of books that are their own background both sides are one artifact."""
        return settings_dict(self.own) | {"side": self.of_style.drawn_from if self.is_own_background else self.side}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        inputs = self.artifacts()
        write_overlap(writer, room, own=inputs["own"], other=inputs.get("other"), side=self.settings()["side"], settings=self.own)


class OverTrainingBooks(StyleTask):
    """A stage over the books that models are made of."""

    def training_books(self) -> StageTask:
        """The kept books that models are made of."""
        task = self.of_style.training
        return self.clone(Corpus, side="train") if task is None else self.clone(task)

    def inputs(self) -> dict[str, StageTask]:
        return {"corpus": self.training_books()} | super().inputs()


class Counts(OverTrainingBooks):
    """Surface and case-folded counts of the training books."""

    stage = "counts"
    write = staticmethod(write_counts)


class TrainingText(OverTrainingBooks):
    """The training sentences as plain text and as numbers."""

    stage = "text"
    needs = {"counts": Counts}
    write = staticmethod(write_training_text)


class Tagging(OneSide):
    """One Penn tag a token, kept one artifact a book."""

    stage = "tagging"
    group = "tagger"

    def inputs(self) -> dict[str, StageTask]:
        return {"corpus": self.clone(Corpus, side=self.side)}

    def settings(self) -> dict[str, Any]:
        return {"tagger": tagger_identity(self.own.name)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_tagging(writer, room, corpus=self.artifact("corpus"), settings=self.own, identity=tagger_identity(self.own.name))


class TaggedCounts(StyleTask):
    """Counts of (form, tag) and (lemma, class) in the training books."""

    stage = "tagged_counts"
    needs = {"tagging": (Tagging, "train"), "counts": Counts}
    write = staticmethod(write_tagged_counts)

    @property
    def label(self) -> str:
        return "tagged counts"

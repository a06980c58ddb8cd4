"""The tasks that every style shares: books, overlap, counts, training text. Two datasets on one corpus share their artifacts."""

from __future__ import annotations

import functools
import importlib
import importlib.resources
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast

import luigi
from pydantic import BaseModel

from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.config import parse_settings, settings_dict
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.notation import reason, shown
from cloze_gen.pipelines.task import StageTask, parse_overrides
from cloze_gen.stages.corpus.counts import write_counts
from cloze_gen.stages.corpus.ingest import BOOK_VERSION, write_ingest
from cloze_gen.stages.corpus.overlap import OverlapSettings, write_overlap
from cloze_gen.stages.corpus.training_text import write_training_text
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import ArtifactWriter
from cloze_gen.store.corpus import BookFile, book_digest, listing_digest, scan_corpus
from cloze_gen.store.corpus_folder import check_apart
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.tables import escape_cell
from cloze_gen.text.parse_book import IngestSettings

_MAX_CONFIG_BYTES = 1024 * 1024  # a style has some fifty settings
BOOKS_FIRST = 2  # Luigi's priority: what is wrong with the books of either side is told before the long work begins


class CorpusSettings(Protocol):
    """What the shared tasks read of a style's settings."""

    ingest: IngestSettings
    overlap: OverlapSettings


@functools.lru_cache(maxsize=8)
def load_settings(model: type[BaseModel], config: str, overrides: str) -> Any:
    """The settings of a built-in config or a TOML file, with the command line's overrides."""
    return parse_settings(model, config_text(config), where=config, overrides=parse_overrides(overrides))


def is_config_file(config: str) -> bool:
    """Whether a config is meant as a file; else it is the name of a built-in one."""
    return Path(config).suffix == ".toml" or "/" in config


def config_text(config: str) -> str:
    """The TOML of a built-in config, or of a file.

    Raises:
        UsageError: there is no such config, or its file cannot be read.
    """
    if is_config_file(config):
        try:
            return read_regular_text(config, encoding="utf-8-sig", max_bytes=_MAX_CONFIG_BYTES)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"{shown(config, most_chars=200)}: cannot be read as a config ({reason(error)}). Give the path of a UTF-8 TOML file."
            ) from None
    folder = importlib.resources.files("cloze_gen.configs")
    known = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    if config not in known:
        raise UsageError(f"{shown(config)}: no built-in config of this name. Known: {', '.join(known)}; or give the path of a .toml file.")
    return (folder / f"{config}.toml").read_text(encoding="utf-8")


@functools.lru_cache(maxsize=4)
def scanned(folder: str) -> tuple[tuple[BookFile, ...], tuple[str, ...]]:
    """The books of a folder with the digests of their files, read once a process; says then what in the folder is not read."""
    books = scan_corpus(Path(folder), notice=say)
    return tuple(books), tuple(book_digest(book) for book in books)


@functools.lru_cache(maxsize=4)
def tagger_identity(name: str) -> str:
    """Name and content of a tagger, for fingerprints; loads it once a process."""
    return load_tagger(name).identity


class StyleTask(StageTask):
    """A stage of a dataset style, which it knows by its module."""

    style = luigi.Parameter(description="module of the style in cloze_gen.pipelines")

    @property
    def all_settings(self) -> Any:
        style = _style(self.style)
        if bool(self.train) != bool(self.source):
            raise UsageError("give both --train and --source, or neither (then the embedded sample serves)")
        config = self.config or (style.default_config if self.train else style.sample_config)
        return load_settings(style.model, config, self.overrides)

    def folder(self, side: str) -> str:
        given = self.train if side == "train" else self.source
        return given or str(importlib.resources.files("cloze_gen.corpora") / "sample" / side)


class Style(Protocol):
    """What a stage reads of its style, the class of its run."""

    model: ClassVar[type[BaseModel]]
    default_config: ClassVar[str]
    sample_config: ClassVar[str]


@functools.cache
def _style(name: str) -> Style:
    return cast("Style", importlib.import_module(f"cloze_gen.pipelines.{name}").STYLE)


class Ingest(StyleTask):
    """Raw bytes to sentences of tokens, one artifact a book, one audit row a book."""

    stage = "ingest"
    priority = BOOKS_FIRST
    side = luigi.ChoiceParameter(choices=["train", "source"])

    @property
    def label(self) -> str:
        return f"ingest {self.side}"

    def books(self) -> tuple[tuple[BookFile, ...], tuple[str, ...]]:
        """The books with their digests, once it is sure that no run's own file is among them."""
        folder = self.folder(self.side)
        check_apart(Path(self.out), Path(folder))
        return scanned(folder)

    def digests(self) -> dict[str, str]:
        books, digests = self.books()
        return {f"{book.book_id} {escape_cell(book.file)}": digest for book, digest in zip(books, digests, strict=True)}

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.ingest) | {"book_version": BOOK_VERSION, "manifest": listing_digest(*self.books())}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        books, digests = self.books()
        write_ingest(writer, room, books=books, digests=digests, settings=self.all_settings.ingest)


class Corpus(StyleTask):
    """The books of one side that go on: no book twice, and by default no source book that the training side holds."""

    stage = "corpus"
    version = 2
    priority = BOOKS_FIRST
    side = luigi.ChoiceParameter(choices=["train", "source"])

    @property
    def label(self) -> str:
        return f"corpus {self.side}"

    def inputs(self) -> dict[str, StageTask]:
        other = "source" if self.side == "train" else "train"
        own = {"own": self.clone(Ingest, side=self.side)}
        looks_across = self.side == "source" or self.all_settings.overlap.across == "drop_train"
        return own | ({"other": self.clone(Ingest, side=other)} if looks_across else {})

    def settings(self) -> dict[str, Any]:
        return settings_dict(self.all_settings.overlap) | {"side": self.side}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        other = self.artifact("other") if "other" in self.inputs() else None
        write_overlap(writer, room, own=self.artifact("own"), other=other, side=self.side, settings=self.all_settings.overlap)


class Counts(StyleTask):
    """Surface and case-folded counts of the training books."""

    stage = "counts"

    def inputs(self) -> dict[str, StageTask]:
        return {"corpus": self.clone(Corpus, side="train")}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_counts(writer, room, corpus=self.artifact("corpus"))


class TrainingText(StyleTask):
    """The training sentences as plain text and as numbers."""

    stage = "text"

    def inputs(self) -> dict[str, StageTask]:
        return {"corpus": self.clone(Corpus, side="train"), "counts": self.clone(Counts)}

    def work(self, writer: ArtifactWriter, room: Room) -> None:
        write_training_text(writer, room, corpus=self.artifact("corpus"), counts=self.artifact("counts"))

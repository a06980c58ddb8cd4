"""Places: in which kinds of places the training books put every content word."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.places import CLASSES, use_of
from cloze_gen.english.token_kinds import Kind, kind_of
from cloze_gen.recipes.scs.stages.vocabulary import read_vocabulary
from cloze_gen.recipes.scs.steps.places import PlacesSettings, PlaceTable
from cloze_gen.stages.corpus.book_files import SENTENCES
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.tags import TAGS, lemma_pair, tag_folders
from cloze_gen.stages.room import Room
from cloze_gen.stats.lemma_counts import Pair
from cloze_gen.stats.place_counts import count_places, join_keys, split_keys, sum_counts
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.tables import read_parquet, write_parquet
from cloze_gen.text.normalize import LINE_END_HYPHEN

PLACES = "places.parquet"


@dataclass(frozen=True, slots=True)
class BookPlaces:
    """One tagged book whose places a worker counts.

    Attributes:
        folder: the ingested book.
        tags: its tags.
        vocabulary: folder of the content vocabulary.
    """

    folder: Path
    tags: Path
    vocabulary: Path


@functools.lru_cache(maxsize=1)
def _rows(folder: Path) -> dict[Pair, int]:
    return {pair: row for row, pair in enumerate(read_vocabulary(open_artifact(folder)))}


def count_book(shard: BookPlaces) -> tuple[np.ndarray, np.ndarray]:
    """Counts of one book, headings left out, as `count_places` gives them."""
    lines, kinds = (read_parquet(shard.folder / SENTENCES, columns=[name])[name].to_pylist() for name in ("tokens", "kind"))
    tagged = read_parquet(shard.tags / TAGS)["tags"].to_pylist()
    prose = [i for i, kind in enumerate(kinds) if kind != "heading"]
    # A full stop between sentences: `END`, as it is at the ends of a sentence that is asked.
    text = " . ".join(["", *(lines[i].replace(LINE_END_HYPHEN, "") for i in prose), ""]).split()
    tags = " . ".join(["", *(tagged[i] for i in prose), ""]).split()
    words, word_at = _numbered(text)
    names, name_at = _numbered(tags)
    types, at = np.unique(word_at * len(names) + name_at, return_inverse=True)
    pairs = [(words[i], names[j]) for i, j in zip(*np.divmod(types, len(names)), strict=True)]
    facts = np.array([_facts(word, tag, _rows(shard.vocabulary)) for word, tag in pairs], np.int64)
    kind, own, use, row = facts[at].T
    printed = kind != Kind.UNPRINTED
    return count_places(kind[printed], classes=own[printed], uses=use[printed], rows=row[printed])


def _numbered(tokens: list[str]) -> tuple[list[str], np.ndarray]:
    encoded = pa.array(tokens, pa.string()).dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


def _facts(token: str, tag: str, rows: dict[Pair, int]) -> tuple[int, int, int, int]:
    """Kind, and of a word of the vocabulary its class, its use by its tag and its row."""
    kind, name = kind_of(token, tag), coarse_class(tag)
    row = rows.get(lemma_pair(token, tag), -1) if name in CLASSES else -1
    return (kind, CLASSES.index(name), use_of(tag, 0), row) if row >= 0 else (kind, -1, 0, -1)


def write_places(writer: ArtifactWriter, room: Room, *, corpus: Artifact, tagging: Artifact, vocabulary: Artifact) -> None:
    """Write `places.parquet`, how often each content word stands in each kind of place.

    Columns: `row` of the pair in the vocabulary, `use` (a verb's voice, another word's inflection), codes of what stands `left` and `right`
    (`english.places`), `count`.
    """
    folders = tag_folders(tagging)
    shards = [BookPlaces(book_folder(corpus, row), folders[row["book_id"]], vocabulary.folder) for row in kept_books(corpus)]
    keys, counts = sum_counts(room.map(count_book, shards, unit="books"))
    names = ("row", "use", "left", "right")
    columns = {name: pa.array(part, pa.int32()) for name, part in zip(names, split_keys(keys), strict=True)}
    writer.rows[PLACES] = write_parquet(writer.path(PLACES), columns | {"count": pa.array(counts, pa.int64())})
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    room.say(f"{int(counts.sum()):,} content words in {len(keys):,} (word, place) pairs")


def read_places(artifact: Artifact, *, pairs: list[Pair], settings: PlacesSettings) -> PlaceTable:
    """The table that says what places words take."""
    columns = [column.to_numpy() for column in read_parquet(artifact.path(PLACES)).columns]
    return PlaceTable(pairs, keys=join_keys(*columns[:4]), counts=columns[4], settings=settings)

"""Tags of books, stored by each book's digest: one Penn tag a token, and counts of (token, tag)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cloze_gen.adapters.inflector import lemmatize
from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.corpus.books import SENTENCES, book_folder, kept_books
from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.paragraphs import HEADING
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.treebank import host
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import read_parquet, read_tsv, write_parquet, write_tsv

TAGS_VERSION = 3
TAGS, TAGGED_TYPES, BOOK_TAGS = "tags.parquet", "types.parquet", "books.tsv"


@dataclass(frozen=True, slots=True)
class TagShard:
    out: Path
    book: Path
    tagger_identity: str

    @property
    def key(self) -> StageKey:
        folder, item = self.book.parts[-2:]
        return StageKey(
            "tags", TAGS_VERSION, {"tagger": self.tagger_identity}, {"book": folder}, item=item
        )


def tag_book(shard: TagShard) -> int:
    """Tag one book unless that is done; returns its number of tokens. Broken tokens are tagged
    joined: a book's tags depend on the book alone.
    """
    store = Store(shard.out)
    if not store.is_complete(shard.key):
        columns = read_parquet(shard.book / SENTENCES, columns=["tokens", "kind"])
        lines = pc.split_pattern(columns["tokens"].combine_chunks(), " ")
        lengths = pc.list_value_length(lines).to_numpy().astype(np.int64)
        tags = _tags_of(lines.flatten(), lengths)
        joined = pc.binary_join(pa.ListArray.from_arrays(lines.offsets, tags), " ")
        prose = np.repeat(pc.not_equal(columns["kind"], HEADING).to_numpy(), lengths)
        pairs = pa.table({"word": lines.flatten(), "tag": tags}).filter(prose)
        types = pairs.group_by(["word", "tag"], use_threads=False).aggregate([([], "count_all")])
        counts = types.rename_columns(["word", "tag", "count"])
        with store.writing(shard.key) as writer:
            if writer is not None:
                writer.rows[TAGS] = write_parquet(writer.path(TAGS), {"tags": joined})
                writer.rows[TAGGED_TYPES] = write_parquet(writer.path(TAGGED_TYPES), counts)
                writer.facts["tokens"] = len(tags)
                writer.note_libraries("spacy", "pyarrow")
    return int(store.open(shard.key).facts["tokens"])


def _tags_of(tokens: pa.StringArray, lengths: NDArray[np.int64]) -> pa.StringArray:
    """The tag of each token of sentences of these lengths."""
    encoded = tokens.dictionary_encode()
    words = [word.replace(LINE_END_HYPHEN, "") or word for word in encoded.dictionary.to_pylist()]
    tagger = load_tagger()
    tags = tagger.tag_encoded(words, encoded.indices.to_numpy(), lengths)
    return pa.array(tagger.labels).take(pa.array(tags))


def write_tagging(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    corpus: Artifact,
    tagger_identity: str,
) -> None:
    """Tag the kept books of a corpus and list them in `books.tsv`; each book is an artifact of
    `tags.parquet` (a line a sentence) and `types.parquet` (headings excluded).
    """
    rows = kept_books(corpus)
    shards = [
        TagShard(ctx.store.root, book_folder(corpus, row).resolve(), tagger_identity)
        for row in rows
    ]
    tokens = sum(ctx.map(tag_book, shards, unit="books"))
    folders = [f"../{shard.key.folder_name}" for shard in shards]
    books = [row["book_id"] for row in rows]
    writer.rows[BOOK_TAGS] = write_tsv(
        writer.path(BOOK_TAGS), ("book_id", "folder"), zip(books, folders, strict=True)
    )
    writer.holds = sorted(set(folders))
    writer.facts |= {"tagger": tagger_identity, "tokens": tokens}
    ctx.say(f"{tokens:,} tokens of {len(books)} books by {tagger_identity}")


def tag_folders(tagging: Artifact) -> dict[str, Path]:
    return {
        row["book_id"]: tagging.folder / row["folder"] for row in read_tsv(tagging.path(BOOK_TAGS))
    }


@dataclass(frozen=True, slots=True)
class TaggedBook:
    """A book, its folder, and the folder of its tags."""

    id: str
    folder: Path
    tags: Path


def tagged_books(corpus: Artifact, tagging: Artifact) -> list[TaggedBook]:
    """The kept books of a corpus."""
    tags = tag_folders(tagging)
    return [
        TaggedBook(row["book_id"], book_folder(corpus, row), tags[row["book_id"]])
        for row in kept_books(corpus)
    ]


# the (token, tag) pairs of a corpus; most are looked up thousands of times
@functools.lru_cache(maxsize=500_000)
def lemma_pair(token: str, tag: str) -> Pair:
    """(lemma, class) of a token's host; lower-cased for proper nouns too.

    >>> lemma_pair("mother's", "NN"), lemma_pair("Went", "VBD")
    (('mother', 'noun'), ('go', 'verb'))
    """
    return lemmatize(host(token), tag).lower(), coarse_class(tag)

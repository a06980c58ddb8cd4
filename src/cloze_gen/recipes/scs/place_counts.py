"""The `places` stage: how often each word of the vocabulary has each place in the training books."""

from __future__ import annotations

import functools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.books import SENTENCES
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.tagging import TAGS, TaggedBook, lemma_pair, tagged_books
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.recipes.scs.places import find_places, token_codes
from cloze_gen.recipes.scs.token_kinds import Kind
from cloze_gen.recipes.scs.vocabulary import read_vocabulary
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.schema import Column, Table
from cloze_gen.store.tables import read_parquet

_MERGED_AT_ONCE = 24  # books' counts, held until they are summed

PLACES = Table(
    "places.parquet",
    "One row a word and kind of place.",
    Column("row", pa.int32(), "row of the pair in `vocabulary.parquet`, from 0"),
    Column(
        "use",
        pa.int32(),
        "verb: 0 active, 1 passive, 2 attributive; others: index of the tag, such as 0 JJ, 1 JJR, "
        "2 JJS",
    ),
    Column(
        "left",
        pa.int32(),
        "kind of the tokens before, by its number (`recipes/scs/token_kinds.py`)",
    ),
    Column(
        "right",
        pa.int32(),
        "kind of the tokens after; of a verb in a clause two kinds, `first * N_KINDS + second`",
    ),
    Column("count", pa.int64(), "tokens"),
)
_PLACE = ["row", "use", "left", "right"]


def count_book(book: TaggedBook, *, vocabulary: Artifact) -> pa.Table:
    """Rows of `PLACES` for one book."""
    row_of = {pair: row for row, pair in enumerate(read_vocabulary(vocabulary))}
    sentences = read_parquet(book.folder / SENTENCES, columns=["tokens", "kind"])
    prose = pc.not_equal(sentences["kind"], "heading")
    lines = pc.replace_substring(sentences["tokens"].filter(prose), LINE_END_HYPHEN, "")
    words = _between_stops(lines)
    tags = _between_stops(read_parquet(book.tags / TAGS)["tags"].filter(prose))
    types = pc.binary_join_element_wise(words, tags, " ").dictionary_encode()
    codes = []
    for text in types.dictionary.to_pylist():
        token, tag = text.split(" ")
        codes.append((*token_codes(token, tag), row_of.get(lemma_pair(token, tag), -1)))
    return count_places(np.array(codes, np.int64)[types.indices.to_numpy()])


def _between_stops(lines: pa.ChunkedArray) -> pa.Array:
    """The tokens of all sentences; full stops around each, which have the kind `END`."""
    stopped = pc.binary_join_element_wise(".", lines, ".", " ")
    return pc.split_pattern(stopped.combine_chunks(), " ").flatten()


def count_places(tokens: np.ndarray) -> pa.Table:
    """Rows of `PLACES` for a text.

    `tokens`: `token_codes` and the row in the vocabulary (-1: none) of each, shape (tokens, 4).
    """
    kinds, classes, inflections, rows = tokens[tokens[:, 0] != Kind.UNPRINTED].T
    places = find_places(kinds, classes, inflections)
    here = rows >= 0
    columns = {name: codes[here] for name, codes in places._asdict().items()}
    columns |= {"row": rows[here], "count": np.ones(here.sum(), np.int64)}
    return _summed([PLACES.arrow(columns)])


def _summed(pieces: list[pa.Table]) -> pa.Table:
    groups = pa.concat_tables(pieces).group_by(_PLACE, use_threads=False)
    return groups.aggregate([("count", "sum")]).rename_columns(PLACES.names)


def write_places(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    corpus: Artifact,
    tagging: Artifact,
    vocabulary: Artifact,
) -> None:
    books = tagged_books(corpus, tagging)
    count = functools.partial(count_book, vocabulary=vocabulary)
    pieces = [PLACES.schema.empty_table()]
    for piece in ctx.map(count, books, unit="books"):
        pieces.append(piece)
        if len(pieces) == _MERGED_AT_ONCE:
            pieces = [_summed(pieces)]
    total = _summed(pieces).sort_by([(name, "ascending") for name in _PLACE])
    PLACES.write(writer, {name: total[name] for name in PLACES.names})
    writer.note_libraries("numpy", "pyarrow")
    n_words = int(total["count"].to_numpy().sum())
    ctx.say(f"{n_words:,} content words in {total.num_rows:,} (word, place) pairs")

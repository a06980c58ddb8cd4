"""The `places` stage: how often each word of the vocabulary has each place in the training books."""

from __future__ import annotations

import functools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.books import SENTENCES
from cloze_gen.corpus.counts import Pair
from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.corpus.tagging import TAGS, TaggedBook, lemma_pair, tagged_books
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import CONTENT_CLASSES, coarse_class
from cloze_gen.recipes.scs.places import find_places, use_of
from cloze_gen.recipes.scs.token_kinds import Kind, kind_of
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
    facts = []
    for text in types.dictionary.to_pylist():
        token, tag = text.split(" ")
        facts.append(_facts(token, tag, row_of))
    tokens = np.array(facts, np.int64)[types.indices.to_numpy()]
    kinds, uses, rows = tokens[tokens[:, 0] != Kind.UNPRINTED].T
    classes = [CONTENT_CLASSES.index(word_class) for _, word_class in row_of]
    return count_places(kinds, uses, rows, class_of_row=np.array(classes))


def _between_stops(lines: pa.ChunkedArray) -> pa.Array:
    """The tokens of all sentences; full stops around each, which have the kind `END`."""
    stopped = pc.binary_join_element_wise(".", lines, ".", " ")
    return pc.split_pattern(stopped.combine_chunks(), " ").flatten()


def _facts(token: str, tag: str, row_of: dict[Pair, int]) -> tuple[int, int, int]:
    """Kind of a token, and use and row of a vocabulary word; otherwise 0 and -1."""
    kind = kind_of(token, tag)
    if coarse_class(tag) not in CONTENT_CLASSES:
        return kind, 0, -1
    return kind, use_of(tag, 0), row_of.get(lemma_pair(token, tag), -1)


def count_places(
    kinds: np.ndarray, uses: np.ndarray, rows: np.ndarray, *, class_of_row: np.ndarray
) -> pa.Table:
    """Rows of `PLACES` for a text.

    Args:
        kinds: of the printed tokens.
        uses: of words that are no verbs (`PLACES`).
        rows: number of a word in the vocabulary; -1 for other tokens.
        class_of_row: index in `CONTENT_CLASSES` of each word of the vocabulary.
    """
    places = find_places(kinds)
    at = np.flatnonzero(rows >= 0)
    classes = class_of_row[rows[at]]
    is_verb = classes == CONTENT_CLASSES.index("verb")
    columns = {
        "row": rows[at],
        "use": np.where(is_verb, places.voice[at], uses[at]),
        "left": places.left[classes, at],
        "right": places.right[classes, at],
        "count": np.ones(len(at), np.int64),
    }
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

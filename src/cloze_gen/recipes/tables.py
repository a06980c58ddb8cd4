"""Tables of several recipes: source sentences, and rejections with the funnel of a stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table, TableWriter
from cloze_gen.store.tables import REJECTED, SOURCE_SENTENCES

SENTENCES = Table(
    SOURCE_SENTENCES,
    "Sentences of the source books. Words that a line end breaks are joined.",
    Column("id", pa.string(), "`book:index`"),
    Column("book_id", CODED, "id of the book"),
    Column("index", pa.int32(), "index of the sentence in the book"),
    Column("start", pa.int32(), "first character of the sentence in the text of the book"),
    Column("end", pa.int32(), "character after its last one"),
    Column("paragraph", pa.int32(), "index of the paragraph in the book"),
    Column(
        "kind",
        CODED,
        "`prose`, `verse`, `heading`, or `other` for a paragraph with a placeholder (`<DW64>`)",
    ),
    Column("text", pa.string(), "normalized text with its own spacing"),
    Column("tokens", pa.string(), "tokens joined by single spaces"),
)
REJECTIONS = Table(
    REJECTED,
    "What the stage rejected.",
    Column("id", pa.string(), "the rejected item, or the sentence if it was rejected as a whole"),
    Column("reason", CODED, "why it was rejected"),
    Column("detail", pa.string(), "more on the reason; may be empty"),
)
_FIELDS = SENTENCES.names[1:]


def sentence_table(sentences: Sequence[Sentence]) -> pa.Table:
    """Rows of `SENTENCES`."""
    columns = {name: [getattr(sentence, name) for sentence in sentences] for name in _FIELDS}
    columns["id"] = [sentence.id for sentence in sentences]
    columns["tokens"] = [" ".join(tokens) for tokens in columns["tokens"]]
    return SENTENCES.arrow(columns)


def read_source_sentences(artifact: Artifact, ids: pa.Array | None = None) -> dict[str, Sentence]:
    """The sentences of a stage by id, in order; all, or those of `ids`."""
    wanted = None if ids is None else pc.field("id").isin(ids)
    table = pq.read_table(artifact.path(SOURCE_SENTENCES), columns=_FIELDS, filters=wanted)
    sentences = [
        Sentence(**row | {"tokens": tuple(row["tokens"].split(" "))}) for row in table.to_pylist()
    ]
    return {sentence.id: sentence for sentence in sentences}


def rejection_table(rejected: Iterable[Rejection]) -> pa.Table:
    """Rows of `REJECTIONS`."""
    rows = list(rejected)
    return REJECTIONS.arrow(
        {
            "id": [row.id for row in rows],
            "reason": [str(row.reason) for row in rows],
            "detail": [row.detail for row in rows],
        }
    )


def value_counts(column: pa.ChunkedArray) -> Counter[str]:
    """Value of a coded column -> its rows, in the order of appearance."""
    counts = pc.value_counts(column.cast(pa.string())).to_pylist()
    return Counter({count["values"]: count["counts"] for count in counts})


def write_pieces(
    writer: ArtifactWriter, pieces: Iterable[Sequence[pa.Table]], *tables: Table
) -> Counter[str]:
    """Write tables and `REJECTIONS` piece by piece, as workers return them; the reasons' counts.

    A piece has rows of each table and, last, of `REJECTIONS`.
    """
    reasons: Counter[str] = Counter()
    with ExitStack() as stack:
        table_writers = [
            stack.enter_context(TableWriter(writer, table)) for table in (*tables, REJECTIONS)
        ]
        for piece in pieces:
            for table_writer, rows in zip(table_writers, piece, strict=True):
                table_writer.append(rows)
            reasons += value_counts(piece[-1]["reason"])
    return reasons


def write_rejections(
    writer: ArtifactWriter, rejected: Iterable[Rejection], *, unit: str, kept: int
) -> None:
    """Write what a stage rejected, and its funnel: `kept` of so many `unit`."""
    reasons = write_pieces(writer, [[rejection_table(rejected)]])
    writer.funnel = funnel(unit, kept=kept, rejected=reasons)

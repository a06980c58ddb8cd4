"""Tables in parts, and what the workers of this recipe read.

A part holds consecutive focus words of one model. Its size is fixed, so bytes do not depend on the
number of workers.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from cloze_gen.corpus.cross_fitting import of_model, read_groups
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.contexts import read_word_knowledge
from cloze_gen.models.language_model import open_index
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import CODED, Column, Table
from cloze_gen.store.tables import FOCUS, read_parquet, write_parquet

# log10 scores of an option: given the two-word history; of the next token; of the whole sentence.
HISTORY_SCORE = "history_log10_prob"
FORWARD_SCORE = "forward_log10_prob"
SENTENCE_SCORE = "sentence_log10_prob"
SCORES = (HISTORY_SCORE, FORWARD_SCORE, SENTENCE_SCORE)

ITEM_ID = Column("id", CODED, "id of the item")
WORD = Column("word", CODED, "the candidate")
HISTORY = Column(HISTORY_SCORE, pa.float32(), "log10 P(word | two tokens before)")

N_IMPOSTORS = 4  # wrong options a question; MSR 2.3; the file formats require four
FIT = "fit"  # verdict of an item or a candidate without faults
ITEMS_A_PART = 2048
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Part:
    """Rows `first` to `last`, exclusive, of the focus words; `model` makes their questions."""

    first: int
    last: int
    model: int
    file: str

    def path(self, artifact: Artifact | ArtifactWriter, table: Table) -> Path:
        return artifact.path(f"{table.folder}/{self.file}")


def focus_parts(focus: Artifact, index: Artifact) -> list[Part]:
    group_of = read_groups(index)
    ids = read_parquet(focus.path(FOCUS), columns=["id"])["id"].to_pylist()
    models = (group_of.get(item_id.rsplit(":", 2)[0], 0) for item_id in ids)
    return cut_in_parts((len(list(run)), model) for model, run in itertools.groupby(models))


def cut_in_parts(runs: Iterable[tuple[int, int]]) -> list[Part]:
    """Cut runs of (items, model) into parts of at most a fixed size.

    >>> [(part.first, part.last, part.model) for part in cut_in_parts([(3000, 1), (10, 2)])]
    [(0, 2048, 1), (2048, 3000, 1), (3000, 3010, 2)]
    """
    parts: list[Part] = []
    start = 0
    for n_items, model in runs:
        end = start + n_items
        for first in range(start, end, ITEMS_A_PART):
            last = min(first + ITEMS_A_PART, end)
            parts.append(Part(first, last, model, f"part-{len(parts):05}.parquet"))
        start = end
    return parts


def map_parts(
    ctx: StageContext,
    work: Callable[..., Result],
    *,
    focus: Artifact,
    index: Artifact,
    **arguments: Any,
) -> Iterator[tuple[Part, Result]]:
    """Each part with what `work` returns; it gets the part, `focus`, `index` and the arguments."""
    parts = focus_parts(focus, index)
    bound = functools.partial(work, focus=focus, index=index, **arguments)
    return zip(parts, ctx.map(bound, parts, unit="parts"), strict=True)


def write_part(writer: ArtifactWriter, table: Table, part: Part, rows: pa.Table) -> None:
    writer.rows[f"{table.folder}/{part.file}"] = write_parquet(part.path(writer, table), rows)
    writer.note_libraries("numpy", "pyarrow")


def write_items(
    writer: ArtifactWriter, table: Table, parts: Sequence[pa.Table], *, verdict: str, passed: str
) -> pa.Table:
    """Write the rows of all focus words, and the funnel of their verdicts, a column."""
    items = pa.concat_tables(parts)
    writer.rows[table.name] = write_parquet(writer.path(table.name), items)
    counts = Counter(items[verdict].to_pylist())
    writer.funnel = funnel("focus words", kept=counts.pop(passed, 0), rejected=counts)
    return items


# ---- what a worker reads; of models only the latest


@functools.lru_cache(maxsize=1)
def model_index(index: Artifact, model: int) -> ForwardIndex:
    return open_index(of_model(index, model))


@functools.lru_cache(maxsize=1)
def model_knowledge(contexts: Artifact, model: int) -> WordKnowledge:
    return read_word_knowledge(of_model(contexts, model))


@functools.lru_cache(maxsize=1)
def _focus_words(focus: Artifact) -> pa.Table:
    return read_parquet(focus.path(FOCUS))


def read_focus(focus: Artifact, part: Part) -> pa.Table:
    """The part's focus words."""
    return _focus_words(focus).slice(part.first, part.last - part.first).combine_chunks()

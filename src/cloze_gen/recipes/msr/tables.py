"""Tables in parts, and what the workers of this recipe read.

A part holds consecutive focus words of one model. Its size is fixed, so bytes do not depend on the
number of workers.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from cloze_gen.corpus.cross_fitting import of_model, read_groups
from cloze_gen.models.contexts import read_word_knowledge
from cloze_gen.models.language_model import open_index
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.records.sentence import Sentence
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.schema import CODED, Column
from cloze_gen.store.tables import FOCUS, read_parquet, read_source_sentences

# log10 scores of an option: given the two-word history; of the next token; of the whole sentence.
HISTORY_SCORE = "history_log10_prob"
FORWARD_SCORE = "forward_log10_prob"
SENTENCE_SCORE = "sentence_log10_prob"
SCORES = (HISTORY_SCORE, FORWARD_SCORE, SENTENCE_SCORE)

ITEM_ID = Column("id", CODED, "id of the item")
WORD = Column("word", CODED, "the candidate")
HISTORY = Column(HISTORY_SCORE, pa.float32(), "log10 P(word | two tokens before)")

FIT = "fit"  # verdict of an item or a candidate without faults
ITEMS_A_PART = 2048


@dataclass(frozen=True, slots=True)
class Part:
    """Rows `first` to `last`, exclusive, of the focus words; `model` made their questions."""

    first: int
    last: int
    number: int = 0
    model: int = 0

    @property
    def file(self) -> str:
        return f"part-{self.number:05}.parquet"


def count_focus_words(focus: Artifact) -> int:
    return int(focus.manifest["files"][FOCUS]["rows"])


def focus_parts(focus: Artifact, index: Artifact) -> list[Part]:
    groups = read_groups(index)
    if not groups:
        return cut_in_parts([(count_focus_words(focus), 0)])
    ids = read_parquet(focus.path(FOCUS), columns=["id"])["id"].to_pylist()
    models = (groups[item_id.rsplit(":", 2)[0]] for item_id in ids)
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
            parts.append(Part(first, min(first + ITEMS_A_PART, end), len(parts), model))
        start = end
    return parts


def note_parts(
    writer: ArtifactWriter, folder: str, parts: Sequence[Part], counts: Sequence[int]
) -> None:
    """Note the number of rows of each part for the manifest."""
    for part, count in zip(parts, counts, strict=True):
        writer.rows[f"{folder}/{part.file}"] = count


def part_paths(artifact: Artifact, folder: str) -> list[Path]:
    return sorted(artifact.path(folder).glob("part-*.parquet"))


# ---- what a worker reads; of models only the latest


@functools.lru_cache(maxsize=1)
def model_index(index: Path, model: int) -> ForwardIndex:
    return open_index(of_model(open_artifact(index), model))


@functools.lru_cache(maxsize=1)
def model_knowledge(contexts: Path, model: int) -> WordKnowledge:
    return read_word_knowledge(of_model(open_artifact(contexts), model))


@functools.lru_cache(maxsize=1)
def _focus_words(focus: Path) -> pa.Table:
    return read_parquet(focus / FOCUS)


def read_focus(focus: Path, part: Part) -> pa.Table:
    """The part's focus words."""
    return _focus_words(focus).slice(part.first, part.last - part.first).combine_chunks()


def read_sentences_of(focus: Path, words: pa.Table) -> dict[str, Sentence]:
    """The sentences of some focus words, by id."""
    ids = words["sentence_id"].unique()
    return read_source_sentences(open_artifact(focus), ids)

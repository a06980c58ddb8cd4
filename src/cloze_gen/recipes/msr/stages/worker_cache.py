"""What the shards of a stage share: opened by a worker once, by its folder, and kept from shard to shard."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.lm.forward_index import ForwardIndex
from cloze_gen.recipes.msr.stages.parts import Part
from cloze_gen.recipes.msr.stages.tables import KEPT, SCREENED
from cloze_gen.records.sentence import Sentence
from cloze_gen.stages.corpus.held_out import of_model
from cloze_gen.stages.models.contexts import read_word_knowledge
from cloze_gen.stages.models.index import open_index
from cloze_gen.stages.tables import FOCUS, read_source_sentences
from cloze_gen.stats.word_knowledge import WordKnowledge
from cloze_gen.store.artifacts import open_artifact
from cloze_gen.store.tables import read_parquet


@functools.lru_cache(maxsize=1)
def cached_index(folder: Path, model: int) -> ForwardIndex:
    """The forward index of a part's model; its arrays are shared through the page cache."""
    return open_index(of_model(open_artifact(folder), model))


@functools.lru_cache(maxsize=1)
def cached_space(folder: Path, model: int) -> WordKnowledge:
    """What is known of words by one of the models."""
    return read_word_knowledge(of_model(open_artifact(folder), model))


@functools.lru_cache(maxsize=1)
def cached_sentences(focus: Path) -> dict[str, Sentence]:
    """The sentences that hold a focus word, by id."""
    return read_source_sentences(open_artifact(focus))


@functools.lru_cache(maxsize=1)
def cached_sentence_ids(focus: Path, index: Path, model: int) -> dict[str, np.ndarray]:
    """The same as vocabulary ids, int64, shape (tokens + 2,): `<s>` first and `</s>` last."""
    known, sentences = cached_index(index, model), cached_sentences(focus)
    return {key: np.array([known.start, *known.ids(s.tokens), known.end], np.int64) for key, s in sentences.items()}


@functools.lru_cache(maxsize=2)
def _focus_rows(focus: Path) -> pa.Table:
    return read_parquet(focus / FOCUS)


def focus_columns(focus: Path, part: Part) -> dict[str, list[Any]]:
    """The focus words of one part, column by column."""
    return _focus_rows(focus).slice(part.first, part.last - part.first).to_pydict()


@functools.lru_cache(maxsize=1)
def _screened_rows(screening: Path) -> pa.Table:
    return read_parquet(screening / SCREENED, columns=["id", "status"])


def passed_screening(screening: Path, part: Part) -> set[str]:
    """The focus words of one part that passed the screening; its table has the rows of the focus words, in their order."""
    rows = _screened_rows(screening).slice(part.first, part.last - part.first)
    return set(rows.filter(pc.field("status") == KEPT)["id"].to_pylist())

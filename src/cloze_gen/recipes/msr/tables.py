"""Tables of this recipe. Parts have a fixed size, so bytes do not depend on the number of workers."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.cross_fitting import of_model, read_groups
from cloze_gen.models.arpa import word_ids
from cloze_gen.models.contexts import read_word_knowledge
from cloze_gen.models.language_model import open_index
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.records.rejection import Reason
from cloze_gen.records.sentence import Sentence
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.tables import FOCUS, read_parquet, read_source_sentences, write_parquet

# log10 scores of an option: given the two-word history; of the next token; of the whole sentence.
# None if not scored.
HISTORY_SCORE, FORWARD_SCORE, SENTENCE_SCORE = (
    "history_log10_prob",
    "forward_log10_prob",
    "sentence_log10_prob",
)
SCORES = (HISTORY_SCORE, FORWARD_SCORE, SENTENCE_SCORE)

# Stage alternates: id, word and HISTORY_SCORE.
ALTERNATES = "alternates"

# Stage screening: `alternates` is their number; rank 1 is the best.
SCREENED = "items.parquet"
SCREENED_COLUMNS = ("id", "status", "answer_log10_prob", "answer_rank", "alternates")
KEPT = "kept"  # `status` of a focus word that passed


class ScreeningReason(Reason):
    ANSWER_SCORES_BEST = (
        "answer_scores_best",
        "the answer has a better score than every alternate",
    )


ANSWER_SCORES_BEST = str(ScreeningReason.ANSWER_SCORES_BEST)  # `status` of a rejected focus word

# Stage forward, for focus words that passed: id, word, SCORES, `forward_rank` and `kept`.
SCORED = "scored"
ANSWERS = "answers.parquet"  # scores of the answers
ANSWER_COLUMNS = ("id", FORWARD_SCORE, "forward_rank", SENTENCE_SCORE)

FIT = "fit"  # verdict of grooming on an item or a candidate without faults


ITEMS_A_PART = 2048


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive focus words of one model for a worker: rows `first` to `last`, exclusive."""

    first: int
    last: int
    out: Path
    number: int = 0
    model: int = 0

    @property
    def name(self) -> str:
        return _part_name(self.number)


def _part_name(number: int) -> str:
    return f"part-{number:05}.parquet"


def count_focus_words(focus: Artifact) -> int:
    return int(focus.manifest["files"][FOCUS]["rows"])


def focus_parts(focus: Artifact, index: Artifact, out: Path) -> list[Part]:
    groups = read_groups(index)
    if not groups:
        return cut_in_parts([(count_focus_words(focus), 0)], out)
    ids = read_parquet(focus.path(FOCUS), columns=["id"])["id"].to_pylist()
    models = (groups[item_id.rsplit(":", 2)[0]] for item_id in ids)
    return cut_in_parts([(len(list(run)), model) for model, run in itertools.groupby(models)], out)


def cut_in_parts(runs: Iterable[tuple[int, int]], out: Path) -> list[Part]:
    """Cut runs of (items, model) into parts of at most a fixed size. Creates the folder."""
    out.mkdir(parents=True, exist_ok=True)
    parts: list[Part] = []
    start = 0
    for n_items, model in runs:
        for first in range(start, start + n_items, ITEMS_A_PART):
            parts.append(
                Part(first, min(first + ITEMS_A_PART, start + n_items), out, len(parts), model)
            )
        start += n_items
    return parts


def note_parts(writer: ArtifactWriter, folder: str, counts: Sequence[int]) -> None:
    writer.rows |= {f"{folder}/{_part_name(i)}": count for i, count in enumerate(counts)}


def part_paths(artifact: Artifact, folder: str) -> list[Path]:
    return sorted(artifact.path(folder).glob("part-*.parquet"))


def item_slices(ids: np.ndarray) -> Iterator[slice]:
    """Slices of equal values: the rows of one item after the other.

    >>> [(s.start, s.stop) for s in item_slices(np.array([4, 4, 7]))]
    [(0, 2), (2, 3)]
    """
    if len(ids) == 0:
        return
    cuts = np.flatnonzero(np.diff(ids)) + 1
    edges = [0, *cuts.tolist(), len(ids)]
    yield from (slice(a, b) for a, b in itertools.pairwise(edges))


def write_rows(
    path: Path,
    *,
    ids: Sequence[str],
    item: np.ndarray,
    words: Sequence[str],
    word: np.ndarray,
    **columns: Any,
) -> int:
    """Write a part, one row per candidate; `item` and `word` index `ids` and `words`, shape (rows,)."""
    table = {"id": _spelt(item, ids), "word": _spelt(word, words), **columns}
    return write_parquet(path, table)


def _spelt(codes: np.ndarray, values: Sequence[str]) -> pa.DictionaryArray:
    used, indices = np.unique(codes, return_inverse=True)
    return pa.DictionaryArray.from_arrays(
        pa.array(indices.astype(np.int32)),
        pa.array([values[i] for i in used.tolist()], pa.string()),
    )


def read_rows(path: Path, index: ForwardIndex) -> tuple[np.ndarray, np.ndarray, pa.Table]:
    """A part: item numbers from 0 and vocabulary ids, both shape (rows,), and the table."""
    table = read_parquet(path)
    words, ids = dictionary_column(table, "word"), dictionary_column(table, "id")
    return ids.indices.to_numpy(), word_ids(words, index.vocabulary), table


def dictionary_column(table: pa.Table, name: str) -> pa.DictionaryArray:
    combined = table[name].combine_chunks()
    if isinstance(combined, pa.ChunkedArray):
        combined = combined.chunk(0) if combined.num_chunks else pa.array([], combined.type)
    return combined if isinstance(combined, pa.DictionaryArray) else combined.dictionary_encode()


def columns_of(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[Any]]:
    """Rows as columns, in the order of the names.

    >>> columns_of([{"id": "b:1:2", "rank": 3}], ("rank", "id"))
    {'rank': [3], 'id': ['b:1:2']}
    """
    rows = list(rows)
    return {name: [row[name] for row in rows] for name in names}


@functools.lru_cache(maxsize=1)
def cached_index(folder: Path, model: int) -> ForwardIndex:
    return open_index(of_model(open_artifact(folder), model))


@functools.lru_cache(maxsize=1)
def cached_space(folder: Path, model: int) -> WordKnowledge:
    return read_word_knowledge(of_model(open_artifact(folder), model))


@functools.lru_cache(maxsize=1)
def cached_sentences(focus: Path) -> dict[str, Sentence]:
    return read_source_sentences(open_artifact(focus))


@functools.lru_cache(maxsize=1)
def cached_sentence_ids(focus: Path, index: Path, model: int) -> dict[str, np.ndarray]:
    """Vocabulary ids of a sentence, int64, shape (tokens + 2,), with `<s>` and `</s>`."""
    known, sentences = cached_index(index, model), cached_sentences(focus)
    return {
        key: np.array([known.start, *known.ids(s.tokens), known.end], np.int64)
        for key, s in sentences.items()
    }


@functools.lru_cache(maxsize=2)
def _focus_rows(focus: Path) -> pa.Table:
    return read_parquet(focus / FOCUS)


def focus_columns(focus: Path, part: Part) -> dict[str, list[Any]]:
    return _focus_rows(focus).slice(part.first, part.last - part.first).to_pydict()


@functools.lru_cache(maxsize=1)
def _screened_rows(screening: Path) -> pa.Table:
    return read_parquet(screening / SCREENED, columns=["id", "status"])


def passed_screening(screening: Path, part: Part) -> set[str]:
    rows = _screened_rows(screening).slice(part.first, part.last - part.first)
    return set(rows.filter(pc.field("status") == KEPT)["id"].to_pylist())

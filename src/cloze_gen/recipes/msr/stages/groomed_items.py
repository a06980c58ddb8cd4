"""Focus words on their way through grooming: what a worker is given, and what becomes of each."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from cloze_gen.recipes.msr.stages.items import Part, column, focus_rows, item_slices
from cloze_gen.recipes.msr.stages.tables import ANSWERS, FIT, SCORED
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.recipes.msr.steps.guideline_1_frames import Need
from cloze_gen.records.sentence import Sentence
from cloze_gen.stages.tables import read_source_sentences
from cloze_gen.store.artifacts import open_artifact
from cloze_gen.store.tables import read_parquet

_SCORES = ("id", "word", "forward_rank", "history_log10_prob", "sentence_log10_prob")


@dataclass(frozen=True, slots=True)
class GroomShard:
    """A part of the scored items, and what a worker needs to groom it."""

    part: Part
    focus: Path
    index: Path
    contexts: Path
    forward: Path
    settings: GroomingSettings
    classes: tuple[str, ...]
    offensive: frozenset[str]
    frequent: frozenset[str]


@dataclass(slots=True)
class GroomedItem:
    """One focus word on its way through grooming."""

    id: str
    answer: str
    sentence: Sentence
    position: int
    candidates: list[str]
    history_log10_prob: np.ndarray
    gain: np.ndarray  # log10, of the whole sentence with each candidate over that with the answer
    verdicts: list[str] = field(default_factory=list)
    similarity: np.ndarray = field(default_factory=lambda: np.zeros(0))
    topicality: Sequence[float] = ()
    answer_topicality: float = 0.0
    tags: list[str] = field(default_factory=list)
    fault: str = FIT
    answer_tag: str = ""
    plain_tag: str = ""  # without clitics
    need: Need | None = None

    def window(self, word: str, reach: int) -> tuple[str, ...]:
        tokens, at = self.sentence.tokens, self.position
        return (*tokens[max(0, at - reach) : at], word, *tokens[at + 1 : at + 1 + reach])

    def place_in_window(self, reach: int) -> int:
        return min(self.position, reach)


@functools.lru_cache(maxsize=1)
def _sentences(folder: Path) -> dict[str, Sentence]:
    return read_source_sentences(open_artifact(folder))


@functools.lru_cache(maxsize=1)
def _answers(folder: Path) -> dict[str, float]:
    table = read_parquet(folder / ANSWERS, columns=["id", "sentence_log10_prob"])
    return dict(zip(table["id"].to_pylist(), table["sentence_log10_prob"].to_pylist(), strict=True))


def read_items(shard: GroomShard) -> list[GroomedItem]:
    """The items of one part, each with its retained candidates, best forward score first."""
    sentences = _sentences(shard.focus)
    focus = focus_rows(shard.focus).slice(shard.part.first, shard.part.last - shard.part.first).to_pydict()
    row_of = {item_id: row for row, item_id in enumerate(focus["id"])}
    table = read_parquet(shard.forward / SCORED / shard.part.name, columns=[*_SCORES, "kept"]).filter(pc.field("kept"))
    of_answer = _answers(shard.forward)
    ids, coded = column(table, "id"), column(table, "word")
    words = coded.dictionary.to_numpy(zero_copy_only=False)[coded.indices.to_numpy()]
    rank, history, whole = (table[name].to_numpy() for name in _SCORES[2:])
    codes = ids.indices.to_numpy()
    items = []
    for place in item_slices(codes):
        item_id = ids.dictionary[int(codes[place.start])].as_py()
        row = row_of[item_id]
        order = np.argsort(rank[place], kind="stable") + place.start
        candidates = words[order].tolist()
        sentence = sentences[focus["sentence_id"][row]]
        gain = whole[order] - of_answer[item_id]
        items.append(GroomedItem(item_id, focus["word"][row], sentence, focus["position"][row], candidates, history[order], gain))
    return items

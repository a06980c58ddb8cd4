"""Focus words on their way through grooming: what a worker is given, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from cloze_gen.recipes.msr.stages.parts import Part, dictionary_column, item_slices
from cloze_gen.recipes.msr.stages.tables import FIT, MEASURES, SCORED
from cloze_gen.recipes.msr.stages.worker_cache import cached_sentences, focus_columns
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.recipes.msr.steps.word_place import Frame
from cloze_gen.records.sentence import Sentence
from cloze_gen.store.tables import read_parquet
from cloze_gen.text.rendering import rendered_positions


@dataclass(frozen=True, slots=True)
class GroomShard:
    """A part of the scored items, and what a worker needs to groom it.

    Attributes:
        classes: coarse classes asked of answers; empty asks for all.
        offensive: case-folded words.
        frequent: case-folded words of `frequent_freq` or more.
        tagger_identity: of the tagger that the settings name; empty without one.
        people: focus word of this part -> what judges said of it (`human_grooming`); None where no people judged any.
    """

    part: Part
    focus: Path
    index: Path
    contexts: Path
    forward: Path
    settings: GroomingSettings
    classes: tuple[str, ...]
    offensive: frozenset[str]
    frequent: frozenset[str]
    tagger_identity: str
    people: Mapping[str, Mapping[str, Any]] | None = None


@dataclass(slots=True)
class GroomedItem:
    """One focus word with its retained candidates, best forward score first; verdicts and what they rest on are filled in as they come.

    Attributes:
        position: of the answer in the sentence's own tokens; `printed`: positions of those that a reader sees, in order.
        fault: what speaks against the sentence or the answer; `FIT` when nothing does.
        tag: the answer's Penn tag in the printed sentence, without clitics; `answer_tag` that in its window, clitics joined by `+`.
        frame: what its place asks for.
        verdicts: of each candidate, once the sentence has proved fit; `tags` (in the window) likewise, empty where none was asked.
        answer_topicality: mean association of the answer with the sentence's rarer words, in nats; NaN where not asked.
        measured: of the candidates that readers are asked about in thought, shape (candidates, measures): the columns `MEASURES`; NaN of
            others.
    """

    id: str
    answer: str
    sentence: Sentence
    position: int
    candidates: list[str]
    fault: str = FIT
    answer_topicality: float = float("nan")
    tag: str = ""
    answer_tag: str = ""
    frame: Frame | None = None
    verdicts: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    measured: np.ndarray = field(default_factory=lambda: np.zeros((0, len(MEASURES))))
    printed: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        self.printed = rendered_positions(self.sentence.tokens)


def read_items(shard: GroomShard) -> list[GroomedItem]:
    """The items of one part."""
    sentences = cached_sentences(shard.focus)
    focus = focus_columns(shard.focus, shard.part)
    row_of = {item_id: row for row, item_id in enumerate(focus["id"])}
    table = read_parquet(shard.forward / SCORED / shard.part.name, columns=["id", "word", "forward_rank", "kept"]).filter(pc.field("kept"))
    ids, coded = dictionary_column(table, "id"), dictionary_column(table, "word")
    words = coded.dictionary.to_numpy(zero_copy_only=False)[coded.indices.to_numpy()]
    rank = table["forward_rank"].to_numpy()
    codes = ids.indices.to_numpy()
    items = []
    for place in item_slices(codes):
        item_id = ids.dictionary[int(codes[place.start])].as_py()
        row = row_of[item_id]
        order = np.argsort(rank[place], kind="stable") + place.start
        candidates = words[order].tolist()
        sentence = sentences[focus["sentence_id"][row]]
        items.append(GroomedItem(item_id, focus["word"][row], sentence, focus["position"][row], candidates))
    return items

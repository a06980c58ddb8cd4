"""Focus words and their candidates: the tables on disk, and a part while the checks run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.formats.printed_tokens import rendered_positions
from cloze_gen.models.neighbour_counts import Blanks
from cloze_gen.recipes.msr.forward import SCORED
from cloze_gen.recipes.msr.grooming.frames import Frame
from cloze_gen.recipes.msr.tables import FIT, Part, read_focus
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.records.sentence import Sentence
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.schema import Column, Table

_ID = Column("id", pa.string(), "id of the item")
_MEASURES = (
    Column("similarity", pa.float32(), "cosine of the context vectors of candidate and answer"),
    Column(
        "topicality", pa.float32(), "mean association with the topic words of the sentence, in nats"
    ),
    Column(
        "fits_as_well",
        pa.float32(),
        "expected share of readers who find that it fits as well as the answer",
    ),
    Column("ungrammatical", pa.float32(), "expected share of readers who find it ungrammatical"),
    Column(
        "plausible",
        pa.float32(),
        "expected share of readers who find it plausible, those of `fits_as_well` included",
    ),
)
MEASURES = tuple(column.name for column in _MEASURES)

DECISIONS = Table(
    "decisions/part-*.parquet",
    "The retained candidates of focus words with a suitable sentence, the best forward score first. "
    "The five measures are NaN if an earlier check rejected the candidate. If people groomed, the shares "
    "of a candidate that they picked are 0, 0 and 1, and those of the others NaN.",
    _ID,
    Column("word", pa.string(), "the candidate"),
    Column("verdict", pa.string(), "`fit`, or the first reason against the candidate"),
    *_MEASURES,
    Column(
        "tag",
        pa.string(),
        "Penn tag in the sentence, clitics after `+`; empty if an earlier check rejected the candidate",
    ),
    example='{"id": "the-lost-luggage-of-penny-cross:70:2", "word": "examined", "verdict": "fit", '
    '"similarity": 0.342142254114151, "topicality": 0.5859375, "fits_as_well": 0.0510348342359066, '
    '"ungrammatical": 0.057051997631788254, "plausible": 0.4526045620441437, "tag": "VBD"}',
)
GROOMED_ITEMS = Table(
    "items.parquet",
    "One row a focus word.",
    _ID,
    Column("verdict", pa.string(), "`fit`, or the reason against the sentence or the answer"),
    Column(
        "answer_tag",
        pa.string(),
        "Penn tag of the answer in the window that the tagger reads, as the candidates are tagged",
    ),
    Column("topicality", pa.float64(), "topicality of the answer; NaN if not measured"),
    example='{"id": "the-lost-luggage-of-penny-cross:70:2", "verdict": "fit", "answer_tag": "VBD", '
    '"topicality": 0.7771}',
)


class Item:
    """One focus word in its sentence, with its retained candidates.

    Attributes:
        words: the candidates, the best forward score first.
        others: the tokens but for the answer.
        printed, shown: positions of the printed tokens, and the tokens; `rank`: the answer's index
            among them.
        before, after: the printed tokens beside the blank. For `an " owl "`, a reader sees `an owl`.
        fault: `FIT`, or the first reason against the sentence or the answer.
        tag, window_tag: the answer's Penn tag in the whole sentence; in its window, clitics after `+`.
        topicality: of the answer, in nats; NaN if not measured.
    """

    def __init__(
        self, item_id: str, sentence: Sentence, position: int, words: Sequence[str] = ()
    ) -> None:
        self.id = item_id
        self.sentence = sentence
        self.position = position
        self.words = words
        self.answer = sentence.tokens[position]
        self.printed = rendered_positions(sentence.tokens)
        self.others = (*sentence.tokens[:position], *sentence.tokens[position + 1 :])
        self.shown = [sentence.tokens[i] for i in self.printed]
        self.rank = self.printed.index(position)
        self.before = self.shown[self.rank - 1]
        self.after = self.shown[self.rank + 1]
        self.fault: str = FIT
        self.tag = ""
        self.window_tag = ""
        self.frame: Frame | None = None
        self.topicality = math.nan


class CandidateTable:
    """The candidates of the items without a fault; a check writes its fault where it is the first.

    Attributes:
        item: int64, shape (candidates,): index in `items`, ascending.
        word, verdict, tag: objects, shape (candidates,).
        measures: float64, shape (candidates, `MEASURES`); NaN if not measured.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self.items = [item for item in items if item.fault == FIT]
        self.item = np.repeat(np.arange(len(self.items)), [len(item.words) for item in self.items])
        self.word = np.array([word for item in self.items for word in item.words], object)
        self.verdict = np.full(len(self.word), FIT, object)
        self.tag = np.full(len(self.word), "", object)
        self.measures = np.full((len(self.word), len(MEASURES)), np.nan)

    def open(self, least: int = 0) -> np.ndarray:
        """Rows of the candidates without a fault, of items that have at least `least` of them."""
        is_open = self.verdict == FIT
        count = np.bincount(self.item[is_open], minlength=len(self.items))
        return np.flatnonzero(is_open & (count >= least)[self.item])

    def words_by_item(self, rows: np.ndarray) -> Blanks:
        """Words of each item, the answer first, then those of some rows."""
        words = [[item.answer] for item in self.items]
        for item, word in zip(self.item[rows].tolist(), self.word[rows].tolist(), strict=True):
            words[item].append(word)
        return words

    def decisions(self) -> pa.Table:
        """Rows of `DECISIONS`."""
        ids = np.array([item.id for item in self.items], object)
        return DECISIONS.arrow(
            {
                "id": ids[self.item].tolist(),
                "word": self.word.tolist(),
                "verdict": self.verdict.tolist(),
                "tag": self.tag.tolist(),
                **dict(zip(MEASURES, self.measures.T, strict=True)),
            }
        )


def item_rows(items: Sequence[Item]) -> pa.Table:
    """Rows of `GROOMED_ITEMS`."""
    return GROOMED_ITEMS.arrow(
        {
            "id": [item.id for item in items],
            "verdict": [str(item.fault) for item in items],
            "answer_tag": [item.window_tag for item in items],
            "topicality": [round(item.topicality, 4) for item in items],
        }
    )


def retained_words(scored: Path, ids: pa.Array) -> dict[str, list[str]]:
    """The retained candidates of some items, the best forward score first; of a part or of all."""
    rows = SCORED.read(scored, ["id", "word", "forward_rank", "kept"])
    retained = rows.filter(pc.field("kept") & pc.field("id").isin(ids))
    words: dict[str, list[str]] = {}
    for row in retained.sort_by("forward_rank").to_pylist():
        words.setdefault(row["id"], []).append(row["word"])
    return words


def read_items(focus: Artifact, forward: Artifact, part: Part) -> list[Item]:
    """A part's focus words that passed the screening."""
    rows = read_focus(focus, part)
    words = retained_words(part.path(forward, SCORED), rows["id"])
    sentences = read_source_sentences(focus, rows["sentence_id"].unique())
    return [
        Item(row["id"], sentences[row["sentence_id"]], row["position"], words[row["id"]])
        for row in rows.to_pylist()
        if row["id"] in words
    ]

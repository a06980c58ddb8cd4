"""The candidates of one part: as tables on disk, and in memory while the checks run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.normalization import printed_neighbours, rendered_positions
from cloze_gen.models.neighbour_counts import Blanks
from cloze_gen.recipes.msr.forward import SCORED
from cloze_gen.recipes.msr.grooming.frames import Frame
from cloze_gen.recipes.msr.tables import FIT, Part, Reader, coded_column
from cloze_gen.records.sentence import Sentence
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
    "The five measures are NaN if an earlier check rejected the candidate, or if people groomed.",
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
ITEMS = Table(
    "items.parquet",
    "One row a focus word.",
    _ID,
    Column("verdict", pa.string(), "`fit`, or the reason against the sentence or the answer"),
    Column("answer_tag", pa.string(), "Penn tag of the answer"),
    Column("answer_topicality", pa.float64(), "topicality of the answer; NaN if not measured"),
    Column(
        "place_requires",
        pa.string(),
        "what the place of a verb or noun requires; empty for other tags",
    ),
    Column("fit_candidates", pa.int64(), "number of candidates with the verdict `fit`"),
    example='{"id": "the-lost-luggage-of-penny-cross:70:2", "verdict": "fit", "answer_tag": "VBD", '
    '"answer_topicality": 0.7771, "place_requires": "object", "fit_candidates": 14}',
)


@dataclass(slots=True)
class Item:
    """One focus word in its sentence.

    Attributes:
        fault: `FIT`, or the first reason against the sentence or the answer.
        tag, window_tag: the answer's Penn tag in the whole sentence; in its window, clitics after `+`.
        topicality: of the answer, in nats; NaN if not measured.
        printed, rank: positions of the printed tokens; the answer's index among them.
        before, after: the printed tokens beside the blank. For `an " owl "`, a reader sees `an owl`.
    """

    id: str
    sentence: Sentence
    position: int
    fault: str = FIT
    tag: str = ""
    window_tag: str = ""
    frame: Frame | None = None
    topicality: float = float("nan")
    printed: Sequence[int] = field(init=False)
    rank: int = field(init=False)
    before: str = field(init=False)
    after: str = field(init=False)

    def __post_init__(self) -> None:
        tokens = self.sentence.tokens
        self.printed = rendered_positions(tokens)
        self.rank = self.printed.index(self.position)
        before, after = printed_neighbours(tokens, self.position, self.printed)
        self.before = tokens[before]
        self.after = tokens[after]

    @property
    def answer(self) -> str:
        return self.sentence.tokens[self.position]


@dataclass(frozen=True, slots=True)
class OpenRows:
    """Candidates that no check has rejected, and their items.

    Attributes:
        item: shape (candidates,): index in `items`, ascending.
        row: shape (candidates,): the candidate's row in the table.
        word: shape (candidates,).
    """

    items: Sequence[Item]
    item: np.ndarray
    row: np.ndarray
    word: np.ndarray

    def words_by_item(self) -> Blanks:
        """Words of each item, the answer first."""
        words = [[item.answer] for item in self.items]
        for item, word in zip(self.item.tolist(), self.word.tolist(), strict=True):
            words[item].append(word)
        return words


class CandidateTable:
    """The candidates of some items; a check writes its fault where the verdict is still `FIT`.

    Attributes:
        item: int64, shape (candidates,): index in `items`, ascending.
        word, verdict, tag: objects, shape (candidates,).
        measures: float64, shape (candidates, `MEASURES`); NaN if not measured.
    """

    def __init__(self, items: Sequence[Item], item: np.ndarray, word: np.ndarray) -> None:
        self.items = items
        self.item = item
        self.word = word
        self.verdict = np.full(len(word), FIT, object)
        self.tag = np.full(len(word), "", object)
        self.measures = np.full((len(word), len(MEASURES)), np.nan)

    @classmethod
    def of(cls, items: Sequence[Item], words: Sequence[Sequence[str]]) -> CandidateTable:
        """The table of each item's words."""
        item = np.repeat(np.arange(len(items)), [len(listed) for listed in words])
        return cls(items, item, np.array([w for listed in words for w in listed], object))

    def open(self, least: int = 0) -> OpenRows:
        """Open candidates of the items without a fault that have at least `least` of them."""
        is_fit = self._is_fit()
        rows = np.flatnonzero((self.verdict == FIT) & is_fit[self.item])
        count = np.bincount(self.item[rows], minlength=len(self.items))
        chosen = is_fit & (count >= least)
        rows = rows[chosen[self.item[rows]]]
        number = np.cumsum(chosen) - 1
        items = [item for item, is_chosen in zip(self.items, chosen, strict=True) if is_chosen]
        return OpenRows(items, number[self.item[rows]], rows, self.word[rows])

    def _is_fit(self) -> np.ndarray:
        return np.array([item.fault == FIT for item in self.items], bool)

    def decisions(self) -> pa.Table:
        """Rows of `DECISIONS`: candidates of the items without a fault."""
        is_fit = self._is_fit()
        rows = np.flatnonzero(is_fit[self.item])
        ids = np.array([item.id for item in self.items], object)
        return DECISIONS.arrow(
            {
                "id": ids[self.item[rows]].tolist(),
                "word": self.word[rows].tolist(),
                "verdict": self.verdict[rows].tolist(),
                "tag": self.tag[rows].tolist(),
                **dict(zip(MEASURES, self.measures[rows].T, strict=True)),
            }
        )

    def item_rows(self) -> pa.Table:
        """Rows of `ITEMS`."""
        fit = np.bincount(self.item[self.open().row], minlength=len(self.items))
        return ITEMS.arrow(
            {
                "id": [item.id for item in self.items],
                "verdict": [str(item.fault) for item in self.items],
                "answer_tag": [item.window_tag for item in self.items],
                "answer_topicality": [round(item.topicality, 4) for item in self.items],
                "place_requires": [str(item.frame or "") for item in self.items],
                "fit_candidates": fit,
            }
        )


def read_candidates(reader: Reader, scored: Path, part: Part) -> CandidateTable:
    """The retained candidates of a part's focus words, the best forward score first."""
    columns = ["id", "word", "forward_rank", "kept"]
    table = SCORED.read(scored / part.file, columns).filter(pc.field("kept"))
    ids = coded_column(table, "id")
    codes = ids.indices.to_numpy()
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    item = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(codes)))
    order = np.lexsort((table["forward_rank"].to_numpy(), item))
    word = table["word"].cast(pa.string()).to_numpy()[order]
    focus = reader.focus(part)
    row_of = {item_id: row for row, item_id in enumerate(focus["id"])}
    items = []
    for item_id in ids.dictionary.take(pa.array(codes[starts])).to_pylist():
        row = row_of[item_id]
        sentence = reader.sentences[focus["sentence_id"][row]]
        items.append(Item(item_id, sentence, focus["position"][row]))
    return CandidateTable(items, item, word)

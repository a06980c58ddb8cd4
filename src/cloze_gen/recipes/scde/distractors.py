"""Distractors: sentences that seem to answer a blank but answer none; ours (SCDE 5.7 defers them).

`hard` draws hard rivals whose ranks by length and surface traits (`propensity`) resemble those of
the answers. `random` and `none` are the paper's ablations RandomDt and RemoveDt (5.6, Table 7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import csr_array

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.recipes.scde.propensity import log_odds, residual, separability, trait_table
from cloze_gen.recipes.scde.rivals import ANSWER, CANDIDATES, RIVAL
from cloze_gen.recipes.tables import write_rejections
from cloze_gen.records.passage import Part
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.rng import derive_rng
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.schema import Column, Table
from cloze_gen.store.tables import write_tsv

_HARDNESS_WEIGHT = 8.0  # of `hardness` in the log odds by which rivals are drawn
_ROUNDS = 7  # of the classifier that corrects the draw
_MOST_LOG_ODDS = 3.0  # of the sum over rounds, so that no candidate is certain
PROPENSITY = "propensity.tsv"
DISTRACTORS = Table(
    "distractors.parquet",
    "One row a passage, in the order of the passages.",
    Column("id", pa.string(), "id of the passage"),
    Column("distractors", pa.list_(pa.int32()), "index of each distractor in its book"),
    Column("books", pa.list_(pa.string()), "book of each distractor"),
    Column(
        "by_length",
        pa.list_(pa.int32()),
        "places of the hard distractors among all candidates by length, from the shortest; empty "
        "if there are too few rivals",
    ),
    Column(
        "separation",
        pa.float64(),
        "how far a classifier without the passage sets the hard distractors apart from the answers: "
        "absolute difference of their mean log odds; 0 without hard distractors",
    ),
)


class DistractorsSettings(SettingsGroup):
    count: int = Field(2, ge=1, le=20, description="distractors in a passage; Table 1: two")
    kind: Literal["hard", "random", "none"] = Field(
        "hard",
        description="of the same book, of other books (RandomDt) or none (RemoveDt)",
    )


class DistractorReason(Reason):
    TOO_FEW_RIVALS = ("too_few_rivals", "fewer rivals than distractors.count")
    TOO_FEW_OTHERS = (
        "too_few_answers_of_other_books",
        "the other books of its part have fewer answers than distractors.count",
    )


Lengths = NDArray[np.int32]  # in characters


def places_by_length(answers: Lengths, distractors: Lengths) -> list[int]:
    """Ranks of the distractors by length among all candidates, from the shortest; ties are stable.

    >>> places_by_length(np.array([30, 10, 20]), np.array([5, 25]))
    [0, 3]
    """
    order = np.argsort(np.concatenate((answers, distractors)), kind="stable")
    return np.flatnonzero(order >= len(answers)).tolist()


def draw_distractors(
    lengths: Lengths,
    answer_lengths: Lengths,
    preference: NDArray[np.float64],
    *,
    count: int,
    rng: np.random.Generator,
) -> list[int] | None:
    """Indices of the drawn candidates, by rank of length and then `preference`; None if too few.

    >>> draw_distractors(np.array([5, 50, 500]), np.array([10, 100]), np.zeros(3), count=2, rng=np.random.default_rng(2))
    [1, 2]
    """
    if len(lengths) < count:
        return None
    rank_sets = list(combinations(range(len(answer_lengths) + count), count))
    ranks = rank_sets[rng.integers(len(rank_sets))]
    shorter_answers = np.searchsorted(np.sort(answer_lengths), lengths)
    appeal = preference + rng.gumbel(size=len(lengths))
    taken: list[int] = []
    for before, rank in enumerate(ranks):
        distance = np.abs(shorter_answers - (rank - before)).astype(np.float64)
        distance[taken] = np.inf
        nearest = np.flatnonzero(distance == distance.min())
        taken.append(int(nearest[appeal[nearest].argmax()]))
    return sorted(taken)


# ---- the stage

_READ = [
    "id",
    "book_id",
    "part",
    "sentence",
    "characters",
    "verdict",
    "hardness",
    "traits",
]


@dataclass(frozen=True, slots=True)
class _Passage:
    """A passage, and the rows of its answers and of its rivals in the table of candidates."""

    id: str
    book_id: str
    part: str
    answers: NDArray[np.int64]
    rivals: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The answers and rivals of all passages; every array has a row a candidate."""

    passages: list[_Passage]
    book: NDArray[np.object_]
    part: NDArray[np.object_]
    sentence: NDArray[np.int32]
    length: Lengths
    is_answer: NDArray[np.bool_]
    hardness: NDArray[np.float64]
    trait_names: list[str]
    traits: csr_array


Rows = Mapping[str, NDArray[np.int64]]  # passage -> rows of its distractors


def _read(rivals: Artifact) -> _Candidates:
    table = CANDIDATES.read(rivals.path(CANDIDATES.name), _READ)
    verdict = table["verdict"].cast(pa.string())
    table = table.filter(pc.is_in(verdict, pa.array([ANSWER, RIVAL])))
    is_answer = pc.equal(table["verdict"].cast(pa.string()), ANSWER).to_numpy()
    ids = table["id"].combine_chunks().dictionary_encode()
    passage_of_row = ids.indices.to_numpy()
    first_rows = np.unique(passage_of_row, return_index=True)[1]
    of_passages = table.select(["id", "book_id", "part"]).take(first_rows)
    rows_of = np.split(np.arange(len(ids)), first_rows[1:])
    passages = [
        _Passage(**row, answers=rows[is_answer[rows]], rivals=rows[~is_answer[rows]])
        for row, rows in zip(of_passages.to_pylist(), rows_of, strict=True)
    ]
    book = np.array(of_passages["book_id"].to_pylist(), object)[passage_of_row]
    part = np.array(of_passages["part"].to_pylist(), object)[passage_of_row]
    trait_names, traits = trait_table(table["traits"].combine_chunks())
    return _Candidates(
        passages,
        book,
        part,
        table["sentence"].to_numpy(),
        table["characters"].to_numpy(),
        is_answer,
        table["hardness"].to_numpy(),
        trait_names,
        traits,
    )


@dataclass(frozen=True, slots=True)
class _HardDraw:
    """Hard distractors, and the fact `auc` of the stage.

    Attributes:
        odds: log odds of each trait, by which rivals were drawn; the sum over the rounds.
        left: log odds of each trait that still separate the distractors from the answers.
    """

    rows: Rows
    odds: NDArray[np.float64]
    left: NDArray[np.float64]
    auc: list[float]


def _draw_hard(candidates: _Candidates, count: int, seed: int) -> _HardDraw:
    """Draw, train a classifier of answers on what was drawn, and draw again against it.

    The classifier sees no passage, and candidates of training books only.
    """
    traits = candidates.traits
    is_train = candidates.part == Part.TRAIN
    hardness = residual(candidates.hardness, traits, is_train & ~candidates.is_answer)
    odds = left = np.zeros(len(candidates.trait_names))
    areas: list[float] = []
    for number in range(_ROUNDS + 1):
        bounded = np.clip(traits @ odds, -_MOST_LOG_ODDS, _MOST_LOG_ODDS)
        rows = _draw_by(_HARDNESS_WEIGHT * hardness + bounded, candidates, count, seed)
        shown = np.zeros(len(is_train), np.bool_)
        for passage in candidates.passages:
            if passage.id in rows:
                shown[passage.answers] = True
                shown[rows[passage.id]] = True
        sample = np.flatnonzero(shown & is_train)
        if len(set(candidates.book[sample])) < 2:
            break  # no second book to check a classifier on
        is_answer = candidates.is_answer[sample]
        if number in (0, _ROUNDS):
            areas.append(separability(traits[sample], is_answer, candidates.book[sample]))
        left = log_odds(traits[sample], is_answer)
        if number < _ROUNDS:
            odds = odds + left
    return _HardDraw(rows, odds, left, areas)


def _draw_by(
    preference: NDArray[np.float64], candidates: _Candidates, count: int, seed: int
) -> Rows:
    rows: dict[str, NDArray[np.int64]] = {}
    for passage in candidates.passages:
        taken = draw_distractors(
            candidates.length[passage.rivals],
            candidates.length[passage.answers],
            preference[passage.rivals],
            count=count,
            rng=derive_rng(seed, "scde.distractors", passage.id),
        )
        if taken is not None:
            rows[passage.id] = passage.rivals[taken]
    return rows


def _draw_random(candidates: _Candidates, count: int, seed: int) -> Rows:
    """RandomDt: answers of other books of the same part."""
    answers = np.flatnonzero(candidates.is_answer)
    book = candidates.book[answers]
    part = candidates.part[answers]
    rows: dict[str, NDArray[np.int64]] = {}
    for passage in candidates.passages:
        others = answers[(part == passage.part) & (book != passage.book_id)]
        if len(others) >= count:
            rng = derive_rng(seed, "scde.random_distractors", passage.id)
            rows[passage.id] = rng.choice(others, count, replace=False)
    return rows


def _measures(candidates: _Candidates, hard: _HardDraw) -> dict[str, dict[str, Any]]:
    """Passage -> `by_length` and `separation` of its hard distractors (`DISTRACTORS`)."""
    log_odds_left = candidates.traits @ hard.left
    measures: dict[str, dict[str, Any]] = {}
    for passage in candidates.passages:
        rows = hard.rows.get(passage.id)
        if rows is None:
            continue
        answers = passage.answers
        apart = log_odds_left[rows].mean() - log_odds_left[answers].mean()
        measures[passage.id] = {
            "by_length": places_by_length(candidates.length[answers], candidates.length[rows]),
            "separation": abs(float(apart.round(6))),
        }
    return measures


def write_distractors(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    rivals: Artifact,
    settings: DistractorsSettings,
    seed: int,
) -> None:
    """Write the distractors. The hard ones also decide which passages make the set."""
    candidates = _read(rivals)
    hard = _draw_hard(candidates, settings.count, seed)
    measures = _measures(candidates, hard)
    drawn: Rows = {passage.id: np.zeros(0, np.int64) for passage in candidates.passages}
    reason = DistractorReason.TOO_FEW_RIVALS
    if settings.kind == "hard":
        drawn = hard.rows
    if settings.kind == "random":
        drawn = _draw_random(candidates, settings.count, seed)
        reason = DistractorReason.TOO_FEW_OTHERS
    unmeasured = {"by_length": [], "separation": 0.0}
    records = [
        {"id": name, "distractors": candidates.sentence[rows], "books": candidates.book[rows]}
        | measures.get(name, unmeasured)
        for name, rows in drawn.items()
    ]
    DISTRACTORS.write_records(writer, records)
    odds = zip(candidates.trait_names, hard.odds.round(6).tolist(), strict=True)
    learnt = [(trait, weight) for trait, weight in odds if weight]
    writer.rows[PROPENSITY] = write_tsv(writer.path(PROPENSITY), ("trait", "log_odds"), learnt)
    without = [passage.id for passage in candidates.passages if passage.id not in drawn]
    rejected = [Rejection(name, reason) for name in without]
    write_rejections(writer, rejected, unit="passages", kept=len(records))
    writer.facts["auc"] = [round(area, 4) for area in hard.auc]
    classifier = ""
    if hard.auc and settings.kind == "hard":
        classifier = (
            "; area under the curve of a classifier that separates them from answers: "
            f"{hard.auc[0]:.3f} before the first round, {hard.auc[-1]:.3f} after the last"
        )
    ctx.say(
        f"{len(records):,} of {len(candidates.passages):,} passages have distractors{classifier}"
    )

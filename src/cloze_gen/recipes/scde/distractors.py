"""Distractors: sentences that seem to answer a blank but answer none; ours (SCDE 5.7 defers them).

`hard` draws hard rivals whose ranks by length and surface traits (`propensity`) resemble those of
the answers. `random` and `none` are the paper's ablations RandomDt and RemoveDt (5.6, Table 7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import Field

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.recipes.scde.passages import (
    ANSWERS,
    CONSIDERED,
    DISTRACTORS,
    PROPENSITY,
    RIVAL,
    Place,
    Window,
    windows_by_book,
)
from cloze_gen.recipes.scde.propensity import Propensity, learn, learn_expectation, separability
from cloze_gen.records.passage import Part
from cloze_gen.records.rejection import Reason
from cloze_gen.rng import derive_rng, stable_fraction
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import REJECTED, read_parquet, write_parquet, write_tsv


class DistractorsSettings(SettingsGroup):
    count: int = Field(2, ge=1, le=20, description="distractors in a passage; Table 1: two")
    kind: Literal["hard", "random", "none"] = Field(
        "hard",
        description="of the same book, of other books (RandomDt) or none (RemoveDt)",
    )
    strength: float = Field(
        8.0,
        ge=0,
        le=100,
        description="preference for rivals that almost fit a blank; 0: none",
    )
    rounds: int = Field(
        7,
        ge=0,
        le=100,
        description="rounds of a classifier that corrects the draw",
    )


def places_by_length(lengths: Sequence[int], distractors: Sequence[int]) -> tuple[int, ...]:
    """Ranks of the distractors by length among all candidates, from the shortest; ties are stable.

    >>> places_by_length([30, 10, 20], [5, 25])
    (0, 3)
    """
    order = sorted((length, i) for i, length in enumerate((*lengths, *distractors)))
    return tuple(place for place, (_, i) in enumerate(order) if i >= len(lengths))


def draw_distractors(
    lengths: NDArray[np.int64],
    answer_lengths: Sequence[int],
    log_odds: NDArray[np.float64],
    *,
    count: int,
    rng: np.random.Generator,
) -> tuple[int, ...] | None:
    """Indices of the drawn candidates, by rank of length and then `log_odds`; None if too few.

    >>> draw_distractors(np.array([5, 50, 500]), [10, 100], np.zeros(3), count=2, rng=np.random.default_rng(2))
    (1, 2)
    """
    if len(lengths) < count:
        return None
    places = len(answer_lengths) + count
    rank_sets = list(combinations(range(places), count))
    of_distractors = rank_sets[rng.integers(len(rank_sets))]
    between = np.searchsorted(np.sort(answer_lengths), lengths)
    appeal = log_odds + rng.gumbel(size=len(lengths))
    taken: list[int] = []
    for before, place in enumerate(of_distractors):
        left = [candidate for candidate in range(len(lengths)) if candidate not in taken]
        nearest = min(abs(int(between[candidate]) - (place - before)) for candidate in left)
        fitting = [
            candidate
            for candidate in left
            if abs(int(between[candidate]) - (place - before)) == nearest
        ]
        taken.append(max(fitting, key=lambda candidate: appeal[candidate]))
    return tuple(sorted(taken))


class DistractorReason(Reason):
    TOO_FEW_RIVALS = ("too_few_rivals", "fewer rivals than distractors.count")
    TOO_FEW_OTHERS = (
        "too_few_passages_of_other_books",
        "too few passages of other books with answers of the same kind",
    )


# Kind of distractors -> reason of a passage without them.
_LACKS = {
    "hard": str(DistractorReason.TOO_FEW_RIVALS),
    "random": str(DistractorReason.TOO_FEW_OTHERS),
}
_HALVES = (0, 1)
_READ = ["id", "sentence", "characters", "verdict", "fit", "topic", "hardness", "traits"]


@dataclass(frozen=True, slots=True)
class Rivals:
    """A passage with its answers and rivals.

    Attributes:
        answers, sentences: index of each answer and of each rival in the book.
        temptation: of each rival: sum of fit and topic.
        half: half of the training novels, 0 or 1, that has its book; -1 for other books.
    """

    window: Window
    answers: list[int]
    answer_lengths: list[int]
    answer_traits: list[tuple[str, ...]]
    sentences: list[int]
    lengths: np.ndarray
    hardness: np.ndarray
    temptation: np.ndarray
    traits: list[tuple[str, ...]]
    half: int


def write_distractors(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    passages: Artifact,
    rivals: Artifact,
    settings: DistractorsSettings,
    seed: int,
) -> None:
    """Write the distractors. The hard ones also decide which passages make the set."""
    every = _without_traits(_read_rivals(passages, rivals))
    odds, aucs = _learn_rounds(every, settings, seed)
    hard = {one.window.id: (one, _draw(one, odds, settings, seed)) for one in every}
    found = {name: (one, places) for name, (one, places) in hard.items() if places is not None}
    tempting = _tempting(found)
    drawn: dict[str, list[Place]]
    if settings.kind == "none":
        drawn = {one.window.id: [] for one in every}
    elif settings.kind == "random":
        drawn = _from_other_passages(every, settings.count, seed)
    else:
        drawn = {
            name: [(one.window.book_id, one.sentences[place]) for place in places]
            for name, (one, places) in found.items()
        }
    kept = [one.window.id for one in every if one.window.id in drawn]
    columns = {
        "id": kept,
        "distractors": [[sentence for _, sentence in drawn[name]] for name in kept],
        "books": [[book for book, _ in drawn[name]] for name in kept],
        "by_length": [_by_length(*found[name]) if name in found else [] for name in kept],
        "temptation": [round(tempting.get(name, 0.0), 6) for name in kept],
    }
    writer.rows[DISTRACTORS] = write_parquet(writer.path(DISTRACTORS), columns)
    without = [one for one in every if one.window.id not in drawn]
    writer.rows[REJECTED] = write_parquet(
        writer.path(REJECTED),
        {
            "id": [one.window.id for one in without],
            "reason": [_LACKS[settings.kind] for _ in without],
            "detail": [
                str(len(one.sentences) if settings.kind == "hard" else len(_others(one, every)))
                for one in without
            ],
        },
    )
    rows = ((trait, round(weight, 6)) for trait, weight in sorted(odds.weights.items()))
    writer.rows[PROPENSITY] = write_tsv(writer.path(PROPENSITY), ("trait", "log_odds"), rows)
    writer.funnel = funnel(
        "passages", kept=len(kept), rejected=Counter(_LACKS[settings.kind] for _ in without)
    )
    writer.facts |= {"kind": settings.kind, "auc": [round(value, 4) for value in aucs]}
    classifier = ""
    if aucs and settings.kind == "hard":
        classifier = (
            "; area under the curve of a classifier that separates them from answers: "
            f"{aucs[0]:.3f} before the first round, {aucs[-1]:.3f} after the last"
        )
    ctx.say(f"{len(kept):,} of {len(every):,} passages have distractors{classifier}")


def _others(one: Rivals, every: Sequence[Rivals]) -> list[Rivals]:
    return [
        other
        for other in every
        if other.window.part == one.window.part and other.window.book_id != one.window.book_id
    ]


def _read_rivals(passages: Artifact, rivals: Artifact) -> list[Rivals]:
    windows = {
        window.id: window for of_book in windows_by_book(passages).values() for window in of_book
    }
    answers: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(read_parquet(rivals.path(ANSWERS))):
        answers.setdefault(row["id"], []).append(row)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in answers}
    table = read_parquet(rivals.path(CONSIDERED), columns=_READ)
    for row in _rows(table.filter(pc.field("verdict") == RIVAL)):
        found[row["id"]].append(row)
    return [_rivals(windows[name], own, found[name]) for name, own in answers.items()]


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """The rows; equal traits share one string, since millions of strings need gigabytes."""
    lists = table["traits"].combine_chunks()
    coded = lists.flatten().dictionary_encode()
    names, codes = coded.dictionary.to_pylist(), coded.indices.to_pylist()
    bounds = lists.offsets.to_pylist()
    start = bounds[0]
    for number, row in enumerate(table.drop_columns("traits").to_pylist()):
        own = codes[bounds[number] - start : bounds[number + 1] - start]
        yield row | {"traits": tuple(map(names.__getitem__, own))}


def _rivals(
    window: Window, answers: Sequence[dict[str, Any]], rivals: Sequence[dict[str, Any]]
) -> Rivals:
    train = window.part == Part.TRAIN
    return Rivals(
        window,
        [row["sentence"] for row in answers],
        [row["characters"] for row in answers],
        [row["traits"] for row in answers],
        [row["sentence"] for row in rivals],
        np.array([row["characters"] for row in rivals], np.int64),
        np.array([row["hardness"] for row in rivals], np.float64),
        np.array([row["fit"] + row["topic"] for row in rivals], np.float64),
        [row["traits"] for row in rivals],
        int(stable_fraction("scde.propensity", window.book_id) >= 0.5) if train else -1,
    )


def _by_length(one: Rivals, places: Sequence[int]) -> list[int]:
    return list(places_by_length(one.answer_lengths, one.lengths[list(places)].tolist()))


def _without_traits(every: Sequence[Rivals]) -> list[Rivals]:
    """The passages, with hardness replaced by its residual given the rivals' own traits."""
    train = [one for one in every if one.half >= 0]
    expected = learn_expectation(
        [own for one in train for own in one.traits],
        [value for one in train for value in one.hardness.tolist()],
    )
    return [replace(one, hardness=one.hardness - expected.of(one.traits)) for one in every]


def _tempting(found: Mapping[str, tuple[Rivals, tuple[int, ...]]]) -> dict[str, float]:
    """Temptation of each passage's distractors, as a residual given the traits of all candidates."""
    value = {
        name: float(one.temptation[list(places)].mean()) for name, (one, places) in found.items()
    }
    shown = {
        name: [f"distractor {trait}" for place in places for trait in one.traits[place]]
        + [f"answer {trait}" for own in one.answer_traits for trait in own]
        for name, (one, places) in found.items()
    }
    train = [name for name, (one, _) in found.items() if one.half >= 0]
    expected = learn_expectation([shown[name] for name in train], [value[name] for name in train])
    return {
        name: value[name] - float(of_traits)
        for name, of_traits in zip(found, expected.of(shown[name] for name in found), strict=True)
    }


def _draw(
    one: Rivals, odds: Propensity, settings: DistractorsSettings, seed: int
) -> tuple[int, ...] | None:
    rng = derive_rng(seed, "scde.distractors", one.window.id)
    log_odds = settings.strength * one.hardness + odds.log_odds(one.traits)
    return draw_distractors(
        one.lengths, one.answer_lengths, log_odds, count=settings.count, rng=rng
    )


def _learn_rounds(
    every: Sequence[Rivals], settings: DistractorsSettings, seed: int
) -> tuple[Propensity, list[float]]:
    """The learnt odds, and the AUC of each round, cross-validated on two halves."""
    train = [one for one in every if one.half >= 0]
    odds = Propensity()
    aucs: list[float] = []
    for number in range(settings.rounds + 1):
        sides: dict[int, tuple[list[tuple[str, ...]], list[tuple[str, ...]]]] = {
            half: ([], []) for half in _HALVES
        }
        for one in train:
            places = _draw(one, odds, settings, seed)
            if places is not None:
                sides[one.half][0].extend(one.answer_traits)
                sides[one.half][1].extend(one.traits[place] for place in places)
        if not all(answers and distractors for answers, distractors in sides.values()):
            # in a small sample one half may be empty, so validation is impossible
            break
        found = {half: learn(*sides[half]) for half in _HALVES}
        aucs.append(
            float(np.mean([separability(found[1 - half], *sides[half]) for half in _HALVES]))
        )
        if number < settings.rounds:
            odds = odds + learn(*(sides[0][side] + sides[1][side] for side in (0, 1)))
    return odds, aucs


def _from_other_passages(every: Sequence[Rivals], count: int, seed: int) -> dict[str, list[Place]]:
    """RandomDt: answers of passages of other books of the same part, drawn on a hash ring."""
    by_place = sorted(every, key=lambda one: stable_fraction("scde.ring", one.window.id))
    rings = {part: [one for one in by_place if one.window.part == part] for part in Part}
    places_of = {
        part: np.array([stable_fraction("scde.ring", one.window.id) for one in ring])
        for part, ring in rings.items()
    }
    drawn: dict[str, list[Place]] = {}
    for one in every:
        ring, places = rings[Part(one.window.part)], places_of[Part(one.window.part)]
        rng = derive_rng(seed, "scde.random_distractors", one.window.id)
        taken: list[Rivals] = []
        for _ in range(count):
            start = int(np.searchsorted(places, rng.random()))
            following = (ring[(start + step) % len(ring)] for step in range(len(ring)))
            other = next(
                (
                    found
                    for found in following
                    if found.window.book_id != one.window.book_id and found not in taken
                ),
                None,
            )
            if other is None:
                break
            taken.append(other)
        if len(taken) == count:
            drawn[one.window.id] = [
                (other.window.book_id, other.answers[int(rng.integers(len(other.answers)))])
                for other in taken
            ]
    return drawn

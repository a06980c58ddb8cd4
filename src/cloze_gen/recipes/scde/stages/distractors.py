"""The distractors of every passage, drawn among its rivals by odds that the training novels teach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from cloze_gen.errors import CorpusError
from cloze_gen.recipes.scde.stages.tables import ANSWERS, CONSIDERED, DISTRACTORS, PROPENSITY, RIVAL, Place, Window, windows_by_book
from cloze_gen.recipes.scde.steps.distractors import DistractorsSettings, draw_distractors, places_by_length
from cloze_gen.recipes.scde.steps.propensity import Propensity, learn, learn_expectation, told_apart
from cloze_gen.records.passage import Part
from cloze_gen.rng import derive_rng, stable_fraction
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import REJECTED
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_parquet, write_tsv

# Of each kind that can be had too seldom: why a passage has none, and what helps where no passage has any.
_LACKS = {
    "hard": ("too_few_rivals", "Raise rivals.max_distance or rivals.max_fit, lower distractors.count, or give more books."),
    "random": ("too_few_passages_of_other_books", "Lower distractors.count, or give more books."),
}
_HALVES = (0, 1)
_READ = ["id", "sentence", "characters", "verdict", "fit", "topic", "hardness", "traits"]


@dataclass(frozen=True, slots=True)
class Rivals:
    """A passage with its answers and rivals.

    Attributes:
        answers, sentences: index in the book of each answer, of each rival.
        answer_lengths, lengths: characters of each.
        temptation: of each rival: fit and topic together.
        half: of the training novels, that its book is in; -1 for other books.
    """

    window: Window
    answers: list[int]
    answer_lengths: list[int]
    answer_traits: list[frozenset[str]]
    sentences: list[int]
    lengths: np.ndarray
    hardness: np.ndarray
    temptation: np.ndarray
    traits: list[frozenset[str]]
    half: int


def write_distractors(
    writer: ArtifactWriter, room: Room, *, passages: Artifact, rivals: Artifact, settings: DistractorsSettings, seed: int
) -> None:
    """Write the distractors of every passage, in the order of the passages.

    Files: `distractors.parquet`, a row a passage: `id`, `distractors` (indices of sentences in their books), `books` (of each its book),
    `by_length` and `temptation`: of the hard distractors that it has or would have, their places among all candidates by length, from 0,
    and by how much they go with its blanks and as a whole better than the answers do; so each kind makes a set of the same passages, as
    long as they have rivals.
    `rejected.parquet`, the passages without: `id`, `reason`, `detail` (how many rivals, or passages of other books of its part, there
    are). `propensity.tsv`, the odds by which rivals are drawn: `trait`, `log_odds` (natural, of being an answer).

    Raises:
        CorpusError: no passage has distractors.
    """
    every = _without_traits(_read_rivals(passages, rivals))
    odds, apart = _learn_rounds(every, settings, seed)
    hard = {one.window.id: (one, _draw(one, odds, settings, seed)) for one in every}
    found = {name: (one, places) for name, (one, places) in hard.items() if places is not None}
    tempting = _tempting(found)
    drawn: dict[str, list[Place]]
    if settings.kind == "none":
        drawn = {one.window.id: [] for one in every}
    elif settings.kind == "random":
        drawn = _from_other_passages(every, settings.count, seed)
    else:
        drawn = {name: [(one.window.book_id, one.sentences[place]) for place in places] for name, (one, places) in found.items()}
    if not drawn:
        raise CorpusError(f"none of {len(every):,} passages has {settings.count} {settings.kind} distractors. {_LACKS[settings.kind][1]}")
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
            "reason": [_LACKS[settings.kind][0] for _ in without],
            "detail": [str(len(one.sentences) if settings.kind == "hard" else len(_others(one, every))) for one in without],
        },
    )
    rows = ((trait, round(weight, 6)) for trait, weight in sorted(odds.weights.items()))
    writer.rows[PROPENSITY] = write_tsv(writer.path(PROPENSITY), ("trait", "log_odds"), rows)
    writer.funnel = funnel("passages", kept=len(kept), rejected=Counter(_LACKS[settings.kind][0] for _ in without))
    writer.facts |= {"kind": settings.kind, "told_apart": [round(value, 4) for value in apart]}
    told = ""
    if apart and settings.kind == "hard":
        told = f"; what tells them from answers fell from {apart[0]:.3f} to {apart[-1]:.3f} (area under the curve)"
    room.say(f"{len(kept):,} of {len(every):,} passages have distractors{told}")


def _others(one: Rivals, every: Sequence[Rivals]) -> list[Rivals]:
    """The passages of other books of the same part."""
    return [other for other in every if other.window.part == one.window.part and other.window.book_id != one.window.book_id]


def _read_rivals(passages: Artifact, rivals: Artifact) -> list[Rivals]:
    windows = {window.id: window for of_book in windows_by_book(passages).values() for window in of_book}
    answers: dict[str, list[dict[str, Any]]] = {}
    for row in read_parquet(rivals.path(ANSWERS)).to_pylist():
        answers.setdefault(row["id"], []).append(row)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in answers}
    table = read_parquet(rivals.path(CONSIDERED), columns=_READ)
    for row in table.filter(pc.field("verdict") == RIVAL).to_pylist():
        found[row["id"]].append(row)
    return [_rivals(windows[name], own, found[name]) for name, own in answers.items()]


def _rivals(window: Window, answers: Sequence[dict[str, Any]], rivals: Sequence[dict[str, Any]]) -> Rivals:
    train = window.part == Part.TRAIN
    return Rivals(
        window,
        [row["sentence"] for row in answers],
        [row["characters"] for row in answers],
        [frozenset(row["traits"]) for row in answers],
        [row["sentence"] for row in rivals],
        np.array([row["characters"] for row in rivals], np.int64),
        np.array([row["hardness"] for row in rivals], np.float64),
        np.array([row["fit"] + row["topic"] for row in rivals], np.float64),
        [frozenset(row["traits"]) for row in rivals],
        int(stable_fraction("scde.propensity", window.book_id) >= 0.5) if train else -1,
    )


def _by_length(one: Rivals, places: Sequence[int]) -> list[int]:
    return list(places_by_length(one.answer_lengths, one.lengths[list(places)].tolist()))


def _without_traits(every: Sequence[Rivals]) -> list[Rivals]:
    """The passages with the hardness of their rivals less what each rival's own traits let one expect, by the training novels.

    So those that are preferred for their hardness are preferred for what they are to this passage, and not for what anybody sees in them.
    """
    train = [one for one in every if one.half >= 0]
    expected = learn_expectation([own for one in train for own in one.traits], [value for one in train for value in one.hardness.tolist()])
    return [replace(one, hardness=one.hardness - expected.of(one.traits)) for one in every]


def _tempting(found: Mapping[str, tuple[Rivals, tuple[int, ...]]]) -> dict[str, float]:
    """How tempting the hard distractors of each passage are, less what their traits and those of the answers let one expect."""
    value = {name: float(one.temptation[list(places)].mean()) for name, (one, places) in found.items()}
    shown = {
        name: [f"distractor {trait}" for place in places for trait in one.traits[place]]
        + [f"answer {trait}" for own in one.answer_traits for trait in own]
        for name, (one, places) in found.items()
    }
    train = [name for name, (one, _) in found.items() if one.half >= 0]
    expected = learn_expectation([shown[name] for name in train], [value[name] for name in train])
    return {name: value[name] - float(of_traits) for name, of_traits in zip(found, expected.of(shown[name] for name in found), strict=True)}


def _draw(one: Rivals, odds: Propensity, settings: DistractorsSettings, seed: int) -> tuple[int, ...] | None:
    """Distractors of a passage, as indices into its rivals."""
    rng = derive_rng(seed, "scde.distractors", one.window.id)
    log_odds = settings.strength * one.hardness + odds.log_odds(one.traits)
    return draw_distractors(one.lengths, one.answer_lengths, log_odds, count=settings.count, rng=rng)


def _learn_rounds(every: Sequence[Rivals], settings: DistractorsSettings, seed: int) -> tuple[Propensity, list[float]]:
    """The odds that the training novels teach, and round by round how well their two halves tell each other's draws apart from answers.

    Each round draws by the odds so far and adds what still tells the draws from answers. The odds are learnt of both halves, so what is
    told of them is no measure of the set: that is what an evaluation is for, on novels of the other parts.
    """
    train = [one for one in every if one.half >= 0]
    odds = Propensity()
    apart: list[float] = []
    for number in range(settings.rounds + 1):
        sides: dict[int, tuple[list[frozenset[str]], list[frozenset[str]]]] = {half: ([], []) for half in _HALVES}
        for one in train:
            places = _draw(one, odds, settings, seed)
            if places is not None:
                sides[one.half][0].extend(one.answer_traits)
                sides[one.half][1].extend(one.traits[place] for place in places)
        if not all(answers and distractors for answers, distractors in sides.values()):
            break  # a sample so small that one half has no passage: nothing can be learnt of one that the other bears out
        found = {half: learn(*sides[half]) for half in _HALVES}
        apart.append(float(np.mean([told_apart(found[1 - half], *sides[half]) for half in _HALVES])))
        if number < settings.rounds:
            odds = odds + learn(*(sides[0][side] + sides[1][side] for side in (0, 1)))
    return odds, apart


def _from_other_passages(every: Sequence[Rivals], count: int, seed: int) -> dict[str, list[Place]]:
    """Answers of passages of other books of the same part (RandomDt), by passage: of those that come next on a ring behind points that the
    passage draws.

    A passage's place on the ring is its own, so one book more moves few of the others' distractors.
    """
    by_place = sorted(every, key=lambda one: stable_fraction("scde.ring", one.window.id))
    rings = {part: [one for one in by_place if one.window.part == part] for part in Part}
    places_of = {part: np.array([stable_fraction("scde.ring", one.window.id) for one in ring]) for part, ring in rings.items()}
    drawn: dict[str, list[Place]] = {}
    for one in every:
        ring, places = rings[Part(one.window.part)], places_of[Part(one.window.part)]
        rng = derive_rng(seed, "scde.random_distractors", one.window.id)
        taken: list[Rivals] = []
        for _ in range(count):
            start = int(np.searchsorted(places, rng.random()))
            behind = (ring[(start + step) % len(ring)] for step in range(len(ring)))
            other = next((found for found in behind if found.window.book_id != one.window.book_id and found not in taken), None)
            if other is None:
                break
            taken.append(other)
        if len(taken) == count:
            drawn[one.window.id] = [(other.window.book_id, other.answers[int(rng.integers(len(other.answers)))]) for other in taken]
    return drawn

"""Places in books, with words to try there, to compare two sources of word measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cloze_gen.corpus.training_text import TEXT
from cloze_gen.models.word_knowledge import WordKnowledge
from cloze_gen.rng import derive_rng

MEASURES = "similarity", "topicality", "neighbour_fit", "beside_before", "beside_after"
SEED, REACH = 1, 12  # of a sentence at least so many tokens
_WORDS_A_PLACE = 8


@dataclass(frozen=True)
class Place:
    """A word in its sentence, and others to try in its place."""

    answer: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    words: tuple[str, ...]


def draw_places(text: Path, *, words: Sequence[str], count: int) -> list[Place]:
    """Places of words in books, at most one per sentence, with other words to try there, all
    equally likely.
    """
    allowed, rng = frozenset(words), derive_rng(SEED, "words.places", text.resolve().name)
    lines = (text / TEXT).read_text(encoding="utf-8").split("\n")
    places: list[Place] = []
    for line in rng.permutation(len(lines)).tolist():
        tokens = lines[line].split(" ")
        inside = [i for i, token in enumerate(tokens) if token in allowed]
        if len(tokens) < REACH or not inside:
            continue
        at = inside[int(rng.integers(len(inside)))]
        tried = tuple(
            words[i] for i in rng.choice(len(words), _WORDS_A_PLACE, replace=False).tolist()
        )
        places.append(Place(tokens[at], tuple(tokens[:at]), tuple(tokens[at + 1 :]), tried))
        if len(places) == count:
            break
    if not places:
        raise SystemExit(
            f"{text}: no sentence of {REACH} tokens or more has one of the {len(words)} "
            "words. Give more books or a lower count."
        )
    return places


def measured(knowledge: WordKnowledge, places: Sequence[Place]) -> dict[str, np.ndarray]:
    """Each measure at every place for every word tried, shape (places * words,); NaN if unknown."""
    found: dict[str, list[np.ndarray]] = {name: [] for name in MEASURES}
    for place in places:
        others = (*place.before, *place.after)
        none = np.full(len(place.words), np.nan)
        found["similarity"].append(knowledge.similarity([place.words], [place.answer]))
        found["topicality"].append(knowledge.topicality([place.words], [others]))
        found["neighbour_fit"].append(
            knowledge.neighbour_fit([place.words], [place.before], [place.after])
        )
        before = (
            knowledge.neighbour_frequency([place.words], [place.before[-1]], side="before")
            if place.before
            else none
        )
        after = (
            knowledge.neighbour_frequency([place.words], [place.after[0]], side="after")
            if place.after
            else none
        )
        found["beside_before"].append(before)
        found["beside_after"].append(after)
    return {name: np.concatenate(values) for name, values in found.items()}

"""Rules of cohesion, untrained: who is spoken of goes on being spoken of, pronouns have somebody to refer to, the tense stays.

Source: Barzilay & Lapata 2008, whose entity grid has a row a sentence and a column an entity, and learns from texts how likely each
transition of an entity from sentence to sentence is. *Read:* without a parser the entities are the names and the persons of the pronouns
(`english.cohesion`), present or absent; without training, an entity that is present twice speaks for the two sentences, and one that is
not speaks against them. Three rules, all of one weight:

- Entities: those that both have, for how many the two have (cosine of the two sets).
- Reference: of *he*, *she* and *they* in what comes later, those that the earlier names by a pronoun or, but for *they*, may by a name,
  less those that it does not, as a share.
- Tense: the same speaks for the two, the other against them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cloze_gen.english.cohesion import Person, surface_ties
from cloze_gen.evaluate.blanks.asked import AskedBlanks, Direction
from cloze_gen.evaluate.blanks.sides import nothing_as_nan, sentences_beside
from cloze_gen.evaluate.blanks.terms import cosines

_REFERRING = (Person.HE, Person.SHE, Person.THEY)
_MAY_BE_NAMED = np.array([True, True, False])  # a name stands for one, and which of *he* and *she* it is, it does not tell


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """What some stretches of text speak of; arrays are float64 with a row a stretch.

    Attributes:
        names: shape (stretches, names): 1 for those that are there.
        persons: shape (stretches, persons), likewise.
        tense: shape (stretches,): verbs of the past less those of the present.
    """

    names: NDArray[np.float64]
    persons: NDArray[np.float64]
    tense: NDArray[np.float64]

    def joined(self, rows: NDArray[np.float64]) -> _Grid:
        """Stretches put together: `rows` has 1 for each that goes into one, shape (joined, stretches)."""
        return _Grid(np.minimum(rows @ self.names, 1), np.minimum(rows @ self.persons, 1), rows @ self.tense)

    def part(self, rows: slice) -> _Grid:
        return _Grid(self.names[rows], self.persons[rows], self.tense[rows])


class CohesionScorer:
    """The mean of the three rules."""

    def scores(self, asked: AskedBlanks) -> Mapping[Direction, NDArray[np.float64]]:
        """As `asked.BlankScorer.scores`, from -1 to 1."""
        n, blanked = len(asked.sentences), frozenset(asked.passage.blanks)
        shown = [() if i in blanked else tokens for i, tokens in enumerate(asked.sentences)]
        grid = _grid([*shown, *asked.candidates])
        sentences, candidates = grid.part(slice(n)), grid.part(slice(n, None))
        found = {}
        for direction, beside in sentences_beside(asked.passage).items():
            context = sentences.joined(beside)
            is_before = direction in (Direction.P, Direction.AP)
            scores = _rules(context, candidates) if is_before else _rules(candidates, context).T
            found[direction] = nothing_as_nan(scores, beside)
        return found


def _grid(stretches: Sequence[Sequence[str]]) -> _Grid:
    """A word that only the head of a sentence makes a capital of is a name where it is one elsewhere."""
    ties = [surface_ties(tokens) for tokens in stretches]
    names = {name: i for i, name in enumerate(sorted(frozenset().union(*(tie.names for tie in ties))))}
    grid = _Grid(
        np.zeros((len(ties), len(names))), np.zeros((len(ties), len(Person))), np.array([tie.past - tie.present for tie in ties], float)
    )
    for i, tie in enumerate(ties):
        grid.names[i, [names[name] for name in sorted(tie.names | {tie.first_word}) if name in names]] = 1
        grid.persons[i] = [person in tie.persons for person in Person]
    return grid


def _rules(earlier: _Grid, later: _Grid) -> NDArray[np.float64]:
    """The mean of the rules for each two stretches: shape (earlier, later)."""
    entities = cosines(np.hstack([earlier.names, earlier.persons]), np.hstack([later.names, later.persons]))
    tense = np.sign(earlier.tense)[:, None] * np.sign(later.tense)
    return (entities + _references(earlier, later) + tense) / 3


def _references(earlier: _Grid, later: _Grid) -> NDArray[np.float64]:
    """Pronouns that refer less those that cannot, as a share, 0 without any: shape (earlier, later)."""
    columns = [list(Person).index(person) for person in _REFERRING]
    named = earlier.names.any(axis=1, keepdims=True) & _MAY_BE_NAMED
    refers = np.where((earlier.persons[:, columns] > 0) | named, 1.0, -1.0)
    asked = later.persons[:, columns]
    return refers @ asked.T / np.maximum(asked.sum(axis=1), 1)

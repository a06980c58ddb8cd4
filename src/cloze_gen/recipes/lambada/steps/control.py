"""The control set: passages of the same shape from the same test novels, filtered by nothing (LAMBADA 4).

On it a model shows that it is good at standard language modelling; on the passages that people and models have filtered it fails.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pydantic import Field

from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup


class ControlSettings(SettingsGroup):
    """Settings of the control set."""

    n_passages: int = Field(5000, ge=0, le=MOST_COUNTED, description="passages wanted; fewer are said, never padded. 4: 5,000")


class Place(NamedTuple):
    """Where a passage stands: characters `start` to `end`, exclusive, of its book."""

    id: str
    book_id: str
    start: int
    end: int


def draw_control(places: Iterable[Place], *, settings: ControlSettings, seed: int) -> list[str]:
    """Draw passages that do not overlap, each as likely as any other; its draw hangs on its own id.

    Args:
        places: of all passages of the test novels, before any filter.
    Returns:
        ids, sorted by their draws.

    >>> some = draw_control([Place(name, "b", 10 * i, 10 * i + 15) for i, name in enumerate("abcdefgh")],
    ...                     settings=ControlSettings(n_passages=9), seed=1)
    >>> 3 <= len(some) <= 4
    True
    """
    drawn: list[str] = []
    taken = TakenSpans()
    for place in sorted(places, key=lambda one: stable_fraction(f"lambada.control\x1f{seed}", one.id)):
        if len(drawn) == settings.n_passages:
            break
        if not taken.overlaps(*place[1:]):
            taken.add(*place[1:])
            drawn.append(place.id)
    return drawn

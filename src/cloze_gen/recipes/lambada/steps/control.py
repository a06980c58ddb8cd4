"""The control set: passages of the same shape from the same test novels, filtered by nothing (LAMBADA 4).

On it a model shows that it is good at standard language modelling; on the passages that people and models have filtered it fails.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from pydantic import Field

from cloze_gen.rng import stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup


class ControlSettings(SettingsGroup):
    """Settings of the control set."""

    n_passages: int = Field(5000, ge=0, le=MOST_COUNTED, description="passages wanted; fewer are said, never padded. 4: 5,000")


def draw_control(ids: Iterable[str], *, settings: ControlSettings, seed: int) -> list[str]:
    """Draw passages, each as likely as any other; one more passage displaces one at most.

    Args:
        ids: of all passages of the test novels, before any filter.
    Returns:
        sorted by their draws.

    >>> some = draw_control("abcdefgh", settings=ControlSettings(n_passages=3), seed=1)
    >>> len(some), set(some) - set(draw_control("abcdefg", settings=ControlSettings(n_passages=3), seed=1)) <= {"h"}
    (3, True)
    """
    drawn = ((stable_fraction(f"lambada.control\x1f{seed}", passage_id), passage_id) for passage_id in ids)
    return [passage_id for _, passage_id in heapq.nsmallest(settings.n_passages, drawn)]

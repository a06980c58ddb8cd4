"""Settings of a study, fixed when it is made."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cloze_gen.settings import MOST_COUNTED, MOST_EACH, SettingsGroup


class StudySettings(SettingsGroup):
    """Who is asked how often, and about what."""

    each: int = Field(3, ge=1, le=MOST_EACH, description="judges an item; guessing asks as guessing.* of the run says")
    pool: int = Field(0, ge=0, le=MOST_COUNTED, description="items drawn; 0: all")
    draw: Literal["random", "balanced"] = Field(
        "random", description="grooming: of all screened focus words alike, or as many of each fifth by the answer's forward rank and class"
    )
    page: int = Field(20, ge=1, le=1000, description="items that a judge is dealt at a time")
    attention: float = Field(0.0, ge=0, le=0.5, description="share of items that only ask whether the judge reads")
    repeats: float = Field(0.0, ge=0, le=0.5, description="share of items that a judge is asked again, later; never in guessing")
    show_machine: bool = Field(False, description="grooming: judges see what the machine says of each candidate")
    seed: int = Field(1, ge=0, le=2**63 - 1)

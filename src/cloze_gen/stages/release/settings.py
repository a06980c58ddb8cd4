"""What a user chooses of a release."""

from __future__ import annotations

import datetime
from typing import Any, Literal

from pydantic import Field, field_validator

from cloze_gen.settings import SettingsGroup


class ReleaseSettings(SettingsGroup):
    """Settings of the release of any style."""

    text: Literal["full", "pointers"] = Field(
        "full",
        description="full; or pointers, for books that may not be passed on: release/ then holds no text of theirs, only where it stands, "
        "and `cloze-gen fill` gives the full release back to who has the same books. It lies in full/ meanwhile",
    )
    harness: bool = Field(True, description="also write the tasks of lm-evaluation-harness and of inspect-ai")
    creators: tuple[str, ...] = Field((), strict=False, description="who made the set, as it shall be cited")
    date: str = Field("", description="day of publication, YYYY-MM-DD; empty: the release names none, and equal runs stay equal")
    url: str = Field("", description="where the set can be had; empty: the release names no place")

    @field_validator("date", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        """TOML has days of its own, and a bare one on the command line is one."""
        return value.isoformat() if type(value) is datetime.date else value

    @field_validator("date")
    @classmethod
    def _is_a_day(cls, value: str) -> str:
        if value and datetime.date.fromisoformat(value).isoformat() != value:
            raise ValueError("write it as YYYY-MM-DD")
        return value

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if value and not value.startswith(("https://", "http://")):
            raise ValueError("an address begins with https:// or http://")
        return value


class OrderedReleaseSettings(ReleaseSettings):
    """Settings of the release of a style whose paper asks for no order."""

    order: Literal["shuffled", "corpus"] = Field(
        "shuffled",
        description="of the items in every file: shuffled by the seed, so that `cloze-gen contamination` can test a model for having been "
        "trained on the files; or corpus, as the last stage has them",
    )

"""The focus word: the longest of its sentence."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from cloze_gen.settings import SettingsGroup


class FocusSettings(SettingsGroup):
    """Settings of the focus words."""

    min_tokens: int = Field(12, ge=3, le=1000, description="tokens a sentence needs")


def longest_word(tokens: Sequence[str]) -> int:
    """Its position; the first of several."""
    return max(range(len(tokens) - 1), key=lambda place: (len(tokens[place]), -place))

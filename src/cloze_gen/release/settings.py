"""The settings of a release, and the order of its items."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field, field_validator

from cloze_gen.config import parse_value, toml_value
from cloze_gen.rng import derive_rng
from cloze_gen.settings import SettingsGroup
from cloze_gen.store.runs import without_folders

_WITHOUT_FILES = ("release", "input")  # these groups of settings have no file names
_TEXT = "release.text"


class ReleaseSettings(SettingsGroup):
    # pointers: for books that may not be redistributed; `cloze-gen fill` rebuilds the full release.
    text: Literal["full", "pointers"] = Field(
        "full",
        description="pointers: positions in the books, no text of them",
    )
    harness: bool = Field(
        True, description="also write tasks for lm-evaluation-harness and inspect-ai"
    )
    creators: tuple[str, ...] = Field(
        (), strict=False, description="authors of the set, for its citation"
    )
    date: str = Field(
        "",
        description="date of publication, YYYY-MM-DD; empty: none",
    )
    url: str = Field("", description="address of the published set; empty: none")

    @field_validator("date", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        """TOML parses a bare date as a date."""
        return value.isoformat() if type(value) is datetime.date else value

    @field_validator("date")
    @classmethod
    def _is_a_day(cls, value: str) -> str:
        if value and datetime.date.fromisoformat(value).isoformat() != value:
            raise ValueError("write the date as YYYY-MM-DD")
        return value

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if value and not value.startswith(("https://", "http://")):
            raise ValueError("the address must begin with https:// or http://")
        return value


class OrderedReleaseSettings(ReleaseSettings):
    # shuffled: by the seed; corpus: in the order of the last stage.
    order: Literal["shuffled", "corpus"] = Field(
        "shuffled",
        description="items' order; `cloze-gen contamination` needs shuffled",
    )


SHUFFLED, CORPUS = "shuffled", "corpus"


def released_places(
    items: Sequence[Any], *, release: ReleaseSettings, seed: int, split_of: Callable[[Any], str]
) -> list[int]:
    if isinstance(release, OrderedReleaseSettings) and release.order == SHUFFLED:
        return shuffled_places(items, seed=seed, split_of=split_of)
    return list(range(len(items)))


def shuffled_places(
    items: Sequence[Any], *, seed: int, split_of: Callable[[Any], str] = lambda item: ""
) -> list[int]:
    """Indices of the items in shuffled order, split by split.

    Each item's draw depends on its own id, so adding or removing an item keeps the order of the
    others. All orders are equally likely for a model that has not seen the files, as the exact
    test for contamination requires (Oren et al. 2023, arXiv 2310.17623, 3). Ids are unique in their split.

    >>> from types import SimpleNamespace
    >>> items = [SimpleNamespace(id=name) for name in "abcdef"]
    >>> shuffled_places(items, seed=1)
    [4, 0, 5, 2, 3, 1]
    >>> [one for one in shuffled_places(items, seed=1) if one != 5] == shuffled_places(items[:5], seed=1)
    True
    """
    splits = {split: number for number, split in enumerate(dict.fromkeys(map(split_of, items)))}
    draws = [derive_rng(seed, "release.order", item.id).random() for item in items]
    return sorted(
        range(len(items)), key=lambda index: (splits[split_of(items[index])], draws[index])
    )


# ---- the settings of a run, as published


def public_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON values; file names lose their folders."""
    return dict(without_folders(settings)) | {
        group: settings[group] for group in _WITHOUT_FILES if group in settings
    }


def public_overrides(overrides: Sequence[str]) -> list[str]:
    """The user's overrides without folders and without `release.text`.

    >>> public_overrides(["grooming.offensive_words=/home/ann/list.txt", "release.text=pointers", "release.url=https://a.org/b"])
    ['grooming.offensive_words=list.txt', 'release.url=https://a.org/b']
    >>> public_overrides(['committee.members=["ngram", "hf:/models/x"]', 'grooming.verdicts="/home/ann/v.jsonl"'])
    ['committee.members=["ngram", "hf:x"]', 'grooming.verdicts=v.jsonl']
    """
    parts = [
        (key.strip(), value.strip()) for key, _, value in (one.partition("=") for one in overrides)
    ]
    return [f"{key}={_public_value(key, value)}" for key, value in parts if key != _TEXT]


def _public_value(key: str, text: str) -> str:
    value = parse_value(text)
    public = value if key.partition(".")[0] in _WITHOUT_FILES else without_folders(value)
    if public == value:
        return text
    return (
        public if isinstance(public, str) and parse_value(public) == public else toml_value(public)
    )

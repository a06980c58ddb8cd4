"""Old names of settings in files and options: which new name each of them has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.renamed import SETTINGS

Names = Mapping[str, str]  # old `group.key` -> new `group.key`


def rename_overrides(overrides: Sequence[str], names: Names = SETTINGS) -> list[str]:
    """`group.key=value` options with the new keys.

    >>> rename_overrides(["a.old=1", "a.b=2"], {"a.old": "a.new"})
    ['a.new=1', 'a.b=2']
    """
    parts = (one.partition("=") for one in overrides)
    return [f"{names.get(key.strip(), key)}{equals}{value}" for key, equals, value in parts]


def rename_groups(settings: Mapping[str, Any], names: Names = SETTINGS) -> dict[str, Any]:
    """Settings, group -> key -> value, with the new keys; a value under its new key stays.

    >>> rename_groups({"a": {"old": 1, "b": 2}, "c": {"x": 3}}, {"a.old": "a.new", "c.x": "d.y"})
    {'a': {'b': 2, 'new': 1}, 'd': {'y': 3}}
    """
    found = {
        group: dict(values) if isinstance(values, Mapping) else values
        for group, values in settings.items()
    }
    for old, new in names.items():
        move_setting(found, old, new)
    return found


def holds(settings: Mapping[str, Any], name: str) -> bool:
    group, _, key = name.partition(".")
    values = settings.get(group)
    return isinstance(values, Mapping) and key in values


def move_setting(settings: dict[str, Any], old: str, new: str, *, replace: bool = False) -> None:
    """Give a setting its new key in place; `replace`: also where the new key has a value."""
    if not holds(settings, old):
        return
    (group, _, key), (to, _, name) = old.partition("."), new.partition(".")
    value = settings[group].pop(key)
    if not settings[group]:
        del settings[group]
    values = settings.setdefault(to, {})
    if isinstance(values, dict) and (replace or name not in values):
        values[name] = value

"""Settings: a TOML text and overrides in, one frozen pydantic model out; every mistake named with its path and the known keys."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from cloze_gen.errors import ConfigError

Settings = TypeVar("Settings", bound=BaseModel)


def parse_settings(model: type[Settings], text: str, *, where: str, overrides: Sequence[str] = ()) -> Settings:
    """Validate a TOML text against a model.

    Args:
        where: name of the text in messages.
        overrides: ``stage.key=value`` strings of the command line; values are TOML, a bare word is a string.
    Raises:
        ConfigError: not TOML, an unknown key, a value of the wrong kind or range.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from None
    for override in overrides:
        _apply(data, override)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(model, problem, where) for problem in error.errors())) from None


def _apply(data: dict[str, Any], override: str) -> None:
    path, equals, value = override.partition("=")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        raise ConfigError(f"--set {override!r}: write it as stage.key=value, e.g. --set forward.keep=20")
    place = data
    for key in keys[:-1]:
        place = place.setdefault(key, {})
        if not isinstance(place, dict):
            raise ConfigError(f"--set {override!r}: {key!r} is a value, not a group of settings")
    place[keys[-1]] = _value(value.strip())


def _value(text: str) -> Any:
    """A TOML value; a word that is none is a string.

    >>> _value("30"), _value("true"), _value("[1, 2]"), _value("balanced")
    (30, True, [1, 2], 'balanced')
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _explain(model: type[BaseModel], problem: Mapping[str, Any], where: str) -> str:
    path = [str(part) for part in problem["loc"]]
    spot = ".".join(path)
    if problem["type"] != "extra_forbidden":
        given = problem.get("input")
        shown = "" if isinstance(given, dict) else f" (given: {given!r})"
        return f"{where}: {spot}: {problem['msg']}{shown}"
    known = _known_keys(model, path[:-1])
    near = difflib.get_close_matches(path[-1], known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{where}: {spot}: no such setting.{hint} Known here: {', '.join(known)}."


def _known_keys(model: type[BaseModel], path: Sequence[str]) -> list[str]:
    for part in path:
        field = model.model_fields.get(part)
        if field is None or not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)):
            return []
        model = field.annotation
    return sorted(model.model_fields)


def settings_dict(settings: BaseModel) -> dict[str, Any]:
    """A model as JSON values, for fingerprints and manifests."""
    return settings.model_dump(mode="json")

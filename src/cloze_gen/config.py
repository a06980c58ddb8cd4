"""Settings: a TOML text and overrides in, one frozen pydantic model out; every mistake named with its path and the known keys."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from cloze_gen.errors import ConfigError
from cloze_gen.notation import NotationError, parse_toml, shown

Settings = TypeVar("Settings", bound=BaseModel)
STYLE = "style"  # the one key of a config that is no group of settings: it says which style's settings these are
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]{1,60}")
_MOST_TOLD = 8  # mistakes told at once


def parse_settings(model: type[Settings], text: str, *, where: str, overrides: Sequence[str] = ()) -> Settings:
    """Validate a TOML text against a model. Its `STYLE` is for whoever chose the model.

    Args:
        where: name of the text in messages.
        overrides: ``stage.key=value`` strings of the command line; values are TOML, a bare word is a string.
    Raises:
        ConfigError: not TOML, an unknown key, a value of the wrong kind or range.
    """
    data = read_toml(text, where=where)
    data.pop(STYLE, None)
    for override in overrides:
        _apply(data, override)
    try:
        return model.model_validate(_with_defaults(model, data))
    except ValidationError as error:
        problems = error.errors()
        told = [_explain(model, problem, where) for problem in problems[:_MOST_TOLD]]
        more = [f"... and {len(problems) - _MOST_TOLD} more"] if len(problems) > _MOST_TOLD else []
        raise ConfigError("\n".join(told + more)) from None
    except ValueError:  # pydantic's own message could not be made
        raise ConfigError(f"{where}: holds a number of more digits than can be read") from None


def _with_defaults(model: type[BaseModel], data: Mapping[str, Any]) -> dict[str, Any]:
    """A style may have other defaults for a group than the group's own model; they hold beside whatever else of the group is set."""
    groups = {name: field.default for name, field in model.model_fields.items() if isinstance(field.default, BaseModel)}
    own = {name: default.model_dump(exclude_defaults=True) for name, default in groups.items()}
    return {name: own.get(name, {}) | value if isinstance(value, dict) else value for name, value in data.items()}


def read_toml(text: str, *, where: str) -> dict[str, Any]:
    """The table of a config.

    Raises:
        ConfigError: it is not TOML.
    """
    try:
        return parse_toml(text)
    except NotationError as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from None


def _apply(data: dict[str, Any], override: str) -> None:
    quoted = shown(override, most_chars=100)
    path, equals, value = override.partition("=")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        raise ConfigError(f"--set {quoted}: write it as stage.key=value, e.g. --set forward.keep=20")
    if not override.isprintable():
        raise ConfigError(f"--set {quoted}: holds what cannot be printed; write plain letters")
    place = data
    for key in keys[:-1]:
        place = place.setdefault(key, {})
        if not isinstance(place, dict):
            raise ConfigError(f"--set {quoted}: {key!r} is a value, not a group of settings")
    place[keys[-1]] = parse_value(value.strip())


def parse_value(text: str) -> Any:
    """A TOML value; a word that is none is a string.

    >>> parse_value("30"), parse_value("true"), parse_value("[1, 2]"), parse_value("balanced")
    (30, True, [1, 2], 'balanced')
    """
    try:
        found = parse_toml(f"value = {text}")
    except NotationError:
        return text
    return found["value"] if found.keys() == {"value"} else text


def toml_value(value: Any) -> str:
    """A value of JSON as TOML writes it; only tables differ.

    >>> toml_value({"noun": 0.5, "verb": 0.5}), toml_value(["noun"]), toml_value({})
    ('{noun = 0.5, verb = 0.5}', '["noun"]', '{}')
    """
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {toml_value(one)}' for key, one in value.items())}}}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # which JSON lets stand, and TOML does not


def _explain(model: type[BaseModel], problem: Mapping[str, Any], where: str) -> str:
    path = [str(part) for part in problem["loc"]]
    spot = ".".join(part if _PLAIN_KEY.fullmatch(part) else shown(part) for part in path)
    if problem["type"] == "extra_forbidden":
        known = _known_keys(model, path[:-1])
        near = difflib.get_close_matches(path[-1], known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return f"{where}: {spot}: no such setting.{hint} Known here: {', '.join(known)}."
    if problem["type"] == "model_type":
        inside = ", ".join(_known_keys(model, path))
        return f"{where}: {spot}: a group of settings, not a value. Settings of it: {inside}."
    given = problem.get("input")
    quoted = "" if isinstance(given, dict | BaseModel) else f" (given: {shown(given)})"
    place = f"{where}: {spot}" if spot else where  # a rule about several groups has no path
    expected = "Input should be a list" if problem["type"] == "tuple_type" else problem["msg"].removeprefix("Value error, ")
    said = f"{place}: {expected}{quoted}"
    field = _field(model, path)
    hint = ""
    if problem["type"] == "tuple_type" and isinstance(given, str):
        words = [word.strip() for word in given.split(",") if word.strip()]
        hint = f" Write a list: {spot} = {shown(json.dumps(words))[1:-1]}."
    return f"{said}.{hint} Allowed: {allowed_values(field)}. It is: {field.description}." if field else said


def _field(model: type[BaseModel], path: Sequence[str]) -> FieldInfo | None:
    """The setting that a path leads to, or leads into; None where it ends at a group."""
    for part in path:
        field = model.model_fields.get(part)
        group = _group(field)
        if group is None:
            return field
        model = group
    return None


def _known_keys(model: type[BaseModel], path: Sequence[str]) -> list[str]:
    for part in path:
        group = _group(model.model_fields.get(part))
        if group is None:
            return []
        model = group
    return sorted(model.model_fields)


def _group(field: FieldInfo | None) -> type[BaseModel] | None:
    kind = field.annotation if field else None
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def allowed_values(field: FieldInfo) -> str:
    """What a setting may be, in words.

    >>> from pydantic import Field
    >>> allowed_values(FieldInfo.from_annotated_attribute(int, Field(30, ge=4, le=10_000)))
    'whole number from 4 to 10,000'
    >>> allowed_values(FieldInfo.from_annotated_attribute(float, Field(0.5, gt=0, le=1)))
    'number above 0, at most 1'
    >>> allowed_values(FieldInfo.from_annotated_attribute(tuple[Literal["noun", "verb"], ...], Field(())))
    'list of "noun", "verb"'
    >>> allowed_values(FieldInfo.from_annotated_attribute(dict[Literal["noun", "verb"], float], Field({})))
    'table of "noun", "verb" and number'
    """
    kind = field.annotation
    if get_origin(kind) is tuple:
        return f"list of {_kind_in_words(get_args(kind)[0])}"
    if get_origin(kind) is dict:
        return f"table of {' and '.join(_kind_in_words(part) for part in get_args(kind))}"
    bounds = {name: getattr(rule, name) for rule in field.metadata for name in ("ge", "gt", "le", "lt") if hasattr(rule, name)}
    words = _kind_in_words(kind)
    if kind is int and {"ge", "le"} <= bounds.keys():
        return f"{bounds['ge']} alone" if bounds["ge"] == bounds["le"] else f"{words} from {bounds['ge']:,} to {bounds['le']:,}"
    told = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    limits = ", ".join(f"{told[name]} {bounds[name]:,}" for name in told if name in bounds)
    return f"{words} {limits}".rstrip()


def _kind_in_words(kind: Any) -> str:
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return ", ".join(f'"{value}"' for value in get_args(kind))
    return {bool: "true or false", int: "whole number", float: "number", str: "text"}.get(kind, "value")


def settings_dict(settings: BaseModel) -> dict[str, Any]:
    """A model as JSON values, for fingerprints and manifests."""
    return settings.model_dump(mode="json")

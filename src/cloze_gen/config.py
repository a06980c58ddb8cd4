"""Settings: read TOML texts and overrides into a frozen pydantic model."""

from __future__ import annotations

import difflib
import importlib.resources
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from cloze_gen.errors import ConfigError, UsageError
from cloze_gen.parsing import ParseError, error_text, parse_toml, quote
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.runs import leads_to

Settings = TypeVar("Settings", bound=BaseModel)
# The style: the only key of a config that is not a group of settings.
STYLE = "style"
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]{1,60}")
_MAX_REPORTED = 8  # errors in one message
_UNIONS = (Union, UnionType)


def parse_settings(
    model: type[Settings], text: str, *, where: str, overrides: Sequence[str] = ()
) -> Settings:
    """Validate a TOML text against a model; its key `STYLE` is ignored.

    `overrides` are ``stage.key=value`` of the command line; values are TOML or a bare word.
    """
    data = read_toml(text, where=where)
    data.pop(STYLE, None)
    for override in overrides:
        _apply(data, override, model)
    try:
        return model.model_validate(_with_defaults(model, data))
    except ValidationError as error:
        # Each kind of a union has its own problem; the first one is reported.
        problems = list(
            {
                (loc := _without_kind(model, problem["loc"])): problem | {"loc": loc}
                for problem in reversed(error.errors())
            }.values()
        )[::-1]
        messages = [_explain(model, problem, where) for problem in problems[:_MAX_REPORTED]]
        more = (
            [f"... and {len(problems) - _MAX_REPORTED} more"]
            if len(problems) > _MAX_REPORTED
            else []
        )
        raise ConfigError("\n".join(messages + more)) from None
    except ValueError:  # pydantic could not format the number
        raise ConfigError(
            f"{where}: contains a number with too many digits. Give a smaller number."
        ) from None


def _with_defaults(model: type[BaseModel], data: Mapping[str, Any]) -> dict[str, Any]:
    groups = {
        name: field.default
        for name, field in model.model_fields.items()
        if isinstance(field.default, BaseModel)
    }
    own = {name: default.model_dump(exclude_defaults=True) for name, default in groups.items()}
    return {
        name: own.get(name, {}) | value if isinstance(value, dict) else value
        for name, value in data.items()
    }


def read_toml(text: str, *, where: str) -> dict[str, Any]:
    try:
        return parse_toml(text)
    except ParseError as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from None


def _apply(data: dict[str, Any], override: str, model: type[BaseModel]) -> None:
    quoted = quote(override, most_chars=100)
    path, equals, value = override.partition("=")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        raise ConfigError(
            f"--set {quoted}: not of the form stage.key=value. Example: --set forward.keep=20"
        )
    if not override.isprintable():
        raise ConfigError(
            f"--set {quoted}: contains characters that cannot be printed. Remove them."
        )
    place = data
    for key in keys[:-1]:
        place = place.setdefault(key, {})
        if not isinstance(place, dict):
            raise ConfigError(
                f"--set {quoted}: {key!r} is a setting, not a group of settings. Write stage.key=value."
            )
    place[keys[-1]] = _value_of(_field(model, keys), value.strip())


def _value_of(field: FieldInfo | None, text: str) -> Any:
    """A value of the command line; where a list is expected, one value or several with commas.

    >>> classes = FieldInfo.from_annotation(tuple[str, ...])
    >>> _value_of(classes, "noun, verb"), _value_of(classes, '["noun"]'), _value_of(None, "a, b")
    (['noun', 'verb'], ['noun'], 'a, b')
    """
    value = parse_value(text)
    if field is None or get_origin(field.annotation) is not tuple or isinstance(value, list):
        return value
    if value != text:  # in quotes, or a number
        return [value]
    return [parse_value(word.strip()) for word in text.split(",")] if text else text


def parse_value(text: str) -> Any:
    """A TOML value; a text that is not valid TOML is a string.

    >>> parse_value("30"), parse_value("true"), parse_value("[1, 2]"), parse_value("balanced")
    (30, True, [1, 2], 'balanced')
    """
    try:
        found = parse_toml(f"value = {text}")
    except ParseError:
        return text
    return found["value"] if found.keys() == {"value"} else text


def toml_value(value: Any) -> str:
    """A JSON value as TOML; only tables differ.

    >>> toml_value({"noun": 0.5, "verb": 0.5}), toml_value(["noun"]), toml_value({})
    ('{noun = 0.5, verb = 0.5}', '["noun"]', '{}')
    """
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {toml_value(one)}' for key, one in value.items())}}}"
    # JSON strings allow it raw, TOML strings do not
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _explain(model: type[BaseModel], problem: Mapping[str, Any], where: str) -> str:
    path = [str(part) for part in problem["loc"]]
    spot = ".".join(part if _PLAIN_KEY.fullmatch(part) else quote(part) for part in path)
    if problem["type"] == "extra_forbidden":
        known = _known_keys(model, path[:-1])
        near = difflib.get_close_matches(path[-1], known, n=1)
        groups = known if len(path) == 1 else []
        within = [f"{one}.{path[0]}" for one in groups if path[0] in _known_keys(model, [one])]
        guess = within or near
        hint = f" Did you mean {guess[0]!r}?" if guess else ""
        return f"{where}: {spot}: no such setting.{hint} Known here: {', '.join(known)}."
    if problem["type"] == "model_type":
        inside = ", ".join(_known_keys(model, path))
        return f"{where}: {spot}: a group of settings, not a setting. Settings in it: {inside}."
    given = problem.get("input")
    quoted = "" if isinstance(given, dict | BaseModel) else f" (given: {quote(given)})"
    place = f"{where}: {spot}" if spot else where  # a rule for several groups has no path
    expected = (
        "Input should be a list"
        if problem["type"] == "tuple_type"
        else problem["msg"].removeprefix("Value error, ")
    )
    message = f"{place}: {expected}{quoted}"
    field = _field(model, path)
    hint = ""
    if problem["type"] == "tuple_type" and isinstance(given, str):
        words = [word.strip() for word in given.split(",") if word.strip()]
        hint = f" Write a list: {spot} = {quote(json.dumps(words))[1:-1]}."
    return (
        f"{message}.{hint} Allowed: {allowed_values(field)}. Meaning: {field.description}."
        if field
        else message
    )


def _without_kind(model: type[BaseModel], loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """A problem's place without the kind of a union that pydantic appends."""
    field = _field(model, [str(part) for part in loc])
    return loc[:-1] if field and get_origin(field.annotation) in _UNIONS else loc


def _field(model: type[BaseModel], path: Sequence[str]) -> FieldInfo | None:
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
    """A description of the allowed values of a setting.

    >>> from pydantic import Field
    >>> allowed_values(FieldInfo.from_annotated_attribute(int, Field(30, ge=4, le=10_000)))
    'whole number from 4 to 10,000'
    >>> allowed_values(FieldInfo.from_annotated_attribute(float, Field(0.5, gt=0, le=1)))
    'number above 0, at most 1'
    >>> allowed_values(FieldInfo.from_annotated_attribute(tuple[Literal["noun", "verb"], ...], Field(())))
    'list of "noun", "verb"'
    >>> allowed_values(FieldInfo.from_annotated_attribute(dict[Literal["noun", "verb"], float], Field({})))
    'table of "noun", "verb" and number'
    >>> allowed_values(FieldInfo.from_annotated_attribute(Annotated[int, Field(ge=1, le=9)] | Literal["auto"], Field(3)))
    'whole number from 1 to 9 or "auto"'
    """
    kind = field.annotation
    if get_origin(kind) in _UNIONS:
        return " or ".join(allowed_values(FieldInfo.from_annotation(one)) for one in get_args(kind))
    if get_origin(kind) is tuple:
        return f"list of {_kind_in_words(get_args(kind)[0])}"
    if get_origin(kind) is dict:
        return f"table of {' and '.join(_kind_in_words(part) for part in get_args(kind))}"
    bounds = {
        name: getattr(rule, name)
        for rule in field.metadata
        for name in ("ge", "gt", "le", "lt")
        if hasattr(rule, name)
    }
    words = _kind_in_words(kind)
    if kind is int and {"ge", "le"} <= bounds.keys():
        return (
            f"only {bounds['ge']}"
            if bounds["ge"] == bounds["le"]
            else f"{words} from {bounds['ge']:,} to {bounds['le']:,}"
        )
    names = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    limits = ", ".join(f"{names[name]} {bounds[name]:,}" for name in names if name in bounds)
    return f"{words} {limits}".rstrip()


def _kind_in_words(kind: Any) -> str:
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return ", ".join(f'"{value}"' for value in get_args(kind))
    return {bool: "true or false", int: "whole number", float: "number", str: "text"}.get(
        kind, "value"
    )


def settings_dict(settings: BaseModel) -> dict[str, Any]:
    """The settings as JSON values, for fingerprints and manifests."""
    return settings.model_dump(mode="json")


# ---- config files

_MAX_CONFIG_BYTES = 1024 * 1024  # a style has some fifty settings


def is_config_file(config: str) -> bool:
    """Whether a config is the path of a file, not the name of a built-in config."""
    return Path(config).suffix == ".toml" or "/" in config


def _suggestion(config: str, known: Sequence[str]) -> str:
    file = f"{config}.toml"
    if leads_to(Path(file), Path.is_file):
        return f" Did you mean {quote(file)}?"
    near = (
        [f"{config}-style"]
        if f"{config}-style" in known
        else difflib.get_close_matches(config, known, n=1)
    )
    return f" Did you mean {near[0]!r}?" if near else ""


def config_text(config: str) -> str:
    """The TOML of a built-in config, or of a file; UsageError if it cannot be read."""
    if is_config_file(config):
        try:
            return read_regular_text(config, encoding="utf-8-sig", max_bytes=_MAX_CONFIG_BYTES)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"{quote(config, most_chars=200)}: cannot be read as a config "
                f"({error_text(error)}). Give the path of a UTF-8 TOML file."
            ) from None
    folder = importlib.resources.files("cloze_gen.configs")
    known = sorted(
        entry.name.removesuffix(".toml")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    )
    if config not in known:
        raise UsageError(
            f"{quote(config)}: no built-in config of this name.{_suggestion(config, known)} Known: "
            f"{', '.join(known)}. You can also give the path of a .toml file."
        )
    return (folder / f"{config}.toml").read_text(encoding="utf-8")

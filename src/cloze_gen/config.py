"""Configs and settings: TOML files and ``group.key=value`` become a frozen pydantic model."""

from __future__ import annotations

import copy
import difflib
import importlib.resources
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from cloze_gen.errors import ConfigError, UsageError
from cloze_gen.parsing import ParseError, error_text, parse_toml, quote
from cloze_gen.store.files import read_regular_text
from cloze_gen.text_layout import printable

Settings = TypeVar("Settings", bound=BaseModel)
# The only key of a config that is not a group of settings.
STYLE = "style"
_MAX_CONFIG_BYTES = 1024 * 1024  # a style has some fifty settings


# ---- configs


def config_names(styles: Sequence[str]) -> list[str]:
    """The styles, which are configs without changes, and the built-in configs."""
    folder = importlib.resources.files("cloze_gen.configs")
    files = (entry.name for entry in folder.iterdir())
    built_in = (name.removesuffix(".toml") for name in files if name.endswith(".toml"))
    return sorted({*styles, *built_in})


def is_config_file(config: str) -> bool:
    """Whether a config is the path of a file, not the name of a style or built-in config."""
    return Path(config).suffix == ".toml" or "/" in config


def read_config(config: str, styles: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """The style and the settings, not yet checked, of a style, a built-in config or a file.

    Raises:
        UsageError: no such config, an unreadable file, or no style in it.
        ConfigError: no valid TOML.
    """
    if config in styles:
        return config, {}
    text = _file_text(config) if is_config_file(config) else _built_in_text(config, styles)
    data = read_toml(text, where=config)
    style = data.pop(STYLE, None)
    if style not in styles:
        raise UsageError(
            f"{config}: {STYLE}: not a style (given {quote(style)}); allowed: {', '.join(styles)}. "
            f'Write {STYLE} = "{styles[0]}", or another style, as its first line.'
        )
    return style, data


def _file_text(config: str) -> str:
    try:
        return read_regular_text(config, encoding="utf-8-sig", max_bytes=_MAX_CONFIG_BYTES)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{quote(config, most_chars=200)}: cannot be read as a config "
            f"({error_text(error)}). Give the path of a UTF-8 TOML file."
        ) from None


def _built_in_text(config: str, styles: Sequence[str]) -> str:
    known = config_names(styles)
    if config not in known:
        files = [path.name for path in Path().glob("*.toml")]
        raise UsageError(
            f"{quote(config)}: no built-in config of this name; allowed: {', '.join(known)}, or the "
            f"path of a .toml file.{_hint(config, {name: name for name in [*known, *files]})}"
        )
    folder = importlib.resources.files("cloze_gen.configs")
    return (folder / f"{config}.toml").read_text(encoding="utf-8")


def read_toml(text: str, *, where: str) -> dict[str, Any]:
    try:
        return parse_toml(text)
    except ParseError as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from None


# ---- settings


def parse_settings(
    model: type[Settings], data: Mapping[str, Any], *, where: str, overrides: Sequence[str] = ()
) -> Settings:
    """Validate settings; `overrides` are ``group.key=value``, a value is TOML or a bare word."""
    merged = copy.deepcopy(dict(data))
    for override in overrides:
        _apply(merged, override)
    try:
        return model.model_validate(merged)
    except ValidationError as error:
        raise ConfigError(_messages(model, error, where)) from None
    except ValueError:  # pydantic could not format the number
        raise ConfigError(
            f"{where}: contains a number with too many digits. Give a smaller number."
        ) from None


def _apply(data: dict[str, Any], override: str) -> None:
    option = f"--set {quote(override, most_chars=100)}"
    path, equals, value = override.partition("=")
    group, _, key = path.strip().partition(".")
    if not (equals and group and key) or "." in key:
        raise ConfigError(
            f"{option}: not of the form group.key=value. Example: --set forward.keep=20"
        )
    if not override.isprintable():
        raise ConfigError(f"{option}: contains characters that cannot be printed. Remove them.")
    values = data.setdefault(group, {})
    if isinstance(values, dict):  # anything else is refused with the whole config
        values[key] = parse_value(value.strip())


def parse_value(text: str) -> Any:
    """A TOML value; a text that is not valid TOML is a string.

    >>> parse_value("30"), parse_value("true"), parse_value("[1, 2]"), parse_value("balanced")
    (30, True, [1, 2], 'balanced')
    """
    try:
        table = parse_toml(f"value = {text}")
    except ParseError:
        return text
    return table["value"] if table.keys() == {"value"} else text


def toml_value(value: Any) -> str:
    """A JSON value as TOML; only tables differ.

    >>> toml_value({"noun": 0.5, "verb": 0.5}), toml_value(["noun"]), toml_value({})
    ('{noun = 0.5, verb = 0.5}', '["noun"]', '{}')
    """
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {toml_value(part)}' for key, part in value.items())}}}"
    # JSON strings allow it raw, TOML strings do not
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# ---- messages


def _messages(model: type[BaseModel], error: ValidationError, where: str) -> str:
    """One line a setting: the kinds of a union and the parts of a table have problems of their own."""
    problems: dict[tuple[int | str, ...], Any] = {}
    for problem in error.errors():
        problems.setdefault(problem["loc"][:2], problem)
    return "\n".join(_message(model, problem, where) for problem in problems.values())


def _message(model: type[BaseModel], problem: Mapping[str, Any], where: str) -> str:
    path = [str(part) for part in problem["loc"][:2]]
    # a rule for several groups has no path
    place = f"{where}: {printable('.'.join(path))}" if path else where
    groups = _groups(model)
    if problem["type"] == "extra_forbidden":
        enclosing = model if len(path) == 1 else groups[path[0]]
        allowed = ", ".join(sorted(enclosing.model_fields))
        names = {group: group for group in groups}
        for group in [*groups, *path[:-1]]:  # of equal keys that of the same group
            names |= {key: f"{group}.{key}" for key in groups[group].model_fields}
        return f"{place}: no such setting; allowed: {allowed}.{_hint(path[-1], names)}"
    if problem["type"] == "model_type":
        return f"{place}: a group, not a setting. Write its settings below [{path[0]}]."
    text = problem["msg"].removeprefix("Value error, ").replace("valid tuple", "list")
    if len(path) < 2:
        return f"{place}: {text}"
    allowed = allowed_values(groups[path[0]], path[1])
    return f"{place}: {text} (given {quote(problem['input'])}); allowed: {allowed}."


def _hint(word: str, names: Mapping[str, str]) -> str:
    """The nearest of the names: key -> how it is shown."""
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    return f" Did you mean {quote(names[near[0]])}?" if near else ""


def _groups(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    fields = model.model_fields.items()
    return {name: cast("type[BaseModel]", field.annotation) for name, field in fields}


def allowed_values(group: type[BaseModel], key: str) -> str:
    """The allowed values of a setting, in short.

    >>> from typing import Annotated, Literal
    >>> from pydantic import Field, create_model
    >>> Example = create_model("Example", **{
    ...     "count": (int, Field(30, ge=4, le=10**9)),
    ...     "share": (float, Field(0.5, gt=0, le=1)),
    ...     "classes": (tuple[Literal["noun", "verb"], ...], ()),
    ...     "shares": (dict[Literal["noun", "verb"], float], {}),
    ...     "n": (Annotated[int, Field(ge=1, le=9)] | Literal["auto"], 3),
    ... })
    >>> for key in Example.model_fields:
    ...     print(allowed_values(Example, key))
    4..1e9
    >0..1
    list of "noun", "verb"
    table of "noun", "verb" and number
    1..9 or "auto"
    """
    return _in_words(group.model_json_schema()["properties"][key])


_TYPES = {
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "string": "text",
}


def _in_words(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(map(_in_words, schema["anyOf"]))
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "enum" in schema:
        return ", ".join(f'"{value}"' for value in schema["enum"])
    if schema["type"] == "array":
        return f"list of {_in_words(schema['items'])}"
    if schema["type"] == "object":
        names, values = schema["propertyNames"], schema["additionalProperties"]
        return f"table of {_in_words(names)} and {_in_words(values)}"
    low = _short(schema.get("minimum")) or _short(schema.get("exclusiveMinimum"), ">")
    high = _short(schema.get("maximum")) or _short(schema.get("exclusiveMaximum"), "<")
    return f"{low}..{high}" if low or high else _TYPES[schema["type"]]


def _short(bound: float | None, sign: str = "") -> str:
    if bound is None:
        return ""
    return sign + (f"{bound:.0e}".replace("e+0", "e") if bound >= 10**6 else f"{bound:,}")

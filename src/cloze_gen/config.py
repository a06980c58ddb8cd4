"""Configs and settings: TOML files and ``group.key=value`` become a frozen pydantic model."""

from __future__ import annotations

import difflib
import importlib.resources
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from cloze_gen.errors import ConfigError, UsageError
from cloze_gen.parsing import ParseError, error_text, parse_toml, quote
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.runs import leads_to

Settings = TypeVar("Settings", bound=BaseModel)
# The only key of a config that is not a group of settings.
STYLE = "style"
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_-]{1,60}")
_MAX_REPORTED = 8  # errors in one message
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
    if style is None:
        lines = " or ".join(f'{STYLE} = "{name}"' for name in styles)
        raise UsageError(f"{config}: no key `{STYLE}`. Write {lines} as its first line.")
    if not isinstance(style, str) or style not in styles:
        raise UsageError(
            f"{config}: {STYLE}: not a style (given {quote(style)}); allowed: {', '.join(styles)}."
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
        file = f"{config}.toml"
        names = [file, *known] if leads_to(Path(file), Path.is_file) else known
        raise UsageError(
            f"{quote(config)}: no built-in config of this name; allowed: {', '.join(known)}, or the "
            f"path of a .toml file.{_hint(config, names)}"
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
    merged = {
        name: dict(group) if isinstance(group, dict) else group for name, group in data.items()
    }
    for override in overrides:
        _apply(merged, override, model)
    try:
        return model.model_validate(merged)
    except ValidationError as error:
        raise ConfigError(_messages(model, error, where)) from None
    except ValueError:  # pydantic could not format the number
        raise ConfigError(
            f"{where}: contains a number with too many digits. Give a smaller number."
        ) from None


def _apply(data: dict[str, Any], override: str, model: type[BaseModel]) -> None:
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
    if not isinstance(values, dict):
        raise ConfigError(f"{option}: {group!r} is not a group of settings in the config.")
    values[key] = _override_value(value.strip(), is_list=_is_list(_field(model, group, key)))


def _is_list(field: FieldInfo | None) -> bool:
    return field is not None and get_origin(field.annotation) is tuple


def _override_value(text: str, *, is_list: bool) -> Any:
    """A value of the command line; a list may be one value, or several with commas.

    >>> _override_value("noun, verb", is_list=True), _override_value('["noun"]', is_list=True)
    (['noun', 'verb'], ['noun'])
    >>> _override_value("a, b", is_list=False), _override_value("3", is_list=True)
    ('a, b', [3])
    """
    value = parse_value(text)
    if not is_list or isinstance(value, list) or not text:
        return value
    if value != text:  # in quotes, or a number
        return [value]
    return [parse_value(word.strip()) for word in text.split(",")]


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


def settings_dict(settings: BaseModel) -> dict[str, Any]:
    """The settings as JSON values, for fingerprints and manifests."""
    return settings.model_dump(mode="json")


# ---- messages


def _messages(model: type[BaseModel], error: ValidationError, where: str) -> str:
    """One line a setting: the kinds of a union and the parts of a table have problems of their own."""
    by_setting: dict[tuple[str, ...], str] = {}
    for problem in error.errors():
        path = tuple(map(str, problem["loc"][:2]))
        if path not in by_setting:
            by_setting[path] = _message(model, path, problem, where)
    lines = list(by_setting.values())
    more = len(lines) - _MAX_REPORTED
    return "\n".join([*lines[:_MAX_REPORTED], *([f"... and {more} more"] if more > 0 else [])])


def _message(
    model: type[BaseModel], path: tuple[str, ...], problem: Mapping[str, Any], where: str
) -> str:
    name = ".".join(part if _PLAIN_KEY.fullmatch(part) else quote(part) for part in path)
    place = f"{where}: {name}" if path else where  # a rule for several groups has no path
    if problem["type"] == "extra_forbidden":
        group = model if len(path) == 1 else _group(model, path[0])
        keys = ", ".join(sorted(group.model_fields))
        return f"{place}: no such setting; allowed: {keys}.{_hint(name, _setting_names(model))}"
    if problem["type"] == "model_type":
        keys = ", ".join(sorted(_group(model, path[0]).model_fields))
        return f"{place}: a group of settings, not a setting; allowed in it: {keys}."
    text = problem["msg"].removeprefix("Value error, ").replace("valid tuple", "list")
    field = _field(model, *path) if len(path) == 2 else None
    if field is None:
        return f"{place}: {text}"
    return f"{place}: {text} (given {quote(problem['input'])}); allowed: {allowed_values(field)}."


def _hint(word: str, names: Sequence[str]) -> str:
    key = word.rpartition(".")[2]
    exact = [n for n in names if n.endswith(f".{key}") or n in {f"{word}-style", f"{word}.toml"}]
    near = exact or difflib.get_close_matches(word, names, n=1)
    return f" Did you mean {quote(near[0])}?" if near else ""


def _group(model: type[BaseModel], name: str) -> type[BaseModel]:
    return cast("type[BaseModel]", model.model_fields[name].annotation)


def _field(model: type[BaseModel], group: str, key: str) -> FieldInfo | None:
    return _group(model, group).model_fields.get(key) if group in model.model_fields else None


def _setting_names(model: type[BaseModel]) -> list[str]:
    keys = [
        f"{group}.{key}"
        for group in model.model_fields
        for key in _group(model, group).model_fields
    ]
    return [*model.model_fields, *keys]


def allowed_values(field: FieldInfo) -> str:
    """The allowed values of a setting, in short.

    >>> from pydantic import Field
    >>> allowed_values(FieldInfo.from_annotated_attribute(int, Field(30, ge=4, le=10**9)))
    '4..1e9'
    >>> allowed_values(FieldInfo.from_annotated_attribute(float, Field(0.5, gt=0, le=1)))
    '>0..1'
    >>> allowed_values(FieldInfo.from_annotated_attribute(tuple[Literal["noun", "verb"], ...], Field(())))
    'list of "noun", "verb"'
    >>> allowed_values(FieldInfo.from_annotated_attribute(dict[Literal["noun", "verb"], float], Field({})))
    'table of "noun", "verb" and number'
    >>> allowed_values(FieldInfo.from_annotated_attribute(Annotated[int, Field(ge=1, le=9)] | Literal["auto"], Field(3)))
    '1..9 or "auto"'
    """
    kind = field.annotation
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(
            allowed_values(FieldInfo.from_annotation(part)) for part in get_args(kind)
        )
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
    if not bounds:
        return _kind_in_words(kind)
    low = f">{_short(bounds['gt'])}" if "gt" in bounds else _short(bounds.get("ge"))
    high = f"<{_short(bounds['lt'])}" if "lt" in bounds else _short(bounds.get("le"))
    return f"{low}..{high}"


def _short(bound: float | None) -> str:
    if bound is None:
        return ""
    return f"{bound:.0e}".replace("e+0", "e") if bound >= 10**6 else f"{bound:,}"


def _kind_in_words(kind: Any) -> str:
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return ", ".join(f'"{value}"' for value in get_args(kind))
    names = {bool: "true or false", int: "whole number", float: "number", str: "text"}
    return names.get(kind, "value")

"""The styles there are: every module of this folder whose name ends in `_style`, each ending in a `STYLE`. Nothing else lists them."""

from __future__ import annotations

import functools
import importlib
import json
import pkgutil
import re
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from cloze_gen.config import STYLE, parse_settings, read_toml
from cloze_gen.errors import UsageError
from cloze_gen.notation import shown
from cloze_gen.settings import ignored_settings
from cloze_gen.stages.style import Style
from cloze_gen.store.configs import config_text, is_config_file
from cloze_gen.store.runs import RUN_FILE, read_run


@functools.cache
def style_names() -> tuple[str, ...]:
    """`holmes-style`, ... as a user types them, in alphabetical order."""
    modules = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return tuple(sorted(name.replace("_", "-") for name in modules if name.endswith("_style")))


@functools.cache
def find_style(name: str) -> Style:
    """The style of this name.

    Raises:
        UsageError: there is none; lists those there are.
        ValueError: its module's STYLE bears another name.
    """
    if name not in style_names():
        raise UsageError(f"{shown(name)} is no style of this version. Known: {', '.join(style_names())}.")
    style = cast("Style", importlib.import_module(f"cloze_gen.pipelines.{name.replace('-', '_')}").STYLE)
    if style.name != name:
        raise ValueError(f"pipelines/{name.replace('-', '_')}.py: its STYLE is named {style.name!r}")
    return style


def style_of_run(folder: Path) -> Style:
    """The style of the run in a folder.

    Raises:
        UsageError: this version has no such style.
    """
    name = read_run(folder)["style"]
    if name not in style_names():
        raise UsageError(
            f"{folder / RUN_FILE}: its style, {shown(name)}, is none of this version ({', '.join(style_names())}). "
            "`cloze-gen run` writes the run anew."
        )
    return find_style(name)


def style_of(config: str) -> Style:
    """The style of a config, built in or a TOML file: the one it says, else that of a word of its own name.

    Raises:
        UsageError: there is no such config or style, or a file says none.
    """
    return find_style(_said_style(config) or _named_style(config))


def _said_style(config: str) -> str | None:
    """What a config gives as its `style`."""
    said = read_toml(config_text(config), where=config).get(STYLE)
    if said is not None and (not isinstance(said, str) or said not in style_names()):
        raise UsageError(f"{config}: style: {shown(said)} is no style. Known: {', '.join(style_names())}.")
    return said


def _named_style(config: str) -> str:
    """The style whose word stands in a config's name: `holmes-sample`, `holmes-2.toml`, `mine.scs.toml`."""
    words = re.split(r"[^a-z]+", Path(config).name.lower())
    found = [style for style in style_names() if style.removesuffix("-style") in words]
    if len(found) != 1:
        what = "names more than one style" if found else "says no style, and its name holds none"
        choice = " or ".join(f'style = "{style}"' for style in style_names())
        raise UsageError(f"{config}: {what}. Write {choice} as its first line.")
    return found[0]


def ignored_lines(style: Style, config: str, overrides: str = "[]", *, options: Mapping[str, bool] | None = None) -> list[str]:
    """A line for each setting that a user chose and no step reads.

    Args:
        overrides: of the command line, as `load_settings` has them.
        options: as `ignored_settings`.
    """
    chosen = chosen_settings(style, config, overrides)
    ignored = ignored_settings(load_settings(style.settings, config, overrides), options or {})
    return [f"{name} is ignored: {reason}." for name, reason in ignored.items() if name in chosen]


def chosen_settings(style: Style, config: str, overrides: str) -> dict[str, Any]:
    """The settings that a user chose, `group.key` -> value: neither the style's default nor the value of its built-in config."""
    settings = load_settings(style.settings, config, overrides)
    usual = (style.settings(), load_settings(style.settings, style.name if is_config_file(config) else config, "[]"))
    names = (f"{group}.{name}" for group, own in settings for name in type(own).model_fields)
    return {name: value for name in names if (value := attrgetter(name)(settings)) not in map(attrgetter(name), usual)}


@functools.lru_cache(maxsize=8)
def load_settings(model: type[BaseModel], config: str, overrides: str) -> Any:
    """The settings of a built-in config or a TOML file, with the command line's overrides (a JSON list); read once a run."""
    return parse_settings(model, config_text(config), where=config, overrides=tuple(json.loads(overrides)))

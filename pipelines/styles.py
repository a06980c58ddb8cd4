"""The dataset styles: modules of this folder whose name ends in `_style`, with a `STYLE`."""

from __future__ import annotations

import functools
import importlib
import json
import pkgutil
import re
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from cloze_gen.config import STYLE, config_text, parse_settings, read_toml
from cloze_gen.errors import UsageError
from cloze_gen.parsing import quote
from cloze_gen.release.style import Style
from cloze_gen.store.runs import RUN_FILE, read_run


@functools.cache
def style_names() -> tuple[str, ...]:
    """`holmes-style`, ... as a user types them, sorted."""
    modules = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return tuple(sorted(name.replace("_", "-") for name in modules if name.endswith("_style")))


@functools.cache
def find_style(name: str) -> Style:
    """The style of this name; UsageError if there is none."""
    if name not in style_names():
        raise UsageError(
            f"{quote(name)} is not a style of this version. Known styles: "
            f"{', '.join(style_names())}."
        )
    module = name.replace("-", "_")
    style = cast("Style", importlib.import_module(f"cloze_gen.pipelines.{module}").STYLE)
    if style.name != name:
        raise ValueError(f"pipelines/{module}.py: its STYLE is named {style.name!r}")
    return style


def style_of_run(folder: Path) -> Style:
    """The style of the run in a folder; UsageError if this version lacks it."""
    name = read_run(folder)["style"]
    if name not in style_names():
        raise UsageError(
            f"{folder / RUN_FILE}: this version has no style {quote(name)}, "
            f"only {', '.join(style_names())}. "
            "Run `cloze-gen run` again to rewrite the run."
        )
    return find_style(name)


def style_of(config: str) -> Style:
    """The style that a built-in config or a TOML file gives, else of its name; or UsageError."""
    return find_style(_style_named(config) or _named_style(config))


def _style_named(config: str) -> str | None:
    style = read_toml(config_text(config), where=config).get(STYLE)
    if style is not None and (not isinstance(style, str) or style not in style_names()):
        raise UsageError(
            f"{config}: style: {quote(style)} is not a style. Known styles: {', '.join(style_names())}."
        )
    return style


def _named_style(config: str) -> str:
    """The style in a config's name: `holmes-sample`, `holmes-2.toml`, `mine.scs.toml`."""
    words = re.split(r"[^a-z]+", Path(config).name.lower())
    found = [style for style in style_names() if style.removesuffix("-style") in words]
    if len(found) != 1:
        what = (
            "names more than one style"
            if found
            else "has no key `style`, and its file name contains no style"
        )
        choice = " or ".join(f'style = "{style}"' for style in style_names())
        raise UsageError(f"{config}: {what}. Write {choice} as its first line.")
    return found[0]


def load_settings(model: type[BaseModel], config: str, overrides: str) -> Any:
    return parse_settings(
        model, config_text(config), where=config, overrides=tuple(json.loads(overrides))
    )

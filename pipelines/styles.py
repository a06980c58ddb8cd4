"""The dataset styles: modules of this folder whose name ends in `_style`, with a `STYLE`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from cloze_gen.config import parse_settings, read_config
from cloze_gen.errors import UsageError
from cloze_gen.parsing import quote
from cloze_gen.release.style import Style
from cloze_gen.store.runs import read_run


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
    return cast("Style", importlib.import_module(f"cloze_gen.pipelines.{module}").STYLE)


def style_of_run(folder: Path) -> Style:
    """The style of the run in a folder; UsageError if this version lacks it."""
    return find_style(read_run(folder)["style"])


def style_of(config: str) -> Style:
    """The style of a config; UsageError if it names none."""
    return find_style(read_config(config, style_names())[0])


def load_settings(model: type[BaseModel], config: str, overrides: Sequence[str] = ()) -> Any:
    """The settings of a config with overrides, `group.key=value` each."""
    data = read_config(config, style_names())[1]
    return parse_settings(model, data, where=config, overrides=overrides)

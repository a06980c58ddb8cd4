"""Configs as texts: the built-in ones by name, anyone's by path."""

from __future__ import annotations

import difflib
import importlib.resources
from collections.abc import Sequence
from pathlib import Path

from cloze_gen.errors import UsageError
from cloze_gen.notation import reason, shown
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.runs import leads_to

_MAX_CONFIG_BYTES = 1024 * 1024  # a style has some fifty settings


def is_config_file(config: str) -> bool:
    """Whether a config is meant as a file; else it is the name of a built-in one."""
    return Path(config).suffix == ".toml" or "/" in config


def _meant(config: str, known: Sequence[str]) -> str:
    """A guess at what was meant, as a sentence with a space before it: a file without its ending, a style without its own, a near word."""
    file = f"{config}.toml"
    if leads_to(Path(file), Path.is_file):
        return f" Did you mean {shown(file)}?"
    near = [f"{config}-style"] if f"{config}-style" in known else difflib.get_close_matches(config, known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def config_text(config: str) -> str:
    """The TOML of a built-in config, or of a file.

    Raises:
        UsageError: there is no such config, or its file cannot be read.
    """
    if is_config_file(config):
        try:
            return read_regular_text(config, encoding="utf-8-sig", max_bytes=_MAX_CONFIG_BYTES)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"{shown(config, most_chars=200)}: cannot be read as a config ({reason(error)}). Give the path of a UTF-8 TOML file."
            ) from None
    folder = importlib.resources.files("cloze_gen.configs")
    known = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    if config not in known:
        raise UsageError(
            f"{shown(config)}: no built-in config of this name.{_meant(config, known)} Known: {', '.join(known)}; or give the path of a "
            ".toml file."
        )
    return (folder / f"{config}.toml").read_text(encoding="utf-8")

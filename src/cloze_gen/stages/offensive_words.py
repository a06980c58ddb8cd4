"""The list of offensive words that a setting names, read for the grooming of any style."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

from cloze_gen.errors import UsageError


def offensive_words(setting: str) -> frozenset[str]:
    """The words that a setting names: the project's list, a file's lines, or none.

    Raises:
        UsageError: the file cannot be read.
    """
    if setting == "none":
        return frozenset()
    if setting == "builtin":
        text = (importlib.resources.files("cloze_gen") / "cloze" / "offensive_words.txt").read_text(encoding="utf-8")
    else:
        try:
            text = Path(setting).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"grooming.offensive_words: {setting}: cannot be read ({error}). Give a UTF-8 file, one word a line."
            ) from None
    return frozenset(line.strip().casefold() for line in text.split("\n") if line.strip() and not line.startswith("#"))

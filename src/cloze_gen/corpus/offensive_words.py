"""The list of offensive words that a setting names."""

from __future__ import annotations

import hashlib
import importlib.resources

from cloze_gen.errors import UsageError
from cloze_gen.parsing import error_text, quote
from cloze_gen.store.files import read_regular_text


def offensive_words(setting: str) -> frozenset[str]:
    """The project's list, a file's lines, or none; UsageError for an unreadable file."""
    if setting == "none":
        return frozenset()
    if setting == "builtin":
        text = (importlib.resources.files("cloze_gen.english") / "offensive_words.txt").read_text(
            encoding="utf-8"
        )
    else:
        try:
            text = read_regular_text(setting, encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            place = f"offensive_words: {quote(setting)}"
            raise UsageError(
                f"{place}: cannot be read ({error_text(error)}). Give a UTF-8 file, one word a line."
            ) from None
    return frozenset(
        line.strip().casefold()
        for line in text.split("\n")
        if line.strip() and not line.startswith("#")
    )


def words_digest(setting: str) -> str:
    """32 hexadecimal digits over the words, for fingerprints."""
    return hashlib.blake2b(
        "\n".join(sorted(offensive_words(setting))).encode(), digest_size=16
    ).hexdigest()

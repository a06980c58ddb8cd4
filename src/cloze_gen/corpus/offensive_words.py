"""Lists of words that are no options: offensive words, as a setting names them, and dialect."""

from __future__ import annotations

import functools
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
        text = _packaged("offensive_words.txt")
    else:
        try:
            text = read_regular_text(setting, encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            place = f"offensive_words: {quote(setting)}"
            raise UsageError(
                f"{place}: cannot be read ({error_text(error)}). Give a UTF-8 file, one word a line."
            ) from None
    return _listed(text)


@functools.cache
def dialect_words() -> frozenset[str]:
    """The project's list of dialect, slang and eye spellings.

    >>> sorted({"gwine", "feller", "fellow"} & dialect_words())
    ['feller', 'gwine']
    """
    return _listed(_packaged("dialect_words.txt"))


def _packaged(file: str) -> str:
    return (importlib.resources.files("cloze_gen.english") / file).read_text(encoding="utf-8")


def _listed(text: str) -> frozenset[str]:
    return frozenset(
        line.strip().casefold()
        for line in text.split("\n")
        if line.strip() and not line.startswith("#")
    )


def words_digest(words: frozenset[str]) -> str:
    """32 hexadecimal digits over the words, for fingerprints."""
    return hashlib.blake2b("\n".join(sorted(words)).encode(), digest_size=16).hexdigest()

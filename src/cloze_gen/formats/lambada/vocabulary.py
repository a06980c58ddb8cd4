r"""The vocabulary file: every word that may be the target, in alphabetical order, with its count in the training novels.

``word TAB count``, UTF-8, ``\n`` at the end of every line, sorted by code point. Whether the published ``lambada-vocab-2.txt`` (112,745
types "from which the one to be guessed must be picked") has the second column is not known; both are read.
"""

from __future__ import annotations

from collections.abc import Mapping

from cloze_gen.errors import FormatError
from cloze_gen.notation import shown


def format_vocabulary(counts: Mapping[str, int]) -> str:
    r"""Text of the file.

    Raises:
        FormatError: a word is empty or holds a blank.

    >>> format_vocabulary({"she": 7, "ann": 2})
    'ann\t2\nshe\t7\n'
    """
    for word in counts:
        if word.split() != [word]:
            raise FormatError(f"vocabulary: a word is empty or holds a blank: {shown(word)}")
    return "".join(f"{word}\t{counts[word]}\n" for word in sorted(counts))


def parse_vocabulary(text: str, *, name: str = "vocabulary") -> dict[str, int]:
    r"""Word -> count, in the file's order; 0 where the file has no counts.

    Raises:
        FormatError: a line is no word with a count or without, or a word is there twice; names file and line.

    >>> parse_vocabulary("ann\t2\nshe\t7\n"), parse_vocabulary("ann\nshe\n")
    ({'ann': 2, 'she': 7}, {'ann': 0, 'she': 0})
    """
    counts: dict[str, int] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n").split("\n") if text else [], 1):
        word, tab, count = line.partition("\t")
        if word.split() != [word] or (tab and not (count.isascii() and count.isdigit())):
            raise FormatError(f"{name}, line {number}: expected a word, or a word, a tab and its count, found {shown(line)}")
        if word in counts:
            raise FormatError(f"{name}, line {number}: {shown(word)} was there before")
        counts[word] = int(count or 0)
    return counts

r"""The vocabulary file: every word of the training novels, however rare, in alphabetical order, with its count.

``word TAB count``, UTF-8, ``\n`` at the end of every line, sorted by code point. Whether the published ``lambada-vocab-2.txt`` (112,745
types "from which the one to be guessed must be picked") has the second column is not known. Words are those of the published
tokenization, in small letters: ``n't`` and ``'s`` are two of them; marks, which cannot be the target, are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from cloze_gen.english.treebank import clitics_cut
from cloze_gen.errors import FormatError
from cloze_gen.notation import shown
from cloze_gen.words import is_word


def published_counts(counts: Iterable[tuple[str, int]]) -> Counter[str]:
    """Counts of whole-word types as counts of the published words they are made of.

    >>> sorted(published_counts([("Don't", 2), ("do", 1), (",", 9)]).items())
    [('do', 3), ("n't", 2)]
    """
    words: Counter[str] = Counter()
    for word, count in counts:
        for part in clitics_cut(word):
            if is_word(part):
                words[part.lower()] += count
    return words


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

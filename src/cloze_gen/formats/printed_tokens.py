"""How the published MSR files print the tokens of a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Marks that the published files never hold (data.md: only , ; . - ' occur inside; dashes and outer
# quotes are deleted).
DELETED_MARKS = frozenset(
    {
        '"',
        "'",
        "`",
        "``",
        "''",
        "--",
        "-",
        "---",
        "----",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "*",
        "_",
        "\u2014",
        "\u2013",
        "...",
    }
)
_PAUSES = frozenset(",;:.?!")
_FINAL = frozenset({".", "?", "!"})
# A colon is printed as the published files print a pause.
_REPLACED = {":": ";", "?": ",", "!": ","}


def rendered_positions(tokens: Sequence[str]) -> list[int]:
    """Indices of the printed tokens, in order.

    >>> rendered_positions(('"', "Come", ",", '"', "he", "said", "."))
    [1, 2, 4, 5, 6]
    """
    kept = [i for i, token in enumerate(tokens) if token not in DELETED_MARKS]
    return [i for k, i in enumerate(kept) if not _doubled(tokens, kept, k)]


def printed_lines(lines: Sequence[str]) -> pa.Array:
    """`rendered_tokens` of many space-joined sentences as such lines (under 2 GiB); empty
    ones are left out.

    >>> printed_lines(['" What is it ? "', "-- --"]).to_pylist()
    ['What is it .']
    """
    split = pc.split_pattern(pa.array(lines, pa.string()), " ")
    coded = split.flatten().dictionary_encode()
    types, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy()
    sentence = np.repeat(np.arange(len(lines)), np.diff(split.offsets.to_numpy()))
    deleted = np.array([word in DELETED_MARKS for word in types], np.bool_)
    pause = np.array([word in _PAUSES for word in types], np.bool_)
    kept = ~deleted[codes]
    codes, sentence = codes[kept], sentence[kept]
    starts = np.diff(sentence, prepend=-1) > 0
    before_pause = np.append(pause[codes[1:]] & ~starts[1:], np.zeros(min(1, len(codes)), np.bool_))
    kept = ~(pause[codes] & (starts | before_pause))  # as `_doubled`
    codes, sentence = codes[kept], sentence[kept]
    ends = np.diff(sentence, append=len(lines)) > 0
    within = [_REPLACED.get(word, word) for word in types]
    last = ["." if word in _FINAL else word for word in types]
    words = pa.array(within + last, pa.string()).take(pa.array(codes + len(types) * ends))
    offsets = np.concatenate(([0], np.flatnonzero(ends) + 1))
    return pc.binary_join(pa.ListArray.from_arrays(offsets.astype(np.int32), words), " ")


def _doubled(tokens: Sequence[str], kept: Sequence[int], k: int) -> bool:
    """A pause before another mark (`, .` left by a deleted quote or dash) is not printed twice."""
    return tokens[kept[k]] in _PAUSES and (
        k == 0 or (k + 1 < len(kept) and tokens[kept[k + 1]] in _PAUSES)
    )


def rendered_tokens(tokens: Sequence[str]) -> tuple[str, ...]:
    """The printed tokens; a final `?` or `!` is printed as `.`, as published questions do.

    >>> rendered_tokens(('"', "What", "is", "it", "?", '"'))
    ('What', 'is', 'it', '.')
    >>> rendered_tokens(("He", "came", "--", "alas", "!", "--", "too", "late", "."))
    ('He', 'came', 'alas', ',', 'too', 'late', '.')
    """
    positions = rendered_positions(tokens)
    printed = [_REPLACED.get(tokens[i], tokens[i]) for i in positions[:-1]]
    if positions:
        last = tokens[positions[-1]]
        printed.append("." if last in _FINAL else last)
    return tuple(printed)

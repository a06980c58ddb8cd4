"""How a sentence's tokens look in the published MSR files: no quotation marks, no dashes, a full stop at the end.

The record keeps its own tokens; only what is printed goes through here. What is lost is listed in `docs/artifacts.md`.
"""

from __future__ import annotations

from collections.abc import Sequence

# Marks that the published files never hold (data.md: only , ; . - ' occur inside; dashes and outer quotes are deleted).
DELETED_MARKS = frozenset(
    {'"', "'", "`", "``", "''", "--", "-", "---", "----", "(", ")", "[", "]", "{", "}", "*", "_", "\u2014", "\u2013", "..."}
)
_PAUSES = frozenset(",;:.?!")
_FINAL = frozenset({".", "?", "!"})
# A colon is printed as the published files print a pause.
_REPLACED = {":": ";", "?": ",", "!": ","}


def rendered_positions(tokens: Sequence[str]) -> list[int]:
    """Indices of the tokens that are printed, in order.

    >>> rendered_positions(('"', "Come", ",", '"', "he", "said", "."))
    [1, 2, 4, 5, 6]
    """
    kept = [i for i, token in enumerate(tokens) if token not in DELETED_MARKS]
    return [i for k, i in enumerate(kept) if not _doubled(tokens, kept, k)]


def printed_neighbours(tokens: Sequence[str], position: int, printed: Sequence[int] | None = None) -> tuple[int, int]:
    """Indices of the tokens that a reader sees right before and right after a printed one; -1 and the length where there is none.

    Args:
        printed: `rendered_positions(tokens)`, where they are known.

    >>> printed_neighbours(("an", '"', "owl", '"', "here", "."), 2)
    (0, 4)
    """
    printed = rendered_positions(tokens) if printed is None else printed
    rank = printed.index(position)
    return (printed[rank - 1] if rank else -1), (printed[rank + 1] if rank + 1 < len(printed) else len(tokens))


def _doubled(tokens: Sequence[str], kept: Sequence[int], k: int) -> bool:
    """A pause before another mark (`, .` left by a deleted quote or dash) is not printed twice."""
    return tokens[kept[k]] in _PAUSES and (k == 0 or (k + 1 < len(kept) and tokens[kept[k + 1]] in _PAUSES))


def rendered_tokens(tokens: Sequence[str], *, final_stop: bool = True) -> tuple[str, ...]:
    """The printed tokens.

    Args:
        tokens: a sentence's own tokens.
        final_stop: print a final `?` or `!` as `.`, as all published questions have it.

    >>> rendered_tokens(('"', "What", "is", "it", "?", '"'))
    ('What', 'is', 'it', '.')
    >>> rendered_tokens(("He", "came", "--", "alas", "!", "--", "too", "late", "."))
    ('He', 'came', 'alas', ',', 'too', 'late', '.')
    """
    positions = rendered_positions(tokens)
    printed = [_REPLACED.get(tokens[i], tokens[i]) for i in positions[:-1]]
    if positions:
        last = tokens[positions[-1]]
        printed.append("." if final_stop and last in _FINAL else last)
    return tuple(printed)

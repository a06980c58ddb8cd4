"""What a field of somebody's file must be, told where it is not."""

from __future__ import annotations

from cloze_gen.errors import FormatError


def require(holds: bool, where: str, what: str) -> None:
    """Refuse what does not hold.

    Args:
        where: file and line, or item and field, as a message begins with it.
    Raises:
        FormatError: it does not hold.

    >>> require(2 > 1, "set.jsonl, line 1", "`eid` must be a whole number")
    """
    if not holds:
        raise FormatError(f"{where}: {what}")

"""The text that a set holds so far: neighbouring passages overlap, and no set prints a sentence twice."""

from __future__ import annotations


class TakenSpans:
    """The text that a set holds so far, so that it prints nothing twice.

    >>> taken = TakenSpans()
    >>> taken.add("emma", 0, 90), taken.overlaps("emma", 80, 120), taken.overlaps("emma", 90, 120), taken.overlaps("sanditon", 0, 9)
    (None, True, False, False)
    """

    def __init__(self) -> None:
        self._spans: dict[str, list[tuple[int, int]]] = {}

    def overlaps(self, book_id: str, start: int, end: int) -> bool:
        return any(first < end and start < last for first, last in self._spans.get(book_id, ()))

    def add(self, book_id: str, start: int, end: int) -> None:
        self._spans.setdefault(book_id, []).append((start, end))

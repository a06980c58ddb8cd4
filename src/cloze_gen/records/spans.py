"""Spans of books that are taken: neighbouring items overlap, and no set prints a sentence twice."""

from __future__ import annotations

import bisect
from collections.abc import Iterable


class TakenSpans:
    """Spans of books without overlaps; one may be repeated.

    >>> taken = TakenSpans([("emma", 0, 90)])
    >>> taken.overlaps("emma", 80, 120), taken.overlaps("emma", 90, 120), taken.overlaps("sanditon", 0, 9)
    (True, False, False)
    """

    def __init__(self, spans: Iterable[tuple[str, int, int]] = ()) -> None:
        self._of_book: dict[str, list[tuple[int, int]]] = {}
        for book_id, start, end in spans:
            self.add(book_id, start, end)

    def overlaps(self, book_id: str, start: int, end: int) -> bool:
        """Whether a span overlaps; only its neighbours in the sorted spans are compared."""
        spans = self._of_book.get(book_id, [])
        place = bisect.bisect(spans, (start, end))
        return any(
            first < end and start < last for first, last in spans[max(0, place - 1) : place + 1]
        )

    def add(self, book_id: str, start: int, end: int) -> None:
        bisect.insort(self._of_book.setdefault(book_id, []), (start, end))

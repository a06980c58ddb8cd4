"""Reading ahead: the next item is made while the caller is at work on this one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items, each made in a thread; worth it where making them leaves the interpreter free (files, Arrow, sorting).

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(_next, items)
        while item := coming.result():
            coming = thread.submit(_next, items)
            yield from item


def _next(items: Iterator[T]) -> tuple[T, ...]:
    """One item, or none at the end."""
    return tuple(itertools.islice(items, 1))

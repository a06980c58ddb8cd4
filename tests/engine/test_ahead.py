"""Items made in a thread are the same items, and their maker's error comes out where it belongs."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from cloze_gen.engine.ahead import ahead
from cloze_gen.errors import ModelError


def test_the_next_item_is_made_while_this_one_is_used() -> None:
    """The second item is begun before the caller comes back for it, in another thread."""
    begun = threading.Event()
    makers: list[threading.Thread] = []

    def items() -> Iterator[int]:
        for i in range(3):
            makers.append(threading.current_thread())
            if i == 1:
                begun.set()
            yield i

    coming = ahead(items())
    assert next(coming) == 0
    assert begun.wait(10)
    assert list(coming) == [1, 2]
    assert threading.main_thread() not in makers


@pytest.mark.parametrize("values", [[], [0], [0, None, ""]])
def test_any_items_pass(values: list[object]) -> None:
    """None and empty items are items."""
    assert list(ahead(iter(values))) == values


def test_an_error_comes_out_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ModelError("ends early")

    coming = ahead(items())
    assert next(coming) == 1
    with pytest.raises(ModelError, match="ends early"):
        next(coming)

"""Refusals: the class of the error, what it names, and its form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cloze_gen.errors import ClozeGenError


def refused(
    call: Callable[[], Any], kind: type[ClozeGenError] = ClozeGenError, *, names: str = ""
) -> str:
    """The message of the error that `call` raises: short, printable and naming `names`."""
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert names in message, message
    assert message.isprintable() and len(message) < 1000, message
    return message

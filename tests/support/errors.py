"""Refusals: the class of the error, what it names, and its form."""

import pytest

from cloze_gen.errors import ClozeGenError


def refused(call, kind=ClozeGenError, *, names=""):
    """The message of the error that `call` raises: short, printable and naming `names`."""
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert names in message, message
    assert message.isprintable(), message
    assert len(message) < 1000, message
    return message

"""Files that strangers wrote: whatever is wrong with what stands in them is one message."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from cloze_gen.errors import FormatError
from cloze_gen.notation import shown


@contextlib.contextmanager
def read_of_strangers(folder: Path) -> Iterator[None]:
    """A value of another shape than a release of ours has, which some reader stumbles over, is told as a fault of the folder.

    Raises:
        FormatError: instead of what such a value makes Python raise.
    """
    try:
        yield
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError, UnicodeDecodeError) as error:
        what = f"{type(error).__name__}: {shown(str(error), most_chars=120)}"
        raise FormatError(f"{folder}: a record or a setting in it has not the shape that a release has ({what}).") from error

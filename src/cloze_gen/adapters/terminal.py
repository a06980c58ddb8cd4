"""The terminal's width and encoding, and output that fits them."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from cloze_gen.text_layout import fit

_LEAST_COLUMNS = 20  # the least width used


def columns_of(stream: TextIO) -> int | None:
    """Columns of a stream: `COLUMNS` if set, else the terminal's own; None for a pipe or a file."""
    named = os.environ.get("COLUMNS", "")
    if named.isascii() and named.isdigit() and len(named) < 6 and int(named):
        return max(_LEAST_COLUMNS, int(named))
    try:
        found = os.get_terminal_size(stream.fileno()).columns
    except (
        OSError,
        ValueError,
        AttributeError,
    ):  # no terminal; closed; or a stream that never had a descriptor
        return None
    return max(_LEAST_COLUMNS, found) if found else None


def show(text: str, stream: TextIO | None = None, *, whole_lines: bool = False) -> None:
    """Print text, wrapped unless `whole_lines`, without control characters."""
    out = stream or sys.stdout
    shown = shown_on(text, out, columns=None if whole_lines else columns_of(out))
    out.write(f"{shown}\n")
    out.flush()


def shown_on(text: str, stream: TextIO, *, columns: int | None) -> str:
    """The text wrapped, with characters escaped that the encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return fit(text, columns).encode(encoding, "backslashreplace").decode(encoding)

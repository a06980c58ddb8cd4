"""The screen: how wide it is, and what is shown on it. The only place that asks."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from cloze_gen.columns import fit

_LEAST_COLUMNS = 20  # below that nothing can be laid out


def columns_of(stream: TextIO) -> int | None:
    """Columns of a stream: `COLUMNS` where it is set, else the terminal's own; None where nobody looks (a pipe, a file)."""
    named = os.environ.get("COLUMNS", "")
    if named.isascii() and named.isdigit() and len(named) < 6 and int(named):
        return max(_LEAST_COLUMNS, int(named))
    try:
        found = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):  # no terminal; closed; or a stream that never had a descriptor
        return None
    return max(_LEAST_COLUMNS, found) if found else None


def show(text: str, stream: TextIO | None = None, *, whole_lines: bool = False) -> None:
    """Write text and a line end, laid out for the stream's width, with no control character; by default to standard output.

    Args:
        whole_lines: break no line, however long.
    """
    out = stream or sys.stdout
    shown = shown_on(text, out, columns=None if whole_lines else columns_of(out))
    out.write(f"{shown}\n")
    out.flush()


def shown_on(text: str, stream: TextIO, *, columns: int | None) -> str:
    """The text as the stream can show it: wrapped to a width, what its encoding lacks spelled out."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return fit(text, columns).encode(encoding, "backslashreplace").decode(encoding)

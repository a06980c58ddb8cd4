"""Output that a terminal's encoding can show, without control characters."""

from __future__ import annotations

import sys
from typing import TextIO

from cloze_gen.text_layout import printable_lines


def show(text: str, stream: TextIO | None = None) -> None:
    """Print text without control characters."""
    out = stream or sys.stdout
    out.write(f"{shown_on(text, out)}\n")
    out.flush()


def shown_on(text: str, stream: TextIO) -> str:
    """The text without control characters; characters that the encoding lacks are escaped."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return printable_lines(text).encode(encoding, "backslashreplace").decode(encoding)

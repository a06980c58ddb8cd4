"""Arguments that many commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

# Beyond these a number is a slip of the finger, and what it is handed to would fail in words of its own.
MOST_WORKERS, LARGEST_SEED = 1024, 2**63 - 1
DEFAULT_OUT = Path("artifacts")
Run = Annotated[str, typer.Argument(help="name of a run in the output folder, or its path")]
Out = Annotated[Path, typer.Option("--out", help="output folder")]
Workers = Annotated[int, typer.Option(min=1, max=MOST_WORKERS, help="processes")]

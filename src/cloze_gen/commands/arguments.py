"""Arguments that many commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from cloze_gen.commands.completing import config_names, run_names, setting_keys, stage_names


def number(least: float, most: float | None = None, *, help: str) -> Any:
    """An option whose value is a number within bounds. The parser's own bounds would fill the help with `<int range> [0<=x<=9223...]`."""

    def within(value: float | None) -> float | None:
        if value is not None and not (least <= value and (most is None or value <= most)):  # so that nan is out of range too
            bounds = f"from {least:,} to {most:,}" if most is not None else f"{least:,} or more"
            raise typer.BadParameter(f"{value} is out of range. Give a number {bounds}.")
        return value

    return typer.Option(metavar="N", callback=within, help=help)


# Beyond these a number is a slip of the finger, and what it is handed to would fail in words of its own.
MOST_WORKERS, LARGEST_SEED = 1024, 2**63 - 1
DEFAULT_OUT = Path("artifacts")
Config = Annotated[str, typer.Argument(help="a style (holmes-style, ...) or the path of a TOML file", autocompletion=config_names)]
Run = Annotated[str, typer.Argument(help="name of a run in the output folder, or its path", autocompletion=run_names)]
OtherRun = Annotated[str, typer.Argument(help="name or path of the run to set beside it", autocompletion=run_names)]
NamedRun = Annotated[
    str | None,
    typer.Option("--run", help="name or path of the run; default: of those that have it the one written last", autocompletion=run_names),
]
Stage = Annotated[
    str | None, typer.Argument(help="a stage of it by name, link or number: forward, 12-forward, 12", autocompletion=stage_names)
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="stage.key=value, any setting; may be repeated", autocompletion=setting_keys)
]
AsIfSettings = Annotated[
    list[str] | None, typer.Option("--set", help="stage.key=value, as if it were set so; may be repeated", autocompletion=setting_keys)
]
Out = Annotated[Path, typer.Option("--out", help="output folder")]
Workers = Annotated[int, number(1, MOST_WORKERS, help="processes")]

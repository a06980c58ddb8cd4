"""Arguments of several commands, and their tab completion."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from cloze_gen.adapters.terminal import show
from cloze_gen.errors import ClozeGenError

# A shell may interpret suggestions, so names with special characters are not suggested.
_PLAIN = re.compile(r"[A-Za-z0-9._-]{1,200}")


def config_names(incomplete: str) -> list[str]:
    from cloze_gen.config import config_names as all_names  # slow to import
    from cloze_gen.pipelines.styles import style_names

    return _matching(incomplete, all_names(style_names()))


def run_names(ctx: typer.Context, incomplete: str) -> list[str]:
    runs = Path(ctx.params.get("out") or DEFAULT_OUT) / "runs"
    return _matching(incomplete, (path.parent.name for path in sorted(runs.glob("*/run.json"))))


def setting_keys(ctx: typer.Context, incomplete: str) -> list[str]:
    """`group.key=` for the run or config on the command line; none after the `=`."""
    from cloze_gen.pipelines.styles import style_of, style_of_run  # slow to import
    from cloze_gen.store.runs import find_run

    try:
        if run := _typed(ctx, "run"):
            style = style_of_run(find_run(Path(ctx.params.get("out") or DEFAULT_OUT), run))
        else:
            style = style_of(_typed(ctx, "config"))
    except ClozeGenError:
        return []
    keys = (
        f"{group}.{name}"
        for group, values in style.settings()
        for name in type(values).model_fields
    )
    return [f"{key}=" for key in _matching(incomplete, keys)]


def _typed(ctx: typer.Context, name: str) -> str:
    """The typed argument; the parser leaves it in `args` while an option lacks its value."""
    if name not in ctx.params:
        return ""
    return str(ctx.params[name] or next(iter(ctx.args), ""))


def _matching(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if _PLAIN.fullmatch(name) and name.startswith(incomplete)]


# ---- arguments of several commands


def number(least: float, most: float | None = None, *, help: str) -> Any:
    """A number within bounds; `--help` shows it as NUMBER, not as `<int range> [...]`."""

    def within(value: float | None) -> float | None:
        # also refuses nan
        if value is not None and not (least <= value and (most is None or value <= most)):
            bounds = f"from {least:,} to {most:,}" if most is not None else f"{least:,} or more"
            raise typer.BadParameter(f"{value} is out of range. Give a number {bounds}.")
        return value

    return typer.Option(metavar="NUMBER", callback=within, help=help)


# Words of `--help` for the values of options whose own name says too little.
_VALUES = {"train": "BOOKS", "source": "BOOKS", "only": "BASELINE", "set_": "KEY=VALUE"}


def name_values(command: Any) -> Any:
    """The command; its help names values in words (PATH, NUMBER), not by types of Python."""
    for parameter in command.params:
        last_word = parameter.name.rpartition("_")[2].upper()
        if parameter.param_type_name == "argument":
            parameter.metavar = parameter.metavar or last_word
            parameter.display_type = lambda ctx: ""
        elif parameter.metavar is None and not parameter.is_flag:
            is_path = "Path" in str(parameter.type_descriptor.annotation)
            parameter.metavar = "PATH" if is_path else _VALUES.get(parameter.name, last_word)
    return command


def whole_name(config: str) -> str:
    """`holmes` is `holmes-style`, unless a config or a file has the short name."""
    names, whole = config_names(""), f"{config}-style"
    if config in names or whole not in names or Path(f"{config}.toml").exists():
        return config
    show(f"{config}: read as {whole}", sys.stderr)
    return whole


# Larger numbers are typing errors and would fail later with a less clear message.
MOST_WORKERS, LARGEST_SEED = 1024, 2**63 - 1
DEFAULT_OUT = Path("artifacts")
Config = Annotated[
    str,
    typer.Argument(
        help="style (holmes-style, ...), built-in config or path of a TOML file",
        autocompletion=config_names,
        callback=whole_name,
    ),
]
Run = Annotated[
    str,
    typer.Argument(
        help="name of a run in the output folder, or path of its folder", autocompletion=run_names
    ),
]
NamedRun = Annotated[
    str | None,
    typer.Option(
        "--run",
        help="name or path of the run; default: the latest run that has the item",
        autocompletion=run_names,
    ),
]
Stage = Annotated[
    str | None,
    typer.Argument(help="stage of the run by name, link or number: forward, 12-forward, 12"),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="setting as group.key=value; may be repeated", autocompletion=setting_keys
    ),
]
AsIfSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="changed setting to try, as group.key=value; may be repeated",
        autocompletion=setting_keys,
    ),
]
_TEXT_COLUMN = "name of the table column that holds the text of a book"
_KEEP_SPLITS = (
    "use a collection's splits, or the folders train, validation and test: train as background, "
    "test as source; lambada-style and scde-style: as the three parts"
)
TextColumn = Annotated[str, typer.Option(help=_TEXT_COLUMN)]
KeepSplits = Annotated[bool, typer.Option("--keep-splits", help=_KEEP_SPLITS)]
RunTextColumn = Annotated[
    str, typer.Option(help=f"{_TEXT_COLUMN}; short for --set input.text_column=")
]
RunKeepSplits = Annotated[
    bool,
    typer.Option("--keep-splits", help=f"{_KEEP_SPLITS}; short for --set input.keep_splits=true"),
]
Out = Annotated[Path, typer.Option("--out", help="output folder")]
Workers = Annotated[int, number(1, MOST_WORKERS, help="number of worker processes")]

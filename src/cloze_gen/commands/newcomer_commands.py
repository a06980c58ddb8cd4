"""What a user types before the first run: a folder to begin in, settings to read, tools to check, a shell that knows the words."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cloze_gen.adapters.terminal import columns_of, show
from cloze_gen.commands.arguments import Config
from cloze_gen.commands.completing import config_names
from cloze_gen.commands.completion import SHELLS, answer_shells, script_of, shell_names


def add_newcomer_commands(app: typer.Typer) -> None:
    """Add `new`, `settings`, `doctor` and `completion` to a command line, and let it answer a shell that asks what may follow."""
    answer_shells()
    app.command()(new)
    app.command()(settings)
    app.command()(doctor)
    app.command()(completion)


def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="folder to make, a new or an empty one; the run is named after it")],
    style: Annotated[
        str, typer.Option(help="whose settings: a style, another built-in config, or a TOML file", autocompletion=config_names)
    ] = "holmes-style",
) -> None:
    """Make a folder to begin in: a config of every setting, folders for the books, and the three commands that come next.

    Example: cloze-gen new mine --style scs-style
    """
    from cloze_gen.commands.new import begin

    show(begin(folder, style))


def settings(config: Config) -> None:
    """Print every setting of a style with its value and meaning, as a TOML file.

    Example: cloze-gen settings holmes-style > holmes-mine.toml
    """
    from cloze_gen.commands.settings import settings_text

    show(settings_text(config, columns=columns_of(sys.stdout)), whole_lines=True)  # a line of TOML cannot be broken


def doctor(
    fix: Annotated[bool, typer.Option(help="build KenLM's programs, and its Python module, where they are missing")] = False,
    kenlm_sources: Annotated[Path | None, typer.Option(help="kenlm-0.3.0.tar.gz, for --fix without a network")] = None,
    store: Annotated[Path | None, typer.Option(help="output folder: read every byte of it and compare it with what was written")] = None,
) -> None:
    """Check the tools: versions, what is missing, and the command that mends it. With --store, check an output folder instead.

    Example: cloze-gen doctor --store artifacts
    """
    from cloze_gen.commands import doctor as command

    command.check_store(store) if store else command.check_tools(fix=fix, kenlm_sources=kenlm_sources)


def completion(
    shell: Annotated[
        str, typer.Argument(help=f"the shell that is to know the words of this program: {SHELLS}", autocompletion=shell_names)
    ],
) -> None:
    """Print what a shell evaluates to complete commands, options, styles, runs, stages and settings with the Tab key.

    Example: cloze-gen completion bash >> ~/.bashrc
    """
    show(script_of(shell), whole_lines=True)

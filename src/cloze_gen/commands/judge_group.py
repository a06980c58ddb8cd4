"""`cloze-gen judge ...`: what a user types to have people guess."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cloze_gen.commands.arguments import DEFAULT_OUT, AsIfSettings, Out, Run, Workers
from cloze_gen.commands.completing import config_names, run_names

_MOST_PAGES, _MOST_PASSAGES = 1000, 10**9
judge_group = typer.Typer(no_args_is_help=True, help="Have people guess the passages of a run: pages out, answers in.")


@judge_group.command()
def export(
    run: Run,
    subjects: Annotated[str, typer.Option(help="names of those who guess, with commas; with --again, empty for all")] = "",
    condition: Annotated[str, typer.Option(help="what they see: passage or sentence; default: a page of each")] = "",
    pages: Annotated[int, typer.Option(min=1, max=_MOST_PAGES, help="pages for each of them, of each condition")] = 1,
    form: Annotated[str, typer.Option("--format", help="csv, a table to fill in, or jsonl, for a program")] = "csv",
    to: Annotated[Path | None, typer.Option(help="folder to write to; default: OUT/judgements/NAME/packets")] = None,
    again: Annotated[bool, typer.Option("--again", help="write the pages that are out once more, and hand out none")] = False,
    out: Out = DEFAULT_OUT,
) -> None:
    """Hand out the next pages to people who have seen nothing of their text, a file a person.

    Example: cloze-gen judge export lambada-style --subjects ann,bob --pages 2
    """
    from cloze_gen.commands import judge as command

    names = [name for name in subjects.split(",") if name.strip()]
    command.export(out, run, subjects=names, condition=condition, pages=pages, form=form, to=to, again=again)


@judge_group.command("import")
def import_answers(
    run: Run,
    files: Annotated[list[Path], typer.Argument(help="files that were filled in")],
    make: Annotated[bool, typer.Option("--run/--no-run", help="make the run anew of all answers; else print the command that does")] = True,
    out: Out = DEFAULT_OUT,
    workers: Workers = 2,
) -> None:
    """Take people's answers, each once, and make the set anew of what they said.

    Example: cloze-gen judge import lambada-style ann-3f09a1b2c3d4.csv
    """
    from cloze_gen.commands import judge as command

    command.take(out, run, files, make=make, workers=workers)


@judge_group.command()
def withdraw(
    run: Run, pages: Annotated[list[str], typer.Argument(help="ids of pages, as `judge status` lists them")], out: Out = DEFAULT_OUT
) -> None:
    """Wait no longer for pages that never come back, so that others are asked.

    Example: cloze-gen judge withdraw lambada-style 3f09a1b2c3d4
    """
    from cloze_gen.commands import judge as command

    command.withdraw(out, run, pages)


@judge_group.command()
def status(run: Run, out: Out = DEFAULT_OUT) -> None:
    """Tell how the guessing stands: passages by verdict, people, and the pages that are out.

    Example: cloze-gen judge status lambada-style
    """
    from cloze_gen.commands import judge as command

    command.status(out, run)


@judge_group.command()
def cost(
    run: Annotated[
        str, typer.Argument(help="name of a run in the output folder, or its path; none: --passages", autocompletion=run_names)
    ] = "",
    passages: Annotated[
        int | None, typer.Option(min=1, max=_MOST_PASSAGES, help="how many are asked about; default: the run's head")
    ] = None,
    config: Annotated[
        str, typer.Option(help="without a run: whose settings, a style or a TOML file", autocompletion=config_names)
    ] = "lambada-style",
    set_: AsIfSettings = None,
    out: Out = DEFAULT_OUT,
) -> None:
    """Tell what guessing is expected to cost, and what the pages handed out have cost so far.

    Example: cloze-gen judge cost --passages 20000 --set guessing.fee_factor=1.2
    """
    from cloze_gen.commands import judge as command

    command.cost(out, run, config=config, passages=passages, overrides=set_ or [])

"""`cloze-gen verify`, `fill`: what a user types who has a release and maybe nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cloze_gen.adapters.terminal import show
from cloze_gen.commands.arguments import Workers

_RELEASE = Annotated[Path, typer.Argument(help="folder of a release")]


def add_release_commands(app: typer.Typer) -> None:
    """Make these commands known to the command line."""
    app.command()(verify)
    app.command()(fill)


def verify(
    release: _RELEASE,
    books: Annotated[
        Path | None, typer.Option(help="your own copies of the books, found by their bytes: every sentence is compared")
    ] = None,
    deep: Annotated[bool, typer.Option("--deep", help="make the set again from the books and compare its files")] = False,
    workers: Workers = 2,
) -> None:
    """Check a release: checksums, formats, counts; with --books every sentence; with --deep the whole making. Status 1 where it differs.

    Example: cloze-gen verify artifacts/runs/holmes-style/release --deep
    """
    from cloze_gen.commands.verify_release import verify_release
    from cloze_gen.stages.release.checks import check_text

    wrong = False
    for check in verify_release(release, books=books, deep=deep, workers=workers):
        wrong = wrong or bool(check.differences)
        show("\n".join(check_text([check])))
    if wrong:
        raise typer.Exit(1)


def fill(
    release: _RELEASE,
    books: Annotated[Path, typer.Option(help="your own copies of the books, found by their bytes")],
    to: Annotated[Path | None, typer.Option(help="folder to write, a new one; default: the release's name with -full")] = None,
) -> None:
    """Give a release of pointers (release.text = pointers) its text back, byte for byte.

    Example: cloze-gen fill release/ --books books/ --to filled
    """
    from cloze_gen.commands.fill import fill

    show(fill(release, books=books, to=to))

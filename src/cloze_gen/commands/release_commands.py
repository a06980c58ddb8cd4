"""`cloze-gen verify`, `fill`, `contamination`: what a user types who has a release and maybe nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cloze_gen.adapters.terminal import show
from cloze_gen.commands.arguments import LARGEST_SEED, Workers, number

_RELEASE = Annotated[Path, typer.Argument(help="folder of a release")]


def add_release_commands(app: typer.Typer) -> None:
    """Make these commands known to the command line."""
    app.command()(verify)
    app.command()(fill)
    app.command()(contamination)


def verify(
    release: _RELEASE,
    books: Annotated[Path | None, typer.Option(help="your own copies of the books, found by their bytes, to compare with")] = None,
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


def contamination(
    release: Annotated[Path, typer.Argument(help="folder of a release whose items were published in random order")],
    requests: Annotated[Path | None, typer.Option(help="file to write what a model is asked, a new one")] = None,
    log: Annotated[Path | None, typer.Option(help="its log-likelihoods, JSONL: {id, log_likelihood} for each text of --requests")] = None,
    file: Annotated[str, typer.Option(help="file of the release, an item a line; default: test.jsonl, or questions.jsonl")] = "",
    shards: Annotated[int | None, number(1, help="parts of the file; default: 50, or as many as have ten lines each")] = None,
    permutations: Annotated[int | None, number(1, help="shuffled orders of each shard; default: 99")] = None,
    seed: Annotated[int | None, number(0, LARGEST_SEED, help="random seed of the shuffling; default: 1")] = None,
    exchangeable: Annotated[
        bool, typer.Option("--exchangeable", help="vouch that the lines of somebody else's file were published in random order")
    ] = False,
) -> None:
    """Test whether a model was trained on a release: does it like the published order better than others? An exact p.

    Example: cloze-gen contamination release/ --requests asked.jsonl
    """
    from cloze_gen.commands import contamination as command

    show(command.contamination(release, file=file, requests=requests, log=log, shards=shards, permutations=permutations, seed=seed,
                               exchangeable=exchangeable))  # fmt: skip

"""`cloze-gen corpus ...`: what a user types to look at books before a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cloze_gen.adapters.terminal import show
from cloze_gen.commands.arguments import DEFAULT_OUT, Out, Workers

corpus_group = typer.Typer(no_args_is_help=True, help="Look at a folder of books before a run.")


@corpus_group.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="folder of .txt or .txt.gz books")],
    manifest: Annotated[Path, typer.Option(help="manifest.tsv with the columns file and sha256")],
    role: Annotated[str | None, typer.Option(help="only the files of this role: train or source")] = None,
) -> None:
    """Compare a folder of books with a manifest's checksums.

    Example: cloze-gen corpus verify books/ --manifest books/manifest.tsv
    """
    from cloze_gen.commands.verify import verify

    verify(folder, manifest, role=role)


@corpus_group.command()
def rank(
    folder: Annotated[Path, typer.Argument(help="folder of .txt or .txt.gz books")],
    reference: Annotated[Path, typer.Option(help="questions.jsonl of a release, or an MSR machine-format questions file")],
    out: Out = DEFAULT_OUT,
    tagger: Annotated[str, typer.Option(help="'builtin', or an installed spaCy pipeline")] = "builtin",
    workers: Workers = 2,
) -> None:
    """Rank the books of a folder by their vocabulary's likeness to a question set (Argouarc'h 2018, section 2).

    Example: cloze-gen corpus rank books/ --reference reference/questions.jsonl
    """
    from cloze_gen.commands.rank import rank_books

    for line in rank_books(folder, reference=reference, out=out, tagger=tagger, workers=workers):
        show(line)

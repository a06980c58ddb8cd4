"""`cloze-gen corpus verify`: a folder of books beside the checksums of a manifest."""

from __future__ import annotations

from pathlib import Path

import typer

from cloze_gen.adapters.terminal import show
from cloze_gen.store.corpus import verify_corpus
from cloze_gen.store.corpus_manifest import manifest_rows


def verify(folder: Path, manifest: Path, *, role: str | None) -> None:
    """Tell every file that is not as listed, and how many are.

    Args:
        role: look at the files of this role alone.
    Raises:
        typer.Exit: a file is not as listed.
    """
    findings = verify_corpus(folder, manifest, role=role)
    for file, finding in findings:
        show(f"{file}: {finding}")
    total = len(manifest_rows(manifest, role=role))
    show(f"{total - len(findings)} of {total} files agree with {manifest.name}")
    if findings:
        raise typer.Exit(1)

"""What a release says of itself, gathered from the artifacts of a finished run."""

from __future__ import annotations

import importlib.metadata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cloze_gen import __version__
from cloze_gen.records.release_facts import RELEASE_FORMAT, ReleasedBook, ReleaseFacts
from cloze_gen.stages.corpus.book_table import read_books
from cloze_gen.stages.finished_run import FinishedRun
from cloze_gen.stages.release.signature import canary_of
from cloze_gen.stages.style import Style
from cloze_gen.store.artifacts import Artifact

KEPT = "kept"
SAMPLE_LICENCE = "CC0-1.0"  # of the embedded books: corpora/LICENSE
_LIBRARIES = ("numpy", "pyarrow", "spacy", "matplotlib")  # whose versions can change bytes of a release
_COLUMNS = ("title", "author", "year", "etext", "genre", "role", "license")


def release_facts(
    style: Style,
    run: FinishedRun,
    *,
    signature: str,
    settings: Mapping[str, Any],
    sample: bool,
    wanted: int,
    notes: Sequence[str],
    overrides: Sequence[str],
) -> ReleaseFacts:
    """Everything that is known when a run ends; what an evaluation finds is added later.

    Args:
        settings: of the run, as values of JSON.
        wanted: items asked for.
        notes: what a user of the set must know.
        overrides: `group.key = value` of what the user set.
    """
    release, published = run.published.release, run.published
    return ReleaseFacts(
        format_version=RELEASE_FORMAT,
        version=__version__,
        name=published.name,
        style=style.name,
        title=style.title,
        paper=style.paper,
        reference=style.reference,
        seed=published.seed,
        signature=signature,
        canary=canary_of(signature),
        order=style.order(run.settings),
        text="full",
        sample=sample,
        settings=settings,
        overrides=tuple(overrides),
        noun=style.items.noun,
        n_items=sum(map(style.items.counts, published.items)),
        n_wanted=wanted,
        books=tuple(
            replace(book, license=book.license or SAMPLE_LICENCE) if sample else book
            for book in released_books(style, run.artifacts, Counter(item.book_id for item in published.items))
        ),
        notes=tuple(notes),
        creator=release.creators,
        date=release.date,
        url=release.url,
        judged=style.judged({label: artifact.facts for label, artifact in run.artifacts.items()}),
        versions={name: importlib.metadata.version(name) for name in _LIBRARIES},
    )


def released_books(style: Style, artifacts: Mapping[str, Artifact], counts: Mapping[str, int]) -> Iterator[ReleasedBook]:
    """Every book that was given, side by side; where one folder serves both sides, once.

    Args:
        counts: book -> items drawn from it.
    """
    last, drawn_from = style.last_books(artifacts), artifacts[f"ingest {style.drawn_from}"].folder.resolve()
    for side in style.sides:
        ingest = artifacts[f"ingest {side}"]
        if side != style.drawn_from and ingest.folder.resolve() == drawn_from:
            continue
        found = {row["book_id"]: row for row in read_books(artifacts[last[side]])}
        for row in read_books(ingest):
            final = found.get(row["book_id"], row)
            yield ReleasedBook(
                side=side,
                book_id=row["book_id"],
                file=row["file"],
                sha256=row["digest"],
                status=KEPT if final["status"] == KEPT else final["reason"] or final["status"],
                items=counts.get(row["book_id"], 0) if side == style.drawn_from else 0,
                **{name: row.get(name, "") for name in _COLUMNS},
            )

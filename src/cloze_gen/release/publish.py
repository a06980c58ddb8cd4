"""The data of a finished run's release; its documents follow in `write_report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.corpus.location import Location
from cloze_gen.records.rejection import FunnelStep
from cloze_gen.release.books import BooksFound, OpenedBooks
from cloze_gen.release.facts import ReleaseRecord, record_text, release_facts
from cloze_gen.release.pointers import write_pointers
from cloze_gen.release.signature import canary_of
from cloze_gen.release.style import FinishedRun, PublishedSet, Style
from cloze_gen.release.write import full_settings, released_set, write_data, write_text_files
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.runs import FULL, RELEASE, RELEASE_FILE
from cloze_gen.store.tables import read_jsonl


@dataclass(frozen=True, slots=True, kw_only=True)
class RunToPublish:
    """A finished run.

    Attributes:
        settings: settings of the style; groups are attributes.
        json_settings: the same as JSON values, without the user's folders.
        last: label of the stage with the items.
        overrides: the user's `group.key=value`, without `release.text`.
    """

    name: str
    seed: int
    settings: Any
    json_settings: Mapping[str, Any]
    artifacts: Mapping[str, Artifact]
    last: str
    books: Location
    sample: bool
    signature: str
    notes: Sequence[str]
    steps: Sequence[FunnelStep]
    overrides: Sequence[str]


def publish(folder: Path, style: Style, run: RunToPublish) -> None:
    """Write the data to `folder`/`release`, or with pointers to `full` and `release`."""
    finished = run.artifacts[run.last]
    published = _published(style, run, finished)
    whole = FinishedRun(published=published, settings=run.settings, artifacts=run.artifacts)
    facts = release_facts(
        style, whole, signature=run.signature, settings=full_settings(run.json_settings), sample=run.sample, wanted=int(finished.facts["wanted"]),
        notes=run.notes, overrides=run.overrides,
    )  # fmt: skip
    taken = style.store_files(whole)
    record = ReleaseRecord(
        facts=facts,
        steps=tuple(run.steps),
        tables=tuple(style.card_tables(whole)),
        derived=tuple(published.derived),
        taken=tuple(taken),
    )
    is_full = run.settings.release.text == "full"
    full = folder / (RELEASE if is_full else FULL)
    full.mkdir()
    write_data(full, style=style, published=published, facts=facts)
    write_text_files(full, {**taken, RELEASE_FILE: record_text(record)})
    if not is_full:
        (folder / RELEASE).mkdir()
        opened = OpenedBooks.from_found(
            BooksFound.below(run.books, run.settings.input), facts.books
        )
        write_pointers(
            folder / RELEASE,
            kind=style.items,
            published=published,
            taken=record.taken,
            full=full,
            text_of=opened.text_of,
        )


def _published(style: Style, run: RunToPublish, finished: Artifact) -> PublishedSet:
    kind = style.items
    last = PublishedSet(
        name=run.name,
        items=kind.read(finished.folder),
        seed=run.seed,
        release=run.settings.release,
        derived={
            file: list(read_jsonl(finished.path(file))) for file in style.extra_files(finished)
        },
    )
    records = list(read_jsonl(finished.path(kind.file)))
    return released_set(last, kind, records=records, canary=canary_of(run.signature))

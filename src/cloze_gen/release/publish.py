"""The data of a finished run's release; its documents follow in `write_report`."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.records.rejection import funnel_steps
from cloze_gen.release.books import BooksFound, OpenedBooks
from cloze_gen.release.facts import ReleaseRecord, record_text, release_facts
from cloze_gen.release.notes import set_notes
from cloze_gen.release.pointers import write_pointers
from cloze_gen.release.settings import public_settings
from cloze_gen.release.signature import canary_of, items_digest, make_signature
from cloze_gen.release.style import FinishedRun, PublishedSet, Style, facts_of, fingerprints_of
from cloze_gen.release.write import full_settings, released_set, write_data, write_text_files
from cloze_gen.store.runs import FULL, RELEASE, RELEASE_FILE
from cloze_gen.store.tables import read_jsonl


def publish(folder: Path, style: Style, run: FinishedRun) -> None:
    """Write the data to `folder`/`release`, or with pointers to `full` and `release`."""
    artifacts, kind = run.artifacts, style.items
    finished = artifacts[style.last]
    items = kind.read(finished.folder)
    records = list(read_jsonl(finished.path(kind.file)))
    released = (
        kind.released(item, dict(record)) for item, record in zip(items, records, strict=True)
    )
    signature = _signature(style, run, items_digest(released))
    extra = {
        file: list(read_jsonl(path))
        for file in style.extra_files
        if (path := finished.folder / file).exists()
    }
    published = released_set(
        PublishedSet(
            name=run.name,
            items=items,
            seed=run.seed,
            release=run.settings.release,
            derived={file: some for file, some in extra.items() if some},
        ),
        kind,
        records=records,
        canary=canary_of(signature),
    )
    settings = full_settings(public_settings(run.settings.model_dump(mode="json")))
    facts = release_facts(
        style,
        run,
        published,
        signature=signature,
        settings=settings,
        notes=set_notes(style, run.settings, artifacts),
    )
    taken = {file: text_of(artifacts) for file, text_of in style.store_files.items()}
    record = ReleaseRecord(
        facts=facts,
        steps=tuple(funnel_steps((label, one.manifest) for label, one in artifacts.items())),
        tables=tuple(style.card_tables(artifacts)),
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
            BooksFound.below(run.books, run.store, run.settings.input), facts.books
        )
        write_pointers(
            folder / RELEASE,
            kind=kind,
            published=published,
            taken=record.taken,
            full=full,
            text_of=opened.text_of,
        )


def _signature(style: Style, run: FinishedRun, items: str) -> str:
    prints = fingerprints_of(run.artifacts)
    judged = style.judged(facts_of(run.artifacts))
    by_people = judged.partition(" ")[0] not in {"machine", "none"}
    return make_signature(
        style=style.name.removesuffix("-style"),
        name=run.name,
        sides={side: prints[f"corpus {side}"][:8] for side in style.sides},
        model=style.model(run.settings, prints),
        seed=run.seed,
        n=int(run.artifacts[style.last].funnel["kept"]),
        order=style.order(run.settings),
        last=(style.last, prints[style.last]),
        items=items,
        people={"judged": judged} if by_people else {},
    )

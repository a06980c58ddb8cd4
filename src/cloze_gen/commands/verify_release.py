"""`cloze-gen verify`: a release beside its checksums, its items, the user's own books and, with --deep, beside a run of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from cloze_gen import __version__
from cloze_gen.commands.fill import check_filled
from cloze_gen.commands.run_again import run_again
from cloze_gen.commands.strangers import read_of_strangers
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.notation import shown
from cloze_gen.pipelines.styles import find_style
from cloze_gen.stages.release.books import BooksFound, OpenedBooks
from cloze_gen.stages.release.checks import (
    Check,
    check_books,
    check_derived,
    check_documents,
    check_fewshot,
    check_files,
    check_items,
    check_signature,
)
from cloze_gen.stages.release.documents import document_texts
from cloze_gen.stages.release.facts import ReleaseRecord, read_record
from cloze_gen.stages.release.filling import fill_release
from cloze_gen.stages.release.pointer_files import POINTERS, pointers_file
from cloze_gen.stages.release.write import read_published, write_data
from cloze_gen.stages.style import Style
from cloze_gen.store.corpus_folder import check_folder


def verify_release(release: Path, *, books: Path | None, deep: bool, workers: int) -> Iterator[Check]:
    """The checks of a release, one after the other; of a release of pointers, with `books`, also those of the full one.

    Args:
        deep: make the set again from the books and compare its files.
    Raises:
        UsageError: no release, a book that is needed is not there, or `deep` without books of a set that is not the sample's.
        FormatError: `release.json` or the items cannot be read at all.
    """
    check_folder(release, "Give the folder of a release, e.g. artifacts/runs/NAME/release.")
    record = read_record(release)
    style, facts = find_style(record.facts.style), record.facts
    if deep and books is None and not facts.sample:
        raise UsageError("--deep makes the set again, and so needs the books it was made of: give --books DIR.")
    if facts.version != __version__:
        say(f"verify: made by cloze-gen {shown(facts.version)}, checked by {__version__}; what it writes otherwise is a difference")
    yield check_files(release)
    yield check_signature(release, record)
    of_pointers = facts.text == "pointers"
    needed = [POINTERS, *map(pointers_file, record.beside)] if of_pointers else [style.items.file, *record.beside]
    missing = [file for file in needed if not (release / file).is_file()]
    if missing:
        yield Check("items", "cannot be looked at", tuple(f"{file}: missing" for file in missing))
        return
    found = None if books is None else BooksFound.below(books)
    opened = None if found is None else OpenedBooks.of_those(found, facts.item_books).with_all(facts.item_books)
    with tempfile.TemporaryDirectory(prefix="cloze-gen-verify-") as place:
        full = release
        if of_pointers:
            if opened is None:
                yield _count_of_pointers(release, record)
                return
            full = Path(place) / "full"
            full.mkdir()
            with read_of_strangers(release):
                other = fill_release(release, full, style=style, record=record, text_of=opened.text_of)
            check_filled(other, record)
            yield Check("fill", f"{len(record.full):,} files of the full release come out", tuple(f"{name}: other bytes" for name in other))
            record = read_record(full)
        with read_of_strangers(release):
            yield from _of_full(full, Path(place) / "again", style, record, opened)
        if deep:
            yield run_again(full, record, style, found, Path(place) / "run", workers=workers)


def _count_of_pointers(release: Path, record: ReleaseRecord) -> Check:
    lines, facts = (release / POINTERS).read_bytes().count(b"\n"), record.facts
    wrong = () if lines >= facts.n_items else (f"{POINTERS}: {lines:,} lines for {facts.n_items:,} {facts.noun}s",)
    return Check("pointers", f"{lines:,} records; --books DIR gives the text back and checks it", wrong)


def _of_full(release: Path, again: Path, style: Style, record: ReleaseRecord, opened: OpenedBooks | None) -> Iterator[Check]:
    published = read_published(release, style=style, record=record)
    yield check_items(style.items, published, record)
    if published.examples:
        yield check_fewshot(style.items, published)
    again.mkdir()
    write_data(again, style=style, published=published, facts=record.facts)
    yield check_derived(release, again)
    yield check_documents(release, document_texts(release, style=style, published=published, record=record))
    if opened is not None:
        yield check_books(style.items, [*published.records, *published.examples], opened.text_of)
    else:
        say("verify: the books themselves were not asked; --books DIR compares every sentence with your own copies")

"""`cloze-gen verify`: a release beside its checksums, its items, the user's own books and, with --deep, beside a run of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from cloze_gen import __version__
from cloze_gen.commands.fill import check_filled
from cloze_gen.commands.run_again import check_can_run_again, run_again
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.notation import shown
from cloze_gen.pipelines.styles import find_style
from cloze_gen.stages.release.books import BooksFound, OpenedBooks
from cloze_gen.stages.release.checks import (
    Check,
    check_beside,
    check_books,
    check_derived,
    check_documents,
    check_fewshot,
    check_files,
    check_items,
    check_others,
    check_signature,
)
from cloze_gen.stages.release.documents import document_texts
from cloze_gen.stages.release.filling import fill_release
from cloze_gen.stages.release.folder import ReleaseFolder, check_names, untrusted_input
from cloze_gen.stages.release.pointer_documents import pointer_document_texts
from cloze_gen.stages.release.pointer_files import POINTERS, pointers_file
from cloze_gen.stages.release.signature import SIGNATURE
from cloze_gen.stages.release.write import read_published, write_data
from cloze_gen.stages.style import Style
from cloze_gen.stages.tables import FEWSHOT
from cloze_gen.store.corpus_folder import check_folder
from cloze_gen.store.runs import RELEASE_FILE


def verify_release(folder: Path, *, books: Path | None, deep: bool, workers: int) -> Iterator[Check]:
    """The checks of a release, one after the other; of a release of pointers, with `books`, also those of the full one.

    Args:
        folder: of the release. Anybody may have made it (`stages.release.folder`).
        deep: make the set again from the books and compare its files.
    Raises:
        UsageError: no release, a book that is needed is not there, or `deep` without books of a set that is not the sample's, or of one
            that would open a file or take more than a verification may.
        FormatError: `release.json` or the items cannot be read at all, or the folder holds what no release does.
    """
    check_folder(folder, "Give the folder of a release, e.g. artifacts/runs/NAME/release.")
    with untrusted_input(folder):
        yield from _checks(ReleaseFolder.open(folder), books=books, deep=deep, workers=workers)


def _checks(release: ReleaseFolder, *, books: Path | None, deep: bool, workers: int) -> Iterator[Check]:
    record, facts = release.record, release.record.facts
    style = find_style(facts.style)
    check_names(record, style, where=release.folder)
    if deep and books is None and not facts.sample:
        raise UsageError("--deep makes the set again, and so needs the books it was made of: give --books DIR.")
    found = None if books is None else BooksFound.below(books)
    if deep:
        check_can_run_again(facts, style, found)
    if facts.version != __version__:
        say(f"verify: made by cloze-gen {shown(facts.version)}, checked by {__version__}; what it writes otherwise is a difference")
    yield check_files(release)
    yield check_signature(release)
    of_pointers = facts.text == "pointers"
    needed = [POINTERS, *map(pointers_file, record.beside)] if of_pointers else [style.items.file, *record.beside]
    unfit = [f"{file}: {fault}" for file in needed if (fault := release.fault(file))]
    if unfit:
        yield Check("items", "cannot be looked at", tuple(unfit))
        return
    opened = None if found is None else OpenedBooks.of_those(found, facts.item_books).with_all(facts.item_books)
    with tempfile.TemporaryDirectory(prefix="cloze-gen-verify-") as place:
        full = release
        if of_pointers:
            texts = pointer_document_texts(release.read(POINTERS), record=record)
            yield check_documents(release, texts)
            yield check_others(release, [*needed, SIGNATURE, RELEASE_FILE, *texts])
            if opened is None:
                yield _count_of_pointers(release)
                return
            release.check_whole()
            filled = Path(place) / "full"
            filled.mkdir()
            other = fill_release(release, filled, style=style, text_of=opened.text_of)
            check_filled(other, record)
            yield Check("fill", f"{len(record.full):,} files of the full release come out", tuple(f"{name}: other bytes" for name in other))
            full = ReleaseFolder.open(filled)
        yield from _of_full(full, Path(place) / "again", style, opened)
        if deep:
            yield run_again(full, style, found, Path(place) / "run", workers=workers)


def _count_of_pointers(release: ReleaseFolder) -> Check:
    lines, facts = release.read(POINTERS).count(b"\n"), release.record.facts
    wrong = () if lines >= facts.n_items else (f"{POINTERS}: {lines:,} lines for {facts.n_items:,} {facts.noun}s",)
    return Check("pointers", f"{lines:,} records; --books DIR gives the text back and checks it", wrong)


def _of_full(release: ReleaseFolder, again: Path, style: Style, opened: OpenedBooks | None) -> Iterator[Check]:
    record = release.record
    published = read_published(release.read, style=style, record=record)
    yield check_items(style.items, published, record)
    if published.examples:
        yield check_fewshot(style.items, published)
    again.mkdir()
    write_data(again, style=style, published=published, facts=record.facts)
    derived = [path.relative_to(again).as_posix() for path in sorted(again.rglob("*")) if path.is_file()]
    yield check_derived(release, again)
    for file in record.taken:  # the card lists them
        (again / file).parent.mkdir(parents=True, exist_ok=True)
        (again / file).touch()
    texts = document_texts(again, style=style, published=published, record=record)
    yield check_documents(release, texts)
    if set(published.beside) - {FEWSHOT}:
        yield check_beside(style.items, published)
    yield check_others(release, [*derived, RELEASE_FILE, *texts])
    if opened is not None:
        yield check_books(style.items, [*published.records, *published.examples], opened.text_of)
    else:
        say("verify: the books themselves were not asked; --books DIR compares every sentence with your own copies")

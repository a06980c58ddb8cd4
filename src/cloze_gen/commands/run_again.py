"""A set made again from what its release says of itself, and compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen.commands.run import carry_out, make_task
from cloze_gen.commands.settings import toml_of
from cloze_gen.errors import UsageError
from cloze_gen.notation import shown
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.stages.release.books import BooksFound, OpenedBooks
from cloze_gen.stages.release.checks import Check
from cloze_gen.stages.release.checksums import checksums_of
from cloze_gen.stages.release.documents import DOCUMENTS
from cloze_gen.stages.release.facts import ReleaseRecord
from cloze_gen.stages.style import Style
from cloze_gen.store.corpus_manifest import MANIFEST_NAME
from cloze_gen.store.runs import released_folder
from cloze_gen.store.tables import unescape_cell, write_tsv

_COLUMNS = ("file", "book_id", "title", "author", "genre", "year", "etext", "license", "role")


def run_again(release: Path, record: ReleaseRecord, style: Style, found: BooksFound | None, place: Path, *, workers: int) -> Check:
    """Make the set anew in `place`, with nothing that any store holds, and compare every file but the documents.

    Args:
        found: all books of both sides, among others; None: the embedded sample serves.
    Raises:
        UsageError: a book is missing.
        ClozeGenError: the run fails.
    """
    facts = record.facts
    config = place / "settings.toml"
    place.mkdir()
    config.write_text(toml_of(style.name, facts.settings), encoding="utf-8")
    sides = {} if found is None else laid_out(found, facts.books, place)
    foreign = sorted(sides.keys() - set(style.sides))
    if foreign:
        raise UsageError(f"release.json: {style.name} reads no side {shown(foreign[0])}.")
    task = make_task(
        config=str(config),
        name=facts.name,
        out=place / "out",
        workers=workers,
        seed=facts.seed,
        overrides=[],
        train=sides.get("train", ""),
        source=sides.get("source", ""),
        books=sides.get("books", ""),
    )
    carry_out(task)
    again, expected = checksums_of(released_folder(task.folder)), checksums_of(release)
    files = sorted(name for name in again.keys() | expected.keys() if name not in DOCUMENTS)
    wrong = tuple(f"{name}: other bytes than when the set is made again" for name in files if again.get(name) != expected.get(name))
    return Check("again", f"{len(files):,} files come out of a run on {len(facts.books):,} books", wrong)


def laid_out(found: BooksFound, books: Sequence[ReleasedBook], place: Path) -> dict[str, str]:
    """side -> a folder of links to the user's copies, under the names that the release tells, with a manifest of what it tells of them.

    Raises:
        UsageError: a book is missing, or two of one side bear one name.
    """
    sides: dict[str, str] = {}
    for side in dict.fromkeys(book.side for book in books):
        own = [book for book in books if book.side == side]
        opened, folder = OpenedBooks.of_those(found, own).with_all(own), place / "books" / side
        for book in own:
            path = folder / unescape_cell(book.file)
            if path.is_symlink() or not path.resolve().is_relative_to(folder.resolve()):
                raise UsageError(f"release.json: {shown(book.file)} is no name of its own for a file of the side {side}.")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(opened.files[book.book_id][0].resolve())
        rows = [[unescape_cell(getattr(book, name)) for name in _COLUMNS] for book in own]
        told = [number for number, name in enumerate(_COLUMNS) if name in {"file", "book_id"} or any(row[number] for row in rows)]
        try:
            write_tsv(folder / MANIFEST_NAME, [_COLUMNS[number] for number in told], ([row[number] for number in told] for row in rows))
        except ValueError as error:
            raise UsageError(f"release.json: what it tells of a book does not go into a manifest ({error}).") from None
        sides[side] = str(folder)
    return sides

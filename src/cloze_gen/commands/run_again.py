"""A set made again from what its release says of itself, and compared with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cloze_gen.commands.run import carry_out, make_task
from cloze_gen.commands.settings import toml_of
from cloze_gen.errors import UsageError
from cloze_gen.notation import named
from cloze_gen.records.release_facts import ReleasedBook
from cloze_gen.stages.release.checks import Check
from cloze_gen.stages.release.checksums import checksums_of
from cloze_gen.stages.release.facts import ReleaseRecord
from cloze_gen.stages.release.papers import PAPERS
from cloze_gen.stages.style import Style
from cloze_gen.store.corpus import BookFile, book_digest
from cloze_gen.store.corpus_folder import look_through
from cloze_gen.store.corpus_manifest import MANIFEST_NAME
from cloze_gen.store.runs import released_folder
from cloze_gen.store.tables import unescape_cell, write_tsv

_COLUMNS = ("file", "book_id", "title", "author", "genre", "year", "etext", "license", "role")


def run_again(release: Path, record: ReleaseRecord, style: Style, books: Path | None, place: Path, *, workers: int) -> Check:
    """Make the set anew in `place`, with nothing that any store holds, and compare every file but the papers.

    Args:
        books: a folder with all books of both sides; None: the embedded sample.
    Raises:
        UsageError: a book is missing.
        ClozeGenError: the run fails.
    """
    facts = record.facts
    config = place / "settings.toml"
    place.mkdir()
    config.write_text(toml_of(style.name, facts.settings), encoding="utf-8")
    sides = {} if books is None else laid_out(books, facts.books, place)
    task = make_task(
        config=str(config),
        name=facts.name,
        out=place / "out",
        workers=workers,
        seed=facts.seed or 0,
        overrides=[],
        train=sides.get("train", ""),
        source=sides.get("source", ""),
        books=sides.get("books", ""),
    )
    carry_out(task)
    found, expected = checksums_of(released_folder(task.folder)), checksums_of(release)
    files = sorted(name for name in found.keys() | expected.keys() if name not in PAPERS)
    wrong = tuple(f"{name}: other bytes than when the set is made again" for name in files if found.get(name) != expected.get(name))
    return Check("again", f"{len(files):,} files come out of a run on {len(facts.books):,} books", wrong)


def laid_out(root: Path, books: Iterable[ReleasedBook], place: Path) -> dict[str, str]:
    """side -> a folder of links to the user's copies, under the names that the release tells, with a manifest of what it tells of them.

    Raises:
        UsageError: a book is missing, or its name would lead out of the folder.
    """
    found = {book_digest(BookFile(root, file, "")): root / file for file in sorted(look_through(root).books, reverse=True)}
    books = [*books]
    missing = [f"{book.file} (sha256 {book.sha256[:12]}...)" for book in books if book.sha256 not in found]
    if missing:
        raise UsageError(f"{root}: lacks, by their bytes, {named(missing)}. --deep needs every book that the set was made with.")
    for book in books:
        name = unescape_cell(book.file)
        if name.startswith("/") or ".." in name.split("/") or not name:
            raise UsageError(f"release.json: {book.file!r} is no name of a file in a folder of books.")
        path = place / "books" / book.side / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(found[book.sha256].resolve())
    sides = {side: place / "books" / side for side in dict.fromkeys(book.side for book in books)}
    for side, folder in sides.items():
        rows = [[getattr(book, name) for name in _COLUMNS] for book in books if book.side == side]
        told = [number for number, name in enumerate(_COLUMNS) if name in {"file", "book_id"} or any(row[number] for row in rows)]
        write_tsv(folder / MANIFEST_NAME, [_COLUMNS[number] for number in told], ([row[number] for number in told] for row in rows))
    return {side: str(folder) for side, folder in sides.items()}

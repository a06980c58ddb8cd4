"""A set made again from what its release says of itself, and compared with it.

Anybody may have written the settings in a release. So `--deep` opens no file that they name, and refuses what would take more memory or
time than a verification may.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel

from cloze_gen.commands.run import carry_out, make_task
from cloze_gen.commands.settings import toml_of
from cloze_gen.config import parse_settings
from cloze_gen.errors import UsageError
from cloze_gen.notation import named, shown
from cloze_gen.records.release_facts import ReleasedBook, ReleaseFacts
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.release.books import BooksFound, OpenedBooks
from cloze_gen.stages.release.checks import Check
from cloze_gen.stages.release.checksums import checksums_of
from cloze_gen.stages.release.documents import DOCUMENTS
from cloze_gen.stages.release.folder import ReleaseFolder
from cloze_gen.stages.style import Style
from cloze_gen.store.corpus_manifest import MANIFEST_NAME
from cloze_gen.store.runs import RELEASE_FILE, released_folder
from cloze_gen.store.tables import unescape_cell, write_tsv

MOST_MEMORY = 16 << 30  # of one group of settings, estimated
MOST_WORK = 50  # times that of the default settings
_NO_FILES = {"", "builtin", "none"}  # values of a setting that names a file, and mean none
_NO_WORK = ("min_", "n_")  # how settings begin that ask for no more work than there are books
_SAMPLE_BYTES, _BYTES_A_WORD = 1 << 20, 5
_UNPACKED = 3  # books may be packed
_COLUMNS = ("file", "book_id", "title", "author", "genre", "year", "etext", "license", "role")


def check_can_run_again(facts: ReleaseFacts, style: Style, found: BooksFound | None) -> None:
    """Whether `--deep` may make this set.

    Memory is estimated for each group of settings from the settings and the size of the books (`SettingsGroup.memory_bytes`). Time is
    compared with that of the style's default settings on the same books: as many times longer as the numbers of a group are larger than
    their defaults, multiplied.

    Args:
        found: the user's books; None: the embedded sample serves.
    Raises:
        UsageError: a setting names a file, or its group takes too much.
        ConfigError: the settings are not those of the style.
    """
    settings = parse_settings(style.settings, toml_of(style.name, facts.settings), where=RELEASE_FILE)
    files = [f"{setting} = {shown(value)}" for setting, value in _files_named(settings)]
    if files:
        raise _refused(f"{named(files)}: --deep opens no file that a release names", "if you have the file, make the set")
    text_bytes = _SAMPLE_BYTES if found is None else sum(path.stat().st_size for path in found.files.values())
    words = text_bytes * _UNPACKED // _BYTES_A_WORD
    for name, group in settings:
        memory, work = group.memory_bytes(words), _work_factor(group, style.settings.model_fields[name].default)
        if memory > MOST_MEMORY:
            what = f"[{name}] takes some {memory / 2**30:,.0f} GiB of memory on these books; --deep takes {MOST_MEMORY >> 30} GiB at most"
            raise _refused(what, "make the set on a larger machine")
        if work > MOST_WORK:
            what = f"[{name}] takes up to {work:,.0f} times as long as the default settings; --deep takes {MOST_WORK} times at most"
            raise _refused(what, "make the set")


def _refused(what: str, instead: str) -> UsageError:
    return UsageError(f"{RELEASE_FILE}: {what}. Leave --deep out; or {instead} with `cloze-gen run` and compare the two releases.")


def _files_named(settings: BaseModel) -> Iterator[tuple[str, str]]:
    """(setting, value) of each free text that is neither a default nor one of `_NO_FILES`: it names a file or a model."""
    for name, group in settings:
        if name == "release":  # names of people and addresses, which nothing opens
            continue
        default = type(settings).model_fields[name].default
        for key, field in type(group).model_fields.items():
            if field.annotation in {str, tuple[str, ...]} and not any(hasattr(rule, "pattern") for rule in field.metadata):
                own = _texts(getattr(default, key))
                yield from ((f"{name}.{key}", one) for one in _texts(getattr(group, key)) if one not in {*own, *_NO_FILES})


def _texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _work_factor(group: SettingsGroup, default: SettingsGroup) -> float:
    """How many times more work a group of settings asks for than its defaults, at most."""
    factor = 1.0
    for key, value in group:
        if isinstance(value, int | float) and not isinstance(value, bool) and not key.startswith(_NO_WORK):
            factor *= max(1.0, value / max(1.0, getattr(default, key)))
    return factor


def run_again(release: ReleaseFolder, style: Style, found: BooksFound | None, place: Path, *, workers: int) -> Check:
    """Make the set anew in `place`, with nothing that any store holds, and compare every file but the documents.

    `check_can_run_again` has been called.

    Args:
        found: all books of both sides, among others; None: the embedded sample serves.
    Raises:
        UsageError: a book is missing.
        ClozeGenError: the run fails.
    """
    facts = release.record.facts
    config = place / "settings.toml"
    place.mkdir()
    config.write_text(toml_of(style.name, facts.settings), encoding="utf-8")
    sides = {} if found is None or facts.sample else laid_out(found, facts.books, place)  # the sample has a manifest of its own
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
    again = checksums_of(released_folder(task.folder))
    files = sorted(name for name in again.keys() | release.listed.keys() if name not in DOCUMENTS)
    wrong = tuple(f"{name}: other bytes than when the set is made again" for name in files if again.get(name) != release.digests.get(name))
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

"""`cloze-gen verify` and `fill`: check a release, and rebuild the text of a release of pointers.

Settings in a release are untrusted: `--deep` opens no file that they name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel

from cloze_gen import __version__
from cloze_gen.adapters.terminal import show
from cloze_gen.api.run import carry_out, make_task
from cloze_gen.cli.run import toml_of
from cloze_gen.config import parse_settings
from cloze_gen.corpus.collect import InputSettings
from cloze_gen.corpus.folder import Location, check_folder
from cloze_gen.corpus.manifest import MANIFEST_NAME
from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.inspect_tasks import INSPECT_TASK
from cloze_gen.parsing import name_list, quote
from cloze_gen.pipelines.styles import find_style
from cloze_gen.records.release_facts import ReleasedBook, ReleaseFacts
from cloze_gen.release.books import BooksFound, OpenedBooks
from cloze_gen.release.checks import (
    Check,
    check_books,
    check_derived,
    check_documents,
    check_extra_files,
    check_fewshot,
    check_files,
    check_items,
    check_others,
    check_signature,
)
from cloze_gen.release.documents import CARD, DOCUMENTS, card_text
from cloze_gen.release.facts import ReleaseRecord, read_record
from cloze_gen.release.folder import ReleaseFolder, check_names, untrusted_input
from cloze_gen.release.pointers import POINTERS, fill_release, pointer_card, pointers_file
from cloze_gen.release.signature import SIGNATURE, checksums_of
from cloze_gen.release.style import Style
from cloze_gen.release.write import HARNESS, read_published, write_data
from cloze_gen.store.artifacts import Store
from cloze_gen.store.locks import partial_folder, remove_stale_temp_dirs
from cloze_gen.store.runs import RELEASE_FILE, released_folder
from cloze_gen.store.tables import FEWSHOT, unescape_cell, write_tsv


def fill(folder: Path, *, books: str, settings: InputSettings, to: Path | None) -> str:
    """Write the full release of an untrusted release of pointers; returns the message.

    `to` is a new folder; default: the release's name with ``-full``.
    """
    check_folder(folder, "Give the folder of a release of pointers.")
    with untrusted_input(folder):
        return _fill(ReleaseFolder.open(folder), books, settings, to)


def _fill(release: ReleaseFolder, books: str, settings: InputSettings, to: Path | None) -> str:
    record, place = release.record, release.folder.resolve()
    if record.facts.text != "pointers":
        raise UsageError(
            f"{release.folder}: already contains its text (text = {record.facts.text}). There is "
            "nothing to fill."
        )
    target = to or place.parent / f"{place.name}-full"
    if target.exists() or target.is_symlink():
        raise UsageError(
            f"{target}: the folder exists. Nothing was written. Give a new folder to --to."
        )
    style = find_style(record.facts.style)
    check_names(record, style, where=release.folder)
    release.check_whole()
    remove_stale_temp_dirs(target.parent)
    with tempfile.TemporaryDirectory(prefix="cloze-gen-fill-") as scratch:
        found = _books_found(books, settings, record.facts, Path(scratch))
        opened = OpenedBooks.from_found(found, record.facts.item_books).require_all(
            record.facts.item_books
        )
        with partial_folder(target) as partial:
            other = fill_release(release, partial, style=style, text_of=opened.text_of)
            check_filled(other, record)
            partial.rename(target)
    if other:
        return f"{target}: written; {difference_text(other, record)}"
    return f"{target}: written; every data file is byte-identical to the original release"


def check_filled(other: Sequence[str], record: ReleaseRecord) -> None:
    """FormatError if data files differ; tasks and Parquet depend on versions."""
    wrong = [
        name for name in other if not (name.startswith(_TASKS) or name.endswith(_BY_LIBRARIES))
    ]
    if wrong:
        raise FormatError(
            f"The rebuilt files differ from the original release: {name_list(wrong)}. Nothing was "
            f"written. {_versions(record)}"
        )


def difference_text(other: Sequence[str], record: ReleaseRecord) -> str:
    return f"these files differ from the original release: {name_list(other)}. {_versions(record)}"


_BY_LIBRARIES = ".parquet"  # depends on the version of Arrow
_TASKS = (f"{HARNESS}/", INSPECT_TASK)


def _versions(record: ReleaseRecord) -> str:
    facts = record.facts
    made = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    return f"The release was made with cloze-gen {facts.version}, {made}; this is {__version__}."


def _books_found(
    place: str, settings: InputSettings, facts: ReleaseFacts, scratch: Path
) -> BooksFound:
    """The user's books; a column of text that the release names is used unless one is given."""
    column = facts.settings.get("input", {}).get("text_column", "")
    if not settings.text_column and isinstance(column, str):
        settings = InputSettings(text_column=column)
    return BooksFound.below(Location.parse(place), Store(scratch), settings)


# ---- `cloze-gen verify`

_NO_FILES = {"", "builtin", "none"}  # values of file settings that name no file
_COLUMNS = (
    "file",
    "member",
    "book_id",
    "title",
    "author",
    "genre",
    "year",
    "etext",
    "language",
    "license",
    "role",
)


def check_names_no_file(facts: ReleaseFacts, style: Style) -> None:
    """UsageError if a setting of the release names a file, which `--deep` would open."""
    settings = parse_settings(
        style.settings,
        {
            group: {key: value for key, value in values.items() if value is not None}
            for group, values in facts.settings.items()
        },
        where=RELEASE_FILE,
    )
    files = [f"{setting} = {quote(value)}" for setting, value in _files_named(settings)]
    if files:
        raise UsageError(
            f"{RELEASE_FILE}: {name_list(files)}: --deep does not open files that a release names. "
            "Leave --deep out, or, if you have the file, build the set with `cloze-gen run` and "
            "compare the two releases."
        )


def _files_named(settings: BaseModel) -> Iterator[tuple[str, str]]:
    """(setting, value) of free texts that may name a file or model: not a default or `_NO_FILES`."""
    for name, group in settings:
        if name in {"release", "input"}:  # names, addresses, columns; no file is opened
            continue
        default = type(settings).model_fields[name].default
        for key, field in type(group).model_fields.items():
            if field.annotation in {str, tuple[str, ...]} and not any(
                hasattr(rule, "pattern") for rule in field.metadata
            ):
                own = _texts(getattr(default, key))
                yield from (
                    (f"{name}.{key}", one)
                    for one in _texts(getattr(group, key))
                    if one not in {*own, *_NO_FILES}
                )


def _texts(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def rebuild(
    release: ReleaseFolder, style: Style, found: BooksFound | None, place: Path, *, workers: int
) -> Check:
    """Rebuild the set in `place` from an empty store, and compare all files except documents.

    Call `check_names_no_file` first; `found` None: the embedded sample.
    """
    facts = release.record.facts
    config = place / "settings.toml"
    place.mkdir()
    config.write_text(toml_of(style.name, facts.settings), encoding="utf-8")
    # The sample has its own manifest.
    sides = {} if found is None or facts.sample else arranged_books(found, facts.books, place)
    foreign = sorted(sides.keys() - set(style.sides))
    if foreign:
        raise UsageError(
            f"release.json: {style.name} has no side {quote(foreign[0])}, only "
            f"{', '.join(style.sides)}."
        )
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
    show(str(carry_out(task)))
    again = checksums_of(released_folder(task.folder))
    files = sorted(name for name in again.keys() | release.listed.keys() if name not in DOCUMENTS)
    wrong = tuple(
        f"{name}: differs from the rebuilt file"
        for name in files
        if again.get(name) != release.digests.get(name)
    )
    if wrong:
        cause = likely_cause(release.record, read_record(released_folder(task.folder)))
        wrong = (cause, *wrong)
    return Check(
        "again", f"{len(files):,} files rebuilt by a run on {len(facts.books):,} books", wrong
    )


def likely_cause(published: ReleaseRecord, rebuilt: ReleaseRecord) -> str:
    """The first stage with other counts, and the packages of other versions."""
    pairs = zip(published.steps, rebuilt.steps, strict=False)
    first = next((old.stage for old, new in pairs if old != new), None)
    stage = f"the first stage with other counts is {first}" if first else "all counts are equal"
    here = rebuilt.facts.versions
    packages = [
        f"{name} {version} (here {here.get(name, 'none')})"
        for name, version in published.facts.versions.items()
        if here.get(name) != version
    ]
    return f"{stage}; packages of other versions: {', '.join(packages) or 'none'}"


def arranged_books(found: BooksFound, books: Sequence[ReleasedBook], place: Path) -> dict[str, str]:
    """side -> folder of links to the user's books, named as in the release, with a manifest."""
    sides: dict[str, str] = {}
    for side in dict.fromkeys(book.side for book in books):
        own = [book for book in books if book.side == side and book.sha256]
        opened, folder = OpenedBooks.from_found(found, own).require_all(own), place / "books" / side
        linked: dict[Path, Path] = {}
        for book in own:
            path = folder / unescape_cell(book.file)
            users = opened.books[book.book_id].path.resolve()
            if book.member and linked.get(path) == users:
                continue
            if book.member and path in linked:
                raise UsageError(
                    f"{found.root}: the books of {quote(book.file)} are in several files here "
                    f"({quote(linked[path].name)} and {quote(users.name)}). `--deep` needs that file "
                    "as it was."
                )
            if path.is_symlink() or not path.resolve().is_relative_to(folder.resolve()):
                raise UsageError(
                    f"release.json: {quote(book.file)} is not a valid and unique file name of the "
                    f"side {side}."
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(users)
            linked[path] = users
        rows = [[unescape_cell(getattr(book, name)) for name in _COLUMNS] for book in own]
        columns = [
            number
            for number, name in enumerate(_COLUMNS)
            if name in {"file", "book_id"} or any(row[number] for row in rows)
        ]
        try:
            write_tsv(
                folder / MANIFEST_NAME,
                [_COLUMNS[number] for number in columns],
                ([row[number] for number in columns] for row in rows),
            )
        except ValueError as error:
            raise UsageError(
                f"release.json: a book's data cannot be written to a manifest ({error})."
            ) from None
        sides[side] = str(folder)
    return sides


def verify_release(
    folder: Path, *, books: str, settings: InputSettings, deep: bool, workers: int
) -> Iterator[Check]:
    """Check an untrusted release; with `books`, a release of pointers is also filled and checked.

    With `deep` the set is rebuilt from the books. UsageError if a book is missing, or if `deep` is
    impossible; FormatError if the items cannot be read.
    """
    check_folder(folder, "Give the folder of a release, e.g. artifacts/runs/NAME/release.")
    with (
        untrusted_input(folder),
        tempfile.TemporaryDirectory(prefix="cloze-gen-verify-") as scratch,
    ):
        place = Path(scratch)
        release = ReleaseFolder.open(folder)
        found = None
        if books:
            found = _books_found(books, settings, release.record.facts, place / "store")
        yield from _checks(release, found, place, deep=deep, workers=workers)


def _checks(
    release: ReleaseFolder, found: BooksFound | None, place: Path, *, deep: bool, workers: int
) -> Iterator[Check]:
    record, facts = release.record, release.record.facts
    style = find_style(facts.style)
    check_names(record, style, where=release.folder)
    if deep and found is None and not facts.sample:
        raise UsageError(
            "--deep rebuilds the set, so it needs the books. Give their folder: --books DIR."
        )
    if deep:
        check_names_no_file(facts, style)
    if facts.version != __version__:
        say(
            f"verify: made by cloze-gen {quote(facts.version)}, checked by {__version__}; changes "
            "between these versions appear as differences"
        )
    yield check_files(release)
    yield check_signature(release)
    of_pointers = facts.text == "pointers"
    needed = (
        [POINTERS, *map(pointers_file, record.derived)]
        if of_pointers
        else [style.items.file, *record.derived]
    )
    unfit = [f"{file}: {fault}" for file in needed if (fault := release.fault(file))]
    if unfit:
        yield Check("items", "not checked, because files cannot be read", tuple(unfit))
        return
    opened = (
        None
        if found is None
        else OpenedBooks.from_found(found, facts.item_books).require_all(facts.item_books)
    )
    full = release
    if of_pointers:
        yield check_documents(release, {CARD: pointer_card(style, record)})
        yield check_others(release, [*needed, SIGNATURE, RELEASE_FILE, CARD])
        if opened is None:
            yield _count_of_pointers(release)
            return
        release.check_whole()
        filled = place / "full"
        filled.mkdir()
        other = fill_release(release, filled, style=style, text_of=opened.text_of)
        check_filled(other, record)
        yield Check(
            "fill",
            "every data file of the full release rebuilt",
            tuple(f"{name}: differs from the original file" for name in other),
        )
        full = ReleaseFolder.open(filled)
    yield from _of_full(full, place / "again", style, opened)
    if deep:
        yield rebuild(full, style, found, place / "run", workers=workers)


def _count_of_pointers(release: ReleaseFolder) -> Check:
    lines, facts = release.read(POINTERS).count(b"\n"), release.record.facts
    wrong = (
        ()
        if lines >= facts.n_items
        else (f"{POINTERS}: {lines:,} lines for {facts.n_items:,} {facts.noun}s",)
    )
    return Check(
        "pointers", f"{lines:,} records; pass --books DIR to rebuild the text and check it", wrong
    )


def _of_full(
    release: ReleaseFolder, again: Path, style: Style, opened: OpenedBooks | None
) -> Iterator[Check]:
    record = release.record
    published = read_published(release.read, style=style, record=record)
    yield check_items(style.items, published, record)
    if published.examples:
        yield check_fewshot(style.items, published)
    again.mkdir()
    write_data(again, style=style, published=published, facts=record.facts)
    derived = [
        path.relative_to(again).as_posix() for path in sorted(again.rglob("*")) if path.is_file()
    ]
    yield check_derived(release, again)
    for file in (*record.taken, *(name for name in DOCUMENTS if name in release.digests)):
        (again / file).touch()  # the card lists the files that exist
    card = card_text(again, style=style, published=published, record=record)
    yield check_documents(release, {CARD: card})
    if set(published.derived) - {FEWSHOT}:
        yield check_extra_files(style.items, published)
    yield check_others(release, [*derived, RELEASE_FILE, CARD])
    if opened is not None:
        yield check_books(style.items, [*published.records, *published.examples], opened.text_of)
    else:
        say(
            "verify: sentences were not compared with the books; pass --books DIR with your copies "
            "to compare them"
        )

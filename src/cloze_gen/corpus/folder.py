"""Folders of books: what lies in them, and what a run may read."""

from __future__ import annotations

import functools
import glob
import os
import stat
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from cloze_gen.corpus.gutenberg_files import CATALOGS, is_catalog
from cloze_gen.corpus.manifest import MANIFEST_NAME
from cloze_gen.corpus.readers import IN_WORDS, ending_of
from cloze_gen.corpus.readers.reader import Skipped, skipped_lines
from cloze_gen.errors import UsageError
from cloze_gen.store.tables import escape_cell

_ZIP_IT = "zip the content of the folder and name the file .epub"
_XHTML = (
    "not a format of books; rename .xhtml to .html if each is a whole book, zip those of an EPUB"
)


@dataclass(frozen=True, slots=True)
class Location:
    """Where books are.

    Attributes:
        root: the folder, or the folder that a pattern begins with.
        pattern: the name of a file, else a glob as `Path.glob` reads it; empty: every file below.
    """

    root: Path
    pattern: str = ""

    @classmethod
    def parse(cls, text: str) -> Location:
        """The location that a user typed: a folder, a file, or a glob.

        >>> Location.parse("books/*/text-[0-9].parquet")
        Location(root=PosixPath('books'), pattern='*/text-[0-9].parquet')
        """
        path = Path(text)
        if path.is_dir():
            return cls(path)
        if os.path.lexists(path):
            return cls(path.parent, path.name)
        root, parts = Path(), list(path.parts)
        while parts and (os.path.lexists(root / parts[0]) or not glob.has_magic(parts[0])):
            root /= parts.pop(0)
        return cls(root, "/".join(parts))

    @property
    def path(self) -> Path:
        """What the user typed."""
        return self.root / self.pattern

    @property
    def is_file(self) -> bool:
        """Whether the pattern is the name of a file."""
        return bool(self.pattern) and os.path.lexists(self.path)

    def __str__(self) -> str:
        return str(self.path)


@dataclass(slots=True)
class FolderContents:
    """What a location contains."""

    books: list[str] = field(default_factory=list)
    catalogs: list[str] = field(default_factory=list)
    skipped: Skipped = field(default_factory=lambda: defaultdict(list))

    def add_file(self, file: str) -> None:
        name = file.rpartition("/")[2]
        is_hidden = name.startswith(".")
        if is_catalog(name):
            self.catalogs.append(file)
        elif ending_of(name) and is_hidden:
            self.skipped["hidden"].append(file)
        elif ending_of(name):
            self.books.append(file)
        elif file != MANIFEST_NAME and not is_hidden:
            is_xhtml = name.lower().endswith(".xhtml")
            self.skipped[_XHTML if is_xhtml else "not a format of books"].append(file)


def find_files(location: Location) -> FolderContents:
    """The files of a location. Links to files are followed, links to folders are not.

    Raises:
        UsageError: a folder cannot be read, or a pattern is wrong.
    """
    found = FolderContents()
    for file in _matches(location) if location.pattern else _walk(location.root, found):
        found.add_file(file)
    return found


def _walk(root: Path, found: FolderContents) -> Iterator[str]:
    for place, folders, names in os.walk(root, onerror=_refuse_unreadable):
        below = Path(place).relative_to(root)
        yield from ((below / name).as_posix() for name in names)
        entered = []
        for name in folders:
            why_not = _why_not_entered(root / below / name)
            if why_not:
                found.skipped[why_not].append((below / name).as_posix())
            else:
                entered.append(name)
        folders[:] = entered


def _matches(location: Location) -> Iterator[str]:
    """The files that a pattern matches, and the catalogues beside them."""
    root = location.root
    if location.is_file:
        if location.path.is_file():
            yield location.pattern
        return
    if any("**" in part and part != "**" for part in location.pattern.split("/")):
        raise UsageError(f"{location}: `**` is a whole folder name; use `**/*.txt`.")
    why_not = functools.cache(lambda folder: _why_not_entered(root / folder))
    beside = [str(Path(location.pattern).with_name(name)) for name in CATALOGS]
    for pattern in [location.pattern, *beside]:
        for path in root.glob(pattern):
            file = path.relative_to(root)
            if path.is_file() and not any(map(why_not, list(file.parents)[:-1])):
                yield file.as_posix()


def _why_not_entered(folder: Path) -> str:
    """Why the files of a folder are not read; empty if they are."""
    if folder.is_symlink():
        return "linked folder, not followed"
    if folder.name.startswith("."):
        return "hidden"
    if (folder / "store" / ".locks").is_dir():
        return "output folder of cloze-gen"
    return f"unpacked EPUB, {_ZIP_IT}" if _is_unpacked_epub(folder) else ""


def _is_unpacked_epub(folder: Path) -> bool:
    return (folder / "META-INF" / "container.xml").is_file()


def _refuse_unreadable(error: OSError) -> NoReturn:
    raise UsageError(
        f"{escape_cell(str(error.filename))}: this folder cannot be read ({error.strerror}), "
        "so its books would be missing. "
        "Make it readable, or move it out of the corpus."
    )


def check_folder(folder: Path, advice: str) -> None:
    """UsageError where `folder` is missing, a file, or cannot be opened."""
    try:
        if not stat.S_ISDIR(folder.stat().st_mode):
            raise UsageError(
                f"{folder}: a file, not a folder. Put it into its own folder and give "
                f"that. {advice}"
            )
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{folder}: no such file or folder. {advice}") from None
    except OSError as error:
        raise UsageError(f"{folder}: cannot be opened ({error.strerror}). {advice}") from None


def check_apart(out: Path, location: Location) -> None:
    """UsageError if a run would read its own files as books. Links are resolved."""
    folder = location.root
    real_out = Path(os.path.realpath(out))
    real = Path(os.path.realpath(folder))
    if real_out.is_relative_to(real) and not location.pattern:
        raise UsageError(
            f"the output folder {out} is inside the folder of books {folder}: the next run "
            "would read its own files as books. Give a folder outside of it with --out, or keep the "
            "books in a folder of their own."
        )
    for name in ("store", "runs"):
        if real.is_relative_to(real_out / name):
            raise UsageError(
                f"{folder}: is inside {out / name}, which holds the files of runs. Copy "
                "the books to a folder of their own."
            )


def check_exists(location: Location) -> None:
    advice = "Give a file of books, a folder of such files, or a pattern such as 'books/*.txt'."
    check_folder(location.root, advice)
    if _is_unpacked_epub(location.root):
        raise UsageError(f"{location}: an unpacked EPUB. To read it, {_ZIP_IT}.")


def nothing_found(location: Location, found: FolderContents) -> str:
    if location.is_file:
        what = "not a file of books"
    elif not location.pattern:
        what = "no file of books in this folder or below it"
    elif found.skipped:
        what = "no file of books matches"
    else:
        return f"{location}: no file matches. `*` does not search subfolders; use `**/*.txt`."
    skipped = "; ".join(skipped_lines(found.skipped))
    not_read = f" Not read: {skipped}." if skipped else ""
    return (
        f"{location}: {what}.{not_read} Books are files with the ending {IN_WORDS}. "
        "Save PDF or Word files as text or EPUB."
    )

"""Folders of books: what lies in them, and what a run may read."""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from cloze_gen.corpus.layouts import (
    is_catalog,
)
from cloze_gen.corpus.location import Location
from cloze_gen.corpus.manifest import (
    MANIFEST_NAME,
)
from cloze_gen.corpus.readers import ending_of, main_endings
from cloze_gen.corpus.readers.html import parts_of_pages
from cloze_gen.errors import UsageError
from cloze_gen.parsing import counted, name_list
from cloze_gen.store.tables import escape_cell

_ZIP_IT = "zip the content of the folder and name the file .epub"


@dataclass(slots=True)
class FolderContents:
    books: list[str] = field(default_factory=list)
    catalogs: list[str] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)  # suffix -> files
    hidden: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    unpacked: list[str] = field(default_factory=list)  # EPUBs
    page_parts: list[str] = field(default_factory=list)

    def add_file(self, file: str) -> None:
        name = file.rsplit("/", 1)[-1]
        book = ending_of(name) != ""
        if name.startswith("."):
            self.hidden += [file] if book else []
        elif is_catalog(name):
            self.catalogs.append(file)
        elif file != MANIFEST_NAME:
            if book:
                self.books.append(file)
            else:
                self.others[Path(name).suffix.lower()] += 1

    def enters(self, path: Path, folder: str) -> bool:
        if path.is_symlink():
            self.links.append(folder)
        elif folder.rsplit("/", 1)[-1].startswith("."):
            self.hidden.append(folder)
        elif (path / "store" / ".locks").is_dir():
            self.outputs.append(folder)
        elif is_unpacked_epub(path):
            self.unpacked.append(folder)
        else:
            return True
        return False

    def skipped(self) -> str:
        """The skipped entries, in words; empty without any."""
        parts = []
        if self.others:
            parts.append(
                f"{counted(self.others.total(), 'other file')} ({_kinds_text(self.others)})"
            )
        if self.hidden:
            parts.append(f"{len(self.hidden):,} hidden ({_named_paths(self.hidden)})")
        if self.links:
            parts.append(
                f"{counted(len(self.links), 'linked folder')}, not followed "
                f"({_named_paths(self.links)})"
            )
        if self.outputs:
            parts.append(
                f"{counted(len(self.outputs), 'output folder')} of cloze-gen "
                f"({_named_paths(self.outputs)})"
            )
        if self.page_parts:
            parts.append(
                f"{counted(len(self.page_parts), 'part')} of saved web pages "
                f"({_named_paths(self.page_parts)})"
            )
        if self.unpacked:
            parts.append(
                f"{counted(len(self.unpacked), 'unpacked EPUB')} ({_named_paths(self.unpacked)}); "
                f"{_ZIP_IT}"
            )
        return "; ".join(parts)


def _kinds_text(kinds: Counter[str]) -> str:
    """The most frequent endings first.

    >>> _kinds_text(Counter({".md": 2, "": 1}))
    '2 .md, 1 without an ending'
    """
    ranked = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    return name_list(
        [f"{count:,} {repr(suffix)[1:-1] or 'without an ending'}" for suffix, count in ranked]
    )


def _named_paths(paths: list[str]) -> str:
    return name_list([repr(path) for path in sorted(paths)])


def scan_folder(location: Location) -> FolderContents:
    found, root = FolderContents(), str(location.root)
    for place, folders, names in os.walk(root, onerror=refuse_unreadable):
        below = place[len(root) :].strip(os.sep)
        prefix = f"{below}/" if below else ""
        for file in (f"{prefix}{name}" for name in names):
            if location.matches(file) or (not location.is_file and is_catalog(file)):
                found.add_file(file)
        folders[:] = [
            name
            for name in folders
            if location.enters(f"{prefix}{name}")
            and found.enters(Path(place, name), f"{prefix}{name}")
        ]
    found.page_parts = sorted(parts_of_pages(found.books))
    found.books = [file for file in found.books if file not in found.page_parts]
    return found


def is_unpacked_epub(folder: Path) -> bool:
    return (folder / "META-INF" / "container.xml").is_file()


def refuse_unreadable(error: OSError) -> NoReturn:
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
        raise UsageError(f"{folder}: no such folder. {advice}") from None
    except OSError as error:
        raise UsageError(f"{folder}: cannot be opened ({error.strerror}). {advice}") from None


def check_apart(out: Path, location: Location) -> None:
    """UsageError if a run would read its own files as books. Links are resolved."""
    folder = location.root
    real_out, real = Path(os.path.realpath(out)), Path(os.path.realpath(folder))
    own_folders = ("store", "runs")
    if real_out.is_relative_to(real) and any(
        location.enters((real_out / own).relative_to(real).as_posix()) for own in own_folders
    ):
        elsewhere = os.path.relpath(
            real.parent / (real_out.name if real_out != real else "artifacts")
        )
        raise UsageError(
            f"the output folder {out} is inside the folder of books {folder}: the next run "
            "would read its own files as books. "
            f"Name another, such as --out {elsewhere}, or keep the books in a folder of their own."
        )
    for own in own_folders:
        if real.is_relative_to(real_out / own):
            raise UsageError(
                f"{folder}: is inside {out / own}, which holds the files of runs. Copy "
                "the books to a folder of their own."
            )


def check_exists(location: Location) -> None:
    advice = "Give a file of books, a folder of such files, or a pattern such as 'books/*.txt'."
    try:
        os.lstat(location.root)
    except (FileNotFoundError, NotADirectoryError):
        if not location.pattern:
            raise UsageError(f"{location}: no such file or folder. {advice}") from None
    except OSError as error:
        raise UsageError(f"{location}: cannot be opened ({error.strerror}). {advice}") from None
    check_folder(location.root, advice)
    if is_unpacked_epub(location.root):
        raise UsageError(f"{location}: an unpacked EPUB. To read it, {_ZIP_IT}.")


def nothing_found(location: Location, found: FolderContents) -> str:
    skipped = found.skipped()
    advice = f"Books are files with the ending {', '.join(main_endings())}."
    if found.others[".xhtml"]:
        advice += " Rename .xhtml files to .html if each is a whole book; zip those of an EPUB."
    if location.is_file:
        return f"{location}: not a file of books. {advice} Save PDF or Word files as text or EPUB."
    if not location.pattern:
        there = f" The folder has {skipped}." if skipped else ""
        return f"{location}: no file of books in this folder or below it.{there} {advice}"
    if skipped:
        return f"{location}: no file of books matches, only {skipped}. {advice}"
    return (
        f"{location}: no file matches. {_entries(location.root)} `*` does not search subfolders; "
        "use `**/*.txt`."
    )


def _entries(folder: Path) -> str:
    """What is in a folder, in a sentence."""
    with os.scandir(folder) as entries:
        there = sorted((one.name, one.is_dir()) for one in entries if one.name[0] != ".")
    folders = [repr(name) for name, is_folder in there if is_folder]
    kinds = Counter(Path(name).suffix for name, is_folder in there if not is_folder)
    parts = [
        *([f"{counted(len(folders), 'folder')} ({name_list(folders)})"] if folders else []),
        *([f"{counted(kinds.total(), 'file')} ({_kinds_text(kinds)})"] if kinds else []),
    ]
    return f"{folder} has {' and '.join(parts) or 'no file and no folder'}."

"""A release as anybody may have made it: the one rule by which `verify` and `fill` read its files.

1. A release holds regular files and folders. A link, a device, a named pipe or a socket anywhere in it is refused before anything is read.
2. The number of files, their depth and their sizes are bounded: a file may have 64 MiB and 256 KiB for each item that `release.json`
   counts, 1 GiB at most; all that `SHA256SUMS` lists 4 GiB together. A file that `SHA256SUMS` does not list is never opened.
3. A file is used only when its bytes have the sha256 that `SHA256SUMS` lists. It is opened below the folder, following no link.
4. `release.json` may name only files that its style gives.

`evaluate`, `compare`, `report` and `contamination`, which read a few files of a run or of any folder, open them by the same function
(`store.files.open_below`).
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.errors import FormatError
from cloze_gen.notation import named, reason, shown
from cloze_gen.stages.release.checksums import CHECKSUMS, parse_checksums
from cloze_gen.stages.release.facts import ReleaseRecord, read_record
from cloze_gen.stages.style import Style
from cloze_gen.store.files import MAX_TEXT_BYTES, open_below, read_below

MOST_ENTRIES, MOST_FOLDERS = 50_000, 8  # files and folders in all; folders in each other
MOST_BYTES = 4 << 30  # of all files that are listed
_FILE_BYTES, _ITEM_BYTES = 64 << 20, 256 << 10
_CHECKSUMS_BYTES = 16 << 20
_CACHE = "__pycache__"  # Python leaves it beside a module that was imported there


@dataclass(frozen=True, slots=True)
class ReleaseFolder:
    """A release whose files may be read.

    Attributes:
        record: what its `release.json` says.
        listed: file -> sha256, as `SHA256SUMS` has them; empty where there is none.
        digests: each listed file that is there -> sha256 of its bytes.
        others: files that are not listed; nobody has looked into them.
    """

    folder: Path
    record: ReleaseRecord
    listed: Mapping[str, str]
    digests: Mapping[str, str]
    others: tuple[str, ...]

    @classmethod
    def open(cls, folder: Path) -> ReleaseFolder:
        """Look through a release and take the digest of every file that it lists.

        Raises:
            FormatError: it breaks the rule above, or `release.json` or `SHA256SUMS` cannot be read.
        """
        sizes = dict(_files_below(folder))
        record = read_record(folder)
        listed = parse_checksums(_checksums_text(folder), where=CHECKSUMS) if CHECKSUMS in sizes else {}
        there = [name for name in listed if name in sizes]
        _check_sizes(folder, {name: sizes[name] for name in there}, record)
        return cls(
            folder=folder,
            record=record,
            listed=listed,
            digests={name: _digest(folder, name) for name in there},
            others=tuple(sorted(name for name in sizes if name not in listed and name != CHECKSUMS and _CACHE not in name.split("/"))),
        )

    @property
    def missing(self) -> list[str]:
        """Listed files that are not there."""
        return [name for name in self.listed if name not in self.digests]

    @property
    def changed(self) -> list[str]:
        """Listed files with other bytes than `SHA256SUMS` lists."""
        return [name for name, digest in self.digests.items() if digest != self.listed[name]]

    def fault(self, name: str) -> str:
        """Why a file may not be used, as the end of a sentence; empty: it may."""
        if name not in self.listed:
            return f"not listed in {CHECKSUMS}"
        if name not in self.digests:
            return "missing"
        return "" if self.digests[name] == self.listed[name] else f"other bytes than {CHECKSUMS} lists"

    def check_whole(self) -> None:
        """Every listed file is there, as it was published.

        Raises:
            FormatError: names those that are not.
        """
        wrong = [f"{name} ({self.fault(name)})" for name in (*self.missing, *self.changed)]
        if wrong or not self.listed:
            what = named(wrong) if wrong else f"{CHECKSUMS} (missing or empty)"
            raise FormatError(f"{self.folder}: not as published: {what}. Nothing was written; download the release again.")

    def read(self, name: str) -> bytes:
        """The bytes of a file that is as it was published.

        Raises:
            FormatError: it is not.
        """
        fault = self.fault(name)
        if fault:
            raise FormatError(f"{self.folder / name}: {fault}. Download the release again.")
        try:
            data = read_below(self.folder, name)
        except OSError as error:
            raise FormatError(f"{self.folder / name}: cannot be read ({reason(error)}).") from None
        if hashlib.sha256(data).hexdigest() != self.listed[name]:
            raise FormatError(f"{self.folder / name}: changed while it was read.")
        return data


def check_names(record: ReleaseRecord, style: Style, *, where: Path) -> None:
    """`release.json` names only files that its style gives: none of them can take the place of a file that is made anew.

    Raises:
        FormatError: it names another.
    """
    for name in record.beside:
        if name not in style.may_stand_beside:
            raise FormatError(f"{where}: release.json: `beside` names {shown(name)}, which no release of {style.name} has.")
    for name in record.taken:
        if not any(name == own or (own.endswith("/") and name.startswith(own)) for own in style.may_be_taken):
            raise FormatError(f"{where}: release.json: `taken` names {shown(name)}, which no release of {style.name} has.")
    for key in ("beside", "taken"):
        names = getattr(record, key)
        if len(set(names)) < len(names):
            raise FormatError(f"{where}: release.json: `{key}` names a file twice.")


@contextlib.contextmanager
def untrusted_input(folder: Path) -> Iterator[None]:
    """A value of another shape than a release of ours has, over which some reader stumbles, is a fault of the folder.

    Raises:
        FormatError: instead of what such a value makes Python raise.
    """
    try:
        yield
    except (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {shown(str(error), most_chars=120)}"
        raise FormatError(f"{folder}: a record or a setting in it has not the shape that a release has ({what}).") from error


def _files_below(folder: Path) -> Iterator[tuple[str, int]]:
    """(name, bytes) of every file of a folder. Follows no link and opens no file."""
    waiting, count = [""], 0
    while waiting:
        place = waiting.pop()
        if place.count("/") > MOST_FOLDERS:
            raise FormatError(f"{folder}: {shown(place)}: more than {MOST_FOLDERS} folders in each other, which no release has.")
        with os.scandir(folder / place) as entries:
            listed = sorted(itertools.islice(entries, MOST_ENTRIES + 1), key=lambda entry: entry.name)
        count += len(listed)
        if count > MOST_ENTRIES:
            raise FormatError(f"{folder}: more than {MOST_ENTRIES:,} files and folders, which no release has.")
        for entry in listed:
            found, name = entry.stat(follow_symlinks=False), place + entry.name
            if stat.S_ISDIR(found.st_mode):
                waiting.append(f"{name}/")
            elif stat.S_ISREG(found.st_mode):
                yield name, found.st_size
            else:
                _refuse(folder, name, found.st_mode)


def _refuse(folder: Path, name: str, mode: int) -> None:
    advice = "If you trust it and know where its links lead, copy it with `cp -rL`." if stat.S_ISLNK(mode) else "Do not use it."
    kind = "a link" if stat.S_ISLNK(mode) else "a device, a named pipe or a socket"
    raise FormatError(f"{folder}: {shown(name)} is {kind}; a release holds regular files alone. Nothing was read. {advice}")


def _check_sizes(folder: Path, sizes: Mapping[str, int], record: ReleaseRecord) -> None:
    items = record.facts.n_items
    most = min(MAX_TEXT_BYTES, _FILE_BYTES + _ITEM_BYTES * items)
    for name, size in sizes.items():
        if size > most:
            raise FormatError(f"{folder / name}: {size:,} bytes; a file of a release of {items:,} items has at most {most:,}.")
    total = sum(sizes.values())
    if total > MOST_BYTES:
        raise FormatError(f"{folder}: its files have {total:,} bytes together; those of a release have at most {MOST_BYTES:,}.")


def _checksums_text(folder: Path) -> str:
    try:
        return read_below(folder, CHECKSUMS, max_bytes=_CHECKSUMS_BYTES).decode("utf-8", errors="backslashreplace")
    except OSError as error:
        raise FormatError(f"{folder / CHECKSUMS}: cannot be read ({reason(error)}).") from None


def _digest(folder: Path, name: str) -> str:
    try:
        with open_below(folder, name) as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        raise FormatError(f"{folder / name}: cannot be read ({reason(error)}).") from None

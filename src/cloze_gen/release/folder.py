"""An untrusted release: the rules by which `verify` and `fill` read its files.

1. It holds regular files and folders; a link, device, pipe or socket is refused before anything
   is read.
2. The number, depth and size of files are bounded: 64 MiB and 256 KiB an item for a file, 1 GiB at
   most; 4 GiB for all that `SHA256SUMS` lists. Other files are never opened.
3. A file is used only if its sha256 is as listed. It is opened below the folder, following no link.
4. `release.json` may list only files that its style writes.

`evaluate`, `compare`, `report` and `contamination` open single files by `store.files.open_below`.
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
from cloze_gen.parsing import error_text, name_list, quote
from cloze_gen.release.facts import ReleaseRecord, read_record
from cloze_gen.release.signature import CHECKSUMS, parse_checksums
from cloze_gen.release.style import Style
from cloze_gen.store.files import MAX_TEXT_BYTES, open_below, read_below

MOST_ENTRIES, MOST_FOLDERS = 50_000, 8  # files and folders in all; depth
MOST_BYTES = 4 << 30  # of all files that are listed
_FILE_BYTES, _ITEM_BYTES = 64 << 20, 256 << 10
_CHECKSUMS_BYTES = 16 << 20
_CACHE = "__pycache__"  # written by Python on import


@dataclass(frozen=True, slots=True)
class ReleaseFolder:
    """A release whose files may be read.

    Attributes:
        listed: file -> sha256 in `SHA256SUMS`; empty without one.
        digests: each listed file that exists -> sha256 of its bytes.
    """

    folder: Path
    record: ReleaseRecord
    listed: Mapping[str, str]
    digests: Mapping[str, str]
    others: tuple[str, ...]

    @classmethod
    def open(cls, folder: Path) -> ReleaseFolder:
        """Scan a release, compute digests of listed files; FormatError if it breaks a rule."""
        sizes = dict(_files_below(folder))
        record = read_record(folder)
        listed = (
            parse_checksums(_checksums_text(folder), where=CHECKSUMS) if CHECKSUMS in sizes else {}
        )
        there = [name for name in listed if name in sizes]
        _check_sizes(folder, {name: sizes[name] for name in there}, record)
        return cls(
            folder=folder,
            record=record,
            listed=listed,
            digests={name: _digest(folder, name) for name in there},
            others=tuple(
                sorted(
                    name
                    for name in sizes
                    if name not in listed and name != CHECKSUMS and _CACHE not in name.split("/")
                )
            ),
        )

    @property
    def missing(self) -> list[str]:
        return [name for name in self.listed if name not in self.digests]

    @property
    def changed(self) -> list[str]:
        return [name for name, digest in self.digests.items() if digest != self.listed[name]]

    def fault(self, name: str) -> str:
        """The reason not to use a file, as the end of a sentence; empty if there is none."""
        if name not in self.listed:
            return f"not listed in {CHECKSUMS}"
        if name not in self.digests:
            return "missing"
        return (
            "" if self.digests[name] == self.listed[name] else f"checksum differs from {CHECKSUMS}"
        )

    def check_whole(self) -> None:
        """Raise FormatError unless every listed file is there and unchanged."""
        wrong = [f"{name} ({self.fault(name)})" for name in (*self.missing, *self.changed)]
        if wrong or not self.listed:
            faults = name_list(wrong) if wrong else f"{CHECKSUMS} (missing or empty)"
            raise FormatError(
                f"{self.folder}: damaged files: {faults}. Nothing was written. Download the "
                "release again."
            )

    def read(self, name: str) -> bytes:
        """The bytes of an unchanged file; FormatError for any other."""
        fault = self.fault(name)
        if fault:
            raise FormatError(f"{self.folder / name}: {fault}. Download the release again.")
        try:
            data = read_below(self.folder, name)
        except OSError as error:
            raise FormatError(
                f"{self.folder / name}: cannot be read ({error_text(error)})."
            ) from None
        if hashlib.sha256(data).hexdigest() != self.listed[name]:
            raise FormatError(f"{self.folder / name}: changed while it was read. Try again.")
        return data


def check_names(record: ReleaseRecord, style: Style, *, where: Path) -> None:
    """FormatError if `release.json` names a file that its style does not write."""
    for name in record.derived:
        if name not in style.extra_files_allowed:
            raise FormatError(
                f"{where}: release.json: `derived` lists {quote(name)}, which is not a file of "
                f"{style.name}."
            )
    for name in record.taken:
        if name not in style.store_files_allowed:
            raise FormatError(
                f"{where}: release.json: `taken` lists {quote(name)}, which is not a file of "
                f"{style.name}."
            )
    for key in ("derived", "taken"):
        names = getattr(record, key)
        if len(set(names)) < len(names):
            raise FormatError(f"{where}: release.json: `{key}` lists a file twice.")


@contextlib.contextmanager
def untrusted_input(folder: Path) -> Iterator[None]:
    """Turn Python's errors on values of unexpected shape into a FormatError about the folder."""
    try:
        yield
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        cause = f"{type(error).__name__}: {quote(str(error), most_chars=120)}"
        raise FormatError(
            f"{folder}: a record or a setting has an unexpected form ({cause}). Download the "
            "release again."
        ) from error


def _files_below(folder: Path) -> Iterator[tuple[str, int]]:
    """(name, bytes) of every file of a folder; follows no link, opens no file."""
    waiting, count = [""], 0
    while waiting:
        place = waiting.pop()
        if place.count("/") > MOST_FOLDERS:
            raise FormatError(
                f"{folder}: {quote(place)}: nested in more than {MOST_FOLDERS} folders. This is "
                "not a release."
            )
        with os.scandir(folder / place) as entries:
            listed = sorted(
                itertools.islice(entries, MOST_ENTRIES + 1), key=lambda entry: entry.name
            )
        count += len(listed)
        if count > MOST_ENTRIES:
            raise FormatError(
                f"{folder}: has more than {MOST_ENTRIES:,} files and folders. This is not a release."
            )
        for entry in listed:
            found, name = entry.stat(follow_symlinks=False), place + entry.name
            if stat.S_ISDIR(found.st_mode):
                waiting.append(f"{name}/")
            elif stat.S_ISREG(found.st_mode):
                yield name, found.st_size
            else:
                _refuse(folder, name, found.st_mode)


def _refuse(folder: Path, name: str, mode: int) -> None:
    advice = (
        "If you trust the release, copy it with `cp -rL`, which replaces links by files."
        if stat.S_ISLNK(mode)
        else "Do not use it."
    )
    kind = "a link" if stat.S_ISLNK(mode) else "a device, a named pipe or a socket"
    raise FormatError(
        f"{folder}: {quote(name)} is {kind}; a release has only regular files. Nothing was "
        f"read. {advice}"
    )


def _check_sizes(folder: Path, sizes: Mapping[str, int], record: ReleaseRecord) -> None:
    items = record.facts.n_items
    most = min(MAX_TEXT_BYTES, _FILE_BYTES + _ITEM_BYTES * items)
    for name, size in sizes.items():
        if size > most:
            raise FormatError(
                f"{folder / name}: has {size:,} bytes; the limit for a file of a release of "
                f"{items:,} items is {most:,}."
            )
    total = sum(sizes.values())
    if total > MOST_BYTES:
        raise FormatError(
            f"{folder}: the listed files have {total:,} bytes; the limit for a release is "
            f"{MOST_BYTES:,}."
        )


def _checksums_text(folder: Path) -> str:
    try:
        return read_below(folder, CHECKSUMS, max_bytes=_CHECKSUMS_BYTES).decode(
            "utf-8", errors="backslashreplace"
        )
    except OSError as error:
        raise FormatError(f"{folder / CHECKSUMS}: cannot be read ({error_text(error)}).") from None


def _digest(folder: Path, name: str) -> str:
    try:
        with open_below(folder, name) as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        raise FormatError(f"{folder / name}: cannot be read ({error_text(error)}).") from None

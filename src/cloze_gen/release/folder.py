"""An untrusted release: the rules by which `verify` and `fill` read its files.

1. Only files that `SHA256SUMS` lists are read, and only with the sha256 that is listed.
2. A file is opened below the folder and must be regular; no link is followed.
3. Its size is bounded: 64 MiB and 256 KiB an item, 1 GiB at most.
4. `release.json` may list only files that its style writes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.errors import FormatError
from cloze_gen.parsing import error_text, name_list, quote
from cloze_gen.release.facts import ReleaseRecord, read_record
from cloze_gen.release.signature import CHECKSUMS, parse_checksums
from cloze_gen.release.style import Style
from cloze_gen.store.files import MAX_TEXT_BYTES, open_below, read_below

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
        """Compute the digests of the listed files; FormatError if one breaks a rule."""
        record = read_record(folder)
        listed = parse_checksums(_checksums_text(folder), where=CHECKSUMS)
        most = min(MAX_TEXT_BYTES, _FILE_BYTES + _ITEM_BYTES * record.facts.n_items)
        digests = {}
        for name in listed:
            digest = _digest(folder, name, max_bytes=most)
            if digest is not None:
                digests[name] = digest
        others = [
            name
            for name in _names_below(folder)
            if name not in listed and name != CHECKSUMS and _CACHE not in name.split("/")
        ]
        return cls(
            folder=folder,
            record=record,
            listed=listed,
            digests=digests,
            others=tuple(sorted(others)),
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
        if name not in style.extra_files:
            raise FormatError(
                f"{where}: release.json: `derived` lists {quote(name)}, which is not a file of "
                f"{style.name}."
            )
    for name in record.taken:
        if name not in style.store_files:
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


def _names_below(folder: Path) -> Iterator[str]:
    """Names of everything below a folder that is no folder; follows no link, opens no file."""
    for place, _, names in os.walk(folder):
        for name in names:
            yield (Path(place) / name).relative_to(folder).as_posix()


def _checksums_text(folder: Path) -> str:
    try:
        return read_below(folder, CHECKSUMS, max_bytes=_CHECKSUMS_BYTES).decode(
            "utf-8", errors="backslashreplace"
        )
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise FormatError(f"{folder / CHECKSUMS}: cannot be read ({error_text(error)}).") from None


def _digest(folder: Path, name: str, *, max_bytes: int) -> str | None:
    """None if there is no such file."""
    try:
        with open_below(folder, name) as handle:
            size = os.fstat(handle.fileno()).st_size
            if size > max_bytes:
                raise FormatError(
                    f"{folder / name}: has {size:,} bytes; the limit for a file of this release is "
                    f"{max_bytes:,}."
                )
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FormatError(f"{folder / name}: cannot be read ({error_text(error)}).") from None

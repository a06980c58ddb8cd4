"""`SHA256SUMS`: every file of a release by its bytes, as `sha256sum -c` reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from cloze_gen.errors import FormatError
from cloze_gen.store.files import stays_within
from cloze_gen.store.manifest import file_sha256

CHECKSUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)", re.DOTALL)


def checksums_of(folder: Path) -> dict[str, str]:
    """File -> sha256 of every file below a folder but `SHA256SUMS`, sorted; of a link, of the file that it leads to.

    What Python leaves beside a module that was imported there is nobody's file.
    """
    paths = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    names = sorted(path.as_posix() for path in paths if "__pycache__" not in path.parts)
    return {name: file_sha256(folder / name) for name in names if name != CHECKSUMS}


def write_checksums(folder: Path) -> None:
    """`SHA256SUMS` of every file, in subfolders too."""
    lines = (f"{digest}  {name}\n" for name, digest in checksums_of(folder).items())
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def parse_checksums(text: str, *, where: str) -> Mapping[str, str]:
    """File -> sha256 of the lines of a `SHA256SUMS`.

    Raises:
        FormatError: a line is none of its lines, or names a file twice or outside the folder; says `where`.

    >>> parse_checksums(f"{'0' * 64}  a/b.txt\\n", where="here") == {"a/b.txt": "0" * 64}
    True
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise FormatError(f"{where}, line {number}: {line[:80]!r} is no sha256, two blanks and a file")
        digest, name = match.groups()
        if name in found or not stays_within(name):
            raise FormatError(f"{where}, line {number}: {name[:80]!r} stands there twice, or is no file of this folder")
        found[name] = digest
    return found

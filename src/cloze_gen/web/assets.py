"""The script, the style and the icon of the pages, under an address that changes with them."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePath

_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file that a page loads."""

    content: bytes
    media_type: str


@functools.cache
def assets() -> Mapping[str, Asset]:
    """The files of the folder static/ by name; a page asks for nothing else."""
    found = sorted((files("cloze_gen.web") / "static").iterdir(), key=lambda file: file.name)
    typed = ((file, _TYPES.get(PurePath(file.name).suffix)) for file in found)
    return {file.name: Asset(file.read_bytes(), media_type) for file, media_type in typed if media_type}


@functools.cache
def assets_version() -> str:
    """16 hexadecimal digits, others whenever a file is another: a browser may keep for ever what it found under them."""
    return hashlib.sha256(b"\0".join(one.content for one in assets().values())).hexdigest()[:16]

"""Where books are: a folder, a file, or a glob."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Location:
    """A folder, and the pattern of its files; an empty pattern is the whole folder."""

    root: Path
    pattern: str = ""

    def matches(self, file: str) -> bool:
        """Whether a file, by its path below the folder with `/`, belongs to it."""
        return True

    def __str__(self) -> str:
        return str(self.root / self.pattern) if self.pattern else str(self.root)

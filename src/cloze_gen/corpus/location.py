"""Where books are: a folder, a file, or a glob."""

from __future__ import annotations

import functools
import glob
import os
import re
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.errors import UsageError
from cloze_gen.parsing import quote

_ESCAPED = re.compile(r"\[([*?[])\]")  # as `glob.escape` writes them
_MAGIC = re.compile(r"[*?[]")


@dataclass(frozen=True, slots=True)
class Location:
    """A folder, and the pattern of its files; an empty pattern is the whole folder.

    In a pattern `*`, `?` and `[...]` match within a name, `**` matches any folders; the brackets in
    `[*]` escape. A pattern matches files only.
    """

    root: Path
    pattern: str = ""

    @classmethod
    def parse(cls, text: str) -> Location:
        """The location that a user typed. Existing folders and files are no patterns. UsageError
        for a pattern that is none.

        >>> Location.parse("books/*/text-[0-9].parquet")
        Location(root=PosixPath('books'), pattern='*/text-[0-9].parquet')
        >>> Location.parse("no such [[]folder]")
        Location(root=PosixPath('no such [[]folder]'), pattern='')
        """
        path = Path(text)
        if os.path.lexists(path):
            if path.is_dir() or path.name in {"", ".."}:
                return cls(path)
            return cls(path.parent, glob.escape(path.name))
        root, count = Path(), 0
        for part in path.parts:
            if not os.path.lexists(root / part):
                if _is_magic(part):
                    break
                part = _ESCAPED.sub(r"\1", part)
            root, count = root / part, count + 1
        else:
            return cls.parse(str(root)) if os.path.lexists(root) else cls(path)
        pattern = "/".join(path.parts[count:])
        try:
            _regex(pattern)
        except re.error as error:
            raise UsageError(
                f"{quote(text, most_chars=300)}: not a pattern of files ({error}). Patterns have "
                "*, ?, ** and [a-z]; write [[] for a bracket."
            ) from None
        return cls(root, pattern)

    @property
    def is_file(self) -> bool:
        """Whether the pattern is the name of one file."""
        return bool(self.pattern) and not _is_magic(self.pattern)

    def matches(self, file: str) -> bool:
        """Whether a file, by its path below the folder with `/`, belongs to it."""
        return not self.pattern or _regex(self.pattern).fullmatch(file) is not None

    def enters(self, folder: str) -> bool:
        """Whether files below a folder, by its path below the root, can belong to it."""
        if not self.pattern:
            return True
        parts, names = self.pattern.split("/"), folder.split("/")
        if "**" in parts:
            before = parts[: parts.index("**")]
            return all(map(_name_fits, before, names))
        return len(names) < len(parts) and all(map(_name_fits, parts, names))

    def __str__(self) -> str:
        """As `parse` reads it."""
        if not self.pattern:
            return str(self.root)
        path = self.root / _ESCAPED.sub(r"\1", self.pattern)
        if self.is_file and os.path.lexists(path):
            return str(path)
        root = str(self.root) if os.path.lexists(self.root) else glob.escape(str(self.root))
        return str(Path(root, self.pattern))


def _is_magic(text: str) -> bool:
    return _MAGIC.search(_ESCAPED.sub("", text)) is not None


def as_location(place: Location | Path) -> Location:
    return Location.parse(str(place)) if isinstance(place, Path) else place


def _name_fits(pattern: str, name: str) -> bool:
    return _regex(pattern).fullmatch(name) is not None


@functools.lru_cache(maxsize=256)
def _regex(pattern: str) -> re.Pattern[str]:
    r"""A glob as a regular expression.

    >>> [bool(_regex("**/a?[!b-c].txt").fullmatch(name)) for name in ("a1d.txt", "x/y/a1d.txt", "a/1d.txt", "a1c.txt")]
    [True, True, False, False]
    >>> [bool(_regex("a/**").fullmatch(name)) for name in ("a/b", "a/b/c.txt", "a", "b/a/c")]
    [True, True, False, False]
    """
    *folders, last = pattern.split("/")
    before = "".join("(?:[^/]+/)*" if one == "**" else f"{_name_regex(one)}/" for one in folders)
    return re.compile(before + (".+" if last == "**" else _name_regex(last)), re.DOTALL)


def _name_regex(pattern: str) -> str:
    """One name of a glob; `[` without `]` is itself."""
    found, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        end = pattern.find("]", at + (2 if pattern[at : at + 1] == "!" else 1))
        if char == "[" and end > 0:
            inside = re.sub(r"([\\^\[\]&~|])", r"\\\1", pattern[at:end])
            found += f"(?!/)[{'^' + inside[1:] if inside.startswith('!') else inside}]"
            at = end + 1
        elif char == "*":
            found += "" if found.endswith("[^/]*") else "[^/]*"
        else:
            found += "[^/]" if char == "?" else re.escape(char)
    return found

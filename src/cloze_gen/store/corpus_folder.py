"""What lies in a folder of books: books, and what is passed over with a word; and where such a folder may not lie.

Links to folders are not followed: they may lead back, or to books that are here already. A hidden folder is a tool's own, and an
output folder of ours holds text that is no book.
"""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from cloze_gen.errors import UsageError
from cloze_gen.notation import named
from cloze_gen.store.corpus_manifest import MANIFEST_NAME
from cloze_gen.store.tables import escape_cell

SUFFIX = re.compile(r"\.txt(\.gz)?$", re.IGNORECASE)
ARTICLES_SUFFIX = re.compile(r"\.jsonl?(\.gz)?$", re.IGNORECASE)


@dataclass(slots=True)
class Found:
    """What lies in a corpus folder: paths below it, with `/`."""

    books: list[str] = field(default_factory=list)
    articles: list[str] = field(default_factory=list)  # by their names, JSON
    others: Counter[str] = field(default_factory=Counter)  # suffix -> files
    hidden: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    def add_file(self, file: str) -> None:
        name = file.rsplit("/", 1)[-1]
        book = SUFFIX.search(name) is not None
        if name.startswith("."):
            self.hidden += [file] if book else []
        elif book:
            self.books.append(file)
        elif file != MANIFEST_NAME:
            self.articles += [file] if ARTICLES_SUFFIX.search(name) else []
            self.others[Path(name).suffix.lower()] += 1

    def enters(self, path: Path, folder: str) -> bool:
        """Whether books are looked for in this folder; one that stays out is remembered."""
        if path.is_symlink():
            self.links.append(folder)
        elif folder.rsplit("/", 1)[-1].startswith("."):
            self.hidden.append(folder)
        elif (path / "store" / ".locks").is_dir():
            self.outputs.append(folder)
        else:
            return True
        return False

    def passed_over(self) -> str:
        """What is not read, in words; empty where everything is."""
        parts = []
        if self.others:
            ranked = sorted(self.others.items(), key=lambda item: (-item[1], item[0]))
            kinds = named([f"{count:,} {repr(suffix)[1:-1] or 'without an ending'}" for suffix, count in ranked])
            parts.append(f"{self.others.total():,} of other kinds than .txt and .txt.gz ({kinds})")
        if self.hidden:
            parts.append(f"{len(self.hidden):,} hidden ({_named_paths(self.hidden)})")
        if self.links:
            parts.append(f"{_counted(self.links, 'linked folder')}, not followed ({_named_paths(self.links)})")
        if self.outputs:
            parts.append(f"{_counted(self.outputs, 'output folder')} of cloze-gen ({_named_paths(self.outputs)})")
        return "; ".join(parts)


def _counted(paths: list[str], noun: str) -> str:
    return f"{len(paths):,} {noun}" + ("s" if len(paths) != 1 else "")


def _named_paths(paths: list[str]) -> str:
    return named([repr(path) for path in sorted(paths)])


def look_through(root: Path) -> Found:
    """Everything below a corpus folder, sorted into books and the rest.

    Raises:
        UsageError: a folder below it cannot be read.
    """
    found = Found()
    for place, folders, names in os.walk(root, onerror=refuse_unreadable):
        below = {name: Path(place, name).relative_to(root).as_posix() for name in (*names, *folders)}
        for name in names:
            found.add_file(below[name])
        folders[:] = [name for name in folders if found.enters(Path(place, name), below[name])]
    return found


def refuse_unreadable(error: OSError) -> NoReturn:
    raise UsageError(
        f"{escape_cell(str(error.filename))}: this folder cannot be read ({error.strerror}), so the books in it would be missing. "
        "Make it readable, or move it out of the corpus."
    )


def check_folder(folder: Path, advice: str) -> None:
    """Refuse what is no folder.

    Raises:
        UsageError: saying whether it is missing, a file, or closed to us.
    """
    try:
        if not stat.S_ISDIR(folder.stat().st_mode):
            raise UsageError(f"{folder}: a file, not a folder. Put it into a folder of its own and give that. {advice}")
    except FileNotFoundError:
        raise UsageError(f"{folder}: no such folder. {advice}") from None
    except OSError as error:
        raise UsageError(f"{folder}: cannot be opened ({error.strerror}). {advice}") from None


def check_apart(out: Path, folder: Path) -> None:
    """The output folder may not lie inside a folder of books, nor that inside `store` or `runs`: a run would read its own files as books.

    Raises:
        UsageError: naming both and a way out. Links are resolved.
    """
    real_out, real = Path(os.path.realpath(out)), Path(os.path.realpath(folder))
    if real_out.is_relative_to(real):
        elsewhere = os.path.relpath(real.parent / (real_out.name if real_out != real else "artifacts"))
        raise UsageError(
            f"the output folder {out} lies inside the folder of books {folder}: the next run would read its own files as books. "
            f"Name another, such as --out {elsewhere}, or keep the books in a folder of their own."
        )
    for own in ("store", "runs"):
        if real.is_relative_to(real_out / own):
            raise UsageError(
                f"{folder}: lies inside {out / own}, where runs keep their own files. Copy the books to a folder of their own."
            )

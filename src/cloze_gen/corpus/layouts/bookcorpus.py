"""BookCorpus: folders `GENRE/BOOK.txt` (Zhu, Kiros et al. 2015), and BookCorpusOpen's `epubtxt`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from cloze_gen.corpus.layouts.arrangement import Arrangement, PlacedFile, skipped_lines
from cloze_gen.store.manifest import file_sha256

_GENRES = {
    genre.casefold(): genre
    for genre in (
        *("Adventure", "Fantasy", "Historical", "Horror", "Humor", "Literature", "Mystery"),
        *("New Adult", "Other", "Romance", "Science fiction", "Teen", "Themes", "Thriller"),
        *("Vampires", "Young Adult"),
    )
}
_MIN_GENRES = 2  # folders of one place with these names
_TEXT = re.compile(r"\.txt(?:\.gz)?$", re.IGNORECASE)
_OPEN_NAME = re.compile(r"(.+)\.epub\.txt(?:\.gz)?", re.IGNORECASE)
_ADDRESSES = re.compile(r".*epub_urls\.txt", re.IGNORECASE)
_COPY = "a byte-identical copy in another genre; the book has all its genres"
_AGGREGATE = "a whole genre in one file; its books are read"
_LIST = "a list of addresses"


def arrange_bookcorpus(
    root: Path, files: Sequence[str], listed: Container[str]
) -> tuple[Arrangement, frozenset[str]]:
    """The books of genre folders and of `epubtxt`; and the files that are decided on."""
    skipped: defaultdict[str, list[str]] = defaultdict(list)
    folders, names = _of_genres(root, files, listed, skipped), []
    if folders:
        names.append("BookCorpus, a folder per genre")
    opened = _opened(files, listed, skipped)
    if opened:
        names.append("BookCorpusOpen")
    placed = (*folders, *opened)
    left_out = (file for own in skipped.values() for file in own)
    return Arrangement(placed, tuple(names), skipped_lines(skipped)), frozenset(
        (*(one.file for one in placed), *left_out)
    )


def _genre(folder: str) -> str:
    """The genre that a folder name is; empty if none.

    >>> _genre("Science_fiction"), _genre("young-adult"), _genre("train")
    ('Science fiction', 'Young Adult', '')
    """
    return _GENRES.get(_plain(folder), "")


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name).casefold()


def _of_genres(
    root: Path,
    files: Sequence[str],
    listed: Container[str],
    skipped: defaultdict[str, list[str]],
) -> list[PlacedFile]:
    places: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for file in files:
        folder, _, name = file.rpartition("/")
        place, _, last = folder.rpartition("/")
        if _TEXT.search(name) and _genre(last):
            places[place][last].append(file)
    placed = []
    for folders in places.values():
        if len({_genre(folder) for folder in folders}) < _MIN_GENRES:
            continue
        by_name: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for folder, own in sorted(folders.items()):
            genre = _genre(folder)
            for file in own:
                stem = _TEXT.sub("", file.rsplit("/", 1)[-1])
                if file in listed:
                    placed.append(PlacedFile(file, "", (("genre", genre),)))
                elif len(own) > 1 and _plain(stem) == f"{genre.casefold()} all":
                    skipped[_AGGREGATE].append(file)
                else:
                    by_name[stem.casefold()].append((genre, file))
        for same in by_name.values():
            texts = _same_bytes(root, same)
            for copies in texts:
                (first, file), *others = copies
                skipped[_COPY] += [other for _, other in others]
                stem = _TEXT.sub("", file.rsplit("/", 1)[-1])
                placed.append(
                    PlacedFile(
                        file,
                        f"{stem}-{first.replace(' ', '_')}" if len(texts) > 1 else "",
                        (("genre", ", ".join(dict.fromkeys(genre for genre, _ in copies))),),
                    )
                )
    return placed


def _same_bytes(root: Path, files: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """(genre, file) in groups of equal contents, in order; files of other sizes are not read."""
    if len(files) == 1:
        return [list(files)]
    sizes: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for genre, file in files:
        sizes[_size(root / file)].append((genre, file))
    groups: dict[tuple[int, str], list[tuple[str, str]]] = {}
    for size, same in sizes.items():
        for genre, file in same:
            digest = _digest(root / file) if len(same) > 1 else ""
            groups.setdefault((size, digest), []).append((genre, file))
    return sorted(groups.values())


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _digest(path: Path) -> str:
    """Of the bytes; of a file that cannot be read the path, for it is like no other."""
    try:
        return file_sha256(path)
    except OSError:
        return str(path)


def _opened(
    files: Sequence[str], listed: Container[str], skipped: defaultdict[str, list[str]]
) -> Iterable[PlacedFile]:
    """The books of `epubtxt`; without them lists of addresses are files as any other."""
    there = set(files)
    placed = []
    for file in files:
        if (found := _OPEN_NAME.fullmatch(file.rsplit("/", 1)[-1])) is None:
            continue
        title = " ".join(re.split(r"[\s_-]+", found[1])).strip()
        # Beside the EPUB itself the usual id stays: it is that of another file.
        own_id = file not in listed and file[: file.lower().rindex(".txt")] not in there
        placed.append(PlacedFile(file, found[1] if own_id else "", (("title", title),)))
    if placed:
        lists = [file for file in files if _ADDRESSES.fullmatch(file) and file not in listed]
        skipped[_LIST] += lists
    return placed

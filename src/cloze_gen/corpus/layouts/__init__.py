"""Known arrangements of files with their metadata: Gutenberg's trees and BookCorpus."""

from __future__ import annotations

from collections.abc import Container, Sequence
from pathlib import Path

from cloze_gen.corpus.layouts.arrangement import (
    SPLIT_OF_FOLDER,
    SPLITS,
    Arrangement,
    PlacedFile,
)
from cloze_gen.corpus.layouts.bookcorpus import arrange_bookcorpus
from cloze_gen.corpus.layouts.catalogs import is_catalog, read_catalogs
from cloze_gen.corpus.layouts.gutenberg import arrange_gutenberg

__all__ = [
    "SPLITS",
    "SPLIT_OF_FOLDER",
    "Arrangement",
    "PlacedFile",
    "arrange",
    "arrange_members",
    "is_catalog",
]


def arrange(
    root: Path,
    files: Sequence[str],
    *,
    catalogs: Sequence[str],
    listed: Container[str],
) -> Arrangement:
    """Choose one file for each book, and find its metadata.

    Args:
        files, catalogs: files of books, and tables about books (`is_catalog`), below `root`.
        listed: files of the user's manifest, which are read in any case and keep their ids.
    """
    known = read_catalogs(root, catalogs)
    folders, placed = arrange_bookcorpus(root, files, listed)
    left = [file for file in files if file not in placed]
    trees, of_trees = arrange_gutenberg(left, known, listed=listed)
    rest = [PlacedFile(file) for file in left if file not in of_trees]
    return Arrangement(
        (*folders.files, *trees.files, *rest),
        folders.names + trees.names,
        folders.skipped + trees.skipped,
        known.notes,
        known,
    )


def arrange_members(
    names: Sequence[str], known: Arrangement, read: Container[str]
) -> tuple[Arrangement, frozenset[str]]:
    """The same for the files in an archive, with the tables beside it; and the files that are
    decided on. `read` are numbers of etexts that are read elsewhere. Other members of a file, such
    as rows, have no names of Gutenberg's.
    """
    return arrange_gutenberg(names, known.catalogs, read=read)

"""`cloze-gen fill`: a release of pointers and the books it points into, and out comes the full release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen import __version__
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.inspect_tasks import EVAL_YAML, INSPECT_TASK
from cloze_gen.notation import named
from cloze_gen.pipelines.styles import find_style
from cloze_gen.stages.release.books import BooksFound, OpenedBooks
from cloze_gen.stages.release.documents import DOCUMENTS
from cloze_gen.stages.release.facts import ReleaseRecord
from cloze_gen.stages.release.filling import fill_release
from cloze_gen.stages.release.folder import ReleaseFolder, check_names, untrusted_input
from cloze_gen.stages.release.splits import HARNESS
from cloze_gen.store.corpus_folder import check_folder
from cloze_gen.store.locks import partial_folder, sweep_leavings


def fill(folder: Path, *, books: Path, to: Path | None) -> str:
    """Write the full release beside the one of pointers, and say where.

    Args:
        folder: of the release of pointers. Anybody may have made it (`stages.release.folder`).
        to: a folder that is not there yet; by default the release's own name with ``-full``.
    Raises:
        UsageError: the release is full, a book is missing, or the folder is there.
        FormatError: the release is damaged, holds what no release does, or what comes out is not the full release.
    """
    check_folder(folder, "Give the folder of a release of pointers.")
    with untrusted_input(folder):
        return _fill(ReleaseFolder.open(folder), books, to)


def _fill(release: ReleaseFolder, books: Path, to: Path | None) -> str:
    record, place = release.record, release.folder.resolve()
    if record.facts.text != "pointers":
        raise UsageError(f"{release.folder}: holds its text already (text = {record.facts.text}); there is nothing to fill.")
    target = to or place.parent / f"{place.name}-full"
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target}: is there already. Nothing was written; name a new folder with --to.")
    style = find_style(record.facts.style)
    check_names(record, style, where=release.folder)
    release.check_whole()
    opened = OpenedBooks.of_those(BooksFound.below(books), record.facts.item_books).with_all(record.facts.item_books)
    sweep_leavings(target.parent)
    with partial_folder(target) as partial:
        other = fill_release(release, partial, style=style, text_of=opened.text_of)
        check_filled(other, record)
        partial.rename(target)
    told = f"{len(record.full):,} files, all as they were when the set was made"
    return f"{target}: {told}" if not other else f"{target}: written; {unlike(other, record)}"


def check_filled(other: Sequence[str], record: ReleaseRecord) -> None:
    """What came out is the full release: data have its bytes; documents, tasks, Parquet and pictures may be another version's.

    Raises:
        FormatError: a file of data differs, is missing or too many.
    """
    wrong = [name for name in other if not (name in DOCUMENTS or name.startswith(_TASKS) or name.endswith(_BY_LIBRARIES))]
    if wrong:
        raise FormatError(f"what came out is not the full release: {named(wrong)} differ. Nothing was written. {_versions(record)}")


def unlike(other: Sequence[str], record: ReleaseRecord) -> str:
    """Which files have other bytes than those that were made with the set, and why that may be."""
    return f"other bytes than in the release that was made with the set: {named(other)}. {_versions(record)}"


_BY_LIBRARIES = (".parquet", ".html")  # what Arrow and Matplotlib write
_TASKS = (f"{HARNESS}/", EVAL_YAML, INSPECT_TASK)


def _versions(record: ReleaseRecord) -> str:
    facts = record.facts
    made = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    return f"It was made with cloze-gen {facts.version}, {made}; this is cloze-gen {__version__}."

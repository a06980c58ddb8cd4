"""`cloze-gen fill`: a release of pointers and the books it points into, and out comes the full release."""

from __future__ import annotations

from pathlib import Path

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.pipelines.styles import find_style
from cloze_gen.stages.release.books import OpenedBooks, missing_books
from cloze_gen.stages.release.facts import ReleaseRecord, read_record
from cloze_gen.stages.release.pointers import fill_release
from cloze_gen.store.locks import partial_folder


def fill(release: Path, *, books: Path, to: Path | None) -> str:
    """Write the full release beside the one of pointers, and say where.

    Args:
        to: a folder that is not there yet; by default the release's own name with ``-full``.
    Raises:
        UsageError: the release is full, a book is missing, or the folder is there.
        FormatError: the release is damaged, or what comes out is not the full release.
    """
    record = read_record(release)
    if record.facts.text != "pointers":
        raise UsageError(f"{release}: holds its text already (text = {record.facts.text}); there is nothing to fill.")
    target = to or release.resolve().parent / f"{release.resolve().name}-full"
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target}: is there already. Nothing was written; name a new folder with --to.")
    style = find_style(record.facts.style)
    opened = OpenedBooks.of_folder(books, record.facts.item_books)
    missing = missing_books(opened, record.facts.item_books)
    if missing:
        raise UsageError(f"{books}: lacks, by their bytes, {missing}. Nothing was written; give a folder that holds these very files.")
    with partial_folder(target) as partial:
        other = fill_release(release, partial, style=style, record=record, text_of=opened.text_of)
        check_filled(other, record)
        partial.rename(target)
    told = f"{len(record.full):,} files, all as they were when the set was made"
    return f"{target}: {told}" if not other else f"{target}: written; {unlike(other, record)}"


def check_filled(other: list[str], record: ReleaseRecord) -> None:
    """What came out is the full release; bytes may differ where a library of another version wrote them.

    Raises:
        FormatError: a file of text differs, or one is missing or too many.
    """
    wrong = [name for name in other if not name.endswith(_BY_LIBRARIES) and name not in _TELL_OF_THEM]
    if wrong:
        raise FormatError(f"what came out is not the full release: {', '.join(wrong[:5])} differ. Nothing was written. {_versions(record)}")


def unlike(other: list[str], record: ReleaseRecord) -> str:
    """Which files have other bytes than those that were made with the set, and why that may be."""
    return f"other bytes than in the release that was made with the set: {', '.join(other)}. {_versions(record)}"


_BY_LIBRARIES = (".parquet", ".html")  # what Arrow and Matplotlib write
_TELL_OF_THEM = frozenset({"croissant.json", "README.md", "CITATION.cff"})


def _versions(record: ReleaseRecord) -> str:
    facts = record.facts
    made = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    return f"It was made with cloze-gen {facts.version}, {made}."

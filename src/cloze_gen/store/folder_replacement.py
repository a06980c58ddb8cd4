"""Rewrites the entries of a folder that we wrote; a user's entries beside them stay.

A manifest lists our files and links with their digests. It is replaced last, so `find_change`
notices what a kill left half done, and the next writer finishes it. Writers of one folder must
hold one lock.
"""

from __future__ import annotations

import fcntl
import hashlib
import itertools
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from cloze_gen.errors import DamageError, StoreError, UsageError
from cloze_gen.interrupts import held
from cloze_gen.parsing import quote
from cloze_gen.store.files import open_below, stays_within
from cloze_gen.store.locks import partial_folder, remove_stale_temp_dirs
from cloze_gen.store.manifest import MANIFEST, SCHEMA_VERSION, read_manifest, write_json

_ENTRIES = "entries"


def find_change(folder: Path, only: Sequence[str] = ()) -> str | None:
    """The first of our files and links (of those in `only`, if any) that has changed, as a
    sentence, or None.
    """
    try:
        written = _read_entries(folder)
    except DamageError as error:
        return error.what
    for name in only or sorted(written):
        if name not in written:
            return f"{folder / name}: not written by this program."
        found = _identity(folder, name)
        if found is None:
            return f"{folder / name}: missing."
        if found != written[name]:
            return f"{folder / name}: changed since it was written."
    return None


def replace_entries(target: Path, schema: str, write: Callable[[Path], None]) -> list[str]:
    """Rewrite what we wrote in a folder, entry by entry; StoreError if `target` is no folder.

    Args:
        schema: of the manifest.
        write: fills a temporary folder next to `target`.
    Returns:
        a sentence for each entry with a user's changes, which is kept under another name.
    """
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise StoreError(
            f"{target}: is not a folder and was not changed. Move it or choose another "
            "name, and run again."
        )
    with partial_folder(target) as new:
        write(new)
        write_entries(new, schema)
        if not target.exists():
            new.rename(target)
            return []
        try:
            written = _read_entries(target)
        except DamageError:
            written = {}
        names = {name.partition("/")[0] for name in (*written, *_names_below(new))}
        identities = {
            name: (_identities(target, name), _identities(new, name))
            for name in sorted(names - {MANIFEST})
        }
        with held():  # a signal between two renames would remove both versions of an entry
            notes = [
                _replace_entry(target / name, new / name, old, coming, written)
                for name, (old, coming) in identities.items()
            ]
            (new / MANIFEST).replace(target / MANIFEST)
    return [note for note in notes if note]


_Identities = Mapping[str, str | None]


def _replace_entry(
    place: Path, new: Path, old: _Identities, coming: _Identities, written: Mapping[str, str]
) -> str:
    """Put a new entry, or nothing, in the place of an old one; a sentence if the old one is kept."""
    # links out of the folder have one identity
    other_link = new.is_symlink() and place.is_symlink() and new.readlink() != place.readlink()
    if old == coming and not other_link:
        return ""
    is_ours = old.items() <= written.items() | coming.items()
    if is_ours and coming and not place.is_dir() and not new.is_dir():
        new.replace(place)
        return ""
    note = ""
    if os.path.lexists(place):
        away = new.with_name(f"{new.name}~old")  # removed with the temporary folder
        if not is_ours:
            numbered = (place.with_name(f"{place.name}.aside-{n}") for n in itertools.count(1))
            away = next(path for path in numbered if not os.path.lexists(path))
            note = f"{place}: differs from what was written. It was moved to {away.name}."
        if place.is_dir() and new.is_dir():
            shutil.copymode(place, new)
        place.rename(away)
    if coming:
        new.rename(place)
    return note


def rewrite_entries(target: Path, schema: str, change: Callable[[Path], None]) -> list[str]:
    """As `replace_entries`, with a changed copy of our entries; DamageError if not as written."""
    changed = find_change(target)
    if changed:
        raise DamageError(changed)

    def write(partial: Path) -> None:
        for name in _read_entries(target):
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(target / name, partial / name, follow_symlinks=False)
        change(partial)

    return replace_entries(target, schema, write)


def write_entries(folder: Path, schema: str) -> None:
    """Write the manifest of everything below a folder, which makes all of it ours."""
    entries = {name: _identity(folder, name) for name in _names_below(folder) if name != MANIFEST}
    record = {"schema": schema, "schema_version": SCHEMA_VERSION, _ENTRIES: entries}
    write_json(folder / MANIFEST, record)


def _read_entries(folder: Path) -> dict[str, str]:
    """Name -> identity of every file and link that we wrote."""
    manifest = read_manifest(folder / MANIFEST)
    entries = manifest.get(_ENTRIES)
    if not isinstance(entries, dict) or manifest.get("schema_version") != SCHEMA_VERSION:
        raise DamageError(
            f"{folder / MANIFEST}: written by another version of cloze-gen, or by another program."
        )
    outside = [name for name in entries if not stays_within(name)]
    if outside:
        raise DamageError(
            f"{folder / MANIFEST}: names {quote(outside[0])}, which is not a file of this folder."
        )
    return entries


def _identities(folder: Path, entry: str) -> _Identities:
    """Name -> identity of an entry, or of everything in it that is no folder."""
    path = folder / entry
    if path.is_dir() and not path.is_symlink():
        names = [f"{entry}/{name}" for name in _names_below(path)]
    else:
        names = [entry] if os.path.lexists(path) else []
    return {name: _identity(folder, name) for name in names}


def _names_below(folder: Path) -> Iterator[str]:
    """Everything below a folder that is no folder, with `/`; links are not followed."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()


def _identity(folder: Path, name: str) -> str | None:
    """The sha256 of a file, or the target of a link; None for anything else."""
    path = folder / name
    if path.is_symlink():
        to = path.readlink()
        # the target of a link to the user's books depends on the machine
        return "->" if leads_out(to, name) else f"-> {to}"
    try:
        with open_below(folder, name) as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError:
        return None


def leads_out(to: Path, name: str) -> bool:
    """Whether a link leaves the output folder.

    >>> leads_out(Path("../../store/lm-01"), "08-lm"), leads_out(Path("../../../books"), "corpus-train")
    (False, True)
    """
    return to.is_absolute() or os.path.normpath(Path("a/b", name).parent / to).startswith("..")


# ---- folders of the user that hold what we wrote


def check_own_folder(folder: Path, schema: str, *, option: str) -> None:
    """UsageError unless the folder is new, empty, or has a manifest with this `schema`."""
    if not folder.exists() and not folder.is_symlink():
        return
    advice = f"Nothing was written. Give a new folder with {option}."
    if not folder.is_dir() or folder.is_symlink():
        raise UsageError(f"{folder}: not a folder. {advice}")
    if Path.cwd().is_relative_to(folder.resolve()):
        raise UsageError(f"{folder}: is the current folder, or contains it. {advice}")
    try:
        ours = read_manifest(folder / MANIFEST).get("schema") == schema
    except DamageError:
        ours = False
    others = sorted(path.name for path in folder.iterdir())
    if others and not ours:
        raise UsageError(
            f"{folder}: contains other files "
            f"({', '.join(map(repr, others[:3]))}{', ...' if len(others) > 3 else ''}). "
            f"{advice}"
        )


@contextmanager
def own_folder_lock(folder: Path) -> Iterator[None]:
    """Lock the parent folder for this writer, and remove temporary folders of a killed writer."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        remove_stale_temp_dirs(folder.parent)
        yield
    finally:
        os.close(descriptor)

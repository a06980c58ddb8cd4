"""Rewrites a folder of ours without touching anything that we did not write.

A manifest lists our files and links with their digests. Each new entry takes its place in one step;
old files that differ from the manifest are kept as ``NAME.aside-1``. Writers of one folder
must hold one lock.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import itertools
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cloze_gen.errors import DamageError, StoreError, UsageError
from cloze_gen.parsing import quote
from cloze_gen.store.files import stays_within
from cloze_gen.store.locks import exclusive_lock, partial_folder, remove_stale_temp_dirs
from cloze_gen.store.manifest import (
    MANIFEST,
    SCHEMA_VERSION,
    file_sha256,
    read_manifest,
    write_manifest,
)

_LINKS, _FILES = "links", "files"
_LINK = "-> "  # begins the identity of a link; alone: of one that leaves the output folder
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # Linux, <fcntl.h> and <linux/fs.h>
_RENAME_SWAP = 2  # macOS, <sys/stdio.h>
_CANNOT_EXCHANGE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def find_change(folder: Path, only: Sequence[str] = ()) -> str | None:
    """The first of our entries (of those in `only`, if any) that has changed, as a sentence, or
    None.
    """
    try:
        own = _read_own(folder)
    except DamageError as error:
        return error.what
    for name, written in sorted(own.items()):
        if only and name not in only:
            continue
        found = None if _is_below_link(folder, name) else _identity(folder / name)
        if not _is_same(found, written):
            return (
                f"{folder / name}: "
                f"{'missing' if found is None else 'changed since it was written'}."
            )
    missing = [name for name in only if name not in own]
    return f"{folder / missing[0]}: not written by this program." if missing else None


def replace_published(target: Path, schema: str, write: Callable[[Path], None]) -> list[str]:
    """Rewrite a folder as a whole, so that at any moment it is the old or the new one; StoreError
    if `target` is no folder.

    Args:
        schema: of the manifest.
        write: fills a temporary folder next to `target`.
    Returns:
        a sentence for each user's change, with its new place.
    """
    with _written_next_to(target, schema, write) as new:
        return _clear([_put(new, target, _own_or_nothing(target))])


def replace_within(target: Path, schema: str, write: Callable[[Path], None]) -> list[str]:
    """As `replace_published`, but entry by entry; entries that we do not write are not touched.

    A kill may leave old and new entries: `find_change` detects this and rewriting repairs it.
    Changing links are removed first, so that none leads to entries of another state.
    """
    with _written_next_to(target, schema, write) as new:
        if not target.exists():
            return _clear([_put(new, target, {})])
        own = _own_or_nothing(target)
        for name in (name for name in own if "/" not in name and own[name].startswith(_LINK)):
            found = _identity(target / name)
            if _is_same(found, own[name]) and found != _identity(new / name):
                (target / name).unlink()
        names = {path.name for path in new.iterdir()} | {name.partition("/")[0] for name in own}
        return _clear(
            [
                _put(new / name, target / name, _below(own, name))
                for name in sorted(names, key=lambda name: _turn(new / name))
            ]
        )


def _turn(path: Path) -> tuple[int, str]:
    """The order in which entries are replaced: folders first, the manifest last."""
    number = 0 if _is_folder(path) else 2 if path.name == MANIFEST else 1
    return number, path.name


def rewrite_within(target: Path, schema: str, change: Callable[[Path], None]) -> list[str]:
    """As `replace_within`, with a changed copy of our entries; DamageError if not as written."""
    changed = find_change(target)
    if changed:
        raise DamageError(changed)

    def write(partial: Path) -> None:
        for name in _read_own(target):
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            # keep the times: the age of a run is that of its run.json
            shutil.copy2(target / name, partial / name, follow_symlinks=False)
        change(partial)

    return replace_within(target, schema, write)


@contextmanager
def _written_next_to(target: Path, schema: str, write: Callable[[Path], None]) -> Iterator[Path]:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise StoreError(
            f"{target}: is not a folder and was not changed. Move it or choose another "
            "name, and run again."
        )
    with partial_folder(target) as partial:
        write(partial)
        write_own(partial, schema)
        yield partial


_Replaced = tuple[Path, Path, Mapping[str, str]]  # place, where its old content is, what is ours


def _put(new: Path, place: Path, own: Mapping[str, str]) -> _Replaced | None:
    """Move a new file, link or folder into place, or clear it without one; returns what to clear.

    Args:
        own: identities of what we wrote there, by name below `place` (empty: itself).
    """
    is_written = os.path.lexists(new)
    if not os.path.lexists(place):
        if is_written:
            new.rename(place)
        return None
    numbered = (place.with_name(f"{place.name}.aside-{n}") for n in itertools.count(1))
    aside = next(path for path in numbered if not os.path.lexists(path))
    if not is_written:
        place.rename(aside)
    elif not _is_folder(new) and _is_ours(place, "", own, new):
        new.replace(place)
        return None
    else:
        if _is_folder(new) and _is_folder(place):
            shutil.copymode(place, new)  # keep the permissions that the user set
        new.rename(aside)
        if not exchange(aside, place):
            aside.rename(new)
            place.rename(aside)
            new.rename(place)
    return place, aside, own


def _clear(replaced: Sequence[_Replaced | None]) -> list[str]:
    """Delete our files from what was replaced; a sentence for each place with others."""
    notes = []
    for place, aside, own in filter(None, replaced):
        for name in list(_entries(aside)):
            if _is_ours(aside, name, own, place):
                (aside / name).unlink()
        folders = {aside, *(aside / parent for name in own for parent in Path(name).parents)}
        for folder, _, _ in os.walk(aside, topdown=False) if _is_folder(aside) else ():
            if Path(folder) in folders:
                with suppress(OSError):  # something that is not ours is in it
                    Path(folder).rmdir()
        if os.path.lexists(aside):
            notes.append(f"{place}: changed by hand. The changed files were moved to {aside.name}.")
    return notes


def _is_ours(old: Path, name: str, own: Mapping[str, str], new: Path) -> bool:
    """Whether a file or link is as we wrote it, or as it has just been written again."""
    found = _identity(old / name)
    return _is_same(found, own.get(name)) or _is_same(found, _identity(new / name))


def exchange(one: Path, other: Path) -> bool:
    """Swap two existing paths in one step; False, and no change, where the system cannot."""
    library = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    try:
        if sys.platform == "darwin":
            failed = library.renamex_np(first, second, _RENAME_SWAP)
        else:
            failed = library.renameat2(_AT_FDCWD, first, _AT_FDCWD, second, _RENAME_EXCHANGE)
    except AttributeError:  # a C library without the call
        return False
    number = ctypes.get_errno()
    if failed and number not in _CANNOT_EXCHANGE:
        raise OSError(number, os.strerror(number), str(one), None, str(other))
    return not failed


def write_own(folder: Path, schema: str) -> None:
    """Write the manifest of everything below a folder, which makes all of it ours."""
    files: dict[str, Any] = {}
    links: dict[str, str] = {}
    for name in sorted(set(_entries(folder)) - {MANIFEST}):
        path = folder / name
        if path.is_symlink():
            links[name] = "" if leads_out(path.readlink(), name) else str(path.readlink())
        else:
            files[name] = {"sha256": file_sha256(path), "bytes": path.stat().st_size}
    record = {"schema": schema, "schema_version": SCHEMA_VERSION, _FILES: files, _LINKS: links}
    write_manifest(folder / MANIFEST, record)


def leads_out(to: Path, name: str) -> bool:
    """Whether a link leaves the output folder; only the name identifies it, not its target.

    >>> leads_out(Path("../../store/lm-01"), "08-lm"), leads_out(Path("../../../books"), "corpus-train")
    (False, True)
    """
    return to.is_absolute() or os.path.normpath(Path("a/b", name).parent / to).startswith("..")


def _read_own(folder: Path) -> dict[str, str]:
    """Name -> identity of every file and link that we wrote."""
    manifest = read_manifest(folder / MANIFEST)
    if (
        _LINKS not in manifest
        or _FILES not in manifest
        or manifest.get("schema_version") != SCHEMA_VERSION
    ):
        raise DamageError(
            f"{folder / MANIFEST}: written by another version of cloze-gen, or by another program."
        )
    files, links = manifest[_FILES], manifest[_LINKS]
    if (
        not _is_table(files, dict)
        or not _is_table(links, str)
        or not all(isinstance(one.get("sha256"), str) for one in files.values())
    ):
        raise DamageError(f"{folder / MANIFEST}: not the manifest of a folder of ours.")
    outside = [name for name in (*files, *links) if not stays_within(name)]
    if outside:
        raise DamageError(
            f"{folder / MANIFEST}: names {quote(outside[0])}, which is not a file of this folder."
        )
    own = {name: facts["sha256"] for name, facts in files.items()}
    return own | {name: f"{_LINK}{to}" for name, to in links.items()}


def _own_or_nothing(folder: Path) -> dict[str, str]:
    """As `_read_own`, with the manifest itself; empty without a manifest."""
    try:
        return _read_own(folder) | {MANIFEST: _identity(folder / MANIFEST) or ""}
    except DamageError:
        return {}


def _below(own: Mapping[str, str], entry: str) -> dict[str, str]:
    """Our files in one entry, by names below it; the name is empty for a file."""
    return {
        name.partition("/")[2]: identity
        for name, identity in own.items()
        if name.partition("/")[0] == entry
    }


def _is_table(value: Any, kind: type) -> bool:
    return isinstance(value, dict) and all(isinstance(one, kind) for one in value.values())


def _entries(path: Path) -> Iterator[str]:
    """Everything below a folder that is no folder, with `/`; an empty name for a file itself."""
    if not _is_folder(path):
        yield ""
        return  # `os.walk` would follow a link
    for place, folders, files in os.walk(path):
        here = Path(place)
        linked = [name for name in folders if (here / name).is_symlink()]
        yield from ((here / name).relative_to(path).as_posix() for name in [*files, *linked])


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_below_link(folder: Path, name: str) -> bool:
    """Whether there is a link between a folder and a file of ours."""
    return any((folder / parent).is_symlink() for parent in Path(name).parents if parent.name)


def _is_same(found: str | None, written: str | None) -> bool:
    return found is not None and (
        found == written or (written == _LINK and found.startswith(_LINK))
    )


def _identity(path: Path) -> str | None:
    """Identity of a file or link; None for anything else."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return f"{_LINK}{path.readlink()}"
        return file_sha256(path) if stat.S_ISREG(mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return None


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
def own_folder_lock(folder: Path, name: str, *, locks: Path | None = None) -> Iterator[None]:
    """Lock the folder for this writer, and remove temporary folders of a killed writer."""
    place = hashlib.blake2b(
        str(folder.resolve()).encode("utf-8", "surrogateescape"), digest_size=8
    ).hexdigest()
    with exclusive_lock(
        (locks or Path(tempfile.gettempdir()) / f"cloze-gen-{os.getuid()}") / f"{name}-{place}"
    ):
        remove_stale_temp_dirs(folder.parent)
        yield

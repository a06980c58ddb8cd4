"""Folders that we write and people use: a run, an evaluation.

A manifest says what we wrote there. When the folder is written anew, ours goes and everything else stays: what a person laid beside it
where it is, what a person changed beside the new file as ``NAME.kept-1``. The new folder takes the old one's place in one step, so
whoever looks, and whenever the writer is killed, finds the old folder whole or the new one.

Writers of one folder must hold one lock.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.errors import DamageError, StoreError
from cloze_gen.notation import shown
from cloze_gen.store.files import stays_within
from cloze_gen.store.locks import partial_folder
from cloze_gen.store.manifest import MANIFEST, SCHEMA_VERSION, file_sha256, read_manifest, write_manifest
from cloze_gen.store.name_swap import exchange

_LINKS, _FILES = "links", "files"
_ANYWHERE = "-> "  # the identity of a link that leaves the output folder, and the beginning of every link's


def find_change(folder: Path, only: Sequence[str] = ()) -> str | None:
    """The first thing of ours in a published folder that is not as it was written, as a sentence; None when all is.

    Args:
        only: names to look at; all of them without any.
    """
    try:
        manifest = _read_own(folder)
    except DamageError as error:
        return error.what
    for name, written in sorted(_own(manifest).items()):
        if only and name not in only:
            continue
        found = None if _is_below_link(folder, name) else _identity(folder / name)
        if found != written and not (found and written == _ANYWHERE and found.startswith(_ANYWHERE)):
            return f"{folder / name}: {'missing' if found is None else 'changed since it was written'}."
    missing = [name for name in only if name not in _own(manifest)]
    return f"{folder / missing[0]}: not among what was written here." if missing else None


def replace_published(target: Path, schema: str, write: Callable[[Path], None]) -> list[str]:
    """Write a published folder anew, in the place of an older one where there is one.

    Args:
        schema: what the manifest calls it.
        write: given a temporary folder beside `target`, writes every file and link of the new one.
    Returns:
        a sentence for each thing that was changed by hand and is kept under another name.
    Raises:
        StoreError: `target` is no folder.
    """
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise StoreError(f"{target}: is no folder. It is left as it is; move it away or choose another name, and run again.")
    said = settle(target)
    with partial_folder(target) as partial:
        write(partial)
        write_own(partial, schema)
        if not target.exists():
            partial.rename(target)
            return said
        shutil.copymode(target, partial)  # who may look into it is a person's to say
        coming = _leaving_name(target)
        partial.rename(coming)
    if not exchange(coming, target):  # between these two renames the name is without its folder; `settle` gives it back
        old = _leaving_name(target)
        target.rename(old)
        coming.rename(target)
    return said + settle(target)


def rewrite_published(target: Path, schema: str, change: Callable[[Path], None]) -> list[str]:
    """Write a published folder anew with everything of ours it has, after `change` was made to a copy.

    Raises:
        DamageError: something of ours is not as it was written.
    """
    changed = find_change(target)
    if changed:
        raise DamageError(changed)

    def write(partial: Path) -> None:
        for name in _own(_read_own(target)):
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(target / name, partial / name, follow_symlinks=False)  # a run is as old as its run.json
        change(partial)

    return replace_published(target, schema, write)


def settle(target: Path) -> list[str]:
    """Finish what a killed writer began: what a person had laid into the folder that it replaced comes back; ours goes.

    Returns:
        a sentence for each thing that is kept under another name.
    """
    said = []
    for old in leavings(target):
        if not target.exists():
            old.rename(target)
            continue
        said += _give_back(old, target)
    return said


def leavings(target: Path) -> list[Path]:
    """Folders that were replaced, or were about to take the place of, `target`, and have not been settled yet."""
    pattern = re.compile(re.escape(f".{target.name}~replaced-") + "[0-9a-f]{8}")
    if not target.parent.is_dir():
        return []
    return sorted(path for path in target.parent.iterdir() if pattern.fullmatch(path.name) and path.is_dir())


def _leaving_name(target: Path) -> Path:
    return target.parent / f".{target.name}~replaced-{secrets.token_hex(4)}"


def _give_back(old: Path, target: Path) -> list[str]:
    """Move what is not ours from a replaced folder to the new one; then the old one holds nothing but ours, and goes."""
    try:
        own: dict[str, str] = _own(_read_own(old))
        own[MANIFEST] = _identity(old / MANIFEST) or ""
    except DamageError:  # never ours, or damaged: then nothing in it is known to be ours
        own = {}
    said = []
    # What a person laid goes first, to its own place. The manifest goes last: after a kill it must still tell what is ours.
    for name in sorted(_entries(old), key=lambda name: (name == MANIFEST, name in own, name)):
        identity = _identity(old / name)
        anywhere = own.get(name) == _ANYWHERE and (identity or "").startswith(_ANYWHERE)
        if anywhere or (identity is not None and identity in (own.get(name), _identity(target / name))):
            (old / name).unlink()
            continue
        place = _free_place(target, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        (old / name).rename(place)
        if place != target / name:
            said.append(f"{target / name}: changed by hand; kept as {place.relative_to(target)}.")
    for folder in sorted((path for path in old.rglob("*") if path.is_dir()), reverse=True):
        if not any(name.startswith(f"{folder.relative_to(old).as_posix()}/") for name in own):
            _free_place(target, folder.relative_to(old).as_posix(), folder=True).mkdir(parents=True, exist_ok=True)
        folder.rmdir()
    old.rmdir()
    return said


def _free_place(target: Path, name: str, *, folder: bool = False) -> Path:
    """Where something of a person's can lie in the new folder: in its own place, or in the nearest name that is free."""
    place = target
    *above, last = name.split("/")
    for part in above:
        place = _first(place, part, lambda path: path.is_dir() and not path.is_symlink())
    return _first(place, last, lambda path: folder and path.is_dir() and not path.is_symlink())


def _first(folder: Path, name: str, will_do: Callable[[Path], bool]) -> Path:
    number, place = 0, folder / name
    while os.path.lexists(place) and not will_do(place):
        number += 1
        place = folder / f"{name}.kept-{number}"
    return place


def write_own(folder: Path, schema: str) -> None:
    """Write the manifest of everything below a folder, as it lies there: from now on all of it is ours."""
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
    """Whether a link leaves the output folder, two floors above a published one: where to depends on the machine, so it is known by its
    name alone.

    >>> leads_out(Path("../../store/lm-01"), "08-lm"), leads_out(Path("../../../books"), "corpus-train")
    (False, True)
    """
    return to.is_absolute() or os.path.normpath(Path("a/b", name).parent / to).startswith("..")


def _read_own(folder: Path) -> dict[str, Any]:
    manifest = read_manifest(folder / MANIFEST)
    if _LINKS not in manifest or _FILES not in manifest or manifest.get("schema_version") != SCHEMA_VERSION:
        raise DamageError(f"{folder / MANIFEST}: written by another version of cloze-gen, or by another program.")
    files, links = manifest[_FILES], manifest[_LINKS]
    if not _is_table(files, dict) or not _is_table(links, str) or not all(isinstance(one.get("sha256"), str) for one in files.values()):
        raise DamageError(f"{folder / MANIFEST}: not the manifest of a folder of ours.")
    outside = [name for name in (*files, *links) if not stays_within(name)]
    if outside:
        raise DamageError(f"{folder / MANIFEST}: names {shown(outside[0])}, which is no file of this folder.")
    return manifest


def _is_table(value: Any, kind: type) -> bool:
    return isinstance(value, dict) and all(isinstance(one, kind) for one in value.values())


def _own(manifest: dict[str, Any]) -> dict[str, str]:
    """Name -> identity of every file and link that we wrote."""
    files = {name: facts["sha256"] for name, facts in manifest[_FILES].items()}
    return files | {name: f"-> {to}" for name, to in manifest[_LINKS].items()}


def _entries(folder: Path) -> Iterator[str]:
    """Everything below a folder that is no folder: files, links (also those to folders), pipes; with `/`."""
    for place, folders, files in os.walk(folder):
        here = Path(place)
        linked = [name for name in folders if (here / name).is_symlink()]
        yield from ((here / name).relative_to(folder).as_posix() for name in [*files, *linked])


def _is_below_link(folder: Path, name: str) -> bool:
    """Whether a link stands between a folder and a file of ours: then the file is none of this folder."""
    return any((folder / parent).is_symlink() for parent in Path(name).parents if parent.name)


def _identity(path: Path) -> str | None:
    """What a file or link is known by; None for what is not there, or is neither."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return f"-> {path.readlink()}"
        return file_sha256(path) if stat.S_ISREG(mode) else None
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return None

"""A file of a release, line by line, where it is as published and its lines stand in random order."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from cloze_gen.errors import DamageError, FormatError, UsageError
from cloze_gen.evaluate.exchangeable import find_arrangement
from cloze_gen.notation import NotationError, parse_json, reason, shown
from cloze_gen.stages.release.checksums import CHECKSUMS, parse_checksums
from cloze_gen.stages.release.order import CORPUS, SHUFFLED
from cloze_gen.store.files import read_below, stays_within
from cloze_gen.store.runs import RELEASE_FILE, leads_to

DEFAULT_FILES = ("test.jsonl", "questions.jsonl")
ITEM_FILES = (*DEFAULT_FILES, "train.jsonl", "validation.jsonl", "control.jsonl", "passages.jsonl")  # of a release, an item a line
_VOUCH = "If you know that its lines were put in random order before they were published, say so with --exchangeable."


def read_published_lines(folder: Path, file: str, *, exchangeable: bool) -> tuple[str, list[str]]:
    r"""The name of a file of the release, and its lines without their `\n`, blank ones left out.

    Args:
        file: its name in the folder; empty: the first of `DEFAULT_FILES` that is there.
        exchangeable: the user vouches for the order of a file that no `release.json` speaks for.
    Raises:
        UsageError: there is no such file, or its lines are not known to stand in random order, or evidently do not.
        DamageError: it is not as `SHA256SUMS` says.
        FormatError: it is no text, or what stands beside it cannot be read.
    """
    if not leads_to(folder, Path.is_dir):
        raise UsageError(f"{shown(str(folder), most_chars=300)}: no such folder; give the folder of a release, such as runs/NAME/release.")
    name = file or _first_there(folder)
    if not stays_within(name):
        raise UsageError(f"--file {shown(name)}: give a file of the release by its name in {folder}.")
    _check_order(folder, exchangeable=exchangeable)
    data = _read(folder, name)
    _check_sum(folder, name, data, exchangeable=exchangeable)
    try:
        lines = [line for line in data.decode("utf-8-sig").split("\n") if line.strip()]
    except UnicodeDecodeError as error:
        raise FormatError(f"{folder / name}: is no text in UTF-8 (byte {error.start}); give a file with an item a line.") from None
    if len(lines) < 2:
        raise UsageError(f"{folder / name}: {len(lines)} lines have one order; give a file with an item a line.")
    if not exchangeable and name not in ITEM_FILES and len(lines) not in _item_counts(folder):
        raise UsageError(
            f"{folder / name}: {len(lines):,} lines are not one for each item of the set or of a split, so their order is not the "
            f"items'. {_VOUCH}"
        )
    found = find_arrangement(lines)
    if found:
        raise UsageError(
            f"{folder / name}: its lines do not stand in random order, but {found}, and a model likes that without having seen it. "
            "Give a file of one split with an item a line (--file), made with release.order = shuffled."
        )
    return name, lines


def _item_counts(folder: Path) -> set[int]:
    """Lines of the files that have one for each item."""
    return {sum(map(bool, map(bytes.strip, _read(folder, name).split(b"\n")))) for name in ITEM_FILES if _is_there(folder, name)}


def _first_there(folder: Path) -> str:
    name = next((name for name in DEFAULT_FILES if _is_there(folder, name)), None)
    if name is None:
        raise UsageError(f"{folder}: holds no {' or '.join(DEFAULT_FILES)}; name a file with an item a line by --file.")
    return name


def _check_order(folder: Path, *, exchangeable: bool) -> None:
    """What `release.json` says of the order. It outweighs the user where it says that the items stand as in the books."""
    path = folder / RELEASE_FILE
    if not _is_there(folder, RELEASE_FILE):
        if not exchangeable:
            raise UsageError(f"{folder}: has no {RELEASE_FILE} that says in which order its items stand. {_VOUCH}")
        return
    try:
        record = parse_json(_read(folder, RELEASE_FILE))
    except NotationError as error:
        raise FormatError(f"{path}: not JSON ({error}); take the release anew from where it was published.") from None
    order = record.get("order") if isinstance(record, dict) else None
    if order == SHUFFLED:
        return
    if order == CORPUS:
        raise UsageError(
            f"{path}: order is {CORPUS}: the items stand as in the books, and a model likes that without having seen it. Nothing can "
            "be tested on this release; make one with release.order = shuffled."
        )
    if not exchangeable:
        raise UsageError(f"{path}: order is {shown(order)}, not {SHUFFLED}. {_VOUCH}")


def _check_sum(folder: Path, name: str, data: bytes, *, exchangeable: bool) -> None:
    path = folder / CHECKSUMS
    if not _is_there(folder, CHECKSUMS):
        if not exchangeable:
            raise UsageError(f"{folder}: has no {CHECKSUMS}, so nobody knows whether {name} is as published. {_VOUCH}")
        return
    sums = parse_checksums(_read(folder, CHECKSUMS).decode("utf-8", errors="replace"), where=str(path))
    if name not in sums:
        raise UsageError(f"{path}: does not list {name}, which is no file of this release then; --file names another.")
    found = hashlib.sha256(data).hexdigest()
    if found != sums[name]:
        raise DamageError(f"{folder / name}: not as published: its sha256 is {found}, {CHECKSUMS} says {shown(sums[name], most_chars=80)}.")


def _is_there(folder: Path, name: str) -> bool:
    """Whether anything bears this name in the folder, a dangling link too: what is there is read or refused, never passed over."""
    return os.path.lexists(folder / name)


def _read(folder: Path, name: str) -> bytes:
    """A file of the folder, by the rule for files of other people (`store.files.read_below`)."""
    try:
        return read_below(folder, name)
    except (OSError, ValueError) as error:
        advice = "give the folder of a release, and --file a file in it."
        raise UsageError(f"{folder / name}: cannot be read ({reason(error)}); {advice}") from None

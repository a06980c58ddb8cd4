"""Which finished items a study asks about: a pool of a run's set, and as many of other sets, so mixed that nobody can tell them apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from cloze_gen.errors import UsageError
from cloze_gen.judging.attention import ATTENTION
from cloze_gen.judging.settings import StudySettings
from cloze_gen.records.judgement import StudyItem
from cloze_gen.records.spans import TakenSpans
from cloze_gen.rng import derive_rng
from cloze_gen.stages.release.signature import SIGNATURE, read_signature, told_digest
from cloze_gen.store.runs import FULL, RELEASE, RUN_FILE, check_as_written, leads_to, released_folder

RELEASED = "release"  # what a study of finished items is drawn from, as `StudyFacts.of` calls it
_MOST_NAME_CHARS = 80
_TAKEN = frozenset({ATTENTION, RELEASED})  # sources and keys that mean something else

ReadSet = Callable[[Path], tuple[str, Sequence[StudyItem]]]  # a file -> digest of its set, its items without a span


def released_file(run: Path, file: str) -> Path:
    """A file of a run's released set, as it was written.

    Raises:
        UsageError: it was changed or is gone.
    """
    released = released_folder(run)
    check_as_written(run, RUN_FILE, f"{released.name}/{file}", f"{released.name}/{SIGNATURE}")
    return released / file


def released_identity(run: Path) -> str:
    """What a run's released set is, as its signature tells it."""
    return told_digest(read_signature(run))


def draw_pool(items: Iterable[StudyItem], settings: StudySettings) -> list[StudyItem]:
    """As many as the pool, in an order drawn for each by itself; none that overlaps one before it, for nobody is shown both."""
    taken = TakenSpans()
    pool: list[StudyItem] = []
    for item in _shuffled(items, settings.seed, "judging.pool"):
        if settings.pool and len(pool) == settings.pool:
            break
        own = sorted(set(item.spans))
        if any(taken.overlaps(*span) for span in own):
            continue
        pool.append(item)
        for span in own:
            taken.add(*span)
    return pool


def add_sets(
    items: Sequence[StudyItem], settings: StudySettings, paths: Sequence[Path], *, file: str, read: ReadSet
) -> tuple[list[StudyItem], dict[str, str]]:
    """The items of a run and as many of each other set, shuffled; an item of another set is called ``NAME/ID``.

    Args:
        paths: of a run, of a folder that holds `file`, or of a file that `read` reads.
    Returns:
        The items, and name of each other set -> its digest.
    Raises:
        UsageError: a path leads to no such set, or to one twice.
    """
    mixed, digests = list(items), dict[str, str]()
    for path in paths:
        name, place = _find_set(path, file)
        digest, others = read(place)
        known = {one.id: one.shown for one in others}
        if digest in digests.values() or (items and all(known.get(item.id) == item.shown for item in items)):
            raise UsageError(f"{path}: holds a set that the study has already; it asks about each once.")
        name = set_name(name, {*digests, *(item.source for item in items)})
        digests[name] = digest
        mixed += draw_pool((replace(one, id=f"{name}/{one.id}", spans=(), source=name) for one in others), settings)
    return _shuffled(mixed, settings.seed, "judging.mix"), digests


def set_name(name: str, taken: Collection[str] = ()) -> str:
    """What the items of a set are marked with: its name, where another has it with a number behind it.

    >>> set_name("dev set"), set_name("mine", {"mine"}), set_name("release")
    ('dev-set', 'mine-2', 'release-2')
    """
    plain = re.sub(r"[^\w.-]+", "-", name)[:_MOST_NAME_CHARS] or "set"
    number, found = 1, plain
    while found in {*taken, *_TAKEN}:
        number += 1
        found = f"{plain}-{number}"
    return found


def _find_set(path: Path, file: str) -> tuple[str, Path]:
    """The name of a set and its file: of a run, of a release, or the file itself."""
    if leads_to(path / RUN_FILE, Path.is_file):
        place = released_folder(path) / file
        if not place.is_file():
            raise UsageError(f"{path}: a run of other items; it has no {file}")
        return path.resolve().name, released_file(path, file)
    if leads_to(path, Path.is_dir):
        if not (path / file).is_file():
            raise UsageError(f"{path}: a folder, but neither a run nor a release with a {file} in it")
        folder = path.resolve()
        return folder.parent.name if folder.name in {RELEASE, FULL} else folder.name, folder / file
    return path.stem, path


def _shuffled(items: Iterable[StudyItem], seed: int, purpose: str) -> list[StudyItem]:
    return sorted(items, key=lambda item: (derive_rng(seed, purpose, item.id).random(), item.id))

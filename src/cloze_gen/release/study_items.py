"""Items of a study: those of a run, mixed with other sets (MSR 4.4; Kong et al. 2020, 5.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloze_gen.errors import UsageError
from cloze_gen.formats.questions import around_blank
from cloze_gen.judging.state import StudySettings
from cloze_gen.judging.study import StudySource, item_verdicts
from cloze_gen.judging.study_agreement import item_digest
from cloze_gen.parsing import quote
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.judgement import Span, StudyItem, Task
from cloze_gen.records.passage import Part
from cloze_gen.records.question import Question
from cloze_gen.records.spans import TakenSpans
from cloze_gen.release.signature import SIGNATURE, digest_in_signature, read_signature
from cloze_gen.rng import derive_rng
from cloze_gen.store.runs import (
    FULL,
    RELEASE,
    RUN_FILE,
    check_as_written,
    leads_to,
    released_folder,
)
from cloze_gen.store.tables import PASSAGE_SET, QUESTIONS

if TYPE_CHECKING:
    from cloze_gen.evaluation.questions import QuestionSet

RELEASED = "release"  # key in `StudyFacts.of` for a study of finished items
_MOST_NAME_CHARS = 80

# a file -> (digest of its set, its items without spans)
ReadSet = Callable[[Path], tuple[str, Sequence[StudyItem]]]


def _released_file(run: Path, file: str) -> Path:
    released = released_folder(run)
    check_as_written(run, RUN_FILE, f"{released.name}/{file}", f"{released.name}/{SIGNATURE}")
    return released / file


def _released_identity(run: Path) -> str:
    return digest_in_signature(read_signature(run))


def draw_pool(items: Iterable[StudyItem], settings: StudySettings) -> list[StudyItem]:
    """The first `settings.pool` items (0: all) in random order, without overlapping items."""
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
    items: Sequence[StudyItem],
    settings: StudySettings,
    paths: Sequence[Path],
    *,
    file: str,
    read: ReadSet,
) -> tuple[list[StudyItem], dict[str, str]]:
    """A run's items and as many of each other set, shuffled. Ids of the latter are ``NAME/ID``.

    Each path is a run, a folder that contains `file`, or a file for `read`. UsageError: a path is
    not such a set, or it is repeated. Returns the items, and name of each other set -> its digest.
    """
    mixed, digests = list(items), dict[str, str]()
    for path in paths:
        name, place = _find_set(path, file)
        digest, others = read(place)
        known = {one.id: one.shown for one in others}
        if digest in digests.values() or (
            items and all(known.get(item.id) == item.shown for item in items)
        ):
            raise UsageError(f"{path}: the study contains this set already. Pass each set once.")
        name = set_name(name, {*digests, *(item.source for item in items)})
        digests[name] = digest
        mixed += draw_pool(
            (replace(one, id=f"{name}/{one.id}", spans=(), source=name) for one in others), settings
        )
    return _shuffled(mixed, settings.seed, "judging.mix"), digests


def set_name(name: str, taken: Collection[str] = ()) -> str:
    """A set's name for the ids of its items, with a number if it is taken.

    >>> set_name("dev set"), set_name("mine", {"mine"}), set_name("release")
    ('dev-set', 'mine-2', 'release-2')
    """
    plain = re.sub(r"[^\w.-]+", "-", name)[:_MOST_NAME_CHARS] or "set"
    number, found = 1, plain
    while found in {*taken, RELEASED}:  # a key of `StudyFacts.of`
        number += 1
        found = f"{plain}-{number}"
    return found


def _find_set(path: Path, file: str) -> tuple[str, Path]:
    if leads_to(path / RUN_FILE, Path.is_file):
        place = released_folder(path) / file
        if not place.is_file():
            raise UsageError(f"{path}: this run has items of another kind; it has no {file}")
        return path.resolve().name, _released_file(path, file)
    if leads_to(path, Path.is_dir):
        if not (path / file).is_file():
            raise UsageError(f"{path}: neither a run nor a release that contains {file}")
        folder = path.resolve()
        return folder.parent.name if folder.name in {RELEASE, FULL} else folder.name, folder / file
    return path.stem, path


def _shuffled(items: Iterable[StudyItem], seed: int, purpose: str) -> list[StudyItem]:
    return sorted(items, key=lambda item: (derive_rng(seed, purpose, item.id).random(), item.id))


def show_question(question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
    before, after = around_blank(question.blank)
    return {"before": before, "after": after, "options": list(question.options)}, {
        "answer": question.answer_index
    }


def questions_by_digest(found: QuestionSet) -> dict[str, Question]:
    """`item_digest` -> question; verdict files identify questions by it."""
    return {item_digest(*show_question(one)): one for one in found.questions}


def _own_questions(path: Path) -> list[StudyItem]:
    from cloze_gen.evaluation.sets import read_question_set  # slow to import

    found = read_question_set(path)
    return [
        _item(one.id, show_question(one), _span(record["source"]))
        for one, record in zip(found.questions, found.records, strict=True)
    ]


def _other_questions(path: Path) -> tuple[str, list[StudyItem]]:
    from cloze_gen.evaluation.sets import read_question_set  # slow to import

    found = read_question_set(path)
    return found.digest, [_item(one.id, show_question(one)) for one in found.questions]


def show_passage(passage: BlankedPassage) -> tuple[dict[str, Any], dict[str, Any]]:
    """The shown fields of a passage, with blanks numbered as in its file, and its key."""
    numbers = {place: number for number, place in enumerate(passage.blanks, 1)}
    parts = [
        {"blank": numbers[place]} if text is None else text
        for place, text in enumerate(passage.shown)
    ]
    return {"parts": parts, "candidates": list(passage.candidates)}, {
        "answers": list(passage.answers)
    }


def passages_by_digest(passages: Iterable[BlankedPassage]) -> dict[str, BlankedPassage]:
    """`item_digest` -> passage; verdict files identify passages by it."""
    return {item_digest(*show_passage(one)): one for one in passages}


def _own_passages(path: Path) -> list[StudyItem]:
    """All passages except those of the part `train`. Spans include the distractors."""
    from cloze_gen.evaluation.sets import read_blanked_set  # slow to import

    return [
        _item(
            one.passage.id,
            show_passage(one.passage),
            [
                (source.book_id, source.start, source.end)
                for source in (*one.sources, *one.candidate_sources)
            ],
        )
        for one in read_blanked_set(path).passages
        if one.part != Part.TRAIN
    ]


def _other_passages(path: Path) -> tuple[str, list[StudyItem]]:
    from cloze_gen.evaluation.sets import read_cloze_examples  # slow to import

    found = read_cloze_examples(path)
    return found.digest, [
        _item(one.passage.id, show_passage(one.passage)) for one in found.passages
    ]


def _span(source: Mapping[str, Any]) -> list[Span]:
    return [(source["book_id"], source["start"], source["end"])]


def _item(
    item_id: str, shown: tuple[dict[str, Any], dict[str, Any]], spans: Iterable[Span] = ()
) -> StudyItem:
    return StudyItem(item_id, tuple(dict.fromkeys(spans)), *shown, source="")


def _study_source(
    task: Task, file: str, own: Callable[[Path], Iterable[StudyItem]], other: ReadSet
) -> StudySource:
    def draw(run: Path, settings: StudySettings) -> list[StudyItem]:
        name = set_name(run.name)
        items = own(_released_file(run, file))
        return draw_pool((replace(one, source=name) for one in items), settings)

    def draw_named(run: Path, ids: Sequence[str]) -> list[StudyItem]:
        by_id = {one.id: one for one in own(_released_file(run, file))}
        # The item of a blank, PASSAGE:BLANK, is its passage.
        named = [one if one in by_id else one.rpartition(":")[0] for one in ids]
        unknown = [one for one, name in zip(ids, named, strict=True) if name not in by_id]
        if unknown:
            raise UsageError(
                f"--items: {len(unknown):,} of {len(ids):,} ids are not in the release of {run.name} "
                f"(first: {quote(unknown[0])}). Analyse the items of this run again."
            )
        return [replace(by_id[one], source=set_name(run.name)) for one in dict.fromkeys(named)]

    def draw_others(
        items: Sequence[StudyItem], settings: StudySettings, paths: Sequence[Path]
    ) -> tuple[list[StudyItem], dict[str, str]]:
        return add_sets(items, settings, paths, file=file, read=other)

    return StudySource(
        task=task,
        of=RELEASED,
        draw=draw,
        verdicts=item_verdicts,
        identity=_released_identity,
        draw_named=draw_named,
        draw_others=draw_others,
    )


READING = _study_source(Task.READ, QUESTIONS, _own_questions, _other_questions)
FILLING = _study_source(Task.FILL, PASSAGE_SET, _own_passages, _other_passages)

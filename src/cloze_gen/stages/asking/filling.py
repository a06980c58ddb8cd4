"""Filling blanks: people put the candidates of a passage back, as those did whose figures the paper gives (Kong et al. 2020, 5.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.judging.item_verdicts import item_digest
from cloze_gen.judging.settings import StudySettings
from cloze_gen.records.blanked_passage import BlankedPassage, SetBlankedPassage
from cloze_gen.records.judgement import Span, StudyItem, Task
from cloze_gen.records.passage import Part
from cloze_gen.stages.asking.drawing import RELEASED, add_sets, draw_pool, released_file, released_identity, set_name
from cloze_gen.stages.evaluation.blank_sets import read_asked_blanks, read_blanked_set
from cloze_gen.stages.tables import PASSAGE_SET
from cloze_gen.studies.agreement import item_verdicts
from cloze_gen.studies.asking import Asking


def draw(run: Path, settings: StudySettings) -> list[StudyItem]:
    """Passages of a run's set that an evaluation measures: all but those of the part `train`; none that shares a sentence with another.

    Raises:
        UsageError: the set is not as it was written.
    """
    found = read_blanked_set(released_file(run, PASSAGE_SET))
    name = set_name(run.name)
    return draw_pool((_item(one.passage, name, _spans(one)) for one in found.passages if one.part != Part.TRAIN), settings)


def draw_others(items: Sequence[StudyItem], settings: StudySettings, paths: Sequence[Path]) -> tuple[list[StudyItem], dict[str, str]]:
    """Those passages and as many of each other set, shuffled among them.

    Args:
        paths: a run, a folder with a `passages.jsonl`, or a file of blanked passages: that, or one in the published layout of SCDE.
    Raises:
        UsageError: a path leads to no blanked passages that are measured.
        FormatError: a file does not follow its format.
    """
    return add_sets(items, settings, paths, file=PASSAGE_SET, read=_read)


def shown_of(passage: BlankedPassage) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a judge is shown of a passage, its blanks numbered as its file numbers them, and its key."""
    numbers = {place: number for number, place in enumerate(passage.blanks, 1)}
    parts = [{"blank": numbers[place]} if text is None else text for place, text in enumerate(passage.shown)]
    return {"parts": parts, "candidates": list(passage.candidates)}, {"answers": list(passage.answers)}


def passages_by_digest(passages: Iterable[BlankedPassage]) -> dict[str, BlankedPassage]:
    """`item_digest` of every passage: what tells in a file of verdicts which passage one is on."""
    return {item_digest(*shown_of(one)): one for one in passages}


def _read(path: Path) -> tuple[str, list[StudyItem]]:
    found = read_asked_blanks(path)
    return found.digest, [_item(one.passage, "", ()) for one in found.passages]


def _item(passage: BlankedPassage, name: str, spans: tuple[Span, ...]) -> StudyItem:
    shown, key = shown_of(passage)
    return StudyItem(passage.id, spans, shown, key, name)


def _spans(one: SetBlankedPassage) -> tuple[Span, ...]:
    """Of its sentences and of its distractors, each by itself: a distractor may stand among the sentences of another passage."""
    return tuple(dict.fromkeys((source.book_id, source.start, source.end) for source in (*one.sources, *one.candidate_sources)))


FILLING = Asking(task=Task.FILL, of=RELEASED, draw=draw, verdicts=item_verdicts, identity=released_identity, draw_others=draw_others)

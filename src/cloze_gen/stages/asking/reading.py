"""Reading: people answer the questions of a set and mark what is wrong with them, mixed with those of other sets (MSR 4.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.formats.printed import around_blank
from cloze_gen.judging.item_verdicts import item_digest
from cloze_gen.judging.settings import StudySettings
from cloze_gen.records.judgement import Span, StudyItem, Task
from cloze_gen.records.question import Question
from cloze_gen.stages.asking.drawing import RELEASED, add_sets, draw_pool, released_file, released_identity, set_name
from cloze_gen.stages.evaluation.question_sets import read_question_set
from cloze_gen.stages.tables import QUESTIONS
from cloze_gen.studies.agreement import item_verdicts
from cloze_gen.studies.asking import Asking


def draw(run: Path, settings: StudySettings) -> list[StudyItem]:
    """Questions of a run's set; of several of one sentence one at most.

    Raises:
        UsageError: the set is not as it was written.
    """
    found = read_question_set(released_file(run, QUESTIONS))
    name = set_name(run.name)
    return draw_pool((_item(one, name, _spans(record)) for one, record in zip(found.questions, found.records, strict=True)), settings)


def draw_others(items: Sequence[StudyItem], settings: StudySettings, paths: Sequence[Path]) -> tuple[list[StudyItem], dict[str, str]]:
    """Those questions and as many of each other set, shuffled among them.

    Args:
        paths: a run, a folder with a `questions.jsonl`, or a file of questions: that, or a machine-format one with its answers beside it.
    Raises:
        UsageError: a path leads to no questions, or their answers are not beside them.
        FormatError: a file does not follow its format.
    """
    return add_sets(items, settings, paths, file=QUESTIONS, read=_read)


def shown_of(question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a judge is shown of a question, and its key."""
    before, after = around_blank(question.blank)
    return {"before": before, "after": after, "options": list(question.options)}, {"answer": question.answer_index}


def questions_by_digest(found: QuestionSet) -> dict[str, Question]:
    """`item_digest` of every question: what tells in a file of verdicts which question one is on."""
    return {item_digest(*shown_of(one)): one for one in found.questions}


def _read(path: Path) -> tuple[str, list[StudyItem]]:
    found = read_question_set(path)
    return found.digest, [_item(one, "", ()) for one in found.questions]


def _item(question: Question, name: str, spans: tuple[Span, ...]) -> StudyItem:
    shown, key = shown_of(question)
    return StudyItem(question.id, spans, shown, key, name)


def _spans(record: Mapping[str, Any]) -> tuple[Span, ...]:
    source = record["source"]
    return ((source["book_id"], source["start"], source["end"]),)


READING = Asking(task=Task.READ, of=RELEASED, draw=draw, verdicts=item_verdicts, identity=released_identity, draw_others=draw_others)

"""What readers are shown of a run's questions."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.question_set import QuestionSet
from cloze_gen.formats.msr.machine import format_machine
from cloze_gen.judging.item_verdicts import item_digest
from cloze_gen.judging.settings import StudySettings
from cloze_gen.records.judgement import StudyItem
from cloze_gen.stages.asking.reading import READING, draw, draw_others, questions_by_digest
from cloze_gen.stages.evaluation.question_sets import read_question_set
from cloze_gen.store.tables import read_jsonl


def test_a_question_is_shown_as_it_is_printed(finished: Any) -> None:
    """The sentence around the blank and the options, and nothing else: together they are the `input` of a release; the key is a place."""
    records = {one["id"]: one for one in read_jsonl(finished.release / "questions.jsonl")}
    items = draw(finished.folder, StudySettings(pool=20))
    assert len(items) == 20
    for item in items:
        record = records[item.id]
        assert set(item.shown) == {"before", "after", "options"}
        assert f"{item.shown['before']}_____{item.shown['after']}" == record["input"]
        assert (item.shown["options"], item.key) == (record["options"], {"answer": record["answer_index"]})
        assert item.spans == ((record["source"]["book_id"], record["source"]["start"], record["source"]["end"]),)
        assert item.source == "tiny"


def test_the_set_is_that_of_the_signature(finished: Any) -> None:
    """What a study remembers of it stands at the end of the signature."""
    assert READING.identity is not None
    assert (finished.release / "signature.txt").read_text().strip().endswith(f"|set:{READING.identity(finished.folder)}")


def test_a_set_that_was_changed_is_not_read(copied: Any) -> None:
    """One message; nobody reads what the run has not made."""
    file = copied.release / "questions.jsonl"
    file.write_text("".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[1:]), encoding="utf-8")
    with pytest.raises(UsageError, match=r"questions\.jsonl"):
        draw(copied.folder, StudySettings())


def test_a_published_file_is_read_among_them(finished: Any, tmp_path: Path) -> None:
    """Its answers beside it are the key; its questions are known again whatever file they stand in."""
    own = draw(finished.folder, StudySettings(pool=5))
    others = read_question_set(finished.release / "questions.jsonl").questions[-9:]
    for part, text in zip(("questions", "answers"), format_machine(others), strict=True):
        (tmp_path / f"dev.{part}.txt").write_text(text, encoding="utf-8")
    mixed, digests = draw_others(own, StudySettings(pool=5), [tmp_path / "dev.questions.txt"])
    assert list(digests) == ["dev.questions"]
    added = [one for one in mixed if one.source == "dev.questions"]
    known = questions_by_digest(QuestionSet(others))
    assert len(added) == 5
    assert all(known[item_digest(one.shown, one.key)].answer_index == one.key["answer"] for one in added)
    (tmp_path / "dev.answers.txt").unlink()
    with pytest.raises(UsageError, match="its answers are not beside it"):
        draw_others(own, StudySettings(), [tmp_path / "dev.questions.txt"])


def test_a_run_of_other_items_is_told(finished: Any, scde: Any) -> None:
    """A run of passages has no questions to read."""
    with pytest.raises(UsageError, match=r"a run of other items; it has no questions\.jsonl"):
        draw_others(draw(finished.folder, StudySettings(pool=2)), StudySettings(), [scde.folder])


@pytest.mark.parametrize("inside", ["", "release"])
def test_a_run_and_its_release_are_called_alike(finished: Any, tmp_path: Path, inside: str) -> None:
    """By the run's name, never `release`."""
    shutil.copytree(finished.folder, tmp_path / "theirs", symlinks=True)
    own = StudyItem("b:1:1", (), {}, {}, "mine")
    mixed, digests = draw_others([own], StudySettings(pool=2), [tmp_path / "theirs" / inside])
    assert list(digests) == ["theirs"]
    assert len(mixed) == 3

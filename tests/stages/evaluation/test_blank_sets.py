"""Blanked passages read from files, in the one form that scorers are asked in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.scde.jsonl import passage_record
from cloze_gen.formats.scde.published import format_published
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.stages.evaluation.blank_sets import asked_blanks, holds_blanked_passages, read_asked_blanks, read_blanked_set

SENTENCES = ('"Who\'s there?" asked Mr. Pin.', "It was Jane.", "Nobody answered.")
CANDIDATES = ("The lamp went out.", "It was Jane.")


def record(book: str, part: Part) -> dict[str, Any]:
    passage = BlankedPassage(f"{book}:4", SENTENCES, (1,), CANDIDATES, (1,))
    sources = tuple(SentenceSource(book, index, 10 * index, 10 * index + 9) for index in (4, 5, 6))
    return passage_record(SetBlankedPassage(passage, part, "", (2, 2, 2), sources, (SentenceSource(book, 1, 1, 2), sources[1])))


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    path = tmp_path / "passages.jsonl"
    rows = [record("a", Part.TRAIN), record("b", Part.DEVELOPMENT), record("c", Part.TEST)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def published(tmp_path: Path) -> Path:
    path = tmp_path / "dev.json"
    passage = BlankedPassage("0", ("We left.", "It rained.", ".", "So\u0000 what\tnow?"), (1,), ("Jane sang.", "It rained."), (1,))
    path.write_text(format_published([passage]), encoding="utf-8")
    return path


def test_training_passages_are_learnt_from_and_not_measured(ours: Path) -> None:
    """By their part; folds are cut by book; whole words, case kept, in the order of sentences and candidates."""
    found = read_asked_blanks(ours)
    assert [(one.passage.id, one.book, one.part) for one in found.passages] == [("b:4", "b", "development"), ("c:4", "c", "test")]
    assert [one.book for one in found.training] == ["a"]
    first = found.passages[0]
    assert first.sentences[0] == ('"', "Who's", "there", "?", '"', "asked", "Mr.", "Pin", ".")
    assert first.sentences[1] == first.candidates[1] == ("It", "was", "Jane", ".")
    assert found.digest == read_blanked_set(ours).digest


def test_a_published_file_is_measured_whole(published: Path) -> None:
    """No part, each passage a book of its own; a stray full stop is no sentence; control characters cut no words together."""
    (one,) = read_asked_blanks(published).passages
    assert (one.book, one.part, one.passage.sentences[2:]) == ("0", "", ("So\u0000 what\tnow?",))
    assert one.sentences == (("We", "left", "."), ("It", "rained", "."), ("So", "what", "now", "?"))


def test_a_file_to_learn_from_gives_its_training_passages(ours: Path, published: Path) -> None:
    """Of a set those of its part, of a published file all."""
    assert [one.book for one in read_asked_blanks(ours, to_learn=True).training] == ["a"]
    found = read_asked_blanks(published, to_learn=True)
    assert (len(found.training), found.passages) == (1, ())


def test_another_part_is_another_set(ours: Path) -> None:
    """What is measured is known by it: the same passages in another part have another digest."""
    before = read_asked_blanks(ours).digest
    ours.write_text(ours.read_text(encoding="utf-8").replace('"test"', '"train"'), encoding="utf-8")
    assert read_asked_blanks(ours).digest != before


def test_a_file_is_told_by_its_first_line(ours: Path, published: Path, tmp_path: Path) -> None:
    """Of questions and of passages that end in a word it says no, and of what is no file."""
    assert holds_blanked_passages(ours)
    assert holds_blanked_passages(published)
    for text in ('{"id": "b:1", "sentences": [["A"]], "target_at": 0}\n', "1a) A question .\n", "{", ""):
        other = tmp_path / "other"
        other.write_text(text, encoding="utf-8")
        assert not holds_blanked_passages(other), text
    assert not holds_blanked_passages(tmp_path)
    assert not holds_blanked_passages(tmp_path / "gone")


def test_what_cannot_be_read_is_told(tmp_path: Path, ours: Path) -> None:
    """Bytes that are no text, a set of training passages alone, a line that is no passage."""
    path = tmp_path / "x.json"
    path.write_bytes(b"[\xff]")
    with pytest.raises(UsageError, match="cannot be read"):
        read_asked_blanks(path)
    first = ours.read_text(encoding="utf-8").splitlines()[0]
    path.write_text(f"{first}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="holds no blanked passage to be measured"):
        read_asked_blanks(path)
    path.write_text(f"{first}\n{{}}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"x\.json, line 2"):
        read_asked_blanks(path)


def test_nothing_is_asked_of_nothing() -> None:
    """An empty list of passages is an empty list of asked ones."""
    assert asked_blanks([]) == ()

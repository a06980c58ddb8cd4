"""The statistics of a set as an artifact."""

from __future__ import annotations

import json
from pathlib import Path

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.formats.scde.jsonl import passage_record
from cloze_gen.recipes.scde.stages.statistics import write_statistics
from cloze_gen.recipes.scde.steps.statistics import PAPER
from cloze_gen.records.blanked_passage import BlankedPassage, SentenceSource, SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.keys import StageKey
from cloze_gen.store.tables import write_jsonl


def one(item: str, part: Part, *sentences: str) -> SetBlankedPassage:
    """A passage of which every second sentence is blanked, without distractors."""
    blanks = tuple(range(1, len(sentences), 2))
    passage = BlankedPassage(f"{item}:0", sentences, blanks, tuple(sentences[blank] for blank in blanks), tuple(range(len(blanks))))
    sources = tuple(SentenceSource(item, index, 10 * index, 10 * index + 9) for index in range(len(sentences)))
    return SetBlankedPassage(passage, part, "", (0,) * len(sentences), sources, tuple(sources[blank] for blank in blanks))


def statistics(store: Store, *passages: SetBlankedPassage) -> dict[str, dict[str, object]]:
    """Measure -> its row."""

    def lay(writer: ArtifactWriter) -> None:
        write_jsonl(writer.path("passages.jsonl"), map(passage_record, passages))

    def artifact(name: str) -> Artifact:
        key = StageKey(name, 1, {}, {})
        with store.writing(key) as writer:
            if writer is not None and name == "set":
                lay(writer)
            elif writer is not None:
                write_statistics(writer, Room(store, InProcessEngine(), name), finished=artifact("set"))
        return store.open(key)

    record = json.loads(artifact("statistics").path("statistics.json").read_text(encoding="utf-8"))
    assert [row["measure"] for row in record["measures"]] == list(PAPER)
    return {row["measure"]: row for row in record["measures"]}


def test_each_part_is_measured_by_itself(tmp_path: Path) -> None:
    """The whole set is no mean of its parts; the paper's figure stands in every row that has one."""
    rows = statistics(
        Store(tmp_path), one("a", Part.TRAIN, "We left.", "It rained on us.", "So?", "No."), one("b", Part.TEST, "A b.", "C.")
    )
    assert [rows["blanks per passage"][name] for name in ("all", "train", "test", "paper")] == [1.5, 2, 1, 4.99]
    assert [rows["words per candidate"][name] for name in ("all", "train", "test")] == [2, 2.5, 1]
    assert rows["variance of the candidate length"]["train"] == 2.25
    assert rows["consecutive blanks"]["unit"] == "share"


def test_a_part_without_passages_has_no_means(tmp_path: Path) -> None:
    """Null, not nought."""
    rows = statistics(Store(tmp_path), one("a", Part.TRAIN, "We left.", "It rained."))
    assert rows["passages"]["test"] == 0
    assert rows["words per passage"]["test"] is None

"""What people are shown of a run's passages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cloze_gen.formats.scde.published import format_published
from cloze_gen.judging.settings import StudySettings
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.stages.asking.filling import FILLING, draw, draw_others, passages_by_digest
from cloze_gen.store.tables import read_jsonl


def test_a_passage_is_shown_without_its_answers(scde: Any) -> None:
    """Sentences, numbered blanks and candidates; the key put back gives the sentences; no passage of the training books."""
    records = {one["id"]: one for one in read_jsonl(scde.release / "passages.jsonl")}
    items = draw(scde.folder, StudySettings())
    assert len(items) > 5
    for item in items:
        record = records[item.id]
        assert record["part"] != "train"
        assert set(item.shown) == {"parts", "candidates"}
        assert [part for part in item.shown["parts"] if isinstance(part, str)] == [text for text in record["passage"] if text is not None]
        numbers = {part["blank"]: place for place, part in enumerate(item.shown["parts"]) if isinstance(part, dict)}
        assert [numbers[n] for n in range(1, len(numbers) + 1)] == record["blanks"]
        assert item.key == {"answers": record["answers"]}
    assert FILLING.identity is not None
    assert (scde.release / "signature.txt").read_text().strip().endswith(f"|set:{FILLING.identity(scde.folder)}")


def test_no_two_passages_share_a_sentence(scde: Any) -> None:
    """Neither among their sentences nor among their candidates: who filled one has read nothing of another."""
    spans = [span for item in draw(scde.folder, StudySettings()) for span in item.spans]
    assert len(spans) == len(set(spans))


def test_published_passages_are_mixed_in(scde: Any, tmp_path: Path) -> None:
    """A file in the published layout, as it is evaluated: its stray full stops are not shown."""
    passage = BlankedPassage("4", ("It rained.", "Nobody came.", ".", "So it ended."), (1,), ("Ann wept.", "Nobody came."), (1,))
    (tmp_path / "dev.json").write_text(format_published([passage]), encoding="utf-8")
    mixed, digests = draw_others(draw(scde.folder, StudySettings(pool=3)), StudySettings(pool=3), [tmp_path / "dev.json"])
    assert list(digests) == ["dev"]
    [added] = [one for one in mixed if one.source == "dev"]
    assert added.id == "dev/4"
    assert added.shown == {"parts": ["It rained.", {"blank": 1}, "So it ended."], "candidates": ["Ann wept.", "Nobody came."]}
    assert added.key == {"answers": [1]}


@pytest.mark.parametrize("change", [{"answers": (0,)}, {"candidates": ("Bob wept.", "Nobody came.")}])
def test_another_passage_has_another_digest(change: dict[str, Any]) -> None:
    """Other candidates or another key under the same id."""
    values: dict[str, Any] = {"id": "4", "sentences": ("A.", "Nobody came."), "blanks": (1,), "candidates": ("Ann wept.", "Nobody came."),
                              "answers": (1,)}  # fmt: skip
    assert len(passages_by_digest([BlankedPassage(**values), BlankedPassage(**values | change)])) == 2

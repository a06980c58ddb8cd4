"""Verdicts of people in the place of a machine's."""

from pathlib import Path

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.judging.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.recipes.msr.grooming import stage as grooming
from cloze_gen.recipes.msr.grooming.candidate_checks import GroomShard
from cloze_gen.recipes.msr.grooming.predicates import GroomingSettings
from cloze_gen.recipes.msr.grooming.stage import UNJUDGED, judged_by_part, read_groomed
from cloze_gen.recipes.msr.tables import Part
from cloze_gen.records.judgement import Task
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import FOCUS, write_parquet

PARTS = [Part(0, 2, Path(), 0), Part(2, 4, Path(), 1)]


def _four(folder):
    return folder, folder, folder, folder


def verdicts_on(*ids):
    return VerdictFile(
        Task.GROOM, {}, 2, None, [{"id": item, "verdict": "fit", "picked": []} for item in ids]
    )


@pytest.mark.parametrize(
    ("people", "expected"),
    [
        (verdicts_on("d", "a"), [["a"], ["d"]]),
        (verdicts_on("b"), [["b"], []]),
        (verdicts_on(), [None, None]),
        (None, [None, None]),
    ],
)
def test_a_part_gets_the_verdicts_on_its_own_words(people, expected, tmp_path):
    """A worker is sent no verdict of another part."""
    write_parquet(tmp_path / FOCUS, {"id": ["a", "b", "c", "d"]})
    found = judged_by_part(people, Artifact(tmp_path, {}), PARTS)
    assert [own if own is None else list(own) for own in found] == expected


def test_a_part_that_nobody_judged_is_left_out_all_the_same(tmp_path, item_of, monkeypatch):
    """People judged words of other parts, so a machine grooms none of this one."""
    item = item_of("He took the oars .", "oars", ["lamp"])
    item.verdicts = []
    monkeypatch.setattr(grooming, "read_items", lambda shard: [item])
    settings = GroomingSettings(unjudged_policy="left_out")
    shard = GroomShard(
        Part(0, 1, tmp_path),
        *_four(tmp_path),
        settings,
        (),
        frozenset(),
        frozenset(),
        "",
        people={},
    )
    _, [row] = grooming.groom_part(shard)
    assert row["verdict"] == UNJUDGED


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"verdict": ["fit"]},
        {"verdict": "good"},
        {"verdict": "fit", "picked": [1]},
        {"picked": ["a"]},
    ],
)
def test_a_row_of_another_shape_is_refused(row, tmp_path):
    """The message names the item."""
    path = tmp_path / "verdicts.jsonl"
    path.write_text(
        verdicts_jsonl(VerdictFile(Task.GROOM, {}, 1, None, [{"id": "b:7", "picked": [], **row}]))
    )
    with pytest.raises(FormatError, match="'b:7' has no valid verdict"):
        read_groomed(str(path))

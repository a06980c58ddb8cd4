"""The published files of an SCDE set, and what its card says."""

from __future__ import annotations

import typing

from cloze_gen.recipes.scde.release import DISTRACTORS, FEATURES
from cloze_gen.recipes.scde.steps.distractors import DistractorsSettings
from tests.conftest import FinishedRun


def test_every_kind_of_distractors_has_its_note() -> None:
    """What a user must know of it: hard ones are ours, the others the paper's own."""
    assert set(DISTRACTORS) == set(typing.get_args(DistractorsSettings.model_fields["kind"].annotation))
    assert "not the paper's" in DISTRACTORS["hard"]
    assert all("the paper's R" in DISTRACTORS[kind] for kind in ("random", "none"))


def test_the_card_names_what_is_there(scde: FinishedRun) -> None:
    """The three published files, the tables of pairs as one folder, the statistics beside the paper's."""
    card = (scde.release / "README.md").read_text(encoding="utf-8")
    for name in ("train.json", "dev.json", "test.json", FEATURES, "harness", "blanks_test.jsonl"):
        assert f"\n- `{name}`: " in card
        assert (scde.release / name).exists()
    head, ruler, *rows = card.partition("## Statistics\n")[2].partition("\n\n")[2].partition("\n\n")[0].splitlines()
    assert head.split(" | ")[-1] == "Paper |"
    assert {line.count("|") for line in (head, ruler, *rows)} == {7}
    assert "| blanks per passage | 5.00 | 5.00 | 5.00 | 5.00 | 4.99 |" in rows


def test_all_pairs_are_tables_of_their_own(scde: FinishedRun) -> None:
    """Six contexts of three splits."""
    names = {path.name for path in (scde.release / FEATURES).iterdir()}
    assert names == {f"{split}.{table}.tsv" for split in ("train", "dev", "test") for table in ("sp", "sn", "ap", "an", "spn", "apn")}

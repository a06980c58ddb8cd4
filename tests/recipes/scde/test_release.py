"""The paper's figures of models."""

import typing

from cloze_gen.recipes.scde.distractors import DistractorsSettings
from cloze_gen.recipes.scde.paper_table import SCDE_TABLES
from cloze_gen.recipes.scde.release import DISTRACTORS


def figure(label, context, decoder, distractors="own"):
    """The one row of a model."""
    asked = (label, context, decoder, distractors)
    (found,) = (
        one
        for one in SCDE_TABLES.figures
        if (one.label, one.context, one.decoder, one.distractors) == asked
    )
    return found


def test_the_figures_are_where_the_paper_prints_them():
    assert (
        figure("People", "", "").passage_accuracy,
        figure("People", "", "").distractor_error,
    ) == (0.563, 0.375)
    assert figure("PMI_2", "P+N", "EXH").blank_accuracy == 0.297
    assert figure("PMI_2", "AP+AN", "INC").passage_accuracy == 0.0
    assert figure("BERT, finetuned", "AP+AN", "EXH", "none").blank_accuracy == 0.809
    assert figure("BERT, finetuned", "AP+AN", "EXH").distractor_error == 0.661
    assert figure("Uniform", "", "").distractor_error == 1.429


def test_distractors_cost_every_model_of_table_7_something():
    for label in ("BERT, as it is", "BERT, finetuned", "Transformer-XL"):
        context = "P+N" if label == "BERT, as it is" else "AP+AN"
        shares = [
            figure(label, context, "EXH", kind).blank_accuracy or 0
            for kind in ("none", "random", "own")
        ]
        assert shares == sorted(shares, reverse=True)


def test_shares_are_of_one():
    """No percentage has been left as it is printed."""
    for one in SCDE_TABLES.figures:
        assert all(
            share is None or 0 <= share < 0.9
            for share in (one.blank_accuracy, one.passage_accuracy)
        )


# ---- the published files of an SCDE set, and what its card says


def test_every_kind_of_distractors_has_its_note():
    """What a user must know of it: hard ones are ours, the others the paper's own."""
    assert set(DISTRACTORS) == set(
        typing.get_args(DistractorsSettings.model_fields["kind"].annotation)
    )
    assert "The method is ours" in DISTRACTORS["hard"]
    assert all("Dt, section 5.6" in DISTRACTORS[kind] for kind in ("random", "none"))


def test_the_card_names_what_is_there(scde):
    card = (scde.release / "README.md").read_text(encoding="utf-8")
    for name in ("train.json", "dev.json", "test.json", "harness", "blanks_test.jsonl"):
        assert f"\n- `{name}`: " in card
        assert (scde.release / name).exists()
    head, ruler, *rows = (
        card.partition("## Statistics\n")[2].partition("\n\n")[2].partition("\n\n")[0].splitlines()
    )
    assert head.split(" | ")[-1] == "Paper |"
    assert {line.count("|") for line in (head, ruler, *rows)} == {7}
    assert "| blanks per passage | 5.00 | 5.00 | 5.00 | 5.00 | 4.99 |" in rows

"""The paper's figures of models."""

from __future__ import annotations

from cloze_gen.recipes.scde.paper_table import SCDE_TABLES
from cloze_gen.report.paper_table import BlankFigure


def figure(label: str, context: str, decoder: str, distractors: str = "own") -> BlankFigure:
    """The one row of a model."""
    asked = (label, context, decoder, distractors)
    (found,) = (one for one in SCDE_TABLES.figures if (one.label, one.context, one.decoder, one.distractors) == asked)
    return found


def test_the_figures_are_where_the_paper_prints_them() -> None:
    """One cell of each table: people, PMI of pairs with its neighbours, the finetuned model without distractors, the errors."""
    assert (figure("People", "", "").passage_accuracy, figure("People", "", "").distractor_error) == (0.563, 0.375)
    assert figure("PMI_2", "P+N", "EXH").blank_accuracy == 0.297
    assert figure("PMI_2", "AP+AN", "INC").passage_accuracy == 0.0
    assert figure("BERT, finetuned", "AP+AN", "EXH", "none").blank_accuracy == 0.809
    assert figure("BERT, finetuned", "AP+AN", "EXH").distractor_error == 0.661
    assert figure("Uniform", "", "").distractor_error == 1.429


def test_distractors_cost_every_model_of_table_7_something() -> None:
    """None is easier than random, random than the teachers', in the context that each was asked with."""
    for label in ("BERT, as it is", "BERT, finetuned", "Transformer-XL"):
        context = "P+N" if label == "BERT, as it is" else "AP+AN"
        shares = [figure(label, context, "EXH", kind).blank_accuracy or 0 for kind in ("none", "random", "own")]
        assert shares == sorted(shares, reverse=True)


def test_shares_are_of_one() -> None:
    """No percentage has been left as it is printed."""
    for one in SCDE_TABLES.figures:
        assert all(share is None or 0 <= share < 0.9 for share in (one.blank_accuracy, one.passage_accuracy))

"""The dataset card."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cloze_gen.report.card import CardFacts, adversary_section, dataset_card, with_adversaries
from cloze_gen.report.data import Evaluation


@pytest.fixture
def facts() -> CardFacts:
    return CardFacts(
        name="mine", style="Toy-style", source_line="No paper.", signature="sig", n_items=3, n_wanted=5, described="passages",
        balance="Even.", items_file="passages.jsonl", noun="passage", books=[("b", "A | B", 3)], notes=["judged: none"], steps=[],
        settings={}, task="text-generation",
        splits={"default": {"validation": "v.jsonl", "test": "t.jsonl"}, "control": {"test": "c.jsonl"}},
    )  # fmt: skip


def test_the_head_names_every_split_and_config(facts: CardFacts) -> None:
    """As `datasets` reads it: configs in their order, a file a split."""
    head = dataset_card(facts).split("---")[1].split("task_categories:")
    assert (
        head[0].split()
        == (
            "configs: - config_name: default data_files: - split: validation path: v.jsonl - split: test path: t.jsonl "
            "- config_name: control data_files: - split: test path: c.jsonl"
        ).split()
    )
    assert head[1].split() == ["-", "text-generation", "language:", "-", "en"]


def test_the_head_declares_columns_that_are_told(facts: CardFacts) -> None:
    """Types of the default config, as `datasets` writes them; without any it is left to find them out."""
    assert "dataset_info" not in dataset_card(facts)
    head = dataset_card(replace(facts, features={"id": "string", "answers": "list: int32"})).split("---")[1].split("dataset_info:")[1]
    declared = "- config_name: default features: - name: id dtype: string - name: answers list: int32 task_categories:"
    assert head.split()[: len(declared.split())] == declared.split()


def test_only_files_that_are_given_are_told(facts: CardFacts) -> None:
    """A line each, between the items and the checksums."""
    assert "fell" not in dataset_card(facts)
    told = dataset_card(replace(facts, files=[("fell.txt", "what fell.")]))
    assert "all scores.\n- `fell.txt`: what fell.\n- the published formats" in told


def test_what_is_missing_and_hostile_is_told(facts: CardFacts) -> None:
    """Fewer items than wanted, and a title that would break the table."""
    card = dataset_card(facts)
    assert "(5 were wanted;" in card
    assert "| b | A \\| B | 3 |" in card


def test_the_adversary_stands_before_all_else(facts: CardFacts, evaluation: Evaluation) -> None:
    """At first the command that measures it; once measured its line and its rows, in the same place, and nothing else of the card moves."""
    card = dataset_card(replace(facts, measured=adversary_section("mine", None)))
    assert "## What a trained adversary gets\nNot measured yet: `cloze-gen evaluate mine`" in card
    assert card.index("Not measured yet") < card.index("## What to know")
    told = with_adversaries(card, adversary_section("mine", evaluation))
    assert "picks the answer in 45 % (31-60)" in told
    assert "| adversary-five | 45.0% | 31.0% to 60.0% | trees, folds by item |\n\n## What to know" in told
    assert with_adversaries(told, adversary_section("mine", None)) == card
    assert with_adversaries(told, adversary_section("mine", evaluation)) == told


def test_a_card_of_other_items_has_no_adversary(facts: CardFacts, evaluation: Evaluation) -> None:
    """Passages are not told apart by their options."""
    card = dataset_card(facts)
    assert "adversary" not in card
    assert with_adversaries(card, adversary_section("mine", evaluation)) == card


def test_why_no_adversary_was_tried_is_told() -> None:
    """A reason of the evaluation's own."""
    none = Evaluation("sig", 9, 0.2, (), {"adversary-five": "9 questions are too few"})
    assert adversary_section("mine", none).endswith("\nNo adversary was tried: 9 questions are too few.")

"""The dataset card."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cloze_gen.records.release_facts import Measured
from cloze_gen.report.card import CardFacts, CardTable, dataset_card
from tests.cases.releases import FACTS


@pytest.fixture
def card() -> CardFacts:
    return CardFacts(
        facts=FACTS, head="---\nlicense: x\n---", described="passages", balance="Even.", use=[("Load it", "python", "load()")],
        files=[("v.jsonl", "all.")], licence="Of two books | <b>.", bibtex="@misc{mine,\n}\n", per_book={FACTS.item_books[0].book_id: 3},
        steps=[], example=["He ran to the _____.", "    a) door"], notes=["judged: none\n## x"], columns=[("id", "which"), ("id", "which")],
    )  # fmt: skip


def test_a_stranger_finds_everything(card: CardFacts) -> None:
    """What it is, its names, how to use it, files, licence, how to cite it, books; user data is escaped."""
    text = dataset_card(card)
    assert text.startswith("---\nlicense: x\n---\n\n# mine\n")
    for part in (
        FACTS.signature,
        FACTS.canary,
        "Load it:\n```python\nload()\n```",
        "- `v.jsonl`: all.",
        "Of two books \\| &lt;b&gt;.",
        "@misc{mine,",
        "    He ran to the _____.\n        a) door\n",
        "- judged: none ## x\n",
        "| `id` | which |\n\n",
    ):
        assert part in text
    assert "but for the split train" not in text
    assert "but for the split train" in dataset_card(replace(card, trains=True))
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == [f"## {name}" for name in ("What was measured", "What to know", "How to use it", "Files", "Licence", "How to cite",
                                                  "Books", "Funnel", "Settings")]  # fmt: skip


def test_fewer_items_than_wanted_are_told(card: CardFacts) -> None:
    """And a title that would break the table."""
    books = (replace(FACTS.item_books[0], title="A | B"),)
    text = dataset_card(replace(card, facts=replace(FACTS, n_items=3, n_wanted=5, books=books)))
    assert "(5 were wanted;" in text
    assert "| A \\| B |" in text


@pytest.mark.parametrize(("order", "told"), [("shuffled", "order: drawn"), ("corpus", "order: that of the corpus, so no exact test")])
def test_the_order_is_told(order: str, told: str, card: CardFacts) -> None:
    """Whoever asks for contamination must know whether it can be asked."""
    assert told in dataset_card(replace(card, facts=replace(FACTS, order=order)))


def test_the_adversary_stands_before_all_else(card: CardFacts) -> None:
    """At first the command that measures it; once measured its line and its rows, then the other rows."""
    bare = replace(FACTS, measured=(), evaluated="")
    assert "`cloze-gen evaluate mine`" in dataset_card(replace(card, facts=bare))
    rows = (Measured(name="lsa", kind="baseline", accuracy=0.5, low=0.4, high=0.6), Measured(name="adversary-five", kind="adversary",
            accuracy=0.45, low=0.31, high=0.6, way="trees, folds by item"))  # fmt: skip
    text = dataset_card(replace(card, facts=replace(FACTS, measured=rows, evaluated="It picks the answer in 45 %.")))
    first, second = (
        text.index("| adversary-five | 45.0% | 31.0% to 60.0% | adversary | trees, folds by item |"),
        text.index("| lsa | 50.0%"),
    )
    assert text.index("It picks the answer in 45 %.") < first < text.index("## What was measured") < second < text.index("## What to know")


def test_a_row_of_a_strangers_file_is_plain_text(card: CardFacts) -> None:
    """A file's name may hold what Markdown or a browser would take for markup."""
    row = Measured(name="user:a|b<img src=x>", kind="user", accuracy=0.5, low=0.4, high=0.6, way="a|b<img src=x>.jsonl")
    text = dataset_card(replace(card, facts=replace(FACTS, measured=(row,))))
    assert "| user:a\\|b&lt;img src=x&gt; | 50.0% | 40.0% to 60.0% | user | a\\|b&lt;img src=x&gt;.jsonl |" in text


def test_people_have_a_section_of_their_own(card: CardFacts) -> None:
    """Between the adversaries and the rest, with how many they were; no legend of methods stands above them."""
    rows = (Measured(name="lsa", kind="baseline", accuracy=0.5, low=0.4, high=0.6),
            Measured(name="human", kind="human", accuracy=0.9, low=0.85, high=0.95, way="3 judges, 90 verdicts"))  # fmt: skip
    text = dataset_card(replace(card, facts=replace(FACTS, measured=rows)))
    section = text[text.index("## What people get") : text.index("## What was measured")]
    assert "| human | 90.0% | 85.0% to 95.0% | human | 3 judges, 90 verdicts |" in section
    assert "lsa" not in section
    assert "human" not in text[text.index("| lsa |") : text.index("## What to know")]


def test_a_style_shows_its_own_tables(card: CardFacts) -> None:
    """Figures to the right."""
    table = CardTable("Statistics", "Beside the paper's.", ("measure", "all"), (("words", "12"),))
    assert "## Statistics\nBeside the paper's.\n\n| measure | all |\n|---|---:|\n| words | 12 |\n" in dataset_card(
        replace(card, tables=[table])
    )

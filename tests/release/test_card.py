"""The dataset card."""

import re
from dataclasses import replace

import pytest

from cloze_gen.formats.licences import set_licence
from cloze_gen.records.release_facts import Measured
from cloze_gen.release.card import (
    CardFacts,
    card_head,
    dataset_card,
    size_category,
)
from tests.cases.releases import CONFIGS, FACTS, HOSTILE, hostile_facts

# The dataset card


@pytest.fixture
def card():
    return CardFacts(
        facts=FACTS, head="---\nlicense: x\n---", described="passages", balance="Even.", use=[("Load it", "python", "load()")],
        files=[("v.jsonl", "all.")], licence="Of two books | <b>.", bibtex="@misc{mine,\n}\n", per_book={FACTS.item_books[0].book_id: 3},
        steps=[], example=["He ran to the _____.", "    a) door"], notes=["judged: none\n## x"], columns=[("id", "which"), ("id", "which")],
    )  # fmt: skip


def test_the_card_is_complete(card):
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
    assert "All splits except `train` are test data." not in text
    assert "All splits except `train` are test data." in dataset_card(
        replace(card, has_train_split=True)
    )
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == [f"## {name}" for name in ("Evaluation", "Notes", "How to use it", "Files", "Licence", "How to cite",
                                                  "Books", "Funnel", "Settings")]  # fmt: skip


def test_a_shortfall_is_reported(card):
    """And a title that would break the table."""
    books = (replace(FACTS.item_books[0], title="A | B"),)
    text = dataset_card(replace(card, facts=replace(FACTS, n_items=3, n_wanted=5, books=books)))
    assert "The run requested 5;" in text
    assert "| A \\| B |" in text


def test_the_adversary_comes_first(card):
    bare = replace(FACTS, measured=(), evaluated="")
    assert "`cloze-gen evaluate mine`" in dataset_card(replace(card, facts=bare))
    rows = (Measured(name="lsa", kind="baseline", accuracy=0.5, low=0.4, high=0.6), Measured(name="adversary-scores", kind="adversary",
            accuracy=0.45, low=0.31, high=0.6, method="trees, folds by item"))  # fmt: skip
    text = dataset_card(
        replace(card, facts=replace(FACTS, measured=rows, evaluated="It picks the answer in 45 %."))
    )
    first, second = (
        text.index(
            "| adversary-scores | 45.0% | 31.0% to 60.0% | adversary | trees, folds by item |"
        ),
        text.index("| lsa | 50.0%"),
    )
    assert (
        text.index("It picks the answer in 45 %.")
        < first
        < text.index("## Evaluation")
        < second
        < text.index("## Notes")
    )


def test_a_row_of_a_user_file_is_plain_text(card):
    """A file name may contain Markdown or HTML."""
    row = Measured(
        name="user:a|b<img src=x>",
        kind="user",
        accuracy=0.5,
        low=0.4,
        high=0.6,
        method="a|b<img src=x>.jsonl",
    )
    text = dataset_card(replace(card, facts=replace(FACTS, measured=(row,))))
    assert (
        "| user:a\\|b&lt;img src=x&gt; | 50.0% | 40.0% to 60.0% | user | a\\|b&lt;img "
        "src=x&gt;.jsonl |" in text
    )


def test_people_have_a_section_of_their_own(card):
    rows = (Measured(name="lsa", kind="baseline", accuracy=0.5, low=0.4, high=0.6),
            Measured(name="human", kind="human", accuracy=0.9, low=0.85, high=0.95, method="3 judges, 90 verdicts"))  # fmt: skip
    text = dataset_card(replace(card, facts=replace(FACTS, measured=rows)))
    section = text[text.index("## Human accuracy") : text.index("## Evaluation")]
    assert "| human | 90.0% | 85.0% to 95.0% | human | 3 judges, 90 verdicts |" in section
    assert "lsa" not in section
    assert "human" not in text[text.index("| lsa |") : text.index("## Notes")]


# The head of the card


def head(facts):
    """As the hub reads it: the text between the first two lines of hyphens."""
    yaml = pytest.importorskip("yaml")
    text = (
        card_head(facts, set_licence(facts.item_books), CONFIGS, rows=4, task="multiple-choice")
        + "\n\n# mine\n---\n"
    )
    found = re.match(r"---\n(.*?)\n---\n\n# mine", text, re.DOTALL)
    assert found is not None
    return dict(yaml.safe_load(found[1]))


def test_the_head_names_every_split_and_config():
    """Configs in their order, a file a split; the first is what is loaded without a name."""
    assert head(FACTS)["configs"] == [
        {
            "config_name": "default",
            "data_files": [{"split": "test", "path": "parquet/questions.parquet"}],
            "default": True,
        },
        {
            "config_name": "control",
            "data_files": [{"split": "test", "path": "parquet/control.parquet"}],
        },
    ]


def test_the_set_is_told_as_the_hub_sorts_it():
    """Licence, language, size, task, tags."""
    found = head(FACTS)
    assert (found["license"], found["language"], found["pretty_name"]) == (
        "cc0-1.0",
        ["en"],
        "mine (Toy-style)",
    )
    assert (found["size_categories"], found["task_categories"]) == (["n<1K"], ["multiple-choice"])
    assert "toy-style" in found["tags"]
    assert not {"license_name", "license_link"} & found.keys()


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("", {"license": "other", "license_name": "unknown"}),
        ("my words", {"license": "other", "license_name": "my-words"}),
        (
            "public domain",
            {
                "license": "other",
                "license_name": "public-domain",
                "license_link": "https://creativecommons.org/publicdomain/mark/1.0/",
            },
        ),
    ],
)
def test_a_licence_of_another_name_has_its_own(licence, expected):
    """And a link where there is one."""
    books = tuple(replace(book, license=licence) for book in FACTS.books)
    found = head(replace(FACTS, books=books))
    assert {key: value for key, value in found.items() if key.startswith("license")} == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (0, "n<1K"),
        (9_999, "1K<n<10K"),
        (10_000, "10K<n<100K"),
    ],
)
def test_sizes_are_the_hubs(rows, expected):
    """A bound belongs to the size above it."""
    assert size_category(rows) == expected


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_stay_strings(words):
    """The head keeps its keys and its end; a name is one line of text."""
    found = head(hostile_facts(words))
    assert [key for key in found if key not in {"license_name", "license_link"}] == list(
        head(FACTS)
    )
    assert isinstance(found["pretty_name"], str)
    assert len(found["pretty_name"].splitlines()) == 1

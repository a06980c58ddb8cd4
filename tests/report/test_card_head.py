"""The head of the card."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from cloze_gen.formats.licences import set_licence
from cloze_gen.records.release_facts import ReleaseFacts
from cloze_gen.report.card_head import card_head, size_category
from tests.cases.releases import FACTS, HOSTILE, TABLES, hostile_facts


def head(facts: ReleaseFacts) -> dict[str, Any]:
    """As the hub finds and reads it: what stands between the first line of hyphens and the next."""
    yaml = pytest.importorskip("yaml")
    text = card_head(facts, set_licence(facts.item_books), TABLES, task="multiple-choice") + "\n\n# mine\n---\n"
    found = re.match(r"---\n(.*?)\n---\n\n# mine", text, re.DOTALL)
    assert found is not None
    return dict(yaml.safe_load(found[1]))


def test_the_head_names_every_split_and_config() -> None:
    """Configs in their order, a file a split; the first is what is loaded without a name."""
    assert head(FACTS)["configs"] == [
        {"config_name": "default", "data_files": [{"split": "test", "path": "questions.jsonl"}], "default": True},
        {"config_name": "control", "data_files": [{"split": "test", "path": "data/control.parquet"}]},
    ]


def test_the_head_declares_columns_and_rows() -> None:
    """Of each config; lists and objects in the hub's notation."""
    first, second = head(FACTS)["dataset_info"]
    assert [column["name"] for column in first["features"]] == list(TABLES[0].columns.types)
    assert first["features"][2] == {"name": "sentences", "list": {"list": "string"}}
    assert first["features"][4]["list"][0] == {"name": "word", "dtype": "string"}
    assert first["splits"] == [{"name": "test", "num_bytes": 120, "num_examples": 3}]
    assert (second["config_name"], second["features"]) == ("control", [{"name": "split", "dtype": "string"}])


def test_the_set_is_told_as_the_hub_sorts_it() -> None:
    """Licence, language, size, task, tags."""
    found = head(FACTS)
    assert (found["license"], found["language"], found["pretty_name"]) == ("cc0-1.0", ["en"], "mine (Toy-style)")
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
def test_a_licence_of_another_name_has_its_own(licence: str, expected: dict[str, str]) -> None:
    """And a link where there is one."""
    books = tuple(replace(book, license=licence) for book in FACTS.books)
    found = head(replace(FACTS, books=books))
    assert {key: value for key, value in found.items() if key.startswith("license")} == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [(0, "n<1K"), (9_999, "1K<n<10K"), (10_000, "10K<n<100K"), (999_999, "100K<n<1M"), (1_000_000, "1M<n<10M"), (10**7, "10M<n<100M")],
)
def test_sizes_are_the_hubs(rows: int, expected: str) -> None:
    """A bound belongs to the size above it."""
    assert size_category(rows) == expected


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_stay_strings(words: str) -> None:
    """The head keeps its keys and its end; a name is one line of text."""
    found = head(hostile_facts(words))
    assert [key for key in found if key not in {"license_name", "license_link"}] == list(head(FACTS))
    assert isinstance(found["pretty_name"], str)
    assert len(found["pretty_name"].splitlines()) == 1

"""How a set is cited, and YAML that is read back as it was."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.formats.licences import bibtex, citation_cff, set_licence, yaml_lines, yaml_string
from cloze_gen.records.release_facts import ReleasedBook, ReleaseFacts
from tests.cases.releases import FACTS, HOSTILE, TOLD, hostile_facts

# How a set is cited


LICENCE = set_licence(FACTS.item_books)


def cff(facts: ReleaseFacts) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    return dict(yaml.safe_load(citation_cff(facts, set_licence(facts.item_books))))


def test_what_the_user_told_is_cited() -> None:
    """Persons by family and given name, others as groups; the day, the address, the licence."""
    found = cff(TOLD)
    assert found["authors"] == [
        {"family-names": "Doe", "given-names": "Jane"},
        {"name": "The Group"},
    ]
    assert (found["date-released"], found["url"]) == ("2026-11-22", "https://example.org/sets/mine")
    assert (found["license"], found["version"], found["type"]) == (
        "CC0-1.0",
        "0.2.0+set.5e10f7c9",
        "dataset",
    )
    assert found["identifiers"][0]["value"] == TOLD.signature


def test_what_nobody_told_is_not_made_up() -> None:
    found = cff(replace(FACTS, books=(*FACTS.books, replace(FACTS.books[1], license="MIT"))))
    assert not {"date-released", "url", "license", "license-url"} & found.keys()
    assert found["authors"] == [{"name": "the maker of mine (not named)"}]
    assert "author" not in bibtex(replace(FACTS, reference=None))


def test_paper_and_program_are_references() -> None:
    """A paper with its parts, where the style brings them."""
    paper, program = cff(FACTS)["references"]
    assert (paper["type"], paper["year"], paper["number"], paper["institution"]) == (
        "report",
        2011,
        "7",
        {"name": "A House"},
    )
    assert paper["authors"] == [
        {"family-names": "Doe", "given-names": "Jane"},
        {"name": "The Group of R&D"},
    ]
    assert (program["title"], program["version"]) == ("cloze-gen", "0.2.0")
    assert len(cff(replace(FACTS, reference=None))["references"]) == 1


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("conference-paper", "collection-title"),
        ("article", "journal"),
        ("unpublished", "notes"),
        ("generic", "notes"),
    ],
)
def test_a_venue_stands_where_its_kind_has_it(kind: str, key: str) -> None:
    """In CITATION.cff; in BibTeX the entry is of that kind too."""
    assert FACTS.reference is not None
    facts = replace(FACTS, reference=replace(FACTS.reference, kind=kind))
    assert cff(facts)["references"][0][key] == "A House"
    kinds = {
        "conference-paper": "inproceedings",
        "article": "article",
        "unpublished": "unpublished",
        "generic": "misc",
    }
    assert f"\n@{kinds[kind]}{{doe2011,\n" in bibtex(facts)


def test_bibtex_cites_set_and_paper() -> None:
    """With the signature, TeX's own marks escaped and braces written as words."""
    text = bibtex(TOLD)
    assert text.startswith(
        "@misc{mine2026,\n  title = {{mine: 4 Toy-style cloze questions}},\n  author = {Doe, "
        "Jane and {The Group}},\n"
    )
    assert r"\url{https://example.org/sets/mine}" in text
    assert r"title = {{On \textbraceleft{}Blanks\textbraceright{} \& 50 \% of them}}" in text
    assert r"author = {Doe, Jane and {The Group of R\&D}}" in text


def depths(text: str) -> list[int]:
    """Open braces behind each character."""
    found, open_braces = [], 0
    for mark in text:
        open_braces += (mark == "{") - (mark == "}")
        found.append(open_braces)
    return found


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_stay_inside_their_fields(words: str) -> None:
    """CITATION.cff keeps its keys and its lines; BibTeX its braces, its entries and its keys."""
    facts = hostile_facts(words)
    found = cff(facts)
    assert list(found) == [
        name for name in cff(TOLD) if name not in {"license", "license-url", "url", "date-released"}
    ] or (words == "2011-01-01" and found["date-released"] == words)
    text = bibtex(facts)
    assert min(depths(text)) == 0 == depths(text)[-1]
    assert len(re.findall(r"^@", text, re.MULTILINE)) == 2
    assert all(
        re.fullmatch(r"[a-z0-9-]*", key) for key in re.findall(r"^@\w+\{(.*),$", text, re.MULTILINE)
    )


# JSON values as YAML


SHORT = st.text(max_size=20) | st.sampled_from(
    [text for text in HOSTILE if len(text) < 1000]
)  # YAML reads no longer keys
SCALARS = st.none() | st.booleans() | st.integers() | SHORT
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(SHORT | st.sampled_from(("y", "a-b", "null", "- x")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(SHORT, VALUES, min_size=1, max_size=4))
def test_yaml_is_read_back_as_it_was(value: dict[str, Any]) -> None:
    """Every mapping of strings, numbers, lists and mappings, whatever its keys and strings hold."""
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load("\n".join(yaml_lines(value))) == value


@pytest.mark.parametrize("text", HOSTILE)
def test_a_string_stands_on_one_line(text: str) -> None:
    """By every reckoning of what ends a line, so that a line of hyphens in it ends no head."""
    assert len(yaml_string(text).splitlines()) == 1


def test_half_a_character_is_replaced() -> None:
    """A file in UTF-8 can be written all the same."""
    assert yaml_string("a\ud800b") == '"a\ufffdb"'


# ---- the licence of a set


def books(*licences: str) -> list[ReleasedBook]:
    return [
        ReleasedBook(side="source", book_id=f"b{n}", file=f"{n}.txt", license=licence)
        for n, licence in enumerate(licences)
    ]


@pytest.mark.parametrize(
    ("written", "hub_id", "spdx"),
    [
        ("Apache-2.0", "apache-2.0", "Apache-2.0"),
        ("mit", "mit", "MIT"),
        ("CC0", "cc0-1.0", "CC0-1.0"),
        ("cc by 4.0", "cc-by-4.0", "CC-BY-4.0"),
        (" CC-BY-SA-4.0 ", "cc-by-sa-4.0", "CC-BY-SA-4.0"),
        ("pddl", "pddl", "PDDL-1.0"),
        ("ODbL-1.0", "odbl", "ODbL-1.0"),
        ("odc-by", "odc-by", "ODC-By-1.0"),
    ],
)
def test_one_licence_of_all_books_is_the_sets(written: str, hub_id: str, spdx: str) -> None:
    """By the hub's name, SPDX's and the address of its text, however the user wrote it."""
    found = set_licence(books(written, spdx, hub_id))
    assert (found.hub_id, found.spdx, found.url) == (
        hub_id,
        spdx,
        f"https://spdx.org/licenses/{spdx}.html",
    )
    assert found.sentence == f"The items are sentences of 3 books, all under {spdx}."


@pytest.mark.parametrize("written", ["Public Domain", "PD", "public_domain", "CC-PDM-1.0"])
def test_the_public_domain_is_no_licence(written: str) -> None:
    """Neither the hub nor SPDX has a name for it."""
    found = set_licence(books(written))
    assert (found.hub_id, found.name, found.spdx) == ("other", "public-domain", "")
    assert (
        found.sentence
        == "The items are sentences of 1 book, in the public domain, according to the maker of the set."
    )
    assert set_licence(books("Public domain in the USA.")).name == "public-domain-in-the-usa"


def test_several_licences_are_none() -> None:
    several = set_licence(books("CC0-1.0", "MIT", "cc0"))
    assert (several.hub_id, several.spdx, several.url, several.name) == ("other", "", "", "several")
    assert (
        several.sentence
        == "The items are sentences of 3 books, under several licences: CC0-1.0 (2), MIT (1)."
    )
    some = set_licence(books("CC0-1.0", "", "", "mine to give"))
    assert (some.hub_id, some.name) == ("other", "unknown-in-part")
    assert some.sentence == (
        "The items are sentences of 4 books. The licence of 2 of them is unknown; the "
        "others: CC0-1.0 (1), 'mine to give' (1)."
    )


@pytest.mark.parametrize("count", [0, 1, 3])
def test_an_unknown_licence_is_not_guessed(count: int) -> None:
    """No book says any."""
    found = set_licence(books(*[""] * count))
    assert (found.hub_id, found.spdx, found.url) == ("other", "", "")
    assert "are unknown; check them" in found.sentence


def test_background_is_told_and_decides_nothing() -> None:
    """Nothing of it is printed."""
    found = set_licence(books("MIT"), books("", "CC-BY-4.0"))
    assert found.hub_id == "mit"
    assert found.sentence.endswith(
        "2 books more served only for word counts; no text of them is included. Their licences: "
        "CC-BY-4.0 (1), unknown (1)."
    )


@pytest.mark.parametrize("words", HOSTILE)
def test_words_of_a_user_stay_words(words: str) -> None:
    found = set_licence(books(words))
    assert found.hub_id == "other"
    assert re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,59}", found.name)
    assert found.sentence.isprintable()
    assert len(found.sentence) < 200

"""How a set is cited."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from cloze_gen.formats.citation import bibtex, citation_cff
from cloze_gen.formats.licences import set_licence
from cloze_gen.records.release_facts import ReleaseFacts
from tests.cases.releases import FACTS, HOSTILE, TOLD, hostile_facts

LICENCE = set_licence(FACTS.item_books)


def cff(facts: ReleaseFacts) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    return dict(yaml.safe_load(citation_cff(facts, set_licence(facts.item_books))))


def test_what_the_user_told_is_cited() -> None:
    """Persons by family and given name, others as groups; the day, the address, the licence."""
    found = cff(TOLD)
    assert found["authors"] == [{"family-names": "Doe", "given-names": "Jane"}, {"name": "The Group"}]
    assert (found["date-released"], found["url"]) == ("2026-11-22", "https://example.org/sets/mine")
    assert (found["license"], found["version"], found["type"]) == ("CC0-1.0", "0.2.0+set.5e10f7c9", "dataset")
    assert found["identifiers"][0]["value"] == TOLD.signature


def test_what_nobody_told_is_not_made_up() -> None:
    """No date, no address, no licence of several; an author, whom the format asks for, is said not to be named."""
    found = cff(replace(FACTS, books=(*FACTS.books, replace(FACTS.books[1], license="MIT"))))
    assert not {"date-released", "url", "license", "license-url"} & found.keys()
    assert found["authors"] == [{"name": "the maker of mine, who is not named"}]
    assert "author" not in bibtex(replace(FACTS, reference=None))


def test_paper_and_program_are_references() -> None:
    """A paper with its parts, where the style brings them."""
    paper, program = cff(FACTS)["references"]
    assert (paper["type"], paper["year"], paper["number"], paper["institution"]) == ("report", 2011, "7", {"name": "A House"})
    assert paper["authors"] == [{"family-names": "Doe", "given-names": "Jane"}, {"name": "The Group of R&D"}]
    assert (program["title"], program["version"]) == ("cloze-gen", "0.2.0")
    assert len(cff(replace(FACTS, reference=None))["references"]) == 1


@pytest.mark.parametrize(
    ("kind", "key"), [("conference-paper", "collection-title"), ("article", "journal"), ("unpublished", "notes"), ("generic", "notes")]
)
def test_a_venue_stands_where_its_kind_has_it(kind: str, key: str) -> None:
    """In CITATION.cff; in BibTeX the entry is of that kind too."""
    assert FACTS.reference is not None
    facts = replace(FACTS, reference=replace(FACTS.reference, kind=kind))
    assert cff(facts)["references"][0][key] == "A House"
    kinds = {"conference-paper": "inproceedings", "article": "article", "unpublished": "unpublished", "generic": "misc"}
    assert f"\n@{kinds[kind]}{{doe2011,\n" in bibtex(facts)


def test_bibtex_cites_set_and_paper() -> None:
    """With the signature, TeX's own marks escaped and braces written as words."""
    text = bibtex(TOLD)
    assert text.startswith("@misc{mine2026,\n  title = {{mine: 4 Toy-style cloze questions}},\n  author = {Doe, Jane and {The Group}},\n")
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
    assert list(found) == [name for name in cff(TOLD) if name not in {"license", "license-url", "url", "date-released"}] or (
        words == "2011-01-01" and found["date-released"] == words
    )
    text = bibtex(facts)
    assert min(depths(text)) == 0 == depths(text)[-1]
    assert len(re.findall(r"^@", text, re.MULTILINE)) == 2
    assert all(re.fullmatch(r"[a-z0-9-]*", key) for key in re.findall(r"^@\w+\{(.*),$", text, re.MULTILINE))

"""How a set is cited, and its licence."""

import re
from dataclasses import replace

import pytest

from cloze_gen.formats.licences import bibtex, set_licence
from cloze_gen.records.release_facts import ReleasedBook
from tests.cases.releases import FACTS, HOSTILE, TOLD, hostile_facts

# How a set is cited


def test_what_nobody_told_is_not_made_up():
    assert "author" not in bibtex(replace(FACTS, reference=None))


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("inproceedings", "booktitle"),
        ("article", "journal"),
        ("techreport", "institution"),
        ("unpublished", "note"),
    ],
)
def test_a_venue_stands_where_its_kind_has_it(kind, field):
    assert FACTS.reference is not None
    text = bibtex(replace(FACTS, reference=replace(FACTS.reference, kind=kind)))
    assert f"\n@{kind}{{doe2011,\n" in text
    assert f"  {field} = {{A House}},\n" in text


def test_bibtex_cites_set_and_paper():
    """With the signature, TeX's own marks escaped and braces written as words."""
    text = bibtex(TOLD)
    assert text.startswith(
        "@misc{mine2026,\n  title = {{mine: 4 Toy-style cloze questions}},\n  author = {Doe, "
        "Jane and {The Group}},\n"
    )
    assert r"\url{https://example.org/sets/mine}" in text
    assert r"title = {{On \textbraceleft{}Blanks\textbraceright{} \& 50 \% of them}}" in text
    assert r"author = {Doe, Jane and {The Group of R\&D}}" in text


def depths(text):
    """Open braces behind each character."""
    found, open_braces = [], 0
    for mark in text:
        open_braces += (mark == "{") - (mark == "}")
        found.append(open_braces)
    return found


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_stay_inside_their_fields(words):
    """Braces balance, and there are two entries with plain keys."""
    text = bibtex(hostile_facts(words))
    assert min(depths(text)) == 0 == depths(text)[-1]
    assert len(re.findall(r"^@", text, re.MULTILINE)) == 2
    assert all(
        re.fullmatch(r"[a-z0-9-]*", key) for key in re.findall(r"^@\w+\{(.*),$", text, re.MULTILINE)
    )


# ---- the licence of a set


def books(*licences):
    return [
        ReleasedBook(side="source", book_id=f"b{n}", file=f"{n}.txt", license=licence)
        for n, licence in enumerate(licences)
    ]


@pytest.mark.parametrize(
    ("written", "hub_id", "spdx"),
    [
        ("cc0-1.0", "cc0-1.0", "CC0-1.0"),
        ("cc by 4.0", "cc-by-4.0", "CC-BY-4.0"),
        (" CC-BY-NC-SA-4.0 ", "cc-by-nc-sa-4.0", "CC-BY-NC-SA-4.0"),
        ("mit", "other", "MIT"),
        ("ODbL-1.0", "other", "ODbL-1.0"),
    ],
)
def test_one_licence_of_all_books_is_the_sets(written, hub_id, spdx):
    """By SPDX's name and the address of its text, however the user wrote it."""
    found = set_licence(books(written, spdx))
    assert (found.hub_id, found.name, found.url) == (
        hub_id,
        spdx.casefold(),
        f"https://spdx.org/licenses/{spdx}.html",
    )
    assert found.sentence == f"The items are sentences of 2 books, all under {spdx}."


@pytest.mark.parametrize("written", ["Public Domain", "PD", "public_domain", "CC-PDM-1.0"])
def test_the_public_domain_is_no_licence(written):
    """Neither the hub nor SPDX has a name for it."""
    found = set_licence(books(written))
    assert (found.hub_id, found.name) == ("other", "public-domain")
    assert (
        found.sentence
        == "The items are sentences of 1 book, in the public domain, according to the maker of the set."
    )
    assert set_licence(books("Public domain in the USA.")).name == "public-domain-in-the-usa"


def test_several_licences_are_none():
    several = set_licence(books("CC0-1.0", "MIT", "cc0-1.0"))
    assert (several.hub_id, several.url, several.name) == ("other", "", "several")
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
def test_an_unknown_licence_is_not_guessed(count):
    """No book says any."""
    found = set_licence(books(*[""] * count))
    assert (found.hub_id, found.url) == ("other", "")
    assert "are unknown; check them" in found.sentence


def test_background_is_told_and_decides_nothing():
    """Nothing of it is printed."""
    found = set_licence(books("MIT"), books("", "CC-BY-4.0"))
    assert found.name == "mit"
    assert found.sentence.endswith(
        "2 books more served only for word counts; no text of them is included. Their licences: "
        "CC-BY-4.0 (1), unknown (1)."
    )


@pytest.mark.parametrize("words", HOSTILE)
def test_words_of_a_user_stay_words(words):
    found = set_licence(books(words))
    assert found.hub_id == "other"
    assert re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,59}", found.name)
    assert found.sentence.isprintable()
    assert len(found.sentence) < 200

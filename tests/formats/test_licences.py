"""The licence of a set."""

from __future__ import annotations

import re

import pytest

from cloze_gen.formats.licences import set_licence
from cloze_gen.records.release_facts import ReleasedBook
from tests.cases.releases import HOSTILE


def books(*licences: str) -> list[ReleasedBook]:
    return [ReleasedBook(side="source", book_id=f"b{n}", file=f"{n}.txt", license=licence) for n, licence in enumerate(licences)]


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
    assert (found.hub_id, found.spdx, found.url) == (hub_id, spdx, f"https://spdx.org/licenses/{spdx}.html")
    assert found.sentence == f"The items are sentences of 3 books, all under {spdx}."


@pytest.mark.parametrize("written", ["Public Domain", "PD", "public_domain", "CC-PDM-1.0"])
def test_the_public_domain_is_no_licence(written: str) -> None:
    """The hub has no name for it, nor has SPDX; what is said is the maker's claim. In one country only it is words like others."""
    found = set_licence(books(written))
    assert (found.hub_id, found.name, found.spdx) == ("other", "public-domain", "")
    assert found.sentence == "The items are sentences of 1 book, in the public domain, as the maker says."
    assert set_licence(books("Public domain in the USA.")).name == "public-domain-in-the-usa"


def test_several_licences_are_none() -> None:
    """Each is listed with its books, under the name `other`; where some are unknown the sentence counts those."""
    several = set_licence(books("CC0-1.0", "MIT", "cc0"))
    assert (several.hub_id, several.spdx, several.url, several.name) == ("other", "", "", "several")
    assert several.sentence == "The items are sentences of 3 books, under several licences: CC0-1.0 (2), MIT (1)."
    some = set_licence(books("CC0-1.0", "", "", "mine to give"))
    assert (some.hub_id, some.name) == ("other", "unknown-in-part")
    assert some.sentence == (
        "The items are sentences of 4 books, and the licence of 2 of them is unknown; the others: CC0-1.0 (1), 'mine to give' (1)."
    )


@pytest.mark.parametrize("count", [0, 1, 3])
def test_an_unknown_licence_is_not_guessed(count: int) -> None:
    """No book says any."""
    found = set_licence(books(*[""] * count))
    assert (found.hub_id, found.spdx, found.url) == ("other", "", "")
    assert "no licence is known" in found.sentence


def test_background_is_told_and_decides_nothing() -> None:
    """Nothing of it is printed."""
    found = set_licence(books("MIT"), books("", "CC-BY-4.0"))
    assert found.hub_id == "mit"
    assert found.sentence.endswith(
        "Words were counted in 2 books more, of which nothing is printed; their licences: CC-BY-4.0 (1), unknown (1)."
    )


@pytest.mark.parametrize("words", HOSTILE)
def test_words_of_a_user_stay_words(words: str) -> None:
    """Cut, quoted and on one line in the sentence; as a name small letters, digits, points and hyphens."""
    found = set_licence(books(words))
    assert found.hub_id == "other"
    assert re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,59}", found.name)
    assert found.sentence.isprintable()
    assert len(found.sentence) < 200

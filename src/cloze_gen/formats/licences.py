"""The licence of a set, from those of the books that its items were drawn from; never guessed.

Source: the hub's identifiers, huggingface.co/docs/hub/repositories-licenses; SPDX's, spdx.org/licenses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cloze_gen.notation import named, shown
from cloze_gen.records.release_facts import ReleasedBook

# SPDX -> the hub's identifier, of licences that texts and data come under; in small letters they are mostly the same.
_OTHERWISE = {"CDLA-Sharing-1.0": "cdla-sharing-1.0", "ODC-By-1.0": "odc-by", "ODbL-1.0": "odbl", "PDDL-1.0": "pddl"}
_SPDX = (
    *("Apache-2.0", "MIT", "Unlicense", "etalab-2.0", "CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0"),
    *("CC-BY-SA-4.0", "CC-BY-NC-2.0", "CC-BY-NC-3.0", "CC-BY-NC-4.0", "CC-BY-ND-4.0", "CC-BY-NC-ND-3.0", "CC-BY-NC-ND-4.0"),
    *("CC-BY-NC-SA-2.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0", "CDLA-Permissive-1.0", "CDLA-Permissive-2.0", *_OTHERWISE),
)
_HUB = {spdx: _OTHERWISE.get(spdx, spdx.casefold()) for spdx in _SPDX}
_BY_NAME = {name.casefold(): spdx for spdx, hub in _HUB.items() for name in (spdx, hub)} | {"cc0": "CC0-1.0"}
PUBLIC_DOMAIN = "public domain"
_PUBLIC_DOMAIN_MARK = "https://creativecommons.org/publicdomain/mark/1.0/"
_PUBLIC_DOMAIN_NAMES = frozenset({"public-domain", "publicdomain", "pd", "cc-pdm-1.0"})
_SEPARATORS = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class SetLicence:
    """What a set says of its licence.

    Attributes:
        hub_id: as a card names it; ``other`` of several licences, of one that the hub has no name for, and where none is known.
        spdx: SPDX's identifier; empty where it is none of theirs.
        url: of the licence's text; empty where none is known.
        name: what a card gives as ``license_name`` beside ``other``: small letters, digits and hyphens; else of the licence itself.
        sentence: for people, with numbers of books.
    """

    hub_id: str
    spdx: str
    url: str
    name: str
    sentence: str


def set_licence(books: Sequence[ReleasedBook], background: Sequence[ReleasedBook] = ()) -> SetLicence:
    """The licence of items drawn from `books`.

    Args:
        background: other books that the set was made with; their licences are told, and decide nothing.

    >>> book = ReleasedBook(side="source", book_id="a", file="a.txt", license="CC0-1.0")
    >>> set_licence([book]).url
    'https://spdx.org/licenses/CC0-1.0.html'
    >>> set_licence([book, ReleasedBook(side="source", book_id="b", file="b.txt")]).sentence
    'The items are sentences of 2 books, and the licence of 1 of them is unknown; the others: CC0-1.0 (1).'
    """
    counts = _counts(books)
    told = f"The items are sentences of {_books(len(books))}"
    behind = _behind(background)
    licences = [licence for licence in counts if licence]
    if not licences:
        return SetLicence("other", "", "", "unknown", f"{told}, of which no licence is known: whoever publishes them must know.{behind}")
    if len(counts) > 1:
        several = f"under several licences: {_list(counts)}"
        unknown = f"and the licence of {counts['']:,} of them is unknown; the others: {_list(counts)}"
        sentence = f"{told}, {unknown if counts[''] else several}.{behind}"
        return SetLicence("other", "", "", "unknown-in-part" if counts[""] else "several", sentence)
    only = licences[0]
    sentence = f"{told}{', all' if len(books) > 1 else ','} {_under(only)}.{behind}"
    if only in _HUB:
        return SetLicence(_HUB[only], only, f"https://spdx.org/licenses/{only}.html", only, sentence)
    url = _PUBLIC_DOMAIN_MARK if only == PUBLIC_DOMAIN else ""
    return SetLicence("other", "", url, _slug(only), sentence)


def _counts(books: Iterable[ReleasedBook]) -> Counter[str]:
    """Licence -> books, by one name each; empty: unknown."""
    return Counter(_one_name(book.license) for book in books)


def _one_name(licence: str) -> str:
    """SPDX's identifier, ``public domain``, or the user's own words on one line.

    >>> [_one_name(name) for name in ("cc by-sa 4.0", "PD", "", "In copyright,  by leave")]
    ['CC-BY-SA-4.0', 'public domain', '', 'In copyright, by leave']
    """
    plain = " ".join(licence.split())
    folded = _SEPARATORS.sub("-", plain.casefold())
    return PUBLIC_DOMAIN if folded in _PUBLIC_DOMAIN_NAMES else _BY_NAME.get(folded, plain)


def _list(counts: Mapping[str, int]) -> str:
    return named([f"{_quoted(licence)} ({count:,})" for licence, count in sorted(counts.items()) if licence])


def _under(licence: str) -> str:
    return "in the public domain, as the maker says" if licence == PUBLIC_DOMAIN else f"under {_quoted(licence)}"


def _quoted(licence: str) -> str:
    return licence if licence in _HUB or licence == PUBLIC_DOMAIN else shown(licence)


def _behind(background: Sequence[ReleasedBook]) -> str:
    if not background:
        return ""
    counts = _counts(background)
    listed = ", ".join(filter(None, [_list(counts), f"unknown ({counts['']:,})" if counts[""] else ""]))
    return f" Words were counted in {_books(len(background))} more, of which nothing is printed; their licences: {listed}."


def _books(count: int) -> str:
    return f"{count:,} book{'' if count == 1 else 's'}"


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", words.casefold()).strip("-.")[:60] or "as-told"

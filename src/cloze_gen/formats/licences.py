"""The licence of a set, derived from the licences of its books, and its BibTeX entries."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from cloze_gen.parsing import name_list, one_line, quote
from cloze_gen.records.release_facts import PaperReference, ReleasedBook, ReleaseFacts

PUBLIC_DOMAIN = "public domain"
_PUBLIC_DOMAIN_MARK = "https://creativecommons.org/publicdomain/mark/1.0/"
_PUBLIC_DOMAIN_NAMES = frozenset({"public-domain", "publicdomain", "pd", "cc-pdm-1.0"})
_SEPARATORS = re.compile(r"[\s_-]+")
_IDENTIFIER = re.compile(r"[A-Za-z0-9.-]{1,60}")
# Licences of texts with an identifier on the hub, which is the SPDX identifier in lower case
# (huggingface.co/docs/hub/repositories-licenses). A card gives the name and address of others.
_ON_HUB = re.compile(r"CC0-1\.0|CC-BY(-NC)?(-SA|-ND)?-4\.0")


@dataclass(frozen=True, slots=True)
class SetLicence:
    """The licence of a set.

    Attributes:
        hub_id: `license` of a card; ``other`` for several, unlisted or unknown licences.
        name: `license_name` of a card with ``other``: lower case, digits and hyphens.
    """

    hub_id: str
    name: str
    url: str
    sentence: str


def set_licence(
    books: Sequence[ReleasedBook], background: Sequence[ReleasedBook] = ()
) -> SetLicence:
    """The licence of items from `books`; licences of `background` are only listed.

    >>> book = ReleasedBook(side="source", book_id="a", file="a.txt", license="CC0-1.0")
    >>> set_licence([book]).url
    'https://spdx.org/licenses/CC0-1.0.html'
    >>> set_licence([book, ReleasedBook(side="source", book_id="b", file="b.txt")]).sentence
    'The items are sentences of 2 books. The licence of 1 of them is unknown; the others: CC0-1.0 (1).'
    """
    counts = _counts(books)
    head = f"The items are sentences of {_books(len(books))}"
    background_text = _background_text(background)
    licences = [licence for licence in counts if licence]
    if not licences:
        sentence = (
            f"{head}. The licences of the books are unknown; check them before publishing."
            f"{background_text}"
        )
        return SetLicence("other", "unknown", "", sentence)
    if len(counts) > 1:
        several = f", under several licences: {_list(counts)}"
        unknown = f". The licence of {counts['']:,} of them is unknown; the others: {_list(counts)}"
        sentence = f"{head}{unknown if counts[''] else several}.{background_text}"
        return SetLicence("other", "unknown-in-part" if counts[""] else "several", "", sentence)
    only = licences[0]
    sentence = (
        f"{head}{', all' if len(books) > 1 else ','} {_licence_phrase(only)}.{background_text}"
    )
    if only == PUBLIC_DOMAIN:
        return SetLicence("other", "public-domain", _PUBLIC_DOMAIN_MARK, sentence)
    if spdx_identifier(only) is None:
        return SetLicence("other", _slug(only), "", sentence)
    hub_id = only.casefold() if _ON_HUB.fullmatch(only) else "other"
    return SetLicence(hub_id, only.casefold(), f"https://spdx.org/licenses/{only}.html", sentence)


def spdx_identifier(text: str) -> str | None:
    """The SPDX identifier that a text is in other letter case or with spaces; None for others.

    >>> spdx_identifier("cc by-sa 4.0"), spdx_identifier("In copyright"), spdx_identifier("LicenseRef-Mine")
    ('CC-BY-SA-4.0', None, None)
    """
    identifier = _SEPARATORS.sub("-", text)
    if not _IDENTIFIER.fullmatch(identifier) or identifier.casefold().startswith("licenseref"):
        return None
    try:
        return str(canonicalize_license_expression(identifier))
    except InvalidLicenseExpression:
        return None


def _counts(books: Iterable[ReleasedBook]) -> Counter[str]:
    return Counter(_normalized(book.license) for book in books)


def _normalized(licence: str) -> str:
    """SPDX identifier, ``public domain``, or the user's text on one line.

    >>> [_normalized(name) for name in ("cc by-sa 4.0", "PD", "", "In copyright,  by leave")]
    ['CC-BY-SA-4.0', 'public domain', '', 'In copyright, by leave']
    """
    plain = " ".join(licence.split())
    if _SEPARATORS.sub("-", plain.casefold()) in _PUBLIC_DOMAIN_NAMES:
        return PUBLIC_DOMAIN
    return spdx_identifier(plain) or plain


def _list(counts: Mapping[str, int]) -> str:
    return name_list(
        [f"{_quoted(licence)} ({count:,})" for licence, count in sorted(counts.items()) if licence]
    )


def _licence_phrase(licence: str) -> str:
    return (
        "in the public domain, according to the maker of the set"
        if licence == PUBLIC_DOMAIN
        else f"under {_quoted(licence)}"
    )


def _quoted(licence: str) -> str:
    return licence if licence == PUBLIC_DOMAIN or spdx_identifier(licence) else quote(licence)


def _background_text(background: Sequence[ReleasedBook]) -> str:
    if not background:
        return ""
    counts = _counts(background)
    listed = ", ".join(
        filter(None, [_list(counts), f"unknown ({counts['']:,})" if counts[""] else ""])
    )
    return (
        f" {_books(len(background))} more served only for word counts; no text of them is "
        f"included. Their licences: {listed}."
    )


def _books(count: int) -> str:
    return f"{count:,} book{'' if count == 1 else 's'}"


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", words.casefold()).strip("-.")[:60] or "as-told"


# ---- citation

_VENUES = {
    "inproceedings": "booktitle",
    "article": "journal",
    "techreport": "institution",
    "unpublished": "note",
}
_TEX = str.maketrans(
    {
        **{mark: f"\\{mark}" for mark in "%&#_$"},
        # Some programs also count escaped braces, so braces are written as commands.
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)


def bibtex(facts: ReleaseFacts) -> str:
    """The entry of the set, and that of the paper of its recipe."""
    year = facts.published[:4]
    plural = "" if facts.n_items == 1 else "s"
    title = f"{facts.name}: {facts.n_items:,} {facts.title} cloze {facts.noun}{plural}"
    fields = {
        "title": _braced(title),
        "author": " and ".join(_tex_author(name) for name in facts.creator if name.strip()),
        "year": year,
        "howpublished": r"\url{" + facts.address.replace("%", r"\%") + "}" if facts.address else "",
        "note": f"{_tex(facts.signature)}; made with cloze-gen {_tex(facts.version)}",
    }
    entries = [_entry("misc", _key(facts.name, year), fields)]
    if facts.reference is not None:
        entries.append(_paper_entry(facts.reference))
    return "\n\n".join(entries) + "\n"


def _paper_entry(paper: PaperReference) -> str:
    fields = {
        "title": _braced(paper.title),
        "author": " and ".join(_tex_author(name) for name in paper.authors),
        "year": str(paper.year),
        _VENUES.get(paper.kind, "note"): _tex(paper.venue),
        "number": _tex(paper.number),
        "doi": _tex(paper.doi),
        "url": paper.url,
    }
    first = paper.authors[0].partition(",")[0] if paper.authors else "paper"
    kind = paper.kind if paper.kind in _VENUES else "misc"
    return _entry(kind, _key(first, str(paper.year)), fields)


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def _key(name: str, year: str) -> str:
    """Lower case, digits and hyphens, which all versions of BibTeX accept in a key.

    >>> _key("Argouarc'h", "2018"), _key("{\\n---", "")
    ('argouarch2018', 'set')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    return (re.sub(r"[^a-z0-9-]+", "", plain).strip("-")[:60] or "set") + year


def _tex_author(name: str) -> str:
    """``Family, Given``; other names in braces, so that BibTeX does not split them at `and`."""
    return _tex(name) if name.count(",") == 1 and " and " not in one_line(name) else _braced(name)


def _braced(text: str) -> str:
    return f"{{{_tex(text)}}}"


def _tex(text: str) -> str:
    return one_line(text).translate(_TEX)

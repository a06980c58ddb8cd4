"""The licence of a set, derived from the licences of its books, and its citation files.

Source: huggingface.co/docs/hub/repositories-licenses; spdx.org/licenses.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cloze_gen.parsing import name_list, one_line, quote, whole_characters
from cloze_gen.records.release_facts import PaperReference, ReleasedBook, ReleaseFacts

# SPDX -> identifier on the hub, if it differs in more than letter case.
_HUB_NAMES = {
    "CDLA-Sharing-1.0": "cdla-sharing-1.0",
    "ODC-By-1.0": "odc-by",
    "ODbL-1.0": "odbl",
    "PDDL-1.0": "pddl",
}
_SPDX = (
    *(
        "Apache-2.0",
        "MIT",
        "Unlicense",
        "etalab-2.0",
        "CC0-1.0",
        "CC-BY-2.0",
        "CC-BY-2.5",
        "CC-BY-3.0",
        "CC-BY-4.0",
        "CC-BY-SA-3.0",
    ),
    *(
        "CC-BY-SA-4.0",
        "CC-BY-NC-2.0",
        "CC-BY-NC-3.0",
        "CC-BY-NC-4.0",
        "CC-BY-ND-4.0",
        "CC-BY-NC-ND-3.0",
        "CC-BY-NC-ND-4.0",
    ),
    *(
        "CC-BY-NC-SA-2.0",
        "CC-BY-NC-SA-3.0",
        "CC-BY-NC-SA-4.0",
        "CDLA-Permissive-1.0",
        "CDLA-Permissive-2.0",
        *_HUB_NAMES,
    ),
)
_HUB = {spdx: _HUB_NAMES.get(spdx, spdx.casefold()) for spdx in _SPDX}
_BY_NAME = {name.casefold(): spdx for spdx, hub in _HUB.items() for name in (spdx, hub)} | {
    "cc0": "CC0-1.0"
}
PUBLIC_DOMAIN = "public domain"
_PUBLIC_DOMAIN_MARK = "https://creativecommons.org/publicdomain/mark/1.0/"
_PUBLIC_DOMAIN_NAMES = frozenset({"public-domain", "publicdomain", "pd", "cc-pdm-1.0"})
_SEPARATORS = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class SetLicence:
    """The licence of a set.

    Attributes:
        hub_id: `license` of a card; ``other`` for several, unlisted or unknown licences.
        name: `license_name` of a card with ``other``: lower case, digits and hyphens.
    """

    hub_id: str
    spdx: str
    url: str
    name: str
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
        return SetLicence(
            "other",
            "",
            "",
            "unknown",
            f"{head}. The licences of the books are unknown; check them before publishing.{background_text}",
        )
    if len(counts) > 1:
        several = f", under several licences: {_list(counts)}"
        unknown = f". The licence of {counts['']:,} of them is unknown; the others: {_list(counts)}"
        sentence = f"{head}{unknown if counts[''] else several}.{background_text}"
        return SetLicence("other", "", "", "unknown-in-part" if counts[""] else "several", sentence)
    only = licences[0]
    sentence = (
        f"{head}{', all' if len(books) > 1 else ','} {_licence_phrase(only)}.{background_text}"
    )
    if only in _HUB:
        return SetLicence(
            _HUB[only], only, f"https://spdx.org/licenses/{only}.html", only, sentence
        )
    url = _PUBLIC_DOMAIN_MARK if only == PUBLIC_DOMAIN else ""
    return SetLicence("other", "", url, _slug(only), sentence)


def _counts(books: Iterable[ReleasedBook]) -> Counter[str]:
    return Counter(_normalized(book.license) for book in books)


def _normalized(licence: str) -> str:
    """SPDX identifier, ``public domain``, or the user's text on one line.

    >>> [_normalized(name) for name in ("cc by-sa 4.0", "PD", "", "In copyright,  by leave")]
    ['CC-BY-SA-4.0', 'public domain', '', 'In copyright, by leave']
    """
    plain = " ".join(licence.split())
    folded = _SEPARATORS.sub("-", plain.casefold())
    return PUBLIC_DOMAIN if folded in _PUBLIC_DOMAIN_NAMES else _BY_NAME.get(folded, plain)


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
    return licence if licence in _HUB or licence == PUBLIC_DOMAIN else quote(licence)


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

_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_YAML_KEYWORDS = frozenset(
    {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
)  # keywords of YAML 1.1
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def yaml_string(text: str) -> str:
    r"""A text as a quoted string on one line; a lone surrogate becomes U+FFFD.

    >>> print(yaml_string('a: "b"\n---'))
    "a: \"b\"\n---"
    """
    return _inline(text)


def yaml_lines(value: Mapping[str, Any]) -> list[str]:
    """The lines of a mapping of JSON values in block style; strings are quoted as in JSON.

    >>> yaml_lines({"tags": ["a", "b"], "rows": 1, "configs": [{"name": "x", "files": {"test": "t"}}], "none": []})
    ['tags:', '- "a"', '- "b"', 'rows: 1', 'configs:', '- name: "x"', '  files:', '    test: "t"', 'none: []']
    """
    return [line for key, inner in value.items() for line in _yaml_entry(_yaml_key(key), inner)]


def _yaml_entry(key: str, value: Any) -> list[str]:
    if isinstance(value, Mapping) and value:
        return [f"{key}:", *(f"  {line}" for line in yaml_lines(value))]
    if _is_list(value) and value:
        return [f"{key}:", *(line for one in value for line in _item(one))]
    return [f"{key}: {_inline(value)}"]


def _item(value: Any) -> list[str]:
    if isinstance(value, Mapping) and value:
        first, *rest = yaml_lines(value)
        return [f"- {first}", *(f"  {line}" for line in rest)]
    return [f"- {_inline(value)}"]


def _inline(value: Any) -> str:
    """As JSON, with YAML's line ends and unprintable characters escaped."""
    text = whole_characters(json.dumps(value, ensure_ascii=False))
    return _ESCAPED.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


def _yaml_key(key: str) -> str:
    return (
        key
        if _PLAIN_KEY.fullmatch(key) and key.casefold() not in _YAML_KEYWORDS
        else yaml_string(key)
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


# Missing from the licences of CFF 1.2.0 (2021).
_NOT_IN_CFF = frozenset({"CDLA-Permissive-2.0"})
_SOFTWARE_AUTHORS = "the cloze-gen authors"
_BIBTEX_TYPES = {
    "conference-paper": "inproceedings",
    "article": "article",
    "report": "techreport",
    "unpublished": "unpublished",
}
_VENUES = {
    "conference-paper": "booktitle",
    "article": "journal",
    "report": "institution",
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


def citation_cff(facts: ReleaseFacts, licence: SetLicence) -> str:
    """`CITATION.cff` with the paper and cloze-gen as references; CFF requires an author."""
    authors = [_cff_author(name) for name in facts.creator if name.strip()]
    paper = [_cff_paper(facts.reference)] if facts.reference is not None else []
    known = {
        "license": licence.spdx if licence.spdx not in _NOT_IN_CFF else "",
        "license-url": licence.url,
        "date-released": facts.published,
        "url": facts.address,
    }
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "type": "dataset",
        "message": "If you use this set, cite it with its signature, and cite the paper of its "
        "recipe.",
        "title": set_title(facts),
        "abstract": _abstract(facts, licence),
        "authors": authors or [{"name": f"the maker of {one_line(facts.name)} (not named)"}],
        "version": facts.set_version,
        **{name: value for name, value in known.items() if value},
        "identifiers": [
            {"type": "other", "value": facts.signature, "description": "signature of the set"}
        ],
        "keywords": ["cloze", "language model evaluation", facts.style],
        "references": [*paper, _cff_software(facts)],
    }
    return "\n".join([*yaml_lines(fields), ""])


def bibtex(facts: ReleaseFacts) -> str:
    year = facts.published[:4]
    fields = {
        "title": _braced(set_title(facts)),
        "author": " and ".join(_tex_author(name) for name in facts.creator if name.strip()),
        "year": year,
        "howpublished": r"\url{" + facts.address.replace("%", r"\%") + "}" if facts.address else "",
        "note": f"{_tex(facts.signature)}; made with cloze-gen {_tex(facts.version)}",
    }
    entries = [_entry("misc", _key(facts.name, year), fields)]
    if facts.reference is not None:
        entries.append(_paper_entry(facts.reference))
    return "\n\n".join(entries) + "\n"


def set_title(facts: ReleaseFacts) -> str:
    plural = "" if facts.n_items == 1 else "s"
    return (
        f"{one_line(facts.name)}: {facts.n_items:,} {one_line(facts.title)} cloze "
        f"{one_line(facts.noun)}{plural}"
    )


def _abstract(facts: ReleaseFacts, licence: SetLicence) -> str:
    return (
        f"{facts.n_items:,} cloze {facts.noun}s made by cloze-gen {facts.version} after "
        f"{one_line(facts.paper)} {licence.sentence}"
    )


def _cff_author(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in one_line(name).partition(","))
    return (
        {"family-names": family, "given-names": given}
        if comma and family and given
        else {"name": one_line(name)}
    )


def _cff_paper(paper: PaperReference) -> dict[str, Any]:
    place: dict[str, dict[str, Any]] = {
        "conference-paper": {"collection-title": paper.venue},
        "article": {"journal": paper.venue},
        "report": {"institution": {"name": paper.venue}},
    }
    venue = place.get(paper.kind, {"notes": paper.venue})
    known = {
        "number": paper.number,
        "doi": paper.doi,
        "url": paper.url,
        **(venue if paper.venue else {}),
    }
    return {
        "type": paper.kind,
        "title": paper.title,
        "authors": [_cff_author(name) for name in paper.authors],
        "year": paper.year,
        **{name: value for name, value in known.items() if value},
    }


def _cff_software(facts: ReleaseFacts) -> dict[str, Any]:
    return {
        "type": "software",
        "title": "cloze-gen",
        "authors": [{"name": _SOFTWARE_AUTHORS}],
        "version": facts.version,
    }


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
    return _entry(_BIBTEX_TYPES.get(paper.kind, "misc"), _key(first, str(paper.year)), fields)


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

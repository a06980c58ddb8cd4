r"""How a set is cited: `CITATION.cff`, which hubs and reference managers read, and BibTeX.

Nothing is made up: a maker, a date and an address stand there where the user gave them. CFF asks for an author, so a set whose maker is
not named says that.

Source: citation-file-format/citation-file-format, `schema.json` and `schema-guide.md` of version 1.2.0.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from cloze_gen.formats.licences import SetLicence
from cloze_gen.formats.one_line import one_line
from cloze_gen.formats.yaml_text import yaml_lines
from cloze_gen.records.release_facts import PaperReference, ReleaseFacts

# Of 1.2.0's list of licences, which is of 2021, this one is missing.
_NOT_IN_CFF = frozenset({"CDLA-Permissive-2.0"})
_SOFTWARE_AUTHORS = "the cloze-gen authors"
_BIBTEX_TYPES = {"conference-paper": "inproceedings", "article": "article", "report": "techreport", "unpublished": "unpublished"}
_VENUES = {"conference-paper": "booktitle", "article": "journal", "report": "institution", "unpublished": "note"}
_TEX = str.maketrans(
    {
        **{mark: f"\\{mark}" for mark in "%&#_$"},
        # Whoever counts braces counts those behind a backslash too, so that a lone one is written as a word.
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)


def citation_cff(facts: ReleaseFacts, licence: SetLicence) -> str:
    """`CITATION.cff` of a set, with the paper and cloze-gen as references."""
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
        "message": "If you use this set, cite it as below, with its signature, and the paper whose recipe it follows.",
        "title": set_title(facts),
        "abstract": _abstract(facts, licence),
        "authors": authors or [{"name": f"the maker of {one_line(facts.name)}, who is not named"}],
        "version": facts.set_version,
        **{name: value for name, value in known.items() if value},
        "identifiers": [{"type": "other", "value": facts.signature, "description": "signature of the set"}],
        "keywords": ["cloze", "language model evaluation", facts.style],
        "references": [*paper, _cff_software(facts)],
    }
    return "\n".join([*yaml_lines(fields), ""])


def bibtex(facts: ReleaseFacts) -> str:
    """The set as a BibTeX entry, and behind it the paper's where the style brings its parts."""
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
    """``NAME: 54 questions in the manner of ...``, on one line."""
    plural = "" if facts.n_items == 1 else "s"
    return f"{one_line(facts.name)}: {facts.n_items:,} {one_line(facts.title)} cloze {one_line(facts.noun)}{plural}"


def _abstract(facts: ReleaseFacts, licence: SetLicence) -> str:
    return f"{facts.n_items:,} cloze {facts.noun}s made by cloze-gen {facts.version} after {one_line(facts.paper)} {licence.sentence}"


def _cff_author(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in one_line(name).partition(","))
    return {"family-names": family, "given-names": given} if comma and family and given else {"name": one_line(name)}


def _cff_paper(paper: PaperReference) -> dict[str, Any]:
    place: dict[str, dict[str, Any]] = {
        "conference-paper": {"collection-title": paper.venue},
        "article": {"journal": paper.venue},
        "report": {"institution": {"name": paper.venue}},
    }
    venue = place.get(paper.kind, {"notes": paper.venue})
    known = {"number": paper.number, "doi": paper.doi, "url": paper.url, **(venue if paper.venue else {})}
    return {
        "type": paper.kind,
        "title": paper.title,
        "authors": [_cff_author(name) for name in paper.authors],
        "year": paper.year,
        **{name: value for name, value in known.items() if value},
    }


def _cff_software(facts: ReleaseFacts) -> dict[str, Any]:
    return {"type": "software", "title": "cloze-gen", "authors": [{"name": _SOFTWARE_AUTHORS}], "version": facts.version}


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
    """Small letters, digits and hyphens: what every BibTeX takes for a key.

    >>> _key("Argouarc'h", "2018"), _key("{\\n---", "")
    ('argouarch2018', 'set')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    return (re.sub(r"[^a-z0-9-]+", "", plain).strip("-")[:60] or "set") + year


def _tex_author(name: str) -> str:
    """A person as ``Family, Given``; any other name in braces, so that an `and` in it divides nothing."""
    return _tex(name) if name.count(",") == 1 and " and " not in one_line(name) else _braced(name)


def _braced(text: str) -> str:
    return f"{{{_tex(text)}}}"


def _tex(text: str) -> str:
    return one_line(text).translate(_TEX)

"""What a release says of where its text comes from, what is known to be wrong with it, and what it is for: Croissant's `rai:` and `prov:`.

Every sentence is written from the facts of a release; what nobody told is said to be unknown. `rai:hasSyntheticData` is false in the
sense that no program of ours wrote text: sentences are those of the books, and what stands beside an answer are words and sentences of
books that a program picked. How a user's book came to be is not known here, and is said so; the sample's were written to be a sample.

Source: Croissant RAI 1.0 (`rai:`), Croissant 1.1 "Provenance Representation" (PROV-O).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from cloze_gen.formats.licences import SetLicence
from cloze_gen.records.release_facts import Measured, ReleasedBook, ReleaseFacts

_ORDERS = {
    "shuffled": "They stand in an order drawn by lot, so that a model can be tested for having read the file.",
    "corpus": "They stand in the order of the books.",
}
_USERS = "cloze-gen has no model write text; how the books were written is not known to it."
_SAMPLE = "The books are short tales that were written to be cloze-gen's sample, their authors' names invented with them."
_TOLD_KINDS, _FIGURES_TOLD = frozenset({"adversary", "classifier"}), 12  # of an evaluation: what was trained to tell answers
BOOKS_NAMED = 100  # as many are named in the description itself; `release.json` names all


def responsible_ai(facts: ReleaseFacts, licence: SetLicence, splits: Collection[str]) -> dict[str, Any]:
    """Key -> value of the responsible-AI fields, each a sentence or a list of them.

    Args:
        splits: names of what the release holds; one called ``train`` is there to be trained on.
    """
    given = "that it brings" if facts.sample else "that its user gave it"
    sides = ", ".join(f"{side}: {count:,}" for side, count in Counter(book.side for book in facts.books).items())
    return {
        "rai:dataCollection": (
            f"cloze-gen {facts.version} read {_counted(len(facts.books), 'book')} {given}{f' ({sides})' if sides else ''}; "
            f"{_counted(len(facts.item_books), 'book')} gave {facts.noun}s. Nobody was asked for data."
        ),
        "rai:dataCollectionType": ["Document analysis", "Software Collection"],
        "rai:dataCollectionRawData": (
            f"Books as plain text, each known by the sha256 of its file (prov:wasDerivedFrom, release.json). {licence.sentence}"
        ),
        "rai:dataPreprocessingProtocol": [
            "Files are decoded, licence texts and headers cut, and the rest is cut into paragraphs, sentences and tokens.",
            f"{facts.title}: the recipe of {_sentence(facts.paper)} Every step, its settings and what it dropped stand in release.json.",
        ],
        "rai:dataManipulationProtocol": (
            f"The words of the {facts.noun}s are those of the books; marks and spaces are set as the paper's published form has them where "
            "a file has that form. What is offered beside the right answers, where anything is, was picked by a program: words, inflected "
            f"where they must be, or sentences of books. {_SAMPLE if facts.sample else _USERS}"
        ),
        "rai:dataAnnotationProtocol": [_judged(facts), "The right answer is what the book has at the blank."],
        "rai:dataBiases": _biases(facts),
        "rai:dataLimitations": _limitations(facts),
        "rai:dataUseCases": [
            f"Testing: how often a language model, or a person, finds what stood at the blank of a {facts.noun}.",
            ("Training: the split train, and nothing else of the set" if "train" in splits else "Not for training")
            + ": a model that has read what it is asked, or was chosen by it, cannot be tested with it any more.",
            "A score is of this set only; quote its signature.",
        ],
        "rai:dataSocialImpact": (
            "The books' own views of people stand in the sentences as printed. A high score says that a model fills blanks of such "
            "books; it says nothing of its fitness for decisions about people."
        ),
        "rai:personalSensitiveInformation": [
            "None was collected. Whom the books name, and what they say of them, stands in the sentences; whether a person lives was "
            "not looked into."
        ],
        "rai:dataReleaseMaintenancePlan": (
            "A release is not changed: other items are another set, with another signature. The same books, settings and seed give "
            "it again."
        ),
        "rai:hasSyntheticData": facts.sample,
    }


def provenance(facts: ReleaseFacts) -> dict[str, Any]:
    """`prov:wasDerivedFrom`, the books (the first `BOOKS_NAMED`, those of items first), and `prov:wasGeneratedBy`, the run."""
    kept = [book for book in facts.books if book.status == "kept"]
    drawn = [book for book in kept if book.items]
    ordered = [*drawn, *(book for book in kept if not book.items)]
    more = len(ordered) - BOOKS_NAMED
    rest = [{"@type": "prov:Entity", "prov:label": f"{more:,} more books; release.json names them all"}] if more > 0 else []
    told = {
        "version of cloze-gen": facts.version,
        "style": facts.style,
        "paper": facts.paper,
        "seed": facts.seed,
        "signature": facts.signature,
        "canary": facts.canary,
        "settings": json.dumps(facts.settings, ensure_ascii=False, sort_keys=True),
        "set by the user": "; ".join(facts.overrides),
        "libraries": ", ".join(f"{name} {version}" for name, version in sorted(facts.versions.items())),
    }
    return {
        "prov:wasDerivedFrom": [*map(_entity, ordered[:BOOKS_NAMED]), *rest],
        "prov:wasGeneratedBy": {
            "@type": "prov:Activity",
            "prov:label": f"cloze-gen run {facts.style}",
            "prov:wasAssociatedWith": {"@type": "prov:SoftwareAgent", "prov:label": f"cloze-gen {facts.version}"},
            "additionalProperty": [
                {"@type": "sc:PropertyValue", "name": name, "value": value} for name, value in told.items() if value not in {None, ""}
            ],
        },
    }


def _entity(book: ReleasedBook) -> dict[str, Any]:
    known: Mapping[str, str] = {
        "author": book.author,
        "license": book.license or "unknown",
        "sha256": book.sha256,
        "identifier": book.etext,
        "temporal": book.year,
    }
    use = _counted(book.items, "item") if book.items else "background: nothing of it is printed"
    return {
        "@type": ["prov:Entity", "sc:Book"],
        "prov:label": book.title or book.book_id,
        **{name: value for name, value in known.items() if value},
        "additionalProperty": [{"@type": "sc:PropertyValue", "name": name, "value": value} for name, value in ((book.side, use),)],
    }


def _biases(facts: ReleaseFacts) -> list[str]:
    """How unevenly the items are spread over books and authors, and what was measured of the set."""
    books = facts.item_books
    items, most = sum(book.items for book in books), max((book.items for book in books), default=0)
    authors = len({book.author for book in books if book.author})
    unnamed = sum(not book.author for book in books)
    spread = f"The items are of {_counted(len(books), 'book')} by {_counted(authors, 'named author')}" + (
        f"; of {_counted(unnamed, 'book')} no author is named" if unnamed else ""
    )
    share = f"; the book with most of them has {most / items:.0%}" if items else ""
    lines = [f"{spread}{share}. Their English, and what it takes for granted, is that of these books."]
    if not (facts.measured or facts.evaluated):
        return [
            *lines,
            "How well the answers can be told without reading was not measured yet; `cloze-gen evaluate` does it.",
        ]
    told = [row for row in facts.measured if row.kind in _TOLD_KINDS] or list(facts.measured)
    return [*lines, *filter(None, [facts.evaluated]), *map(_figure, told[:_FIGURES_TOLD]), "README.md and release.json have all rows."]


def _figure(row: Measured) -> str:
    how = f", {row.way}" if row.way else ""
    return f"{row.kind} {row.name}: right in {row.accuracy:.1%} (95 %: {row.low:.1%} to {row.high:.1%}){how}."


def _limitations(facts: ReleaseFacts) -> list[str]:
    short = f"; {facts.n_wanted:,} were wanted" if facts.n_items < facts.n_wanted else ""
    canary = f" Whoever trains can leave out what holds the canary {facts.canary}." if facts.canary else ""
    pointers = ["The text was left out; it is filled in from one's own copies of the books."] if facts.text == "pointers" else []
    sample = ["The books are the small sample that cloze-gen brings: for trying it out, not for scores."] if facts.sample else []
    return [
        f"{facts.n_items:,} {facts.noun}s{short}, in English. {_ORDERS.get(facts.order, '')}".rstrip(),
        f"A model may have read the books; that it gets an answer right may be memory.{canary}",
        *pointers,
        *sample,
        *facts.notes,
    ]


def _judged(facts: ReleaseFacts) -> str:
    by_nobody = facts.judged in {"", "machine"}
    return "No person judged the items." if by_nobody else f"Judged: {_sentence(facts.judged)}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"

"""A release as a Croissant 1.1 description.

Source: Croissant 1.1, Croissant RAI 1.0 (docs.mlcommons.org/croissant), `mlcroissant` 1.1.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cloze_gen.formats.features import Columns, Feature, ListOf, Table
from cloze_gen.formats.licences import SetLicence, bibtex
from cloze_gen.parsing import one_line, whole_characters
from cloze_gen.records.release_facts import Measured, ReleasedBook, ReleaseFacts

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{
        term: f"cr:{term}"
        for term in (
            *(
                "arrayShape",
                "citeAs",
                "column",
                "containedIn",
                "equivalentProperty",
                "extract",
                "field",
                "fileObject",
                "fileProperty",
            ),
            *(
                "fileSet",
                "format",
                "includes",
                "isArray",
                "isLiveDataset",
                "jsonPath",
                "key",
                "md5",
                "parentField",
                "path",
                "recordSet",
            ),
            *(
                "references",
                "regex",
                "repeated",
                "replace",
                "samplingRate",
                "separator",
                "source",
                "subField",
                "transform",
            ),
        )
    },
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
_SPLITS = {"train": "cr:TrainingSplit", "validation": "cr:ValidationSplit", "test": "cr:TestSplit"}
_SPLITS_SET = "splits"
_ENCODINGS = {".jsonl": "application/jsonlines", ".parquet": "application/x-parquet"}


def croissant_json(facts: ReleaseFacts, tables: Sequence[Table], licence: SetLicence) -> str:
    """`croissant.json` of a release, with a final line end; files are named relative to it.

    Each split is a record set: ``test`` for the config ``default``, ``control_test`` for another. A
    field ``split`` refers to Croissant's splits, unless the table has a column of that name.
    """
    known = {
        "url": facts.address,
        "datePublished": facts.published,
        "creator": [_creator(name) for name in facts.creator if name.strip()],
    }
    described: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": one_line(facts.name),
        "description": _description(facts, licence),
        "version": facts.set_version,
        "license": licence.url or licence.sentence,
        **{name: value for name, value in known.items() if value},
        "citeAs": bibtex(facts),
        "keywords": ["cloze", "sentence completion", "language model evaluation", facts.style],
        "inLanguage": "en",
        "isLiveDataset": False,
        **responsible_ai(facts, licence, {table.split for table in tables}),
        **provenance(facts),
        "distribution": [_file(table) for table in tables],
        "recordSet": [_splits(tables), *map(_record_set, tables)],
    }
    return whole_characters(json.dumps(described, ensure_ascii=False, indent=2)) + "\n"


def record_set_id(table: Table) -> str:
    return table.split if table.config == "default" else f"{table.config}_{table.split}"


def _description(facts: ReleaseFacts, licence: SetLicence) -> str:
    return (
        f"{facts.n_items:,} {facts.title} cloze {facts.noun}s, made from books by cloze-gen "
        f"{facts.version} after {facts.paper} "
        f"{licence.sentence} Signature: {facts.signature}"
    )


def _creator(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in one_line(name).partition(","))
    person = {
        "@type": "sc:Person",
        "name": f"{given} {family}",
        "givenName": given,
        "familyName": family,
    }
    return (
        person
        if comma and family and given
        else {"@type": "sc:Organization", "name": one_line(name)}
    )


def _file(table: Table) -> dict[str, Any]:
    encoding = next(
        (kind for ending, kind in _ENCODINGS.items() if table.file.endswith(ending)),
        "application/octet-stream",
    )
    return {
        "@type": "cr:FileObject",
        "@id": table.file,
        "name": table.file,
        "contentUrl": table.file,
        "contentSize": f"{table.bytes} B",
        "encodingFormat": encoding,
        "sha256": table.sha256,
    }


def _splits(tables: Sequence[Table]) -> dict[str, Any]:
    names = dict.fromkeys(table.split for table in tables)
    name, url = f"{_SPLITS_SET}/name", f"{_SPLITS_SET}/url"
    return {
        "@type": "cr:RecordSet",
        "@id": _SPLITS_SET,
        "name": _SPLITS_SET,
        "dataType": "cr:Split",
        "key": {"@id": name},
        "field": [
            {"@type": "cr:Field", "@id": name, "name": "name", "dataType": "sc:Text"},
            {"@type": "cr:Field", "@id": url, "name": "url", "dataType": "sc:URL"},
        ],
        "data": [{name: split, url: _SPLITS.get(split, "cr:Split")} for split in names],
    }


def _column_doc(table: Table, one: Mapping[str, Any]) -> dict[str, str]:
    text = table.column_docs.get(one["name"], "")
    return {"description": text} if text else {}


def _record_set(table: Table) -> dict[str, Any]:
    own, missing = record_set_id(table), left_out(table.columns)
    note = (
        f" Columns of the file without a description here: {', '.join(missing)}." if missing else ""
    )
    split = {
        "@type": "cr:Field",
        "@id": f"{own}/split",
        "name": "split",
        "dataType": "sc:Text",
        "value": table.split,
        "references": {"field": {"@id": f"{_SPLITS_SET}/name"}},
    }
    return {
        "@type": "cr:RecordSet",
        "@id": own,
        "name": own,
        "description": f"{table.rows:,} records of the split {table.split} of the config "
        f"{table.config}.{note}",
        "field": [
            *(
                one | _column_doc(table, one)
                for one in fields(table.columns, record_set=own, file=table.file)
            ),
            *([split] if "split" not in table.columns.types else []),
        ],
    }


# Columns as fields. A column of strings, numbers or lists of them is a field; an object, and a list
# of objects, is a field of sub-fields, each named by a JSON path. Deeper values, and names that a
# JSON path cannot hold, are left out (Croissant 1.1, "Fields", "Extract", "Transform").


_TYPES = {"string": "sc:Text", "int64": "cr:Int64", "float64": "cr:Float64", "bool": "sc:Boolean"}
_PATH_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COLUMN_NAME = re.compile(r"[A-Za-z0-9_.-]+")


def fields(columns: Columns, *, record_set: str, file: str) -> list[dict[str, Any]]:
    return [
        field
        for name, feature in columns.types.items()
        if (field := _field(name, feature, f"{record_set}/{name}", file)) is not None
    ]


def left_out(columns: Columns) -> list[str]:
    """Columns, and parts of columns, that `fields` leaves out.

    >>> left_out(Columns({"a": "string", "b c": "string", "d": Columns({"e": Columns({"f": "int64"}), "g": "int64"})}))
    ['b c', 'd.e']
    """
    wrong = []
    for name, feature in columns.types.items():
        parts = _parts(feature)
        if not _COLUMN_NAME.fullmatch(name) or (
            _leaf(feature) is None and not any(_is_documented(part) for part in parts)
        ):
            wrong.append(name)
        else:
            wrong += [f"{name}.{part[0]}" for part in parts if not _is_documented(part)]
    return wrong


def _field(name: str, feature: Feature | None, field_id: str, file: str) -> dict[str, Any] | None:
    if not _COLUMN_NAME.fullmatch(name):
        return None
    head: dict[str, Any] = {"@type": "cr:Field", "@id": field_id, "name": name}
    source: dict[str, Any] = {"fileObject": {"@id": file}, "extract": {"column": name}}
    if (leaf := _leaf(feature)) is not None:
        return head | leaf | {"source": source}
    subs = [
        {"@type": "cr:Field", "@id": f"{field_id}/{part}", "name": part}
        | (_leaf(inner) or {})
        | {"source": source | {"transform": {"jsonPath": part}}}
        for part, inner in filter(_is_documented, _parts(feature))
    ]
    several = {"isArray": True, "arrayShape": "-1"} if isinstance(feature, ListOf) else {}
    return head | several | {"subField": subs} if subs else None


def _parts(feature: Feature | None) -> list[tuple[str, Feature | None]]:
    item = feature.item if isinstance(feature, ListOf) else feature
    return list(item.types.items()) if isinstance(item, Columns) else []


def _is_documented(part: tuple[str, Feature | None]) -> bool:
    return _PATH_NAME.fullmatch(part[0]) is not None and _leaf(part[1]) is not None


def _leaf(feature: Feature | None) -> dict[str, Any] | None:
    """Data type and shape of plain values and (nested) lists of them; None for objects."""
    depth = 0
    while isinstance(feature, ListOf):
        depth, feature = depth + 1, feature.item
    if not isinstance(feature, str):
        return None
    shape = {"isArray": True, "arrayShape": ",".join(["-1"] * depth)} if depth else {}
    return {"dataType": _TYPES[feature]} | shape


# Responsible AI and provenance. Every sentence follows from the facts of a release. Missing facts are
# reported as unknown. `rai:hasSyntheticData` is false if no program wrote text: distractors are words
# and sentences of books. Only for the sample do we know how the books were written.


_ORDERS = {
    "shuffled": "They are in random order, so that models can be tested for contamination by the "
    "file.",
    "corpus": "They are in the order of the books.",
}
_USERS = "No model of cloze-gen writes text; it is unknown how the books were written."
_SAMPLE = (
    "The books are short tales written as the sample of cloze-gen, with invented author names."
)
_DOCUMENTED_KINDS, _DOCUMENTED_FIGURES = (
    frozenset({"adversary", "classifier"}),
    12,
)  # kinds of rows that are trained to find answers; most rows listed
BOOKS_NAMED = 100  # in the description; `release.json` names all


def responsible_ai(
    facts: ReleaseFacts, licence: SetLicence, splits: Collection[str]
) -> dict[str, Any]:
    given = "of its sample" if facts.sample else "of its user"
    sides = ", ".join(
        f"{side}: {count:,}" for side, count in Counter(book.side for book in facts.books).items()
    )
    return {
        "rai:dataCollection": (
            f"cloze-gen {facts.version} read {_counted(len(facts.books), 'book')} "
            f"{given}{f' ({sides})' if sides else ''}; "
            f"{facts.noun}s come from {_counted(len(facts.item_books), 'book')}. No data was "
            "collected from people."
        ),
        "rai:dataCollectionType": ["Document analysis", "Software Collection"],
        "rai:dataCollectionRawData": (
            "Books as plain text, identified by the sha256 of their files (prov:wasDerivedFrom, "
            f"release.json). {licence.sentence}"
        ),
        "rai:dataPreprocessingProtocol": [
            "Files are decoded, licence texts and headers are removed, and the rest is split into "
            "paragraphs, sentences and tokens.",
            f"{facts.title}: the recipe of {_sentence(facts.paper)} release.json lists every "
            "step, its settings and the numbers of dropped items.",
        ],
        "rai:dataManipulationProtocol": (
            f"The words of the {facts.noun}s are those of the books. Files in the paper's "
            "published form have its punctuation and spaces. A program chose the wrong answers, "
            "if there are any: words, inflected if needed, or sentences of books. "
            f"{_SAMPLE if facts.sample else _USERS}"
        ),
        "rai:dataAnnotationProtocol": [
            _annotation_text(facts),
            "The right answer is the text of the book at the blank.",
        ],
        "rai:dataBiases": _biases(facts),
        "rai:dataLimitations": _limitations(facts),
        "rai:dataUseCases": [
            "Testing: how often a language model or a person finds the original text at the "
            f"blank of a {facts.noun}.",
            ("Training: only the split train" if "train" in splits else "Not for training")
            + ": a model that was trained or selected on test items can no longer be tested with "
            "them.",
            "A score is valid for this set only; report its signature.",
        ],
        "rai:dataSocialImpact": (
            "The sentences include the views of the books about people. A high score shows that "
            "a model fills blanks of such books; it does not show that the model is fit for "
            "decisions about people."
        ),
        "rai:personalSensitiveInformation": [
            "None was collected. The sentences may include names of people and statements about "
            "them; it was not checked whether these people are alive."
        ],
        "rai:dataReleaseMaintenancePlan": (
            "A release never changes: a set with other items has another signature. The same "
            "books, settings and seed rebuild it."
        ),
        "rai:hasSyntheticData": facts.sample,
    }


def provenance(facts: ReleaseFacts) -> dict[str, Any]:
    kept = [book for book in facts.books if book.status == "kept"]
    drawn = [book for book in kept if book.items]
    ordered = [*drawn, *(book for book in kept if not book.items)]
    more = len(ordered) - BOOKS_NAMED
    rest = (
        [
            {
                "@type": "prov:Entity",
                "prov:label": f"{more:,} more books; release.json names them all",
            }
        ]
        if more > 0
        else []
    )
    properties = {
        "version of cloze-gen": facts.version,
        "style": facts.style,
        "paper": facts.paper,
        "seed": facts.seed,
        "signature": facts.signature,
        "canary": facts.canary,
        "settings": json.dumps(facts.settings, ensure_ascii=False, sort_keys=True),
        "set by the user": "; ".join(facts.overrides),
        "libraries": ", ".join(
            f"{name} {version}" for name, version in sorted(facts.versions.items())
        ),
    }
    return {
        "prov:wasDerivedFrom": [*map(_entity, ordered[:BOOKS_NAMED]), *rest],
        "prov:wasGeneratedBy": {
            "@type": "prov:Activity",
            "prov:label": f"cloze-gen run {facts.style}",
            "prov:wasAssociatedWith": {
                "@type": "prov:SoftwareAgent",
                "prov:label": f"cloze-gen {facts.version}",
            },
            "additionalProperty": [
                {"@type": "sc:PropertyValue", "name": name, "value": value}
                for name, value in properties.items()
                if value not in {None, ""}
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
    use = _counted(book.items, "item") if book.items else "background: no text of it is included"
    return {
        "@type": ["prov:Entity", "sc:Book"],
        "prov:label": book.title or book.book_id,
        **{name: value for name, value in known.items() if value},
        "additionalProperty": [
            {"@type": "sc:PropertyValue", "name": name, "value": value}
            for name, value in ((book.side, use),)
        ],
    }


def _biases(facts: ReleaseFacts) -> list[str]:
    books = facts.item_books
    items, most = sum(book.items for book in books), max((book.items for book in books), default=0)
    authors = len({book.author for book in books if book.author})
    unnamed = sum(not book.author for book in books)
    spread = (
        f"The items come from {_counted(len(books), 'book')} by {_counted(authors, 'named author')}"
        + (f"; {_counted(unnamed, 'book')} without a named author" if unnamed else "")
    )
    share = f"; the largest share of one book is {most / items:.0%}" if items else ""
    lines = [f"{spread}{share}. Their English and its assumptions are those of these books."]
    if not (facts.measured or facts.evaluated):
        return [
            *lines,
            "It was not yet measured how well answers can be found without reading; run "
            "`cloze-gen evaluate`.",
        ]
    rows = [row for row in facts.measured if row.kind in _DOCUMENTED_KINDS] or list(facts.measured)
    return [
        *lines,
        *filter(None, [facts.evaluated]),
        *map(_figure, rows[:_DOCUMENTED_FIGURES]),
        "README.md and release.json list all rows.",
    ]


def _figure(row: Measured) -> str:
    how = f", {row.method}" if row.method else ""
    return (
        f"{row.kind} {row.name}: right in {row.accuracy:.1%} (95 %: {row.low:.1%} to "
        f"{row.high:.1%}){how}."
    )


def _limitations(facts: ReleaseFacts) -> list[str]:
    short = f" ({facts.n_wanted:,} were requested)" if facts.n_items < facts.n_wanted else ""
    canary = f" Training data can be filtered by the canary {facts.canary}." if facts.canary else ""
    pointers = (
        ["The text is left out; fill it in from your own copies of the books."]
        if facts.text == "pointers"
        else []
    )
    sample = (
        ["The books are the small sample of cloze-gen: for trying it out, not for scores."]
        if facts.sample
        else []
    )
    return [
        f"{facts.n_items:,} {facts.noun}s{short}, in English. {_ORDERS.get(facts.order, '')}".rstrip(),
        f"A model may have seen the books, so a right answer may be memorized.{canary}",
        *pointers,
        *sample,
        *facts.notes,
    ]


def _annotation_text(facts: ReleaseFacts) -> str:
    without_author = facts.judged in {"", "machine"}
    return "No person judged the items." if without_author else f"Judged: {_sentence(facts.judged)}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"

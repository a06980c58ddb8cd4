"""A release as a Croissant 1.1 description: files, record sets, licence, provenance and the responsible-AI fields, as JSON-LD.

Source: Croissant 1.1 (docs.mlcommons.org/croissant), its recommended context, and what `mlcroissant` 1.1 reads. It asks for a creator, a
date and an address of every set; those are the user's to give, and stand here where they were given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.formats.citation import bibtex
from cloze_gen.formats.croissant_fields import fields, left_out
from cloze_gen.formats.features import Table
from cloze_gen.formats.licences import SetLicence
from cloze_gen.formats.one_line import one_line, whole_characters
from cloze_gen.formats.responsible_ai import provenance, responsible_ai
from cloze_gen.records.release_facts import ReleaseFacts

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{
        term: f"cr:{term}"
        for term in (
            *("arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileObject", "fileProperty"),
            *("fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
            *("references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
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
    """`croissant.json` of a release, with an end of line.

    Each split is a record set: ``test`` of the config ``default``, ``control_test`` of another; a field ``split`` of its own ties it to
    what Croissant knows of splits, unless the table has such a column itself. Files are named as they lie beside it.
    """
    known = {"url": facts.address, "datePublished": facts.published, "creator": [_creator(name) for name in facts.creator if name.strip()]}
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
    """By which its records are asked for: the split, and before it the config where that is not ``default``."""
    return table.split if table.config == "default" else f"{table.config}_{table.split}"


def _description(facts: ReleaseFacts, licence: SetLicence) -> str:
    return (
        f"{facts.n_items:,} {facts.title} cloze {facts.noun}s, made from books by cloze-gen {facts.version} after {facts.paper} "
        f"{licence.sentence} Signature: {facts.signature}"
    )


def _creator(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in one_line(name).partition(","))
    person = {"@type": "sc:Person", "name": f"{given} {family}", "givenName": given, "familyName": family}
    return person if comma and family and given else {"@type": "sc:Organization", "name": one_line(name)}


def _file(table: Table) -> dict[str, Any]:
    encoding = next((kind for ending, kind in _ENCODINGS.items() if table.file.endswith(ending)), "application/octet-stream")
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
    """The names of the splits, and which of Croissant's they are."""
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


def _told(table: Table, one: Mapping[str, Any]) -> dict[str, str]:
    """What a field holds, in words, where that is told."""
    told = table.told.get(one["name"], "")
    return {"description": told} if told else {}


def _record_set(table: Table) -> dict[str, Any]:
    own, missing = record_set_id(table), left_out(table.columns)
    told = f" Not described here, though in the file: {', '.join(missing)}." if missing else ""
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
        "description": f"{table.rows:,} records of the split {table.split} of the config {table.config}.{told}",
        "field": [
            *(one | _told(table, one) for one in fields(table.columns, record_set=own, file=table.file)),
            *([split] if "split" not in table.columns.types else []),
        ],
    }

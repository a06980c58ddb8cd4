"""`release.json`: what a release says of itself, for programs, and what its other documents are written from."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cloze_gen.errors import FormatError
from cloze_gen.notation import NotationError, parse_json, reason, shown
from cloze_gen.records.release_facts import ReleaseFacts
from cloze_gen.report.card import CardTable
from cloze_gen.report.funnel import FunnelStep
from cloze_gen.store.files import read_below, stays_within
from cloze_gen.store.runs import RELEASE_FILE, is_run_name


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRecord:
    """Everything that `release.json` holds.

    Attributes:
        steps: of the run's funnel.
        tables: of the style's own, for the card.
        beside: files of records that are released beside the items.
        taken: files that the run's store has given and that cannot be made of the items.
        full: of a release of pointers, file -> sha256 of the full release that it becomes; empty of a full one.
    """

    facts: ReleaseFacts
    steps: tuple[FunnelStep, ...] = ()
    tables: tuple[CardTable, ...] = ()
    beside: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    full: Mapping[str, str] = field(default_factory=dict)


MOST_RECORD_BYTES = 64 << 20  # of `release.json`; that of a set of 527 books has 200 kB
MOST_SEED = 2**63 - 1
SCHEMA, TEXTS = "cloze-gen/release", ("full", "pointers")
_BESIDE = ("steps", "tables", "beside", "taken", "full")


@functools.cache
def _record() -> TypeAdapter[ReleaseRecord]:
    return TypeAdapter(ReleaseRecord)


def record_text(record: ReleaseRecord) -> str:
    """The text of `release.json`: the facts as its own keys, what else the record holds behind them."""
    value = _record().dump_python(record, mode="json")
    facts: dict[str, Any] = value.pop("facts")
    if not record.full:
        del value["full"]
    return json.dumps(facts | value, indent=1, ensure_ascii=False) + "\n"


def read_record(folder: Path) -> ReleaseRecord:
    """What a release says of itself. Anybody may have written it: every name in it is that of a file below a folder, and nothing is
    converted to another type.

    Raises:
        FormatError: there is no `release.json`, or it is damaged, of another form, or has a name that would lead out of a folder.
    """
    path = folder / RELEASE_FILE
    if not os.path.lexists(path):
        raise FormatError(f"{folder}: no {RELEASE_FILE} in it, so it is no release of this version of cloze-gen.")
    try:
        value = parse_json(read_below(folder, RELEASE_FILE, max_bytes=MOST_RECORD_BYTES))
        beside = {name: value[name] for name in _BESIDE if name in value}
        parts = {"facts": {name: value[name] for name in value if name not in _BESIDE}} | beside
        record = _record().validate_json(json.dumps(parts), strict=True)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({reason(error)}).") from None
    except (NotationError, TypeError, ValueError) as error:
        what = str(error).splitlines()[0] if not isinstance(error, ValidationError) else _first_mistake(error)
        raise FormatError(f"{path}: not what a release says of itself ({what}).") from None
    wrong = next(_mistakes(record), None)
    if wrong is not None:
        raise FormatError(f"{path}: {wrong}.")
    return record


def _mistakes(record: ReleaseRecord) -> Iterator[str]:
    facts = record.facts
    if facts.schema != SCHEMA:
        yield f"its schema is {shown(facts.schema)} and not {shown(SCHEMA)}"
    if facts.text not in TEXTS:
        yield f"its text is {shown(facts.text)}, which is none of {', '.join(TEXTS)}"
    if not is_run_name(facts.name):
        yield f"its name, {shown(facts.name)}, is no name of a run"
    if not 0 <= facts.seed <= MOST_SEED:
        yield f"its seed, {shown(facts.seed)}, is not from 0 to {MOST_SEED}"
    if facts.n_items < 0:
        yield f"it has {shown(facts.n_items)} items"
    if "release" not in facts.settings or not all(isinstance(group, Mapping) for group in facts.settings.values()):
        yield "its settings are not groups of settings, `release` among them"
    for file in (*record.beside, *record.taken, *record.full, *(book.file for book in facts.books)):
        if not stays_within(file):
            yield f"{shown(file)} is no name of a file below a folder"
    for side in dict.fromkeys(book.side for book in facts.books):
        if not is_run_name(side):
            yield f"{shown(side)} is no side of books"


def _first_mistake(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"

"""`release.json`: facts of a release, gathered from a run, written, and read back."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cloze_gen import __version__
from cloze_gen.corpus.books import read_books
from cloze_gen.errors import FormatError
from cloze_gen.parsing import ParseError, error_text, parse_json, quote
from cloze_gen.records.rejection import FunnelStep
from cloze_gen.records.release_facts import RELEASE_FORMAT, ReleasedBook, ReleaseFacts
from cloze_gen.release.card import CardTable
from cloze_gen.release.settings import public_overrides
from cloze_gen.release.signature import canary_of
from cloze_gen.release.style import FinishedRun, PublishedSet, Style, facts_of
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.files import read_below, stays_within
from cloze_gen.store.runs import RELEASE_FILE, is_run_name


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRecord:
    """The contents of `release.json`.

    Attributes:
        taken: files from the run's store that cannot be rebuilt from the items.
        full: file -> sha256 of the full release; empty unless this is a release of pointers.
    """

    facts: ReleaseFacts
    steps: tuple[FunnelStep, ...] = ()
    tables: tuple[CardTable, ...] = ()
    derived: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    full: Mapping[str, str] = field(default_factory=dict)


MOST_RECORD_BYTES = 64 << 20  # a `release.json` with 527 books has 200 kB
MOST_SEED = 2**63 - 1
SCHEMA, TEXTS = "cloze-gen/release", ("full", "pointers")
_OUTSIDE_FACTS = ("steps", "tables", "derived", "taken", "full")


@functools.cache
def _record() -> TypeAdapter[ReleaseRecord]:
    return TypeAdapter(ReleaseRecord)


def record_text(record: ReleaseRecord) -> str:
    value = _record().dump_python(record, mode="json")
    facts: dict[str, Any] = value.pop("facts")
    if not record.full:
        del value["full"]
    return json.dumps(facts | value, indent=1, ensure_ascii=False) + "\n"


def read_record(folder: Path) -> ReleaseRecord:
    """Read an untrusted `release.json`; values are not converted; file names stay below the folder."""
    path = folder / RELEASE_FILE
    if not os.path.lexists(path):
        raise FormatError(f"{folder}: has no {RELEASE_FILE}. Give the folder of a release.")
    try:
        value = parse_json(read_below(folder, RELEASE_FILE, max_bytes=MOST_RECORD_BYTES))
        _check_format(path, value)
        others = {name: value[name] for name in _OUTSIDE_FACTS if name in value}
        parts = {
            "facts": {name: value[name] for name in value if name not in _OUTSIDE_FACTS}
        } | others
        record = _record().validate_json(json.dumps(parts), strict=True)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error_text(error)}).") from None
    except (ParseError, TypeError, ValueError) as error:
        fault = (
            str(error).splitlines()[0]
            if not isinstance(error, ValidationError)
            else _first_fault(error)
        )
        raise FormatError(
            f"{path}: not a valid {RELEASE_FILE} ({fault}). Download the release again."
        ) from None
    wrong = next(_faults(record), None)
    if wrong is not None:
        raise FormatError(f"{path}: {wrong}.")
    return record


def _check_format(path: Path, value: Any) -> None:
    """Refuse the format of another version; a file without one has another fault."""
    written = value.get("format_version") if isinstance(value, dict) else None
    if isinstance(written, int) and written != RELEASE_FORMAT:
        raise FormatError(
            f"{path}: cloze-gen {quote(value.get('version'))} wrote this release, in format "
            f"{written}. This version reads format {RELEASE_FORMAT}. Repeat `cloze-gen run` to "
            "write the release again, or use the version that wrote it."
        )


def _faults(record: ReleaseRecord) -> Iterator[str]:
    facts = record.facts
    if facts.schema != SCHEMA:
        yield f"the schema is {quote(facts.schema)}; expected {quote(SCHEMA)}"
    if facts.text not in TEXTS:
        yield f"text is {quote(facts.text)}; expected one of {', '.join(TEXTS)}"
    if not is_run_name(facts.name):
        yield f"the name {quote(facts.name)} is not a valid run name"
    if not 0 <= facts.seed <= MOST_SEED:
        yield f"the seed {quote(facts.seed)} is not between 0 and {MOST_SEED}"
    if facts.n_items < 0:
        yield f"n_items is {quote(facts.n_items)}; it must not be negative"
    if "release" not in facts.settings or not all(
        isinstance(group, Mapping) for group in facts.settings.values()
    ):
        yield "settings must be groups of settings with a group `release`"
    for file in (
        *record.derived,
        *record.taken,
        *record.full,
        *(book.file for book in facts.books),
    ):
        if not stays_within(file):
            yield f"{quote(file)} is not a file name inside the release"
    for side in dict.fromkeys(book.side for book in facts.books):
        if not is_run_name(side):
            yield f"{quote(side)} is not a valid side of books"


def _first_fault(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"


KEPT = "kept"
SAMPLE_LICENCE = "CC0-1.0"  # of the sample books: corpora/LICENSE
# their versions can change bytes of a release
_LIBRARIES = ("numpy", "pyarrow", "spacy")
_COLUMNS = ("member", "title", "author", "year", "etext", "language", "genre", "role", "license")


def release_facts(
    style: Style,
    run: FinishedRun,
    published: PublishedSet,
    *,
    signature: str,
    settings: Mapping[str, Any],
    notes: Sequence[str],
) -> ReleaseFacts:
    """The facts of a finished run, without an evaluation."""
    release = published.release
    return ReleaseFacts(
        format_version=RELEASE_FORMAT,
        version=__version__,
        name=published.name,
        style=style.name,
        title=style.title,
        paper=style.paper,
        reference=style.reference,
        seed=published.seed,
        signature=signature,
        canary=canary_of(signature),
        order=style.order(run.settings),
        text="full",
        sample=run.sample,
        settings=settings,
        overrides=tuple(public_overrides(run.overrides)),
        noun=style.items.noun,
        n_items=sum(map(style.items.counts, published.items)),
        n_wanted=int(run.artifacts[style.last].facts["wanted"]),
        books=tuple(
            replace(book, license=book.license or SAMPLE_LICENCE) if run.sample else book
            for book in released_books(
                style, run.artifacts, Counter(item.book_id for item in published.items)
            )
        ),
        notes=tuple(notes),
        creator=release.creators,
        date=release.date,
        url=release.url,
        judged=style.judged(facts_of(run.artifacts)),
        versions={name: importlib.metadata.version(name) for name in _LIBRARIES},
    )


def released_books(
    style: Style, artifacts: Mapping[str, Artifact], counts: Mapping[str, int]
) -> Iterator[ReleasedBook]:
    """All books of each side, once if the sides share a folder; `counts`: items of each book."""
    last, drawn_from = (
        style.last_books(artifacts),
        artifacts[f"ingest {style.drawn_from}"].folder.resolve(),
    )
    for side in style.sides:
        ingest = artifacts[f"ingest {side}"]
        if side != style.drawn_from and ingest.folder.resolve() == drawn_from:
            continue
        found = {row["book_id"]: row for row in read_books(artifacts[last[side]])}
        for row in read_books(ingest):
            final = found.get(row["book_id"], row)
            yield ReleasedBook(
                side=side,
                book_id=row["book_id"],
                file=row["file"],
                sha256=row["digest"],
                status=KEPT if final["status"] == KEPT else final["reason"] or final["status"],
                items=counts.get(row["book_id"], 0) if side == style.drawn_from else 0,
                **{name: row.get(name, "") for name in _COLUMNS},
            )

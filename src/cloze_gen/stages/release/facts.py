"""`release.json`: what a release says of itself, for programs: who made it of what and how, and what its other papers are written from."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cloze_gen.errors import FormatError
from cloze_gen.notation import NotationError, parse_json
from cloze_gen.records.release_facts import ReleaseFacts
from cloze_gen.report.card import CardTable
from cloze_gen.report.funnel import FunnelStep

RELEASE_FILE = "release.json"


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
    """What a release says of itself.

    Raises:
        FormatError: there is no `release.json`, or it is damaged or another version's.
    """
    path = folder / RELEASE_FILE
    try:
        value = parse_json(path.read_bytes())
        beside = {name: value[name] for name in _BESIDE if name in value}
        return _record().validate_python({"facts": {name: value[name] for name in value if name not in _BESIDE}} | beside)
    except FileNotFoundError:
        raise FormatError(f"{folder}: no {RELEASE_FILE} in it, so it is no release of this version of cloze-gen.") from None
    except (OSError, NotationError, TypeError, ValidationError) as error:
        what = str(error).splitlines()[0] if not isinstance(error, ValidationError) else _first_mistake(error)
        raise FormatError(f"{path}: not what a release says of itself ({what}).") from None


def _first_mistake(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"

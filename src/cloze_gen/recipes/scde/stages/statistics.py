"""What a finished set is like, in the measures of the paper's Table 3, as an artifact.

A stage after the set, of which nothing of it is made: a set is the same whether it was measured or not.
"""

from __future__ import annotations

from typing import Any

from cloze_gen.formats.scde.jsonl import parse_passages
from cloze_gen.recipes.scde.steps.statistics import COUNTS, PAPER, PAPER_PASSAGES, SHARES, describe_set
from cloze_gen.records.passage import Part
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import PASSAGE_SET, STATISTICS
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.manifest import write_json

SOURCE = "Kong et al. 2020, Table 3"
ALL = "all"


def write_statistics(writer: ArtifactWriter, room: Room, *, finished: Artifact) -> None:
    """Write what the set and its parts are like.

    Files: `statistics.json`: `source` (the paper's table); `measures`, a row each of `steps.statistics.PAPER` in its order, with `measure`,
    `unit` (``count``, ``mean`` or ``share``, of 1), its value in the whole set, `all`, and in each part, `train`, `development`, `test`
    (null where there is nothing to take a mean of), and the paper's, `paper` (null where it gives none); `paper_passages`, the paper's
    passages by part.

    Args:
        finished: the blanked passages.
    """
    with open(finished.path(PASSAGE_SET), encoding="utf-8") as handle:
        passages = list(parse_passages(handle))
    sets = {ALL: [one.passage for one in passages]}
    sets |= {str(part): [one.passage for one in passages if one.part == part] for part in Part}
    found = {name: describe_set(of_set) for name, of_set in sets.items()}
    write_json(writer.path(STATISTICS), _record(found))
    writer.facts |= {name: int(described["passages"]) for name, described in found.items()}
    measured = found[ALL]
    beside = f"{measured['consecutive blanks']:.2%} of them beside another" if measured["blanks"] else "none"
    room.say(f"{measured['passages']:,} passages, {measured['blanks']:,} blanks, {beside}")


def _record(found: dict[str, dict[str, float]]) -> dict[str, Any]:
    return {
        "source": SOURCE,
        "measures": [
            {"measure": name, "unit": "count" if name in COUNTS else "share" if name in SHARES else "mean"}
            | {of_set: _rounded(described.get(name)) for of_set, described in found.items()}
            | {"paper": figure}
            for name, figure in PAPER.items()
        ],
        "paper_passages": {str(part): count for part, count in PAPER_PASSAGES.items()},
    }


def _rounded(value: float | None) -> float | None:
    return value if value is None or isinstance(value, int) else round(value, 4)

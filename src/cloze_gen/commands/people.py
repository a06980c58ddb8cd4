"""What people said of the items of an evaluation: the file of `--people`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError
from cloze_gen.evaluate.people import OfSet, of_set
from cloze_gen.formats.verdicts import VerdictFile
from cloze_gen.judging.item_verdicts import ItemVerdicts, parse_verdict_row
from cloze_gen.records.judgement import Task
from cloze_gen.studies.verdict_file import read_verdicts


@dataclass(frozen=True, slots=True)
class People:
    """A file of verdicts and the part of it that is of the evaluated set."""

    file: VerdictFile
    judged: tuple[ItemVerdicts, ...]
    found: OfSet

    @property
    def record(self) -> dict[str, Any]:
        """Whose verdicts they are: `people` of `evaluation.json`."""
        found = {"set": self.found.name, "items": len(self.found.items), "other_items": self.found.others}
        return {"task": str(self.file.task), "judged": self.file.told, "digest": self.file.digest, **found}


def read_people(path: Path | None, task: Task, known: Collection[str], *, name: str) -> People | None:
    """What people said of a set; None where nobody was asked.

    Args:
        known: `item_digest` of every item of the set.
        name: of the set, where it has one.
    Raises:
        UsageError: the file cannot be read, or tells of none of these items.
        FormatError: it holds no verdicts of this task.
    """
    if path is None:
        return None
    file = read_verdicts(path, task=task, given_as="--people")
    try:
        judged = tuple(parse_verdict_row(row, task) for row in file.rows)
    except FormatError as error:
        raise FormatError(f"{path.name}: {error}") from None
    found = of_set(judged, known, name=name, file=path.name)
    if found.others:
        say(f"evaluate: of {found.name}, {found.others:,} more items were judged that are not in this set as it is now; they are left out")
    return People(file, judged, found)

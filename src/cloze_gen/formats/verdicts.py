"""What the judges of a study said, as a file that a stage of the run reads: lines of JSON, no judge's name in it.

The first line says whose it is: ``{"verdicts": "cloze-gen/verdicts/1", "task": "groom", "of": {"forward": "5d0c..."}, "judges": 3,
"alpha": 0.71, "adjudicated": 2, "rules": {}}``; each of the others what was said of one item, with its `id`. A stage knows the file by its
content.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.jsonl import parse_records
from cloze_gen.notation import shown
from cloze_gen.records.judgement import Task

SCHEMA = "cloze-gen/verdicts/1"


@dataclass(frozen=True, slots=True)
class VerdictFile:
    """The verdicts of a study.

    Attributes:
        of: as `StudyFacts.of`: what the study's items were drawn from.
        judges: people who said something.
        alpha: Krippendorff's, of the question that the task asks first; None where it is not defined.
        adjudicated: items that an adjudicator decided.
        rows: a record an item, each with its `id`; what else stands in it the task says.
        rules: settings of the run by which people were asked, where what they said hangs on them.
    """

    task: Task
    of: Mapping[str, str]
    judges: int
    alpha: float | None
    adjudicated: int
    rows: Sequence[Mapping[str, Any]]
    rules: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The file as 32 hexadecimal digits: moved elsewhere it is the same."""
        return hashlib.blake2b(verdicts_jsonl(self).encode(), digest_size=16).hexdigest()

    @property
    def told(self) -> str:
        """Whose verdicts they are, as card and report say it.

        >>> VerdictFile(Task.GROOM, {}, 3, 0.7149, 2, []).told
        'human (3 judges, alpha 0.71, 2 adjudicated)'
        """
        # + 0.0: what is a little below 0 is 0.00, not -0.00
        alpha = "alpha undefined" if self.alpha is None else f"alpha {round(self.alpha, 2) + 0.0:.2f}"
        people = "1 judge" if self.judges == 1 else f"{self.judges:,} judges"
        return f"human ({people}, {alpha}, {self.adjudicated:,} adjudicated)"


def verdicts_jsonl(file: VerdictFile) -> str:
    """The file's text."""
    head = {"verdicts": SCHEMA, **{name: value for name, value in asdict(file).items() if name != "rows"}}
    return "".join(f"{json.dumps(line, ensure_ascii=False, allow_nan=False)}\n" for line in [head, *file.rows])


def parse_verdicts(text: str, *, task: Task, name: str = "verdicts") -> VerdictFile:
    """A file of verdicts back from its text.

    Raises:
        FormatError: it is none, is of another task, or tells of an item twice; names file and line.

    >>> file = VerdictFile(Task.GROOM, {"forward": "5d"}, 3, None, 0, [{"id": "b:7", "verdict": "fit"}])
    >>> parse_verdicts(verdicts_jsonl(file), task=Task.GROOM) == file
    True
    """
    records = parse_records(text.split("\n"), name=name)
    _, head = next(records, (0, {}))
    if head.get("verdicts") != SCHEMA or head.get("task") != task:
        raise FormatError(f"{name}, line 1: expected verdicts of the task {task} ({SCHEMA}), found {shown(dict(head))}")
    of, judges, alpha, adjudicated = (head.get(name) for name in ("of", "judges", "alpha", "adjudicated"))
    rules = head.get("rules", {})
    counted = type(judges) is int and type(adjudicated) is int and (alpha is None or type(alpha) in {int, float})
    told_of = isinstance(of, Mapping) and all(isinstance(one, str) for one in of.values())
    if not counted or not told_of or not isinstance(rules, Mapping):
        raise FormatError(f"{name}, line 1: does not say of what, by how many judges, by which rules; found {shown(dict(head))}")
    rows, seen = list[Mapping[str, Any]](), set[str]()
    for number, row in records:
        if not isinstance(row.get("id"), str) or row["id"] in seen:
            raise FormatError(f"{name}, line {number}: expected an id that no line before has, found {shown(dict(row))}")
        seen.add(row["id"])
        rows.append(row)
    return VerdictFile(task, dict(of or {}), judges or 0, alpha, adjudicated or 0, rows, dict(rules))

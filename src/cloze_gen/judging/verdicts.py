"""Verdict files, which stages read: JSON lines, a header, then one line per item."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.json_lines import read_objects
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import Task

SCHEMA = "cloze-gen/verdicts/1"


@dataclass(frozen=True, slots=True)
class VerdictFile:
    """The verdicts of a study. Each of `rows` has an `id`; the task defines the other fields."""

    task: Task
    of: Mapping[str, str]
    judges: int
    alpha: float | None
    rows: Sequence[Mapping[str, Any]]
    rules: Mapping[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return hashlib.blake2b(verdicts_jsonl(self).encode(), digest_size=16).hexdigest()

    @property
    def models(self) -> list[str]:
        """Names of the model annotators whose verdicts are among the rows."""
        return [str(name) for name in dict(self.rules.get("models", {})).values()]

    @property
    def summary(self) -> str:
        """
        >>> VerdictFile(Task.GROOM, {}, 3, 0.7149, []).summary
        'human (3 judges, alpha 0.71)'
        >>> VerdictFile(Task.READ, {}, 0, None, [], {"models": {"1": "model-x"}}).summary
        'model-x'
        """
        # + 0.0 prints -0.0 as 0.00
        alpha = (
            "alpha undefined" if self.alpha is None else f"alpha {round(self.alpha, 2) + 0.0:.2f}"
        )
        people = "1 judge" if self.judges == 1 else f"{self.judges:,} judges"
        human = f"human ({people}, {alpha})"
        return " and ".join([*([human] if self.judges or not self.models else []), *self.models])


def verdicts_jsonl(file: VerdictFile) -> str:
    head = {
        "verdicts": SCHEMA,
        **{name: value for name, value in asdict(file).items() if name != "rows"},
    }
    return "".join(
        f"{json.dumps(line, ensure_ascii=False, allow_nan=False)}\n" for line in [head, *file.rows]
    )


def parse_verdicts(text: str, *, task: Task, name: str = "verdicts") -> VerdictFile:
    """Read a verdict file. FormatError: another format or task, or an id twice.

    >>> file = VerdictFile(Task.GROOM, {"forward": "5d"}, 3, None,
    ...     [{"id": "b:7", "verdict": "fit"}])
    >>> parse_verdicts(verdicts_jsonl(file), task=Task.GROOM) == file
    True
    """
    records = read_objects(text.split("\n"), name=name)
    _, head = next(records, ("", {}))
    if head.get("verdicts") != SCHEMA or head.get("task") != task:
        raise FormatError(
            f"{name}, line 1: expected verdicts of the task {task} ({SCHEMA}), found "
            f"{quote(dict(head))}"
        )
    of, judges, alpha = (head.get(name) for name in ("of", "judges", "alpha"))
    rules = head.get("rules", {})
    counted = (
        isinstance(rules, Mapping)
        and isinstance(rules.get("models", {}), Mapping)
        and type(judges) is int
        and (alpha is None or type(alpha) in {int, float})
    )
    study_title = isinstance(of, Mapping) and all(isinstance(one, str) for one in of.values())
    if not counted or not study_title:
        raise FormatError(
            f"{name}, line 1: expected `of`, `judges`, `alpha` and `rules`, found "
            f"{quote(dict(head))}"
        )
    rows, seen = list[Mapping[str, Any]](), set[str]()
    for where, row in records:
        if not isinstance(row.get("id"), str) or row["id"] in seen:
            raise FormatError(
                f"{where}: expected an `id` that no earlier line has, found {quote(dict(row))}"
            )
        seen.add(row["id"])
        rows.append(row)
    return VerdictFile(task, dict(of or {}), judges or 0, alpha, rows, dict(rules))

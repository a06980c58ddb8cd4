"""Print the tables of docs/explanation/quality.md, from the verdicts of blind readers.

    python benchmarks/readings.py

The verdicts are in `benchmarks/readings.parquet`, one row per question, passage or blank that a
reader judged. Three kinds of reading share the table, and a column that a kind does not have is
null: questions (`round-*`, `development-*` and others), LAMBADA-style passages (`guessing-*`) and
the blanks of SCDE-style passages (`blanks-*`). Items are named by id. Ids that start with `msr:`
are numbers of published questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.evaluation.metrics import wilson_interval
from cloze_gen.store.tables import read_parquet

TABLE = Path(__file__).with_name("readings.parquet")
PUBLISHED = "msr:"  # start of the ids of published questions
IMPOSTORS = 4  # wrong options of a question

Row = dict[str, Any]


def load_readings() -> dict[str, list[Row]]:
    """The rows of every reading, without the columns that its kind does not have."""
    readings: dict[str, list[Row]] = {}
    for row in read_parquet(TABLE).to_pylist():
        values = {name: value for name, value in row.items() if value is not None}
        readings.setdefault(row["reading"], []).append(values)
    return readings


def select(readings: dict[str, list[Row]], names: Iterable[str], published: bool) -> list[Row]:
    """The rows of published questions, or of ours, in some readings of questions."""
    return [
        row
        for name in names
        for row in readings[name]
        if row["id"].startswith(PUBLISHED) == published
    ]


def share(count: int, n: int) -> str:
    return f"{100 * count / n:.1f}"


def share_with_interval(count: int, n: int) -> str:
    """A percentage and Wilson's 95 % interval."""
    low, high = wilson_interval(count, n)
    return f"{share(count, n)} ({100 * low:.1f}-{100 * high:.1f})"


def table(header: Sequence[str], rows: Iterable[Sequence[object]], text_columns: int = 2) -> str:
    rule = ["---"] * text_columns + ["---:"] * (len(header) - text_columns)
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in (header, rule, *rows))


def numbered(name: str, first: int, last: int) -> list[str]:
    return [f"{name}-{i}" for i in range(first, last + 1)]


# Sets of questions: readings, title, and whether the rows are those of published questions.
Group = tuple[list[str], str, str, bool]
CURRENT: list[Group] = [
    (numbered("round", 20, 23), "20-23", "Holmes-style, defaults, seed 1", False),
    (numbered("round", 20, 23), "20-23", "published", True),
    (numbered("holmes", 1, 3), "Holmes 1-3", "Holmes-style, defaults of 0.2.0, seed 1", False),
    (numbered("holmes-published", 1, 3), "Holmes 1-3", "published", True),
]
OTHERS: list[Group] = [
    (["few-books-1"], "few books 1", "five of the 78 novels, forty others as background", False),
    (["few-books-2"], "few books 2", "same novels, defaults of rounds 17-19", False),
    (["other-books-1"], "other books 1", "five of the 78 novels, the 522 as background", False),
    (["other-books-2"], "other books 2", "the SCS books, the 522 as background", False),
    (
        numbered("novels", 1, 3),
        "novels 1-3",
        "twenty of the 78 novels, the 522 as background",
        False,
    ),
    (
        numbered("novels-tight", 1, 3),
        "novels 1-3",
        "the same, `choice.max_triviality = 0.25`",
        False,
    ),
    (numbered("novels-published", 1, 3), "novels 1-3", "published", True),
    (numbered("model-none", 1, 3), "model 1-3", "parts of the Holmes books, defaults", False),
    (numbered("model", 1, 3), "model 1-3", "the same with `grooming.language_model`", False),
    (
        numbered("model-tight", 1, 3),
        "model 1-3",
        "and `choice.max_triviality = 0.28`",
        False,
    ),
    (numbered("model-published", 1, 3), "model 1-3", "published", True),
    (numbered("scs-open", 1, 3), "SCS 5-7", "SCS-style without the screen", False),
    (numbered("scs-screened", 1, 3), "SCS 5-7", "SCS-style with the screen", False),
    (numbered("scs-published", 1, 3), "SCS 5-7", "published", True),
    (numbered("scs-wide", 1, 3), "SCS 8-10", "the same, the 522 as background", False),
    (numbered("scs-wide-published", 1, 3), "SCS 8-10", "published", True),
    (numbered("sample", 8, 10), "sample 8-10", "embedded sample", False),
    (numbered("sample", 8, 10), "sample 8-10", "published", True),
]
POOL: list[Group] = [
    (numbered("pool", 1, 8), "pool 1-8", "the pool: 2,500 questions, two readers each", False),
    (numbered("read-pool-half", 1, 3), "set 1-3", "at most one of two marked it: 1,000", False),
    (numbered("read-pool-none", 1, 3), "set 1-3", "neither marked it: 609", False),
    (numbered("read-pool-published", 1, 3), "set 1-3", "published", True),
]


def questions_table(readings: dict[str, list[Row]], groups: Sequence[Group]) -> str:
    """Shares of questions that readers answered correctly and marked, in percent."""
    rows = []
    for names, label, what, published in groups:
        marks = select(readings, names, published)
        n = len(marks)
        trivial = [row["trivial"] for row in marks if "trivial" in row]
        rows.append(
            (
                label,
                what,
                n,
                share(sum(row["right"] for row in marks), n),
                share_with_interval(sum(bool(row["ambiguous"]) for row in marks), n),
                share(sum(len(row["ungrammatical"]) for row in marks), IMPOSTORS * n),
                share(sum(row["broken"] for row in marks), n),
                share_with_interval(sum(trivial), n) if trivial else "-",
            )
        )
    header = (
        *("readings", "set", "n", "right %", "ambiguous %", "ungrammatical impostors %"),
        *("broken %", "trivial %"),
    )
    return table(header, rows)


def guessing_table(readings: dict[str, list[Row]]) -> str:
    """How many passages two readers guess and two readers of the sentence do not, by group."""
    rows = []
    for name, label in (("guessing-development", "development"), ("guessing-1", "1")):
        for group in ("head", "held", "random"):
            marks = [row for row in readings[name] if row["group"] == group]
            kept = [row for row in marks if row["guessed_by_all"] and not row["guessed_alone"]]
            unknown = [
                row
                for row in marks
                if not any(reader.startswith("sentence") for reader in row["recognised_by"])
            ]
            kept_unknown = [row for row in kept if row in unknown]
            rows.append(
                (
                    label,
                    group,
                    len(marks),
                    share(sum(row["guessed_by_all"] for row in marks), len(marks)),
                    share_with_interval(len(kept), len(marks)),
                    share(sum(not row["in_context"] for row in kept), len(kept)),
                    share(len(kept_unknown), len(unknown)) if name == "guessing-1" else "-",
                    share(sum(len(row["broken_by"]) == 2 for row in marks), len(marks)),
                    share(sum(bool(row["broken_by"]) for row in marks), len(marks)),
                )
            )
    header = (
        *("round", "group", "n", "guessed %", "kept %", "kept, target outside the context %"),
        *("kept, sentence not recognised %", "broken, both %", "broken, any %"),
    )
    return table(header, rows)


def blanks_table(readings: dict[str, list[Row]]) -> str:
    """BA, PA and DE of readers, and the shares of blanks with a second answer, in percent."""
    rows = []
    for name, label in (
        *((f"blanks-development-{i}", f"development {i}") for i in (1, 2, 3)),
        ("blanks-1", "1"),
    ):
        marks = readings[name]
        n = len(marks)
        wrong = Counter(row["id"] for row in marks if not row["right"])
        passages = len({row["id"] for row in marks})
        rows.append(
            (
                label,
                passages,
                share(sum(row["right"] for row in marks), n),
                share(passages - len(wrong), passages),
                f"{sum(row['chose_distractor'] for row in marks) / passages:.3f}",
                share_with_interval(sum(bool(row["as_well"]) for row in marks), n),
                share_with_interval(sum(row["unplaceable"] for row in marks), n),
                share_with_interval(sum(row["rival_is_distractor"] for row in marks), n),
            )
        )
    header = (
        *("round", "passages", "BA %", "PA %", "DE", "second answer %", "unplaceable %"),
        "nearest rival is a distractor %",
    )
    return table(header, rows, text_columns=1)


def tables() -> str:
    """Every table of the page, in its order, a blank line between two."""
    readings = load_readings()
    questions = [questions_table(readings, groups) for groups in (CURRENT, OTHERS, POOL)]
    return "\n".join([*questions, guessing_table(readings), blanks_table(readings)])


if __name__ == "__main__":
    print(tables(), end="")

"""The verdicts of the blind readers, and the tables of docs/explanation/quality.md.

    python benchmarks/readings.py tables
    python benchmarks/readings.py unpack DIR
    python benchmarks/readings.py pack DIR

`tables` prints every table of the page, from `benchmarks/readings.parquet`. `unpack` writes the
verdicts as JSON lines, one file per reading. `pack` makes the Parquet table from such files; the
same files give the same bytes with the same version of pyarrow.

The table has one row per question, passage or blank that a reader judged. Three kinds of reading
share it, and a column that a kind does not have is null: questions (`round-*`, `development-*` and
others), LAMBADA-style passages (`guessing-*`) and the blanks of SCDE-style passages (`blanks-*`).
Items are named by id. Ids that start with `msr:` are numbers of published questions.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from cloze_gen.evaluation.metrics import wilson_interval
from cloze_gen.store.tables import read_jsonl, read_parquet, write_jsonl, write_parquet

TABLE = Path(__file__).with_name("readings.parquet")
PUBLISHED = "msr:"  # start of the ids of published questions
IMPOSTORS = 4  # wrong options of a question

_NAMES = pa.list_(pa.string())
_GUESSES = pa.struct(
    [(name, _NAMES) for name in ("passage_1", "passage_2", "sentence_1", "sentence_2")]
)
_TYPES = {
    "reading": pa.string(),
    "id": pa.string(),
    "answer": pa.string(),
    "choice": pa.string(),
    "right": pa.bool_(),
    # questions
    "ambiguous": _NAMES,
    "ungrammatical": _NAMES,
    "broken": pa.bool_(),
    "trivial": pa.bool_(),
    "note": pa.string(),
    # LAMBADA-style passages
    "group": pa.string(),
    "target": pa.string(),
    "sentence_tokens": pa.int64(),
    "in_context": pa.bool_(),
    "rules": _NAMES,
    "capitalised_share": pa.float64(),
    "guesses": _GUESSES,
    "guessed_by_all": pa.bool_(),
    "guessed_first_by_all": pa.bool_(),
    "guessed_alone": pa.bool_(),
    "recognised_by": _NAMES,
    "broken_by": _NAMES,
    "notes": _NAMES,
    # blanks of SCDE-style passages
    "blank": pa.int64(),
    "chose_distractor": pa.bool_(),
    "rival": pa.string(),
    "rival_is_distractor": pa.bool_(),
    "as_well": _NAMES,
    "unplaceable": pa.bool_(),
    "settled_by": pa.string(),
    "recognised": pa.bool_(),
    "remark": pa.string(),
}
# The keys of a row in the order of the JSON lines, and the columns of another name.
_KEYS = {
    "questions": "id answer choice right ambiguous ungrammatical broken trivial note".split(),
    "guessing": (
        "id group target sentence_tokens in_context rules capitalised_share guesses guessed_by_all"
        " guessed_first_by_all guessed_alone recognised broken notes"
    ).split(),
    "blanks": (
        "id blank answer choice right chose_distractor rival rival_is_distractor as_well"
        " unplaceable settled_by recognised remark"
    ).split(),
}
_COLUMNS = {"guessing": {"recognised": "recognised_by", "broken": "broken_by"}}

Row = dict[str, Any]


def kind_of(reading: str) -> str:
    """The kind of a reading, by its name."""
    return name if (name := reading.split("-")[0]) in ("guessing", "blanks") else "questions"


def load_readings(table: Path = TABLE) -> dict[str, list[Row]]:
    """The rows of every reading, as the readers' program wrote them."""
    readings: dict[str, list[Row]] = {}
    for row in read_parquet(table).to_pylist():
        kind = kind_of(row["reading"])
        columns = _COLUMNS.get(kind, {})
        values = {key: row[columns.get(key, key)] for key in _KEYS[kind]}
        readings.setdefault(row["reading"], []).append(
            {key: value for key, value in values.items() if value is not None}
        )
    return readings


def unpack(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for reading, rows in load_readings().items():
        write_jsonl(folder / f"{reading}.jsonl", rows)


def pack(folder: Path, table: Path = TABLE) -> None:
    rows = []
    for path in sorted(folder.glob("*.jsonl")):
        columns = _COLUMNS.get(kind_of(path.stem), {})
        for row in read_jsonl(path):
            renamed = {columns.get(key, key): value for key, value in row.items()}
            if unknown := renamed.keys() - _TYPES.keys():
                raise SystemExit(f"{path}: unknown keys: {', '.join(sorted(unknown))}")
            rows.append({"reading": path.stem} | renamed)
    write_parquet(table, pa.Table.from_pylist(rows, schema=pa.schema(_TYPES)))


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
                if not any(reader.startswith("sentence") for reader in row["recognised"])
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
                    share(sum(len(row["broken"]) == 2 for row in marks), len(marks)),
                    share(sum(bool(row["broken"]) for row in marks), len(marks)),
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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("tables", help="print the tables of docs/explanation/quality.md")
    for name, text in (
        ("unpack", "write the verdicts as JSON lines"),
        ("pack", "read the verdicts from JSON lines and write readings.parquet"),
    ):
        commands.add_parser(name, help=text).add_argument("folder", type=Path)
    args = parser.parse_args()
    if args.command == "tables":
        print(tables(), end="")
    elif args.command == "unpack":
        unpack(args.folder)
    else:
        pack(args.folder)


if __name__ == "__main__":
    main()

"""Check that the examples of the reference and of pages come from runs of the sample.

    python scripts/check_examples.py RUN [RUN ...] [--pages PAGE ...]

Checked: the example of every file description is a row or line of that file in one of the runs
(floats to four digits; `...` leaves something out). In pages: every line that prints a question
(`_____`) and every item of a `cloze-gen trace` command is in one of the runs.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from reference import doc_of, shared_docs, stages

from cloze_gen.pipelines.style_task import style_of_run
from cloze_gen.store.file_docs import MANIFEST_DOC, FileDoc

DOTS = "..."
ITEM_FILES = ("questions.jsonl", "passages.jsonl")
_ITEM = re.compile(r"\bcloze-gen trace ([a-z0-9][a-z0-9-]*:\d+(?::\d+)?)")
_QUESTION = re.compile(r"^([A-Z][^`|{}\n]*_____[^`|{}\n]*\.)$", re.MULTILINE)


def records(path: Path) -> Iterator[Any]:
    """The rows of a table, the object of a JSON file, or the lines of a text."""
    if path.suffix == ".parquet":
        yield from pq.read_table(path).to_pylist()
    elif path.suffix == ".json":
        yield json.loads(path.read_text(encoding="utf-8"))
    else:
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from map(json.loads, lines) if path.suffix == ".jsonl" else lines


def same(value: Any, written: Any) -> bool:
    """Whether an example is this value, or this value with something left out.

    >>> same({"id": "a", "n": 1.00001, "text": "One two."}, {"id": "a", "n": 1.0, DOTS: DOTS}), same([1, 2, 3], [1, DOTS])
    (True, True)
    """
    if isinstance(value, dict) and isinstance(written, dict):
        names = written.keys() - {DOTS}
        complete = DOTS in written or names == value.keys()
        return complete and all(
            name in value and same(value[name], written[name]) for name in names
        )
    if isinstance(value, list) and isinstance(written, list):
        if DOTS not in written:
            return len(value) == len(written) and all(map(same, value, written))
        first = written[: written.index(DOTS)]
        return len(value) >= len(first) and all(map(same, value, first))
    if isinstance(value, float) and isinstance(written, float):
        # results of BLAS differ from processor to processor
        return math.isclose(value, written, rel_tol=1e-4, abs_tol=1e-9)
    if isinstance(value, str) and isinstance(written, str) and written.endswith(DOTS):
        return value.startswith(written.removesuffix(DOTS))
    return bool(value == written)


def example_of(doc: FileDoc) -> Any:
    """The example of a file: a JSON value, or a line of text."""
    text = re.sub(r", \.\.\.}$", f', "{DOTS}": "{DOTS}"}}', doc.example)
    return json.loads(text) if text.startswith("{") else text


def described(run: Path) -> Iterator[tuple[Path, FileDoc]]:
    """The folders of a run's stages and books, with the descriptions of their files."""
    style = style_of_run(run)
    labels = {label.replace(" ", "-"): stage for label, stage in stages(style.name).items()}
    folders = [
        (link, doc_of(style, labels[link.name[3:]])) for link in sorted(run.glob("[0-9][0-9]-*"))
    ]
    books = sorted(run.resolve().parents[1].glob("store/book-*/*/"))
    for folder, doc in [*folders, *((book, shared_docs()["book"]) for book in books)]:
        yield from ((folder, one) for one in (*doc.files, MANIFEST_DOC))


def has_example(folder: Path, doc: FileDoc) -> bool:
    example = example_of(doc)
    paths = [
        path
        for path in folder.rglob("*")
        if fnmatchcase(path.relative_to(folder).as_posix(), doc.name)
    ]
    return any(same(record, example) for path in paths for record in records(path))


def check(runs: Sequence[Path], pages: Sequence[Path]) -> list[str]:
    found = [pair for run in runs for pair in described(run)]
    docs = {doc.name + doc.example: doc for _, doc in found if doc.example}
    missing = {
        name: doc
        for name, doc in docs.items()
        if not any(has_example(folder, doc) for folder, other in found if other is doc)
    }
    faults = [f"{doc.name}: no run has the example {doc.example}" for doc in missing.values()]
    files = [run / "release" / name for run in runs for name in ITEM_FILES]
    items = [record for path in files if path.is_file() for record in records(path)]
    ids, questions = (
        {record["id"] for record in items},
        {" ".join(str(record.get("input", "")).split()) for record in items},
    )
    for page in pages:
        text = page.read_text(encoding="utf-8")
        faults += [
            f"{page}: no question is {line!r}"
            for line in _QUESTION.findall(text)
            if line not in questions
        ]
        faults += [
            f"{page}: no run has the item {item}" for item in _ITEM.findall(text) if item not in ids
        ]
    if not faults:
        print(f"{len(docs)} examples and {len(pages)} pages agree with the runs")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--pages", nargs="*", type=Path, default=[], metavar="PAGE")
    args = parser.parse_args()
    faults = check(args.runs, args.pages)
    print("\n".join(faults), end="\n" if faults else "", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

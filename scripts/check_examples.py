"""Check that the example rows of a page are rows of a run of the embedded sample, so that documentation does not grow old.

    python scripts/check_examples.py artifacts/runs/holmes-sample docs/artifacts.md README.md

Every block of JSON that is one whole object must stand, key for key, in a table of the run (floats to five digits); every item that a page
traces must be a question of the run. Blocks that leave something out ("...") are not looked at.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

_BLOCK = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"\bcloze-gen trace ([a-z][a-z-]*:\d+:\d+)")


def examples(page: str) -> Iterator[dict[str, Any]]:
    for block in _BLOCK.findall(page):
        if "..." not in block:
            yield json.loads(block)


def rows(run: Path) -> Iterator[dict[str, Any]]:
    """All rows of the run's tables; a corpus' books stand beside its own folder."""
    stages = [path.resolve() for path in sorted(run.iterdir()) if path.name[:2].isdigit()]
    books = sorted(run.resolve().parents[1].glob("store/book-*/*"))
    for folder in [*stages, *books]:
        for path in sorted(folder.rglob("*.parquet")):
            yield from pq.read_table(path).to_pylist()


def same(value: Any, written: Any) -> bool:
    if isinstance(value, float) and isinstance(written, float):
        return math.isclose(value, written, rel_tol=1e-5, abs_tol=1e-9)
    return bool(value == written)


def main(run: Path, pages: Sequence[Path]) -> int:
    wanted = [(page, example) for page in pages for example in examples(page.read_text(encoding="utf-8"))]
    missing = list(wanted)
    for row in rows(run):
        missing = [(page, one) for page, one in missing if one.keys() != row.keys() or not all(same(row[key], one[key]) for key in one)]
    with open(run / "release" / "questions.jsonl", encoding="utf-8") as handle:
        questions = {json.loads(line)["id"] for line in handle}
    traced = [(page, item) for page in pages for item in _ITEM.findall(page.read_text(encoding="utf-8"))]
    faults = [f"{page}: no row of the run is {json.dumps(example)}" for page, example in missing]
    faults += [f"{page}: {item} is no question of the run" for page, item in traced if item not in questions]
    print("\n".join(faults) or f"{len(wanted)} example rows and {len(traced)} items are the run's own")
    return 1 if faults or not wanted else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))

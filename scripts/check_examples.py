"""Check that the examples of a page are a run's own, so that documentation does not grow old.

    python scripts/check_examples.py artifacts/runs/holmes-style docs/artifacts.md README.md

Looked at: every line that prints a question (`_____`), which must be the `input` of one of the run's; every block of JSON, and every inline
object, which must stand in a table, a JSONL file or a manifest of the run (floats to four digits; "..." in a list or at a text's end, and a
key "...", leave something out); every table whose header is that of a TSV file with rows; every link `NN-stage -> ../../store/...`; and
every item that is traced, which must be one of the run's, question or passage.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

DOTS = "..."
_BLOCK = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(\{\"[^`\n]*\})`")
_SIGNATURE = re.compile(r"^signature +(cloze-gen\|\S+)", re.MULTILINE)
_ITEM = re.compile(r"\bcloze-gen trace ([a-z0-9][a-z0-9-]*:\d+(?::\d+)?)")
_ASKED = re.compile(r"^([A-Z][^`|{}\n]*_____[^`|{}\n]*\.)$", re.MULTILINE)  # a printed question on a line of its own
_ITEM_FILES = ("questions.jsonl", "passages.jsonl")
_LINK = re.compile(r"(\d\d-[a-z-]+) -> \.\./\.\./store/([a-z0-9-]+-[0-9a-f]{16})")
_TABLE = re.compile(r"^(\|.*\|)\n\|[-:| ]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)
_CELL_END = re.compile(r"(?<!\\)\|")


def examples(page: str) -> Iterator[dict[str, Any]]:
    for text in [*_BLOCK.findall(page), *_INLINE.findall(page)]:
        yield json.loads(text)


def tables(page: str) -> Iterator[tuple[list[str], list[str]]]:
    """(header, row) of every row of every table, as it would stand in a TSV file."""
    for header, rows in _TABLE.findall(page):
        for row in rows.splitlines():
            yield _cells(header), _cells(row)


def _cells(line: str) -> list[str]:
    return [re.sub(r"\\(.)", r"\1", cell.strip().strip("`")) for cell in _CELL_END.split(line)[1:-1]]


def records(run: Path) -> Iterator[Mapping[str, Any]]:
    """All rows of the run's tables and JSONL files, and its manifests; a corpus' books stand beside its own folder."""
    stages = [path.resolve() for path in sorted(run.iterdir()) if path.name[:2].isdigit()]
    books = sorted(run.resolve().parents[1].glob("store/book-*/*"))
    for folder in [*stages, *books, run / "release"]:
        for path in sorted(folder.rglob("*.parquet")):
            yield from pq.read_table(path).to_pylist()
        for path in sorted(folder.rglob("*.jsonl")):
            yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())
        for path in folder.glob("manifest.json"):
            yield json.loads(path.read_text(encoding="utf-8"))


def tsv_rows(run: Path) -> Iterator[dict[str, str]]:
    for path in sorted(run.glob("[0-9][0-9]-*/*.tsv")):
        header, *rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
        yield from (dict(zip(header, row, strict=False)) for row in rows)


def same(value: Any, written: Any) -> bool:
    """Whether what is written is this value, or this value with something left out."""
    if isinstance(value, dict) and isinstance(written, dict):
        partial = DOTS in written
        names = written.keys() - {DOTS}
        return (partial or names == value.keys()) and all(name in value and same(value[name], written[name]) for name in names)
    if isinstance(value, list) and isinstance(written, list):
        if DOTS not in written:
            return len(value) == len(written) and all(map(same, value, written))
        gap = written.index(DOTS)
        after = written[gap + 1 :]
        return all(map(same, value, written[:gap])) and all(map(same, value[len(value) - len(after) :], after))
    if isinstance(value, float) and isinstance(written, float):
        return math.isclose(value, written, rel_tol=1e-4, abs_tol=1e-9)  # what BLAS computes differs from processor to processor
    if isinstance(value, str) and isinstance(written, str) and written.endswith(DOTS):
        return value.startswith(written.removesuffix(DOTS))
    return bool(value == written)


def other_signature(page: Path, run: Path) -> str:
    """The run's signature where the page shows another one; its name, which a user gives, is left aside."""
    own, shown = (
        (run / "release" / "signature.txt").read_text(encoding="utf-8").strip(),
        _SIGNATURE.search(page.read_text(encoding="utf-8")),
    )
    plain = re.compile(r"\|name:[^|]*")
    return own if shown and plain.sub("", shown[1]) != plain.sub("", own) else ""


def main(run: Path, pages: Sequence[Path]) -> int:
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    wanted = [(page, example) for page in pages for example in examples(texts[page])]
    missing = list(wanted)
    for record in records(run):
        missing = [(page, one) for page, one in missing if not same(record, one)]
    faults = [f"{page}: nothing in the run is {json.dumps(example)}" for page, example in missing]
    found = list(tsv_rows(run))
    headers = {name for row in found for name in row}
    shown = [(page, header, row) for page in pages for header, row in tables(texts[page]) if set(header) <= headers]
    for page, header, row in shown:
        alike = [one for one in found if set(header) <= one.keys()]
        if alike and not any([one[name] for name in header] == row for one in alike):
            faults.append(f"{page}: no row of the run's TSV files is {row}")
    links = {path.name: path.readlink().name for path in run.iterdir() if path.is_symlink()}
    linked = [(page, *link) for page in pages for link in _LINK.findall(texts[page])]
    faults += [f"{page}: {name} leads to {links.get(name)}, not to {target}" for page, name, target in linked if links.get(name) != target]
    files = [path for path in (run / "release" / name for name in _ITEM_FILES) if path.is_file()]
    published = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    items = {record["id"] for record in published}
    asked = {" ".join(str(record.get("input", "")).split()) for record in published}
    faults += [f"{page}: no question is {line!r}" for page in pages for line in _ASKED.findall(texts[page]) if line not in asked]
    traced = [(page, item) for page in pages for item in _ITEM.findall(texts[page])]
    faults += [f"{page}: {item} is no item of the run" for page, item in traced if item not in items]
    counts = f"{len(wanted)} objects, {len(shown)} rows, {len(linked)} links and {len(traced)} items"
    faults += [f"{page}: the signature is {signature}" for page in pages for signature in [other_signature(page, run)] if signature]
    print("\n".join(faults) or f"{counts} are the run's own")
    return 1 if faults or not wanted else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))

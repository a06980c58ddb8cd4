"""The reference: what runs write is described, what is described exists, and the pages are current."""

import importlib.util
import json
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.pipelines.styles import find_style, style_names
from cloze_gen.release.artifacts import RELEASE_JSON, release_files
from cloze_gen.release.style import SHARED_STAGES
from cloze_gen.store.file_docs import ANY, MANIFEST_DOC, FileDoc, column_type

SCRIPTS = Path(__file__).parents[2] / "scripts"
_GROUP = re.compile(r"^model-\d+/")
_NAMES = {"bool": "bool", "int64": "int", "double": "float", "string": "string", "null": "string"}
_CELLS = {"text": str, "int": int, "float": float}


def load(name):
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = load("reference")


# ---- runs


def parquet_type(kind):
    if pa.types.is_dictionary(kind):
        return parquet_type(kind.value_type)
    if pa.types.is_list(kind):
        return f"list of {parquet_type(kind.value_type)}"
    return str(kind)


def json_type(kind):
    if pa.types.is_list(kind):
        return f"list of {json_type(kind.value_type)}"
    return "object" if pa.types.is_struct(kind) else _NAMES[str(kind)]


def written_columns(path):
    """The columns of a table and their types; of a TSV file the header, without types."""
    if path.suffix == ".parquet":
        return {one.name: parquet_type(one.type) for one in pq.read_schema(path)}
    if path.suffix == ".tsv":
        header = path.read_text(encoding="utf-8").partition("\n")[0]
        return dict.fromkeys(header.split("\t"), "")
    text = path.read_text(encoding="utf-8")
    lines = [text] if path.suffix == ".json" else text.splitlines()
    records = [json.loads(line) for line in lines]
    names = dict.fromkeys(name for record in records for name in record)
    return {name: json_type(pa.array([one.get(name) for one in records]).type) for name in names}


def cell_faults(path, columns):
    """Cells of a TSV file that are not of their column's type; empty cells are of every type."""
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    for row in rows[:200]:
        for name, cell in zip(header.split("\t"), row.split("\t"), strict=True):
            try:
                _CELLS[column_type(columns[name])[0]](cell or "0")
            except ValueError:
                yield f"{path.name}: {name} is {columns[name]!r}, but a cell is {cell!r}"


def file_faults(path, doc):
    """Differences between a file and its description."""
    if path.suffix == ".npy":
        array = np.load(path, mmap_mode="r")
        axes = len(doc.array.partition(" (")[2].split(","))
        if str(array.dtype) != doc.array.split(" ")[0] or array.ndim != axes:
            yield f"{doc.name}: {array.dtype} {array.shape} is described as {doc.array!r}"
    if path.suffix not in {".parquet", ".tsv", ".jsonl", ".json"} or not doc.columns:
        return
    found = written_columns(path)
    if not found:  # no record
        return
    for name, kind in found.items():
        text = doc.columns.get(name, doc.columns.get(ANY))
        if text is None:
            yield f"{doc.name}: the column {name} is not described"
        elif kind not in {"", "null", column_type(text)[0]}:  # null: no row
            yield f"{doc.name}: {name} is {kind}, described as {text!r}"
    for name, text in doc.columns.items():
        if name not in found and name != ANY and not column_type(text)[1]:
            yield f"{doc.name}: the column {name} is described and missing"
    if path.suffix == ".tsv":
        yield from cell_faults(path, doc.columns)


def stage_faults(folder, doc):
    """Differences between the folder of a stage and its description."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    yield from (f"manifest.json: {name}" for name in manifest.keys() ^ MANIFEST_DOC.columns.keys())
    names = {_GROUP.sub("", name) if doc.grouped else name: name for name in manifest["files"]}
    for name, place in names.items():
        docs = [one for one in doc.files if fnmatchcase(name, one.name)]
        if len(docs) != 1:
            yield f"{name} is described {len(docs)} times"
        else:
            yield from file_faults(folder / place, docs[0])
    for one in doc.files:
        if not one.optional and not any(fnmatchcase(name, one.name) for name in names):
            yield f"{one.name} is described and missing"
    if ANY not in doc.facts:
        yield from (
            f"the fact {name} is not described" for name in manifest["facts"].keys() - doc.facts
        )


def doc_of(style, stage):
    """The description of a stage; KeyError if there is none."""
    docs = {**SHARED_STAGES, **style.stage_docs}
    return docs[stage] if stage in docs else docs[stage.split("_")[0]]


def run_faults(out, style_name):
    style = find_style(style_name)
    labels = {
        label.replace(" ", "-"): stage for label, stage in reference.stages(style_name).items()
    }
    found = []
    for link in sorted(out.glob("runs/*/[0-9][0-9]-*")):
        doc = doc_of(style, labels[link.name[3:]])
        found += [f"{link.name}: {fault}" for fault in stage_faults(link, doc)]
    for kind in ("book", "tags"):
        for folder in sorted(out.glob(f"store/{kind}-*/*")):
            found += [f"{kind}: {fault}" for fault in stage_faults(folder, SHARED_STAGES[kind])]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("style", style_names())
def test_a_run_is_described(style, finished_run):
    """Every file, column, type and fact of a finished run of each style, and no others."""
    wrong = run_faults(finished_run(style), style)
    assert not wrong, "\n".join(sorted(set(wrong)))


@pytest.mark.parametrize("style", style_names())
def test_a_release_is_described(style, finished_run):
    """Every file of a release but those inside a folder; every key of `release.json`."""
    (run,) = finished_run(style).glob("runs/*")
    docs = [re.sub(r"NAME|\bN\b|_N_", "*", name) for name in release_files(find_style(style))]
    missing = [
        path.name
        for path in (run / "release").iterdir()
        if not any(fnmatchcase(path.name, re.sub("/.*", "", doc)) for doc in docs)
    ]
    assert missing == []
    record = json.loads((run / "release" / "release.json").read_text(encoding="utf-8"))
    columns = RELEASE_JSON.columns
    assert record.keys() - columns == set()
    assert {
        name for name, text in columns.items() if not column_type(text)[1]
    } - record.keys() == set()


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"id": "string: id", "rank": "int32: rank"}, ""),
        ({"id": "string: id"}, "a.parquet: the column rank is not described"),
        ({"id": "string: id", "rank": "int64: rank"}, "a.parquet: rank is int32, described as"),
        ({"id": "string: id", "rank": "int32: rank", "x": "bool: x"}, "the column x is described and missing"),
        ({"id": "string: id", "rank": "int32: rank", "x": "bool?: x"}, ""),
    ],
)  # fmt: skip
def test_a_wrong_description_is_found(columns, fault, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": ["a"], "rank": pa.array([1], pa.int32())}), path)
    found = list(file_faults(path, FileDoc("a.parquet", "A table.", columns)))
    assert bool(found) == bool(fault)
    assert not found or fault in found[0]


# ---- pages


@pytest.mark.parametrize("name", reference.PAGES)
def test_page_is_current(name):
    """After a change of the code: `python scripts/reference.py`."""
    written = (reference.FOLDER / name).read_text(encoding="utf-8")
    assert written == reference.PAGES[name]()


def test_every_reason_has_a_row(finished_run):
    """All reasons in the funnels of finished runs."""
    listed = set(re.findall(r"^\| `([^`]+)` \|", reference.reasons_page(), re.MULTILINE))
    counted = set()
    for style in style_names():
        for path in finished_run(style).glob("runs/*/[0-9][0-9]-*/manifest.json"):
            manifest = json.loads(path.read_text(encoding="utf-8"))
            funnels = (manifest["funnel"], manifest["facts"].get("candidates_funnel", {}))
            counted |= {name for funnel in funnels for name in funnel.get("rejected", {})}
    prefixes = tuple(name[:-1] for name in listed if name.endswith("*"))
    assert {name for name in counted if not name.startswith(prefixes)} - listed == set()

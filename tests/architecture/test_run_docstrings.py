"""What a finished run wrote, file by file and column by column, stands in the docstrings of the functions that wrote it."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.pipelines.styles import style_names
from tests.architecture.conftest import House, bound, built, imports
from tests.architecture.test_docstrings import constants, names, with_those_named, writers


def write_functions(house: House) -> dict[str, dict[str, str]]:
    """DAG file, or another of `pipelines/` -> stage -> docstring of the `write_*` that its task names."""
    known = {f"cloze_gen.{source.name}.{node.name}": (source, ast.get_docstring(node) or "") for source, node in writers(house)}
    found: dict[str, dict[str, str]] = {}
    for source in house:
        tasks = [node for node in source.tree.body if isinstance(node, ast.ClassDef)] if source.room == "pipelines" else []
        imported = {name.rpartition(".")[2]: known[name] for name in imports(source.tree) if name in known}
        own = found.setdefault(source.parts[-1], {})
        for task in tasks:
            stages = constants(source, [value for node in task.body if (value := given(node, "stage"))])
            told = [
                with_those_named(house, *imported[node.id]) for node in ast.walk(task) if isinstance(node, ast.Name) and node.id in imported
            ]
            own |= {stage: "\n".join([own.get(stage, ""), *told]) for stage in stages}
    return found


def given(node: ast.stmt, name: str) -> ast.expr | None:
    """What an assignment gives a name, alone or among others: `stage, group = "focus", "focus"`."""
    if isinstance(node, ast.Assign) and name in bound(node):
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            return node.value.elts[[ast.unparse(one) for one in target.elts].index(name)]
        return node.value
    return None


def told_of(functions: Mapping[str, Mapping[str, str]], style: str) -> dict[str, str]:
    """Stage -> docstring, of a style: by its own DAG file, and for the stages that are not its own by those that styles share."""
    shared = {stage: told for file, stages in functions.items() if not file.endswith("_style") for stage, told in stages.items()}
    return shared | dict(functions[style.replace("-", "_")])


def untold(runs: Path, functions: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What the stages of the runs wrote, file by file and column by column, and no docstring names."""
    wrong = set()
    for link in sorted(path for path in runs.glob("*/[0-9][0-9]-*")):
        style = json.loads((link.parent / "run.json").read_text(encoding="utf-8"))["style"]
        manifest = json.loads((link / "manifest.json").read_text(encoding="utf-8"))
        stage, told = manifest["stage"], told_of(functions, style)
        for file in manifest["files"]:
            words = [file, *_header(link / file)]
            wrong |= {f"{stage}: {word}" for word in words if not names(told.get(stage, ""), re.sub(r"\d{5}", "00000", word))}
    return sorted(wrong)


def _header(path: Path) -> list[str]:
    if path.suffix == ".parquet":
        return pq.read_schema(path).names
    return path.read_text(encoding="utf-8").partition("\n")[0].split("\t") if path.suffix == ".tsv" else []


@pytest.mark.parametrize("style", style_names())
def test_a_run_writes_what_is_told(style: str, finished_run: Callable[[str], Path], house: House) -> None:
    """Every file and column in the stages of a finished run of each style stands in the docstring of the function that wrote it."""
    wrong = untold(finished_run(style) / "runs", write_functions(house))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("`focus.parquet` has `id` and `lemma`", []),
        ("`focus.parquet` has `id`", ["focus: lemma"]),
        ("`focus.parquet` has `_columns`", ["focus: id", "focus: lemma"]),
        ("`focus.parquet` has `_told_columns`", []),
        ("`focus.parquet` has `COLUMNS`", []),
        ("what there is", ["focus: focus.parquet", "focus: id", "focus: lemma"]),
    ],
)
def test_a_column_of_another_wing_is_not_told(told: str, found: list[str], tmp_path: Path) -> None:
    """Two styles have a `focus`; what the other's docstring says, and what code spells, tells nothing of this one's columns."""
    columns = """
        COLUMNS = ("id", "lemma")

        def _columns():
            return {"id": 1, "lemma": 2}

        def _told_columns():
            '''Have `id` and `lemma`.'''
    """
    files = {}
    for paper, text in (("msr", "`focus.parquet` has `id` and `lemma`"), ("lambada", told)):
        body = f'def write_focus(writer):\n    """Write {text}."""\n'
        files[f"recipes/{paper}/stages/focus.py"] = textwrap.dedent(columns) + body
        task = '\n\nclass Focus:\n    stage, write = "focus", write_focus\n'
        files[f"../../pipelines/{paper}_style.py"] = f"from cloze_gen.recipes.{paper}.stages.focus import write_focus{task}"
    link = tmp_path / "runs" / "tiny" / "01-focus"
    link.mkdir(parents=True)
    pq.write_table(pa.table({"id": ["a"], "lemma": ["b"]}), link / "focus.parquet")
    (link / "manifest.json").write_text(json.dumps({"stage": "focus", "files": {"focus.parquet": {}}}))
    (link.parent / "run.json").write_text(json.dumps({"style": "lambada-style"}))
    assert untold(tmp_path / "runs", write_functions(built(tmp_path, files))) == found


def test_a_style_without_a_run_is_found(finished_run: Callable[[str], Path]) -> None:
    """A third style whose finished run nobody makes fails, instead of not being asked."""
    with pytest.raises(pytest.fail.Exception, match="toy-style has no finished run here"):
        finished_run("toy-style")

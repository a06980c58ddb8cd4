"""What a docstring must say: of a stage its files, columns and errors; of a step or a measure what it does, and the shape of arrays."""

from __future__ import annotations

import ast
import contextlib
import importlib
import itertools
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.pipelines.styles import style_names
from tests.architecture.conftest import SHARED, House, Source, bound, built, called, functions, imports, read_house

MEASURES = ("evaluate", "recipes/*/steps", SHARED)
STAGES = ("stages", "recipes/*/stages")
WRITER = "writer"  # the first argument of whatever writes an artifact


def writers(house: House) -> Iterator[tuple[Source, ast.FunctionDef]]:
    """Every `write_*(writer, ...)` of a room of stages."""
    for source in house:
        for name, node in functions(source.tree) if source.room in STAGES else ():
            if name.startswith("write_") and WRITER in {argument.arg for argument in node.args.args}:
                yield source, node


def unnamed_files(house: House) -> list[str]:
    """Files whose names a `write_*` spells, which its docstring does not."""
    wrong = []
    for source, node in writers(house):
        told = with_those_named(house, source, ast.get_docstring(node) or "")
        wrong += [f"{source.name}.{node.name}: {file}" for file in sorted(set(_files(source, node))) if not names(told, file)]
    return wrong


def unnamed_columns(house: House) -> list[str]:
    """Columns of the tables that a `write_*` spells, which its docstring does not."""
    wrong = []
    for source, node in writers(house):
        told = with_those_named(house, source, ast.get_docstring(node) or "")
        wrong += [f"{source.name}.{node.name}: {column}" for column in _columns(source, node) if not names(told, column)]
    return wrong


def unnamed_errors(house: House) -> list[str]:
    """Errors that a `write_*`, or a private function of its file that it calls, raises, without `Raises:` and the error's name."""
    wrong = []
    for source, node in writers(house):
        told = ast.get_docstring(node) or ""
        section = told.partition("Raises:")[2]
        wrong += [f"{source.name}.{node.name}: {error}" for error in sorted(_raised(source, node)) if not names(section, error)]
    return wrong


def without_docstring(house: House) -> list[str]:
    return [
        f"{source.name}.{name}"
        for source in house
        if source.room in MEASURES
        for name, node in functions(source.tree)
        if "." not in name and not name.startswith("_") and not ast.get_docstring(node)
    ]


def without_shape(house: House) -> list[str]:
    """Functions and methods that return arrays and do not say which shape."""
    return [
        f"{source.name}.{name}"
        for source in house
        if source.room in MEASURES
        for name, node in functions(source.tree)
        if not node.name.startswith("_")
        and node.returns is not None
        and re.search(r"\bndarray\b|\b\w+_(?:array|matrix)\b", ast.unparse(node.returns))
        and not re.search(r"\bshaped? ", _returned(ast.get_docstring(node) or ""))
    ]


def _returned(told: str) -> str:
    """What a docstring says of the result: the section of that name, or all where it has none."""
    return told.partition("Returns:")[2] or told.partition("Args:")[0]


def with_those_named(house: House, source: Source, told: str) -> str:
    """A docstring with those of what it names in backquotes, and of what these name, so that a table that two write is described once.

    Of a constant it is the value. Names of the same file count whatever they are; of other files those that are public.
    """
    waiting, taken = [(source, told)], [told]
    while waiting:
        asking, text = waiting.pop()
        for name in {written.rpartition(".")[2] for written in re.findall(r"`([\w.]+)`", text)} & set(house.named):
            for other, node in house.named[name]:
                own = _told_by(node)
                if (other is asking or not name.startswith("_")) and own not in taken:
                    taken.append(own)
                    waiting.append((other, own))
    return "\n".join(taken)


def _told_by(node: ast.stmt) -> str:
    """The docstring of a function or a class, the value of a constant; the code that spells a column tells nobody of it."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return ast.get_docstring(node) or ""
    return ast.unparse(node.value) if isinstance(node, ast.Assign) else ""


def names(told: str, word: str) -> bool:
    """Whether a text names a file or a column; any digit of a file's number may be written `N`.

    `part-NNNNN.parquet` names `part-00003.parquet`.
    """
    pattern = re.sub(r"\d+", r"(?:\\d+|N+)", re.escape(word)) if "." in word else re.escape(word)
    return re.search(rf"(?<![\w./-]){pattern}(?!\w)", told) is not None


def _files(source: Source, node: ast.FunctionDef) -> Iterator[str]:
    """Names handed to `writer.path(...)` or set in `writer.rows`, where they are constants; folders for passing use are no files."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and called(inner) == "path" and _is_writer(inner.func):
            yield from _constants(source, inner.args[:1])
        elif isinstance(inner, ast.Subscript) and _is_writer(inner.value):
            yield from _constants(source, [inner.slice])
        elif isinstance(inner, ast.AugAssign) and _is_writer(inner.target) and isinstance(inner.value, ast.Dict):
            yield from _constants(source, [key for key in inner.value.keys if key])


def _is_writer(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == WRITER and node.attr in {"path", "rows"}
    )


def _constants(source: Source, nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        value = node.value if isinstance(node, ast.Constant) else _value(source, node.id) if isinstance(node, ast.Name) else None
        if isinstance(value, str) and not value.endswith("/x"):
            yield value


def _value(source: Source, name: str) -> object:
    """What a name stands for at the top of a file, where that is a constant of its own or one that it imports."""
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and name in {alias.asname or alias.name for alias in node.names}:
            return getattr(importlib.import_module(node.module or ""), name, None)
        if isinstance(node, ast.Assign) and name in bound(node):
            with contextlib.suppress(ValueError):
                value, target = ast.literal_eval(node.value), node.targets[0]
                return value[[ast.unparse(one) for one in target.elts].index(name)] if isinstance(target, ast.Tuple) else value
    return None


def _columns(source: Source, node: ast.FunctionDef) -> Iterator[str]:
    """Keys of a table, or words of a header, that stand in the call that writes it."""
    for call in (inner for inner in ast.walk(node) if isinstance(inner, ast.Call)):
        table = call.args[1] if called(call) in {"write_parquet", "write_tsv"} and len(call.args) > 1 else None
        if isinstance(table, ast.Name):
            given = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Assign) and table.id in bound(inner)]
            table = given[-1] if given else table
        if isinstance(table, ast.Dict):
            yield from _constants(source, [key for key in table.keys if key])
        elif isinstance(table, ast.Tuple):
            yield from _constants(source, table.elts)
        elif isinstance(table, ast.Name) and isinstance(value := _value(source, table.id), tuple):
            yield from value


def _raised(source: Source, node: ast.FunctionDef) -> set[str]:
    private = {inner.name: inner for _, inner in functions(source.tree) if inner.name.startswith("_")}
    found, waiting, seen = set(), [node], {node.name}
    while waiting:
        one = waiting.pop()
        for inner in ast.walk(one):
            if isinstance(inner, ast.Raise) and isinstance(inner.exc, ast.Call):
                found.add(called(inner.exc))
            elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in private.keys() - seen:
                seen.add(inner.func.id)
                waiting.append(private[inner.func.id])
    return found


def test_a_stage_names_its_files(house: House) -> None:
    """Every file that a `write_*` spells stands in its docstring, or in that of a function named there in backquotes."""
    assert not (wrong := unnamed_files(house)), "\n".join(wrong)


def test_a_stage_names_its_columns(house: House) -> None:
    """So does every column of its tables."""
    assert not (wrong := unnamed_columns(house)), "\n".join(wrong)


def test_a_stage_names_its_errors(house: House) -> None:
    """Every error that a `write_*` raises stands below `Raises:`."""
    assert not (wrong := unnamed_errors(house)), "\n".join(wrong)


def test_steps_and_measures_say_what_they_do(house: House) -> None:
    """Every public function of `steps/`, `recipes/questions` and `evaluate/` has a docstring."""
    assert not (wrong := without_docstring(house)), "\n".join(wrong)


def test_steps_and_measures_tell_shapes(house: House) -> None:
    """Whatever returns arrays tells their shape."""
    assert not (wrong := without_shape(house)), "\n".join(wrong)


BROKEN = '''
    """A stage."""

    import numpy as np

    from cloze_gen.store.tables import write_parquet

    FOCUS = "focus.parquet"

    def write_focus(writer, room):
        """Write the focus words of `old-focus.parquet`.

        Raises:
            UsageError: there is none.
        """
        writer.rows[FOCUS] = write_parquet(writer.path(FOCUS), {"id": [], "word": []})
        _ask(1)

    def _ask(n):
        if n:
            raise CorpusError("none")
'''
BROKEN_STEP = '''
    """A step."""

    import numpy as np

    def focus_words(tokens): ...

    def scores(words) -> np.ndarray:
        """Of words.

        Args:
            words: shape (n,).
        Returns:
            float64.
        """

    def log10_probs(words) -> np.ndarray:
        """Of words; float64, shape (n,)."""
'''


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (unnamed_files, ["recipes.msr.stages.focus.write_focus: focus.parquet"]),
        (unnamed_columns, ["recipes.msr.stages.focus.write_focus: id", "recipes.msr.stages.focus.write_focus: word"]),
        (unnamed_errors, ["recipes.msr.stages.focus.write_focus: CorpusError"]),
        (without_docstring, ["recipes.msr.steps.focus.focus_words"]),
        (without_shape, ["recipes.msr.steps.focus.scores"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_silence_is_found(law, expected: list[str], tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Found: another file's name, no column, another error, no docstring, and one that tells the shape of its arguments alone."""
    for folder, text in (("stages", BROKEN), ("steps", BROKEN_STEP)):
        file = tmp_path / "src" / "cloze_gen" / "recipes" / "msr" / folder / "focus.py"
        file.parent.mkdir(parents=True)
        file.write_text(textwrap.dedent(text))
    assert law(read_house(tmp_path)) == expected


def write_functions(house: House) -> dict[str, dict[str, str]]:
    """DAG file, or another of `pipelines/` -> stage -> docstring of the `write_*` that its task names."""
    known = {f"cloze_gen.{source.name}.{node.name}": (source, ast.get_docstring(node) or "") for source, node in writers(house)}
    found: dict[str, dict[str, str]] = {}
    for source in house:
        tasks = [node for node in source.tree.body if isinstance(node, ast.ClassDef)] if source.room == "pipelines" else []
        imported = {name.rpartition(".")[2]: known[name] for name in imports(source.tree) if name in known}
        own = found.setdefault(source.parts[-1], {})
        for task in tasks:
            stages = [_constants(source, [node.value]) for node in task.body if isinstance(node, ast.Assign) and "stage" in bound(node)]
            told = [
                with_those_named(house, *imported[node.id]) for node in ast.walk(task) if isinstance(node, ast.Name) and node.id in imported
            ]
            own |= {stage: "\n".join([own.get(stage, ""), *told]) for stage in itertools.chain(*stages)}
    return found


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
        task = '\n\nclass Focus:\n    stage = "focus"\n    write = write_focus\n'
        files[f"../../pipelines/{paper}_style.py"] = f"from cloze_gen.recipes.{paper}.stages.focus import write_focus{task}"
    link = tmp_path / "runs" / "tiny" / "01-focus"
    link.mkdir(parents=True)
    pq.write_table(pa.table({"id": ["a"], "lemma": ["b"]}), link / "focus.parquet")
    (link / "manifest.json").write_text(json.dumps({"stage": "focus", "files": {"focus.parquet": {}}}))
    (link.parent / "run.json").write_text(json.dumps({"style": "lambada-style"}))
    assert untold(tmp_path / "runs", write_functions(built(tmp_path, files))) == found

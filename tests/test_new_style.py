"""A new style is a folder of its own, and edits nothing."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOY = Path(__file__).with_name("toy")


@pytest.fixture(scope="module")
def toy(
    tmp_path_factory,
):
    """The command line of a copy of the package with the toy's files."""
    place = tmp_path_factory.mktemp("toy")
    package = place / "lib" / "cloze_gen"
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "cloze_gen", package, ignore=unwanted)
    for folder in ("pipelines", "configs", "corpora"):
        shutil.copytree(ROOT / folder, package / folder, ignore=unwanted)
    before = {
        path.relative_to(package): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file()
    }
    shutil.copytree(TOY, package, ignore=unwanted, dirs_exist_ok=True)
    assert all((package / path).read_bytes() == content for path, content in before.items())

    def call(*arguments):
        command = [sys.executable, "-m", "cloze_gen", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(place / "lib"), "OMP_NUM_THREADS": "1"}
        return subprocess.run(
            command, cwd=place, env=environment, capture_output=True, text=True, check=False
        )

    done = call("run", "toy-style", "--out", "out", "--workers", "1")
    assert done.returncode == 0, done.stderr
    call.place = place
    return call


def test_the_toy_is_small():
    """A file has at most two functions, each of at most ten statements."""
    for path in TOY.rglob("*.py"):
        functions = [
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef)
        ]
        told = [bool(ast.get_docstring(one)) for one in functions]
        statements = [
            sum(isinstance(node, ast.stmt) for node in ast.walk(one)) - 1 for one in functions
        ]
        assert all(count - said <= 10 for count, said in zip(statements, told, strict=True)), path
        assert len(functions) <= 2, path


@pytest.mark.thorough
def test_every_command_knows_it(toy):
    release = toy.place / "out" / "runs" / "toy-style" / "release"
    items = [
        json.loads(line)
        for line in (release / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(items) > 100
    first = items[0]["id"]
    expected = {
        ("runs", "--out", "out"): "style:toy|name:toy-style|books:",
        ("show", "toy-style", "--out", "out"): "sentence_short",
        ("show", "toy-style", "focus", "--out", "out"): "focus.parquet",
        ("trace", first, "--out", "out"): "the longest word",
        (
            "trace",
            first.rpartition(":")[0].rpartition(":")[0] + ":0",
            "--out",
            "out",
        ): "decided at",
        ("explain", "toy-style", "--out", "out"): "on disk",
        (
            "explain",
            "toy-style",
            "--out",
            "out",
            "--set",
            "focus.min_tokens=20",
        ): "min_tokens 12 -> 20",
        ("settings", "toy-style"): "min_tokens = 12",
        ("run", "toy-style", "--dry-run", "--out", "out"): "release          as on disk",
        (
            "run",
            "toy-style",
            "--strict",
            "--name",
            "second",
            "--set",
            "focus.min_tokens=18",
            "--out",
            "out",
        ): "name:second",
        (
            "evaluate",
            "toy-style",
            "--only",
            "longest",
            "--only",
            "position-a",
            "--out",
            "out",
        ): "longest",
        ("report", "toy-style", "--out", "out"): "report.html",
        ("compare", "toy-style", "second", "--out", "out"): "focus.min_tokens",
        (
            "verify",
            "out/runs/toy-style/release",
            "--books",
            str(ROOT / "corpora" / "sample"),
        ): "match the items",
        ("doctor", "--store", "out"): "are as they were written",
    }
    for arguments, told in expected.items():
        done = toy(*arguments)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        assert told in done.stdout, f"{arguments}: {done.stdout}"
    assert (release / "toy-style.toy.txt").read_text(encoding="utf-8").count("\n") == len(items)
    page = (release / "report.html").read_text(encoding="utf-8")
    assert "focus words" in page
    assert "longest" in page
    assert "Toy-style" in (release / "README.md").read_text(encoding="utf-8")


@pytest.mark.thorough
def test_mistakes_are_told_as_of_any_style(
    toy,
):
    """A side that the style does not read, and a setting it does not have, are one message each."""
    sided = toy("run", "toy-style", "--train", "books", "--source", "books", "--out", "out")
    assert sided.returncode == 2
    assert "--train: toy-style does not read it. Give --books" in sided.stderr
    unknown = toy("run", "toy-style", "--set", "focus.keep=3", "--out", "out")
    assert unknown.returncode == 2
    assert "focus.keep" in unknown.stderr
    other = toy("run", "holmes-style", "--books", "books", "--out", "out")
    assert other.returncode == 2
    assert "--books: holmes-style does not read it. Give --train and --source" in other.stderr

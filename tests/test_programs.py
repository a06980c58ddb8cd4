"""The programs of training/, benchmarks/ and scripts/ run to their end, on a handful of rows."""

from __future__ import annotations

import ast
import csv
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest

from cloze_gen.corpus.books import kept_books
from cloze_gen.store.runs import stage_artifact
from tests.cases.studies import make_tiny_study
from tests.conftest import ROOT, SAMPLE, call_cli, made_once, make_corpus

# Sentences of word/tag/lemma, written for this test; they become a treebank.
SENTENCES = (
    "The/DT/the old/JJ/old clock/NN/clock stopped/VBD/stop ././.",
    "She/PRP/she reads/VBZ/read long/JJ/long letters/NNS/letter ././.",
    "Did/VBD/do you/PRP/you see/VB/see the/DT/the lamp/NN/lamp ?/./?",
)
MARKS = "APXUB"  # what a reader may say of a candidate: training/grooming/README.md


@dataclass(frozen=True)
class Inputs:
    """What the programs read, and a folder of the test's own."""

    tmp: Path
    request: pytest.FixtureRequest

    @property
    def run(self):
        return self.request.getfixturevalue("finished")

    @property
    def scde(self):
        return self.request.getfixturevalue("scde")

    @property
    def books_apart(self):
        return self.request.getfixturevalue("books_apart")

    def copy(self, path):
        return Path(shutil.copy(ROOT / path, self.tmp))

    def manifest(self):
        """A table of the training books of `run`."""
        corpus = stage_artifact(self.run.folder, "corpus-train")
        path = self.tmp / "manifest.tsv"
        with open(path, "w", encoding="utf-8", newline="") as handle:
            table = csv.writer(handle, delimiter="\t")
            table.writerow(("book_id", "sha256", "role"))
            table.writerows((row["book_id"], row["digest"], "train") for row in kept_books(corpus))
        return path

    def treebank(self):
        lines = []
        for sentence in SENTENCES:
            for number, token in enumerate(sentence.split(), 1):
                word, tag, lemma = token.split("/")
                lines.append("\t".join((str(number), word, lemma, "_", tag, *5 * "_")) + "\n")
            lines.append("\n")
        for part in ("train", "dev"):
            path = self.tmp / f"en_ewt-ud-{part}.conllu"
            path.write_text("".join(lines), encoding="utf-8")
        return self.tmp

    def marks(self):
        """Marks of the candidates of eight sentences of `books_apart`, from the sheet program."""
        sheets = ("--sheets", 4, "--items", 2, "--out", self.tmp / "sheets")
        run_program("training/grooming/draw.py", "--run", self.books_apart, *sheets)
        letters = cycle(MARKS)
        lines = []
        for path in sorted(self.tmp.glob("sheets/key-*.jsonl")):
            for key in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
                for word in key["options"]:
                    if word != key["answer"]:
                        row = {"id": key["id"], "answer": key["answer"], "word": word}
                        lines.append(json.dumps(row | {"mark": next(letters)}) + "\n")
        (self.tmp / "marks.jsonl").write_text("".join(lines), encoding="utf-8")
        return self.tmp / "marks.jsonl"

    def figures(self):
        return self.copy("docs/figures/scaling.jsonl").parent

    def study(self):
        make_tiny_study(self.tmp / "study").close()
        return self.tmp / "study"

    def shown(self):
        """A question that the report of `run` shows."""
        report = (self.run.release / "report.html").read_text(encoding="utf-8")
        return report.split("<code>cloze-gen trace ")[1].split()[0]


@dataclass(frozen=True)
class Call:
    """A program, how it is called, a part of what it prints, and a file that it writes."""

    program: str
    arguments: Callable[[Inputs], Sequence[object]]
    prints: str = ""
    writes: str = ""
    browser: bool = False


CALLS = (
    Call(
        "benchmarks/speed.py",
        lambda at: (
            *(
                "--train",
                SAMPLE / "train",
                "--source",
                SAMPLE / "source",
                "--seeds",
                SAMPLE / "source",
            ),
            *("--novels", SAMPLE / "novels", "--scratch", at.tmp, "--runs", 1, "--only", "core"),
        ),
        "| tagger, tokens a CPU second |",
    ),
    Call(
        "benchmarks/growth.py",
        lambda at: ("--figures", at.figures(), "project"),
        "| 1e+09 | 0.36 |",
    ),
    Call("benchmarks/readings.py", lambda at: (), "| 20-23 | published | 196 |"),
    Call("training/cues/fit.py", lambda at: (at.scde.folder,), '"quotation marks balanced": '),
    Call(
        "training/grooming/fit.py",
        lambda at: (
            *("--marks", at.marks(), "--run", at.books_apart),
            *("--write", at.copy("src/cloze_gen/recipes/msr/grooming/reader_weights.json")),
        ),
        "fits_as_well  two",
    ),
    Call(
        "training/screen/fit.py",
        lambda at: (
            *("--marks", at.marks(), "--run", at.books_apart),
            *("--write", at.copy("src/cloze_gen/recipes/scs/screen_weights.py")),
        ),
        "say that the candidate fits as well",
    ),
    Call(
        "training/tagger/train.py",
        lambda at: (
            *("--treebank", at.treebank(), "--out", "model"),
            *("--set", "training.max_steps=2", "--set", "training.eval_frequency=1"),
        ),
        "Saved pipeline",
        "model/meta.json",
    ),
    Call("training/tagger/evaluate.py", lambda at: ("--treebank", at.treebank()), "ewt_dev"),
    Call(
        "training/words/build.py",
        lambda at: (
            next(at.run.folder.glob("*-text")),
            *("--manifest", at.manifest(), "--min-count", 4, "--out", "."),
        ),
        "neighbour_fit",
        "words.npz",
    ),
    Call(
        "scripts/pictures.py",
        lambda at: (
            *("--report", at.run.release / "report.html", "--question", at.shown()),
            *("--to", at.tmp / "to"),
        ),
        writes="to/question.png",
        browser=True,
    ),
    Call(
        "scripts/judge_pictures.py",
        lambda at: (at.study(), "--out", at.tmp),
        writes="judge-read-phone.png",
        browser=True,
    ),
)


def run_program(name, *arguments, cwd=ROOT):
    """What a program prints; a status other than 0 fails the test."""
    command = [sys.executable, str(ROOT / name), *map(str, arguments)]
    environment = os.environ | {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def books_apart(tmp_path_factory):
    """A finished run of three source books, for cross-validation by book."""

    def make(place):
        corpus = make_corpus(place / "books")
        for book in ("the-lamp-at-skerry-point.txt", "the-lost-luggage-of-penny-cross.txt"):
            shutil.copy(SAMPLE / "source" / book, corpus.source)
        return call_cli(
            "run", *corpus.options, "--name", "two", "--out", place / "out", "--workers", "1"
        )

    place, _ = made_once(tmp_path_factory, "books-apart", make)
    return place / "out" / "runs" / "two"


@pytest.mark.thorough
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.program)
def test_program_runs(call, tmp_path, request):
    """It ends with status 0, prints what it found and writes its file."""
    if call.browser:
        pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
        if shutil.which("chromium") is None:
            pytest.skip("no chromium here (Debian: apt-get install chromium)")
    printed = run_program(call.program, *call.arguments(Inputs(tmp_path, request)), cwd=tmp_path)
    assert call.prints in printed
    assert (tmp_path / call.writes).exists()


def test_programs_import_what_exists():
    """`make test` runs no program, so a module that moved shows here."""
    for folder in ("benchmarks", "scripts", "training"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and str(node.module).startswith("cloze_gen"):
                    module = importlib.import_module(str(node.module))
                    for alias in node.names:
                        name = f"{node.module}.{alias.name}"
                        assert hasattr(module, alias.name) or importlib.util.find_spec(name), name

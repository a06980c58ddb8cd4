"""Every program of training/, benchmarks/ and scripts/ runs to its end, on a handful of rows."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.recipes.msr.tables import DECISIONS, FIT, cached_sentences, part_paths
from cloze_gen.store.runs import stage_artifact
from tests.cases.studies import make_tiny_study
from tests.conftest import (
    QUICK,
    QUICK_NOVELS,
    ROOT,
    SAMPLE,
    FinishedRun,
    call_cli,
    made_once,
    make_corpus,
)

FOLDERS = ("training", "benchmarks", "scripts")
ENTRY = 'if __name__ == "__main__":'
# Sentences of word/tag/lemma, written for this test; of them a treebank is made.
SENTENCES = (
    "The/DT/the old/JJ/old clock/NN/clock stopped/VBD/stop ././.",
    "She/PRP/she reads/VBZ/read long/JJ/long letters/NNS/letter ././.",
    "Did/VBD/do you/PRP/you see/VB/see the/DT/the lamp/NN/lamp ?/./?",
)
MARKS = "APXUB"  # what a reader may say of a candidate: training/grooming/README.md
# In place of uv, which would need a network: it writes one package into the file that it is told.
UV = """
import sys
out = sys.argv[sys.argv.index("--output-file") + 1]
wheel = 'wheels = [{url = "x/a-1-py3-none-any.whl", hashes = {sha256 = "0"}}]'
text = f'[[packages]]\\nname = "a"\\n{wheel}\\n' if out.endswith("pylock.toml") else "a==1 --hash=sha256:0\\n"
open(out, "w").write(text)
"""


@dataclass(frozen=True)
class Inputs:
    """What the programs read, each made when it is first needed, and a folder of the test's own."""

    tmp: Path
    request: pytest.FixtureRequest

    @property
    def run(self) -> FinishedRun:
        """A Holmes-style run, evaluated or not, of three training books and one source book."""
        run: FinishedRun = self.request.getfixturevalue("finished")
        return run

    @property
    def copy(self) -> FinishedRun:
        """The same, to be changed."""
        run: FinishedRun = self.request.getfixturevalue("copied")
        return run

    @property
    def books_apart(self) -> Path:
        """A Holmes-style run of three source books."""
        folder: Path = self.request.getfixturevalue("books_apart")
        return folder

    @property
    def text(self) -> Path:
        return next(self.run.folder.glob("*-text"))

    @cached_property
    def scde(self) -> FinishedRun:
        run: FinishedRun = self.request.getfixturevalue("scde")
        return run

    @cached_property
    def books(self) -> tuple[str | Path, ...]:
        """Options for a short Holmes-style run: two training books and a third of a source book."""
        corpus = make_corpus(self.tmp / "books")
        source = next(corpus.source.iterdir())
        source.write_bytes(source.read_bytes()[:9000])
        next(corpus.train.iterdir()).unlink()
        return (
            "--train",
            corpus.train,
            "--source",
            corpus.source,
            "--config",
            "holmes-sample",
            *QUICK,
            "--set",
            "choice.n_questions=12",
            "--set",
            "choice.max_triviality=1",
            "--set",
            "focus.min_count=3",
        )

    @cached_property
    def figures(self) -> Path:
        """A copy of the results in docs/figures/."""
        (self.tmp / "figures").mkdir()
        for path in (ROOT / "docs" / "figures").glob("*.jsonl"):
            shutil.copyfile(path, self.tmp / "figures" / path.name)
        return self.tmp / "figures"

    @cached_property
    def published(self) -> Path:
        """The questions of `run` under the names of the published files."""
        folder = self.tmp / "published"
        folder.mkdir()
        for path in self.run.release.glob("tiny.machine_format.*"):
            shutil.copyfile(path, folder / path.name.replace("tiny", "Holmes"))
        return folder

    @cached_property
    def manifest(self) -> Path:
        """A table of the books of `run`."""
        path = self.tmp / "manifest.tsv"
        books = self.run.out.parent / "books"
        run_program(
            "benchmarks/make_manifest.py",
            "--train",
            books / "train",
            "--source",
            books / "source",
            "--out",
            path,
        )
        return path

    @cached_property
    def treebank(self) -> Path:
        folder = self.tmp / "treebank"
        folder.mkdir()
        lines = []
        for sentence in SENTENCES:
            rows = (token.split("/") for token in sentence.split())
            lines += [
                "\t".join((str(i), word, lemma, "_", tag, *5 * "_")) + "\n"
                for i, (word, tag, lemma) in enumerate(rows, 1)
            ] + ["\n"]
        for part in ("train", "dev", "test"):
            (folder / f"en_ewt-ud-{part}.conllu").write_text("".join(lines), encoding="utf-8")
        return folder

    @cached_property
    def marks(self) -> Path:
        """Marks of the candidates of eight sentences of `books_apart`, from the sheet program."""
        run_program(
            "training/grooming/draw.py",
            "--run",
            self.books_apart,
            "--sheets",
            4,
            "--items",
            2,
            "--out",
            self.tmp / "sheets",
        )
        keys = [
            json.loads(line)
            for path in sorted(self.tmp.glob("sheets/key-*.jsonl"))
            for line in path.read_text().splitlines()
        ]
        words = [
            (key["id"], key["answer"], word)
            for key in keys
            for word in key["options"]
            if word != key["answer"]
        ]
        names = ("id", "answer", "word", "mark")
        rows = [
            dict(zip(names, (*word, mark), strict=True))
            for word, mark in zip(words, cycle(MARKS), strict=False)
        ]
        (self.tmp / "marks.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
        return self.tmp / "marks.jsonl"

    @cached_property
    def fours(self) -> Path:
        """Two readers' marks of fours of `books_apart`: all are trivial to one, none to the other."""
        sentences = cached_sentences(stage_artifact(self.books_apart, "focus").folder)
        fit = defaultdict(list)
        for part in part_paths(stage_artifact(self.books_apart, "grooming"), DECISIONS):
            for row in pq.read_table(part, columns=["id", "word", "verdict"]).to_pylist():
                if row["verdict"] == FIT:
                    fit[row["id"]].append(row["word"])
        rows = []
        for item_id, words in fit.items():
            sentence_id, _, position = item_id.rpartition(":")
            answer = sentences[sentence_id].tokens[int(position)]
            readers = [
                {"answer": answer, "fits": [], "trivial": True},
                {"answer": words[0], "fits": words[1:2], "trivial": False},
            ]
            if len(words) >= 4:
                rows.append(
                    {"id": item_id, "answer": answer, "impostors": words[:4], "readers": readers}
                )
        pq.write_table(pa.Table.from_pylist(rows), self.tmp / "fours.parquet")
        return self.tmp / "fours.parquet"

    @cached_property
    def weights(self) -> Path:
        """A copy of the weights in the package."""
        return Path(
            shutil.copy(ROOT / "src/cloze_gen/recipes/msr/grooming/reader_weights.py", self.tmp)
        )

    @cached_property
    def screen_weights(self) -> Path:
        """A copy of the weights of the screen in the package."""
        return Path(shutil.copy(ROOT / "src/cloze_gen/recipes/scs/screen_weights.py", self.tmp))

    @cached_property
    def shown(self) -> str:
        """A question that the report of `run` shows."""
        return (
            (self.run.release / "report.html")
            .read_text(encoding="utf-8")
            .split("<code>cloze-gen trace ")[1]
            .split()[0]
        )

    @cached_property
    def parquet(self) -> Path:
        """A release of one table."""
        folder = self.tmp / "mine" / "release"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"id": ["b:1"]}), folder / "test.parquet")
        return folder

    @cached_property
    def study(self) -> Path:
        make_tiny_study(self.tmp / "study").close()
        return self.tmp / "study"


def made_shapes(at: Inputs, shape: str) -> Path:
    """The source books of the sample in one shape."""
    folder = at.tmp / f"of-{shape}"
    run_program("benchmarks/same_books.py", "write", SAMPLE / "source", folder)
    return folder / shape


@dataclass(frozen=True)
class Call:
    """How a program is called, a part of what it prints, the files that it writes, and an optional
    package that it needs.
    """

    arguments: Callable[[Inputs], Sequence[object]]
    prints: str = ""
    writes: tuple[str, ...] = ()
    browser: bool = False
    needs: str = ""


PROGRAMS: dict[str, Sequence[Call]] = {
    "benchmarks/clean_ends.py": [
        Call(
            lambda at: (SAMPLE / "train", "--kept", 1, "--paragraphs", 2),
            "characters between header and footer",
        ),
        Call(lambda at: (SAMPLE / "train", "--longer", 1, "--rule", "notes"), "| all | |"),
    ],
    "benchmarks/contamination_power.py": [
        Call(
            lambda at: ("--figures", at.figures, "simulate", "--share", 0.0001),
            '"replicates": 1',
            ("figures/contamination.jsonl",),
        ),
        Call(
            lambda at: ("--figures", at.figures, "plot"),
            "| lines |",
            ("figures/contamination.svg",),
        ),
        Call(
            lambda at: (
                "kenlm",
                "--release",
                at.run.release,
                "--file",
                "tiny.lm_format.questions.txt",
                "--orders",
                1,
                "--copies",
                1,
                "--order",
                2,
            ),
            "of 1, ",
        ),
    ],
    "benchmarks/growth.py": [
        Call(
            lambda at: (
                "--figures",
                at.figures,
                "measure",
                *at.books,
                "--scratch",
                at.tmp,
                "--times",
                1.5,
                "--runs",
                1,
            ),
            '"times": 1.5',
            ("figures/scaling.jsonl",),
        ),
        Call(lambda at: ("bounds", *at.books, "--scratch", at.tmp, "--times", 1), "| 1 | "),
        Call(lambda at: ("--figures", at.figures, "plot"), writes=("figures/scaling.svg",)),
        Call(lambda at: ("--figures", at.figures, "project"), "| 1e+11 |"),
    ],
    "benchmarks/holmes_real.py": [Call(lambda at: (*at.books, "--runs", 1), "All books take")],
    "benchmarks/ingest_speed.py": [
        Call(lambda at: (SAMPLE / "train", "--books", 2, "--check"), "tokens identical")
    ],
    "benchmarks/interrupts.py": [
        Call(
            lambda at: ("--lines", 1, "--random", 0, "--double", 0, "--imports", 0, "--others", 0),
            "status 130",
        ),
    ],
    "benchmarks/judge_load.py": [
        Call(
            lambda at: (
                "--judges",
                2,
                "--seconds",
                1,
                "--items",
                20,
                "--pace",
                0.5,
                "--clients",
                1,
            ),
            "lost 0, twice 0, not answered 0",
        )
    ],
    "benchmarks/make_manifest.py": [
        Call(
            lambda at: ("--source", SAMPLE / "source", "--out", at.tmp / "manifest.tsv"),
            "5 books",
            ("manifest.tsv",),
        )
    ],
    "benchmarks/network_curve.py": [
        Call(
            lambda at: (
                at.request.getfixturevalue("lambada").folder,
                "feedforward-4x4-0.01",
                "recurrent-4x4-0.01",
            ),
            "| recurrent 4x4 | 0.01 |",
        )
    ],
    "benchmarks/many_files.py": [
        Call(lambda at: (at.tmp / "many", "--books", 3), "first book read after")
    ],
    "benchmarks/sentence_background.py": [
        Call(
            lambda at: ("make", SAMPLE / "train", at.tmp / "sentences"),
            "lines,",
            ("sentences",),
        )
    ],
    "benchmarks/noisy_copies.py": [
        Call(
            lambda at: (SAMPLE / "source", at.tmp / "noisy", "--times", 1.5), "bytes in", ("noisy",)
        )
    ],
    "benchmarks/parquet_scale.py": [
        Call(
            lambda at: (
                *(SAMPLE / "train", "--books", 3, "--bytes", 30_000, "--workers", 1),
                *("--scratch", at.tmp / "scale"),
            ),
            "Books stored again: 0. The same stored books: True.",
        )
    ],
    "benchmarks/readings.py": [
        Call(lambda at: ("tables",), "| 20-23 | published | 196 |"),
        Call(lambda at: ("unpack", at.tmp / "rows"), writes=("rows/round-1.jsonl",)),
    ],
    "benchmarks/same_books.py": [
        Call(
            lambda at: ("write", SAMPLE / "source", at.tmp / "same"),
            "5 books",
            ("same/txt", "same/parquet/books.parquet", "same/jsonl/books.jsonl.zst"),
        ),
        Call(
            lambda at: (
                "sentences",
                *(SAMPLE / "source", made_shapes(at, "html"), made_shapes(at, "epub")),
            ),
            "(100.00% are)",
        ),
        Call(
            lambda at: ("questions", at.run.folder, at.books_apart), "with the same blank and other"
        ),
    ],
    "benchmarks/scde_real.py": [
        Call(
            lambda at: (
                *(
                    "--books",
                    at.scde.out.parent / "books",
                    "--scratch",
                    at.tmp / "scratch",
                    "--skip-stages",
                ),
                *("--kinds", "hard", "--config", "scde-sample"),
            ),
            "| candidates alone | hard |",
        )
    ],
    "benchmarks/scs_real.py": [
        Call(
            lambda at: (
                "--out",
                at.request.getfixturevalue("scs_run").copy(at.tmp / "scs").out,
                "--run",
                "scs-style",
                "--read",
                3,
                "--read-to",
                at.tmp / "read.txt",
            ),
            "Answers by class",
            ("read.txt",),
        )
    ],
    "benchmarks/planted_faults.py": [
        Call(
            lambda at: (at.run.folder / "release" / "questions.jsonl", "--seeds", 1),
            "posterior",
        )
    ],
    "benchmarks/real_models.py": [
        Call(
            lambda at: (
                at.copy.folder.name,
                "--runs",
                at.copy.out / "runs",
                "--out",
                at.tmp / "models",
                "--minutes",
                0.01,
                "--told-minutes",
                0.01,
            ),
            "p, exact",
            needs="lm_eval",
        )
    ],
    "benchmarks/rank_alignment.py": [
        Call(
            lambda at: (
                *("--figures", at.tmp, "measure", "--published", at.published),
                *("--train", at.run.out.parent / "books" / "train", "--out", at.tmp / "out"),
                *("--choice", "random", "--config", "holmes-sample", *QUICK),
                *("--set", "focus.min_tokens=4", "--set", "overlap.across=keep"),
            ),
            '"kendall"',
            ("alignment.jsonl",),
        ),
        Call(lambda at: ("--figures", at.figures, "plot"), writes=("figures/alignment.svg",)),
    ],
    "benchmarks/speed.py": [
        Call(
            lambda at: (
                *(*at.books[:4], "--seeds", at.books[3]),
                *("--novels", at.scde.out.parent / "books"),
                *("--scratch", at.tmp / "scratch", "--runs", 1, "--config", "sample"),
                *("--only", "lambada", *QUICK_NOVELS),
            ),
            "bare `lmplz -o 4`",
        )
    ],
    "benchmarks/tagger_speed.py": [
        Call(
            lambda at: (
                SAMPLE / "train" / "01-the-ferrymans-ledger.txt",
                "--repeat",
                1,
                "--max-tokens",
                500,
                "--json",
                "speed.json",
            ),
            "tokens per CPU second",
            ("speed.json",),
        )
    ],
    "benchmarks/tradeoff.py": [
        Call(
            lambda at: (
                *("--figures", at.figures, "sweep", *at.books, "--out", at.tmp / "out"),
                *("--setting", "grooming.max_ungrammatical", "--values", 1),
            ),
            '"value": 0.03',
            ("figures/tradeoff.jsonl",),
        ),
        Call(lambda at: ("--figures", at.figures, "plot"), writes=("figures/tradeoff.svg",)),
    ],
    "scripts/build_site.py": [],  # `make docs` in CI; tests/scripts/test_build_site.py
    "scripts/check_examples.py": [],  # tests/scripts/test_check_examples.py: it needs the runs of CI
    "scripts/check_release.py": [
        Call(lambda at: (at.parquet,), "ok     mine, parquet: test.parquet: 1 rows of id")
    ],
    "scripts/judge_pictures.py": [
        Call(
            lambda at: (at.study, "--out", at.tmp),
            "judge-read.png",
            ("judge-read.png", "judge-read-phone.png"),
            browser=True,
        )
    ],
    "scripts/lock.py": [],  # test_the_lock_is_written: the program writes beside itself
    "scripts/messages.py": [Call(lambda at: ("--kind", "progress"), "sentences, {n_ids")],
    "scripts/pictures.py": [
        Call(
            lambda at: (
                "--report",
                at.run.release / "report.html",
                "--question",
                at.shown,
                "--to",
                at.tmp / "to",
            ),
            "question.png",
            ("to/question.png", "to/funnel.png"),
            browser=True,
        )
    ],
    "scripts/pins.py": [],  # tests/scripts/test_pins.py: the program makes eleven runs
    "scripts/reference.py": [
        Call(
            lambda at: ("--to", at.tmp / "reference"),
            writes=("reference/commands.md", "reference/reasons.md"),
        )
    ],
    "scripts/with_args.py": [Call(lambda at: (sys.executable, "-c", "print('run')"), "run")],
    "training/cues/fit.py": [Call(lambda at: (at.scde.folder,), "WEIGHTS = np.array([")],
    "training/grooming/draw.py": [
        Call(
            lambda at: ("--run", at.books_apart, "--sheets", 1, "--items", 2, "--out", "sheets"),
            "'noun'",
            ("sheets/sheet-1.txt",),
        ),
        Call(
            lambda at: (
                "--run",
                at.run.folder,
                "--sheets",
                1,
                "--items",
                2,
                "--out",
                "sheets",
                "--chosen",
            ),
            "",
            ("sheets/key-1.jsonl",),
        ),
    ],
    "training/grooming/fit.py": [
        Call(
            lambda at: ("--marks", at.marks, "--run", at.books_apart, "--write", at.weights),
            "fits_as_well  two",
            ("reader_weights.py",),
        )
    ],
    "training/grooming/study.py": [
        Call(
            lambda at: ("--marks", at.marks, "--run", at.books_apart, "--first-chosen", 4),
            "By book, the choice's own candidates",
        )
    ],
    "training/screen/fit.py": [
        Call(
            lambda at: ("--marks", at.marks, "--run", at.books_apart, "--write", at.screen_weights),
            "say that the candidate fits as well",
            ("screen_weights.py",),
        )
    ],
    "training/grooming/study_fours.py": [
        Call(
            lambda at: ("--fours", at.fours, "--run", at.books_apart),
            "| of a candidate, 500 questions |",
        )
    ],
    "training/tagger/evaluate.py": [
        Call(
            lambda at: ("--treebank", at.treebank, "--test", "--out", "scores.json"),
            "ewt_test",
            ("scores.json",),
        )
    ],
    "training/tagger/train.py": [
        Call(
            lambda at: (
                *("--treebank", at.treebank, "--out", "model"),
                *("--set", "training.max_steps=2", "--set", "training.eval_frequency=1"),
            ),
            "Saved pipeline",
            ("model/meta.json",),
        )
    ],
    "training/transformer/train.py": [
        Call(
            lambda at: (
                *(at.text / "sentences.txt", "--out", "model", "--minutes", 0.01),
                *("--vocabulary", 300, "--width", 64, "--layers", 1, "--held-out", 5),
            ),
            "held-out perplexity per word",
            ("model/config.json", "model/tokenizer.json"),
            needs="torch",
        )
    ],
    "training/words/build.py": [
        Call(
            lambda at: (at.text, "--manifest", at.manifest, "--min-count", 4, "--out", "."),
            "neighbour_fit",
            ("words.npz", "words.json"),
        )
    ],
    "training/words/choose_even_count.py": [
        Call(
            lambda at: (
                *(
                    "--corpus",
                    at.text,
                    "--builtin",
                    at.text,
                    "--truth",
                    at.text,
                    "--places",
                    at.text,
                ),
                *("--count", 20, "--min-count", 4, "--least-true", 4),
            ),
            "even count",
        )
    ],
}


def run_program(
    name: str | Path, *arguments: object, cwd: Path = ROOT, env: dict[str, str] | None = None
) -> str:
    """What a program prints; a status other than 0 fails the test."""
    command = [sys.executable, str(ROOT / name), *map(str, arguments)]
    environment = os.environ | {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"} | (env or {})
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def books_apart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of three source books, for cross-validation by book."""

    def make(place: Path) -> object:
        corpus = make_corpus(place / "books")
        for book in ("the-lamp-at-skerry-point.txt", "the-lost-luggage-of-penny-cross.txt"):
            shutil.copy(SAMPLE / "source" / book, corpus.source)
        return call_cli(
            "run", *corpus.options, "--name", "two", "--out", place / "out", "--workers", "1"
        )

    place, _ = made_once(tmp_path_factory, "books-apart", make)
    return place / "out" / "runs" / "two"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        pytest.param(
            name,
            call,
            id=f"{name}-{i}",
            marks=pytest.mark.thorough
            if call.browser or not name.startswith("scripts/")
            else pytest.mark.slow,
        )
        for name, calls in PROGRAMS.items()
        for i, call in enumerate(calls, 1)
    ],
)
def test_it_runs(name: str, call: Call, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """It ends with status 0, prints what it found and writes its files."""
    if call.needs:
        pytest.importorskip(call.needs)
    if call.browser:
        pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
        if shutil.which("chromium") is None:
            pytest.skip("no chromium here (Debian: apt-get install chromium)")
    printed = run_program(name, *call.arguments(Inputs(tmp_path, request)), cwd=tmp_path)
    assert call.prints in printed
    assert [file for file in call.writes if not (tmp_path / file).exists()] == []


def test_what_programs_import_exists() -> None:
    """Whatever `make test` does not run breaks first where a module of ours is moved."""
    imported = {
        (str(node.module), one.name)
        for name in PROGRAMS
        for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("cloze_gen")
        for one in node.names
    }
    for module, name in sorted(imported):
        there = hasattr(importlib.import_module(module), name)
        assert there or importlib.util.find_spec(f"{module}.{name}"), f"{module}.{name}"


def test_the_lock_is_written(tmp_path: Path) -> None:
    """Four files beside pyproject.toml; a program of that name replaces uv."""
    for file, text in (
        ("uv/__init__.py", ""),
        ("uv/__main__.py", UV),
        ("scripts/lock.py", (ROOT / "scripts" / "lock.py").read_text()),
    ):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    run_program(tmp_path / "scripts" / "lock.py", env={"PYTHONPATH": str(tmp_path)})
    locks = ("requirements.lock", "requirements-build.lock", "requirements-release.lock")
    assert {(tmp_path / lock).read_text() for lock in locks} == {"a==1 --hash=sha256:0\n"}
    assert (
        tmp_path / "requirements.files.tsv"
    ).read_text() == "file\tsha256\na-1-py3-none-any.whl\t0\n"


def untested(root: Path) -> set[str]:
    """Python files missing from the table, modules that a neighbour imports aside."""
    files = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for name in FOLDERS
        for path in (root / name).rglob("*.py")
    }
    imported = {
        word
        for text in files.values()
        for line in text.splitlines()
        if line.startswith(("import ", "from "))
        for word in line.split()
    }
    programs = {
        name for name, text in files.items() if ENTRY in text or Path(name).stem not in imported
    }
    return programs - PROGRAMS.keys()


def test_every_program_is_in_the_table() -> None:
    """A new program needs a row; a row needs its program."""
    assert untested(ROOT) == set()
    assert [name for name in PROGRAMS if not (ROOT / name).is_file()] == []


def test_a_program_without_a_row_is_found(tmp_path: Path) -> None:
    """With or without an entry point, unless it is a module of another program."""
    for name, text in (
        ("training/new/fit.py", f"import rows\n{ENTRY}\n    rows.main()\n"),
        ("training/new/rows.py", ""),
        ("scripts/new.py", "print()"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert untested(tmp_path) == {"training/new/fit.py", "scripts/new.py"}

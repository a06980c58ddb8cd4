"""Output fits 80 columns without control characters; a pipe gets whole lines."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from cloze_gen.cli.app import app
from cloze_gen.store.tables import read_jsonl, read_parquet
from cloze_gen.text_layout import text_width

SAMPLE = Path(__file__).parents[2] / "corpora" / "sample"
HOSTILE_TITLE = "The \x1b[2JClockmaker\x9b31m\u202e 時計屋の借金という大変に長い題名の本であり、八十桁には決して収まらない"
HOSTILE_FILE = "lamp\x1b[31m\tat\nskerry 岬の灯火.txt"


def walk(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command and group of the command line with what is typed to reach it."""
    yield path, command
    for name, one in getattr(command, "commands", {}).items():
        yield from walk(one, f"{path} {name}".strip())


REACHED = dict(walk(typer.main.get_command(app)))
COMMANDS = {path: command for path, command in REACHED.items() if not hasattr(command, "commands")}
CUT_FIGURE = re.compile(r"(?<![^\s(-])\d[\d.,]*\.\.\.(?!\S)")


def faults(text: str) -> list[str]:
    """Lines wider than 80 columns, except a path or id alone, or with control characters."""
    lines = text.split("\n")
    wide = [line for line in lines if text_width(line) > 80 and " " in line.strip()]
    return wide + [
        line for line in lines if any(unicodedata.category(one) in ("Cc", "Cf") for one in line)
    ]


@pytest.fixture
def narrow(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The command line on 80 columns; returns what it printed, results and talk."""

    def call(*arguments: Any, status: int = 0) -> str:
        monkeypatch.setenv("COLUMNS", "80")
        outcome = cli(*arguments)
        assert outcome.status == status, outcome.err
        return outcome.out + outcome.err

    return call


@pytest.fixture(scope="module")
def holmes(
    tmp_path_factory: pytest.TempPathFactory, cli: Callable[..., Any], finished: Any
) -> tuple[Any, ...]:
    """A run over books with escape sequences in title and name: output folder, corpus, outcome."""
    place = tmp_path_factory.mktemp("hostile")
    shutil.copytree(finished.corpus.train, place / "train")
    (place / "source").mkdir()
    shutil.copyfile(SAMPLE / "source" / "the-clockmakers-debt.txt", place / "source" / "debt.txt")
    shutil.copyfile(
        SAMPLE / "source" / "the-lamp-at-skerry-point.txt", place / "source" / HOSTILE_FILE
    )
    (place / "source" / "empty 空.txt").write_text("")
    (place / "source" / "manifest.tsv").write_text(
        f"file\ttitle\tauthor\ndebt.txt\t{HOSTILE_TITLE}\tA. \x1b]0;Nym\n", encoding="utf-8"
    )
    options = (
        "--train",
        place / "train",
        "--source",
        place / "source",
        *finished.corpus.options[5:],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        outcome = cli(
            "run",
            "holmes-sample",
            *options,
            "--out",
            place / "out",
            "--name",
            "hostile",
            "--workers",
            "1",
        )
    assert outcome.status == 0, outcome.err
    return place / "out", options, outcome


@pytest.mark.slow
def test_a_run_fits(holmes: tuple[Any, ...], narrow: Callable[..., str]) -> None:
    """Warnings, summary lines, funnel and signature, and what a dry run says."""
    out, options, outcome = holmes
    assert faults(outcome.out + outcome.err) == []
    assert "dropped (empty)" in outcome.err
    signature = (out / "runs" / "hostile" / "release" / "signature.txt").read_text().strip()
    assert len(signature) > 80
    after = outcome.out[outcome.out.index("signature ") + len("signature ") :]
    assert after.replace("\n", "").replace(" ", "").startswith(signature)
    assert (
        faults(
            narrow(
                "run",
                "holmes-sample",
                *options,
                "--out",
                out,
                "--name",
                "hostile",
                "--dry-run",
                "--set",
                "lm.order=4",
            )
        )
        == []
    )


@pytest.mark.slow
def test_what_looks_at_a_run_fits(holmes: tuple[Any, ...], narrow: Callable[..., str]) -> None:
    """runs, show of the run and of every stage, explain."""
    out, _, _ = holmes
    at = ("--out", out)
    assert faults(narrow("runs", *at)) == []
    assert faults(narrow("show", "hostile", *at)) == []
    for stage in json.loads((out / "runs" / "hostile" / "run.json").read_text())["stages"]:
        assert faults(narrow("show", "hostile", stage["number"], "--rows", "3", *at)) == [], stage[
            "label"
        ]
    assert (
        faults(
            narrow("explain", "hostile", "--set", "lm.order=4", "--set", "focus.min_count=4", *at)
        )
        == []
    )


@pytest.mark.slow
def test_trace_fits(holmes: tuple[Any, ...], narrow: Callable[..., str]) -> None:
    out, _, _ = holmes
    questions = [
        record["id"]
        for record in read_jsonl(out / "runs" / "hostile" / "release" / "questions.jsonl")
    ]
    assert len({item.split(":")[0] for item in questions}) == 2
    rejected = [
        row["id"]
        for row in read_parquet(
            next((out / "runs" / "hostile").glob("*-choice")) / "rejected.parquet"
        ).to_pylist()
    ]
    early = [
        row["id"]
        for row in read_parquet(
            next((out / "runs" / "hostile").glob("*-focus")) / "rejected.parquet"
        ).to_pylist()
    ]
    for item in [*questions[:2], *questions[-2:], *rejected[:2], *early[:2]]:
        assert faults(narrow("trace", item, "--out", out)) == [], item
        told = narrow("trace", item, "--out", out, "--alternates")
        assert faults(told) == [], item
        assert [line for line in told.split("\n") if CUT_FIGURE.search(line)] == []
    told = narrow(
        "trace", next(item for item in questions if item.startswith("debt:")), "--out", out
    )
    assert "book       The \\x1b[2JClockmaker\\x9b31m\\u202e" in told
    assert "時計屋の借金" in told


@pytest.mark.slow
def test_compare_and_evaluate_fit(
    copied: Any, holmes: tuple[Any, ...], narrow: Callable[..., str], tmp_path: Path
) -> None:
    """Two runs side by side; the table of an evaluation, with a long name of one's own in it."""
    out, _, _ = holmes
    assert faults(narrow("compare", copied.folder, out / "runs" / "hostile", "--out", out)) == []
    records = list(read_jsonl(copied.release / "questions.jsonl"))
    rows = [
        {"id": record["id"], "scores": list(range(len(record["options"])))} for record in records
    ]
    scores = tmp_path / f"{'my-model-' * 6}.jsonl"
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = narrow(
        "evaluate",
        copied.folder,
        "--only",
        "longest",
        "--scores",
        scores,
        "--out",
        copied.out,
        "--write-to",
        tmp_path / "w",
    )
    assert "user:my-model" in told
    assert faults(told) == []


@pytest.mark.slow
def test_the_other_style_fits(scs: Path, narrow: Callable[..., str]) -> None:
    run = scs / "runs" / "scs-style"
    for stage in json.loads((run / "run.json").read_text())["stages"]:
        assert faults(narrow("show", "scs-style", stage["number"], "--out", scs)) == [], stage[
            "label"
        ]
    for record in list(read_jsonl(run / "release" / "questions.jsonl"))[:5]:
        assert faults(narrow("trace", record["id"], "--out", scs)) == []
    reference = run / "release" / "questions.jsonl"
    ranked = narrow(
        "corpus",
        "rank",
        SAMPLE / "source",
        "--reference",
        reference,
        "--out",
        scs,
        "--workers",
        "1",
    )
    assert faults(ranked) == []


@pytest.mark.slow
def test_blanked_passages_fit(scde: Any, narrow: Callable[..., str]) -> None:
    for stage in json.loads((scde.folder / "run.json").read_text())["stages"]:
        assert faults(narrow("show", scde.name, stage["number"], "--out", scde.out)) == [], stage[
            "label"
        ]
    ids = [record["id"] for record in list(read_jsonl(scde.release / "passages.jsonl"))[:3]]
    for stage in ("passages", "blanks", "distractors"):
        table = read_parquet(next(scde.folder.glob(f"[0-9][0-9]-{stage}")) / "rejected.parquet")
        ids += [row["id"] for row in table.slice(0, 1).to_pylist()]
    for item in ids:
        assert faults(narrow("trace", item, "--out", scde.out)) == [], item
    assert faults(narrow("compare", scde.folder, scde.folder, "--out", scde.out)) == []
    assert faults(narrow("settings", "scde-style")) == []


def table_faults(text: str) -> list[str]:
    """Lines of a table with cut figures, or that do not begin at its first column."""
    table = text.split("\nleft out")[0].split("\nsignature")[0].split("\n28.")[0]
    return [line for line in table.split("\n") if line.startswith(" ") or CUT_FIGURE.search(line)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lambada", "scde"])
def test_evaluations_of_passages_fit(
    name: str,
    request: pytest.FixtureRequest,
    narrow: Callable[..., str],
    cli: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = request.getfixturevalue(name)
    shutil.copytree(run.out.parent, tmp_path / "copy", symlinks=True)
    call = ("evaluate", run.name, "--out", tmp_path / "copy" / "out")
    narrow(*call)  # trains, and says so
    told = narrow(*call)
    told = told[: told.index("evaluate: done")]
    assert faults(told) == []
    assert table_faults(told) == []
    monkeypatch.delenv("COLUMNS")
    piped = cli(*call).out
    assert max(map(text_width, piped.split("\n"))) > 100
    assert len(piped.split("\n")) < len(told.split("\n"))


@pytest.mark.slow
def test_what_people_and_models_are_asked_fits(
    lambada: Any, narrow: Callable[..., str], tmp_path: Path
) -> None:
    shutil.copytree(lambada.out.parent, tmp_path / "copy", symlinks=True)
    at = ("--out", tmp_path / "copy" / "out")
    assert faults(narrow("judge", "new", lambada.name, "--judges", "ann,bob", *at)) == []
    study = f"{lambada.name}-guess"
    for _ in range(2):
        for command in ("status", "agree", "cost"):
            assert faults(narrow("judge", command, study, *at)) == [], command
        cost = narrow("judge", "cost", "--items", "1000000", *at)
        assert faults(cost) == []
        assert [len(line.split("  ")) > 4 for line in cost.split("\n")[:2]] == [True] * 2
        assert faults(narrow("judge", "export", study, "--judges", "ann,bob", *at)) == []
    assert (
        faults(narrow("export-requests", lambada.name, "--to", tmp_path / "requests.jsonl", *at))
        == []
    )
    assert faults(narrow("report", lambada.name, *at)) == []
    assert faults(narrow("compare", lambada.name, lambada.name, *at)) == []
    assert faults(narrow("new", tmp_path / "mine")) == []
    assert faults(narrow("clean-exams", tmp_path / "nowhere.json", status=2)) == []


@pytest.mark.slow
def test_what_needs_no_run_fits(
    narrow: Callable[..., str], cli: Callable[..., Any], tmp_path: Path
) -> None:
    """doctor, settings, checksums; the settings can still be read back."""
    for style in ("holmes-style", "scs-sample"):
        told = narrow("settings", style)
        assert faults(told) == []
        wide = subprocess.run(
            [sys.executable, "-m", "cloze_gen", "settings", style],
            capture_output=True,
            text=True,
            check=True,
        )
        assert tomllib.loads(told) == tomllib.loads(wide.stdout)
    assert faults(cli("doctor").out) == []
    books = tmp_path / "books"
    books.mkdir()
    (books / HOSTILE_FILE).write_text("x")
    (tmp_path / "m.tsv").write_text(f"file\tsha256\n{'long-' * 30}.txt\t00\n")
    assert (
        faults(narrow("corpus", "verify", books, "--manifest", tmp_path / "m.tsv", status=1)) == []
    )


def test_mistakes_fit(narrow: Callable[..., str], finished: Any) -> None:
    """An error is wrapped like everything else, and what a user typed cannot colour the screen."""
    told = narrow("trace", "\x1b[31mno:1:2", "--out", finished.out, status=2)
    assert faults(told) == []
    assert "\\x1b[31mno:1:2" in told
    assert "\\udcff" in narrow("trace", os.fsdecode(b"\xff"), "--out", finished.out, status=2)
    assert (
        faults(
            narrow(
                "run", "holmes-sample", "--set", "forward.kep=1", "--out", finished.out, status=2
            )
        )
        == []
    )


@pytest.mark.parametrize("path", [path for path in REACHED if path not in COMMANDS])
def test_help_of_a_group_fits(narrow: Callable[..., str], path: str) -> None:
    """Every command of it is named with what it does."""
    told = narrow(*path.split(), "--help")
    assert faults(told) == []
    assert [
        name for name, one in REACHED[path].commands.items() if name not in told or not one.help
    ] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_can_be_typed(command: str) -> None:
    """There is one, with valid options and all required arguments, up to a shell's `>`."""
    (example,) = re.findall(r"^ *Example: cloze-gen (.*)$", COMMANDS[command].help, re.MULTILINE)
    typed = shlex.split(example.split(">")[0])
    assert typed[: len(command.split())] == command.split()
    with COMMANDS[command].make_context(command, typed[len(command.split()) :]) as context:
        assert context.args == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_and_describes_everything(narrow: Callable[..., str], command: str) -> None:
    told = narrow(*command.split(), "--help")
    assert faults(told) == []
    assert f"Example: cloze-gen {command}" in told
    assert [one.name for one in COMMANDS[command].params if not one.help] == []


def test_a_pipe_gets_whole_lines(finished: Any, cli: Callable[..., Any]) -> None:
    question = next(read_jsonl(finished.release / "questions.jsonl"))
    signature = (finished.release / "signature.txt").read_text().strip()
    assert f"signature  {signature}\n" in finished.outcome.out
    [_, line] = cli("runs", "--out", finished.out).out.splitlines()
    assert (line.split()[0], line.split()[-1]) == ("tiny", signature)
    assert (
        f"\nsentence   {question['source']['text']}\n"
        in cli("trace", question["id"], "--out", finished.out).out
    )
    candidates = next(
        read_jsonl(next(finished.folder.glob("*-choice")) / "candidates.jsonl")
    )  # the release has an order of its own
    shown = cli("show", "tiny", "choice", "--rows", "1", "--out", finished.out).out
    assert f"    candidates: {json.dumps(candidates['candidates'], ensure_ascii=False)}\n" in shown


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 60])
def test_a_terminals_own_width_is_found(finished: Any, columns: int) -> None:
    """Without COLUMNS the terminal itself is asked."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    question = next(read_jsonl(finished.release / "questions.jsonl"))
    command = [
        sys.executable,
        "-m",
        "cloze_gen",
        "trace",
        question["id"],
        "--out",
        str(finished.out),
    ]
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen(command, stdout=terminal, env=environment) as process:
        os.close(terminal)
        told = b""
        while True:
            try:
                told += os.read(master, 65536)
            except OSError:  # the other end is closed: all has been read
                break
    os.close(master)
    assert process.returncode == 0
    widths = [text_width(line.rstrip("\r")) for line in told.decode().split("\n")]
    assert columns - 20 < max(widths) <= columns

"""The commands that inspect: dry runs, explain, runs, show, trace, settings; Luigi's command."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cloze_gen import __version__
from cloze_gen.cli.app import app
from cloze_gen.pipelines.styles import style_names
from cloze_gen.store.runs import read_run
from cloze_gen.store.tables import read_jsonl

ROOT = Path(__file__).parents[2]


def test_help_lists_commands_in_the_order_of_use(cli):
    """Under headings, each once; `help` prints the same."""
    told = cli("--help").out
    commands = re.findall(r"^  ([a-z][a-z-]*)  ", told, re.MULTILINE)
    assert [one for one in commands if one in {"new", "run", "show", "trace", "evaluate"}] == [
        "new", "run", "show", "trace", "evaluate",
    ]  # fmt: skip
    assert sorted(commands) == sorted(
        [one.name or one.callback.__name__.replace("_", "-") for one in app.registered_commands if one.callback]
        + [one.name for one in app.registered_groups if one.name]
    )  # fmt: skip
    assert told.index("Make a test set:") < told.index("  new ") < told.index("Look into a run:")
    assert cli("help").out == told
    assert cli("help", "judge", "new").out == cli("judge", "new", "--help").out


@pytest.mark.parametrize(
    "command",
    ["run", "new", "show", "trace", "evaluate", "fill", "verify", "contamination write", "corpus rank", "judge new", "judge export", "judge import"],
)  # fmt: skip
def test_help_names_values_in_words(command, cli):
    """No type of Python, no placeholder of one letter, and every value has a word."""
    told = cli(*command.split(), "--help").out
    assert not re.search(r"<|TEXT|INTEGER|\bN\b|9223372", told)
    assert re.search(r"--out PATH|--to PATH|--books BOOKS|DIR", told)


def test_a_short_name_is_read_as_the_style(tmp_path, monkeypatch, cli, corpus):
    """And a single file as a folder of one book; a config of the user's keeps its short name."""
    monkeypatch.chdir(tmp_path)
    (book,) = corpus.source.glob("*.txt")
    shutil.copyfile(book, "Kim.txt")
    told = cli(
        "run", "holmes", "--source", "Kim.txt", "--set", 'grooming.classes=["noun"]', "--dry-run"
    )
    assert told.status == 1  # as the run, of one book
    assert "holmes: read as holmes-style" in told.err
    assert "1 book in Kim.txt" in told.out + told.err
    assert "holmes-style: in artifacts" in told.out
    assert cli("settings", "scs").out == cli("settings", "scs-style").out
    Path("holmes.toml").write_text("", encoding="utf-8")
    assert "Did you mean 'holmes.toml'?" in cli("run", "holmes", "--dry-run").err


@pytest.mark.parametrize("config", [*style_names(), "holmes-sample", "scs-sample"])
def test_a_run_is_named_after_its_config(config, tmp_path, cli):
    """As `make` names it, with books or without."""
    assert (
        f"{config}: in "
        in cli("run", config, "--out", tmp_path / "out", "--dry-run").out.splitlines()[0]
    )


def test_dry_run_names_the_changed_setting(finished, cli):
    """What stays on disk is said, and of each stage that would run the reason."""
    call = ("run", *finished.corpus.options, "--name", "tiny", "--out", finished.out, "--dry-run")
    told = cli(*call, "--set", "forward.keep=20").out
    assert re.search(r"\d\d alternates +on disk", told)
    assert re.search(r"\d\d forward +would run: keep 80 -> 20", told)
    assert re.search(r"\d\d grooming +would run: input forward changed", told)
    assert "would run" not in cli(*call).out


def test_explain_a_finished_run(copied, cli):
    """Nothing to do; then a book is added, one removed and one changed, and it is said which."""
    call = ("explain", "tiny", "--out", copied.out)
    assert "would run" not in cli(*call).out
    assert "keep 80 -> 9" in cli(*call, "--set", "forward.keep=9").out
    books = sorted(copied.corpus.train.iterdir())
    shutil.copyfile(books[0], copied.corpus.train / "new.txt")
    books[1].unlink()
    with open(books[2], "ab") as handle:
        handle.write(b"More.\r\n")
    told = cli(*call).out
    assert "1 book added (new)" in told
    assert "1 book removed (02-a-house-in-mercer-row)" in told
    assert "1 book changed (03-the-surgeon-of-the-halcyon)" in told
    assert re.search(r"ingest source +on disk", told)


def test_runs_are_listed_with_their_signatures(finished, cli, tmp_path):
    """One line a run with its size; an empty folder has none."""
    told = cli("runs", "--out", finished.out)
    assert re.fullmatch(
        r"run +own MB +shared MB +signature\ntiny +\d+\.\d +0\.0 +cloze-gen\|v:.*\n", told.out
    )
    assert cli("runs", "--out", tmp_path).out == f"no runs in {tmp_path}\n"


def test_show_a_run_and_a_stage(finished, cli):
    told = cli("show", "tiny", "--out", finished.out).out
    assert re.search(r"^07-lm +[0-9a-f]{16} ", told, re.MULTILINE)
    assert "answer_scores_best" in told
    by_name, by_link, by_number = (
        cli("show", "tiny", stage, "--out", finished.out).out
        for stage in ("forward", "12-forward", "12")
    )
    assert by_name == by_link == by_number
    assert '"keep": 80' in by_name
    column = "  column history_log10_prob (float): log10 P(word | two tokens before)\n"
    assert by_name.count(column) == 1
    assert cli("show", finished.folder, "counts", "--rows", "0", "--out", finished.out).status == 0
    for stage in [path.name for path in finished.folder.iterdir() if path.name[:2].isdigit()]:
        assert cli("show", "tiny", stage, "--out", finished.out).status == 0
    assert "Its stages: ingest-train" in cli("show", "tiny", "nothing", "--out", finished.out).err


@pytest.mark.slow
def test_trace_takes_the_run_written_last(copied, cli):
    """Without --run it is the latest that has the item, whatever its name; the others are named."""
    question = next(read_jsonl(copied.release / "questions.jsonl"))
    call = ("trace", question["id"], "--out", copied.out)
    assert (
        cli(
            "run",
            *copied.corpus.options,
            "--name",
            "another",
            "--out",
            copied.out,
            "--workers",
            "1",
        ).status
        == 0
    )
    for latest, other in (("another", "tiny"), ("tiny", "another")):
        for moment, name in enumerate((other, latest)):
            os.utime(copied.out / "runs" / name / "run.json", ns=(10**18 + moment, 10**18 + moment))
        first, second = cli(*call).out.splitlines()[:2]
        assert first == f"{question['id']} in run {latest}"
        assert other in second
    os.utime(copied.out / "runs" / "another" / "run.json", ns=(10**18 + 1, 10**18 + 1))
    # of one moment: the first by name
    assert cli(*call).out.splitlines()[0].endswith("in run another")
    first, second = cli(*call, "--run", "tiny").out.splitlines()[:2]
    assert first == f"{question['id']} in run tiny"
    assert second.startswith("outcome: ")


def test_settings_are_printed_as_a_config(cli, tmp_path):
    """The text is a config of its own: read back it gives the same settings."""
    told = cli("settings", "holmes-sample").out
    assert "keep = 80  # 4..10,000; alternates kept" in told
    (tmp_path / "mine.toml").write_text(told)
    assert cli("settings", str(tmp_path / "mine.toml")).out == told


@pytest.mark.slow
def test_a_config_of_ones_own(copied, cli, tmp_path, monkeypatch):
    """A TOML file names the run, and `explain` finds it again."""
    sample = (ROOT / "configs" / "holmes-sample.toml").read_text()
    (tmp_path / "holmes-mine.toml").write_text(
        re.sub(r"n_questions = \d+", "n_questions = 7", sample)
    )
    monkeypatch.chdir(tmp_path)
    done = cli(
        "run", "holmes-mine.toml", *copied.corpus.options[1:], "--out", copied.out, "--workers", "1"
    )
    assert done.status == 0, done.err
    assert "|name:holmes-mine|" in done.out
    assert "n:7|" in done.out
    assert "would run" not in cli("explain", "holmes-mine", "--out", copied.out).out
    assert str(tmp_path) not in (copied.out / "runs" / "holmes-mine" / "run.json").read_text()


@pytest.mark.parametrize(
    "call",
    [
        "run holmes-style --seed=-1",
        "run holmes-style --workers 1025",
        "contamination write x y --permutations 0",
    ],
)
def test_a_number_out_of_range_is_refused(call, cli):
    """The message has the value and the bounds."""
    outcome = cli(*call.split())
    assert outcome.status == 2
    assert re.search(r"-?\d+ is out of range. Give a number (from|1 or more)", outcome.err)


def test_version(cli):
    """The version goes to standard output."""
    assert cli("--version").out == f"cloze-gen {__version__}\n"


@pytest.mark.slow
def test_as_a_program(finished, program, tmp_path):
    """Exit statuses, standard output and stderr as the shell sees them, from any folder."""
    good = program("runs", "--out", finished.out, cwd=tmp_path)
    assert (good.status, good.err) == (0, "")
    bad = program("run", "holmes-sample", "--set", "forward.kep=1", cwd=tmp_path)
    assert (bad.status, bad.out) == (2, "")
    assert bad.err.startswith("cloze-gen: holmes-sample: forward.kep: no such setting;")
    assert program("fly", cwd=tmp_path).status == 2
    failed = program(
        "run", *finished.corpus.options, cwd=tmp_path, env={"CLOZE_GEN_LMPLZ": "/nowhere"}
    )
    assert failed.status == 1
    assert "Traceback" not in bad.err + failed.err


@pytest.mark.slow
def test_luigis_own_command_line(finished, tmp_path, digests):
    """`luigi --module cloze_gen.pipelines.run RunTask --style holmes-style`: equal bytes."""
    overrides = json.dumps(
        [
            value
            for option, value in zip(
                finished.corpus.options, finished.corpus.options[1:], strict=False
            )
            if option == "--set"
        ]
    )
    command = [sys.executable, "-m", "luigi", "--module", "cloze_gen.pipelines.run", "RunTask", "--local-scheduler",
               "--style", "holmes-style",
               "--config", "holmes-sample", "--train", finished.corpus.train, "--source", finished.corpus.source, "--overrides", overrides,
               "--name", "tiny", "--out", tmp_path / "out", "--processes", "1"]  # fmt: skip
    done = subprocess.run(
        [str(part) for part in command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert "This progress looks :)" in done.stderr
    links = ("/corpus-train", "/corpus-source")
    assert {
        name: digest
        for name, digest in digests(tmp_path / "out").items()
        if not name.endswith(links)
    } == {
        name: digest for name, digest in digests(finished.out).items() if not name.endswith(links)
    }


@pytest.mark.slow
def test_the_embedded_sample(cli, tmp_path):
    """Without any corpus the sample serves; it gives all questions that its settings want."""
    done = cli(
        "run", "holmes-style", "--name", "first", "--out", tmp_path / "out", "--workers", "1"
    )
    assert done.status == 0, done.err
    folder = tmp_path / "out" / "runs" / "first"
    questions = list(read_jsonl(folder / "release" / "questions.jsonl"))
    assert len(questions) == read_run(folder)["settings"]["choice"]["n_questions"] > 40

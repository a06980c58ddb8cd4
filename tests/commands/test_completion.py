"""A shell asks by environment variables, and the scripts that make it ask work in the shells themselves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cloze_gen.commands.completion import script_of, shell_names
from cloze_gen.errors import UsageError

QUICK = 8.0  # times what Python needs to load the command line's own library; machines differ by more than a factor of two
PROGRAM = "import sys; sys.argv[0] = 'cloze-gen'; from cloze_gen.__main__ import main; main()"
# Loading any of these takes longer than whoever pressed the key waits. (Typer loads pydantic itself.)
HEAVY = ("numpy", "pandas", "pyarrow", "scipy", "spacy", "luigi", "jinja2", "matplotlib", "sklearn")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a run, and a `cloze-gen` in `bin`."""
    run = tmp_path / "out" / "runs" / "mine"
    run.mkdir(parents=True)
    (run / "run.json").write_text(
        json.dumps({"stages": [{"label": "corpus train"}, {"label": "forward"}], "settings": {"forward": {"keep": 30}}})
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cloze-gen").write_text(f"#!{sys.executable}\n{PROGRAM}\n")
    (tmp_path / "bin" / "cloze-gen").chmod(0o755)
    return tmp_path


def asked(place: Path, variables: dict[str, str], *, program: str = PROGRAM) -> tuple[int, list[str], str]:
    """(status, lines, stderr) of a call by the protocol."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=place, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


def words(shell: str, typed: str) -> dict[str, str]:
    """The variables by which a shell says what was typed; the last word is the unfinished one."""
    if shell == "bash":
        return {"_CLOZE_GEN_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split(" ")) - 1)}
    action = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell == "fish" else {}
    return {"_CLOZE_GEN_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": typed} | action


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("cloze-gen comp", ["compare", "completion"]),
        ("cloze-gen judge ex", ["export"]),
        ("cloze-gen run --dry", ["--dry-run"]),
        ("cloze-gen run scde-", ["scde-sample", "scde-style"]),
        ("cloze-gen show --out out ", ["mine"]),
        ("cloze-gen show --out out mine for", ["forward"]),
        ("cloze-gen trace x:1:2 --out out --run m", ["mine"]),
        ("cloze-gen explain mine --out out --set f", ["forward.keep="]),
        ("cloze-gen run holmes-sample --set forward.", ["forward.keep="]),
        ("cloze-gen new mine --style lambada-sa", ["lambada-sample"]),
        ("cloze-gen completion z", ["zsh"]),
    ],
)
def test_what_is_offered(shell: str, typed: str, offered: list[str], place: Path) -> None:
    """Commands, options, styles, runs of --out, stages, settings: each shell gets the words, and nothing is said besides."""
    status, lines, said = asked(place, words(shell, typed))
    assert (status, said) == (0, "")
    if shell == "zsh":  # _arguments '*: :(("word":"what it is" ...))'
        lines = [line.removeprefix("_arguments '*: :((").removesuffix("))'").strip('"').split('"')[0] for line in lines]
    assert [line.split("\t")[0] for line in lines] == offered


@pytest.mark.slow
def test_nothing_heavy_is_imported(place: Path) -> None:
    """For the costliest question, settings of a style, which are read from the sources."""
    told = "import atexit, sys; atexit.register(lambda: sys.stderr.write(' '.join(sys.modules)))\n"
    status, lines, modules = asked(place, words("bash", "cloze-gen run lambada-style --set gu"), program=told + PROGRAM)
    assert status == 0
    assert lines
    assert "cloze_gen.commands.completing" in modules.split()
    assert set(HEAVY) & {name.split(".")[0] for name in modules.split()} == set()


@pytest.mark.slow
def test_it_answers_before_one_waits(place: Path) -> None:
    """Processor time of the quickest of five calls, so that a busy machine does not count."""

    def quickest(call: Callable[[], object]) -> float:
        took = []
        for _ in range(5):
            before = os.times()
            call()
            after = os.times()
            took.append(after.children_user + after.children_system - before.children_user - before.children_system)
        return min(took)

    least = quickest(lambda: subprocess.run([sys.executable, "-c", "import typer"], check=True))
    assert quickest(lambda: asked(place, words("bash", "cloze-gen run lambada-style --set gu"))) < QUICK * least


def test_without_the_variable_nothing_is_answered(place: Path) -> None:
    """The program is what it was: a command is asked for."""
    status, lines, _ = asked(place, {})
    assert status != 0 or any("Usage" in line for line in lines)


BASH_TRY = """
source <(cloze-gen completion bash)
complete -p cloze-gen
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cloze_gen_completion cloze-gen; echo "${COMPREPLY[*]}"; }
try cloze-gen run scde-
try cloze-gen show --out out ''
try cloze-gen explain mine --out out --set f
try cloze-gen explain none --out out --set f
"""
FISH_TRY = """
cloze-gen completion fish | source
complete -C "cloze-gen run scde-"
complete -C "cloze-gen show --out out m"
complete -C "cloze-gen explain mine --out out --set f"
"""
# `compadd` and `compdef` are there only while somebody types: what they would be told is printed.
ZSH_TRY = """
compdef() { print "compdef $@" }
eval "$(cloze-gen completion zsh)"
compadd() { print -r -- "${values[@]} $@" }
_files() { print files }
try() { words=("$@"); CURRENT=$#; _cloze_gen_completion }
try cloze-gen run scde-
try cloze-gen show --out out ''
try cloze-gen explain mine --out out --set f
try cloze-gen explain none --out out --set f
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "typed", "lines"),
    [
        ("bash", BASH_TRY, [
            "complete -o default -F _cloze_gen_completion cloze-gen", "scde-sample scde-style", "mine", "forward.keep=", "",
        ]),
        ("fish", FISH_TRY, ["scde-sample", "scde-style", "mine", "forward.keep="]),
        ("zsh", ZSH_TRY, [
            "compdef _cloze_gen_completion cloze-gen", "scde-sample scde-style -l -d shown -a values", "mine -l -d shown -a values",
            "forward.keep= -S  -l -d shown -a values", "files",
        ]),
    ],
)  # fmt: skip
def test_the_script_in_its_shell(shell: str, typed: str, lines: list[str], place: Path) -> None:
    """It is taken without a word; candidates come out; where there is none, the shell goes on to files and nothing is printed."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    quiet = {"bash": "--norc", "zsh": "-f", "fish": "--no-config"}[shell]
    environment = os.environ | {"PATH": f"{place / 'bin'}:{os.environ['PATH']}", "HOME": str(place)}
    done = subprocess.run([shell, quiet, "-c", typed], cwd=place, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert [line.rstrip("\t") for line in done.stdout.splitlines()] == lines


def test_there_is_a_script_for_each_shell_that_is_named() -> None:
    """Each names the variable that is answered; another shell is told which there are."""
    assert shell_names("") == ["bash", "zsh", "fish"]
    assert all("_CLOZE_GEN_COMPLETE=complete_" in script_of(shell) for shell in shell_names(""))
    with pytest.raises(UsageError, match="bash, zsh, fish"):
        script_of("csh")

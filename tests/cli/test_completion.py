"""Shells are answered by environment variables, and the scripts that make them ask work in the shells."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from cloze_gen.cli.app import app
from cloze_gen.cli.arguments import (
    config_names,
    run_names,
    script_of,
    setting_keys,
    settings_of,
    shell_names,
    stage_names,
)
from cloze_gen.errors import UsageError
from cloze_gen.pipelines.style_task import find_style, style_names
from tests.conftest import FinishedRun

# times what Python needs to load the command line's own library; machines differ by more than a
# factor of two
QUICK = 8.0
PROGRAM = "import sys; sys.argv[0] = 'cloze-gen'; from cloze_gen.__main__ import main; main()"
# Loading any of these takes longer than whoever pressed the key waits. (Typer loads pydantic
# itself.)
HEAVY = ("numpy", "pandas", "pyarrow", "scipy", "spacy", "luigi", "jinja2", "matplotlib", "sklearn")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a run, and a `cloze-gen` in `bin`."""
    run = tmp_path / "out" / "runs" / "mine"
    run.mkdir(parents=True)
    (run / "run.json").write_text(
        json.dumps(
            {
                "stages": [{"label": "corpus train"}, {"label": "forward"}],
                "settings": {"forward": {"keep": 30}},
            }
        )
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "cloze-gen").write_text(f"#!{sys.executable}\n{PROGRAM}\n")
    (tmp_path / "bin" / "cloze-gen").chmod(0o755)
    return tmp_path


def asked(
    place: Path, variables: dict[str, str], *, program: str = PROGRAM
) -> tuple[int, list[str], str]:
    """(status, lines, stderr) of a call by the protocol."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=place,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


def words(shell: str, typed: str) -> dict[str, str]:
    """The variables by which a shell says what was typed; the last word is the unfinished one."""
    if shell == "bash":
        return {
            "_CLOZE_GEN_COMPLETE": "complete_bash",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(len(typed.split(" ")) - 1),
        }
    action = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell == "fish" else {}
    return {"_CLOZE_GEN_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": typed} | action


@pytest.mark.thorough
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
    status, lines, said = asked(place, words(shell, typed))
    assert (status, said) == (0, "")
    if shell == "zsh":  # _arguments '*: :(("word":"what it is" ...))'
        lines = [
            line.removeprefix("_arguments '*: :((").removesuffix("))'").strip('"').split('"')[0]
            for line in lines
        ]
    assert [line.split("\t")[0] for line in lines] == offered


@pytest.mark.thorough
def test_nothing_heavy_is_imported(place: Path) -> None:
    """For the costliest question, settings of a style, which are read from the sources."""
    told = "import atexit, sys; atexit.register(lambda: sys.stderr.write(' '.join(sys.modules)))\n"
    status, lines, modules = asked(
        place, words("bash", "cloze-gen run lambada-style --set gu"), program=told + PROGRAM
    )
    assert status == 0
    assert lines
    assert "cloze_gen.cli.arguments" in modules.split()
    assert set(HEAVY) & {name.split(".")[0] for name in modules.split()} == set()


@pytest.mark.parametrize("words", [("--help",), ("run", "--help"), ("judge", "--help")])
def test_help_imports_nothing_heavy(words: tuple[str, ...], place: Path) -> None:
    """Neither the libraries of stages nor Rich, which takes half of the time of `--help`."""
    call = f"import sys; sys.argv[1:] = {words!r}\n"
    told = "import atexit; atexit.register(lambda: sys.stderr.write(' '.join(sys.modules)))\n"
    status, lines, modules = asked(place, {}, program=call + told + PROGRAM)
    assert status == 0
    assert lines[0].startswith("Usage: cloze-gen")
    assert "cloze_gen.cli.arguments" in modules.split()
    heavy = {*HEAVY, "rich", "tqdm"}
    if words == ("--help",):  # Typer loads it with the first option that has a value
        heavy.add("pydantic")
    assert heavy & {name.split(".")[0] for name in modules.split()} == set()


def test_a_plan_imports_no_library_of_plots_or_pages() -> None:
    """A run with nothing to do writes no report and trains nothing."""
    told = "import sys, cloze_gen.cli.run, cloze_gen.pipelines.style_task as s\n"
    told += "[s.find_style(name) for name in s.style_names()]; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    unused = {"matplotlib", "jinja2", "sklearn", "spacy", "pandas", "scipy.optimize", "scipy.stats"}
    assert set(done.stdout.split()) & unused == set()


@pytest.mark.parametrize("command", ["run", "explain", "trace"])
def test_a_finished_run_is_read_without_slow_libraries(command: str, finished: FinishedRun) -> None:
    """Nor evaluation, reports, exports, or Luigi's libraries for a scheduler on a server."""
    first = json.loads((finished.release / "questions.jsonl").read_text().splitlines()[0])
    named = ["--run", finished.name, "--out", str(finished.out)]
    words = {
        "run": finished.call(),
        "explain": ["explain", str(finished.folder)],
        "trace": ["trace", first["id"], *named],
    }[command]
    call = f"import sys; sys.argv[1:] = {list(map(str, words))!r}\n"
    told = (
        "import atexit; atexit.register(lambda: sys.stderr.write('\\n' + ' '.join(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", call + told + PROGRAM], capture_output=True, text=True, check=True
    )
    messages, _, modules = done.stderr.rpartition("\n")
    assert command != "run" or "nothing to do" in messages
    slow = {
        "pandas",
        "requests",
        "tornado",
        "scipy.sparse",
        "scipy.special",
        "matplotlib",
        "jinja2",
    }
    slow |= {"sklearn", "spacy", "cloze_gen.release.report", "cloze_gen.release.publish"}
    found = set(modules.split())
    assert "luigi" in found
    assert found & slow == set()
    assert not [name for name in found if name.startswith("cloze_gen.evaluate.")]


@pytest.mark.thorough
def test_it_answers_before_one_waits(place: Path) -> None:
    """Processor time of the quickest of five calls, so that a busy machine does not count."""

    def quickest(call: Callable[[], object]) -> float:
        took = []
        for _ in range(5):
            before = os.times()
            call()
            after = os.times()
            took.append(
                after.children_user
                + after.children_system
                - before.children_user
                - before.children_system
            )
        return min(took)

    least = quickest(lambda: subprocess.run([sys.executable, "-c", "import typer"], check=True))
    assert (
        quickest(lambda: asked(place, words("bash", "cloze-gen run lambada-style --set gu")))
        < QUICK * least
    )


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


@pytest.mark.thorough
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
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    quiet = {"bash": "--norc", "zsh": "-f", "fish": "--no-config"}[shell]
    environment = os.environ | {"PATH": f"{place / 'bin'}:{os.environ['PATH']}", "HOME": str(place)}
    done = subprocess.run(
        [shell, quiet, "-c", typed],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert [line.rstrip("\t") for line in done.stdout.splitlines()] == lines


def test_there_is_a_script_for_each_shell_that_is_named() -> None:
    """Each names the variable that is answered; another shell is told which there are."""
    assert shell_names("") == ["bash", "zsh", "fish"]
    assert all("_CLOZE_GEN_COMPLETE=complete_" in script_of(shell) for shell in shell_names(""))
    with pytest.raises(UsageError, match="bash, zsh, fish"):
        script_of("csh")


# ---- completing


def typed(**params: object) -> typer.Context:
    """A command line of which this much was typed."""
    context = typer.Context(typer.main.get_command(app))
    context.params = params
    return context


@pytest.mark.parametrize("style", style_names())
def test_the_settings_read_from_the_sources_are_the_models(style: str) -> None:
    """Every `group.key`, inherited ones too, in the order in which they are printed."""
    groups = find_style(style).settings.model_fields.items()
    assert settings_of(style) == [
        f"{group}.{key}" for group, model in groups for key in model.annotation.model_fields
    ]
    assert settings_of("no-style") == []


def test_configs_and_styles() -> None:
    """All that are built in, a style's own among them."""
    assert set(style_names()) < set(config_names(""))
    assert config_names("lambada-") == ["lambada-sample", "lambada-style"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scs-sample", ""),
        ("mine.toml", 'style = "scs-style"\n'),
        ("my.scs.toml", "[focus]\n"),
        ("holmes.toml", 'style = "scs-style"'),
    ],
)
def test_settings_of_a_config(name: str, text: str, tmp_path: Path) -> None:
    """Of the style that the config says, else of the word in its name."""
    config = name
    if text:
        (tmp_path / name).write_text(text)
        config = str(tmp_path / name)
    assert setting_keys(typed(config=config), "impostors.") == [
        f"{key}=" for key in sorted(settings_of("scs-style")) if key.startswith("impostors.")
    ]
    assert setting_keys(typed(config=config), "impostors.") != []


def test_runs_stages_and_settings_of_an_output_folder(tmp_path: Path) -> None:
    """Runs by name, a run's stages in their order, its own settings."""
    for name in ("one", "other"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        stages = [{"label": "ingest train"}, {"label": "counts"}, {"label": "focus"}]
        (tmp_path / "runs" / name / "run.json").write_text(
            json.dumps({"stages": stages, "settings": {"focus": {"max_freq": 1, "min_count": 2}}})
        )
    assert run_names(typed(out=tmp_path), "") == ["one", "other"]
    assert run_names(typed(out=tmp_path), "ot") == ["other"]
    assert run_names(typed(out=tmp_path / "nowhere"), "") == []
    assert stage_names(typed(out=tmp_path, run="one"), "") == ["ingest-train", "counts", "focus"]
    assert setting_keys(typed(out=tmp_path, run="one"), "focus.m") == [
        "focus.max_freq=",
        "focus.min_count=",
    ]
    assert setting_keys(typed(out=tmp_path, run="one"), "focus.max_freq=0") == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        '{"stages": 1, "settings": 2}',
        '{"stages": [1, {}], "settings": {"a": 1}}',
        "\x00" * 10,
        "[" * 9000,
    ],
)
def test_a_damaged_run_offers_nothing_and_says_nothing(text: str, tmp_path: Path) -> None:
    """Whatever stands in its run.json."""
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "run.json").write_text(text)
    assert stage_names(typed(out=tmp_path, run="one"), "") == []
    assert setting_keys(typed(out=tmp_path, run="one"), "") == []
    assert stage_names(typed(out=tmp_path, run="x" * 5000), "") == []


def test_nothing_that_a_shell_would_obey_is_offered(tmp_path: Path) -> None:
    """Names of folders, labels and settings that hold a space, a bracket, a dollar or a line end."""
    for name in ("$(touch x)", "a;b", "a b", "`x`", "line\nend", "good"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "run.json").write_text(
            json.dumps({"stages": [{"label": name}], "settings": {"a": {name: 1}}})
        )
    assert run_names(typed(out=tmp_path), "") == ["good"]
    assert stage_names(typed(out=tmp_path, run="$(touch x)"), "") == []
    assert stage_names(typed(out=tmp_path, run="a b"), "") == ["a-b"]
    assert setting_keys(typed(out=tmp_path, run="a;b"), "") == []

"""Tab completion: configs, runs and settings."""

import os
import subprocess
import sys

import pytest
import typer

from cloze_gen.cli.app import app
from cloze_gen.cli.arguments import config_names, run_names, setting_keys
from cloze_gen.pipelines.styles import find_style, style_names

PROGRAM = "import sys; sys.argv[0] = 'cloze-gen'; from cloze_gen.__main__ import main; main()"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cloze-gen judge ex", ["export"]),
        ("cloze-gen run scde-", ["scde-sample", "scde-style"]),
        ("cloze-gen run holmes-sample --set forward.", ["forward.keep="]),
    ],
)
def test_the_program_answers_a_shell(line, expected):
    """By Typer's protocol, with the last word unfinished; nothing else is printed."""
    position = str(len(line.split(" ")) - 1)
    asked = {"_CLOZE_GEN_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": position}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == expected


def typed(**params):
    """A command line of which this much was typed."""
    context = typer.Context(typer.main.get_command(app))
    context.params = params
    return context


def test_configs_and_styles():
    assert set(style_names()) < set(config_names(""))
    assert config_names("lambada-") == ["lambada-sample", "lambada-style"]


@pytest.mark.parametrize("style", style_names())
def test_settings_of_a_style(style):
    """All, inherited ones too, until a value is typed."""
    expected = {
        f"{group}.{name}="
        for group, values in find_style(style).settings()
        for name in type(values).model_fields
    }
    assert set(setting_keys(typed(config=style), "")) == expected
    assert setting_keys(typed(config=style), "input.text_column=a") == []


def test_settings_of_a_file_of_a_run_and_of_neither(tmp_path, finished):
    (tmp_path / "mine.toml").write_text('style = "scs-style"')
    scs = setting_keys(typed(config="scs-style"), "")
    assert setting_keys(typed(config=str(tmp_path / "mine.toml")), "") == scs
    holmes = setting_keys(typed(config="holmes-style"), "")
    assert setting_keys(typed(run=finished.name, out=finished.out), "") == holmes
    assert setting_keys(typed(run="other", out=finished.out), "") == []
    assert setting_keys(typed(config="unknown"), "") == []


def test_no_name_that_a_shell_could_run_is_suggested(tmp_path):
    for name in ("$(touch x)", "a;b", "a b", "`x`", "line\nend", "good", "other"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "run.json").touch()
    assert run_names(typed(out=tmp_path), "") == ["good", "other"]
    assert run_names(typed(out=tmp_path), "ot") == ["other"]
    assert run_names(typed(out=tmp_path / "nowhere"), "") == []

"""The help of every command, with an example that can be typed."""

import re
import shlex

import pytest
import typer

from cloze_gen.cli.app import app


def walk(command, path=""):
    """Every command and group of the command line with what is typed to reach it."""
    yield path, command
    for name, one in getattr(command, "commands", {}).items():
        yield from walk(one, f"{path} {name}".strip())


REACHED = dict(walk(typer.main.get_command(app)))
COMMANDS = {path: command for path, command in REACHED.items() if not hasattr(command, "commands")}


@pytest.mark.parametrize("path", [path for path in REACHED if path not in COMMANDS])
def test_the_help_of_a_group_names_every_command(cli, path):
    printed = cli(*path.split(), "--help").out
    commands = REACHED[path].commands
    assert [name for name, one in commands.items() if name not in printed or not one.help] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_can_be_typed(command):
    """There is one, with valid options and all required arguments, up to a shell's `>`."""
    (example,) = re.findall(r"^ *Example: cloze-gen (.*)$", COMMANDS[command].help, re.MULTILINE)
    typed = shlex.split(example.split(">")[0])
    assert typed[: len(command.split())] == command.split()
    with COMMANDS[command].make_context(command, typed[len(command.split()) :]) as context:
        assert context.args == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_describes_every_option(cli, command):
    assert f"Example: cloze-gen {command}" in cli(*command.split(), "--help").out
    assert [one.name for one in COMMANDS[command].params if not one.help] == []

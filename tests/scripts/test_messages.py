"""The list of messages: what counts as one, in which form it is printed, and which rules it may break."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "messages.py"

PYTHON = '''"""A docstring of a module is no message."""

import re

def look(path):
    """Look at a file.

    Example: program look a.txt
    """
    pattern = re.compile("no message here")
    if not path:
        raise UsageError(f"{path}: no such file. " + ("Give two." if path else "Give another one."))
    room.say(f"{len(path):,} files are read")

app.command()(look)
app.add(help="tokens", kept=Field(3, description="files kept"))

def other():
    """No command, so no message."""

class LookReason(StrEnum):
    LEGEND = "file is empty"
'''
TEMPLATE = """<p title="the first page">{# no message #}Hello {{ name }},
{% if name == "no body here" %}you are late{% endif %}</p>"""
SCRIPT_OF_PAGE = """// no message here
tell(`${n} more to pick`); const key = "a-key"; go("read it", 'now or later');
"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("messages_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def found(script: ModuleType, tmp_path: Path, name: str, text: str) -> list[tuple[int, str, str]]:
    (tmp_path / name).write_text(text)
    return [(one.line, one.kind, " ".join(one.text.split())) for one in script.messages([tmp_path])]


def test_messages_of_python_files_have_a_kind(script: ModuleType, tmp_path: Path) -> None:
    assert found(script, tmp_path, "look.py", PYTHON) == [
        (5, "help", "Look at a file. Example: program look a.txt"),
        (12, "error", "{path}: no such file. {'Give two.' if path else 'Give another one.'}"),
        (12, "error", "Give two."),
        (12, "error", "Give another one."),
        (13, "progress", "{len(path)} files are read"),
        (16, "help", "tokens"),
        (16, "setting", "files kept"),
        (22, "reason", "file is empty"),
    ]


def test_messages_of_pages(script: ModuleType, tmp_path: Path) -> None:
    assert found(script, tmp_path, "page.html", TEMPLATE) == [
        (1, "page", "the first page"),
        (1, "page", "Hello {{ name }},"),
        (2, "page", "no body here"),
        (2, "page", "you are late"),
    ]
    (tmp_path / "page.html").unlink()
    texts = [text for *_, text in found(script, tmp_path, "page.js", SCRIPT_OF_PAGE)]
    assert texts == ["${n} more to pick", "read it", "now or later"]


def test_rules(script: ModuleType) -> None:
    assert script.faults("Nobody is asked; {said} prints.") == ["idiom: asked", "idiom: nobody"]
    assert script.faults(f"{'word ' * 31}. Short.") == ["a sentence of 31 words"]
    assert script.faults(f"{'word ' * 30}. {'word ' * 30}.") == []


def test_check_fails_with_the_messages_that_break_a_rule(
    script: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "a.py").write_text('say("it is told so")\nsay("it is written so")\n')
    monkeypatch.setattr(sys, "argv", ["messages.py", "--check", str(tmp_path)])
    assert script.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path}/a.py:1\tprogress\tit is told so\tidiom: told"
    ]

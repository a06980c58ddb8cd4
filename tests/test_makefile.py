"""What `make` does with a user's values and with the Pythons it finds; the lock and the versions."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

from cloze_gen.adapters import kenlm_build
from cloze_gen.cli import doctor
from tests.conftest import ROOT

SHOW = '#!/bin/sh\nfor word in "$@"; do printf "<%s>\\n" "$word"; done\n'
# A Python of another version; it prints a script or module that it is given, and runs neither.
FAKE_PYTHON = """#!/bin/sh
case "$1" in
-c) exec {real} -c 'import sys; sys.version_info = {info}; exec(sys.argv[1])' "$2" ;;
*) echo "$0: $*" ;;
esac
"""


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def fake_python(path, version):
    return script(path, FAKE_PYTHON.format(real=sys.executable, info=version))


@pytest.fixture
def checkout(tmp_path):
    """The Makefile with a program that only shows what it is called with."""
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    shutil.copy(ROOT / "Makefile", tmp_path)
    script(tmp_path / ".venv" / "bin" / "cloze-gen", SHOW)
    script(tmp_path / "src" / "cloze_gen" / "adapters" / "system_tools.py", "")
    script(tmp_path / "pipelines" / "brand_new_style.py", "")
    return tmp_path


def make(checkout, *words, path=""):
    outer = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "PYTHON"}
    environment = {name: value for name, value in os.environ.items() if name not in outer}
    environment["PATH"] = path + environment["PATH"]
    command = ["make", *words]
    return subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("value", ["my books", 'it\'s "mine"', "a;b & c|d `ls`", "café *", ""])
@pytest.mark.parametrize("variable", ["TRAIN", "SOURCE", "BOOKS", "NAME", "WORKERS", "OUT"])
def test_value_reaches_the_program_as_typed(checkout, variable, value):
    """Also an empty one: `SOURCE=$UNSET` is not the same as no SOURCE. Every style is a target."""
    answer = make(checkout, "--old-file=setup", "brand-new-style", f"{variable}={value}")
    assert (answer.returncode, answer.stderr) == (0, "")
    expected = ["<run>", "<brand-new-style>", f"<--{variable.lower()}={value}>"]
    assert answer.stdout.splitlines() == expected


def test_inherited_value_is_ignored(checkout, monkeypatch):
    monkeypatch.setenv("NAME", "elsewhere")
    answer = make(checkout, "--old-file=setup", "brand-new-style")
    assert answer.stdout.splitlines() == ["<run>", "<brand-new-style>"]


@pytest.mark.parametrize("version", [(3, 11, 0), (3, 14, 2)])
def test_supported_python_makes_the_environment(checkout, version):
    python = fake_python(checkout / "my tools" / "python", version)
    answer = make(checkout, f"PYTHON={python}", ".venv/.stamps/venv")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.splitlines()[-1] == f"{python}: -m venv .venv"


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 15, 0), None])
def test_other_python_is_refused(checkout, version):
    """The message names it, and no other Python is used in its place."""
    python = fake_python(checkout / "old", version) if version else checkout / "none"
    answer = make(checkout, f"PYTHON={python}", ".venv/.stamps/venv")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "needs Python 3.11 to 3.14" in answer.stderr
    assert str(python) in answer.stderr


def test_python_that_does_not_run_is_skipped(checkout):
    """Nor one that is too old."""
    fake_python(checkout / "bin" / "python3", (3, 9, 0))
    script(checkout / "bin" / "python3.14", "#!/bin/sh\nexit 127\n")
    fake_python(checkout / "bin" / "python3.13", (3, 13, 0))
    answer = make(checkout, ".venv/.stamps/venv", path=f"{checkout / 'bin'}{os.pathsep}")
    assert answer.stdout.splitlines()[-1].endswith("python3.13: -m venv .venv")


def test_versions_are_the_same_everywhere():
    """README, Makefile, pyproject.toml and doctor name the same Pythons, and the lock their KenLM."""
    (major, oldest), (_, newest) = doctor.PYTHON_FROM, doctor.PYTHON_TO
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    classified = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert project["requires-python"] == f">={major}.{oldest},<{major}.{newest + 1}"
    assert classified == [f"{major}.{minor}" for minor in range(oldest, newest + 1)]
    for name in ("README.md", "Makefile"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert f"Python {major}.{oldest} to {major}.{newest}" in text
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    kenlm = rf"^kenlm=={kenlm_build.VERSION} .*\n +--hash=sha256:{kenlm_build.SHA256}$"
    assert re.search(kenlm, lock, re.MULTILINE)


def test_the_lock_names_no_index_and_no_host():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert re.findall(r"https?:|file:|--(?:extra-)?index|--find-links|--trusted|@", lock) == []

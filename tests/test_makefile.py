"""What `make` does with a user's words and with the Pythons it finds; nothing is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHOW = '#!/bin/sh\nfor word in "$@"; do printf "<%s>\\n" "$word"; done\n'
# Says that it is another version; a script or a module that it is given is only named.
FAKE_PYTHON = """#!/bin/sh
case "$1" in
--version) echo "Python {version}" ;;
-c) exec {real} -c 'import sys; sys.version_info = {info}; exec(sys.argv[1])' "$2" ;;
*) echo "$0: $*" ;;
esac
"""


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def fake_python(path: Path, version: str) -> Path:
    return script(
        path,
        FAKE_PYTHON.format(
            version=version, real=sys.executable, info=tuple(map(int, version.split(".")))
        ),
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The Makefile with an environment that only shows what it is called with."""
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "scripts" / "with_args.py", tmp_path / "scripts")
    script(tmp_path / ".venv" / "bin" / "cloze-gen", SHOW)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    script(tmp_path / "src" / "cloze_gen" / "adapters" / "system_tools.py", "")
    for style in ("holmes_style", "lambada_style", "brand_new_style"):
        script(tmp_path / "pipelines" / f"{style}.py", "")
    return tmp_path


def make(checkout: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    outer = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "PYTHON", "ARGS"}
    environment = {name: value for name, value in os.environ.items() if name not in outer} | (
        {"PATH": path} if path else {}
    )
    return subprocess.run(
        ["make", *words],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ("--seed 2", ["--seed", "2"]),
        ("", []),
        ("--set 'a=two  words'", ["--set", "a=two  words"]),
        ("--set a=$b$$c${d}$(e)", ["--set", "a=$b$$c${d}$(e)"]),
        ("\"it's\" '\"'", ["it's", '"']),
        (
            "a\\ b *.toml ~ ; false # end `x`",
            ["a b", "*.toml", "~", ";", "false", "#", "end", "`x`"],
        ),
    ],
)
def test_args_reach_the_program_as_typed(checkout: Path, args: str, words: list[str]) -> None:
    """Quotes group words; a `$`, a star or a semicolon is itself."""
    answer = make(checkout, "--old-file=setup", "holmes-style", f"ARGS={args}")
    assert (answer.returncode, answer.stderr) == (0, "")
    own = ["run", "holmes-style", "--name=holmes-style", "--workers=2", "--out=artifacts"]
    assert answer.stdout.splitlines() == [f"<{word}>" for word in [*own, *words]]


def test_every_style_is_a_target(checkout: Path) -> None:
    """A module in `pipelines/` whose name ends in `_style` is all that `make NAME-style` asks for."""
    answer = make(checkout, "--old-file=setup", "brand-new-style", "BOOKS=my books")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.startswith(
        "<run>\n<brand-new-style>\n<--books=my books>\n<--name=brand-new-style>\n"
    )


@pytest.mark.parametrize(
    "folder",
    ["my books", 'it\'s "mine"', "$HOME/${x} $(ls) `ls`", "a;b & c|d", "-n", "caf\u00e9 *"],
)
def test_a_folder_of_books_reaches_the_program_as_typed(checkout: Path, folder: str) -> None:
    """Spaces, quotes, dollars and stars in BOOKS, as in TRAIN and SOURCE, are themselves."""
    for variable in ("BOOKS", "TRAIN", "SOURCE"):
        answer = make(
            checkout,
            "--old-file=setup",
            "lambada-style",
            f"{variable}={folder}",
            "NAME=mine",
            "WORKERS=1",
            "OUT=o p",
        )
        assert (answer.returncode, answer.stderr) == (0, "")
        own = [
            "run",
            "lambada-style",
            f"--{variable.lower()}={folder}",
            "--name=mine",
            "--workers=1",
            "--out=o p",
        ]
        assert answer.stdout.splitlines() == [f"<{word}>" for word in own]


def test_an_inherited_books_means_nothing(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what stands on the command line is a folder of books."""
    for variable in ("BOOKS", "NAME", "OUT"):
        monkeypatch.setenv(variable, "elsewhere")
    answer = make(checkout, "--old-file=setup", "lambada-style")
    assert answer.stdout.splitlines() == [
        "<run>",
        "<lambada-style>",
        "<--name=lambada-style>",
        "<--workers=2>",
        "<--out=artifacts>",
    ]


@pytest.mark.parametrize("variable", ["TRAIN", "SOURCE", "BOOKS", "NAME", "WORKERS", "OUT"])
def test_an_empty_value_reaches_the_program(checkout: Path, variable: str) -> None:
    """`SOURCE=$UNSET` is not the same as no SOURCE."""
    answer = make(checkout, "--old-file=setup", "holmes-style", f"{variable}=")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert f"<--{variable.lower()}=>" in answer.stdout.splitlines()


def test_an_open_quote_in_args_is_one_message(checkout: Path) -> None:
    """The value is quoted back, and nothing runs."""
    answer = make(checkout, "--old-file=setup", "holmes-style", "ARGS=--set 'a")
    assert answer.returncode != 0
    assert answer.stdout == ""
    assert "ARGS=--set 'a cannot be split" in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize("version", ["3.11.0", "3.15.2"])
def test_a_known_python_is_taken_in_silence(checkout: Path, version: str) -> None:
    """From 3.11 to 3.15 nothing is said; the environment is made by the Python that was named."""
    python = fake_python(checkout / "my tools" / "python", version)
    answer = make(checkout, f"PYTHON={python}", ".venv/.stamps/venv")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.splitlines()[-1] == f"{python}: -m venv .venv"


def test_a_newer_python_is_tried_with_a_word(checkout: Path) -> None:
    """3.16 is unknown to the lock: said once, and tried."""
    python = fake_python(checkout / "python", "3.16.1")
    answer = make(checkout, f"PYTHON={python}", ".venv/.stamps/venv")
    assert answer.returncode == 0
    assert answer.stderr.startswith("Python 3.16.1 is newer than 3.15")
    assert answer.stderr.count("\n") == 1
    assert answer.stdout.splitlines()[-1] == f"{python}: -m venv .venv"


@pytest.mark.parametrize("version", ["3.10.13", "2.7.18", None])
def test_a_named_python_that_will_not_do_is_refused(checkout: Path, version: str | None) -> None:
    """Too old, or not there: the message names it, and no other is taken in its place."""
    python = fake_python(checkout / "old", version) if version else checkout / "none"
    answer = make(checkout, f"PYTHON={python}", ".venv/.stamps/venv")
    assert answer.returncode != 0
    assert answer.stdout == ""
    assert "needs Python 3.11 or newer" in answer.stderr
    assert str(python) in answer.stderr


def test_a_known_python_is_preferred_to_a_newer_one(checkout: Path) -> None:
    fake_python(checkout / "bin" / "python3", "3.16.0")
    for broken in ("python3.15", "python3.14"):
        script(checkout / "bin" / broken, "#!/bin/sh\nexit 127\n")
    fake_python(checkout / "bin" / "python3.13", "3.13.0")
    answer = make(
        checkout, ".venv/.stamps/venv", path=f"{checkout / 'bin'}{os.pathsep}{os.environ['PATH']}"
    )
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.splitlines()[-1].endswith("python3.13: -m venv .venv")

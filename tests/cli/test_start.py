"""The start of the program: no command imports a library that it does not need."""

import json
import subprocess
import sys

import pytest

PROGRAM = "import sys; sys.argv[0] = 'cloze-gen'; from cloze_gen.__main__ import main; main()"
HEAVY = {
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "spacy",
    "luigi",
    "jinja2",
    "sklearn",
    "rich",
    "tqdm",
}


@pytest.mark.parametrize("words", [("--help",), ("run", "--help"), ("judge", "--help")])
def test_help_imports_nothing_heavy(words):
    """Neither the libraries of stages nor Rich, which takes half of the time of `--help`."""
    call = f"import sys; sys.argv[1:] = {words!r}\n"
    told = "import atexit; atexit.register(lambda: sys.stderr.write(' '.join(sys.modules)))\n"
    done = subprocess.run(
        [sys.executable, "-c", call + told + PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Usage: cloze-gen")
    modules = done.stderr.split()
    assert "cloze_gen.cli.arguments" in modules
    assert HEAVY & {name.split(".")[0] for name in modules} == set()


def test_a_plan_imports_no_library_of_plots_or_pages():
    """A run with nothing to do writes no report and trains nothing."""
    told = "import sys, cloze_gen.cli.run, cloze_gen.pipelines.styles as s\n"
    told += "[s.find_style(name) for name in s.style_names()]; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    unused = {"jinja2", "sklearn", "spacy", "pandas", "scipy.optimize", "scipy.stats"}
    assert set(done.stdout.split()) & unused == set()


@pytest.mark.parametrize("command", ["run", "explain", "trace"])
def test_a_finished_run_is_read_without_slow_libraries(command, finished):
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
        "jinja2",
    }
    slow |= {"sklearn", "spacy", "cloze_gen.release.report", "cloze_gen.release.publish"}
    found = set(modules.split())
    assert "luigi" in found
    assert found & slow == set()
    assert not [name for name in found if name.startswith("cloze_gen.evaluate.")]

"""Luigi's own configuration has no effect on a run."""

import os
import subprocess
import sys

import pytest

# A run whose second stage fails.
PROGRAM = """
from pathlib import Path

from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.stage import Pipeline
from cloze_gen.store.artifacts import Store


def good(writer, ctx):
    writer.path("a.txt").write_text("a")


def bad(writer, ctx, earlier):
    raise ValueError("on purpose")


run = Pipeline(store=Store(Path("out")), workers=1)
stages = [run.stage("good", good)]
stages.append(run.stage("bad", bad, earlier=stages[0]))
try:
    run.run(stages)
except ValueError as error:
    print(error, run.is_complete(stages[0]), RunTask(style="holmes-style").seed)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text", "variables"),
    [
        ("luigi.cfg", "[core]\nparallel-scheduling=true\n", {}),
        ("client.cfg", "[core]\nparallel_scheduling=true\n", {}),
        ("other.cfg", "[core]\nparallel-scheduling=true\n", {"LUIGI_CONFIG_PATH": "other.cfg"}),
        ("luigi.cfg", "[worker]\nkeep_alive=true\nforce_multiprocessing=true\n", {}),
        ("luigi.cfg", "[core]\nlogging_conf_file=missing.conf\n", {}),
        ("luigi.cfg", "[RunTask]\nseed=7\n[resources]\na=0\n[scheduler]\nretry_count=none\n", {}),
        ("luigi.cfg", "not a configuration\n", {}),
        ("luigi.toml", "not a configuration\n", {"LUIGI_CONFIG_PARSER": "toml"}),
        ("other.cfg", "", {"LUIGI_CONFIG_PATH": "missing.cfg"}),
    ],
)
def test_a_run_reads_no_configuration_of_luigi(file, text, variables, tmp_path):
    (tmp_path / file).write_text(text)
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", PROGRAM],
        cwd=tmp_path,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "on purpose True 1\n"), done.stderr


def test_luigi_keeps_its_configuration_where_it_is_imported_first(tmp_path):
    """As `luigi --module cloze_gen.pipelines.run RunTask` does."""
    (tmp_path / "luigi.cfg").write_text("[RunTask]\nseed=7\n")
    program = (
        "import luigi\nfrom cloze_gen.pipelines.run import RunTask\n"
        "print(RunTask(style='holmes-style').seed)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "7\n"

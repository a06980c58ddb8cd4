"""The Python API: the notebook and the page about it are run, in one folder of their own."""

import doctest
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

import cloze_gen
from cloze_gen.errors import ConfigError, FormatError, ToolError, UsageError

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """The names that the notebook leaves after its cells ran in an empty folder, and the folder."""
    folder = tmp_path_factory.mktemp("notebook")
    cells = json.loads((DOCS / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    names = {"folder": folder}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        matplotlib.use("Agg")
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
    return names


def test_the_notebook_goes_from_three_books_to_a_plot(notebook):
    """A bar for each baseline, and the line of chance."""
    facts = notebook["release"].facts
    assert {book.side for book in facts.books} == {"source"}
    assert len(facts.books) == 3
    axes = notebook["axes"]
    assert [bar.get_width() for bar in axes.patches] == list(notebook["rows"].accuracy)
    assert len(axes.patches) > 5
    assert axes.lines[-1].get_xdata()[0] == 0.2


def test_the_page_prints_what_it_shows(notebook, monkeypatch):
    """Its settings are those of the notebook's run, so it gets the same questions."""
    monkeypatch.chdir(notebook["folder"])
    blocks = re.findall(
        r"^```pycon\n(.*?)^```$", (DOCS / "how-to" / "python.md").read_text(), re.M | re.S
    )
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, "python.md", None, None)
    assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
    assert len(test.examples) > 5
    assert test.globs["release"].items == notebook["release"].items


def test_a_script_needs_no_guard_and_nothing_of_the_process_changes(
    notebook,
):
    """Workers do not start the script again; handlers and streams stay; stdout stays empty."""
    (notebook["folder"] / "script.py").write_text(
        "import signal, cloze_gen\n"
        "def handlers():\n"
        "    return [signal.getsignal(one) for one in signal.valid_signals()]\n"
        "before = handlers()\n"
        "run = cloze_gen.make('holmes-sample', source='books', out='other', seed=2, workers=2)\n"
        "assert handlers() == before\n"
        "print(run.name)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=notebook["folder"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "holmes-sample\n"), done.stderr
    assert done.stderr.count("no --train") == 1


def test_errors_are_ours(finished, tmp_path, monkeypatch):
    """A wrong argument is an exception of `errors.py`, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    wrong = [
        (ConfigError, "no such setting", {"settings": {"focus.min_cuont": 3}}),
        (UsageError, "'focus.min_count' is '<object", {"settings": {"focus.min_count": object()}}),
        (UsageError, "one worker or more", {"workers": 0}),
        (UsageError, "run name 'a/b'", {"name": "a/b"}),
    ]
    for kind, text, given in wrong:
        with pytest.raises(kind, match=text):
            cloze_gen.make("holmes-sample", **given)
    with pytest.raises(UsageError, match="no such file or folder"):
        cloze_gen.load("nowhere")
    with pytest.raises(UsageError, match="scores: is a dict"):
        cloze_gen.evaluate(finished.folder, scores={"b:1": [0.5]})
    with pytest.raises(UsageError, match="no such item"):
        cloze_gen.trace(finished.folder, "x:1:1")
    assert list(tmp_path.iterdir()) == []


def test_a_changed_release_is_not_loaded(copied):
    """The file is named."""
    file = copied.release / "questions.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("the", "teh", 1), encoding="utf-8")
    with pytest.raises(FormatError, match=r"questions\.jsonl: checksum differs"):
        cloze_gen.load(copied.release)


@pytest.mark.parametrize("style", ["finished", "lambada", "scde", "scs_run"])
def test_every_kind_of_set_is_loaded(style, request):
    """By the folder of its run or of its release: frozen records, and the published columns."""
    run = request.getfixturevalue(style)
    release = cloze_gen.load(run.folder)
    assert repr(release) == f"Release(folder={release.folder!r})"
    assert release.folder == run.release
    assert cloze_gen.load(run.folder.name, out=run.out).folder == run.release
    frame = cloze_gen.load(str(run.release)).to_pandas()
    assert list(frame.id) == [item.id for item in release.items]
    assert len(frame)
    with pytest.raises((AttributeError, TypeError)):  # of a frozen record with slots
        release.items[0].book_id = "other"
    assert str(cloze_gen.Run(run.folder)) + "\n" == run.outcome.out


def test_datasets_gets_every_split(lambada, monkeypatch):
    """The tables of the Parquet files; without the package an error names it."""
    release = cloze_gen.load(lambada.folder)
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ToolError, match="pip install datasets"):
        release.to_datasets()
    plain = type(sys)("datasets")
    plain.Dataset, plain.DatasetDict = (lambda table: table), dict
    monkeypatch.setitem(sys.modules, "datasets", plain)
    found = release.to_datasets()
    import pyarrow.parquet as pq

    for split, table in found.items():
        assert table.equals(pq.read_table(release.folder / "parquet" / f"{split}.parquet"))
    assert len(found) > 1
    with pytest.raises(UsageError, match="no config 'other'"):
        release.to_datasets("other")


def test_importing_the_package_is_cheap_and_evaluate_stays_a_function():
    """No library is imported; no package takes the place of `evaluate`."""
    code = (
        "import sys, cloze_gen\n"
        "assert not {'numpy', 'luigi', 'typer', 'spacy'} & set(sys.modules)\n"
        "import cloze_gen.evaluation.rows\n"
        "from cloze_gen import evaluate\n"
        "assert evaluate is cloze_gen.evaluate and evaluate.__name__ == 'evaluate'\n"
        "assert all(getattr(cloze_gen, name) for name in cloze_gen.__all__)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert signal.getsignal(signal.SIGUSR1) in {signal.SIG_DFL, None}

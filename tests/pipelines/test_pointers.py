"""Releases without the text of their books, and the full ones back from them, of every style."""

import json
import re
import shutil

import pytest

from cloze_gen.pipelines.styles import style_names, style_of_run
from cloze_gen.release.documents import CARD, REPORT
from cloze_gen.release.signature import CHECKSUMS, write_checksums
from cloze_gen.store.runs import read_run
from cloze_gen.store.tables import read_jsonl
from tests.conftest import SAMPLE

_IN_A_ROW = 5  # words of a book that no release of pointers may hold


@pytest.fixture(params=style_names())
def pointed(request, finished_run, tmp_path, cli):
    """A run with a release of pointers over the stages of the shared run, and the shared run."""
    shared = finished_run(request.param)
    with_books = (shared.parent / "books").is_dir()
    out = tmp_path / "copy" / shared.name
    shutil.copytree(
        shared.parent if with_books else shared, out.parent if with_books else out, symlinks=True
    )
    run = next(path.parent for path in sorted((out / "runs").glob("*/run.json")))
    told = read_run(run)
    sides = {link.name.removeprefix("corpus-"): link.resolve() for link in run.glob("corpus-*")}
    corpus = (
        []
        if told["sample"]
        else [part for side, folder in sides.items() for part in (f"--{side}", str(folder))]
    )
    overrides = [
        part for one in (*told["overrides"], "release.text=pointers") for part in ("--set", one)
    ]
    plain = shutil.copytree(run, tmp_path / "plain", symlinks=True)
    outcome = cli(
        "run",
        told["config"] or told["style"],
        *corpus,
        *overrides,
        "--name",
        run.name,
        "--out",
        out,
        "--workers",
        "1",
    )
    assert outcome.status == 0, outcome.err
    return run, plain


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def filled_files(folder):
    """Without the report, which `fill` does not write, and the files that list it."""
    return {
        name: data for name, data in files(folder).items() if name not in {REPORT, CARD, CHECKSUMS}
    }


def books_of(run):
    return [
        path
        for link in sorted(run.glob("corpus-*"))
        for path in sorted(link.resolve().rglob("*.txt"))
    ]


def rows_of_words(run):
    """Every five words in a row that the items quote."""
    kind = style_of_run(run).items
    for record in read_jsonl(run / "full" / kind.file):
        for text in (text for _, texts in kind.quoted(record) for text in texts):
            words = re.findall(r"[A-Za-z']+", text)
            yield from (
                " ".join(words[i : i + _IN_A_ROW]) for i in range(len(words) - _IN_A_ROW + 1)
            )


@pytest.mark.slow
def test_the_full_release_comes_back_and_no_text_is_given_away(pointed, tmp_path, cli):
    """The release of pointers holds no five words in a row of what the items quote."""
    run, plain = pointed
    rows = set(rows_of_words(run))
    assert len(rows) > 100
    for name, data in files(run / "release").items():
        words = re.findall(r"[A-Za-z']+", data.decode("utf-8"))
        given = {
            " ".join(words[i : i + _IN_A_ROW]) for i in range(len(words) - _IN_A_ROW + 1)
        } & rows
        assert not given, f"{name}: {sorted(given)[:3]}"
    assert files(run / "full") == files(plain / "release")
    (tmp_path / "mine").mkdir()
    for number, book in enumerate(books_of(run)):
        shutil.copyfile(book, tmp_path / "mine" / f"{number}.txt")
    shutil.move(run / "release", tmp_path / "published")
    outcome = cli(
        "fill", tmp_path / "published", "--books", tmp_path / "mine", "--to", tmp_path / "filled"
    )
    assert outcome.status == 0, outcome.err
    assert filled_files(tmp_path / "filled") == filled_files(run / "full")
    again = cli(
        "fill", tmp_path / "published", "--books", tmp_path / "mine", "--to", tmp_path / "filled"
    )
    assert (again.status, "the folder exists" in again.err) == (2, True)


@pytest.mark.thorough
def test_an_evaluation_reaches_both(copied, tmp_path, cli):
    run = copied.call("--set", "release.text=pointers", name="told")
    assert cli(*run).status == 0
    assert (
        cli("evaluate", "told", "--out", copied.out, "--only", "bias", "--workers", "1").status == 0
    )
    folder = copied.out / "runs" / "told"
    assert json.loads((folder / "full" / "release.json").read_text(encoding="utf-8"))["measured"]
    outcome = cli(
        "fill", folder / "release", "--books", copied.corpus.source, "--to", tmp_path / "filled"
    )
    assert outcome.status == 0, outcome.err
    assert filled_files(tmp_path / "filled") == filled_files(folder / "full")
    before = files(folder / "full")
    assert cli(*run).out.count("release ") == 1
    assert files(folder / "full") == before


@pytest.mark.slow
def test_what_cannot_be_filled_is_told(copied, tmp_path, cli):
    release = copied.out / "runs" / "tiny" / "release"
    full = cli("fill", release, "--books", SAMPLE, "--to", tmp_path / "x")
    assert (full.status, "already contains its text" in full.err) == (2, True)
    run = copied.call("--set", "release.text=pointers", name="told")
    assert cli(*run).status == 0
    told = copied.out / "runs" / "told" / "release"
    none = cli("fill", told, "--books", SAMPLE / "train", "--to", tmp_path / "x")
    assert (none.status, "no file has the same bytes as" in none.err) == (2, True)
    lines = (told / "pointers.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    record = json.loads(lines[0])
    record["source"]["text"] = [0, 5]
    for first, what in (
        (json.dumps(record), "differ"),
        (lines[0].replace('"text": [0', '"text": [99999'), "is not a valid offset"),
    ):
        (told / "pointers.jsonl").write_text(
            "".join([first.rstrip("\n") + "\n", *lines[1:]]), encoding="utf-8"
        )
        write_checksums(told)
        edited = cli("fill", told, "--books", SAMPLE, "--to", tmp_path / "x")
        assert (edited.status, what in edited.err) == (1, True), edited.err
    assert not (tmp_path / "x").exists()


@pytest.mark.thorough
def test_what_only_a_person_knows_is_told(copied, cli):
    """Makers, day and address, with a slash in a name or a backslash in a book's title."""
    source = copied.corpus.source
    (book,) = source.glob("*.txt")
    (source / "manifest.tsv").write_text(
        f"file\ttitle\tlicense\n{book.name}\tA \\\\ B\tCC-BY-4.0\n", encoding="utf-8"
    )
    given = (
        'release.creators=["Doe, Ann", "CNRS/LIMSI"]',
        "release.date=2026-11-22",
        "release.url=https://example.org/set",
    )
    overrides = [part for one in given for part in ("--set", one)]
    outcome = cli(*copied.call(*overrides, name="told"))
    assert outcome.status == 0, outcome.err
    release = copied.out / "runs" / "told" / "release"
    card = (release / "README.md").read_text(encoding="utf-8")
    assert "author = {Doe, Ann and {CNRS/LIMSI}}" in card
    assert "year = {2026}" in card
    assert r"\url{https://example.org/set}" in card
    assert 'license: "cc-by-4.0"' in card
    assert (
        "release.url=https://example.org/set"
        in json.loads((release / "release.json").read_text(encoding="utf-8"))["overrides"]
    )
    outcome = cli("verify", release, "--books", copied.corpus.train.parent, "--deep")
    assert outcome.status == 0, outcome.out + outcome.err


@pytest.mark.thorough
def test_what_a_person_laid_into_full_disturbs_nobody(copied, cli):
    """A run of pointers that becomes a full one has it aside, and is evaluated by its release."""
    run = copied.call(name="told")
    assert cli(*run, "--set", "release.text=pointers").status == 0
    folder = copied.out / "runs" / "told"
    (folder / "full" / "notes").mkdir()
    (folder / "full" / "notes" / "mine.txt").write_text("mine")
    assert cli(*run).status == 0
    assert (folder / "full.aside-1" / "notes" / "mine.txt").read_text() == "mine"
    assert (
        cli("evaluate", "told", "--out", copied.out, "--only", "bias", "--workers", "1").status == 0
    )
    assert cli("verify", folder / "release").status == 0

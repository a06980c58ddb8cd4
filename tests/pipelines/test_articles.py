"""Articles as JSON in place of books: planned without a write, and neither taken for the other."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloze_gen.api.run import make_task
from cloze_gen.corpus.books import kept_books
from cloze_gen.corpus.json_articles import TEXTS
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.task import StageTask, build
from tests.corpus.conftest import novel

ASKED = "passages.source=jsonl"


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    """Four articles, one a line."""
    lines = [json.dumps({"article": novel(number), "id": number}) for number in range(4)]
    (tmp_path / "race").mkdir()
    (tmp_path / "race" / "race.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "race" / "race.jsonl"


def run_task(books: Path, out: Path) -> RunTask:
    return make_task(
        config="scde-style",
        name="x",
        out=out,
        workers=1,
        seed=1,
        overrides=[ASKED],
        books=str(books),
    )


def stage(task: RunTask, label: str) -> StageTask:
    return next(one for one in task.stages() if one.label == label)


def test_a_dry_run_reads_articles_and_writes_nothing(
    articles: Path, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    """Of a file and of a folder; every stage would run."""
    for books in (articles, articles.parent):
        told = cli(
            "run",
            "scde-style",
            "--books",
            books,
            "--set",
            ASKED,
            "--out",
            tmp_path / "out",
            "--dry-run",
        )
        assert told.status == 0, told.err
        assert "ingest books     would run: never ran" in told.out
    assert not (tmp_path / "out").exists()


def test_each_article_is_a_book(articles: Path, tmp_path: Path) -> None:
    """Ingest reads the text files that are made of them, and is not whole without them."""
    ingest = stage(run_task(articles, tmp_path / "out"), "ingest books")
    build(ingest)
    artifact = ingest.store.open(ingest.key)
    (texts,) = (tmp_path / "out" / "store").glob(f"articles-*/{TEXTS}")
    assert [row["file"] for row in kept_books(artifact)] == sorted(
        path.name for path in texts.iterdir()
    )
    assert len(kept_books(artifact)) == 4
    assert ingest.store.is_complete(ingest.key)
    shutil.rmtree(texts.parent)
    assert not ingest.store.is_complete(ingest.key)


def test_the_text_files_are_the_same_books(articles: Path, tmp_path: Path) -> None:
    """A finished run finds the same stages although the articles are gone."""
    first = stage(run_task(articles, tmp_path / "out"), "ingest books")
    build(first)
    texts = first.location("books").root  # type: ignore[attr-defined]
    articles.unlink()
    again = stage(run_task(texts, tmp_path / "out"), "ingest books")
    assert again.key.fingerprint == first.key.fingerprint


@pytest.mark.parametrize(
    ("books", "asked", "said"),
    [
        (
            "race/race.jsonl",
            False,
            "race.jsonl: contains JSON but no book. For articles, use --set passages.source=jsonl",
        ),
        ("race", False, "race: contains JSON but no book"),
        ("novels", True, "a.txt: not JSON"),
        ("novels", True, "For books, use --set passages.source=books"),
        ("gone.jsonl", True, "gone.jsonl: no such file or folder"),
        ("", True, "passages.source = jsonl needs articles. Give --books FILE or FOLDER"),
    ],
)
def test_neither_is_taken_for_the_other(
    books: str, asked: bool, said: str, articles: Path, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    """One message, which names the setting, before anything is written."""
    (tmp_path / "novels").mkdir()
    (tmp_path / "novels" / "a.txt").write_text(novel(1))
    given = ("--books", tmp_path / books) if books else ()
    outcome = cli(
        "run", "scde-style", *given, *(("--set", ASKED) if asked else ()), "--out", tmp_path / "out"
    )
    assert outcome.status == 2
    assert outcome.err.count("cloze-gen: ") == 1
    assert said in outcome.err
    assert not (tmp_path / "out").exists()


def test_the_output_is_kept_apart_from_the_articles(
    articles: Path, cli: Callable[..., Any]
) -> None:
    """A folder of articles would hold the run's own JSON."""
    outcome = cli(
        "run",
        "scde-style",
        "--books",
        articles.parent,
        "--set",
        ASKED,
        "--out",
        articles.parent / "out",
    )
    assert outcome.status == 2
    assert "is inside the folder of books" in outcome.err

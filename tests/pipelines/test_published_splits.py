"""`--keep-splits`: train books become background, test books questions, the others neither."""

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.corpus.books import kept_books
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl
from tests.conftest import QUICK, SAMPLE, SOURCE_BOOK, TRAIN_BOOKS, call_cli

OTHER = "the-lamp-at-skerry-point.txt"
BOOKS = (
    *((101 + at, "train", SAMPLE / "train" / name) for at, name in enumerate(TRAIN_BOOKS)),
    (201, "validation", SAMPLE / "source" / OTHER),
    (301, "test", SAMPLE / "source" / SOURCE_BOOK),
)


def folders(folder):
    for number, split, book in BOOKS:
        (folder / split).mkdir(exist_ok=True)
        shutil.copyfile(book, folder / split / f"{number}.txt")


def table_with_split(folder):
    rows = [
        {"id": str(number), "split": split, "text": book.read_bytes().decode("latin-1")}
        for number, split, book in BOOKS
    ]
    pq.write_table(pa.Table.from_pylist(rows), folder / "books.parquet")


@pytest.mark.slow
@pytest.mark.parametrize("write", [folders, table_with_split])
def test_train_books_never_become_questions(write, tmp_path):
    """Questions and background are each of their split, and the card names both."""
    books, folder = tmp_path / "books", tmp_path / "out" / "runs" / "holmes-sample"
    books.mkdir()
    write(books)
    sides = (
        "--train",
        books,
        "--source",
        books,
        "--keep-splits",
        "--out",
        tmp_path / "out",
        "--workers",
        "1",
    )
    outcome = call_cli("run", "holmes-sample", *sides, *QUICK)
    assert outcome.status == 0, outcome.err
    questions = list(read_jsonl(folder / "release" / "questions.jsonl"))
    assert {question["book_id"] for question in questions} == {"301"}
    background = kept_books(stage_artifact(folder, "corpus train"))
    assert [(book["book_id"], book["role"]) for book in background] == [
        (str(number), "train") for number in (101, 102, 103)
    ]
    card = (folder / "release" / "README.md").read_text(encoding="utf-8")
    assert "splits: kept; questions are from books of `test`" in card

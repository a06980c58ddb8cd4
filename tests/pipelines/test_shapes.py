"""The same books in several shapes give the same questions."""

import html
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.corpus.decoding import decode_book
from cloze_gen.store.tables import read_jsonl
from tests.conftest import SAMPLE
from tests.hostile.containers import epub, page
from tests.support.books import zipped

BOOKS = {
    path.stem: decode_book(path.read_bytes()).text
    for path in sorted((SAMPLE / "source").glob("*.txt"))
}
LEAST_EQUAL = {"html": 0.8, "epub": 0.8}  # italics are lost; the other shapes are equal


def paragraphs(text):
    blocks = html.escape(text.replace("\r\n", "\n"), quote=False).split("\n\n")
    return "\n".join(
        f"<pre>{block}</pre>" if block.startswith("  ") else f"<p>{block}</p>" for block in blocks
    )


def write(folder, shape):
    folder.mkdir()
    if shape == "zip":
        files = {f"{name}.txt": text.encode() for name, text in BOOKS.items()}
        (folder / "books.zip").write_bytes(zipped(files))
        return
    if shape in {"jsonl", "parquet"}:
        rows = [{"id": name, "text": text} for name, text in BOOKS.items()]
        if shape == "parquet":
            pq.write_table(pa.Table.from_pylist(rows), folder / "books.parquet")
        else:
            (folder / "books.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return
    for name, text in BOOKS.items():
        body = paragraphs(text)
        data = {
            "txt": text.encode(),
            "html": page(body).encode(),
            "epub": epub(chapters={"c1.xhtml": page(body)}),
        }[shape]
        (folder / f"{name}.{shape}").write_bytes(data)


def questions(cli, folder, out):
    call = ("run", "holmes-sample", "--train", SAMPLE / "train", "--source", folder)
    outcome = cli(*call, "--out", out, "--name", folder.name, "--workers", "2")
    assert outcome.status == 0, outcome.err
    records = read_jsonl(out / "runs" / folder.name / "release" / "questions.jsonl")
    return {(" ".join(record["tokens"]), record["position"]) for record in records}


@pytest.mark.thorough
def test_the_same_books_give_the_same_questions(tmp_path, cli):
    found = {}
    for shape in ("txt", "zip", "jsonl", "parquet", "html", "epub"):
        write(tmp_path / shape, shape)
        found[shape] = questions(cli, tmp_path / shape, tmp_path / "out")
    assert len(found["txt"]) > 30
    for shape, of_shape in found.items():
        equal = len(of_shape & found["txt"]) / len(found["txt"])
        assert equal >= LEAST_EQUAL.get(shape, 1), f"{shape}: {equal:.0%}"

"""Articles as JSON: every accepted form of file, and faulty files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from cloze_gen.corpus.json_articles import (
    Article,
    article_books,
    holds_articles,
    is_texts_folder,
    read_articles,
    texts_folder,
    write_articles,
)
from cloze_gen.corpus.scan import scan_corpus
from cloze_gen.errors import UsageError
from cloze_gen.store.artifacts import Store
from cloze_gen.store.tables import read_tsv

ONE, TWO = "It rained.\nNobody came.", "We went home. \r\n\n Nobody spoke. "


def texts(*sources: Path) -> list[str]:
    (articles,) = {read_articles(source, notice=print) for source in sources}
    return sorted(article.data.decode() for article in articles)


def put(path: Path, data: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize("column", ["article", "text"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.jsonl", "{0}\n\n{1}\n"),
        ("a.JSON", "[{0}, {1}]"),
        ("a.json", "{0}\n{1}"),
        ("a.json", "\ufeff  [{0},\n {1}]\n"),
    ],
)
def test_every_form_is_read(
    name: str, form: str, packed: bool, column: str, tmp_path: Path
) -> None:
    data = form.format(
        json.dumps({column: ONE, "options": [["a"]]}), json.dumps({"id": 7, column: TWO})
    ).encode()
    source = put(
        tmp_path / (name + ".gz" * packed), gzip.compress(data, mtime=0) if packed else data
    )
    assert texts(source) == ["It rained.\n\nNobody came.\n", "We went home.\n\nNobody spoke.\n"]


def test_bytes_say_whether_articles_are_packed(tmp_path: Path) -> None:
    """A packed file under a name without `.gz` is unpacked."""
    assert texts(
        put(tmp_path / "a.json", gzip.compress(json.dumps({"text": ONE}).encode(), mtime=0))
    ) == ["It rained.\n\nNobody came.\n"]


def test_one_object_may_be_a_file(tmp_path: Path) -> None:
    """Printed over many lines too."""
    source = put(tmp_path / "a.json", json.dumps({"article": ONE, "answers": ["A"]}, indent=1))
    assert texts(source) == ["It rained.\n\nNobody came.\n"]


def test_the_article_counts_before_the_text(tmp_path: Path) -> None:
    """Where a record has both columns."""
    assert texts(put(tmp_path / "a.json", json.dumps({"text": TWO, "article": ONE}))) == [
        "It rained.\n\nNobody came.\n"
    ]


def test_a_folder_is_all_its_files(tmp_path: Path) -> None:
    """Other files are skipped; `.txt` is read only where there are no others, as in RACE."""
    for name in ("train/high/1.txt", "train/middle/2.txt"):
        put(tmp_path / name, json.dumps({"article": ONE if "1" in name else TWO}))
    assert len(texts(tmp_path)) == 2
    put(tmp_path / "dev.jsonl", json.dumps({"article": "A third one."}))
    assert texts(tmp_path) == ["A third one.\n"]


def test_what_stands_twice_is_one_article(tmp_path: Path) -> None:
    """A line a question, as RACE is handed on; it is said, and the first place is kept."""
    lines = [
        json.dumps({"article": text, "question": i}) for i, text in enumerate([ONE, TWO, ONE, ONE])
    ]
    source = put(tmp_path / "a.jsonl", "\n".join(lines))
    said: list[str] = []
    found = read_articles(source, notice=said.append)
    assert {(article.file, article.item) for article in found} == {("a.jsonl", 1), ("a.jsonl", 2)}
    assert said == [f"{source}: 4 articles, 2 of them repeated; each is read once"]


def test_an_article_is_known_by_its_content(tmp_path: Path) -> None:
    """In another file, in another order and beside others it has the same id."""
    few = put(tmp_path / "few" / "a.jsonl", json.dumps({"article": ONE}))
    many = put(tmp_path / "many" / "b.json", json.dumps([{"text": TWO}, {"text": ONE}]))
    (one,), both = (read_articles(source, notice=print) for source in (few, many))
    assert one.book_id in {article.book_id for article in both}
    assert [article.book_id for article in both] == sorted(article.book_id for article in both)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.jsonl", "", "a.jsonl: empty."),
        ("a.json", " \n", "a.json: empty."),
        ("a.json", "[]", "a.json: an empty list."),
        (
            "a.jsonl",
            '{"text": "x"}\n\n{"text": ',
            "a.jsonl, line 3: not JSON (Expecting value at line 1",
        ),
        ("a.json", '[{"text": "x"}, ', "a.json: not JSON (Expecting value at line 1"),
        ("a.json", '{"text": "x"}\n{"text": "y"', "a.json, line 2: not JSON"),
        (
            "a.jsonl",
            '{"text": "x"}\n{"story": "y", "id": 1}',
            "a.jsonl, line 2: lacks `article` and `text`",
        ),
        (
            "a.jsonl",
            "{}",
            "line 1: lacks `article` and `text`, one of which must hold the article; it has "
            "nothing.",
        ),
        ("a.json", '[{"text": "x"}, 7]', "a.json, item 2: 7 is not an object"),
        ("a.json", '["x"]', "a.json, item 1: 'x' is not an object"),
        (
            "a.jsonl",
            '{"article": ["x"]}',
            "a.jsonl, line 1: `article` is ['x'], not text.",
        ),
        ("a.jsonl", '{"article": " \\n"}', "a.jsonl, line 1: `article` is ' \\n', not text"),
        ("a.jsonl", '{"article": null, "text": "x"}', "a.jsonl, line 1: `article` is None"),
        ("a.jsonl", '{"text": "\\ud800"}', "line 1: not JSON (half a character"),
        ("a.jsonl", b'{"text": "\xff"}', "line 1: not JSON (not UTF-8"),
        ("a.jsonl", "[" * 6000, "line 1: not JSON (nested too deep)"),
        ("a.jsonl.gz", b"no gzip", "a.jsonl.gz, line 1: not JSON"),
        (
            "a.jsonl.gz",
            gzip.compress(b'{"text": "x"}' * 99, mtime=0)[:-9],
            "a.jsonl.gz: cannot be read",
        ),
    ],
)
def test_a_wrong_file_is_one_message(
    name: str, data: str | bytes, said: str, tmp_path: Path
) -> None:
    """It names the file and the line or item, and says what is wrong."""
    with pytest.raises(UsageError) as error:
        read_articles(put(tmp_path / name, data), notice=print)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_no_file_is_one_message(tmp_path: Path) -> None:
    """A missing path, a pipe, and a folder with nothing to read."""
    put(tmp_path / "folder" / "race.parquet", "x")
    put(tmp_path / "folder" / ".hidden.jsonl", "{}")
    for path, said in (
        ("gone.jsonl", "no such file or folder"),
        ("folder", "no .json or .jsonl file"),
    ):
        with pytest.raises(UsageError, match=said):
            read_articles(tmp_path / path, notice=print)
    with pytest.raises(UsageError, match=r"\.parquet"):
        read_articles(tmp_path / "folder", notice=print)


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed or not, before it fills the memory."""
    monkeypatch.setattr("cloze_gen.corpus.json_articles.MAX_TEXT_BYTES", 50)
    for name, data in (
        ("a.jsonl", b'{"text": "%b"}' % (b"x" * 60)),
        ("a.jsonl.gz", gzip.compress(b"x" * 100_000, mtime=0)),
    ):
        with pytest.raises(UsageError, match="split it into several files"):
            read_articles(put(tmp_path / name, data), notice=print)


def test_books_of_articles_are_those_that_lie_on_disk(tmp_path: Path) -> None:
    """Ids, files and digests are known before anything is written."""
    source = put(
        tmp_path / "race.jsonl", f"{json.dumps({'text': ONE})}\n{json.dumps({'text': TWO})}"
    )
    articles, store = read_articles(source, notice=print), Store(tmp_path / "out")
    planned = article_books(articles, store)
    assert not store.root.exists()
    write_articles(articles, store, say=print)
    folder = texts_folder(articles, store)
    assert scan_corpus(folder) == planned
    assert [book.digest() for book in planned] == [article.digest for article in articles]
    rows = read_tsv(folder.parent / "sources.tsv")
    assert [(row["article"], row["file"], int(row["item"])) for row in rows] == [
        (a.book_id, a.file, a.item) for a in articles
    ]
    assert is_texts_folder(folder, store)
    assert not is_texts_folder(folder, Store(tmp_path / "other"))
    assert not is_texts_folder(tmp_path, store)


def test_other_articles_lie_elsewhere(tmp_path: Path) -> None:
    """One more makes another folder; a damaged one is made anew, and its books are whole again."""
    store = Store(tmp_path / "out")
    few = (Article("0" * 64, b"x", "a", 1),)
    assert texts_folder(few, store) != texts_folder((*few, Article("1" * 64, b"y", "a", 2)), store)
    articles = read_articles(put(tmp_path / "a.json", json.dumps({"text": ONE})), notice=print)
    write_articles(articles, store, say=print)
    (book,) = article_books(articles, store)
    book.path.write_bytes(b"It snowed.\n\nNobody came.\n")
    write_articles(articles, store, say=print)
    assert book.digest() == articles[0].digest


@pytest.mark.parametrize(
    ("names", "articles"),
    [
        (["a.jsonl"], True),
        (["sub/a.json.gz"], True),
        (["a.jsonl", "b.txt"], False),
        (["b.txt"], False),
        ([], False),
        ([".a.jsonl"], False),
    ],
)
def test_a_folder_holds_articles_or_books(names: list[str], articles: bool, tmp_path: Path) -> None:
    """By the names of its files; books count before."""
    for name in names:
        put(tmp_path / name, "x")
    assert holds_articles(tmp_path) is articles


def test_a_file_holds_articles_by_its_name(tmp_path: Path) -> None:
    """Whether it is there or not."""
    assert holds_articles(tmp_path / "race.jsonl.gz")
    assert not holds_articles(tmp_path / "emma.txt")

"""Books are kept under the digest of the bytes that were read, or not at all."""

import pytest

from cloze_gen.corpus.books import book_folder, kept_books, read_books, read_type_counts
from cloze_gen.corpus.ingest import BookShard, ingest_book, write_ingest
from cloze_gen.corpus.parse_book import IngestSettings
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.store.artifacts import Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import read_parquet
from tests.ocr_noise import with_ocr_errors
from tests.support.books import collection

SETTINGS = IngestSettings(min_word_tokens=5)
ONE, OTHER = (
    "It was a dark night, and he was glad of the lamp. " * 9,
    "They came to the house by the sea and slept there. " * 9,
)


def shards(out, books):
    return [BookShard(out, book, SETTINGS) for book in collection(books, store=Store(out)).books]


def ingest(out, books, name="x"):
    """The table of books of one ingest."""
    key = StageKey("ingest", 1, {"name": name})
    found = collection(books, store=Store(out)).books
    with Store(out).writing(key) as writer:
        assert writer is not None
        ctx = StageContext(Store(out), InProcessEngine(), "ingest")
        write_ingest(
            writer,
            ctx,
            books=found,
            settings=SETTINGS,
        )
    return read_books(Store(out).open(key))


def texts(out, name="x"):
    """Book id -> its first sentence, as later stages read it."""
    artifact = Store(out).open(StageKey("ingest", 1, {"name": name}))
    rows = kept_books(artifact)
    return {
        row["book_id"]: read_parquet(book_folder(artifact, row) / "sentences.parquet")["text"][
            0
        ].as_py()
        for row in rows
    }


def test_a_book_that_changed_since_it_was_counted_in_is_stored_nowhere(tmp_path):
    """The next run reads the new bytes; restored bytes get their old place."""
    books, out = tmp_path / "books", tmp_path / "out"
    books.mkdir()
    (books / "a.txt").write_text(ONE[:200])
    (half,) = shards(out, books)
    (books / "a.txt").write_text(ONE)
    with pytest.raises(CorpusError, match=r"a\.txt: changed while it was read"):
        ingest_book(half)
    assert not Store(out).is_complete(half.key)
    (whole,) = shards(out, books)
    assert ingest_book(whole)["sentences"] == 9
    (books / "a.txt").write_text(ONE[:200])
    assert ingest_book(half)["sentences"] == 4
    assert ingest_book(whole)["sentences"] == 9


def test_books_that_cannot_be_opened_share_nothing(tmp_path):
    """One of two unreadable books is repaired: only it gets text."""
    books, out = tmp_path / "books", tmp_path / "out"
    books.mkdir()
    (books / "ok.txt").write_text(OTHER)
    for name in ("a", "b"):
        (books / f"{name}.txt").symlink_to("gone")
    before = ingest(out, books, "before")
    assert [(row["book_id"], row["reason"], row["folder"]) for row in before][:2] == [
        ("a", "unreadable", ""),
        ("b", "unreadable", ""),
    ]
    (books / "a.txt").unlink()
    (books / "a.txt").write_text(ONE)
    after = ingest(out, books, "after")
    assert [row["status"] for row in after] == ["kept", "rejected", "kept"]
    assert texts(out, "after") == {"a": ONE[:49], "ok": OTHER[:50]}
    assert len(list((out / "store").glob("book-*/*"))) == 2


def test_a_book_unlike_its_listing_is_dropped(tmp_path):
    """The audit has reason, both digests and the line; a matching book is kept."""
    books, out = tmp_path / "books", tmp_path / "out"
    books.mkdir()
    (books / "a.txt").write_text(ONE)
    (books / "b.txt").write_text(OTHER)
    digests = {shard.book.file: shard.book.sha256 for shard in shards(out, books)}
    (books / "manifest.tsv").write_text(
        f"file\tsha256\nb.txt\t{digests['b.txt'].upper()}\na.txt\t{'0' * 64}\n"
    )
    a, b = ingest(out, books)
    assert (a["status"], a["reason"], b["status"]) == ("rejected", "differs_from_manifest", "kept")
    assert a["detail"].startswith(
        f"sha256 {digests['a.txt'][:12]}..., but manifest.tsv, line 3, lists {'0' * 12}..."
    )


def test_many_dropped_books_are_counted(tmp_path, capsys):
    """Ten warnings a reason and a count; a short error where books were dropped."""
    books, out = tmp_path / "books", tmp_path / "out"
    books.mkdir()
    for n in range(300):
        (books / f"{n:03}.txt").write_text("Too short.")
    (books / "empty.txt").write_text("")
    with pytest.raises(CorpusError) as caught:
        ingest(out, books)
    said = str(caught.value)
    assert said.startswith("0 of 301 books can be used: 000, 001, 002")
    assert "and 290 more (nearly_empty: use longer texts, or lower ingest.min_word_tokens)" in said
    assert len(said) < 700
    (books / "ok.txt").write_text(ONE)
    capsys.readouterr()
    assert len(ingest(out, books)) == 302
    warnings = [line for line in capsys.readouterr().err.splitlines() if "warning: " in line]
    assert len(warnings) == 12
    assert warnings[10] == (
        "ingest: warning: 290 more dropped (nearly_empty); books.tsv of the stage lists each"
    )


def test_counts_of_books_together_are_the_counts_of_their_texts_joined(tmp_path):
    """Counting books apart and together is the same, words that open sentences among them."""
    books, out = tmp_path / "books", tmp_path / "out"
    books.mkdir()
    for name, text in (("a", ONE), ("b", OTHER), ("both", f"{ONE}\n\n{OTHER}")):
        (books / f"{name}.txt").write_text(text)
    folders = {
        shard.book.book_id: Store(out).folder(shard.key)
        for shard in shards(out, books)
        if ingest_book(shard)
    }
    assert read_type_counts([folders["a"], folders["b"]]) == read_type_counts([folders["both"]])


def test_the_table_of_books_has_what_the_manifest_says(tmp_path):
    """The licence among it, as it was written."""
    books = tmp_path / "books"
    books.mkdir()
    (books / "a.txt").write_text(ONE)
    (books / "manifest.tsv").write_text("file\tlicense\ttitle\na.txt\tIn copyright, by leave\tA\n")
    (row,) = ingest(tmp_path / "out", books)
    assert (row["license"], row["title"], row["status"]) == ("In copyright, by leave", "A", "kept")


def test_the_table_has_the_share_of_unknown_words_and_the_run_warns_of_ocr(tmp_path, capsys):
    books = tmp_path / "books"
    books.mkdir()
    (books / "clean.txt").write_text(ONE)
    (books / "scanned.txt").write_text(with_ocr_errors(OTHER * 3, 0.02))
    clean, scanned = ingest(tmp_path / "out", books)
    assert (clean["status"], clean["unknown_word_share"]) == ("kept", "0")
    assert (scanned["status"], float(scanned["unknown_word_share"]) > 0.02) == ("kept", True)
    said = capsys.readouterr().err
    assert "warning: 1 doubtful book: scanned (signs of OCR: " in said


def test_the_table_of_books_names_a_repair(tmp_path):
    books = tmp_path / "books"
    books.mkdir()
    (books / "odd.txt").write_bytes(f"{OTHER} Renée’s ".encode() + b"ass\x92s straw.")
    (row,) = ingest(tmp_path / "out", books)
    assert "read as cp1252" in row["encoding_evidence"]


def test_a_run_warns_once_of_doubtful_books(tmp_path, capsys):
    books = tmp_path / "books"
    books.mkdir()
    (books / "clean.txt").write_text(ONE)
    (books / "line.txt").write_text(" ".join(OTHER.split() * 40))
    clean, line = ingest(tmp_path / "out", books)
    assert (clean["warnings"], "in one paragraph" in line["warnings"]) == ("", True)
    printed = capsys.readouterr().err
    assert "warning: 1 doubtful book: line (" in printed

"""The books of a location: which files are read, under which ids, with which facts and texts."""

import csv
import gzip
import hashlib
import io
import json

import pytest

from cloze_gen.corpus import collect as module
from cloze_gen.corpus.collect import collect, read_text
from cloze_gen.corpus.folder import Location
from cloze_gen.corpus.gutenberg_files import author_names, read_catalog
from cloze_gen.corpus.splits import books_of_split
from cloze_gen.errors import CorpusError, UsageError
from cloze_gen.store.artifacts import Store
from tests.support.books import collection, facts, put, tarred, texts, zipped

PG_HEADER = "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves".split(",")
EMMA = (
    *("158", "Text", "1994-08-01", "Emma", "en", "Austen, Jane, 1775-1817"),
    *("Love stories", "PR", "Best Books; Category: Novels; Category: British Literature"),
)
FACTS_OF_EMMA = {
    "title": "Emma",
    "author": "Austen, Jane",
    "genre": "Novels",
    "etext": "158",
    "language": "en",
}


def catalog(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    csv.writer(text).writerows([PG_HEADER, *rows])
    data = text.getvalue().encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def ids(place, **settings):
    return {book.place: book.book_id for book in collection(place, **settings).books}


# ---- texts


@pytest.mark.parametrize(
    "data", [b"One.\r\nTwo.\r", "\u201cOne\u201d \u2014 caf\u00e9.\n".encode()]
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_text_in_utf_8_is_read_in_place(data, pack, tmp_path):
    """Plain or compressed; its digest is that of the text's bytes."""
    file = tmp_path / "a.txt"
    file.write_bytes(pack(data))
    (book,) = collection(file, store=Store(tmp_path / "out")).books
    assert (book.in_place, read_text(book)) == (True, data.decode())
    assert book.sha256 == hashlib.sha256(data).hexdigest()
    assert book.file_sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert not list(tmp_path.glob("out/store/*"))


@pytest.mark.parametrize(
    "data", ["Caf\u00e9 au lait.".encode("latin-1"), "\ufeffOne.".encode(), "One.".encode("utf-16")]
)
def test_other_text_is_stored_as_utf_8(data, tmp_path):
    """Its digest is that of its own bytes."""
    (tmp_path / "a.txt").write_bytes(data)
    (book,) = collection(tmp_path / "a.txt").books
    assert book.text.read_text(encoding="utf-8") in {"Caf\u00e9 au lait.", "One."}
    assert (book.in_place, book.sha256) == (False, hashlib.sha256(data).hexdigest())
    manifest = json.loads((book.text.parents[1] / "manifest.json").read_text())
    assert manifest["versions"].keys() == {"lxml", "pyarrow"}


def test_a_file_is_unpacked_once(tmp_path, monkeypatch):
    """Whatever it is called; a changed file is unpacked anew."""
    store = Store(tmp_path / "out")
    unpacked = []
    store_texts = module.store_texts
    monkeypatch.setattr(
        module,
        "store_texts",
        lambda shard: (unpacked.append(shard.path.name), store_texts(shard))[1],
    )
    (tmp_path / "x.zip").write_bytes(zipped({"a.txt": b"One."}))
    for name in ("x.zip", "x.zip", "y.zip"):
        if name == "y.zip":
            (tmp_path / "x.zip").rename(tmp_path / name)
        collection(tmp_path / name, store=store)
    assert unpacked == ["x.zip"]
    (tmp_path / "y.zip").write_bytes(zipped({"a.txt": b"Two."}))
    (book,) = collection(tmp_path / "y.zip", store=store).books
    assert (unpacked, read_text(book)) == (["x.zip", "y.zip"], "Two.")


def test_an_unpacking_that_was_killed_goes_on(tmp_path, monkeypatch):
    """Files that were unpacked stay; half of one counts for nothing."""
    store = Store(tmp_path / "out")
    for number in range(3):
        (tmp_path / f"{number}.zip").write_bytes(zipped({f"{number}.txt": b"One %d." % number}))
    write = module._store_text
    calls = []

    def killed(path, text):
        calls.append(text.name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return write(path, text)

    monkeypatch.setattr(module, "_store_text", killed)
    with pytest.raises(KeyboardInterrupt):
        collection(tmp_path / "*.zip", store=store)
    assert len(collection(tmp_path / "*.zip", store=store).books) == 3
    assert calls == ["0.txt", "1.txt", "1.txt", "2.txt"]


def test_several_workers_store_what_one_stores(tmp_path):
    for number in range(8):
        put(tmp_path, f"in/{number}.html", text=f"<p>Book {number}.")
    found = [
        collect(Location(tmp_path / "in"), Store(tmp_path / f"out{workers}"), workers=workers)
        for workers in (1, 2)
    ]
    one, two = ([(book.book_id, read_text(book), book.digest) for book in of.books] for of in found)
    assert one == two


def test_a_text_that_changed_is_not_read(tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    (book,) = collection(tmp_path).books
    (tmp_path / "a.txt").write_text("Two.")
    with pytest.raises(CorpusError, match=r"a\.txt: changed while it was read.*run again"):
        read_text(book)


@pytest.mark.parametrize(
    ("name", "data"), [("a.txt", b"One."), ("a.txt.zip", zipped({"a.txt": b"One."}))]
)
def test_a_text_that_is_gone_is_named(name, data, tmp_path):
    """It is no empty book."""
    (tmp_path / name).write_bytes(data)
    (book,) = collection(tmp_path).books
    book.text.unlink()
    with pytest.raises(CorpusError, match=r"the text of 'a\.txt.*cannot be read .*Run again"):
        read_text(book)


# ---- ids


def test_names_with_other_characters_get_a_safe_id(tmp_path):
    put(tmp_path, "RHOLM10.TXT", "war & peace.txt", "sub/..txt", "\u00c9mile.txt")
    assert all(
        name.replace("-", "a").replace("_", "a").isalnum() for name in ids(tmp_path).values()
    )
    assert ids(tmp_path)["RHOLM10.TXT"] == "RHOLM10"
    assert ids(tmp_path)["war & peace.txt"] == "war-peace-34ec"


def test_copies_are_read_once(tmp_path):
    """A file before an archived one; the copies are named."""
    put(tmp_path, "Fantasy/both.txt", "Romance/both.txt", text="the same bytes")
    (tmp_path / "A.zip").write_bytes(zipped({"x/both.txt": b"the same bytes"}))
    found = collection(tmp_path)
    assert [(book.book_id, book.place) for book in found.books] == [("both", "Fantasy/both.txt")]
    assert found.skipped == (
        "2 paths (identical to another book of this name): 'A.zip/x/both.txt', 'Romance/both.txt'",
    )


def test_different_books_of_one_name_have_their_folder_in_the_id(tmp_path):
    put(tmp_path, "Skey/Poems.txt", "Wace/Poems.txt", "Prose.txt")
    (tmp_path / "x.zip").write_bytes(zipped({"a/Prose.txt": b"other"}))
    assert ids(tmp_path) == {
        "Skey/Poems.txt": "Skey-Poems",
        "Wace/Poems.txt": "Wace-Poems",
        "Prose.txt": "Prose",
        "x.zip/a/Prose.txt": "x.zip-a-Prose",
    }


def test_two_books_with_one_listed_id_are_refused(tmp_path):
    put(tmp_path, *(f"{number:02}.txt" for number in range(30)))
    rows = "".join(f"{number:02}.txt\temma\n" for number in range(30))
    (tmp_path / "manifest.tsv").write_text(f"file\tbook_id\n{rows}")
    with pytest.raises(UsageError, match=r"30 books share the id 'emma' .*'09\.txt' and 20 more"):
        collection(tmp_path)


# ---- pages


def pages(text, count=12):
    return {f"vol1/{number:04}.txt": text.format(number) for number in range(1, count + 1)}


@pytest.mark.parametrize(
    "files",
    [
        pages("{}   THE MILL\n\nShe had come to the mill at noon."),
        pages("and so she left, with page {} in her hand."),
        pages("The page {} ends inside of a"),
        pages("CHAPTER {}\n\nShe had come to") | {"other.txt": "A book."},
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_of_numbered_pages_is_refused(files, packed, tmp_path):
    if packed:
        (tmp_path / "x.zip").write_bytes(
            zipped({name: text.encode() for name, text in files.items()})
        )
    else:
        for name, text in files.items():
            put(tmp_path, name, text=text)
    with pytest.raises(UsageError, match=r"vol1: 12 numbered texts .* Join those of each book"):
        collection(tmp_path)


@pytest.mark.parametrize(
    "files",
    [
        pages("She had come to the mill at noon on day {}. THE END"),
        pages("and so she left, with page {} in her hand.", 4),
        {f"vol1/{number}.txt": f"{number} and so they left " * 8000 for number in range(12)},
        {f"vol1/{7 * number}.txt": f"{number} and so" for number in range(12)},
    ],
)
def test_numbered_books_are_read(files, tmp_path):
    for name, text in files.items():
        put(tmp_path, name, text=text)
    assert len(collection(tmp_path).books) == len(files)


def test_listed_pages_are_read(tmp_path):
    for name, text in pages("and so {}").items():
        put(tmp_path, name, text=text)
    (tmp_path / "manifest.tsv").write_text("file\n" + "\n".join(pages("")))
    assert len(collection(tmp_path).books) == 12


# ---- Gutenberg


@pytest.mark.parametrize(
    "names",
    [
        ("158-0.txt", "158.txt.utf8", "158-8.txt", "158.txt"),
        ("158.txt.utf-8", "158-8.txt", "158.txt"),
        ("pg158.txt", "158-0.txt"),
        ("158-8.txt", "158.txt"),
        ("158.txt", "158-h/158-h.htm"),
        ("158-h/158-h.htm", "158.epub"),
    ],
)
def test_the_best_file_of_a_book_is_read(tmp_path, names):
    """The first of each list; the others are counted in one line."""
    put(tmp_path, *(f"1/5/158/{name}" for name in names), "1/5/158/old/emma10.txt")
    found = collection(tmp_path)
    assert ids(tmp_path) == {f"1/5/158/{names[0]}": "pg158"}
    skipped = dict(line.split(": ", 1) for line in found.skipped)
    assert skipped.pop("1 path (old edition, folder old/)") == "'1/5/158/old/emma10.txt'"
    assert len(skipped) == (len(names) > 1)
    assert all(repr(f"1/5/158/{name}") in "".join(found.skipped) for name in names[1:])


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_the_catalogue_gives_facts(tmp_path, packed):
    put(tmp_path, "cache/epub/158/pg158.txt", "cache/epub/84/pg84.txt")
    catalog(tmp_path / f"feeds/pg_catalog.csv{packed}", EMMA)
    assert facts(tmp_path) == {"pg158": FACTS_OF_EMMA, "pg84": {"etext": "84"}}


def test_what_the_catalogue_says_is_no_english_text_is_not_read(tmp_path):
    put(tmp_path, *(f"cache/epub/{n}/pg{n}.txt" for n in (158, 2, 3, 4)))
    catalog(
        tmp_path / "pg_catalog.csv",
        EMMA,
        ("2", "Sound", "", "Emma, read", "en", *EMMA[5:]),
        ("3", "Text", "", "Emma (German)", "de", *EMMA[5:]),
        ("4", "Text", "", "Emma (two languages)", "fr; en", *EMMA[5:]),
    )
    found = collection(tmp_path)
    assert {book.book_id for book in found.books} == {"pg158", "pg4"}
    assert found.skipped == (
        "1 path (Sound, not Text, in the catalogue): 'cache/epub/2/pg2.txt'",
        "1 path (not in English, by the catalogue): 'cache/epub/3/pg3.txt'",
    )


def test_bare_numbers_name_no_etext_without_a_catalogue(tmp_path):
    put(tmp_path, "158-0.txt", "84.txt", "chapters/3.txt")
    assert sorted(ids(tmp_path).values()) == ["158-0", "3", "84"]
    catalog(tmp_path / "pg_catalog.csv", EMMA)
    assert sorted(ids(tmp_path).values()) == ["3", "84", "pg158"]


@pytest.mark.parametrize("form", [zipped, tarred])
def test_one_file_of_each_etext_in_an_archive_is_read(tmp_path, form):
    """With the catalogue beside it; a book that lies unpacked too is read once."""
    put(tmp_path, "cache/epub/84/pg84.txt")
    names = (
        *("1/5/158/158-8.txt", "1/5/158/158-0.txt", "cache/epub/84/pg84.txt"),
        *("cache/epub/3/pg3.txt", "1/5/158/old/emma10.txt", "mine.txt"),
    )
    suffix = form.__name__[:3]
    (tmp_path / f"all.{suffix}").write_bytes(form({name: name.encode() for name in names}))
    catalog(tmp_path / "pg_catalog.csv", EMMA, ("3", "Text", "", "Faust", "de", *EMMA[5:]))
    found = collection(tmp_path)
    assert facts(tmp_path) == {"pg158": FACTS_OF_EMMA, "pg84": {"etext": "84"}, "mine": {}}
    assert [book.member for book in found.books] == ["mine.txt", "1/5/158/158-0.txt", ""]
    said = "\n".join(found.skipped)
    for name in ("158-8.txt", "pg84.txt", "pg3.txt", "emma10.txt"):
        assert name in said


def test_the_archive_of_a_book_is_that_book(tmp_path):
    """Read if its text does not lie beside it."""
    put(tmp_path, "1/5/158/x.md")
    (tmp_path / "1/5/158/158-0.zip").write_bytes(zipped({"158-0.txt": b"Emma."}))
    catalog(tmp_path / "pg_catalog.csv", EMMA)
    assert facts(tmp_path) == {"pg158": FACTS_OF_EMMA}
    put(tmp_path, "1/5/158/158-0.txt")
    assert ids(tmp_path) == {"1/5/158/158-0.txt": "pg158"}


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        ("Austen, Jane, 1775-1817", "Austen, Jane"),
        ("Homer, 751? BCE-651? BCE", "Homer"),
        ("Wells, H. G. (Herbert George), 1866-1946", "Wells, H. G."),
        ("Tolstoy, Leo, graf, 1828-1910; Maude, Louise, 1855-1939 [Translator]", "Tolstoy, Leo, graf"),
        ("Lang, Andrew, 1844-1912 [Editor]", "Lang, Andrew"),
        (" ; ", ""),
    ],
)  # fmt: skip
def test_authors_have_no_dates_and_no_translators(authors, expected):
    assert author_names(authors) == expected


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (b"filename,writer\na.txt,Anne\n", "its columns: 'filename', 'writer'"),
        (b"", "its columns: none"),
        (b"\x1f\x8b\x08 no gzip", "is not used"),
        (b"Text#,Title\n" + b'"' + b"x" * 200_000, "is not used"),
    ],
)
def test_a_damaged_catalogue_is_one_short_note(data, note, tmp_path):
    put(tmp_path, "a.txt")
    (tmp_path / "pg_catalog.csv").write_bytes(data)
    (line,) = collection(tmp_path).notes
    assert line.startswith("'pg_catalog.csv' is not used: ")
    assert note in line
    assert len(line) < 400


def test_cells_of_a_catalogue_are_bounded_lines(tmp_path):
    catalog(
        tmp_path / "pg_catalog.csv",
        ("158", "Text", "", "../../x\n\x1b[2J" + "t" * 5000, "en", "", "", "", ""),
        ("-1", "Text", "", "no number", "en", "", "", "", ""),
    )
    rows, notes = read_catalog(tmp_path, ["pg_catalog.csv"])
    assert (list(rows), notes) == ([158], [])
    assert rows[158]["title"].startswith("../../x [2J")
    assert len(rows[158]["title"]) == 2000


def test_the_header_of_a_text_gives_facts(tmp_path):
    """A manifest overrides them."""
    header = "The Project Gutenberg EBook of The Lamp, by Ann Ode\n\nLanguage: English\n\n"
    put(tmp_path, "a.txt", text=f"{header}It was late.")
    assert facts(tmp_path)["a"] == {
        "title": "The Lamp",
        "author": "Ann Ode",
        "language": "English",
    }
    (tmp_path / "manifest.tsv").write_text("file\tauthor\na.txt\tBob\n")
    assert facts(tmp_path)["a"]["author"] == "Bob"


# ---- a manifest


def test_a_manifest_overrides_what_was_found(tmp_path):
    """Listed files are read under their own ids; so the other files of that book are not."""
    put(tmp_path, "158/158-0.txt", "158/158.txt", "158/old/emma10.txt")
    catalog(tmp_path / "pg_catalog.csv", EMMA)
    (tmp_path / "manifest.tsv").write_text(
        "file\ttitle\n158/158.txt\tMy Emma\n158/old/emma10.txt\t\n"
    )
    assert ids(tmp_path) == {"158/158.txt": "158", "158/old/emma10.txt": "emma10"}
    assert facts(tmp_path)["158"] == FACTS_OF_EMMA | {"title": "My Emma"}
    assert collection(tmp_path).notes == ()


def test_a_manifest_lists_rows_and_archived_files(tmp_path):
    (tmp_path / "x.zip").write_bytes(zipped({"a.txt": b"A.", "b.txt": b"B."}))
    (tmp_path / "manifest.tsv").write_text(
        "file\tmember\tbook_id\tauthor\nx.zip\t\t\tAnn\nx.zip\ta.txt\tmine\tBob\nx.zip\tc.txt\t\t\n"
    )
    assert facts(tmp_path) == {"mine": {"author": "Bob"}, "b": {"author": "Ann"}}
    assert collection(tmp_path).notes == (
        "manifest.tsv lists what does not exist: line 4 'x.zip/c.txt'",
    )


def test_the_listing_counts_where_it_changes_the_table(tmp_path, monkeypatch):
    """Facts, mismatching checksums and the version of reading count; a matching checksum does not."""
    put(tmp_path, "a.txt")
    right, wrong = hashlib.sha256(b"a.txt").hexdigest(), "0" * 64

    def digest(manifest):
        (tmp_path / "manifest.tsv").write_text(manifest)
        return collection(tmp_path).books[0].digest

    plain = digest("file\na.txt\n")
    assert plain == digest(f"file\tsha256\n\n\na.txt\t{right}\n")
    found = [
        digest(f"file\tsha256\ttitle\na.txt\t{sha}\t{title}\n")
        for sha, title in ((right, "A"), (right, "B"), (wrong, "A"), (wrong, ""))
    ]
    monkeypatch.setattr(module, "VERSION", 99)
    assert len({*found, plain, digest("file\na.txt\n")}) == 6


# ---- splits

SPLIT_BOOKS = ("train/a.txt", "train/b.txt", "validation/c.txt", "test/d.txt")


@pytest.mark.parametrize(
    ("side", "expected"),
    [
        ("train", ["a", "b", "mine"]),
        ("source", ["d", "mine"]),
        ("books", ["a", "b", "c", "d", "mine"]),
    ],
)
def test_a_side_takes_its_split(tmp_path, side, expected):
    """And books without a split."""
    found = collection(put(tmp_path, *SPLIT_BOOKS, "mine.txt"), keep_splits=True)
    assert sorted(book.book_id for book in books_of_split(found.books, side)) == expected


def test_folders_are_splits(tmp_path):
    """Only the first folder counts, and a role that is known stays; a note says how to keep them."""
    put(tmp_path, "Train/old/a.txt", "dev/b.txt", "test/c.txt", "test/d.txt", "more/train/e.txt")
    (tmp_path / "manifest.tsv").write_text("file\trole\ntest/d.txt\ttrain\n")
    (note,) = collection(tmp_path).notes
    assert "train (2), validation (1), test (1); --keep-splits" in note
    kept = facts(tmp_path, keep_splits=True)
    assert {book: row.get("role", "") for book, row in kept.items()} == {
        "a": "train", "b": "validation", "c": "test", "d": "train", "e": "",
    }  # fmt: skip


def test_books_without_splits_cannot_keep_them(tmp_path):
    put(tmp_path, "old/a.txt", "b.txt")
    with pytest.raises(UsageError, match=r"none of the 2 books there has one; its folders: 'old'"):
        collection(tmp_path, keep_splits=True)


def test_each_part_needs_its_split(tmp_path):
    """Unless books without a split can be drawn for it."""
    put(tmp_path, "train/a.txt", "test/c.txt")
    with pytest.raises(UsageError, match="no book of the split 'validation', which --books takes"):
        books_of_split(collection(tmp_path, keep_splits=True).books, "books")
    put(tmp_path, "mine.txt")
    assert len(books_of_split(collection(tmp_path, keep_splits=True).books, "books")) == 3


def test_the_texts_of_a_folder_of_many_shapes(tmp_path):
    put(tmp_path, "a.txt")
    (tmp_path / "b.zip").write_bytes(zipped({"c.html": b"<p>A <i>lamp</i>.</p>"}))
    assert texts(tmp_path) == {"a": "a.txt", "c": "A lamp.\n"}

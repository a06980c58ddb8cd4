"""Folders as people have them: which files are read, under which ids, with which facts."""

import csv
import gzip
import io
import zipfile

import pytest

from cloze_gen.corpus.layouts.catalogs import author_names
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.scan import scan
from cloze_gen.corpus.splits import books_of_split
from cloze_gen.errors import UsageError

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


def put(root, *files, text=""):
    """Files whose text is their path, so that no two are equal."""
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text or file)
    return root


def table(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    data = text.getvalue().encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def ids(found):
    return {book.file: book.book_id for book in found.books}


def facts(found):
    return {book.book_id: dict(book.facts) for book in found.books}


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
    found = scan(tmp_path)
    assert ids(found) == {f"1/5/158/{names[0]}": "pg158"}
    skipped = dict(line.split(": ", 1) for line in found.skipped)
    assert skipped.pop("skipped 1 file (old edition, folder old/)") == "'1/5/158/old/emma10.txt'"
    assert len(skipped) == (len(names) > 1)
    assert all(repr(f"1/5/158/{name}") in "".join(found.skipped) for name in names[1:])


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_the_catalogue_gives_facts_and_never_a_year(tmp_path, packed):
    put(tmp_path, "cache/epub/158/pg158.txt", "cache/epub/84/pg84.txt")
    table(tmp_path / f"feeds/pg_catalog.csv{packed}", PG_HEADER, EMMA)
    found = scan(tmp_path)
    assert facts(found) == {"pg158": FACTS_OF_EMMA, "pg84": {"etext": "84"}}
    assert found.layouts == (f"Project Gutenberg's own texts with pg_catalog.csv{packed}",)
    assert found.skipped == ()


def test_what_the_catalogue_says_is_no_english_text_is_not_read(tmp_path):
    put(tmp_path, *(f"cache/epub/{n}/pg{n}.txt" for n in (158, 2, 3, 4)))
    other = EMMA[5:]
    table(
        tmp_path / "pg_catalog.csv",
        PG_HEADER,
        EMMA,
        ("2", "Sound", "", "Emma, read", "en", *other),
        ("3", "Text", "", "Emma (German)", "de", *other),
        ("4", "Text", "", "Emma (two languages)", "fr; en", *other),
    )
    found = scan(tmp_path)
    assert facts(found).keys() == {"pg158", "pg4"}
    assert found.skipped == (
        "skipped 1 file (Sound, not Text, in the catalogue): 'cache/epub/2/pg2.txt'",
        "skipped 1 file (not in English, by the catalogue): 'cache/epub/3/pg3.txt'",
    )


def test_a_flat_folder_keeps_its_ids(tmp_path):
    """Bare numbers name no etext without a folder of that number or a catalogue."""
    put(tmp_path, "158-0.txt", "84.txt", "chapters/3.txt")
    before = scan(tmp_path)
    assert sorted(ids(before).values()) == ["158-0", "3", "84"]
    assert before.layouts == ()
    table(tmp_path / "pg_catalog.csv", PG_HEADER, EMMA)
    assert sorted(ids(scan(tmp_path)).values()) == ["3", "84", "pg158"]


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        ("Austen, Jane, 1775-1817", "Austen, Jane"),
        ("Homer, 751? BCE-651? BCE", "Homer"),
        ("Wells, H. G. (Herbert George), 1866-1946", "Wells, H. G."),
        ("Tolstoy, Leo, graf, 1828-1910; Maude, Louise, 1855-1939 [Translator]", "Tolstoy, Leo, graf"),
        ("Lang, Andrew, 1844-1912 [Editor]", "Lang, Andrew"),
        ("Writer 7, A., active 18th century", "Writer 7, A."),
        (" ; ", ""),
    ],
)  # fmt: skip
def test_authors_have_no_dates_and_no_translators(authors, expected):
    assert author_names(authors) == expected


def archive(path, *names):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, f"text of {name}")


def test_the_catalogue_tells_of_books_in_an_archive(tmp_path):
    """As of files beside it; a book that lies unpacked too is read once."""
    put(tmp_path, "cache/epub/84/pg84.txt")
    archive(
        tmp_path / "all.zip",
        *("cache/epub/158/pg158.txt", "1/5/158/158-0.txt", "cache/epub/84/pg84.txt"),
        *("cache/epub/3/pg3.txt", "1/5/158/old/emma10.txt", "mine.txt"),
    )
    table(tmp_path / "pg_catalog.csv", PG_HEADER, EMMA, ("3", "Text", "", "Faust", "de", *EMMA[5:]))
    found = scan(tmp_path)
    assert facts(found) == {"pg158": FACTS_OF_EMMA, "pg84": {"etext": "84"}, "mine": {}}
    line = " ".join(line for line in found.notes if line.startswith("all.zip: skipped"))
    for name in ("158-0.txt", "pg84.txt", "pg3.txt", "emma10.txt"):
        assert name in line


@pytest.mark.parametrize("names", [("158-0.txt",), ("158.txt", "158-0.txt")])
def test_the_archive_of_a_book_is_that_book(tmp_path, names):
    """Read if its text does not lie beside it."""
    archive(tmp_path / "1/5/158/158-0.zip", *names)
    table(tmp_path / "pg_catalog.csv", PG_HEADER, EMMA)
    found = scan(tmp_path)
    assert facts(found) == {"pg158": FACTS_OF_EMMA}
    assert [book.member for book in found.books] == ["158-0.txt"]
    put(tmp_path, "1/5/158/158-0.txt")
    assert ids(scan(tmp_path)) == {"1/5/158/158-0.txt": "pg158"}


# ---- splits

SPLIT_BOOKS = ("train/a.txt", "train/b.txt", "validation/c.txt", "test/d.txt")
KEPT = InputSettings(keep_splits=True)


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
    found = scan(put(tmp_path, *SPLIT_BOOKS, "mine.txt"), settings=KEPT)
    assert sorted(book.book_id for book in books_of_split(found.books, side)) == expected


def test_a_side_without_its_split_is_an_error(tmp_path):
    found = scan(put(tmp_path, *SPLIT_BOOKS), settings=KEPT)
    only_train = [book for book in found.books if dict(book.facts)["role"] == "train"]
    with pytest.raises(UsageError, match=r"no book of the split 'test'.*train \(2\)"):
        books_of_split(only_train, "source")


def test_folders_are_splits_if_asked(tmp_path):
    """Only the first folder counts, and a role that is known stays."""
    put(tmp_path, "Train/old/a.txt", "dev/b.txt", "test/c.txt", "test/d.txt", "more/train/e.txt")
    (tmp_path / "manifest.tsv").write_text("file\trole\ntest/d.txt\ttrain\n")
    found = scan(tmp_path)
    assert facts(found) == {"a": {}, "b": {}, "c": {}, "d": {"role": "train"}, "e": {}}
    assert [
        "train (2), validation (1), test (1); --keep-splits" in note for note in found.notes
    ] == [True]
    kept = scan(tmp_path, settings=InputSettings(keep_splits=True))
    assert {book: row.get("role", "") for book, row in facts(kept).items()} == {
        "a": "train", "b": "validation", "c": "test", "d": "train", "e": "",
    }  # fmt: skip


def test_books_without_splits_cannot_keep_them(tmp_path):
    put(tmp_path, "old/a.txt", "b.txt")
    with pytest.raises(UsageError, match=r"none of the 2 books there has one; its folders: 'old'"):
        scan(tmp_path, settings=InputSettings(keep_splits=True))


def test_each_part_needs_its_split(tmp_path):
    """Unless books without a split can be drawn for it."""
    put(tmp_path, "train/a.txt", "test/c.txt")
    settings = InputSettings(keep_splits=True)
    with pytest.raises(UsageError, match="no book of the split 'validation', which --books takes"):
        books_of_split(scan(tmp_path, settings=settings).books, "books")
    put(tmp_path, "mine.txt")
    assert len(books_of_split(scan(tmp_path, settings=settings).books, "books")) == 3


# ---- BookCorpus


def test_a_book_of_several_genres_is_one_book(tmp_path):
    put(tmp_path, "Fantasy/a.txt", "Romance/b.txt", "Science_fiction/c.txt")
    for genre in ("Romance", "Fantasy"):
        put(tmp_path, f"{genre}/both.txt", text="the same bytes")
    found = scan(tmp_path)
    assert facts(found) == {
        "a": {"genre": "Fantasy"},
        "b": {"genre": "Romance"},
        "c": {"genre": "Science fiction"},
        "both": {"genre": "Fantasy, Romance"},
    }
    assert found.layouts == ("BookCorpus, a folder per genre",)
    assert [line.rsplit(": ", 1)[1] for line in found.skipped] == ["'Romance/both.txt'"]


@pytest.mark.parametrize("stump", ["short", "other bytes, as long"])
def test_different_files_of_one_name_have_the_genre_in_their_id(tmp_path, stump):
    whole = "whole bytes, as long"
    put(tmp_path, "Fantasy/Hopeless-1.txt", "New_Adult/hopeless-1.txt", text=whole)
    put(tmp_path, "Romance/Hopeless-1.txt", text=stump)
    assert facts(scan(tmp_path)) == {
        "Hopeless-1-Fantasy": {"genre": "Fantasy, New Adult"},
        "Hopeless-1-Romance": {"genre": "Romance"},
    }


def test_a_file_of_a_whole_genre_is_skipped_beside_its_books(tmp_path):
    put(tmp_path, "Romance/a.txt", "Romance/romance-all.txt", "Adventure/adventure-all.txt")
    found = scan(tmp_path)
    assert sorted(ids(found).values()) == ["a", "adventure-all"]
    assert [line.rsplit(": ", 1)[1] for line in found.skipped] == ["'Romance/romance-all.txt'"]


def test_one_genre_folder_is_no_bookcorpus(tmp_path):
    put(tmp_path, "Romance/a.txt", "novels/b.txt")
    assert scan(tmp_path).layouts == ()


def test_bookcorpusopen_has_its_titles_in_file_names(tmp_path):
    put(tmp_path, "books1/epubtxt/the-long_way-home.epub.txt", "books1/2020-08-27-epub_urls.txt")
    found = scan(tmp_path)
    assert facts(found) == {"the-long_way-home": {"title": "the long way home"}}
    assert found.layouts == ("BookCorpusOpen",)
    assert "a list of addresses" in found.skipped[0]


# ---- a manifest, unknown tables


def test_a_manifest_overrides_what_was_found(tmp_path):
    """Listed files are read under their own ids; so the other files of that book are not."""
    put(tmp_path, "158/158-0.txt", "158/158.txt", "158/old/emma10.txt")
    table(tmp_path / "pg_catalog.csv", PG_HEADER, EMMA)
    (tmp_path / "manifest.tsv").write_text(
        "file\ttitle\n158/158.txt\tMy Emma\n158/old/emma10.txt\t\n"
    )
    found = scan(tmp_path)
    assert ids(found) == {"158/158.txt": "158", "158/old/emma10.txt": "emma10"}
    assert facts(found)["158"] == FACTS_OF_EMMA | {"title": "My Emma"}
    assert found.notes == ()


def test_a_listed_copy_of_a_genre_stays(tmp_path):
    put(tmp_path, "Fantasy/a.txt", "Romance/b.txt", "Romance/romance-all.txt")
    (tmp_path / "manifest.tsv").write_text("file\tgenre\nRomance/romance-all.txt\tmine\n")
    assert facts(scan(tmp_path))["romance-all"] == {"genre": "mine"}


def test_a_table_of_no_known_kind_is_named_with_its_columns(tmp_path):
    put(tmp_path, "a.txt")
    table(tmp_path / "pg_catalog.csv", ("filename", "writer"), ("a.txt", "Anne"))
    found = scan(tmp_path)
    assert facts(found) == {"a": {}}
    (note,) = found.notes
    assert "'pg_catalog.csv': this table is not recognised" in note
    assert "'filename', 'writer'" in note

"""EPUB books: their spine, what is left out, facts, and hostile or damaged files."""

import io
import zipfile

import pytest

from cloze_gen.corpus.parse_book import BookReason
from cloze_gen.corpus.readers import epub
from cloze_gen.corpus.readers.epub import decode_epub
from cloze_gen.errors import BookError, UsageError
from tests.support.books import collection

CONTAINER = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
METADATA = (
    '<dc:title id="t">The Lamp</dc:title><dc:creator opf:role="aut">M. H. Thrale</dc:creator>'
    "<dc:language>en</dc:language><dc:rights>CC0</dc:rights><dc:date>2017-12-11</dc:date>"
)
LONG = "<p>The lamp was lit at dusk, and nobody on the quay could say by whom.</p>" * 60
ONE, TWO = f"<h2>I</h2><p>It was late.</p>{LONG}", f"<h2>II</h2><p>It was dark.</p>{LONG}"
XHTML = "application/xhtml+xml"


def package(
    items,
    *,
    metadata=METADATA,
    properties=None,
    refs=None,
):
    """An OPF; items are file -> media type."""
    properties, refs = properties or {}, refs or {}
    manifest = "".join(
        f'<item id="i{at}" href="{file}" media-type="{media}" properties="{properties.get(file, "")}"/>'
        for at, (file, media) in enumerate(items.items())
    )
    spine = "".join(
        f'<itemref idref="i{at}" {refs.get(file, "")}/>' for at, file in enumerate(items)
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?><package xmlns="http://www.idpf.org/2007/opf" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">'
        f"<metadata>{metadata}</metadata><manifest>{manifest}</manifest><spine>{spine}</spine>"
        "</package>"
    )


def packed(files, compression=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, compression)
    return out.getvalue()


def page(body, title=""):
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>{body}</body></html>'


def book(pages, more=None, **opf):
    """An EPUB of XHTML pages, by file name below OEBPS."""
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package(dict.fromkeys(pages, XHTML), **opf),
    }
    files |= {f"OEBPS/{name}": page(body) for name, body in pages.items()}
    return packed(files | dict(more or {}))


def test_the_spine_is_the_text_in_order():
    """Not in the order of names or of the archive; each document once."""
    decoded, _ = decode_epub(book({"b.xhtml": ONE, "a.xhtml": TWO}))
    assert decoded.text.index("It was late.") < decoded.text.index("It was dark.")
    assert decoded.text.startswith("        I\n\nIt was late.")
    assert (decoded.encoding, decoded.evidence) == ("epub", "2 of 2 documents")


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("x.xhtml", "<section epub:type='titlepage'><h1>no</h1></section>"),
        ("x.xhtml", "<section epub:type='colophon'><p>no</p></section>"),
        ("x.xhtml", "<section epub:type='endnotes'><p>no</p></section>"),
        ("toc.xhtml", "<p>no</p>"),
        ("01_title_page.xhtml", "<p>no</p>"),
        ("copyright.xhtml", "<p>no</p>"),
        ("about-the-author.xhtml", "<p>no</p>"),
        ("endnotes-1.xhtml", "<p>no</p>"),
        ("x.xhtml", "<h2>About the Author</h2><p>no</p>"),
        ("x.xhtml", "<h1>ALSO BY M. H. THRALE</h1><p>no</p>"),
        ("x.xhtml", "<h1>Contents</h1><p>no</p>"),
        ("x.xhtml", "<h3>Transcriber’s Notes</h3><p>no</p>"),
        ("nav.html", "<p>no</p>"),
        ("side.xhtml", "<p>no</p>"),
    ],
)
def test_front_and_back_pages_are_left_out(name, body):
    """By `epub:type`, file name, first heading, navigation or `linear`."""
    raw = book(
        {name: body, "one.xhtml": ONE, "two.xhtml": TWO},
        properties={"nav.html": "nav"},
        refs={"side.xhtml": 'linear="no"'},
    )
    decoded, _ = decode_epub(raw)
    assert "no\n" not in decoded.text


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("dedication.xhtml", "<section epub:type='dedication'><h2>Dedication</h2><p>kept</p></section>"),
        ("preface.xhtml", "<section epub:type='preface'><p>kept</p></section>"),
        ("notable.xhtml", "<h2>Notes on a Scandal</h2><p>kept</p>"),
        ("index_split_001.html", "<p>kept</p>"),
        ("x.xhtml", "<h2>The Colophon</h2><p>kept</p>"),
        ("notes.xhtml", f"<p>kept</p>{LONG}"),
        ("contents.xhtml", f"<h1>Contents</h1><p>kept</p>{LONG}"),
    ],
)  # fmt: skip
def test_the_authors_pages_are_kept(name, body):
    """What only looks alike, and what is too long for a page of that kind."""
    raw = book({name: body, "one.xhtml": ONE, "two.xhtml": TWO})
    assert "kept" in decode_epub(raw)[0].text


def test_facts_come_from_the_metadata(tmp_path):
    """A date of the edition is no year of the book."""
    (tmp_path / "lamp.epub").write_bytes(book({"one.xhtml": ONE}))
    (found,) = collection(tmp_path).books
    assert (found.book_id, found.format) == ("lamp", "epub")
    assert dict(found.facts) == {
        "title": "The Lamp",
        "author": "M. H. Thrale",
        "language": "en",
        "license": "CC0",
    }


@pytest.mark.parametrize(
    ("metadata", "facts"),
    [
        (
            '<dc:creator id="a">A. B.</dc:creator><dc:creator id="b">C. D.</dc:creator><dc:creator id="i">Painter</dc:creator>'
            '<meta refines="#i" property="role">ill</meta><meta refines="#a" property="role">dto</meta><meta refines="#a" property="role">aut</meta>',
            {"author": "A. B. and C. D."},
        ),
        ("<dc:date>1906</dc:date>", {}),
        ("<dc:identifier>http://www.gutenberg.org/1342</dc:identifier>", {"etext": "1342"}),
        (f"<dc:title>{'x' * 5000}</dc:title>", {"title": "x" * 2000}),
        ("", {}),
    ],
)  # fmt: skip
def test_metadata_in_its_variants(metadata, facts, tmp_path):
    (tmp_path / "a.epub").write_bytes(book({"one.xhtml": ONE}, metadata=metadata))
    assert dict(collection(tmp_path).books[0].facts) == facts


GOOD = {"META-INF/container.xml": CONTAINER, "OEBPS/one.xhtml": page(ONE)}
OPF = package({"one.xhtml": XHTML})
LOCK = '<encryption xmlns="urn:x"><EncryptedData><EncryptionMethod Algorithm="{}"/><CipherData><CipherReference URI="{}"/></CipherData></EncryptedData></encryption>'


def with_opf(opf):
    return packed({**GOOD, "OEBPS/book.opf": opf})


def flagged(raw):
    """The archive with the mark of an encrypted entry on every entry."""
    changed = bytearray(raw)
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = raw.find(mark)
        while place >= 0:
            changed[place + at] |= 1
            place = raw.find(mark, place + 1)
    return bytes(changed)


DAMAGED = {
    "empty": (packed({}), "container.xml' is missing"),
    "spine of nothing": (with_opf(OPF.replace('idref="i0"', 'idref="zz"')), "'zz', which is no item"),
    "no bytes": (b" \n", "the file is empty. Download it again"),
    "a web page": (b"\n<!DOCTYPE html><title>404</title>", "a web page, not an EPUB"),
    "a PDF": (b"%PDF-1.4", "not an EPUB, which is a zip file"),
    "half a zip": (with_opf(OPF)[:200], "not a complete zip file"),
    "no XML": (with_opf("junk"), "'OEBPS/book.opf' is not XML"),
    "escaped path above": (with_opf(OPF.replace("one.xhtml", "%2e%2e/%2e%2e/x")), "is missing"),
    "NUL in a path": (with_opf(OPF.replace("one.xhtml", "one%00.xhtml")), "is missing"),
    "wrong checksum": (
        packed({**GOOD, "OEBPS/book.opf": OPF}, zipfile.ZIP_STORED).replace(b"nobody", b"no one"),
        "Bad CRC-32",
    ),
    "deep package": (with_opf("<a>" * 5_000 + "</a>" * 5_000), "spine has no documents"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_or_hostile_epub_has_one_reason(name, tmp_path):
    """Listed as one book, and dropped with what is wrong."""
    raw, message = DAMAGED[name]
    with pytest.raises(BookError, match=message) as error:
        decode_epub(raw)
    assert error.value.reason == BookReason.DAMAGED_EPUB
    assert "\n" not in str(error.value)
    (tmp_path / "a.epub").write_bytes(raw)
    assert [book.fault[0] for book in collection(tmp_path).books if book.fault] == ["damaged_epub"]


@pytest.mark.parametrize("entity", ['"ha"', f'SYSTEM "file://{__file__}"'])
def test_no_entity_is_resolved(entity):
    """Neither those of the package nor those of a page, in any encoding."""
    doctype = f'<!DOCTYPE x [<!ENTITY a {entity}><!ENTITY b "&a;&a;&a;">]>'
    opf = doctype + OPF.split("?>")[1].replace("The Lamp", "The Lamp &b;")
    files = {
        **GOOD,
        "OEBPS/book.opf": opf.encode("utf-16"),
        "OEBPS/one.xhtml": doctype + page(f"<p>&b;</p>{ONE}"),
    }
    decoded, facts = decode_epub(packed(files))
    text = decoded.text
    assert "&b;" in text
    assert "hahaha" not in text
    assert "no_entity_is_resolved" not in text
    assert facts["title"] == "The Lamp &b;"


def test_an_unknown_document_type_is_no_harm():
    """Older packages name a document type, without entities."""
    opf = OPF.replace(
        "<package", '<!DOCTYPE package PUBLIC "+//ISBN" "http://x/oebpkg1.dtd"><package'
    )
    assert "late" in decode_epub(with_opf(opf))[0].text


@pytest.mark.parametrize(
    ("raw", "encrypted"),
    [
        (book({"one.xhtml": ONE}, {"META-INF/encryption.xml": LOCK.format("aes128", "OEBPS/one.xhtml")}), True),
        (book({"one.xhtml": ONE}, {"META-INF/encryption.xml": LOCK.format("aes128", "OEBPS/a.otf")}), False),
        (flagged(book({"one.xhtml": ONE})), True),
    ],
    ids=["text", "font", "zip"],
)  # fmt: skip
def test_an_encrypted_text_is_told_from_encrypted_fonts(raw, encrypted):
    if not encrypted:
        assert "late" in decode_epub(raw)[0].text
        return
    with pytest.raises(BookError, match="is encrypted") as error:
        decode_epub(raw)
    assert error.value.reason == BookReason.ENCRYPTED


@pytest.mark.parametrize("spread", [False, True], ids=["one document", "many documents"])
def test_nothing_above_the_limit_is_unpacked(monkeypatch, spread):
    """A zip bomb, in one entry or in all entries together."""
    monkeypatch.setattr(epub, "MAX_BOOK_BYTES", 100_000)
    body = "<p>" + "x" * (40_000 if spread else 10**7)
    raw = book({f"{n}.xhtml": body for n in range(4 if spread else 1)})
    assert len(raw) < 100_000
    with pytest.raises(BookError, match="larger than a book can be") as error:
        decode_epub(raw)
    assert error.value.reason == "too_large"


def test_a_document_listed_often_is_read_once():
    """A short package cannot ask for a long text."""
    opf = OPF.replace('<itemref idref="i0" />', '<itemref idref="i0" />' * 1000)
    assert decode_epub(with_opf(opf))[0].text.count("It was late.") == 1


@pytest.mark.parametrize(
    "pages", [{"one.xhtml": "<p></p>"}, {"one.xhtml": "<img src='a.png'/>", "two.xhtml": ""}]
)
def test_an_epub_without_text_is_empty(pages):
    with pytest.raises(BookError) as error:
        decode_epub(book(pages))
    assert error.value.reason == "empty"


@pytest.mark.parametrize(
    ("name", "href", "folder"),
    [
        ("OEBPS/chapter one.xhtml", "chapter%20one.xhtml#start", ""),
        ("text/one.xhtml", "../text/one.xhtml", ""),
        ("OEBPS/c%21.xhtml", "c%21.xhtml", ""),
        ("OEBPS/c!.xhtml", "c%21.xhtml", ""),
        ("OEBPS/Chapter.XHTML", "chapter.xhtml", ""),
        ("OEBPS/c.xhtml", "c.xhtml?v=2#x", ""),
        ("OEBPS/c?.xhtml", "c%3F.xhtml", ""),
        ("c.xhtml", "/c.xhtml", ""),
        ("OEBPS/caf\u00e9.xhtml", "cafe\u0301.xhtml", ""),
        ("OEBPS/cafe\u0301.xhtml", "caf%C3%A9.xhtml", ""),
        ("OEBPS\\text\\c.xhtml", "text/c.xhtml", ""),
        ("OEBPS/text/c.xhtml", "text\\c.xhtml", ""),
        ("OEBPS/c.xhtml", "c.xhtml", "lamp.epub/"),
        ("OEBPS/C%20d.xhtml", "c%20D.xhtml", "The Lamp/"),
    ],
)
def test_names_are_found_as_written_on_another_system(name, href, folder):
    """References are URLs, relative to the package document; archives are zipped again."""
    files = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package({href: XHTML}),
        name: page(ONE),
    }
    assert (
        "late" in decode_epub(packed({folder + one: data for one, data in files.items()}))[0].text
    )


@pytest.mark.parametrize("path", ["/OEBPS/book.opf", "oebps/Book.opf", "OEBPS\\book.opf"])
def test_the_package_is_found_as_written_on_another_system(path):
    container = CONTAINER.replace("OEBPS/book.opf", path)
    files = {**GOOD, "META-INF/container.xml": container, "OEBPS/book.opf": OPF}
    assert "late" in decode_epub(packed(files))[0].text


def test_the_name_as_written_comes_first():
    """Of names that differ in letter case only."""
    files = {
        **GOOD,
        "OEBPS/book.opf": package({"One.xhtml": XHTML}),
        "OEBPS/One.xhtml": page(TWO),
    }
    assert "dark" in decode_epub(packed(files))[0].text


@pytest.mark.parametrize(("to", "kept"), [("i1", True), ("i0", False), ("zz", False)])
def test_the_fallback_of_a_document_is_read(to, kept):
    """If the document is no text; a circle ends."""
    opf = package({"x.json": "application/json", "one.xhtml": XHTML}, refs={})
    opf = opf.replace('href="x.json"', f'href="x.json" fallback="{to}"')
    opf = opf.replace('<itemref idref="i1" />', "")
    raw = with_opf(opf)
    if kept:
        assert "late" in decode_epub(raw)[0].text
    else:
        with pytest.raises(BookError, match="no document of the EPUB has text"):
            decode_epub(raw)


def test_an_unpacked_epub_is_refused_with_a_remedy(tmp_path):
    """Its chapters are no books."""
    folder = tmp_path / "books" / "lamp.epub"
    for name, data in {**GOOD, "OEBPS/book.opf": OPF, "OEBPS/two.html": page(TWO)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(data)
    remedy = "zip the content of the folder and name the file .epub"
    with pytest.raises(UsageError, match=remedy):
        collection(folder)
    (tmp_path / "books" / "good.epub").write_bytes(with_opf(OPF))
    found = collection(tmp_path / "books")
    assert [one.book_id for one in found.books] == ["good"]
    assert f"1 path (unpacked EPUB, {remedy}): 'lamp.epub'" in " ".join(found.skipped)


def test_pages_of_xhtml_are_refused_with_a_remedy(tmp_path):
    (tmp_path / "one.xhtml").write_text(page(ONE))
    for place in (tmp_path, tmp_path / "one.xhtml"):
        with pytest.raises(UsageError, match=r"rename \.xhtml to \.html"):
            collection(place)

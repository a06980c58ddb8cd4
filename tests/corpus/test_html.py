"""HTML books: the text made of them, what is left out, encodings, facts, and hostile files."""

import zipfile

import pytest

from cloze_gen.corpus.collect import read_text
from cloze_gen.corpus.decoding import flatten
from cloze_gen.corpus.gutenberg import Body, find_body
from cloze_gen.corpus.paragraphs import split_paragraphs
from cloze_gen.corpus.parse_book import IngestSettings, find_markup, parse_book
from cloze_gen.corpus.readers.html import decode_html, html_facts
from cloze_gen.corpus.readers.markup_text import extract_text
from cloze_gen.errors import BookError
from tests.conftest import SAMPLE
from tests.support.books import collection

BREAK = "       *       *       *       *       *"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>It was  late.\n<p>Dark.", "It was late.\n\nDark."),
        ("<div>It was <i>very</i> <b>late</b>.</div>Dark.", "It was very late.\n\nDark."),
        ("<p>Sir,<br/>\n  I am<br>yours.</p>", "Sir,\nI am\nyours."),
        ("<p>One.<br><br>Two.</p>", "One.\n\nTwo."),
        ("<p>a</p><h2>The\n Storm</h2><p>b</p>", "a\n\n        The Storm\n\nb"),
        ("<hgroup><h2>I</h2><p>The Storm</p></hgroup>", "        I\n\n        The Storm"),
        ("<h2><img alt='a picture'>ONE</h2>", "        ONE"),
        ("<p>a</p><hr/><hr><p>b</p>", f"a\n\n{BREAK}\n\nb"),
        ("<pre>\n  one\n   two  \n\nthree</pre>", "  one\n   two\n\nthree"),
        ("<blockquote><p>a</p>b</blockquote>c", "a\n\nb\n\nc"),
        ("<ul><li>a<li>b</ul>", "a\n\nb"),
        ("<table><tr><td>a<td> b <tr><td>c</table>", "a    b\n\nc"),
        ("<table><tr><td><p>A room.</p><p>Dark.</p></table>", "A room.\n\nDark."),
        ("<p>AT&amp;T &mdash; caf&eacute; &#8212; 1 &lt; 2 < 3 &nosuch;", "AT&T — café — 1 < 2 < 3 &nosuch;"),
        ("<p>can\xaddle\u2060—light &#173;", "candle—light"),
        ("<p>by candle-\n  light, Basse-\nVille -\nno", "by candle-\nlight, Basse-\nVille - no"),
        ("<p>friend \u2e3b’s", "friend ———’s"),
        ("<!-- <p>no --><p title='a > b'>yes<?php no ?>", "yes"),
        ("<!DOCTYPE html [<!ENTITY a 'no'>]><p>yes &a;", "yes &a;"),
        ("<head><title>no</title><style>no</style><p>yes", "yes"),
        ("<title/><script src='x'/><p>yes<i/> <span class='pagenum'/>and <a id='a'/>more", "yes and more"),
        ("<p>a<script>if (1 < 2) '<p>no'</script>b", "ab"),
        ("<P CLASS=PageNum>[12]</P><p>a", "a"),
        ("a <br clear=all> b", "a\nb"),
        ("<p>a</div>b</p></p>c", "ab\n\nc"),
        ("a <b", "a"),
        ("<p class=\"x>a</p><p class=\"y\">b <i>c</i>", "b c"),
        ("<html><body><p>a</body></html><html><body><p>b</html>c", "a\n\nbc"),
        ("<a id='p1' title='1/2'/><p>a<p/>b", "a\n\nb"),
        ("<!-- a -->", ""),
    ],
)  # fmt: skip
def test_markup_becomes_paragraphs(markup, text):
    """Blocks are paragraphs, `<br>` ends a line, headings and tables look as in a text file."""
    assert extract_text(markup).text.removesuffix("\n") == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>a<span class='pagenum'><a id='p1'>{1}</a></span>b", "ab"),
        ("<p>a<span epub:type='pagebreak' title='1'>1</span>b", "ab"),
        ("<p>a<span class='page'>[Pg 12]</span>b", "ab"),
        ("<p>a<sup>12</sup> b", "a b"),
        ("<p>a<sup><a href='#f1'>*</a></sup> b", "a b"),
        ("<p>a<a href='#f1'>[A]</a> b", "a b"),
        ("<p>a<a epub:type='noteref' href='n.xhtml#1'>1</a> b", "a b"),
        ("<p>a<div class='footnote'><p>[1] no</div>b", "a\n\nb"),
        ("<p>a<aside epub:type='footnote'>no</aside>b", "a\n\nb"),
        ("<p>a<section role='doc-endnotes'><p>no</section>b", "a\n\nb"),
        ("<nav><ol><li>no</ol></nav>a", "a"),
        ("<div class='toc'><p>no</p></div>a", "a"),
        ("<p><a href='#c1'>Chapter I</a>, <a href='#c2'>II</a></p>a", "a"),
        ("<figure><figcaption>no</figcaption></figure>a", "a"),
        ("<div class='caption'><p>no</p></div>a", "a"),
        ("<p><span class='sidenote'>no</span>a", "a"),
        ("<div class='tnote'><p>Transcriber: no</div>a", "a"),
        ("<div class='advertisement'>no</div>a", "a"),
        ("<section epub:type='imprint'><p>no</section>a", "a"),
        ("<p style='display: none'>no</p>a", "a"),
        ("<p hidden>no</p>a", "a"),
        ("<table><caption>no</caption><tr><td>a</table>", "a"),
        ("<div class='note'><p>a</p></div>", "a"),
        ("<p>M<sup>r.</sup> Hurst, the 4<sup>th</sup>", "Mr. Hurst, the 4th"),
        ("<p>See <a href='#c2'>chapter two</a>, <a href='http://a/b'>or this", "See chapter two, or this"),
        ("<p><span class='page'>The page left.</span>", "The page left."),
        ("<h2><a href='#toc'>Chapter I</a></h2>", "        Chapter I"),
        ("<h2 class='toc'>Chapter I</h2>", "        Chapter I"),
        ("<p><a id='c1'>Here</a>", "Here"),
        (f"<p><span class='pagenum'>12<p>{'a ' * 30}", "12\n\n" + "a " * 29 + "a"),
        # Word's, as a web page
        ("<p>a <del cite='mailto:x'>no</del><ins cite='mailto:x'>b</ins>", "a b"),
        ("<p>a <span class=msoDel>no</span>b", "a b"),
        ("<div style='mso-element:footnote-list'><div style='mso-element:footnote' id=ftn1><p class=MsoFootnoteText>no</div></div>a", "a"),
        ("<p class=MsoEndnoteText>no</p>a", "a"),
        ("<p>a<span class=MsoFootnoteReference><span style='mso-special-character:footnote'>1</span></span> b", "a b"),
        ("<div style='mso-element:comment-list'><div style='mso-element:comment'><p class=MsoCommentText>no</div></div>a", "a"),
        ("<p>a<span class=MsoCommentReference><a class=msocomanchor href='#_msocom_1'>[A1]</a></span>b", "ab"),
        ("<div style='mso-element:header' id=h1><p class=MsoHeader>no</div>a", "a"),
        ("<p class=MsoToc1>Chapter I 3</p>a", "a"),
        ("<p><span style='mso-hide:all'>no</span>a", "a"),
        ("<p>a<sup><a class='sdfootnoteanc' href='#s'>1</a></sup></p><p class='sdfootnote-western'>no</p>", "a"),
    ],
)  # fmt: skip
def test_what_is_no_prose_is_left_out(markup, text):
    """Each rule leaves out what it names, and nothing that only looks alike."""
    assert extract_text(markup).text.removesuffix("\n") == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p><span class='dropcap'>I</span>t was", "It was"),
        ("<p><span class='letra'>\nI</span> am", "I am"),
        ("<p><img alt='T' src='t.png'>\nHE story", "THE story"),
        ("<p><span class='letra'><img alt='“I'></span>\nhope", "“I hope"),
        ("<p><img alt='Drop cap W'/>hen", "When"),
        ("<div class='figleft'><img alt='I'></div><p>t was", "It was"),
        ("<p class='dropcap'>“W</p><p>\n hen he", "“When he"),
        ("<p><img alt='A house'>It was", "It was"),
        ("<p class='dropcap'>I</p>", "I"),
        ("<p><span class='dropcap'>A</span>ARON", "AARON"),
        # an image whose letter stands in the text too
        ("<img alt='T'><p><span>The kettle</span>", "The kettle"),
        ("<img alt='T'><p>THE kettle", "THE kettle"),
        ("<p><img alt='I'>I went", "I went"),
        ("<p><img alt='I'> I went", "I went"),
        ("<img alt='J'><p><span>ason</span>", "Jason"),
        ("<p><img alt='“T'>The kettle", "“The kettle"),
        ("<p><img alt='“T'>“The kettle", "“The kettle"),
        ("<p><img alt='T'>“The kettle", "“The kettle"),
        ("<div><img alt='Drop cap T'></div>\n<p>The kettle", "The kettle"),
        ("<p><img alt='O'>ozing", "Oozing"),
    ],
)
def test_a_drop_capital_opens_its_word(markup, text):
    """In a span, an image or a block of its own."""
    assert extract_text(markup).text.removesuffix("\n") == text


@pytest.mark.parametrize(
    "markup",
    [
        "<div class='poem'><div class='stanza'><span class='i0'>Over the hill<br/></span>\n"
        "<span class='i2'>And under the sky,<br/></span></div><div class='stanza'><span>Away.</span></div></div>",
        "<div class='poetry'><div class='stanza'><div class='verse indent0'>Over the hill</div>"
        "<div class='verse'>And under the sky,</div></div><div class='stanza'><div>Away.</div></div></div>",
        "<blockquote epub:type='z3998:verse'><p><span>Over the hill</span><br/>"
        "<span class='i1'>And under the sky,</span></p><p>Away.</p></blockquote>",
        "<div class='linegroup'><div class='group'><div class='line'>Over the hill</div>"
        "<div class='line'>And under the sky,</div></div><div class='group'><div>Away.</div></div></div>",
        "<div class='poem'><p class='i0'>Over the hill</p><p class='i2'>And under the sky,</p>"
        "<p>Away.</p></div>",
        "<p class='poem'>Over the hill<br>\nAnd under the sky,<br><br>Away.</p>",
    ],
)  # fmt: skip
def test_verse_is_indented_line_by_line(markup):
    """However a poem is marked, its lines and stanzas are those of a text file."""
    text = extract_text(f"<p>He sang:</p>{markup}<p>And left.</p>").text
    assert text == (
        "He sang:\n\n    Over the hill\n    And under the sky,\n\n    Away.\n\nAnd left.\n"
    )


LONG_LINES = (
    "I walk along the long wet road to the mill and think of nothing but the rain and the wheel,",
    "And the wheel is turning, and the miller is singing, and the water is louder than both,",
    "And I stop at the gate and listen, for the song is older than the mill or the man.",
)


@pytest.mark.parametrize(
    ("paragraph", "kinds"),
    [
        ("<br/>".join(LONG_LINES), ["verse"]),
        ("<br/>\n".join(("1", *LONG_LINES)), ["other", "verse"]),
        ("<br>".join((*LONG_LINES, "", "II.", *LONG_LINES)), ["verse", "heading", "verse"]),
        (" ".join(LONG_LINES), ["prose"]),
        ("<br>".join("The mill was old. " * 6 for _ in range(3)), ["prose"]),
        ("<br>".join("and the mill was old, and the wheel, " * 3 for _ in range(3)), ["prose"]),
    ],
)
def test_a_line_break_ends_a_long_line_of_verse(paragraph, kinds):
    """Capitals begin the lines, and sentences go on after their ends; numbers of stanzas are apart."""
    flat = flatten(extract_text(f"<p>{paragraph}</p>").text)
    found = list(split_paragraphs(flat, Body(0, len(flat), "", "")))
    assert [one.kind for one in found] == kinds


def test_a_book_of_html_is_the_book_of_text():
    """Rendered as HTML, a novel has the sentences, kinds and paragraphs of its text file."""
    raw = (SAMPLE / "source" / "the-lamp-at-skerry-point.txt").read_bytes()
    blocks = raw.decode().replace("&", "&amp;").replace("<", "&lt;").split("\r\n\r\n")
    page = "<!DOCTYPE html><title>The Lamp</title><body>" + "".join(
        f"<pre>{one}</pre>" if one.startswith("  ") else f"<p>{one}</p>\n" for one in blocks
    )
    plain, html = (
        parse_book(text, settings=IngestSettings())
        for text in (raw.decode(), decode_html(page.encode())[0].text)
    )
    assert len(plain.text) > 100
    assert (html.text, html.kind, html.tokens) == (plain.text, plain.kind, plain.tokens)


GUTENBERG = """<body><section class='pg-boilerplate pgheader' id='pg-header' lang='en'>
<h2>The Project Gutenberg eBook of <span id='pg-title-no-subtitle'>A Lamp</span></h2>
<div>This ebook is for the use of anyone.</div><div id='pg-machine-header'><p><strong>Title</strong>: A Lamp</p></div>
<div id='pg-start-separator'><span>*** START OF THE PROJECT GUTENBERG EBOOK A LAMP OF SOME LENGTH: A TALE OF TWO
HARBOURS, AND OF WHAT WAS SEEN THERE ***</span></div></section>
<h1>A Lamp</h1><p>It was late.</p>
<section class='pg-boilerplate pgfooter' id='pg-footer'><div id='pg-end-separator'>
<span>*** END OF THE PROJECT GUTENBERG EBOOK A LAMP ***</span></div><div>Updated editions.</div></section>"""


def test_gutenbergs_header_and_footer_are_cut_as_in_text_files():
    """They are kept as text, so that files with and without their ids are treated alike."""
    flat = flatten(extract_text(GUTENBERG).text)
    body = find_body(flat)
    assert flat[body.start : body.end].split() == "A Lamp It was late.".split()
    assert body.footer_marker.endswith("EBOOK A LAMP ***")


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        ("<p>café".encode(), "utf-8"),
        ("\ufeff<p>café".encode(), "utf-8-sig"),
        ("<p>café".encode("utf-16"), "utf-16"),
        (b"<meta charset=iso-8859-1><p>caf\xe9", "latin-1"),
        ("<meta charset=iso-8859-1><p>café".encode(), "utf-8"),
    ],
)
def test_the_encoding_is_found(raw, encoding):
    """By the bytes, whatever the page declares."""
    found, _ = decode_html(raw)
    assert found.text.startswith("café")
    assert found.encoding == f"html, {encoding}"


@pytest.mark.parametrize(
    ("head", "facts"),
    [
        ("<title>Emma</title>", {"title": "Emma"}),
        (
            "<html lang='en'><title>The Project Gutenberg eBook of Tom &amp; I,\n by A. B. Cee.</title>",
            {"title": "Tom & I", "author": "A. B. Cee", "language": "en"},
        ),
        ("<title>Emma | Project Gutenberg</title>", {"title": "Emma"}),
        ("<title>\n Toward the Mill, by A. B. Skey—A Project Gutenberg eBook\n</title>", {"title": "Toward the Mill", "author": "A. B. Skey"}),
        ("<title>Emma, by J. A. (Project Gutenberg E-text)</title>", {"title": "Emma", "author": "J. A."}),
        ("<title>Emma, by J. A. - The Project Gutenberg eBook.</title>", {"title": "Emma", "author": "J. A."}),
        ("<title>Project Gutenberg's Emma, by J. A.</title>", {"title": "Emma", "author": "J. A."}),
        ("<title>Life at Project Gutenberg House</title>", {"title": "Life at Project Gutenberg House"}),
        ("<title>Step by Step</title>", {"title": "Step by Step"}),
        (
            "<title>x</title><meta name='dc.title' content='Emma'><meta content='J. A.' name='DC.Creator'>"
            "<meta property='og:title' content='no'><meta name='dcterms.rights' content='CC0'>",
            {"title": "Emma", "author": "J. A.", "license": "CC0"},
        ),
        ("<pre>Release Date: June, 1998 [EBook #1342]</pre>", {"etext": "1342"}),
        (f"<title>{'x' * 5000}</title>", {"title": "x" * 2000}),
        ("<p>no head", {}),
    ],
)  # fmt: skip
def test_facts_come_from_the_head(head, facts):
    """Title, author, language, licence and e-text number."""
    assert html_facts(head) == facts


def test_a_folder_lists_and_reads_html(tmp_path):
    """With its facts."""
    (tmp_path / "a.HTM").write_bytes(b"<title>Emma, by J. A.</title>" + b"<p>caf\xe9" * 40_000)
    (book,) = collection(tmp_path).books
    assert (book.book_id, book.format, book.facts) == (
        "a",
        "html",
        {"title": "Emma", "author": "J. A."},
    )
    assert read_text(book).count("café") == 40_000


def test_parts_of_a_saved_page_are_no_books(tmp_path):
    """Word and browsers save them in a folder beside the page; an archive may hold both."""
    files = {"mill.htm": "a", "mill_files/header.htm": "b", "my_files/lamp.html": "c"}
    for name, text in files.items():
        (tmp_path / "books" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "books" / name).write_text(f"<p>{text}")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, f"<p>{text}")
    for place in (tmp_path / "books", tmp_path / "all.zip"):
        found = collection(place)
        assert [book.book_id for book in found.books] == ["lamp", "mill"]
        assert "mill_files/header.htm" in " ".join(found.skipped)
        assert "saved web page" in " ".join(found.skipped)


@pytest.mark.parametrize("raw", [b"", b"  ", b"<html><title>a</title><img src=x></html>"])
def test_html_without_text_is_empty(raw):
    with pytest.raises(BookError) as error:
        decode_html(raw)
    assert error.value.reason == "empty"


def test_html_is_no_longer_markup():
    """A text from HTML has no tags; HTML in a text file keeps its reason."""
    page = "<html><body>" + "<p class='a'>It was late.</p>" * 30
    assert find_markup(page)
    assert not find_markup(extract_text(page).text)


N = 20_000
HOSTILE = {
    "deep": "<div>" * N,
    "deep inline": "<sup>" * N,
    "paragraphs behind inline": "<span class=pagenum>" * 9000 + "<p>x" * N,
    "ends of nothing": "<span class=toc>" * 9000 + "</em></div>" * N,
    "ends behind a block": "<i class=toc><div>" + "<b class=toc>" * 9000 + "</i>" * N,
    "formatting": "".join(f"<b id={n}>" for n in range(N // 10)) + "<p>x" * (N // 10),
    "comments": "<!--" * N,
    "sections": "<![CDATA[" * N,
    "doctypes": "<!DOCTYPE[" * N,
    "cut tags": "<a " * N,
    "quoted ends": '<a =">"' * N,
    "quotes": "<a ='" * N + ">",
    "equals": f"<p {'= ' * N}>",
    "attributes": f"<p {'class=x ' * N}>a",
    "spaces in a tag": f"<p x{' ' * N}>",
    "scripts": "<script>" * N,
    "references": "&" * N + "&#" + "9" * N + ";",
    "cells": "<td>a" * (N // 5),
    "one word": "a" * N,
    "drop capitals": "<p class=dropcap>I" * (N // 10),
    "links": "<a href=#a>" * N,
    "control characters": "\0\v\x1c" * N,
}

TOO_DEEP = {
    "deep",
    "deep inline",
    "paragraphs behind inline",
    "ends of nothing",
    "ends behind a block",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markup_takes_linear_time(name):
    """Quadratic time would take minutes each."""
    if name in TOO_DEEP:
        with pytest.raises(BookError, match="inside one another"):
            extract_text(HOSTILE[name])
    else:
        assert "\0" not in extract_text(HOSTILE[name]).text

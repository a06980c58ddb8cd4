"""Books that cannot serve are recognised by their content; books, plays and poems stay books."""

import gzip
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from cloze_gen.corpus.content_sketch import find_overlaps
from cloze_gen.corpus.decoding import decode_book, flatten
from cloze_gen.corpus.normalization import normalize_sentence
from cloze_gen.corpus.parse_book import (
    BookReason,
    IngestSettings,
    find_markup,
    has_sentence_lines,
    parse_book,
)
from cloze_gen.corpus.tokens import tokenize
from cloze_gen.errors import BookError


def test_reasons_read_aloud():
    """A reason is a lower-case key of the funnel."""
    assert all(reason.value == reason.name.lower() for reason in BookReason)


CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "ingest_markup.json").read_text(encoding="utf-8")
)
FILLER = (
    "It was a dark and stormy night, and the rain fell in torrents upon the roofs of the town. "
    * 300
)


def cases(*groups):
    return [pytest.param(text, id=name) for group in groups for name, text in CASES[group].items()]


@pytest.mark.parametrize("text", cases("markup once"))
def test_what_opens_as_markup_is_markup(text):
    """However long the book behind it is."""
    assert find_markup(text + FILLER)


@pytest.mark.parametrize("text", cases("markup when repeated"))
def test_many_tags_are_markup_and_few_are_not(text):
    """A page's tags all through the text; one such passage in a book is a passage."""
    assert find_markup(text * 20)
    assert not find_markup(text)
    assert not find_markup(text + FILLER)


@pytest.mark.parametrize("text", cases("plain"))
def test_plain_texts_stay_plain(text):
    """Italics, side notes, addresses and signs of all sorts stand in plain e-texts, however often."""
    assert find_markup(text * 200) == ""


def test_the_limits():
    """Ten tags, and one in 2,000 characters, both inclusive."""
    assert find_markup("<p>" * 10)
    assert not find_markup("<p>" * 9)
    assert find_markup("<p>" * 10 + "x" * (20_000 - 30))
    assert not find_markup("<p>" * 10 + "x" * (20_000 - 29))


def test_what_is_told_fits_a_line():
    """The first tag is shown on one line, cut where it is long."""
    told = find_markup(f'<p\n class="{"x" * 500}">' * 10)
    assert "\n" not in told
    assert len(told) < 140


def test_a_page_is_dropped_with_its_reason():
    page = '<p class="a">It was a dark and stormy night, and the café was shut.</p>\n' * 100
    with pytest.raises(BookError, match='<p class="a">') as caught:
        parse_book(page, settings=IngestSettings())
    assert caught.value.reason == BookReason.MARKUP


BOOKCORPUS = (
    "the lamp was out , and nobody had seen it go .\n`` who did that ? ''\n"
    "`` i do n't know , '' said the old man , `` but it was n't me . ''\n"
    "he went to the window and looked down into the street , where the rain had stopped "
    ".\nthere was nobody .\n"
)
CASED = "The lamp was out , and nobody had seen it go .\nJane did n't answer .\n"
LOWER = "the lamp was out, and nobody had seen it go.\njane didn't answer.\n"


@pytest.mark.parametrize(
    "lines",
    [BOOKCORPUS, CASED, LOWER],
    ids=["bookcorpus", "tokens in their case", "small letters alone"],
)
@pytest.mark.parametrize("size", [200, 20_000])
def test_lists_of_sentences_are_found(lines, size):
    """Treebank tokens, small letters, or both."""
    assert has_sentence_lines(lines * (size // lines.count("\n")))


@pytest.mark.parametrize(
    "text",
    [
        '"Who did that?"\n\n"I don\'t know," said the old man, "but it wasn\'t me."\n\n',
        "The lamp was out, and nobody had seen it go.\nJane didn't answer.\n",
        "HAMLET. The lamp is out.\nHORATIO. Who did that, my lord?\n",
        "the lamp is out\nand nobody saw\nit go, o wind,\nit was out\n",
        "the lamp was out , and nobody had seen it go , for the rain\nwas loud and the window "
        "shut . they sat till dawn , and then\n",
        "1,200 lamps; 3,400 wicks.\nTable II. Lamps, wicks and oil.\n",
    ],
    ids=[
        "speeches",
        "sentences as printed",
        "a play",
        "a poem in small letters",
        "wrapped tokens",
        "a table",
    ],
)
def test_books_stay_books(text):
    """What has its letter case and punctuation is one, and so is what has no sentence a line."""
    assert not has_sentence_lines(text * 500)


def test_a_short_list_is_no_file_of_sentences():
    """An article of thirty such lines is read."""
    assert not has_sentence_lines(CASED * 15)


def test_such_a_file_is_dropped_with_its_reason():
    with pytest.raises(BookError, match="each line is a sentence, with spaces") as caught:
        parse_book(BOOKCORPUS * 100, settings=IngestSettings())
    assert caught.value.reason == "one_sentence_per_line"


# ---- A whole book

SMALL = IngestSettings(min_word_tokens=5)
DATA = Path(__file__).parents[2] / "data"
BOOK = (
    b"licence\r\n*END*THE SMALL PRINT! Ver.04*END*\r\n\r\nScanned by me.\r\n\r\nCHAPTER I\r\n\r\n"
    b'It was _very_ dark by candle-\r\nlight--and cold.[3]  "Come!" said Mr.\r\nHolmes, '
    b'"\'tis late."\r\n\r\n'
    b"   Over the hill\r\n   And under the sky,\r\n   And home,\r\n\r\n* * *\r\n\r\nThen he was gone, and "
    b"that was the end of it.\r\n\r\n"
    b"End of Project Gutenberg's Etext of It\r\n"
)


def parse(raw, settings=SMALL):
    return parse_book(decode_book(raw).text, settings=settings)


def assert_laws(book, raw):
    """What holds of every parsed book."""
    flat = flatten(decode_book(raw).text)
    columns = (book.start, book.end, book.paragraph, book.kind, book.text, book.tokens)
    assert {len(column) for column in columns} == {book.audit.sentences}
    assert all(before <= after for before, after in zip(book.end, book.start[1:], strict=False))
    for start, end, text, tokens in zip(book.start, book.end, book.text, book.tokens, strict=True):
        assert normalize_sentence(flat[start:end]) == text
        assert tokenize([text]).lines == [tokens]
    running = [
        tokens.split(" ")
        for tokens, kind in zip(book.tokens, book.kind, strict=True)
        if kind != "heading"
    ]
    # as a dict: two counters are equal although one has a type of a heading, with count 0
    assert dict(book.type_counts) == dict(Counter(token for tokens in running for token in tokens))
    assert sum(len(tokens.split(" ")) for tokens in book.tokens) == book.audit.tokens


PLAIN_LINE = "The straw was cold, and nobody had seen the horse since the morning. "


def test_a_book_becomes_sentences_of_tokens():
    """Headings, prose and verse with their spans; credits, rules and licence left out."""
    book = parse(BOOK)
    assert_laws(book, BOOK)
    assert list(zip(book.kind, book.tokens, strict=True)) == [
        ("heading", "CHAPTER I"),
        ("prose", "It was very dark by candle\u00adlight -- and cold ."),
        ("prose", '" Come ! " said Mr. Holmes , " \'tis late . "'),
        ("verse", "Over the hill And under the sky , And home ,"),
        ("prose", "Then he was gone , and that was the end of it ."),
    ]
    assert book.audit.footer_marker == "End of Project Gutenberg's Etext of It"


def test_a_paragraph_with_a_placeholder_is_background_only():
    """PG-19 replaces words, so that no sentence near one is as it was written."""
    clean = "He came home late, and there was no light in any of the windows.\n\n"
    book = parse(
        (f"{clean}An old <DW64> opened. She knew him.\n\n{clean}<DW> and <D>, he read.").encode()
    )
    assert list(zip(book.kind, book.text, strict=True))[1:] == [
        ("other", "An old <DW64> opened."),
        ("other", "She knew him."),
        ("prose", clean.strip()),
        ("other", "DW and D, he read."),  # brackets around a sentence are trimmed
    ]


def test_a_lost_character_splits_no_word_and_is_in_no_item():
    book = parse(f"{PLAIN_LINE}\n\nThe na\ufffdve groom slept.".encode())
    assert book.kind[-1] == "other"
    assert book.tokens[-1] == "The na\ufffdve groom slept ."


@pytest.mark.parametrize("lost", ["\ufffd", "?"])
@pytest.mark.parametrize("line", ["The groom hadn{}t slept.", "He said, {}Wait,{} and slept."])
def test_a_book_with_many_lost_characters_is_dropped(lost, line):
    """Few are only counted."""
    few = parse(f"{line.format(lost, lost)}\n{PLAIN_LINE * 200}".encode())
    assert few.audit.lost_chars == line.count("{}")
    with pytest.raises(BookError, match=f"^{10 * line.count('{}')} of ") as caught:
        parse((line.format(lost, lost) + PLAIN_LINE).encode() * 10)
    assert caught.value.reason == BookReason.LOST_CHARACTERS


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "empty"),
        (b"\x1a", "empty"),
        (gzip.compress(b"text" * 99, mtime=0), "binary"),
        (b"Too short a story.", "nearly_empty"),
        ("Longtemps, je me suis couch\u00e9 de bonne heure. ".encode() * 60, "other_language"),
        (
            "\u041c\u043e\u0439 \u0434\u044f\u0434\u044f \u0441\u0430\u043c\u044b\u0445. ".encode()
            * 90,
            "other_language",
        ),
    ],
)
def test_a_book_that_cannot_serve_is_dropped_with_its_reason(raw, reason):
    with pytest.raises(BookError) as caught:
        parse(raw, IngestSettings())
    assert caught.value.reason == reason
    assert str(caught.value)


LATE = "It was late, and off went the fire.\n\n"


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (LATE.replace("\n", " ") * 299, "299 of 299 sentences in one paragraph"),
        (f"JOAN.\n\n{LATE}AMOS.\n\nIt was not.\n\n" * 60, "as in a play"),
        (LATE * 200 + "[It is a note of three sentences.]\n\n" * 400, "only"),
        ("He couldn?t see the fire.\n\n" + "He did not see the fire.\n\n" * 999, ""),
        ("He couldn?t see the fire.\n\n" * 30 + LATE * 999, "30 lost characters (U+FFFD, or"),
        (
            LATE * 400 + "He left the Etext where it was.\n\n" * 30 + LATE * 400,
            "30 words of licences",
        ),
        ("It was late in the day.\n\n" * 300, "ligatures"),
        (LATE * 300, ""),
    ],
)
def test_a_doubtful_book_is_kept_with_a_warning(text, warning):
    """Its audit row says what may be wrong."""
    audit = parse(text.encode()).audit
    assert warning in audit.warnings
    assert bool(warning) == bool(audit.warnings)


def test_a_book_does_not_depend_on_what_was_read_before():
    book = parse(BOOK)
    parse(b"Other words were here, and they were many. " * 30)
    again = parse(BOOK)
    assert again.audit == book.audit
    assert (again.text, again.tokens, again.type_counts) == (
        book.text,
        book.tokens,
        book.type_counts,
    )
    assert np.array_equal(again.sketch, book.sketch)


def test_one_endless_line_is_read_like_any_other():
    """A book without line ends has the sentences of the wrapped one."""
    story = "The lamp was lit, and nobody had come. He waited for it to go out. " * 2000
    assert parse(story.encode()).text == parse(story.replace(". ", ".\n").encode()).text


def real(name):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"needs {path.relative_to(DATA.parent)}: run `make data SHARED=DIR`")
    return path.read_bytes()


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("holmes-training/AMATC10.TXT", "CRACKSMAN", "human head or not."),
        ("holmes-training/HRLND10.TXT", "HERLAND", "we at last left Herland."),
        ("holmes-training/SBRUN10.TXT", "SYLVIE", "He made and loveth all.'"),
        ("holmes-training/ALICE30.TXT", "ALICE", "THE END"),
        ("scs-books/7878.txt", "PASSAGES", ""),
        ("scs-books/1260.txt", "JANE EYRE", "come, Lord Jesus!'\""),
    ],
)
@pytest.mark.slow
def test_odd_books_begin_and_end_where_they_should(name, first, last):
    """The books that data notes name: the first sentences and the very last."""
    raw = real(name)
    book = parse(raw, IngestSettings())
    assert_laws(book, raw)
    assert first in " ".join(book.text[:4]).upper()
    assert book.text[-1].endswith(last)
    assert book.audit.body_share > 0.9 or len(raw) < 250_000
    assert book.audit.residual_boilerplate == 0


@pytest.mark.realdata
@pytest.mark.slow
def test_vanity_fair_is_found_under_another_name():
    """The SCS book and the training book are one; a third novel is not."""
    names = {
        "599": "scs-books/599.txt",
        "VFAIR10": "holmes-training/VFAIR10.TXT",
        "1661": "holmes-seeds/1661-8.txt",
    }
    (found,) = find_overlaps(
        {book: parse(real(name)).sketch for book, name in names.items()}, min_containment=0.5
    )
    assert (found.book_a, found.book_b) == ("599", "VFAIR10")
    assert min(found.containment_a_in_b, found.containment_b_in_a) > 0.9

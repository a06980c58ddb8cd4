"""Files with one sentence a line: their ranges, their tokens, and what a run makes of them."""

import hashlib
import io
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.books import kept_books
from cloze_gen.corpus.content_sketch import containment
from cloze_gen.corpus.counts import opening_words
from cloze_gen.corpus.decoding import decode_book
from cloze_gen.corpus.normalization import normalize_sentence
from cloze_gen.corpus.parse_book import IngestSettings, parse_book
from cloze_gen.corpus.parse_sentences import parse_sentences, sentence_lines
from cloze_gen.corpus.readers import list_file, parquet, read_book
from cloze_gen.corpus.readers.reader import InputSettings
from cloze_gen.corpus.readers.sentence_lines import KIND, line_ranges
from cloze_gen.corpus.scan import scan
from cloze_gen.errors import BookError
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl
from tests.conftest import QUICK, SAMPLE, call_cli

LINES = (
    "the lamp was out , and nobody had seen it go .\n"
    "`` who did that ? ''\n"
    "`` i do n't know , '' said mr. holmes , `` but it was n't me . ''\n"
    "she went to watson 's window , and looked down into the street where the rain had stopped .\n"
)
MANY = LINES * 300


def written(folder, text, name="books_large_p1.txt"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def parsed(text):
    return parse_sentences(
        text,
        settings=IngestSettings(min_word_tokens=0, min_function_word_share=0),
    )


# ---- the file


@pytest.mark.parametrize("least", [1, 7, 50, 90, 4000])
@pytest.mark.parametrize("end", ["", "\n"])
def test_ranges_are_the_file_in_whole_lines(least, end):
    raw = (LINES * 9).rstrip().encode() + end.encode()
    ranges = list(line_ranges(io.BytesIO(raw), len(raw), least=least))
    assert b"".join(raw[start:stop] for start, stop in ranges) == raw
    assert all(raw[stop - 1 : stop] == b"\n" for _, stop in ranges[:-1])
    assert all(stop - start >= least for start, stop in ranges[:-1])


def test_a_file_without_line_ends_is_one_range():
    raw = b"a" * 1000
    assert list(line_ranges(io.BytesIO(raw), len(raw), least=10)) == [(0, 1000)]


def test_a_short_rest_belongs_to_the_last_range():
    """Less than a quarter of a part; more of it is a part of its own."""
    raw = b"abc.\n" * 12
    assert list(line_ranges(io.BytesIO(raw), 60, least=50)) == [(0, 60)]
    assert list(line_ranges(io.BytesIO(raw), 60, least=40)) == [(0, 45), (45, 60)]


def test_a_file_of_sentences_is_listed_in_parts(tmp_path):
    path = written(tmp_path, MANY)
    listing = list_file(path, InputSettings())
    assert listing.sentences
    assert [(one.name, one.kind) for one in listing.members] == [(f"0-{path.stat().st_size}", KIND)]
    raw = read_book(path, listing.members[0].name).data
    assert raw == path.read_bytes()
    assert scan(tmp_path).books[0].digest() == hashlib.sha256(raw).hexdigest()


@pytest.mark.parametrize(
    "text",
    [LINES * 50, '"I do not know," said Holmes.\n\nThe lamp was out, and it was cold.\n\n' * 900],
    ids=["a few lines", "a book"],
)
def test_other_files_stay_one_book(text, tmp_path):
    listing = list_file(written(tmp_path, text), InputSettings())
    assert [one.name for one in listing.members] == [""]
    assert not listing.sentences


@pytest.mark.parametrize("member", ["5", "9-4", "0-99999999", "../x", "0-" + "9" * 40])
def test_an_unknown_part_is_unreadable(member, tmp_path):
    with pytest.raises(BookError, match="no part"):
        read_book(written(tmp_path, MANY), member)


def test_a_table_of_sentences_is_listed_in_parts(tmp_path, monkeypatch):
    """Rows of several row groups make a part, a large row group several; they read as lines."""
    monkeypatch.setattr(parquet, "RANGE_BYTES", 20_000)
    path = tmp_path / "train-00000-of-00010.parquet"
    rows = MANY.splitlines()
    pq.write_table(pa.table({"text": rows}), path, row_group_size=500, use_dictionary=False)
    listing = list_file(path, InputSettings())
    assert listing.sentences
    assert len(listing.members) > 3
    assert {one.kind for one in listing.members} == {KIND}
    parts = [read_book(path, one.name).data for one in listing.members]
    assert b"".join(parts) == MANY.encode()
    with pytest.raises(BookError, match="no rows"):
        read_book(path, "0-99999")


# ---- the tokens


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("the lamp was out .", "the lamp was out ."),
        (
            "the Lamp was out , and Holmes did n't mind .",
            "the Lamp was out , and Holmes didn't mind .",
        ),
        ("`` i do n't know , '' he said .", '" i don\'t know , " he said .'),
        ("it 's watson 's , and i 'm glad .", "it's watson's , and i'm glad ."),
        ("they 'll say we 've gone ; you 're late .", "they'll say we've gone ; you're late ."),
        ("she could n't 've known .", "she couldn't've known ."),
        ("we can not say what he 's gon na do .", "we cannot say what he's gonna do ."),
        ("'t is the ladies ' lamp .", "'tis the ladies' lamp ."),
        ("`` 's all right , '' said he .", '" \'s all right , " said he .'),
        ("he came at 9 p.m. , etc. , and left .", "he came at 9 p.m. , etc. , and left ."),
        ("wait . . . he said -- no -- and left ....", "wait ... he said -- no -- and left ..."),
        ("he said -lrb- softly -rrb- : come .", "he said ( softly ) : come ."),
        ("mary saw the 1840 's [ 3 ] .", "mary saw the 1840's [ 3 ] ."),
        ("  the   café was closed . ", "the café was closed ."),
    ],
)
def test_tokens_are_those_of_a_book(line, tokens):
    assert parsed(line + "\n" + LINES).tokens[0] == tokens


def test_spans_lead_to_the_lines():
    text = "\n  the café was shut . \n''\n\nno !\n-- i said -- yes .\n"
    book = parsed(text)
    slices = [text[start:end] for start, end in zip(book.start, book.end, strict=True)]
    assert slices == ["the café was shut .", "no !", "-- i said -- yes ."]
    assert len(book.tokens) == len(book.text) == book.audit.sentences == 3


@given(st.text(alphabet=" .-`'\"[]<>_an1é,\n—", max_size=60))
def test_each_line_is_normalized_as_in_a_book(text):
    starts, ends, texts = sentence_lines(text)
    found = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    assert texts == [normalize_sentence(one) for one in found]


def test_counts_are_of_the_tokens():
    book = parsed(MANY)
    flat = " ".join(book.tokens).split(" ")
    assert book.type_counts == {token: flat.count(token) for token in set(flat)}
    assert book.audit.tokens == len(flat)
    assert opening_words(book.tokens).keys() == {"the", "who", "i", "she"}


def test_a_novel_is_found_among_sentences():
    """Letter case and Penn tokens do not hide it."""
    novel = training_books()[-1]
    assert containment(novel.sketch, parsed("\n".join(penn_lines(novel))).sketch) > 0.9


def penn_lines(book):
    """A book's sentences as BookCorpus prints them."""
    return [
        line.lower().replace("n't", " n't").replace("'s ", " 's ").replace('"', "''")
        for line, kind in zip(book.tokens, book.kind, strict=True)
        if kind != "heading"
    ]


# ---- a run


TRAIN = sorted((SAMPLE / "train").glob("*.txt"))


@cache
def training_books():
    return [
        parse_book(decode_book(path.read_bytes()).text, settings=IngestSettings()) for path in TRAIN
    ]


def background(folder, *, leave=0):
    """The sample's training books, all but some as one file of sentences."""
    lines = (line for book in training_books()[leave:] for line in penn_lines(book))
    written(folder, "\n".join(lines) + "\n")
    for path in TRAIN[:leave]:
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A Holmes-style run with seven books of sentences and one whole book as background."""
    folder = tmp_path_factory.mktemp("sentences")
    train = background(folder / "train", leave=1)
    outcome = call_cli(
        *("run", "holmes-sample", "--train", train, "--source", SAMPLE / "source", *QUICK),
        *("--set", "choice.method=random", "--set", "choice.n_questions=20"),
        *("--out", folder / "out", "--name", "it", "--workers", "1"),
    )
    assert outcome.status == 0, outcome.err
    return folder / "out" / "runs" / "it"


def test_a_run_mixes_sentences_and_books(made):
    rows = kept_books(stage_artifact(made, "corpus train"))
    assert [row.get("member", "") != "" for row in rows] == [False, True]
    assert len(list(read_jsonl(made / "release" / "questions.jsonl"))) > 10


def test_the_text_for_the_model_is_as_of_books(made):
    lines = stage_artifact(made, "text").path("sentences.txt").read_text().splitlines()
    assert not any(mark in line for line in lines for mark in ("``", "n 't", " n't ", " 's "))


def test_a_source_novel_among_the_sentences_is_found(tmp_path):
    train = background(tmp_path / "train")
    source = tmp_path / "source"
    source.mkdir()
    (source / TRAIN[0].name).write_bytes(TRAIN[0].read_bytes())
    outcome = call_cli(
        *("run", "holmes-sample", "--train", train, "--source", source, *QUICK),
        *("--out", tmp_path / "out", "--name", "it", "--workers", "1"),
    )
    assert outcome.status != 0
    assert "overlaps_train" in outcome.err
    assert "shares text with books_large_p1-0-" in outcome.err


@pytest.mark.parametrize(
    ("style", "option", "more"),
    [
        ("holmes-sample", "--source", ("--train", SAMPLE / "train")),
        ("holmes-few-books", "--source", ()),
        ("lambada-sample", "--books", ()),
    ],
)
def test_sentences_are_no_source(style, option, more, tmp_path):
    written(tmp_path / "in", MANY)
    assert scan(tmp_path / "in").sentences
    outcome = call_cli("run", style, option, tmp_path / "in", *more, "--out", tmp_path / "out")
    assert outcome.status == 2
    assert f"{option}: " in outcome.err
    assert "one sentence per line" in outcome.err
    assert "as --train to holmes-style or scs-style" in outcome.err

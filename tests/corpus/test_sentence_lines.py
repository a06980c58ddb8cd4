"""Files with one sentence a line: their ranges, their tokens, and what a run makes of them."""

import gzip
import json
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.corpus.books import kept_books
from cloze_gen.corpus.collect import read_text
from cloze_gen.corpus.content_sketch import find_overlaps
from cloze_gen.corpus.counts import opening_words
from cloze_gen.corpus.decoding import decode_book
from cloze_gen.corpus.parse_book import IngestSettings, parse_book
from cloze_gen.corpus.parse_sentences import parse_sentences
from cloze_gen.corpus.readers import sentence_lines
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl
from tests.conftest import QUICK, SAMPLE, call_cli
from tests.support.books import collection

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
    settings = IngestSettings(min_word_tokens=0, min_function_word_share=0.0001)
    return parse_sentences(text, settings=settings)


# ---- the file


@pytest.mark.parametrize(
    "name", ["books_large_p1.txt", "books_large_p1.txt.gz", "x.parquet", "x.jsonl"]
)
def test_a_file_of_sentences_is_read_in_parts(name, tmp_path, monkeypatch):
    """Of whole lines, which together are the file."""
    monkeypatch.setattr(sentence_lines, "_PART_BYTES", 20_000)
    text = MANY * 2
    path = tmp_path / name
    if name.endswith(".parquet"):
        rows = pa.table({"text": text.splitlines()})
        pq.write_table(rows, path, row_group_size=500, use_dictionary=False)
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps({"text": line}) + "\n" for line in text.splitlines()))
    else:
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    found = collection(path)
    assert found.has_sentences
    assert [book.member for book in found.books] == [
        str(number) for number in range(len(found.books))
    ]
    assert len(found.books) > 3
    parts = [read_text(book).removesuffix("\n") for book in found.books]
    assert "\n".join(parts).split("\n") == text.splitlines()


@pytest.mark.parametrize(
    "text",
    ["".join(f"{line}\n" for line in MANY.splitlines()[:40]), "It was late, he said.\n" * 3000, ""],
    ids=["short", "a book", "empty"],
)
def test_other_files_stay_one_book(text, tmp_path):
    assert not collection(written(tmp_path, text)).has_sentences


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


def test_counts_are_of_the_tokens():
    book = parsed(MANY)
    flat = " ".join(book.tokens).split(" ")
    assert book.type_counts == {token: flat.count(token) for token in set(flat)}
    assert book.audit.tokens == len(flat)
    assert opening_words(book.tokens).keys() == {"the", "who", "i", "she"}


def test_a_novel_is_found_among_sentences():
    """Letter case and Penn tokens do not hide it."""
    novel = training_books()[-1]
    sketches = {"novel": novel.sketch, "sentences": parsed("\n".join(penn_lines(novel))).sketch}
    (overlap,) = find_overlaps(sketches, min_containment=0.3)
    assert overlap.containment_a_in_b > 0.9


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
    texts = [decode_book(path.read_bytes()).text for path in TRAIN]
    return [parse_book(text, settings=IngestSettings()) for text in texts]


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
    assert "shares text with books_large_p1-0" in outcome.err


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
    assert collection(tmp_path / "in").has_sentences
    outcome = call_cli("run", style, option, tmp_path / "in", *more, "--out", tmp_path / "out")
    assert outcome.status == 2
    assert f"{option}: " in outcome.err
    assert "one sentence per line" in outcome.err
    assert "as --train to holmes-style or scs-style" in outcome.err

"""Every parser of a file from elsewhere: a mutated file is read, or refused by a `ClozeGenError`."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloze_gen.config import parse_settings, read_toml
from cloze_gen.corpus.parse_book import find_markup
from cloze_gen.corpus.readers import decode_text, read_texts
from cloze_gen.corpus.readers.compressed import zstd
from cloze_gen.corpus.readers.reader import FileReport
from cloze_gen.errors import ClozeGenError
from cloze_gen.evaluation.user_scores import parse_user_scores
from cloze_gen.formats.lambada import parse_passages
from cloze_gen.formats.msr import parse_machine
from cloze_gen.formats.questions import parse_questions
from cloze_gen.formats.scde import parse_collected, parse_published
from cloze_gen.judging.exchange import PacketRow, packets_csv, parse_verdicts_csv
from cloze_gen.judging.verdicts import VerdictFile, parse_verdicts, verdicts_jsonl
from cloze_gen.pipelines.holmes_style import HolmesSettings
from cloze_gen.records.judgement import Task
from cloze_gen.release.facts import read_record
from tests.hostile.containers import book, catalog, epub, gzipped, lines, page, row, shelf, tarred
from tests.support.books import collection
from tests.support.fuzz import json_mutations, mutations

EACH = 150  # mutations of a file


def refused_or_read(read, data, changes=None):
    """The valid file is read; a mutated one is read or refused with a short printable message."""
    read(data)
    for changed in changes or mutations(data, count=EACH):
        try:
            read(changed)
        except ClozeGenError as error:
            message = str(error)
            assert message, changed
            assert all(map(str.isprintable, message.splitlines())), message
            assert len(message) < 3000, message


# ---- books


def parquet_file():
    out = io.BytesIO()
    pq.write_table(pa.table(shelf()), out, compression="zstd")
    return out.getvalue()


def zip_file():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", book(1))
        archive.writestr("b/b.html", page())
    return out.getvalue()


BOOKS = {
    "it.txt": book,
    "it.txt.gz": lambda: gzipped(book()),
    "it.epub": epub,
    "it.html": lambda: page().encode(),
    "it.zip": zip_file,
    "it.tar": lambda: tarred(("a.txt", book(1)), ("b.txt", book(2)), format=tarfile.GNU_FORMAT),
    "it.tar.gz": lambda: gzipped(tarred(("a.txt", book(1)))),
    "it.parquet": parquet_file,
    "it.jsonl": lambda: lines(row(1), row(2)),
    "it.jsonl.zst": lambda: zstd.compress(lines(row(1), row(2))),
}


@pytest.mark.parametrize("name", BOOKS)
def test_mutated_books(name, tmp_path):
    path = tmp_path / name

    def read(data):
        path.write_bytes(data)
        for text in islice(read_texts(path, FileReport(), text_column=""), 4):
            find_markup(decode_text(text)[0].text)

    refused_or_read(read, BOOKS[name]())


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("pg_catalog.csv", catalog('1234,Text,2004-01-01,"A Lamp",en,"Ode, Ann, 1800-1850",,,')),
        ("manifest.tsv", b"file\tbook_id\ttitle\tyear\n1234/1234-0.txt\tlamp\tA Lamp\t1900\n"),
    ],
)
def test_mutated_tables_about_books(name, data, tmp_path):
    (tmp_path / "1234").mkdir()
    (tmp_path / "1234" / "1234-0.txt").write_bytes(book())

    def read(changed):
        (tmp_path / name).write_bytes(changed)
        for found in collection(tmp_path).books:
            assert set(found.book_id) <= set(map(chr, range(33, 127))) - {"/"}

    refused_or_read(read, data)


# ---- sets, scores, verdicts, settings

QUESTION = {
    "id": "b:0:2", "book_id": "b", "tokens": ["I", "could", "climb", "it", "."], "position": 2,
    "options": ["write", "climb", "see", "be", "go"], "answer_index": 1,
}  # fmt: skip
PASSAGE = {
    "id": "b:1", "book_id": "b", "part": "test", "split": "test", "target_position": 2, "start": 40, "end": 65,
    "sentences": [["Who", "called", "?"], ["It", "was", "Jane", "."]],
    "texts": ["Who called?", "It was Jane."],
}  # fmt: skip
EXAM = {
    "eid": 0, "passage": ["We left.", "<1>"], "candidates": ["It rained.", "Jane sang."],
    "answer_sequence": [[1, 0]], "number_of_blanks": 1, "candidate_length": 2,
}  # fmt: skip
VERDICTS = VerdictFile(Task.GROOM, {"forward": "5d"}, 3, None, [{"id": "b:7", "verdict": "fit"}])
MACHINE = b"1a) I could [climb] it.\n1b) I could [write] it.\n"
PACKET = PacketRow(
    "a1", "bo", "groom", "",
    {"before": "A ", "answer": "cat", "after": ".", "candidates": ["map", "owl", "sea", "sky"]},
)  # fmt: skip
RETURNED = packets_csv([PACKET]).replace('sky","","","",""', 'sky","1","2","3","4"').encode()
CONFIG = b'# mine\n[focus]\nmax_freq = 1e-4\nmin_count = 3\n[grooming]\nclasses = ["noun"]\n'
QUESTIONS = [*parse_questions([json.dumps(QUESTION)])]


@dataclass(frozen=True)
class Parser:
    """`data` is a valid file, or near one."""

    data: bytes
    parse: Callable[[str], object]


PARSERS = {
    "questions": Parser(lines(QUESTION), lambda text: list(parse_questions(text.splitlines()))),
    "passages": Parser(lines(PASSAGE), lambda text: list(parse_passages(text.splitlines()))),
    "machine questions": Parser(MACHINE, parse_machine),
    "collected exams": Parser(
        json.dumps([EXAM]).encode(), lambda text: parse_collected(text, name="it.json")
    ),
    "published exams": Parser(json.dumps([EXAM]).encode(), parse_published),
    "scores": Parser(
        lines({"id": "b:0:2", "scores": [-1.5, -2, -3, -4, -5]}),
        lambda text: parse_user_scores(text, QUESTIONS),
    ),
    "verdicts": Parser(
        verdicts_jsonl(VERDICTS).encode(), lambda text: parse_verdicts(text, task=Task.GROOM)
    ),
    "packets": Parser(RETURNED, lambda text: parse_verdicts_csv(text, {"a1": PACKET}.get)),
    "settings": Parser(
        CONFIG,
        lambda text: parse_settings(
            HolmesSettings, read_toml(text, where="it.toml"), where="it.toml"
        ),
    ),
}


@pytest.mark.parametrize("name", PARSERS)
def test_mutated_texts(name):
    """A file is decoded before it is parsed, so its text may hold any character."""
    parser = PARSERS[name]
    refused_or_read(
        lambda data: parser.parse(data.decode("utf-8", "replace")),
        parser.data,
        mutations(parser.data, count=400),
    )


@pytest.mark.parametrize("name", [name for name in PARSERS if PARSERS[name].data[:1] in b"{["])
def test_values_of_other_types(name):
    parser = PARSERS[name]
    changes = json_mutations(parser.data)
    refused_or_read(lambda data: parser.parse(data.decode()), parser.data, changes)


def test_mutated_release_records(finished, tmp_path):
    (record,) = finished.out.glob("runs/*/release/release.json")

    def read(data):
        (tmp_path / record.name).write_bytes(data)
        read_record(tmp_path)

    refused_or_read(read, record.read_bytes())

"""`cloze-gen export`: a sample of any set in any format, its filters, and what it refuses."""

import csv
import html
import io
import json
import re
from pathlib import Path

import pytest

from cloze_gen.release.export import to_print
from cloze_gen.store.tables import read_jsonl
from tests.cli.test_evaluate_items import items_of, write_logs
from tests.conftest import RUN_FIXTURES
from tests.formats.test_quiz import (
    CHOICE,
    HOSTILE,
    MATCHING,
    TITLE,
    WRITTEN,
    moodle_questions,
)


def rows(outcome):
    assert outcome.status == 0, outcome.err
    return list(csv.DictReader(io.StringIO(outcome.out.removeprefix("\ufeff"), newline="")))


@pytest.mark.slow
@pytest.mark.parametrize("style", sorted(RUN_FIXTURES))
def test_every_style_in_every_format(style, run_of, cli, tmp_path):
    """A run and its release give the same items, and each format has all of them."""
    run = run_of(style)
    call = ("export", run.name, "--out", run.out, "--n", "3", "--title", TITLE)
    table = rows(cli(*call, "--format", "csv"))
    assert table == rows(cli("export", run.release, "--n", "3", "--format", "csv"))
    assert len({row["id"] for row in table}) == len(table) == 3
    to = tmp_path / "quiz.xml"
    outcome = cli(*call, "--to", to)
    assert re.fullmatch(rf"{re.escape(str(to))}: 3 of \d+ \w+s\n", outcome.out), outcome
    assert [one.id for one in moodle_questions(to.read_bytes())] == [row["id"] for row in table]
    page = cli(*call).out
    assert all(f"<small>{row['id']}</small></li>" in page for row in table)
    assert all(f"<li>{row['answer']} " in page for row in table)
    assert f"<h1>{html.escape(TITLE)}</h1>" in page


def test_the_seed_draws(finished, cli):
    """The same seed gives the same items, another one others; a smaller sample is its beginning."""
    call = ("export", finished.release, "--format", "csv", "--n")
    first = [row["id"] for row in rows(cli(*call, "4"))]
    assert [row["id"] for row in rows(cli(*call, "2"))] == first[:2]
    assert [row["id"] for row in rows(cli(*call, "4", "--seed", "2"))] != first


def test_filters(run_of, cli):
    """Class, book and length; too few items are reported."""
    scs = run_of("scs-style")
    call = ("export", scs.release, "--format", "csv", "--n", "1000")
    records = {one["id"]: one for one in read_jsonl(scs.release / "questions.jsonl")}
    book = next(iter(records.values()))["book_id"]

    def fit(*options):
        outcome = cli(*call, *options)
        said = f"of {len(records)} questions in the set, {len(rows(outcome))} fit, fewer than --n 1,000"
        assert said in outcome.err
        return {row["id"] for row in rows(outcome)}

    assert fit() == set(records)
    for name in ("noun", "verb"):
        of_class = {id for id, one in records.items() if one["answer_class"] == name}
        assert fit("--class", name) == of_class > set()
    assert fit("--book", book) == {id for id, one in records.items() if one["book_id"] == book}
    lengths = {row["id"]: len(row["question"].split()) for row in rows(cli(*call))}
    assert fit("--length", "8-20") == {id for id, n in lengths.items() if 8 <= n <= 20} > set()


def test_difficulty_is_that_of_the_item_analysis(copied, cli, tmp_path):
    """Of a run its last analysis, or the file of one."""
    call = ("export", copied.name, "--out", copied.out, "--format", "csv", "--difficulty", "0-0.5")
    outcome = cli(*call)
    assert outcome.status != 0
    assert "--difficulty: the items have none. Measure it with" in outcome.err
    logs = write_logs(tmp_path / "logs", items_of(copied), 4)
    result = cli("evaluate", copied.name, "--out", copied.out, "--items", "--scores", *logs)
    folder = Path(result.out.strip().splitlines()[-1].removeprefix("written to "))
    file = folder / "questions_with_items.jsonl"
    hard = {one["id"] for one in read_jsonl(file) if one["items"]["difficulty"] <= 0.5}
    assert {row["id"] for row in rows(cli(*call))} == hard > set()
    assert rows(cli("export", file, *call[4:])) == rows(cli(*call))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--class", "pronoun"), "--class 'pronoun'"),
        (("--book", "../etc"), "--book '../etc'"),
        (("--length", "15"), "--length '15'"),
        (("--difficulty", "0.8-0.2"), "--difficulty '0.8-0.2'"),
        (("--skip", "x:1"), "--skip 'x:1'"),
        (("--format", "csv", "--to", "a.XML"), "--to a.XML: .xml is the ending of moodle-xml"),
        (("--to", "a.docx"), "--to a.docx"),
        (("--length", "900-901"), "questions fits the filters"),
        (("--format", "docx"), "--format 'docx'"),
        (("--to", "{taken}"), "the file exists"),
        (("--to", "{missing}/a.csv"), "cannot be written"),
    ],
)
def test_refused(options, said, finished, cli, tmp_path):
    """One message says what is wrong, and a file that is there keeps its bytes."""
    taken = tmp_path / "taken.html"
    taken.write_text("mine")
    places = {
        "{taken}": str(taken),
        "{missing}/a.csv": str(tmp_path / "missing" / "a.csv"),
    }
    outcome = cli("export", finished.release, *(places.get(one, one) for one in options))
    assert outcome.status != 0
    assert said in outcome.err
    assert outcome.out == ""
    assert taken.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [taken]


def test_the_ending_gives_the_format(finished, cli, tmp_path):
    """In any case of letters; Moodle's name alone is its XML."""
    formats = {"q.csv": "csv", "q.xml": "Moodle", "q.HTM": "PRINT"}
    for name, format in formats.items():
        assert cli("export", finished.release, "--to", tmp_path / name).status == 0
        other = tmp_path / f"{name}.out"
        assert cli("export", finished.release, "--format", format, "--to", other).status == 0
        assert other.read_bytes() == (tmp_path / name).read_bytes()


def test_a_skipped_question_is_replaced(finished, cli):
    """By the next of the draw."""
    call = ("export", finished.release, "--format", "csv", "--n")
    first = [row["id"] for row in rows(cli(*call, "5"))]
    skipped = cli(*call, "3", "--skip", first[0], "--skip", first[2])
    assert [row["id"] for row in rows(skipped)] == [first[1], *first[3:]]


def test_no_answer_occurs_twice_while_there_are_others(finished, cli):
    def answers(*options):
        listed = rows(cli("export", finished.release, "--format", "csv", "--n", "1000", *options))
        return [row[row["answer"]] for row in listed]

    every = answers()
    n_different = len(set(every))
    assert len(every) > n_different == len(set(every[:n_different]))


def test_a_file_of_an_earlier_quiz_is_skipped(finished, cli, tmp_path):
    call = ("export", finished.release, "--format", "csv", "--n", "3")
    assert cli(*call, "--to", tmp_path / "first.csv").status == 0
    first, next_ones = rows(cli(*call)), rows(cli(*call, "--skip", tmp_path / "first.csv"))
    assert not {row["id"] for row in first} & {row["id"] for row in next_ones}
    saved = (tmp_path / "first.csv").read_text(encoding="utf-8-sig").splitlines()
    ids = "".join(f"{line.split(',')[1]};x\n" for line in saved)
    (tmp_path / "saved.csv").write_text(ids, encoding="utf-8-sig")
    assert rows(cli(*call, "--skip", tmp_path / "saved.csv")) == next_ones
    (tmp_path / "other.csv").write_text("number,question\n1,x\n", encoding="utf-8")
    refused = cli(*call, "--skip", tmp_path / "other.csv")
    assert (refused.status, "no column `id`" in refused.err) == (2, True)


def test_the_book_is_quoted(finished, cli):
    """With the marks that the paper's printed format leaves out."""
    records = {one["id"]: one for one in read_jsonl(finished.release / "questions.jsonl")}
    outcome = cli("export", finished.release, "--format", "csv", "--n", "1000")
    differ = 0
    for row in rows(outcome):
        record = records[row["id"]]
        text = record["source"]["text"]
        filled = row["question"].replace("_____", record["answer"])
        assert filled in {text, f'{text}"', f'"{text}', f'"{text}"'}
        assert filled.count('"') % 2 == 0
        differ += row["question"] != record["input"]
    assert differ > 0


def hostile_source(record):
    """The record's own source, with markup as its first word."""
    source = record["source"]
    words = [HOSTILE[0], *source["tokens"]]
    return source | {
        "text": f"{HOSTILE[0]} {source['text']}", "tokens": words, "position": source["position"] + 1,
    }  # fmt: skip


def test_a_hostile_file_stays_text(finished, cli, tmp_path):
    """Markup in a foreign file is shown as text; a damaged release is refused."""
    record = next(iter(read_jsonl(finished.release / "questions.jsonl")))
    tokens = list(record["tokens"])
    tokens[0 if record["position"] else 1] = HOSTILE[0]
    file = tmp_path / "questions.jsonl"
    foreign = record | {"tokens": tokens, "items": [7], "answer_tag": {}}
    for source in (
        {},
        [],
        {"text": 7},
        record["source"] | {"text": " ".join(tokens)},
        hostile_source(record),
    ):
        file.write_text(json.dumps(foreign | {"source": source}) + "\n")
        page = cli("export", file).out
        assert "<script" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    file.write_text('{"id": "x"}\n')
    outcome = cli("export", file)
    assert (outcome.status != 0, outcome.out) == (True, "")
    assert "questions.jsonl" in outcome.err


def test_a_changed_release_is_refused(copied, cli):
    """The items must be as `SHA256SUMS` lists them."""
    with open(copied.release / "questions.jsonl", "a") as handle:
        handle.write("\n")
    for place in (copied.release, copied.folder):
        outcome = cli("export", place)
        assert outcome.status != 0
        assert "questions.jsonl" in outcome.err
        assert outcome.out == ""


def test_pointers_have_no_text(copied, cli):
    """A release without text says how to get it."""
    record = json.loads((copied.release / "release.json").read_text())
    (copied.release / "release.json").write_text(json.dumps(record | {"text": "pointers"}))
    outcome = cli("export", copied.release)
    assert outcome.status != 0
    assert "Rebuild the full set with `cloze-gen fill`" in outcome.err


def test_the_printed_page():
    """Rules for paper of any size, letters at the options, and the key on a page of its own."""
    page = to_print([CHOICE, MATCHING, WRITTEN], "<A & B>").decode()
    assert "&lt;A &amp; B&gt;" in page
    assert not re.search(r"<script|http|src=|href=", page)
    assert re.search(r"@page \{ margin: [^;}]*; \}", page)  # and no size: the printer's paper
    assert re.search(r"\.key \{ break-before: page; \}", page)
    key = page[page.index('class="key"') :]
    assert re.findall(r"<li>(.*?)</li>", key) == [
        "b hide <small>b:0:1</small>", "1b 2a <small>b:4</small>", "Jane <small>b:9</small>",
    ]  # fmt: skip
    assert re.findall(r"<li>([a-z]\).*?)</li>", page) == ["a) eat", "b) hide", "a) Jane sang.", "b) Nobody came.", "c) No."]  # fmt: skip

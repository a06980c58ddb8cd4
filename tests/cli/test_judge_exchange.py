"""Packets out, verdicts in, and what is refused."""

import csv
import io

import pytest

from cloze_gen.cli.judge_study import open_named_study
from cloze_gen.records.judgement import Task
from tests.cases.studies import make_tiny_study


@pytest.fixture
def out(tmp_path):
    """An output folder with a study of two items, two judges each."""
    (tmp_path / "judgements").mkdir()
    make_tiny_study(
        tmp_path / "judgements" / "tiny", Task.GROOM, n=2, judges="ann,bob", each=2
    ).close()
    return tmp_path


def packet(out, cli):
    """The packet of ann."""
    assert cli("judge", "export", "tiny", "--judges", "ann", "--out", out).status == 0
    (file,) = (out / "judgements" / "tiny" / "packets").glob("ann-*")
    return file


def filled(file, *, first=0):
    """A packet as a spreadsheet writes it after four words of each item were picked."""
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"))))
    for row in rows:
        words = sorted(choice.split(" ", 1)[1] for choice in row["candidates"].split("; "))
        row |= {f"pick_{n}": word for n, word in enumerate(words[first : first + 4], 1)}
    made = io.StringIO()
    writer = csv.DictWriter(made, rows[0].keys(), delimiter=";")
    writer.writeheader()
    writer.writerows(rows)
    return made.getvalue()


def picked(study):
    return [
        answer.response
        for case in study.state().cases.values()
        for answer in case.answers
        if answer.judge == "ann"
    ]


def test_a_packet_comes_back(out, cli, tmp_path):
    back = tmp_path / "back.csv"
    back.write_text(filled(packet(out, cli)), encoding="utf-8")
    for told in ("2 accepted", "2 already stored"):
        outcome = cli("judge", "import", "tiny", back, "--out", out)
        assert (outcome.status, told in outcome.out) == (0, True), outcome
    study, _ = open_named_study(out, "tiny")
    words = sorted(next(study.store.items()).shown["candidates"])[:4]
    assert [sorted(one["picked"]) for one in picked(study)] == [words, words]


def test_a_file_that_is_there_stays(out, cli):
    """A packet that somebody may be filling in is never written over, and --again deals nothing."""
    file = packet(out, cli)
    file.write_text("mine", encoding="utf-8")
    outcome = cli("judge", "export", "tiny", "--judges", "ann", "--out", out, "--again")
    assert "(exists, not changed)" in outcome.out
    assert file.read_text(encoding="utf-8") == "mine"
    assert len(open_named_study(out, "tiny")[0].state().by_id) == 2


def test_another_answer_replaces_the_earlier_one(out, cli, tmp_path):
    file = packet(out, cli)
    back = tmp_path / "back.csv"
    half = filled(file).splitlines()[:2]
    back.write_text("\n".join(half), encoding="utf-8")
    assert cli("judge", "import", "tiny", back, "--out", out).status == 0
    back.write_text(filled(file, first=4), encoding="utf-8")
    outcome = cli("judge", "import", "tiny", back, "--out", out)
    assert (outcome.status, "2 accepted, 0 already stored" in outcome.out) == (0, True), outcome
    study, _ = open_named_study(out, "tiny")
    words = sorted(next(study.store.items()).shown["candidates"])
    assert [sorted(one["picked"]) for one in picked(study)] == [words[4:8], words[4:8]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n", "expected the columns assignment"),
        ("assignment,pick_1\n", "no answers found"),
    ],
)
def test_what_is_no_packet_is_one_message(text, says, out, cli, tmp_path):
    """It names the file, and nothing is taken."""
    back = tmp_path / "back.csv"
    back.write_text(text, encoding="utf-8")
    outcome = cli("judge", "import", "tiny", back, "--out", out)
    assert (outcome.status, says in outcome.err, "back.csv" in outcome.err) == (1, True, True), (
        outcome.err
    )
    assert cli("judge", "import", "tiny", tmp_path / "nowhere", "--out", out).status == 2


def test_options_that_are_none(out, cli):
    """A name, a study, a condition: one message each, status 2, nothing dealt."""
    for arguments, says in (
        (("--judges", "../evil"), "part of file names"),
        (("--judges", "ANN"), "only in case"),
        (("--condition", "passage"), "only for guessing"),
        (("--again", "--judges", "cara"), "no such judge: 'cara'"),
    ):
        outcome = cli("judge", "export", "tiny", "--out", out, *arguments)
        assert (outcome.status, says in outcome.err) == (2, True), outcome.err
    assert "studies there: tiny" in cli("judge", "status", "other", "--out", out).err
    assert not open_named_study(out, "tiny")[0].state().by_id


def test_all_files_are_read_before_a_verdict_is_taken(out, cli, tmp_path):
    """A file whose last row cannot be read changes nothing."""
    text = filled(packet(out, cli))
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(text, encoding="utf-8")
    bad.write_text(text.replace("moonbow", "nobody").rstrip() + "\n", encoding="utf-8")
    outcome = cli("judge", "import", "tiny", good, bad, "--out", out)
    assert (outcome.status, "bad.csv, row 2" in outcome.err) == (1, True), outcome.err
    assert not open_named_study(out, "tiny")[0].state().verdicts


def test_a_condition_is_of_guessing(tmp_path, cli):
    """One that no item is shown in is told, and is no page on which nothing waits."""
    (tmp_path / "judgements").mkdir()
    make_tiny_study(
        tmp_path / "judgements" / "guess", Task.GUESS, n=2, judges="ann", each=1
    ).close()
    outcome = cli("judge", "export", "guess", "--condition", "pasage", "--out", tmp_path)
    assert (outcome.status, "expected passage or sentence" in outcome.err) == (2, True)

"""The report and the comparison of runs on disk."""

import json
import shutil
from functools import partial
from pathlib import Path

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.pipelines.run import renew_report
from cloze_gen.pipelines.styles import find_style
from cloze_gen.records.question import Question
from cloze_gen.release.documents import with_samples
from cloze_gen.release.facts import read_record
from cloze_gen.release.report import audit_table, option_freqs
from cloze_gen.release.write import read_published
from cloze_gen.store.files import read_below
from cloze_gen.store.folder_replacement import replace_entries
from cloze_gen.store.runs import EVALUATION_SCHEMA
from tests.conftest import report_data

EVALUATION = {"n": 5, "chance": 0.2, "signature": "s", "baselines": [
    {"name": "lsa", "accuracy": 0.4, "low": 0.1, "high": 0.7, "n": 5, "chance": 0.2, "seconds": 1.5, "kind": "baseline"},
    {"name": "longest", "accuracy": 0.2, "low": 0.0, "high": 0.6, "n": 5, "chance": 0.2, "seconds": 0.0, "kind": "bias"}]}  # fmt: skip


def lay_evaluation(run, text):
    """Write an evaluation as `cloze-gen evaluate` does; returns its folder."""
    place = run.parent.parent / "evaluations" / "mine"
    replace_entries(
        place,
        EVALUATION_SCHEMA,
        lambda folder: (folder / "evaluation.json").write_text(text, encoding="utf-8") and None,
    )
    return place


@pytest.fixture
def copied(finished, tmp_path):
    """The shared run's folder, in an output folder that a test may change."""
    out = tmp_path / "out"
    shutil.copytree(finished.out, out, symlinks=True)
    return out / "runs" / finished.name


def test_a_run_ends_with_its_report(finished, digests):
    """The release holds a report, its checksum among the others, and no place of the machine in it."""
    page = (finished.release / "report.html").read_text(encoding="utf-8")
    sums = dict(
        reversed(line.split("  "))
        for line in (finished.release / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    )
    found = digests(finished.release)
    assert sums == {name: digest for name, digest in found.items() if name != "SHA256SUMS"}
    assert "report.html" in sums
    assert str(finished.out) not in page
    assert str(finished.corpus.source) not in page


def test_a_report_written_again_is_the_same(copied, digests):
    """`report` on an unchanged run changes no byte and leaves nothing behind."""
    before = digests(copied.parent)
    renew_report(copied)
    assert digests(copied.parent) == before


@pytest.mark.parametrize(
    "file", ["questions.jsonl", "candidates.jsonl", "signature.txt", "report.html"]
)
def test_a_release_changed_by_hand_is_not_reported_on(copied, cli, file):
    (copied / "release" / file).write_text("mine", encoding="utf-8")
    outcome = cli("report", copied.name, "--out", copied.parent.parent)
    assert outcome.status == 2
    assert f"release/{file}: changed since it was written" in outcome.err
    assert (copied / "release" / file).read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
def test_baselines_appear_once_evaluated(copied, cli):
    """After an evaluation `cloze-gen report` shows it, and the seconds it took change no byte."""
    assert "Not measured yet" in (copied / "release" / "report.html").read_text(encoding="utf-8")
    pages = []
    for seconds in (1.5, 99.0):
        EVALUATION["baselines"][0]["seconds"] = seconds
        renew_report(copied, lay_evaluation(copied, json.dumps(EVALUATION)))
        outcome = cli("report", copied.name, "--out", copied.parent.parent)
        assert outcome.status == 0, outcome.err
        pages.append(Path(outcome.out.strip()).read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
    assert "Not measured yet" not in pages[0]
    assert "40.0 %" in pages[0]
    assert 'id="rules"' in pages[0]


def test_another_file_for_an_evaluation_is_one_message(copied, cli):
    """A broken evaluation.json is named; the report stays as it was."""
    renew_report(copied, lay_evaluation(copied, json.dumps(EVALUATION)))
    before = (copied / "release" / "report.html").read_bytes()
    for text in ("{", "[]", "{}", "[" * 9000):
        lay_evaluation(copied, text)
        outcome = cli("report", copied.name, "--out", copied.parent.parent)
        assert outcome.status == 1
        assert "evaluation.json" in outcome.err
        assert "cloze-gen evaluate" in outcome.err
    (lay_evaluation(copied, json.dumps(EVALUATION)) / "evaluation.json").write_text(
        json.dumps(EVALUATION | {"n": 6}), encoding="utf-8"
    )
    assert (
        "changed since it was written"
        in cli("report", copied.name, "--out", copied.parent.parent).err
    )
    assert (copied / "release" / "report.html").read_bytes() == before


def test_unknown_runs_are_told(copied, cli):
    """`report` and `compare` of a run that is not there name those that are."""
    for call in (("report", "nowhere"), ("compare", copied.name, "nowhere")):
        outcome = cli(*call, "--out", copied.parent.parent)
        assert outcome.status == 2
        assert copied.name in outcome.err


def test_compare_reads_runs_from_disk(copied, cli):
    """A run beside itself, once by name and once by path: everything is shared."""
    outcome = cli("compare", copied.name, copied, "--out", copied.parent.parent)
    assert outcome.status == 0, outcome.err
    assert "different settings\n  none" in outcome.out
    assert "not evaluated: left" in outcome.out
    n = len((copied / "release" / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    assert f"{n:,} of these with the same order of options" in outcome.out


def test_what_the_report_holds_is_what_the_run_holds(copied):
    """Counts, books, samples and levels are the artifacts' own."""
    style = find_style("holmes-style")
    record = read_record(copied / "release")
    published = read_published(partial(read_below, copied / "release"), style=style, record=record)
    data = with_samples(report_data(copied, style), style.items, published, record.facts)
    records = [
        json.loads(line)
        for line in (copied / "release" / "questions.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    assert (
        data.n_questions
        == len(records)
        == sum(data.answer_positions)
        == sum(count for _, _, count in data.books)
    )
    assert len(data.samples) == min(20, len(records))
    assert {sample.id for sample in data.samples} <= {record["id"] for record in records}
    assert len(data.impostor_freqs) == 4 * len(data.answer_freqs) == 4 * len(records)
    assert {audit.side for audit in data.audits} == {"source", "train"}


def test_items_of_another_shape_are_refused(copied):
    (copied / "release" / "questions.jsonl").write_text(
        '{"id": "p1", "passage": ["A.", "B."]}\n', encoding="utf-8"
    )
    with pytest.raises(FormatError, match=r"questions\.jsonl, line 1: lacks book_id, tokens"):
        report_data(copied, find_style("holmes-style"))


def test_a_report_of_passages_holds_the_set_alone(lambada):
    data = report_data(lambada.folder, find_style("lambada-style"))
    lines = (lambada.release / "passages.jsonl").read_text(encoding="utf-8").splitlines()
    of_set = [one for one in map(json.loads, lines) if one["split"] != "control"]
    assert data.noun == "passage"
    assert data.n_questions == sum(count for _, _, count in data.books) == len(of_set) < len(lines)
    assert (data.samples, data.sentence_tokens, data.evaluation, data.paper) == ((), (), None, None)
    assert data.passages is not None
    assert sorted(data.passages.tokens) == sorted(len(one["text"].split()) for one in of_set)
    assert data.passages.analysis is not None
    assert data.passages.analysis.n_kept == len(of_set)
    assert data.passages.paper is not None
    committee = next(step for step in data.steps if step.stage == "committee")
    assert set(committee.survival) == {"ngram", "cache", "feedforward", "recurrent"}
    assert all(share >= committee.kept / committee.seen for share in committee.survival.values())
    page = (lambada.release / "report.html").read_text(encoding="utf-8")
    assert "question" not in page
    assert "passages, drawn with seed" in page


def test_frequencies_need_scores_or_counts():
    """Without option scores and without counts nothing is said of frequencies."""
    question = Question("b:0:1", "b", ("We", "hide", "."), 1, ("hide", "eat"), 0)
    assert option_freqs([question], [{"id": "b:0:1"}], None) == ((), ())
    told = {
        "id": "b:0:1",
        "option_scores": [{"word": "hide", "freq": 0.1}, {"word": "eat", "freq": 0.2}],
    }
    assert option_freqs([question], [told], None) == ((0.1,), (0.2,))


def test_dropped_books_stand_on_top():
    """Empty columns and our own are left out; a dropped book comes first with its reason."""
    rows = [{"book_id": "a", "status": "kept", "reason": "", "folder": "../x", "title": ""},
            {"book_id": "b", "status": "rejected", "reason": "empty", "folder": "", "title": ""}]  # fmt: skip
    table = audit_table("source", rows)
    assert table.columns == ("book_id", "status", "reason")
    assert table.rows == (("b", "rejected", "empty"), ("a", "kept", ""))
    assert table.dropped == 1

"""The trace of an id, for every recipe: the set, the raw text, and the rows of every table."""

import json
import re

import pyarrow.parquet as pq
import pytest

from cloze_gen.pipelines.styles import find_style, style_names
from cloze_gen.records.rejection import legend_of
from cloze_gen.release.trace import cell

SPAN = {"id", "book_id", "start", "end"}


def tables_of(run, item_id):
    """(link, file, rows) of every Parquet table of a run that has rows of an id, in order."""
    for path in sorted(run.folder.glob("[0-9][0-9]-*/**/*.parquet")):
        if "id" in pq.ParquetFile(path).schema.names:
            rows = [row for row in pq.read_table(path).to_pylist() if row["id"] == item_id]
            if rows:
                name = path.relative_to(run.folder)
                yield name.parts[0], "/".join(name.parts[1:]), rows


def published(run, style):
    text = (run.release / find_style(style).items.file).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def squeezed(text):
    """Runs of blanks as one, so that columns and line ends do not matter."""
    return " ".join(text.split())


@pytest.fixture
def traced(run_of, cli):
    def call(style, item_id, *options):
        run = run_of(style)
        done = cli("trace", item_id, "--run", run.name, "--out", run.out, *options)
        assert done.status == 0, done.err
        return done.out

    return call


@pytest.mark.parametrize("style", style_names())
def test_a_published_item_has_its_place_its_text_and_all_its_values(style, run_of, traced):
    run = run_of(style)
    records = published(run, style)
    text = traced(style, records[-1]["id"])
    assert text.splitlines()[0] == f"{records[-1]['id']} in run {run.name}"
    first = next(n for n, record in enumerate(records, 1) if record["id"] == records[-1]["id"])
    place = f"line {first} of release/{find_style(style).items.file}"
    assert place in squeezed(text)
    links = [line[:-1] for line in re.findall(r"^\d\d-[a-z-]+:", text, re.MULTILINE)]
    assert links == sorted(links)
    for link, file, rows in tables_of(run, records[-1]["id"]):
        assert link in links
        for name in set(rows[0]) - SPAN:
            value = f" {cell(rows[0][name])} (" if len(rows) == 1 else " "
            assert f"\n    {name}:{value}" in text, file


@pytest.mark.parametrize("style", style_names())
def test_the_raw_text_is_that_of_the_file(style, run_of, traced):
    """The span of the book, character by character."""
    run = run_of(style)
    record = published(run, style)[0]
    text = traced(style, record["id"])
    file, start, end = re.search(
        r"^raw file: (\S+) .*characters (\d+)-(\d+)(?: of \S+)?$", text, re.M
    ).groups()
    side = find_style(style).drawn_from
    raw = (run.folder / f"corpus-{side}" / file).read_bytes().decode("utf-8-sig")
    raw = raw.replace("\r\n", "\n")[int(start) : int(end)]
    quoted = re.findall(r"^  \|(.*)$", text, re.MULTILINE)
    assert [line.strip() for line in quoted] == [line.strip() for line in raw.splitlines()]


@pytest.mark.parametrize("style", style_names())
def test_every_stage_that_rejects_is_named_with_reason_detail_and_legend(style, run_of, traced):
    run = run_of(style)
    legends = find_style(style).legends
    reasons = {}
    for path in sorted(run.folder.glob("*/rejected.parquet")):
        for row in pq.read_table(path).to_pylist():
            reasons.setdefault((path.parent.name, row["reason"]), row)
    assert len({link for link, _ in reasons}) >= 2
    for (link, reason), row in reasons.items():
        text = squeezed(traced(style, row["id"]))
        assert legend_of(reason, legends)
        told = f"{link}: {reason} {row['detail']}".strip()
        assert f"not in the set, decided at {squeezed(told)} ({legend_of(reason, legends)}" in text


def test_a_reason_in_a_column_is_the_outcome_of_what_has_no_rejection(finished, traced):
    """A focus word that scores best is not in any `rejected.parquet`."""
    rows = [
        (path.parts[-2], row)
        for path in finished.folder.glob("*/items.parquet")
        for row in pq.read_table(path).to_pylist()
        if row.get("status") == "answer_scores_best"
    ]
    link, row = rows[0]
    text = squeezed(traced("holmes-style", row["id"]))
    legend = legend_of("answer_scores_best", find_style("holmes-style").legends)
    assert f"not in the set, decided at {link}: answer_scores_best ({legend})" in text
    assert f"status: answer_scores_best ({legend})" in text


def test_options_stand_side_by_side_with_what_each_stage_measured(finished, traced):
    record = published(finished, "holmes-style")[0]
    text = traced("holmes-style", record["id"])
    lines = text[text.index("\ncandidates: ") :].splitlines()
    table = [line for line in lines if line.startswith("    ")]
    values = {line.split()[0]: line.split()[1:] for line in table}
    answer = record["answer_index"]
    letters = ["a", "b", "c", "d", "e"]
    letters[answer] += "*"
    assert values["option"] == letters
    assert values["word"] == record["options"]
    for number, scores in enumerate(record["option_scores"]):
        assert int(values["count"][number]) == scores["count"]
        history = float(values["history_log10_prob"][number])
        assert history == pytest.approx(scores["history_log10_prob"], abs=6e-4)
    measured = {
        row["word"]: row
        for _, file, rows in tables_of(finished, record["id"])
        if file.startswith("decisions")
        for row in rows
    }
    for number, word in enumerate(record["options"]):
        expected = "-" if number == answer else measured[word]["verdict"]
        assert values["verdict"][number] == expected


def test_all_alternates_are_listed_on_request(finished, traced):
    record = published(finished, "holmes-style")[0]
    text = traced("holmes-style", record["id"], "--alternates")
    alternates = next(
        rows for _, file, rows in tables_of(finished, record["id"]) if "alternates/" in file
    )
    words = list(dict.fromkeys([*record["options"], *(row["word"] for row in alternates)]))
    lines = text[text.index("\ncandidates: ") :].splitlines()[-len(words) :]
    assert [line.split()[1] for line in lines] == words
    assert f"candidates: {len(words)} (" in text
    marked = {line.split()[1]: line.split()[0] for line in lines if line.split()[0] != "-"}
    assert set(marked) == set(record["options"])
    assert marked[record["answer"]].endswith("*")


def test_sentences_of_a_passage_are_listed_with_their_verdicts(scde, traced):
    record = published(scde, "scde-style")[-1]
    text = traced("scde-style", record["id"])
    rows = next(
        rows for _, file, rows in tables_of(scde, record["id"]) if file == "sentences.parquet"
    )
    lines = re.findall(r"^ +(\d+) +(\w+)$", text, re.MULTILINE)
    assert [(row["sentence"], row["verdict"]) for row in rows] == [(int(n), v) for n, v in lines]
    for number, answer in enumerate(record["answers"], 1):
        assert f"{chr(97 + answer)}, blank {number}: " in text
        assert squeezed(f"{chr(97 + answer)}) {record['candidates'][answer]}") in squeezed(text)
    assert text.count(", distractor: sentence") == len(record["distractors"])


def test_a_long_table_is_listed_on_request(scde, traced):
    counts = {}
    path = next(scde.folder.glob("*-rivals")) / "candidates.parquet"
    for row in pq.read_table(path).to_pylist():
        counts[row["id"]] = counts.get(row["id"], 0) + 1
    long = max(counts, key=counts.get)
    assert counts[long] > 40
    assert "(--alternates lists the rows)" in traced("scde-style", long)
    longer = traced("scde-style", long, "--alternates")
    assert "--alternates" not in longer
    assert len(longer.splitlines()) > len(traced("scde-style", long).splitlines()) + 40


def test_a_rejected_passage_of_the_control_set(lambada, traced):
    rejected = {
        row["id"]
        for row in pq.read_table(
            next(lambada.folder.glob("*-committee")) / "rejected.parquet"
        ).to_pylist()
    }
    record = next(
        record
        for record in published(lambada, "lambada-style")
        if record["split"] == "control" and record["id"] in rejected
    )
    text = squeezed(traced("lambada-style", record["id"]))
    assert "not in the set, decided at" in text
    assert "; in the unfiltered control set: line " in text
    assert text.count("(control)") == 1


def test_an_id_that_is_no_item(finished, cli, traced):
    """An example is named; a word that is none is not its sentence; a sentence is no question."""
    record = published(finished, "holmes-style")[0]
    sentence = record["id"].rpartition(":")[0]
    for unknown in ("nobook:1:2", f"{sentence}:999", "nobook"):
        done = cli("trace", unknown, "--run", finished.name, "--out", finished.out)
        assert (done.status, done.out) == (2, "")
        assert f"no such item in {finished.name}" in done.err
        assert f"e.g. {record['id']}." in done.err
    text = squeezed(traced("holmes-style", sentence))
    assert f"a sentence, no question; the ids of its words are {sentence}:POSITION" in text
    assert squeezed(record["source"]["text"]) in text


def test_a_damaged_stage_is_reported(copied, cli):
    record = published(copied, "holmes-style")[0]
    path = next(copied.folder.glob("*/focus.parquet"))
    path.write_bytes(path.read_bytes()[:-7])
    named = cli("trace", record["id"], "--run", copied.name, "--out", copied.out)
    assert named.status != 0
    assert "focus.parquet" in named.err
    unnamed = cli("trace", record["id"], "--out", copied.out)
    assert unnamed.status == 2
    assert f"Not searched: {copied.name} (" in unnamed.err
    assert "focus.parquet" in unnamed.err

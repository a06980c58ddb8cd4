"""What `trace` tells of a passage."""

import json
import re

import pytest

from cloze_gen.recipes.lambada.passages import PassageReason
from cloze_gen.store.tables import read_parquet


@pytest.fixture
def told(lambada, cli):
    """The trace of an id, each run of blanks as one."""

    def call(item_id):
        outcome = cli("trace", item_id, "--out", lambada.out)
        assert outcome.status == 0, outcome.err
        return "\n".join(" ".join(line.split()) for line in outcome.out.splitlines())

    return call


def records(run):
    return [
        json.loads(line)
        for line in (run.release / "passages.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def test_a_passage_is_told_from_its_book_to_its_line(lambada, told):
    last = next(one for one in reversed(records(lambada)) if one["split"] == "test")
    text = told(str(last["id"]))
    lines = (
        (lambada.release / "lambada_test_plain_text.txt").read_text(encoding="utf-8").splitlines()
    )
    assert lines[-1] == last["text"]
    assert f"released test: line {len(lines)} of lambada_test_plain_text.txt" in text
    assert "outcome in the set; judged: none" in text
    assert ", fewer than 50" in text
    assert all(f"\n{member} " in text for member in last["scores"])
    assert text.count("not guessed") == len(last["scores"])
    sums = [int(line.split()[2]) for line in text.splitlines() if re.match(r"\d+ \d+ \d+ ", line)]
    assert len(sums) == len(last["texts"]) - 1
    assert sums[-1] >= 50
    assert all(total < 50 for total in sums[:-1])


def test_what_fell_says_where(lambada, told):
    """At the committee with the probability, behind the head; and of the control set whatever fell."""
    rejected = {
        stage: next(lambada.folder.glob(f"*-{stage}")) / "rejected.parquet"
        for stage in ("committee", "ranking")
    }
    control = {one["id"] for one in records(lambada) if one["split"] == "control"}
    fallen = read_parquet(rejected["committee"]).to_pylist()
    assert (
        f"outcome not in the set: {fallen[0]['reason'].replace('_', ' ')}, "
        f"{fallen[0]['detail']}" in told(fallen[0]["id"])
    )
    kept_back = read_parquet(rejected["ranking"]).to_pylist()[0]["id"]
    assert "outcome not in the set: below cutoff: it overlaps a better passage" in told(kept_back)
    both = next(one["id"] for one in fallen if one["id"] in control)
    assert "released control: line" in told(both)
    assert "; in the unfiltered control set" in told(both)


def test_a_sentence_that_ends_no_passage_says_why(lambada, told):
    """The reason of the table, and the same in words."""
    table = read_parquet(next(lambada.folder.glob("*-passages")) / "rejected.parquet").to_pylist()
    first = {one["reason"]: one["id"] for one in table}
    short = first["target_sentence_short"]
    assert (
        told(short)
        == f"{short} in tiny: rejected at the cutting of passages, target_sentence_short: "
        f"{PassageReason.SHORT.legend}"
    )


def test_an_unknown_id_is_refused(lambada, cli):
    missing = cli("trace", "nobody:7", "--run", "tiny", "--out", lambada.out)
    assert missing.status == 2
    assert "release/passages.jsonl, e.g. book:sentence" in missing.err
    asked = cli("trace", str(records(lambada)[0]["id"]), "--alternates", "--out", lambada.out)
    assert asked.status == 2
    assert "--alternates: a passage of lambada-style has none" in asked.err

"""What `trace` tells of a blanked passage."""

import pytest

from cloze_gen.recipes.scde.release import PUBLISHED
from cloze_gen.records.passage import Part
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_parquet


@pytest.fixture
def told(scde, cli):
    """The trace of an id, each run of blanks as one."""

    def call(item_id):
        outcome = cli("trace", item_id, "--out", scde.out)
        assert outcome.status == 0, outcome.err
        return "\n".join(" ".join(line.split()) for line in outcome.out.splitlines())

    return call


@pytest.fixture
def last(scde):
    """The last passage of the test books."""
    return [one for one in BLANKED_ITEMS.read(scde.release) if one.part == Part.TEST][-1]


def test_a_passage_of_the_set_is_traced_to_its_file(scde, last, told):
    text = told(last.id)
    passage = last.passage
    for number, (blank, answer) in enumerate(zip(passage.blanks, passage.answers, strict=True), 1):
        source = last.sources[blank]
        place = (
            f"sentence {blank} of the passage, {source.index} of the book, characters "
            f"{source.start}-{source.end}"
        )
        assert f"blank <{number}> {place}\n" in text
        printed = " ".join(passage.candidates[answer].split())
        assert f"\nanswer {chr(97 + answer)}) {printed}" in text
        assert f"(answers <{number}>; sentence " in text
    assert text.count("(distractor; sentence ") == len(passage.distractors)
    shown = [sentence for sentence in passage.shown if sentence is not None]
    assert all(" ".join(sentence.split()) in text for sentence in shown)
    of_part = [one for one in BLANKED_ITEMS.read(scde.release) if one.part == Part.TEST]
    assert f"outcome in the set: {PUBLISHED[Part.TEST]}, eid {len(of_part) - 1}" in text


@pytest.mark.parametrize(
    ("stage", "table", "heading"),
    [
        ("blanks", "sentences.parquet", "verdict on each as a blank\n"),
        ("rivals", "considered.parquet", "hardest first\n"),
    ],
)
def test_every_sentence_is_listed_with_its_verdict(stage, table, heading, scde, last, told):
    rows = read_parquet(stage_artifact(scde.folder, stage).path(table)).to_pylist()
    verdict_of = {row["sentence"]: row["verdict"] for row in rows if row["id"] == last.id}
    lines = told(last.id).partition(heading)[2].splitlines()[1 : len(verdict_of) + 1]
    listed = {int(line.split()[0]): line.split(maxsplit=1)[1] for line in lines}
    assert listed.keys() == verdict_of.keys()
    taken = {last.candidate_sources[place].index for place in last.passage.distractors}
    words = {"blank": "blank", "not_drawn": "possible, not drawn", "rival": "rival, not drawn"}
    for sentence, verdict in verdict_of.items():
        expected = words.get(verdict, f"no: {verdict.replace('_', ' ')}")
        if stage == "rivals" and sentence in taken:
            expected = "taken"
        assert listed[sentence].startswith(expected)


def test_what_fell_says_where(scde, told):
    in_set = {one.id for one in BLANKED_ITEMS.read(scde.release)}
    fallen = 0
    for stage in ("blanks", "distractors"):
        for row in read_parquet(
            stage_artifact(scde.folder, stage).path("rejected.parquet")
        ).to_pylist()[:2]:
            assert row["id"] not in in_set
            assert f"outcome not in the set: {row['reason'].replace('_', ' ')}" in told(row["id"])
            fallen += 1
    assert fallen
    stretch = read_parquet(
        stage_artifact(scde.folder, "passages").path("rejected.parquet")
    ).to_pylist()[0]
    assert (
        f"{stretch['id']} in tiny: rejected at the cutting of passages, {stretch['reason']}"
        in told(stretch["id"])
    )

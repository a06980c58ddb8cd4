"""What `trace` tells of a blanked passage."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cloze_gen.recipes.scde.blanks import BlankReason
from cloze_gen.recipes.scde.release import PUBLISHED
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_parquet
from tests.conftest import FinishedRun, Outcome

Told = Callable[..., str]


@pytest.fixture
def told(scde: FinishedRun, cli: Callable[..., Outcome]) -> Told:
    """The trace of an id, each run of blanks as one."""

    def call(item_id: str) -> str:
        outcome = cli("trace", item_id, "--out", scde.out)
        assert outcome.status == 0, outcome.err
        return "\n".join(" ".join(line.split()) for line in outcome.out.splitlines())

    return call


@pytest.fixture
def last(scde: FinishedRun) -> SetBlankedPassage:
    """The last passage of the test books."""
    return [one for one in BLANKED_ITEMS.read(scde.release) if one.part == Part.TEST][-1]


def _words(reason: str) -> str:
    return reason.replace("_", " ")


def test_each_blank_is_told(last: SetBlankedPassage, told: Told) -> None:
    text = told(last.id)
    passage = last.passage
    for number, (blank, answer) in enumerate(zip(passage.blanks, passage.answers, strict=True), 1):
        source = last.sources[blank]
        place = (
            f"sentence {blank} of the passage, {source.index} of the book, characters "
            f"{source.start}-{source.end}"
        )
        assert f"blank <{number}> {place}\n" in text
        assert (
            f"\nanswer {chr(97 + answer)}) {' '.join(passage.candidates[answer].split())}" in text
        )


def test_each_sentence_has_its_verdict(last: SetBlankedPassage, told: Told) -> None:
    listed = (
        told(last.id)
        .partition("verdict on each as a blank\n")[2]
        .partition("\n\n")[0]
        .splitlines()[1:]
    )
    lines, meanings = (
        listed[: len(last.passage.sentences)],
        listed[len(last.passage.sentences) :],
    )
    assert [line.split()[0] for line in lines] == [
        str(place) for place in range(len(last.passage.sentences))
    ]
    assert {int(line.split()[0]) for line in lines if line.split()[1] == "blank"} == set(
        last.passage.blanks
    )
    others = [line.split(maxsplit=1)[1] for line in lines if line.split()[1] != "blank"]
    assert all(line.startswith(("possible, not drawn", "no: ")) for line in others)
    reasons = {line.partition(":")[0] for line in meanings}
    assert reasons == {
        reason
        for reason in map(_words, BlankReason)
        if any(line.startswith(f"no: {reason} ") for line in others)
    }


def test_every_considered_distractor_is_told(
    scde: FinishedRun, last: SetBlankedPassage, told: Told
) -> None:
    """A line each with the verdict, those taken first, then the rivals that were not."""
    table = read_parquet(
        stage_artifact(scde.folder, "rivals").path("considered.parquet")
    ).to_pylist()
    rows = [row for row in table if row["id"] == last.id]
    rivals = [row for row in rows if row["verdict"] == "rival"]
    text = told(last.id)
    assert (
        f"considered {len(rows)} sentences near the passage; {len(rivals)} can be distractors"
        in text
    )
    lines = (
        text.partition("hardest first\n")[2].partition("\n\n")[0].splitlines()[1 : len(rows) + 1]
    )
    assert {int(line.split()[0]) for line in lines} == {row["sentence"] for row in rows}
    taken = {last.candidate_sources[place].index for place in last.passage.distractors}
    assert {int(line.split()[0]) for line in lines[:2]} == taken
    verdicts = [line.split()[1] for line in lines]
    assert verdicts == ["taken"] * 2 + ["rival,"] * (len(rivals) - 2) + ["no:"] * (
        len(rows) - len(rivals)
    )


def test_the_passage_is_shown_with_its_key(
    scde: FinishedRun, last: SetBlankedPassage, told: Told
) -> None:
    text = told(last.id)
    passage = last.passage
    assert text.count("; sentence ") == len(passage.candidates)
    assert all(f"(answers <{number}>; sentence " in text for number in range(1, 6))
    assert text.count("(distractor; sentence ") == 2
    shown = [sentence for sentence in passage.shown if sentence is not None]
    assert all(" ".join(sentence.split()) in text for sentence in shown)
    of_part = [one for one in BLANKED_ITEMS.read(scde.release) if one.part == Part.TEST]
    assert f"outcome in the set: {PUBLISHED[Part.TEST]}, eid {len(of_part) - 1}" in text


def test_what_fell_says_where(scde: FinishedRun, told: Told) -> None:
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

"""What `trace` tells of a blanked passage."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cloze_gen.recipes.scde.blanks import BlankReason, BlanksSettings
from cloze_gen.recipes.scde.passages import PassageReason, PassagesSettings
from cloze_gen.recipes.scde.release import PUBLISHED
from cloze_gen.recipes.scde.rivals import RivalReason, RivalsSettings
from cloze_gen.recipes.scde.trace import REASONS, UNFIT
from cloze_gen.records.blanked_passage import SetBlankedPassage
from cloze_gen.records.passage import Part
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_parquet
from tests.conftest import FinishedRun, Outcome, blanked

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


def test_every_reason_has_words() -> None:
    """Of stretches, of sentences and of rivals, with the settings that bound them."""
    assert set(REASONS) == set(PassageReason)
    assert set(UNFIT) == {*BlankReason, *RivalReason}
    passages = PassagesSettings().model_dump()
    sentences = BlanksSettings().model_dump() | RivalsSettings().model_dump()
    assert "a paragraph has more than 30 sentences" in REASONS[PassageReason.LONG].format(
        **passages
    )
    assert UNFIT[BlankReason.SHORT].format(**sentences) == "it has fewer than 7 words"
    assert not any("{" in words.format(**passages) for words in REASONS.values())
    assert not any("{" in words.format(**sentences) for words in UNFIT.values())


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


def test_what_has_too_few_rivals_tells_those_it_has(
    scde: FinishedRun, tmp_path: Path, cli: Callable[..., Outcome]
) -> None:
    """No distractors, and every sentence that was considered with what spoke against it."""
    shutil.copytree(scde.out.parent, tmp_path / "own", symlinks=True)
    out, books = tmp_path / "own" / "out", tmp_path / "own" / "books"
    call = ("run", *blanked(books).options, "--name", "many", "--out", out, "--workers", "1")
    done = cli(*call, "--set", "distractors.count=10")
    assert done.status == 0, done.err
    fallen = read_parquet(
        stage_artifact(out / "runs" / "many", "distractors").path("rejected.parquet")
    ).to_pylist()[0]["id"]
    traced = cli("trace", fallen, "--out", out, "--run", "many")
    assert traced.status == 0, traced.err
    text = "\n".join(" ".join(line.split()) for line in traced.out.splitlines())
    assert "distractors hard" not in text
    assert "\nconsidered " in text
    assert " taken " not in text.partition("\nconsidered ")[2]
    assert "outcome not in the set: too few rivals" in text


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


def test_mistakes_are_told_of_blanked_passages(
    scde: FinishedRun, cli: Callable[..., Outcome]
) -> None:
    """An id that is none, and options of questions."""
    outcome = cli("trace", "no:1", "--out", scde.out)
    assert outcome.status == 2
    assert "release/passages.jsonl, e.g. book:sentence" in outcome.err
    item = BLANKED_ITEMS.read(scde.release)[0].id
    assert (
        "a passage of scde-style has none"
        in cli("trace", item, "--alternates", "--out", scde.out).err
    )

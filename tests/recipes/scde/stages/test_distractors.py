"""Distractors as an artifact, over the sample: rivals of their passage; the paper's own kinds; one novel more."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from cloze_gen.recipes.scde.stages.tables import ANSWERS, BLANKS, CONSIDERED, DISTRACTORS, PASSAGES
from cloze_gen.stages.tables import REJECTED
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet
from tests.conftest import SAMPLE
from tests.recipes.scde.stages.conftest import Blanked

Rows = list[dict[str, Any]]


def rows(artifact: Artifact, name: str = DISTRACTORS) -> Rows:
    return read_parquet(artifact.path(name)).to_pylist()


def drawn(artifact: Artifact) -> dict[str, list[tuple[str, int]]]:
    """Of each passage the books and places of its distractors."""
    return {row["id"]: list(zip(row["books"], row["distractors"], strict=True)) for row in rows(artifact)}


@pytest.mark.parametrize("count", [2, 10])
def test_distractors_are_rivals_of_their_passage(sample: Blanked, count: int) -> None:
    """So many different ones of its own book; a passage that has fewer rivals is rejected with their number, and the funnel counts both."""
    artifact = sample.distractors(count=count)
    rivals: dict[str, set[tuple[str, int]]] = {row["id"]: set() for row in rows(sample.blanks(), BLANKS)}
    for row in rows(sample.rivals(), CONSIDERED):
        if row["verdict"] == "rival":
            rivals[row["id"]].add((row["book_id"], row["sentence"]))
    found, rejected = drawn(artifact), rows(artifact, REJECTED)
    assert [name for name in rivals if len(rivals[name]) >= count] == list(found)
    assert all(len(set(own)) == count and set(own) <= rivals[name] for name, own in found.items())
    few = {name: str(len(own)) for name, own in rivals.items() if len(own) < count}
    assert few or count == 2
    assert {row["id"]: row["detail"] for row in rejected} == few
    assert (artifact.funnel["kept"], artifact.funnel["rejected"]) == (len(found), {"too_few_rivals": len(few)} if few else {})


def test_none_are_drawn_for_a_set_without(sample: Blanked) -> None:
    """Of every passage that has blanks, whatever rivals it has."""
    assert drawn(sample.distractors(kind="none")) == {row["id"]: [] for row in rows(sample.blanks(), BLANKS)}


def test_random_distractors_are_answers_of_other_books(sample: Blanked) -> None:
    """Of two different passages of the same part; every passage has them, however few rivals it has."""
    blanks = {row["id"]: row for row in rows(sample.blanks(), BLANKS)}
    windows = {row["id"]: row for row in rows(sample.passages, PASSAGES)}
    passage_of = {(row["book_id"], windows[name]["first"] + place): name for name, row in blanks.items() for place in row["blanks"]}
    found = drawn(sample.distractors(kind="random"))
    assert list(found) == list(blanks)
    assert len({windows[name]["part"] for name in found}) == 3
    for name, own in found.items():
        others = {passage_of[place] for place in own}
        assert len(others) == 2
        assert all(windows[other]["book_id"] != windows[name]["book_id"] for other in others)
        assert all(windows[other]["part"] == windows[name]["part"] for other in others)


def test_places_by_length_are_those_of_the_distractors(sample: Blanked) -> None:
    """Among all candidates of the passage, the shortest first."""
    characters = {(row["id"], row["sentence"]): row["characters"] for row in rows(sample.rivals(), CONSIDERED)}
    answers: dict[str, list[int]] = {}
    for row in rows(sample.rivals(), ANSWERS):
        answers.setdefault(row["id"], []).append(row["characters"])
    for row in rows(sample.distractors()):
        whole = [(length, False) for length in answers[row["id"]]]
        whole += [(characters[row["id"], sentence], True) for sentence in row["distractors"]]
        assert row["by_length"] == [place for place, (_, is_distractor) in enumerate(sorted(whole)) if is_distractor]


@pytest.mark.parametrize(("kind", "count"), [("random", 2), ("none", 2), ("none", 10)])
def test_what_a_set_is_chosen_by_is_told_of_the_hard(sample: Blanked, kind: str, count: int) -> None:
    """Whatever is drawn, so that sets of every kind take the same passages; a passage with too few rivals has none of it."""
    hard, other = ({row["id"]: (row["by_length"], row["temptation"]) for row in rows(sample.distractors(kind=one, count=count))}
                   for one in ("hard", kind))  # fmt: skip
    assert other == {name: hard.get(name, ([], 0)) for name in other}
    assert (len(hard) < len(other)) == (count == 10)


def test_a_novel_more_changes_no_other(own_sample: Blanked) -> None:
    """One that no model is made of, given the same models: the others' blanks, rivals and distractors stay; of random ones most do."""
    before = own_sample
    shutil.copyfile(SAMPLE / "train" / "02-a-house-in-mercer-row.txt", before.novels.books / "mercer.txt")
    after = Blanked(before.novels, before.novels.partition(development_share=0.25), before.counts, before.coherence)

    def others(artifact: Artifact, name: str) -> Rows:
        return [row for row in rows(artifact, name) if not row["id"].startswith("mercer:")]

    tables: list[tuple[Callable[[Blanked], Artifact], str]] = [
        (lambda made: made.blanks(), BLANKS),
        (lambda made: made.rivals(), CONSIDERED),
        (lambda made: made.rivals(), ANSWERS),
        (lambda made: made.distractors(), DISTRACTORS),
    ]
    for make, name in tables:
        assert others(make(after), name) == rows(make(before), name)
        assert len(rows(make(after), name)) > len(rows(make(before), name))
    few, more = (drawn(made.distractors(kind="random")) for made in (before, after))
    assert sum(few[name] == more[name] for name in few) > len(few) / 2

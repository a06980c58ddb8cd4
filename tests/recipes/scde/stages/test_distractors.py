"""Distractors as an artifact: drawn among the rivals by odds that training novels teach; the paper's own kinds; one novel more."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloze_gen.errors import CorpusError
from cloze_gen.recipes.scde.stages.distractors import write_distractors
from cloze_gen.recipes.scde.stages.tables import ANSWERS, BLANKS, CONSIDERED, DISTRACTORS, PASSAGES, PROPENSITY
from cloze_gen.recipes.scde.steps.distractors import DistractorsSettings
from cloze_gen.rng import stable_fraction
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import REJECTED
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.tables import read_parquet, read_tsv, write_parquet
from tests.conftest import SAMPLE
from tests.recipes.scde.stages.conftest import Blanked, Novels

Rows = list[dict[str, Any]]


def rows(artifact: Artifact, name: str = DISTRACTORS) -> Rows:
    return read_parquet(artifact.path(name)).to_pylist()


def drawn(artifact: Artifact) -> dict[str, list[tuple[str, int]]]:
    """Of each passage the books and places of its distractors."""
    return {row["id"]: list(zip(row["books"], row["distractors"], strict=True)) for row in rows(artifact)}


# ---- over the sample


def test_distractors_are_rivals_of_their_passage(sample: Blanked) -> None:
    """Two different ones of its own book; a passage that has fewer rivals is rejected with their number, and the funnel counts both."""
    artifact = sample.distractors()
    rivals: dict[str, set[tuple[str, int]]] = {row["id"]: set() for row in rows(sample.blanks(), BLANKS)}
    for row in rows(sample.rivals(), CONSIDERED):
        if row["verdict"] == "rival":
            rivals[row["id"]].add((row["book_id"], row["sentence"]))
    found, rejected = drawn(artifact), rows(artifact, REJECTED)
    assert [name for name in rivals if len(rivals[name]) >= 2] == list(found)
    assert all(len(set(own)) == 2 and set(own) <= rivals[name] for name, own in found.items())
    few = {name: str(len(own)) for name, own in rivals.items() if len(own) < 2}
    assert few
    assert {row["id"]: row["detail"] for row in rejected} == few
    assert (artifact.funnel["kept"], artifact.funnel["rejected"]) == (len(found), {"too_few_rivals": len(few)})


def test_none_are_drawn_for_a_set_without(sample: Blanked) -> None:
    """Of every passage that has blanks, whatever rivals it has."""
    assert drawn(sample.distractors(kind="none")) == {row["id"]: [] for row in rows(sample.blanks(), BLANKS)}


def test_random_distractors_are_answers_of_other_books(sample: Blanked) -> None:
    """Of two different passages; every passage has them, however few rivals it has."""
    blanks = {row["id"]: row for row in rows(sample.blanks(), BLANKS)}
    first = {row["id"]: row["first"] for row in rows(sample.passages, PASSAGES)}
    passage_of = {(row["book_id"], first[name] + place): name for name, row in blanks.items() for place in row["blanks"]}
    found = drawn(sample.distractors(kind="random"))
    assert list(found) == list(blanks)
    for name, own in found.items():
        assert len({passage_of[place] for place in own}) == 2
        assert all(book != blanks[name]["book_id"] for book, _ in own)


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


# ---- planted: books whose answers show what their rivals seldom do


def book(part: str, number: int, half: int | None = None) -> str:
    """The name of a training novel of one half, or of another novel."""
    names = (f"{part}{number}-{i}" for i in range(99))
    return next(name for name in names if half is None or int(stable_fraction("scde.propensity", name) >= 0.5) == half)


def planted(*, books: int = 16, rivals: int = 24, often: float = 0.6) -> tuple[Rows, Rows, Rows]:
    """Passages, answers and rivals: of the answers so many show a trait, of the rivals 20 %; six passages a book."""
    of_half = [(book("train", number, number % 2), "train") for number in range(books)]
    every = [*of_half, *((book("test", number), "test") for number in range(books))]
    passages: Rows = []
    answers: Rows = []
    considered: Rows = []
    for book_id, part in every:
        for first in range(0, 600, 100):
            name = f"{book_id}:{first}"
            rng = np.random.default_rng([1, *name.encode()])
            passages.append({"id": name, "book_id": book_id, "part": part, "domain": "", "first": first, "last": first + 9})

            def shows(often: float, rng: np.random.Generator = rng) -> dict[str, Any]:
                found = [trait for trait, share in {"planted": often, "noise": 0.5}.items() if rng.random() < share]
                return {"characters": int(rng.integers(40, 200)), "traits": found}

            answers += [{"id": name, "blank": k, "sentence": first + 1 + k, **shows(often)} for k in range(5)]
            for k in range(rivals):
                measured = {"verdict": "rival", "hardness": float(rng.normal())}
                considered.append({"id": name, "sentence": first + 20 + k, **measured, **shows(0.2)})
    return passages, answers, considered


def table(some: Rows) -> dict[str, list[Any]]:
    return {name: [row[name] for row in some] for name in some[0]}


def write_planted_passages(writer: ArtifactWriter, room: Room, *, passages: Rows) -> None:
    write_parquet(writer.path(PASSAGES), table(passages))


def write_planted_rivals(writer: ArtifactWriter, room: Room, *, answers: Rows, considered: Rows) -> None:
    write_parquet(writer.path(ANSWERS), table(answers))
    write_parquet(writer.path(CONSIDERED), table(considered))


@pytest.fixture
def distract(tmp_path: Path) -> Callable[..., Artifact]:
    """The distractors of planted passages."""
    novels = Novels(tmp_path, Store(tmp_path / "out"))

    def made(given: tuple[Rows, Rows, Rows], **settings: Any) -> Artifact:
        passages = novels.stage("passages", write_planted_passages, passages=given[0])
        rivals = novels.stage("rivals", write_planted_rivals, answers=given[1], considered=given[2])
        of = DistractorsSettings(**settings)
        return novels.stage("distractors", write_distractors, passages=passages, rivals=rivals, settings=of, seed=1)

    return made


def share_planted(artifact: Artifact, considered: Rows, part: str) -> float:
    """How many of the distractors of one part show what was planted."""
    shows = {(row["id"], row["sentence"]): "planted" in row["traits"] for row in considered}
    found = [shows[row["id"], sentence] for row in rows(artifact) for sentence in row["distractors"] if row["id"].startswith(part)]
    return float(np.mean(found))


def test_what_answers_show_distractors_come_to_show(distract: Callable[..., Artifact]) -> None:
    """In novels that were not learnt from as in those that were: without a round as often as all rivals, after some more than twice as
    often, and what one half of the training novels shows hardly tells the other's apart any more."""
    given = planted()
    none, some = (distract(given, strength=0, rounds=rounds) for rounds in (0, 12))
    for part in ("train", "test"):
        assert share_planted(none, given[2], part) == pytest.approx(0.2, abs=0.08)
        assert share_planted(some, given[2], part) > 0.4
    apart = some.facts["told_apart"]
    assert len(apart) == 13
    assert apart[0] == none.facts["told_apart"][0] > 0.65
    assert min(abs(value - 0.5) for value in apart) < (apart[0] - 0.5) / 2


def test_the_rounds_that_told_least_are_kept(distract: Callable[..., Artifact]) -> None:
    """Those behind them that did worse change nothing of what is learnt."""
    given = planted(books=6, often=0.25)
    made = {rounds: distract(given, strength=0, rounds=rounds) for rounds in range(5)}
    learnt = {rounds: some.path(PROPENSITY).read_text() for rounds, some in made.items()}
    many = made[4]
    distance = [abs(value - 0.5) for value in many.facts["told_apart"]]
    best = max(i for i, value in enumerate(distance) if value == min(distance))
    assert 0 < best < 4
    assert {rounds for rounds, text in learnt.items() if text == learnt[4]} == set(range(best, 5))


def changed(given: tuple[Rows, Rows, Rows], whose: Callable[[str], bool]) -> tuple[Rows, Rows, Rows]:
    """The same passages, with answers of some that never show what was planted."""
    passages, answers, considered = given
    return passages, [row | {"traits": ["noise"]} if whose(row["id"]) else row for row in answers], considered


def test_a_novel_is_drawn_for_by_the_half_that_it_is_not_in(distract: Callable[..., Artifact]) -> None:
    """Other answers in one half change that half's log odds and the other half's distractors, and none of its own."""
    given = planted(books=12)
    half = {row["id"]: int(stable_fraction("scde.propensity", row["book_id"]) >= 0.5) for row in given[0] if row["part"] == "train"}
    before, after = (distract(some, rounds=1, strength=0) for some in (given, changed(given, lambda name: half.get(name) == 0)))
    odds = [
        [{row["trait"]: row[column] for row in read_tsv(made.path(PROPENSITY))} for made in (before, after)]
        for column in ("half_0", "half_1")
    ]
    assert odds[0][0] != odds[0][1]
    assert odds[1][0] == odds[1][1]
    first, second = drawn(before), drawn(after)
    moved = {name for name in first if first[name] != second[name]}
    assert {half.get(name) for name in moved} == {1, None}


def test_nothing_is_learnt_from_other_parts(distract: Callable[..., Artifact]) -> None:
    """Whatever the answers of test novels show, and whether they are there at all, no training novel's distractors change."""
    given = planted(books=6)
    before, after = (distract(some) for some in (given, changed(given, lambda name: name.startswith("test"))))
    assert drawn(before) == drawn(after)
    alone = distract(tuple([row for row in some if row["id"].startswith("train")] for some in given))
    assert drawn(alone) == {name: own for name, own in drawn(before).items() if name.startswith("train")}


def test_harder_rivals_are_preferred(distract: Callable[..., Artifact]) -> None:
    """The more so the stronger the preference."""
    given = planted(books=8)
    hardness = {(row["id"], row["sentence"]): row["hardness"] for row in given[2]}

    def mean(strength: float) -> float:
        found = distract(given, strength=strength, rounds=0)
        return float(np.mean([hardness[row["id"], sentence] for row in rows(found) for sentence in row["distractors"]]))

    even, some, much = map(mean, (0.0, 1.0, 10.0))
    assert abs(even) < 0.15
    assert even + 0.3 < some < much - 0.2


def test_one_half_alone_teaches_nothing(distract: Callable[..., Artifact]) -> None:
    """Distractors are drawn all the same, and no propensity is told."""
    passages, answers, considered = planted(books=4)
    kept = {row["id"] for row in passages if stable_fraction("scde.propensity", row["book_id"]) < 0.5 or row["part"] == "test"}
    made = distract(tuple([row for row in some if row["id"] in kept] for some in (passages, answers, considered)))
    assert len(drawn(made)) == len(kept)
    assert (read_tsv(made.path(PROPENSITY)), made.facts["told_apart"]) == ([], [])


@pytest.mark.parametrize("kind", ["hard", "random"])
def test_too_few_rivals_everywhere_end_the_run(distract: Callable[..., Artifact], kind: str) -> None:
    """Of one book alone no random distractor can be had, of one rival no two hard ones; the message says what helps."""
    passages, answers, considered = planted(books=4, rivals=1)
    one: Sequence[str] = [row["id"] for row in passages if row["book_id"] == passages[0]["book_id"]]
    given = tuple([row for row in some if row["id"] in one] for some in (passages, answers, considered))
    with pytest.raises(CorpusError, match=r"none of 6 passages has 2 distractors\. Raise rivals\.max_distance .* or give more books"):
        distract(given, kind=kind)

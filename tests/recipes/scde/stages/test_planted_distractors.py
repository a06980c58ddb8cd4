"""Distractors of planted books, whose answers show what their rivals seldom do: what the odds learn, and of which books."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloze_gen.errors import CorpusError
from cloze_gen.recipes.scde.stages.distractors import write_distractors
from cloze_gen.recipes.scde.stages.tables import ANSWERS, CONSIDERED, DISTRACTORS, PASSAGES, PROPENSITY
from cloze_gen.recipes.scde.steps.distractors import DistractorsSettings
from cloze_gen.rng import stable_fraction
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.tables import read_parquet, read_tsv, write_parquet
from tests.recipes.scde.stages.conftest import Novels

Rows = list[dict[str, Any]]


def rows(artifact: Artifact) -> Rows:
    return read_parquet(artifact.path(DISTRACTORS)).to_pylist()


def drawn(artifact: Artifact) -> dict[str, list[tuple[str, int]]]:
    """Of each passage the books and places of its distractors."""
    return {row["id"]: list(zip(row["books"], row["distractors"], strict=True)) for row in rows(artifact)}


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
                measured = {"verdict": "rival"} | {name: float(rng.normal()) for name in ("fit", "topic", "hardness")}
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


def log_odds(artifact: Artifact) -> dict[str, float]:
    """By trait."""
    return {row["trait"]: float(row["log_odds"]) for row in read_tsv(artifact.path(PROPENSITY))}


def test_what_answers_show_distractors_come_to_show(distract: Callable[..., Artifact]) -> None:
    """In novels that were not learnt from as in those that were: without a round as often as all rivals, after some more than twice as
    often, and what one half of the training novels shows hardly tells the other's apart any more."""
    given = planted()
    none, some = (distract(given, strength=0, rounds=rounds) for rounds in (0, 12))
    for part in ("train", "test"):
        assert share_planted(none, given[2], part) == pytest.approx(0.2, abs=0.08)
        assert share_planted(some, given[2], part) > 0.4
    apart = some.facts["told_apart"]
    assert apart[0] == none.facts["told_apart"][0] > 0.65
    assert min(abs(value - 0.5) for value in apart) < (apart[0] - 0.5) / 2


def test_every_round_that_is_asked_for_is_made(distract: Callable[..., Artifact]) -> None:
    """Each adds to the odds of those before it, however well they did; without one there are no odds."""
    given = planted(books=6)
    made = [distract(given, strength=0, rounds=rounds) for rounds in range(4)]
    learnt = [log_odds(some) for some in made]
    assert learnt[0] == {}
    assert learnt[1].keys() == learnt[2].keys() == learnt[3].keys() == {"planted", "noise"}
    assert 0 < learnt[1]["planted"] < learnt[2]["planted"] < learnt[3]["planted"]
    apart = [some.facts["told_apart"] for some in made]
    assert [len(some) for some in apart] == [1, 2, 3, 4]
    assert all(some == apart[3][: len(some)] for some in apart)


def changed(given: tuple[Rows, Rows, Rows], whose: Callable[[str], bool]) -> tuple[Rows, Rows, Rows]:
    """The same passages, with answers of some that never show what was planted."""
    passages, answers, considered = given
    return passages, [row | {"traits": ["noise"]} if whose(row["id"]) else row for row in answers], considered


@pytest.mark.parametrize("whose", [0, 1])
def test_the_odds_are_learnt_of_both_halves(distract: Callable[..., Artifact], whose: int) -> None:
    """Other answers in either half of the training novels lower the odds and change distractors of every novel."""
    given = planted(books=12)
    half = {row["id"]: int(stable_fraction("scde.propensity", row["book_id"]) >= 0.5) for row in given[0] if row["part"] == "train"}
    before, after = (distract(some, rounds=1, strength=0) for some in (given, changed(given, lambda name: half.get(name) == whose)))
    assert 0 < log_odds(after)["planted"] < log_odds(before)["planted"]
    first, second = drawn(before), drawn(after)
    moved = {name for name in first if first[name] != second[name]}
    assert {half.get(name) for name in moved} == {0, 1, None}


def test_one_half_tells_of_the_other(distract: Callable[..., Artifact]) -> None:
    """What the answers of one half alone show tells the other's apart no better than a coin, for it is not what those show."""
    given = planted(books=12)
    half = {row["id"]: int(stable_fraction("scde.propensity", row["book_id"]) >= 0.5) for row in given[0] if row["part"] == "train"}
    both, one = (distract(some, rounds=0) for some in (given, changed(given, lambda name: half.get(name) == 0)))
    assert both.facts["told_apart"][0] > 0.65
    assert one.facts["told_apart"][0] < 0.5


def test_nothing_is_learnt_from_other_parts(distract: Callable[..., Artifact]) -> None:
    """Whatever the answers of test novels show, and whether they are there at all, no training novel's row changes."""
    given = planted(books=6)
    before, after = (distract(some) for some in (given, changed(given, lambda name: name.startswith("test"))))
    assert drawn(before) == drawn(after)
    alone = distract(tuple([row for row in some if row["id"].startswith("train")] for some in given))
    assert rows(alone) == [row for row in rows(before) if row["id"].startswith("train")]
    assert log_odds(alone) == log_odds(before)


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


def test_hardness_that_anybody_sees_is_not_preferred(distract: Callable[..., Artifact]) -> None:
    """Where a trait makes rivals harder those that show it are drawn as often as they are there, in novels of every part; what makes a
    rival hard besides still counts."""
    passages, answers, considered = planted()
    own = {(row["id"], row["sentence"]): row["hardness"] for row in considered}
    plain = [row | {"hardness": row["hardness"] + 3 * ("planted" in row["traits"])} for row in considered]
    made = distract((passages, answers, plain), strength=2, rounds=0)
    for part in ("train", "test"):
        assert share_planted(made, considered, part) == pytest.approx(0.2, abs=0.08)
    assert np.mean([own[row["id"], sentence] for row in rows(made) for sentence in row["distractors"]]) > 0.3


def tempts(given: tuple[Rows, Rows, Rows], artifact: Artifact) -> dict[str, float]:
    """Of each passage the mean of fit and topic together over its distractors."""
    value = {(row["id"], row["sentence"]): row["fit"] + row["topic"] for row in given[2]}
    return {row["id"]: float(np.mean([value[row["id"], sentence] for sentence in row["distractors"]])) for row in rows(artifact)}


def test_temptation_is_fit_and_topic_above_the_mean(distract: Callable[..., Artifact]) -> None:
    """Of the distractors drawn, where their traits tell nothing: above the mean of the training passages."""
    passages, answers, considered = planted(books=4)
    given = passages, *([row | {"traits": []} for row in some] for some in (answers, considered))
    made = distract(given)
    wanted = tempts(given, made)
    mean = np.mean([value for name, value in wanted.items() if name.startswith("train")])
    assert {row["id"]: row["temptation"] for row in rows(made)} == pytest.approx(
        {name: own - mean for name, own in wanted.items()}, abs=1e-5
    )


@pytest.mark.parametrize("whose", ["distractors", "answers"])
def test_temptation_that_anybody_sees_is_none(distract: Callable[..., Artifact], whose: str) -> None:
    """What the traits of distractors, or of the answers, let one expect is taken off; what is left does not rise with them."""
    passages, answers, considered = planted(books=32, rivals=6, often=0.5)
    shown: dict[str, int] = {}
    for row in answers:
        shown[row["id"]] = shown.get(row["id"], 0) + ("planted" in row["traits"])
    adds = {
        (row["id"], row["sentence"]): shown[row["id"]] if whose == "answers" else 5 * ("planted" in row["traits"]) for row in considered
    }
    given = passages, answers, [row | {"fit": row["fit"] + adds[row["id"], row["sentence"]]} for row in considered]
    made = distract(given, rounds=0)
    added = [float(np.mean([adds[row["id"], sentence] for sentence in row["distractors"]])) for row in rows(made)]
    before, left = list(tempts(given, made).values()), [row["temptation"] for row in rows(made)]
    slopes = [np.polyfit(added, values, 1)[0] for values in (before, left)]
    assert slopes[0] > 0.7
    assert abs(slopes[1]) < slopes[0] / 2


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

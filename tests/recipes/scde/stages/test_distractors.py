"""Distractors as an artifact: drawn among the rivals by odds that training novels teach; the paper's own kinds; one novel more."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from cloze_gen.errors import CorpusError
from cloze_gen.recipes.scde.stages.tables import ANSWERS, BLANKS, CONSIDERED, DISTRACTORS, PASSAGES, PROPENSITY
from cloze_gen.rng import stable_fraction
from cloze_gen.stages.tables import REJECTED
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_tsv
from tests.conftest import SAMPLE
from tests.recipes.scde.stages.conftest import Blanked, Rows, changed, drawn, log_odds, planted, rows, share_planted, tempts

# ---- over the sample


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


# ---- over planted books, whose answers show what their rivals seldom do


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
    with pytest.raises(CorpusError, match=rf"none of 6 passages has 2 {kind} distractors\. .*or give more books"):
        distract(given, kind=kind)


def test_a_passage_without_random_distractors_says_what_its_part_lacks(distract: Callable[..., Artifact]) -> None:
    """Of a part with one passage of another book two cannot be had, and it is not for want of rivals."""
    passages, answers, considered = planted(books=4, rivals=9)
    part = passages[0]["part"]
    own = [row["id"] for row in passages if row["book_id"] == passages[0]["book_id"]]
    other = next(row["id"] for row in passages if row["part"] == part and row["id"] not in own)
    rest = [row["id"] for row in passages if row["part"] != part]
    given = tuple([row for row in some if row["id"] in {*own, other, *rest}] for some in (passages, answers, considered))
    rejected = {row["id"]: (row["reason"], row["detail"]) for row in rows(distract(given, kind="random"), REJECTED)}
    assert {rejected[name] for name in own} == {("too_few_passages_of_other_books", "1")}

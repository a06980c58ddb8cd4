"""Drawing distractors: lengths that tell nothing, odds that are kept."""

import shutil
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.scde.distractors import draw_distractors
from cloze_gen.recipes.scde.passages import (
    ANSWERS,
    BLANKS,
    CONSIDERED,
    DISTRACTORS,
    PASSAGES,
    PROPENSITY,
)
from cloze_gen.store.tables import REJECTED, read_tsv
from tests.conftest import SAMPLE
from tests.recipes.scde.conftest import (
    Blanked,
    changed,
    drawn,
    half_of,
    log_odds,
    only,
    planted,
    rows,
    share_planted,
    tempts,
)

ANSWER_LENGTHS = [30, 10, 50, 20, 40]


def draw(lengths, log_odds, seed, count=2):
    return draw_distractors(
        np.array(lengths),
        ANSWER_LENGTHS,
        np.array(log_odds),
        count=count,
        rng=np.random.default_rng(seed),
    )


@given(st.lists(st.integers(1, 80), max_size=9), st.integers(1, 4), st.integers(0, 2**32))
def test_distractors_are_so_many_candidates(lengths, count, seed):
    """Different ones, in rising order; none at all where there are too few."""
    found = draw(lengths, [0.0] * len(lengths), seed, count)
    if len(lengths) < count:
        assert found is None
    else:
        assert found is not None
        assert len(set(found)) == count
        assert list(found) == sorted(found)
        assert set(found) <= set(range(len(lengths)))


def test_each_place_by_length_falls_to_distractors_as_often():
    lengths = [5, 6, 7, 14, 15, 16, 24, 25, 26, 34, 35, 36, 44, 45, 46, 54, 55, 56]
    passages = 2100
    places = Counter()
    pairs = Counter()
    for seed in range(passages):
        taken = draw(lengths, [0.0] * len(lengths), seed)
        assert taken is not None
        whole = sorted([*ANSWER_LENGTHS, *(lengths[i] for i in taken)])
        own = tuple(sorted(whole.index(lengths[i]) for i in taken))
        places.update(own)
        pairs[own] += 1
    assert set(places) == set(range(7))
    error = (passages * 2 / 7 * 5 / 7) ** 0.5
    assert all(abs(count - passages * 2 / 7) < 3.5 * error for count in places.values())
    assert len(pairs) == 21
    assert all(abs(count - 100) < 4.5 * 10 for count in pairs.values())


def test_candidates_of_a_length_are_drawn_by_their_odds():
    taken = Counter(
        draw([25, 25, 25], [0.0, float(np.log(3)), -30.0], seed, 1) for seed in range(2000)
    )
    assert taken[(1,)] / 2000 == pytest.approx(0.75, abs=3.5 * (0.75 * 0.25 / 2000) ** 0.5)
    assert taken[(2,)] == 0


def test_odds_choose_among_one_length_alone():
    lengths = [5, 15, 25, 35, 45, 55]
    taken = Counter(draw(lengths, [50.0, 0, 0, 0, 0, 0], seed, 1) for seed in range(600))
    assert {place for found in taken if found for place in found} == set(range(6))
    assert taken[(0,)] == pytest.approx(100, abs=4 * (600 / 6 * 5 / 6) ** 0.5)


def test_a_place_without_a_candidate_takes_one_of_the_nearest():
    """All short places go to the short one, all long ones to the long."""
    taken = Counter(draw([5, 55], [0.0, 0.0], seed, 1) for seed in range(600))
    assert taken[(0,)] == pytest.approx(300, abs=4 * 150**0.5)


# ---- over the sample


@pytest.mark.parametrize("count", [2, 10])
def test_distractors_are_rivals_of_their_passage(sample, count):
    artifact = sample.distractors(count=count)
    rivals = {row["id"]: set() for row in rows(sample.blanks(), BLANKS)}
    for row in rows(sample.rivals(), CONSIDERED):
        if row["verdict"] == "rival":
            rivals[row["id"]].add((row["book_id"], row["sentence"]))
    found, rejected = drawn(artifact), rows(artifact, REJECTED)
    assert [name for name in rivals if len(rivals[name]) >= count] == list(found)
    assert all(len(set(own)) == count and set(own) <= rivals[name] for name, own in found.items())
    few = {name: str(len(own)) for name, own in rivals.items() if len(own) < count}
    assert few or count == 2
    assert {row["id"]: row["detail"] for row in rejected} == few
    assert (artifact.funnel["kept"], artifact.funnel["rejected"]) == (
        len(found),
        {"too_few_rivals": len(few)} if few else {},
    )


def test_none_are_drawn_for_a_set_without(sample):
    """Of every passage that has blanks, whatever rivals it has."""
    assert drawn(sample.distractors(kind="none")) == {
        row["id"]: [] for row in rows(sample.blanks(), BLANKS)
    }


def test_random_distractors_are_answers_of_other_books(sample):
    blanks = {row["id"]: row for row in rows(sample.blanks(), BLANKS)}
    windows = {row["id"]: row for row in rows(sample.passages, PASSAGES)}
    passage_of = {
        (row["book_id"], windows[name]["first"] + place): name
        for name, row in blanks.items()
        for place in row["blanks"]
    }
    found = drawn(sample.distractors(kind="random"))
    assert list(found) == list(blanks)
    assert len({windows[name]["part"] for name in found}) == 3
    for name, own in found.items():
        others = {passage_of[place] for place in own}
        assert len(others) == 2
        assert all(windows[other]["book_id"] != windows[name]["book_id"] for other in others)
        assert all(windows[other]["part"] == windows[name]["part"] for other in others)


def test_all_kinds_have_the_ranks_and_temptation_of_the_hard(sample):
    """So sets with other distractors have the same passages."""
    hard, none = (
        {row["id"]: (row["by_length"], row["temptation"]) for row in rows(artifact)}
        for artifact in (sample.distractors(count=10, kind=kind) for kind in ("hard", "none"))
    )
    assert none == {name: hard.get(name, ([], 0)) for name in none}
    assert len(hard) < len(none)
    assert all(len(set(ranks)) == 10 and max(ranks) < 15 for ranks, _ in hard.values())


def test_a_novel_more_changes_no_other(own_sample):
    before = own_sample
    shutil.copyfile(
        SAMPLE / "train" / "07-the-railway-at-gallows-cross.txt", before.novels.books / "mercer.txt"
    )
    after = Blanked(
        before.novels,
        before.novels.partition(development_share=0.25),
        before.counts,
        before.coherence,
    )

    def others(artifact, name):
        return [row for row in rows(artifact, name) if not row["id"].startswith("mercer:")]

    tables = [
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


def test_what_answers_show_distractors_come_to_show(distract):
    """After some rounds the trait is twice as frequent and hardly separates the other half."""
    given = planted()
    none, some = (distract(given, strength=0, rounds=rounds) for rounds in (0, 12))
    for part in ("train", "test"):
        assert share_planted(none, given[2], part) == pytest.approx(0.2, abs=0.08)
        assert share_planted(some, given[2], part) > 0.4
    apart = some.facts["auc"]
    assert apart[0] == none.facts["auc"][0] > 0.65
    assert min(abs(value - 0.5) for value in apart) < (apart[0] - 0.5) / 2


def test_every_round_that_is_asked_for_is_made(distract):
    given = planted(books=6)
    made = [distract(given, strength=0, rounds=rounds) for rounds in range(4)]
    learnt = [log_odds(some) for some in made]
    assert learnt[0] == {}
    assert learnt[1].keys() == learnt[2].keys() == learnt[3].keys() == {"planted", "noise"}
    assert 0 < learnt[1]["planted"] < learnt[2]["planted"] < learnt[3]["planted"]
    apart = [some.facts["auc"] for some in made]
    assert [len(some) for some in apart] == [1, 2, 3, 4]
    assert all(some == apart[3][: len(some)] for some in apart)


@pytest.mark.parametrize("whose", [0, 1])
def test_the_odds_are_learnt_of_both_halves(distract, whose):
    given = planted(books=12)
    half = half_of(given[0])
    before, after = (
        distract(some, rounds=1, strength=0)
        for some in (given, changed(given, lambda name: half.get(name) == whose))
    )
    assert 0 < log_odds(after)["planted"] < log_odds(before)["planted"]
    first, second = drawn(before), drawn(after)
    moved = {name for name in first if first[name] != second[name]}
    assert {half.get(name) for name in moved} == {0, 1, None}


def test_one_half_tells_of_the_other(distract):
    given = planted(books=12)
    half = half_of(given[0])
    both, one = (
        distract(some, rounds=0)
        for some in (given, changed(given, lambda name: half.get(name) == 0))
    )
    assert both.facts["auc"][0] > 0.65
    assert one.facts["auc"][0] < 0.5


def test_nothing_is_learnt_from_other_parts(distract):
    given = planted(books=6)
    before, after = (
        distract(some) for some in (given, changed(given, lambda name: name.startswith("test")))
    )
    assert drawn(before) == drawn(after)
    alone = distract(only(given, half_of(given[0])))
    assert rows(alone) == [row for row in rows(before) if row["id"].startswith("train")]
    assert log_odds(alone) == log_odds(before)


def test_harder_rivals_are_preferred(distract):
    """The more so the stronger the preference."""
    given = planted(books=8)
    hardness = {(row["id"], row["sentence"]): row["hardness"] for row in given[2]}

    def mean(strength):
        found = distract(given, strength=strength, rounds=0)
        return float(
            np.mean(
                [
                    hardness[row["id"], sentence]
                    for row in rows(found)
                    for sentence in row["distractors"]
                ]
            )
        )

    even, some, much = map(mean, (0.0, 1.0, 10.0))
    assert abs(even) < 0.15
    assert even + 0.3 < some < much - 0.2


def test_hardness_that_anybody_sees_is_not_preferred(distract):
    passages, answers, considered = planted()
    own = {(row["id"], row["sentence"]): row["hardness"] for row in considered}
    plain = [
        row | {"hardness": row["hardness"] + 3 * ("planted" in row["traits"])} for row in considered
    ]
    made = distract((passages, answers, plain), strength=2, rounds=0)
    for part in ("train", "test"):
        assert share_planted(made, considered, part) == pytest.approx(0.2, abs=0.08)
    assert (
        np.mean([own[row["id"], sentence] for row in rows(made) for sentence in row["distractors"]])
        > 0.3
    )


def test_temptation_is_fit_and_topic_above_the_mean(distract):
    passages, answers, considered = planted(books=4)
    given = passages, *([row | {"traits": []} for row in some] for some in (answers, considered))
    made = distract(given)
    wanted = tempts(given, made)
    mean = np.mean([value for name, value in wanted.items() if name.startswith("train")])
    assert {row["id"]: row["temptation"] for row in rows(made)} == pytest.approx(
        {name: own - mean for name, own in wanted.items()}, abs=1e-5
    )


@pytest.mark.parametrize("whose", ["distractors", "answers"])
def test_temptation_that_anybody_sees_is_none(distract, whose):
    """The part predicted by traits is subtracted."""
    passages, answers, considered = planted(books=32, rivals=6, often=0.5)
    shown = {}
    for row in answers:
        shown[row["id"]] = shown.get(row["id"], 0) + ("planted" in row["traits"])
    adds = {
        (row["id"], row["sentence"]): shown[row["id"]]
        if whose == "answers"
        else 5 * ("planted" in row["traits"])
        for row in considered
    }
    given = (
        passages,
        answers,
        [row | {"fit": row["fit"] + adds[row["id"], row["sentence"]]} for row in considered],
    )
    made = distract(given, rounds=0)
    added = [
        float(np.mean([adds[row["id"], sentence] for sentence in row["distractors"]]))
        for row in rows(made)
    ]
    before, left = list(tempts(given, made).values()), [row["temptation"] for row in rows(made)]
    slopes = [np.polyfit(added, values, 1)[0] for values in (before, left)]
    assert slopes[0] > 0.7
    assert abs(slopes[1]) < slopes[0] / 2


def test_one_half_alone_teaches_nothing(distract):
    """Distractors are drawn all the same, and no propensity is told."""
    given = planted(books=4)
    half = half_of(given[0])
    kept = [row["id"] for row in given[0] if half.get(row["id"]) != 1]
    made = distract(only(given, kept))
    assert len(drawn(made)) == len(kept)
    assert (read_tsv(made.path(PROPENSITY)), made.facts["auc"]) == ([], [])


@pytest.mark.parametrize("kind", ["hard", "random"])
def test_passages_with_too_few_rivals_are_rejected(distract, kind):
    given = planted(books=4, rivals=1)
    one = {row["id"] for row in given[0] if row["book_id"] == given[0][0]["book_id"]}
    made = distract(only(given, one), kind=kind)
    assert drawn(made) == {}
    assert {row["id"] for row in rows(made, REJECTED)} == one


def test_a_passage_without_random_distractors_says_what_its_part_lacks(
    distract,
):
    given = planted(books=4, rivals=9)
    first = given[0][0]
    own = [row["id"] for row in given[0] if row["book_id"] == first["book_id"]]
    others = [row for row in given[0] if row["id"] not in own]
    other = next(row["id"] for row in others if row["part"] == first["part"])
    rest = [row["id"] for row in others if row["part"] != first["part"]]
    made = distract(only(given, {*own, other, *rest}), kind="random")
    rejected = {row["id"]: (row["reason"], row["detail"]) for row in rows(made, REJECTED)}
    assert {rejected[name] for name in own} == {("too_few_passages_of_other_books", "1")}

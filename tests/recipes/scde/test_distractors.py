"""Drawing distractors: lengths that tell nothing, odds that are kept."""

import shutil
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.scde.blanks import BLANKS
from cloze_gen.recipes.scde.distractors import DISTRACTORS, draw_distractors
from cloze_gen.recipes.scde.passages import PASSAGES
from cloze_gen.recipes.scde.rivals import CANDIDATES
from cloze_gen.recipes.tables import REJECTIONS
from tests.conftest import SAMPLE
from tests.recipes.scde.conftest import (
    Blanked,
    drawn,
    log_odds,
    planted,
    rivals_of,
    rows,
    share_planted,
)

ANSWER_LENGTHS = np.array([30, 10, 50, 20, 40])


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
        draw([25, 25, 25], [0.0, float(np.log(3)), -30.0], seed, 1)[0] for seed in range(2000)
    )
    assert taken[1] / 2000 == pytest.approx(0.75, abs=3.5 * (0.75 * 0.25 / 2000) ** 0.5)
    assert taken[2] == 0


def test_odds_choose_among_one_length_alone():
    lengths = [5, 15, 25, 35, 45, 55]
    taken = Counter(draw(lengths, [50.0, 0, 0, 0, 0, 0], seed, 1)[0] for seed in range(600))
    assert set(taken) == set(range(6))
    assert taken[0] == pytest.approx(100, abs=4 * (600 / 6 * 5 / 6) ** 0.5)


def test_a_place_without_a_candidate_takes_one_of_the_nearest():
    """All short places go to the short one, all long ones to the long."""
    taken = Counter(draw([5, 55], [0.0, 0.0], seed, 1)[0] for seed in range(600))
    assert taken[0] == pytest.approx(300, abs=4 * 150**0.5)


# ---- over the sample


@pytest.mark.parametrize("count", [2, 10])
def test_distractors_are_rivals_of_their_passage(sample, count):
    artifact = sample.distractors(count=count)
    rivals = {row["id"]: set() for row in rows(sample.blanks(), BLANKS)}
    for row in rivals_of(rows(sample.rivals(), CANDIDATES)):
        rivals[row["id"]].add((row["book_id"], row["sentence"]))
    found, rejected = drawn(artifact), rows(artifact, REJECTIONS)
    assert [name for name in rivals if len(rivals[name]) >= count] == list(found)
    assert all(len(set(own)) == count and set(own) <= rivals[name] for name, own in found.items())
    few = [name for name, own in rivals.items() if len(own) < count]
    assert few or count == 2
    assert [row["id"] for row in rejected] == few
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
        assert len(set(own)) == 2
        assert all(windows[other]["book_id"] != windows[name]["book_id"] for other in others)
        assert all(windows[other]["part"] == windows[name]["part"] for other in others)


def test_all_kinds_have_the_measures_of_the_hard(sample):
    """So sets with other distractors have the same passages."""
    hard, none = (
        {row["id"]: (row["by_length"], row["separation"]) for row in rows(artifact)}
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
        (lambda made: made.rivals(), CANDIDATES),
        (lambda made: made.distractors(), DISTRACTORS),
    ]
    for make, name in tables:
        assert others(make(after), name) == rows(make(before), name)
        assert len(rows(make(after), name)) > len(rows(make(before), name))


# ---- over planted books, whose answers show what their rivals seldom do


def never_planted(given, whose):
    """The same passages, with answers of some that never show what was planted."""
    return [
        row | {"traits": ["noise"]} if row["verdict"] == "answer" and whose(row["book_id"]) else row
        for row in given
    ]


def of_books(given, whose):
    return [row for row in given if whose(row["book_id"])]


def test_what_answers_show_distractors_come_to_show(distract):
    """After some rounds the trait is twice as frequent and hardly separates answers."""
    given = planted()
    none, some = (distract(given, strength=0, rounds=rounds) for rounds in (0, 12))
    for part in ("train", "test"):
        assert share_planted(none, given, part) == pytest.approx(0.2, abs=0.08)
        assert share_planted(some, given, part) > 0.4
    first, last = some.facts["auc"]
    assert first == none.facts["auc"][0] > 0.65
    assert abs(last - 0.5) < (first - 0.5) / 2


def test_every_round_that_is_asked_for_is_made(distract):
    given = planted(books=6)
    learnt = [log_odds(distract(given, strength=0, rounds=rounds)) for rounds in range(4)]
    assert learnt[0] == {}
    assert learnt[1].keys() == learnt[2].keys() == learnt[3].keys() == {"planted", "noise"}
    assert 0 < learnt[1]["planted"] < learnt[2]["planted"] < learnt[3]["planted"]


def test_one_book_tells_of_another(distract):
    """The area is that of books that did not train the classifier."""
    given = planted(books=12)
    odd = never_planted(given, lambda book: book in {f"train{n}" for n in range(0, 12, 2)})
    both, one = (distract(some, rounds=0) for some in (given, odd))
    assert both.facts["auc"][0] > 0.65
    assert one.facts["auc"][0] < both.facts["auc"][0] - 0.05


def test_nothing_is_learnt_from_other_parts(distract):
    given = planted(books=6)
    before, after = (
        distract(some)
        for some in (given, never_planted(given, lambda book: book.startswith("test")))
    )
    assert drawn(before) == drawn(after)
    alone = distract(of_books(given, lambda book: book.startswith("train")))
    assert rows(alone) == [row for row in rows(before) if row["id"].startswith("train")]
    assert log_odds(alone) == log_odds(before)


def test_harder_rivals_are_preferred(distract):
    """The more so the stronger the preference."""
    given = planted(books=8)
    hardness = {(row["id"], row["sentence"]): row["hardness"] for row in given}

    def mean(strength):
        return np.mean(
            [
                hardness[row["id"], sentence]
                for row in rows(distract(given, strength=strength, rounds=0))
                for sentence in row["distractors"]
            ]
        )

    even, some, much = map(mean, (0.0, 1.0, 10.0))
    assert abs(even) < 0.15
    assert even + 0.3 < some < much - 0.2


def test_hardness_that_anybody_sees_is_not_preferred(distract):
    candidates = planted()
    hardness = {(row["id"], row["sentence"]): row["hardness"] for row in candidates}
    plain = [
        row | {"hardness": row["hardness"] + 3 * ("planted" in row["traits"])}
        if row["verdict"] == "rival"
        else row
        for row in candidates
    ]
    made = distract(plain, strength=2, rounds=0)
    for part in ("train", "test"):
        assert share_planted(made, candidates, part) == pytest.approx(0.2, abs=0.08)
    drawn_hardness = [
        hardness[row["id"], sentence] for row in rows(made) for sentence in row["distractors"]
    ]
    assert np.mean(drawn_hardness) > 0.3


def test_a_trait_of_all_distractors_separates_them(distract):
    """Rivals alone have it, so no draw can hide it, in books of any part."""
    shown = {"rival": ["same", "planted"], "answer": ["same"]}
    given = [row | {"traits": shown[row["verdict"]]} for row in planted(books=16)]
    separations = [row["separation"] for row in rows(distract(given))]
    assert min(separations) == max(separations) > 0.1
    alike = [row | {"traits": ["same"]} for row in given]
    assert {row["separation"] for row in rows(distract(alike))} == {0}


def test_one_book_alone_teaches_nothing(distract):
    """Distractors are drawn all the same, and no propensity is told."""
    given = planted(books=4)
    kept = of_books(given, lambda book: book.startswith("test") or book == "train0")
    made = distract(kept)
    assert drawn(made).keys() == {row["id"] for row in kept}
    assert (log_odds(made), made.facts["auc"]) == ({}, [])


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("hard", "too_few_rivals"), ("random", "too_few_answers_of_other_books")],
)
def test_passages_without_distractors_are_rejected(distract, kind, reason):
    given = planted(books=4, rivals=1)
    one = of_books(given, lambda book: book == "train0")
    made = distract(one, kind=kind)
    assert drawn(made) == {}
    assert {row["id"]: row["reason"] for row in rows(made, REJECTIONS)} == {
        row["id"]: reason for row in one
    }

"""Readers nobody asked, and the order in which people are."""

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.models.ngram_index import ForwardIndex, Level
from cloze_gen.recipes.common import printed_before
from cloze_gen.recipes.lambada.guessing import GuessingSettings
from cloze_gen.recipes.lambada.ranking import (
    SIGNALS,
    RankingSettings,
    draw_pool,
    expected_yield,
    rank_passages,
    signals_of,
    texts_of,
)
from cloze_gen.recipes.lambada.readers import (
    MAX_LIFT,
    OTHER_WORDS_WEIGHT,
    Echo,
    EchoReader,
    Guesses,
    NextWords,
    Readers,
    TriggerReader,
    echo_probs,
    echoes,
    lift,
    trigger_probs,
    with_form,
)
from cloze_gen.records.passage import Part, Passage

GUESSING = GuessingSettings()
RULES = st.sampled_from(["", "last name", "cache", "last name; cache"])


def candidate(
    passage_id, book_id="b", start=0, end=9, target="joe", in_context=1, rules="", promised=0.9
):
    return {
        "id": passage_id,
        "book_id": book_id,
        "start": start,
        "end": end,
        "target": target,
        "in_context": in_context,
        "rules": rules,
        "expected_yield": promised,
    }


@st.composite
def survivors(draw):
    """Passages of a few books with any signals."""
    rows = []
    for n in range(draw(st.integers(0, 60))):
        row = candidate(
            f"b:{n}",
            draw(st.sampled_from("bcd")),
            5 * n,
            5 * n + draw(st.sampled_from([5, 9])),
            draw(st.sampled_from(["joe", "sea", f"w{n}"])),
            draw(st.integers(0, 2)),
            draw(RULES),
            draw(st.sampled_from([0.0, 1e-6, 1e-5]) | st.floats(0, 1)),
        )
        rows.append(row)
    return rows


def rank(listed, **settings):
    return rank_passages(listed, settings=RankingSettings(**settings), seed=1)


@given(survivors(), st.sampled_from(["signals", "random"]))
def test_no_two_ranked_passages_overlap(listed, order):
    ranked = rank(listed, order=order)
    chosen = [row for row in listed if row["id"] in set(ranked)]
    assert len(set(ranked)) == len(ranked) == len(chosen)
    assert not any(overlap(row, other) for row, other in itertools.combinations(chosen, 2))
    assert ranked == rank(listed[::-1], order=order)
    assert ranked[:3] == rank(listed, order=order, n_passages=3)


@given(survivors())
def test_a_random_order_ends_where_all_others_overlap(listed):
    ranked = set(rank(listed, order="random"))
    chosen = [row for row in listed if row["id"] in ranked]
    left = [row for row in listed if row["id"] not in ranked]
    assert all(any(overlap(row, other) for other in chosen) for row in left)


@given(survivors(), st.integers(1, 9))
def test_the_limits_hold_however_many_are_wanted(listed, n_passages):
    """And no passage is ranked that nobody will guess."""
    by_id = {row["id"]: row for row in listed}
    ranked = [by_id[passage_id] for passage_id in rank(listed, n_passages=n_passages)]
    assert len(ranked) <= n_passages
    assert exceeded(ranked) == []
    assert all(row["expected_yield"] >= 1e-5 for row in ranked)


def exceeded(order):
    """The limits that passages exceed, by their definitions."""
    most_of_rule = max(2, RankingSettings().max_rule_share * len(order)) + 1e-9
    most = {"same target": 2, "last name": most_of_rule, "cache": most_of_rule}
    alike = Counter((row["book_id"], row["target"]) for row in order)
    solved = Counter(rule for row in order for rule in row["rules"].split("; ") if rule)
    counts = {"same target": max(alike.values(), default=0), **solved}
    return [name for name, count in counts.items() if count > most[name]]


def overlap(row, other):
    return (
        row["book_id"] == other["book_id"]
        and row["start"] < other["end"]
        and other["start"] < row["end"]
    )


def test_the_pool_holds_first_what_the_context_holds():
    listed = [{"id": f"b:{n}", "in_context": int(n % 4 == 0)} for n in range(40)]
    pool = draw_pool(listed, settings=RankingSettings(), seed=1, size=15)
    inside = {row["id"] for row in listed if row["in_context"]}
    assert set(pool[:10]) == inside
    random = [
        draw_pool(listed, settings=RankingSettings(order="random"), seed=1, size=size)
        for size in (15, 20)
    ]
    assert random[1][:15] == random[0] != pool
    assert len(inside.intersection(random[0])) < 10


def spread(n):
    """Many passages apart from each other; each rule solves a third of them."""
    rng = np.random.Generator(np.random.PCG64(3))
    rows = []
    for i, promised in enumerate(rng.random(n).tolist()):
        rules = "; ".join(name for name in ("last name", "cache") if rng.random() < 0.3)
        inside = int(rng.random() < 0.7)
        row = candidate(
            f"b:{i}", f"b{i}", target=f"w{i}", in_context=inside, rules=rules, promised=promised
        )
        rows.append(row)
    return rows


@pytest.mark.parametrize("size", [40, 100, 150, 300])
def test_every_beginning_keeps_the_limits(size):
    by_id = {row["id"]: row for row in spread(3000)}
    head = [by_id[passage_id] for passage_id in rank(by_id.values())[:size]]
    assert exceeded(head) == []
    outside = np.mean([not row["in_context"] for row in head])
    assert outside == pytest.approx(RankingSettings().outside_share, abs=1 / size)


def test_the_head_is_better_than_chance():
    """Limits and all, the first passages promise more than 1.5 times what a random order does."""
    by_id = {row["id"]: row for row in spread(3000)}

    def promised(order):
        ranked = rank(by_id.values(), order=order)
        return float(np.mean([by_id[passage_id]["expected_yield"] for passage_id in ranked[:150]]))

    assert promised("signals") > 1.5 * promised("random")


def test_overlaps_and_repeated_targets_are_left_out():
    """A book has the same target twice at most; another book may have it too."""
    listed = [
        candidate("b:0"),
        candidate("b:1", start=5, end=14, target="sea", promised=0.8),
        *(
            candidate(f"b:{n}", start=20 * n, end=20 * n + 9, promised=0.7 - n / 100)
            for n in range(2, 5)
        ),
        candidate("c:9", book_id="c", promised=0.1),
    ]
    assert rank(listed, outside_share=0) == ["b:0", "b:2", "c:9"]


def test_what_the_sentence_gives_away_is_not_asked():
    promised = [
        expected_yield(Guesses(0.9, alone_prob=prob), 0, GUESSING)
        for prob in (0.0, 1e-4, 1e-3, 1e-2, 1.0)
    ]
    assert promised == sorted(promised, reverse=True)
    assert (promised[0], promised[-1]) == (pytest.approx(0.81), 0.0)


def test_a_long_sentence_tells_its_own_end():
    lengths = (0, 8, 15, 30)
    promised = [expected_yield(Guesses(0.9), length, GUESSING) for length in lengths]
    assert promised == sorted(promised, reverse=True)
    assert promised[2] == pytest.approx(promised[0] / 2)
    nobody = GuessingSettings(sentence_subjects=0)
    assert {expected_yield(Guesses(0.9), length, nobody) for length in lengths} == {promised[0]}


def test_echoes_are_content_words_said_before():
    """No commonplaces, marks or titles; the last mention gives the spelling."""
    found = echoes(
        "Mr. Pip saw Joe's lamp .".split(),
        "the lamp of pip".split(),
        freqs={},
        max_freq=0.0,
    )
    assert found == [
        Echo("pip", 2, True),
        Echo("saw", 1, False),
        Echo("Joe", 1, False),
        Echo("lamp", 2, True),
    ]
    rare = echoes("Pip saw".split(), [], freqs={"saw": 0.1}, max_freq=0.05)
    assert rare == [Echo("Pip", 1, False)]
    assert with_form([Echo("lamps", 1, False), Echo("sea", 1, False)], "lamp") == [
        Echo("lamp", 1, False),
        Echo("sea", 1, False),
    ]


@given(
    st.lists(st.tuples(st.integers(1, 5), st.booleans(), st.floats(0, 500)), min_size=1, max_size=8)
)
def test_echoes_share_one_probability(given_echoes):
    """Probabilities sum to less than 1; more lift or another mention is likelier."""
    found = [Echo(str(i), count, own) for i, (count, own, _) in enumerate(given_echoes)]
    lifts = np.array([value for _, _, value in given_echoes])
    probs = echo_probs(found, lifts)
    assert (probs >= 0).all()
    assert probs.sum() < 1
    again = echo_probs([replace(found[0], count=found[0].count + 1), *found[1:]], lifts)
    assert again[0] >= probs[0]
    assert echo_probs([Echo("joe", 1, False)], np.array([OTHER_WORDS_WEIGHT]))[0] == pytest.approx(
        0.5
    )


def test_lift_is_bounded_and_unknown_words_have_their_class_alone():
    found = lift(
        np.array([0.0, 1.0, 1e-4]), np.array([1e-7, 1e-7, 1e-4]), np.array([6.0, 1.0, 1.0])
    )
    assert found.tolist() == pytest.approx([3.0, MAX_LIFT, 1.0])


def test_triggers_weigh_what_the_model_says():
    """Without associations the probabilities are the model's own, made to sum to 1."""
    probs = trigger_probs(np.array([0.2, 0.1, 0.1]), np.zeros(3))
    assert probs.tolist() == pytest.approx([0.5, 0.25, 0.25])
    assert trigger_probs(np.array([0.2, 0.1, 0.1]), np.array([0.0, 0.0, 20.0])).argmax() == 2


def tiny_readers():
    """Seven words of which all are as likely after anything; a lamp goes with oil."""
    words = ["<unk>", "<s>", "</s>", "the", "oil", "lamp", "Joe"]
    level = Level(
        np.arange(7, dtype=np.uint64),
        np.full(7, math.log10(1 / 6), np.float32),
        np.zeros(7, np.float32),
    )
    empty = Level(
        np.array([3 * 7 + 5], np.uint64), np.array([-0.5], np.float32), np.zeros(1, np.float32)
    )
    next_words = NextWords(ForwardIndex(words, [level, empty]), np.array([0, 0, 0, 0, 1, 1, 2]), 3)
    echo = EchoReader(
        next_words,
        freq=np.full(7, 1 / 6),
        class_probs=np.array([0.5, 0.3, 0.2]),
        folded_freq={},
        unknown_class=(1, 2),
        max_freq=4e-4,
    )
    trigger = TriggerReader(
        next_words,
        option_ids=np.array([4, 5]),
        option_of={"oil": 0, "lamp": 1},
        topic_row_of={"oil": 0, "Joe": 1},
        associations=sp.csr_matrix(np.array([[0.0, 20.0], [0.0, 0.0]], np.float32)),
    )
    return Readers(echo, trigger)


def passage(book, *texts, position=3):
    tokens = tuple(tuple(text.split()) for text in texts)
    return Passage(f"{book}:9", book, Part.TEST, tokens, texts, position, 90, 98)


@pytest.mark.parametrize(
    ("context", "target"),
    [("We saw Joe .", "Joe"), ("We saw oil .", "lamp"), ("We saw lamps .", "lamp")],
    ids=["echo", "trigger", "form"],
)
def test_a_reader_guesses_what_the_context_supports(context, target):
    """A repeated name is an echo, a related word a trigger, a plural's singular an echo of form."""
    guesses = tiny_readers().guess(passage("b", context, f"I hid the {target} ."))
    assert guesses.read_prob > 0


def test_signals_of_a_repeated_name():
    signals = signals_of(passage("b", "We saw Joe .", "I hid the Joe ."), tiny_readers(), GUESSING)
    assert signals.keys() == set(SIGNALS.names)
    assert (signals["target"], signals["rules"]) == ("joe", "last name; most repeated name")


def test_the_sentence_alone_has_the_models_probability():
    readers = tiny_readers()
    form = readers.guess(passage("b", "We saw lamps .", "I hid the lamp ."))
    trigger = readers.guess(passage("b", "We saw oil .", "I hid the lamp ."))
    assert form.alone_prob == pytest.approx(10**-0.5)
    assert trigger.read_prob > trigger.alone_prob


@pytest.mark.parametrize("target", ["whatsit", "tonight"], ids=["unrelated", "no content word"])
def test_nothing_supports_some_targets(target):
    unguessed = passage("b", "We saw Joe tonight .", f"I hid the {target} .")
    assert tiny_readers().guess(unguessed) == Guesses()
    signals = signals_of(unguessed, tiny_readers(), GUESSING)
    assert (signals["rules"], signals["expected_yield"]) == ("", 0)


@pytest.mark.parametrize("sentence", ["", "I saw the", "the the", "the", "oil"])
def test_next_probs_are_the_models_own(sentence):
    """Word by word what the index says, and summed by class."""
    next_words = tiny_readers().echo.next_words
    probs, classes = next_words.probs(sentence.split())
    exact = 10.0 ** next_words.index.next_word_log10_probs(["<s>", *sentence.split()]).astype(
        np.float64
    )
    assert probs.tolist() == pytest.approx(exact.tolist())
    assert classes.tolist() == pytest.approx(np.bincount(next_words.class_of, exact, 3).tolist())


@pytest.mark.parametrize(
    ("texts", "again"),
    [
        (("WHO was it ?", "It was only Bob ."), True),
        (("Another context .", "It was only Ann !"), True),
        (("Another context .", "It was only Bob ."), False),
        (("It was only Ann .", "It was only Bob ."), False),
    ],
)
def test_a_context_or_a_target_sentence_is_printed_once(texts, again):
    """A target sentence may be part of another passage's context."""
    listed = [passage("a", "Who was it ?", "It was only Ann ."), passage("b", *texts)]
    repeated = printed_before((one.id, texts_of(one)) for one in listed)
    assert repeated == ({"b:9": "a:9"} if again else {})

"""Laws of the SCS impostors."""

import functools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.content_words import stem
from cloze_gen.recipes.scs.focus import Form
from cloze_gen.recipes.scs.impostors import WINDOW_RANKS, Pools, can_replace, draw_impostors
from cloze_gen.recipes.scs.places import Place
from cloze_gen.recipes.scs.token_kinds import Kind
from cloze_gen.rng import derive_rng

TOKENS = 1_000_000  # of the training books


def form(word, lemma, kind, freq):
    count = round(freq * TOKENS)
    return Form(word, lemma, *kind, tag_count=count, count=count, freq=freq, lemma_freq=freq)


# The hundred most frequent words are above the limit, so the law of rank and frequency begins at
# its hundredth word.
NOUNS = [
    form(f"n{i:03}", f"n{i:03}", ("noun", "NN", "count", "NN"), 0.1 / (i + 100))
    for i in range(2000)
]
PAST = [form(f"v{i}ed", f"v{i}", ("verb", "VBD", "", "VBD+VBN"), 1e-4 / (i + 1)) for i in range(12)]
STRONG = [form(f"s{i}", f"s{i}", ("verb", "VBD", "", "VBD"), 1e-4 / (i + 1)) for i in range(12)]
FORMS = [*NOUNS, *PAST, *STRONG]
PLACES = {name: Place(name, 0, Kind.THE, Kind.END) for name in ("noun", "verb")}
ODD = Place("noun", 0, Kind.THE, Kind.OF)  # taken by every second noun
KIN = Place("noun", 1, Kind.THE, Kind.END)  # where nouns of one remainder of 9 are alike


NOWHERE = Place("noun", 0, Kind.OF, Kind.END)  # where no book has a noun
NUMBERS = {
    form.pair: number
    for word_class in ("noun", "verb")
    for number, form in enumerate(form for form in FORMS if form.word_class == word_class)
}


class FakeUses:
    """Of a class in a place."""

    def __init__(self, place):
        n_words = sum(form.word_class == place.word_class for form in FORMS)
        numbers = np.arange(n_words) % 9 if place == KIN else np.arange(n_words)
        self.alike = numbers[:, None] == numbers[None, :]

    def share(self, place):
        return np.full(len(self.alike), 0.0 if place == NOWHERE else 0.1)


class FakePlaces:
    number_of = NUMBERS

    @functools.cache  # noqa: B019 - one object
    def uses(self, place):
        return FakeUses(place)

    def fitting(self, place):
        words = [lemma for lemma, word_class in NUMBERS if word_class == place.word_class]
        return np.array([place != ODD or int(lemma[1:]) % 2 == 1 for lemma in words])


BY_CELL = {(form.lemma, form.tag): form for form in FORMS}
POOLS = {matched: Pools(BY_CELL, FakePlaces(), matched=matched) for matched in (True, False)}


def draw(item_id, answer, *, matched=True, place=None, refused=frozenset(), seed=1):
    pool = POOLS[matched].pool(answer, place or PLACES[answer.word_class])
    rng = derive_rng(seed, "test", item_id)
    rank = int(rng.integers(5)) if matched else None
    return draw_impostors(
        answer, pool, suits=lambda word: word not in refused, n_more_frequent=rank, rng=rng
    )


@given(
    st.sampled_from([*NOUNS[4:-4], *PAST[4:-4], *STRONG[4:-4]]),
    st.booleans(),
    st.integers(0, 99),
)
def test_options_are_distinct_and_alike(answer, matched, number):
    impostors = draw(f"b:0:{number}", answer, matched=matched)
    assert len(impostors) == 4
    assert len({form.word for form in [answer, *impostors]}) == 5
    assert len({form.lemma for form in [answer, *impostors]}) == 5
    for form in impostors:
        assert (form.tag, form.trait) == (answer.tag, answer.trait)
        assert set(answer.cells.split("+")) <= set(form.cells.split("+"))


def test_a_form_of_two_cells_may_stand_for_one_of_them():
    """`walked` may stand for `went`, `went` never for `walked`."""
    past, strong = (
        {form.word for form in POOLS[True].pool(answer, PLACES["verb"]).forms}
        for answer in (PAST[0], STRONG[0])
    )
    assert strong == {form.word for form in [*PAST, *STRONG]}
    assert past == {form.word for form in PAST}


def test_impostors_take_the_place():
    for i in range(50):
        assert all(int(form.lemma[1:]) % 2 for form in draw(f"b:{i}:0", NOUNS[17], place=ODD))


def test_a_place_that_no_book_has_gives_every_word_the_same_chance():
    """It is admitted if the limits of affinity are 0."""
    with np.errstate(all="raise"):
        words = {
            form.word for i in range(100) for form in draw(f"b:{i}:0", NOUNS[500], place=NOWHERE)
        }
    assert len(words) > 40


@given(st.integers(0, 999))
def test_no_two_options_are_alike(number):
    """Neither to the answer nor to each other."""
    impostors = draw(f"b:{number}:0", NOUNS[1000], place=KIN)
    assert len({NOUNS.index(form) % 9 for form in [NOUNS[1000], *impostors]}) == 5


def test_refused_words_are_never_drawn():
    refused = frozenset(form.word for form in NOUNS[::2])
    for i in range(100):
        impostors = draw(f"b:{i}:0", NOUNS[17], refused=refused)
        assert len(impostors) == 4
        assert not refused & {form.word for form in impostors}


@pytest.mark.parametrize("matched", [True, False])
def test_fewer_than_four_words_give_no_impostors(matched):
    refused = frozenset(form.word for form in PAST[4:])
    assert draw("b:0:0", PAST[0], matched=matched, refused=refused) == []


@pytest.mark.parametrize(
    ("word", "suits"),
    [("hat", True), ("apple", False), ("lamps", False), ("door", False), ("knock", False)],
)
def test_what_a_sentence_cannot_take(word, suits):
    """The other article's word, a form of the answer, a word that stands there in any form."""
    stems = {stem(token) for token in "He knocked at the door with a lamp .".split()}
    assert can_replace(word, predecessor="a", stems=stems) == suits


def rate(*, matched, n=4000, stay=1.0):
    """How often the most and the least frequent option is the answer.

    Args:
        stay: exponent from a word's share in the source books to that in the training books; below
            1 for unlike books.
    """
    rng = np.random.default_rng(5)
    weights = np.array([form.freq**stay for form in NOUNS])
    ranks = Counter()
    for i, chosen in enumerate(rng.choice(len(NOUNS), size=n, p=weights / weights.sum()).tolist()):
        impostors = draw(f"b:{i}:0", NOUNS[chosen], matched=matched)
        if impostors:  # at the ends of the pool the answer cannot have every rank
            ranks[sum(form.freq > NOUNS[chosen].freq for form in impostors)] += 1
    assert ranks.total() > 0.95 * n
    return ranks[0] / ranks.total(), ranks[4] / ranks.total()


@pytest.mark.parametrize("stay", [1.0, 0.8])
def test_matched_impostors_do_not_tell_the_answer(stay):
    """18 to 22 %, for source books like or unlike the training books."""
    most, least = rate(matched=True, stay=stay)
    assert 0.18 <= most <= 0.22
    assert 0.18 <= least <= 0.22


def test_uniform_impostors_do():
    """The paper's draw lets "most frequent option" win far more often than one in five."""
    most, least = rate(matched=False, n=150)
    assert most > 0.4
    assert least < 0.1


@pytest.mark.parametrize("answer", [4, 300, 1995])
def test_impostors_are_near_the_answer_in_rank(answer):
    """No farther than a window that holds both."""
    pool = sorted(NOUNS, key=lambda form: form.freq)
    rank_of = {form.word: i for i, form in enumerate(pool)}
    for i in range(30):
        for form in draw(f"b:{i}:0", pool[answer]):
            assert abs(rank_of[form.word] - answer) <= 2 * WINDOW_RANKS

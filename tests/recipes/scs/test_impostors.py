"""Laws of the SCS impostors."""

import functools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.content_words import stem
from cloze_gen.recipes.scs.impostors import (
    Blank,
    Form,
    ImpostorPools,
    ImpostorsSettings,
    Refusal,
    draw_impostors,
    refusal,
)
from cloze_gen.recipes.scs.place_table import Likeness
from cloze_gen.recipes.scs.places import Place
from cloze_gen.recipes.scs.token_kinds import Kind
from cloze_gen.records.rejection import Rejection

TOKENS = 1_000_000  # of the training books


def form(word, lemma, kind, freq):
    return Form(word, lemma, *kind, freq, round(freq * TOKENS))


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


def likeness(word_class, use):
    pairs = [form.pair for form in FORMS if form.word_class == word_class]
    remainders = np.arange(len(pairs)) % 9
    alike = (
        remainders[:, None] == remainders[None, :]
        if use == KIN.use
        else np.zeros((len(pairs), len(pairs)), bool)
    )
    return Likeness({pair: i for i, pair in enumerate(pairs)}, alike)


@functools.cache
def pools(settings):
    return ImpostorPools(
        FORMS,
        takes=lambda pair, place: place != ODD or int(pair[0][1:]) % 2 == 1,
        share=lambda pair, place: 0.1,
        likeness=likeness,
        settings=settings,
    )


def draw(
    item_id,
    answer,
    *,
    place=None,
    refused=frozenset(),
    seed=1,
    **settings,
):
    own = ImpostorsSettings.model_validate(settings)
    blank = Blank(item_id, answer, place or PLACES[answer.word_class], refused.__contains__)
    found = draw_impostors([blank], pools=pools(own), settings=own, seed=seed)
    return found if isinstance(found, list) else found[1]


def four(item_id, answer, **arguments):
    """The impostors of a word that has them."""
    found = [form for form in draw(item_id, answer, **arguments) if isinstance(form, Form)]
    assert len(found) == 4
    return found


@given(
    st.sampled_from([*NOUNS[4:-4], *PAST[4:-4], *STRONG[4:-4]]),
    st.sampled_from(["uniform", "matched"]),
    st.integers(0, 99),
)
def test_options_are_distinct_and_alike(answer, method, number):
    found = four(f"b:0:{number}", answer, impostor_draw=method)
    words, lemmas = (
        {answer.word, *(form.word for form in found)},
        {answer.lemma, *(form.lemma for form in found)},
    )
    assert len(words) == len(lemmas) == 5
    for form in found:
        assert (form.tag, form.trait) == (answer.tag, answer.trait)
        assert set(answer.cells.split("+")) <= set(form.cells.split("+"))


def test_a_form_of_two_cells_may_stand_for_one_of_them():
    """`walked` may stand for `went`, `went` never for `walked`."""
    of_kind = {
        cells: pools(ImpostorsSettings()).pool(("VBD", "", cells), PLACES["verb"]).forms
        for cells in ("VBD", "VBD+VBN")
    }
    assert {form.word for form in of_kind["VBD"]} == {form.word for form in [*PAST, *STRONG]}
    assert {form.word for form in of_kind["VBD+VBN"]} == {form.word for form in PAST}


def test_impostors_take_the_place():
    """Words that do not take the answer's place are not among those that it is drawn among."""
    for i in range(50):
        assert all(int(form.lemma[1:]) % 2 for form in four(f"b:{i}:0", NOUNS[17], place=ODD))


@given(st.integers(0, 999))
def test_no_two_options_are_alike(number):
    """Neither to the answer nor to each other."""
    found = four(f"b:{number}:0", NOUNS[1000], place=KIN)
    assert len({NOUNS.index(form) % 9 for form in [NOUNS[1000], *found]}) == 5


def test_refused_words_are_never_drawn():
    """What the sentence cannot take is drawn anew."""
    refused = frozenset(form.word for form in NOUNS[::2])
    for i in range(100):
        assert not refused & {form.word for form in four(f"b:{i}:0", NOUNS[17], refused=refused)}


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("hat", None),
        ("apple", Refusal.ARTICLE),
        ("lamps", Refusal.FORM_OF_ANSWER),
        ("door", Refusal.IN_SENTENCE),
        ("knock", Refusal.IN_SENTENCE),
    ],
)
def test_what_a_sentence_cannot_take(word, reason):
    """The other article's word, a form of the answer, a word that stands there in any form."""
    stems = {stem(token) for token in "He knocked at the door with a lamp .".split()}
    assert refusal(word, answer="lamp", predecessor="a", sentence_stems=stems) == reason


def test_too_small_a_pool_is_a_rejection():
    """Fewer than four words that inflect alike: no question, with the reason."""
    [found] = draw("b:0:0", PAST[0], refused=frozenset(form.word for form in PAST[4:]))
    assert isinstance(found, Rejection)
    assert str(found.reason) == "too_few_matching_inflections"


def test_the_next_word_of_the_sentence_is_tried():
    """The first that gets four makes the question; where none does each has its reason."""
    settings = ImpostorsSettings()
    hopeless, other = (Blank(f"b:0:{i}", answer, PLACES["noun"], refuses) for i, answer, refuses in (
        (1, NOUNS[50], lambda word: True), (2, NOUNS[60], lambda word: False)
    ))  # fmt: skip
    found = draw_impostors([hopeless, other], pools=pools(settings), settings=settings, seed=1)
    assert found[0] == "b:0:2"
    rejected = draw_impostors([hopeless], pools=pools(settings), settings=settings, seed=1)
    assert isinstance(rejected, list)
    assert [item.id for item in rejected] == ["b:0:1"]


def test_a_draw_belongs_to_the_record():
    """What was drawn before has no say, the record's id and the seed have."""
    alone = [form.word for form in four("b:0:0", NOUNS[30])]
    among = {i: four(f"b:{i}:0", NOUNS[30]) for i in range(20, -1, -1)}
    assert [form.word for form in among[0]] == alone
    assert len({tuple(form.word for form in found) for found in among.values()}) > 10
    assert [form.word for form in four("b:0:0", NOUNS[30], seed=2)] != alone


def rate(method, *, n=4000, stay=1.0):
    """How often the most and the least frequent option is the answer.

    Args:
        stay: exponent from a word's share in the source books to that in the training books; below
            1 for unlike books.
    """
    rng = np.random.default_rng(5)
    weights = np.array([form.freq**stay for form in NOUNS])
    places = Counter()
    for i, chosen in enumerate(rng.choice(len(NOUNS), size=n, p=weights / weights.sum()).tolist()):
        found = [
            form
            for form in draw(f"b:{i}:0", NOUNS[chosen], impostor_draw=method)
            if isinstance(form, Form)
        ]
        if found:  # at the ends of the pool the answer cannot have every rank
            places[sum(form.freq > NOUNS[chosen].freq for form in found)] += 1
    assert places.total() > 0.95 * n
    return places[0] / places.total(), places[4] / places.total()


@pytest.mark.parametrize("stay", [1.0, 0.8])
def test_matched_impostors_do_not_tell_the_answer(stay):
    """18 to 22 %, for source books like or unlike the training books."""
    most, least = rate("matched", stay=stay)
    assert 0.18 <= most <= 0.22
    assert 0.18 <= least <= 0.22


def test_uniform_impostors_do():
    """The paper's draw lets "most frequent option" win far more often than one in five."""
    most, least = rate("uniform", n=300)
    assert most > 0.4
    assert least < 0.1


@pytest.mark.parametrize("window", [3, 16])
@pytest.mark.parametrize("answer", [4, 300, 1995])
def test_impostors_are_near_the_answer_in_rank(window, answer):
    """No farther than a window that holds both."""
    pool = sorted(NOUNS, key=lambda form: form.freq)
    places = {form.word: i for i, form in enumerate(pool)}
    for i in range(30):
        assert all(
            abs(places[form.word] - answer) <= 2 * window
            for form in four(f"b:{i}:0", pool[answer], window_ranks=window)
        )

"""Laws of the SCS impostors."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.places import Place
from cloze_gen.english.stems import stem
from cloze_gen.english.token_kinds import Kind
from cloze_gen.recipes.scs.steps.impostors import Form, ImpostorPools, ImpostorsSettings, Refusal, draw_impostors, refusal
from cloze_gen.records.rejection import Rejection

TOKENS = 1_000_000  # of the training books


def form(word: str, lemma: str, kind: tuple[str, str, str, str], freq: float) -> Form:
    return Form(word, lemma, *kind, freq, round(freq * TOKENS))


# The hundred most frequent words are above the limit, so the law of rank and frequency begins at its hundredth word.
NOUNS = [form(f"n{i:03}", f"n{i:03}", ("noun", "NN", "count", "NN"), 0.1 / (i + 100)) for i in range(2000)]
PAST = [form(f"v{i}ed", f"v{i}", ("verb", "VBD", "", "VBD+VBN"), 1e-4 / (i + 1)) for i in range(12)]
STRONG = [form(f"s{i}", f"s{i}", ("verb", "VBD", "", "VBD"), 1e-4 / (i + 1)) for i in range(12)]
PLACES = {name: Place(name, 0, Kind.THE, Kind.END) for name in ("noun", "verb")}
ODD = Place("noun", 0, Kind.THE, Kind.OF)  # taken by every second noun
POOLS = ImpostorPools([*NOUNS, *PAST, *STRONG], takes=lambda pair, place: place != ODD or int(pair[0][1:]) % 2 == 1)


def draw(
    item_id: str, answer: Form, *, place: Place | None = None, refused: frozenset[str] = frozenset(), seed: int = 1, **settings: object
) -> list[Form] | Rejection:
    return draw_impostors(
        item_id,
        answer,
        place or PLACES[answer.word_class],
        pools=POOLS,
        refuses=lambda form, options: form.word in refused,
        settings=ImpostorsSettings.model_validate(settings),
        seed=seed,
    )


@given(st.sampled_from([*NOUNS[4:-4], *PAST[4:-4], *STRONG[4:-4]]), st.sampled_from(["uniform", "matched"]), st.integers(0, 99))
def test_options_are_distinct_and_alike(answer: Form, method: str, number: int) -> None:
    """Five different words of five lemmas, of the answer's tag and trait, spelling at least its cells."""
    found = draw(f"b:0:{number}", answer, impostor_draw=method)
    assert isinstance(found, list)
    words, lemmas = {answer.word, *(form.word for form in found)}, {answer.lemma, *(form.lemma for form in found)}
    assert len(words) == len(lemmas) == 5
    for form in found:
        assert (form.tag, form.trait) == (answer.tag, answer.trait)
        assert set(answer.cells.split("+")) <= set(form.cells.split("+"))


def test_a_form_of_two_cells_may_stand_for_one_of_them() -> None:
    """`walked` may stand for `went`, `went` never for `walked`."""
    assert {form.word for form in POOLS.pool(("VBD", "", "VBD"), PLACES["verb"])} == {form.word for form in [*PAST, *STRONG]}
    assert {form.word for form in POOLS.pool(("VBD", "", "VBD+VBN"), PLACES["verb"])} == {form.word for form in PAST}


def test_impostors_take_the_place() -> None:
    """Words that do not take the answer's place are not among those that it is drawn among."""
    for i in range(50):
        found = draw(f"b:{i}:0", NOUNS[17], place=ODD)
        assert isinstance(found, list)
        assert all(int(form.lemma[1:]) % 2 for form in found)


def test_refused_words_are_never_drawn() -> None:
    """What the sentence cannot take is drawn anew."""
    refused = frozenset(form.word for form in NOUNS[::2])
    for i in range(100):
        found = draw(f"b:{i}:0", NOUNS[17], refused=refused)
        assert isinstance(found, list)
        assert not refused & {form.word for form in found}


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
def test_what_a_sentence_cannot_take(word: str, reason: Refusal | None) -> None:
    """The other article's word, a form of the answer, a word that stands there in any form."""
    stems = {stem(token) for token in "He knocked at the door with a lamp .".split()}
    assert refusal(word, answer="lamp", predecessor="a", sentence_stems=stems) == reason


def test_too_small_a_pool_is_a_rejection() -> None:
    """Fewer than four words that inflect alike: no question, with the reason."""
    found = draw("b:0:0", PAST[0], refused=frozenset(form.word for form in PAST[4:]))
    assert isinstance(found, Rejection)
    assert str(found.reason) == "too_few_words_inflect_alike"


def test_a_draw_belongs_to_the_record() -> None:
    """What was drawn before has no say, the record's id and the seed have."""
    alone = [form.word for form in draw("b:0:0", NOUNS[30])]  # type: ignore[union-attr]
    among = {i: draw(f"b:{i}:0", NOUNS[30]) for i in range(20, -1, -1)}
    assert [form.word for form in among[0]] == alone  # type: ignore[union-attr]
    assert len({tuple(form.word for form in found) for found in among.values()}) > 10  # type: ignore[union-attr]
    assert [form.word for form in draw("b:0:0", NOUNS[30], seed=2)] != alone  # type: ignore[union-attr]


def rate(method: str, *, n: int = 4000, stay: float = 1.0) -> tuple[float, float]:
    """How often the most and the least frequent option is the answer; answers are drawn as running text draws them.

    Args:
        stay: of the share of a word in the source books, the power of its share in the training books; below 1 the answers are from
            other books, where what is frequent here is less so.
    """
    rng = np.random.default_rng(5)
    weights = np.array([form.freq**stay for form in NOUNS])
    places: Counter[int] = Counter()
    for i, chosen in enumerate(rng.choice(len(NOUNS), size=n, p=weights / weights.sum()).tolist()):
        found = draw(f"b:{i}:0", NOUNS[chosen], impostor_draw=method)
        if isinstance(found, list):  # the ends of the pool are no answers
            places[sum(form.freq > NOUNS[chosen].freq for form in found)] += 1
    assert places.total() > 0.95 * n
    return places[0] / places.total(), places[4] / places.total()


@pytest.mark.parametrize("stay", [1.0, 0.8])
def test_matched_impostors_do_not_tell_the_answer(stay: float) -> None:
    """The answer is the most and the least frequent option about as often as any other (18 to 22 %), of like books or of others."""
    most, least = rate("matched", stay=stay)
    assert 0.18 <= most <= 0.22
    assert 0.18 <= least <= 0.22


def test_uniform_impostors_do() -> None:
    """The paper's draw lets "most frequent option" win far more often than one in five."""
    most, least = rate("uniform", n=1500)
    assert most > 0.4
    assert least < 0.1


@pytest.mark.parametrize("window", [1, 8])
@pytest.mark.parametrize("answer", [4, 5, 300, 1994, 1995])
def test_impostors_are_near_the_answer_in_rank(window: int, answer: int) -> None:
    """With a narrow window, and near the ends of the pool, too."""
    pool = sorted(NOUNS, key=lambda form: form.freq)
    places = {form.word: i for i, form in enumerate(pool)}
    for i in range(30):
        found = draw(f"b:{i}:0", pool[answer], window_ranks=window)
        assert isinstance(found, list)
        assert all(abs(places[form.word] - answer) <= 2 * max(window, 2) for form in found)


@pytest.mark.parametrize("answer", [0, 3, 1996, 1999])
def test_the_ends_of_a_pool_are_no_answers(answer: int) -> None:
    """There the answer could not stand at every place among five, and would be told by its frequency."""
    found = draw("b:0:0", sorted(NOUNS, key=lambda form: form.freq)[answer])
    assert isinstance(found, Rejection)


@given(st.integers(0, 999))
def test_options_are_unlike_one_another(number: int) -> None:
    """What is refused beside one of the options is not beside it: here nouns of one remainder."""
    found = draw_impostors(
        f"b:{number}:0", NOUNS[1000], PLACES["noun"], pools=POOLS, seed=1, settings=ImpostorsSettings(),
        refuses=lambda form, options: any(int(form.word[1:]) % 6 == int(other.word[1:]) % 6 for other in options),
    )  # fmt: skip
    assert isinstance(found, list)
    assert len({int(form.word[1:]) % 6 for form in [NOUNS[1000], *found]}) == 5

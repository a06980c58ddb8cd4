"""Laws of the SCS impostors."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.cloze.inflected_impostors import Form, ImpostorPools, ImpostorSettings, answer_freqs, draw_impostors
from cloze_gen.records import Rejection

# The hundred most frequent words are above the limit, so the law of rank and frequency begins at its hundredth word.
NOUNS = [Form(f"n{i:03}", f"n{i:03}", "noun", "NN", "count", "NN", 0.1 / (i + 100)) for i in range(2000)]
PAST = [Form(f"v{i}ed", f"v{i}", "verb", "VBD", "", "VBD+VBN", 1e-4 / (i + 1)) for i in range(12)]
STRONG = [Form(f"s{i}", f"s{i}", "verb", "VBD", "", "VBD", 1e-4 / (i + 1)) for i in range(12)]
POOLS = ImpostorPools([*NOUNS, *PAST, *STRONG])


def draw(
    item_id: str, answer: Form, *, answers: list[Form] | None = None, refused: frozenset[str] = frozenset(), **settings: object
) -> list[Form] | Rejection:
    return draw_impostors(
        item_id,
        answer,
        pools=POOLS,
        freqs=answer_freqs(answers or [*NOUNS, *PAST, *STRONG]),
        refuses=refused.__contains__,
        settings=ImpostorSettings.model_validate(settings),
        seed=1,
    )


@given(st.sampled_from([*NOUNS, *PAST, *STRONG]), st.sampled_from(["uniform", "matched"]), st.integers(0, 99))
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
    assert {form.word for form in POOLS.pool(("VBD", "", "VBD"))[0]} == {form.word for form in [*PAST, *STRONG]}
    assert {form.word for form in POOLS.pool(("VBD", "", "VBD+VBN"))[0]} == {form.word for form in PAST}


def test_refused_words_are_never_drawn() -> None:
    """What the sentence cannot take is drawn anew."""
    refused = frozenset(form.word for form in NOUNS[::2])
    for i in range(100):
        found = draw(f"b:{i}:0", NOUNS[7], refused=refused)
        assert isinstance(found, list)
        assert not refused & {form.word for form in found}


def test_too_small_a_pool_is_a_rejection() -> None:
    """Fewer than four words that inflect alike: no question, with the reason."""
    found = draw("b:0:0", PAST[0], refused=frozenset(form.word for form in PAST[4:]))
    assert isinstance(found, Rejection)
    assert str(found.reason) == "too_few_words_inflect_alike"


def test_a_draw_belongs_to_the_record() -> None:
    """The same record, the same impostors; the next record, others."""
    assert draw("b:0:0", NOUNS[3]) == draw("b:0:0", NOUNS[3])
    assert len({tuple(form.word for form in draw(f"b:{i}:0", NOUNS[3])) for i in range(20)}) > 10  # type: ignore[union-attr]


def rate(method: str, *, n: int = 4000) -> tuple[float, float]:
    """How often the most and the least frequent option is the answer; answers are drawn as running text draws them."""
    rng = np.random.default_rng(5)
    weights = np.array([form.freq for form in NOUNS])
    answers = [NOUNS[i] for i in rng.choice(len(NOUNS), size=n, p=weights / weights.sum())]
    freqs = answer_freqs(answers)
    places: Counter[int] = Counter()
    for i, answer in enumerate(answers):
        settings = ImpostorSettings.model_validate({"impostor_draw": method})
        found = draw_impostors(f"b:{i}:0", answer, pools=POOLS, freqs=freqs, refuses=lambda _: False, settings=settings, seed=1)
        assert isinstance(found, list)
        places[sum(form.freq > answer.freq for form in found)] += 1
    return places[0] / n, places[4] / n


def test_matched_impostors_do_not_tell_the_answer() -> None:
    """The answer is the most and the least frequent option about as often as any other (18 to 22 %)."""
    most, least = rate("matched")
    assert 0.18 <= most <= 0.22
    assert 0.18 <= least <= 0.22


def test_uniform_impostors_do() -> None:
    """The paper's draw lets "most frequent option" win far more often than one in five."""
    most, least = rate("uniform", n=1500)
    assert most > 0.4
    assert least < 0.1


@pytest.mark.parametrize("window", [0, 8])
def test_the_window_narrows_at_the_ends(window: int) -> None:
    """At the top of the pool the drawn word is as often above as below the target: never pushed down by a cut window."""
    top = sorted(NOUNS, key=lambda form: form.freq)[-1]
    words = {form.word for i in range(50) for form in draw(f"b:{i}:0", NOUNS[200], answers=[top] * 40 + NOUNS, window_ranks=window)}  # type: ignore[union-attr]
    assert top.word in words

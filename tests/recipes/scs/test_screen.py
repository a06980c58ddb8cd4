"""The screen: what its models expect of drawn questions."""

import pytest

from cloze_gen.recipes.scs.screen import (
    FEATURES,
    Drawn,
    ScreenSettings,
    screen_part,
)
from cloze_gen.recipes.scs.screen_weights import WEIGHTS

SENTENCE = "They lived in a white house near the river , and she kept two horses .".split()


def expected(word, *impostors, word_class="noun"):
    item = Drawn(SENTENCE, SENTENCE.index(word), (word, *impostors), word_class)
    (found,) = screen_part([item])
    return found


def test_words_of_like_meaning_are_expected_to_fit_as_well():
    """One such word among the four is enough."""
    absurd = expected("house", "sermon", "apology", "moustache", "verdict")
    one = expected("house", "sermon", "apology", "moustache", "cottage")
    four = expected("house", "mansion", "castle", "palace", "cottage")
    assert absurd < one < four


def test_an_adjective_before_its_noun_is_more_replaceable_than_a_noun():
    """The place counts, not only the words: no measure of a pair differs here."""
    unknown = ("zyx", "zyxa", "zyxb", "zyxc")
    noun, adjective = (
        expected("white", *unknown, word_class=name) for name in ("noun", "adjective")
    )
    assert noun < adjective


@pytest.mark.parametrize("answer", range(5))
def test_which_option_is_the_answer_does_not_matter(answer):
    """Otherwise the options alone would reveal the answer."""
    words = ["house", "mansion", "sermon", "palace", "apology"]
    words.insert(0, words.pop(answer))
    found = screen_part([Drawn(SENTENCE, SENTENCE.index("house"), tuple(words), "noun")])
    assert found == pytest.approx([expected("house", "mansion", "sermon", "palace", "apology")])


def test_every_weight_is_of_a_feature():
    """A renamed feature would otherwise lose its weight without an error."""
    assert set(WEIGHTS) <= {"constant", *FEATURES}


def test_the_screen_can_be_turned_off():
    assert ScreenSettings().is_on
    assert not ScreenSettings(max_ambiguity=1).is_on

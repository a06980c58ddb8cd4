"""The screen: what its models expect of drawn questions."""

import pytest

from cloze_gen.recipes.scs.screen import FEATURES, expected_ambiguity
from cloze_gen.recipes.scs.screen_weights import WEIGHTS

SENTENCE = "They lived in a white house near the river , and she kept two horses .".split()


def expected(position_of, options, word_class="noun"):
    position = SENTENCE.index(position_of)
    return expected_ambiguity(SENTENCE, position, options, word_class=word_class)


def test_words_of_like_meaning_are_expected_to_fit_as_well():
    """One such word among the four is enough."""
    absurd = expected("house", ["house", "sermon", "apology", "moustache", "verdict"])
    single = expected("house", ["house", "sermon", "apology", "moustache", "cottage"])
    four = expected("house", ["house", "mansion", "castle", "palace", "cottage"])
    assert absurd < single < four


def test_an_adjective_before_its_noun_is_more_replaceable_than_a_noun():
    """The place counts, not only the words: no measure of a pair differs here."""
    options = ["white", "zyx", "zyxa", "zyxb", "zyxc"]
    assert expected("white", options, "noun") < expected("white", options, "adjective")


@pytest.mark.parametrize("answer", range(5))
def test_which_option_is_the_answer_does_not_matter(answer):
    """Otherwise the options alone would reveal the answer."""
    options = ["house", "mansion", "sermon", "palace", "apology"]
    ordered = expected("house", options)
    reordered = [options[answer], *options[:answer], *options[answer + 1 :]]
    assert expected("house", reordered) == pytest.approx(ordered)


def test_every_weight_is_of_a_feature():
    """A renamed feature would otherwise lose its weight without an error."""
    assert set(WEIGHTS) <= {"constant", *FEATURES}

"""The focus word of an SCS sentence."""

from collections import Counter

import pytest

from cloze_gen.recipes.scs.focus import FocusSettings, choose_focus
from cloze_gen.records.rejection import Rejection

TOKENS = "Dogs saw the small house near the dogs ' old garden .".split()
TAGS = ["NNS", "VBD", "DT", "JJ", "NN", "IN", "DT", "NNS", "''", "JJ", "NN", "."]
LEMMAS = ["dog", "see", "the", "small", "house", "near", "the", "dog", "'", "old", "garden", "."]
CLASSES = {"NN": "noun", "NNS": "noun", "VBD": "verb", "JJ": "adjective"}
PAIRS = [(lemma, CLASSES.get(tag, "function")) for lemma, tag in zip(LEMMAS, TAGS, strict=True)]
VOCABULARY = {("dog", "noun"): 1e-4, ("see", "verb"): 2e-3, ("small", "adjective"): 1e-3, ("house", "noun"): 2e-7,
              ("old", "adjective"): 1e-7, ("garden", "noun"): 1e-5}  # fmt: skip
COUNT_NOUNS = {("dog", "NNS"): "count", ("house", "NN"): "count", ("garden", "NN"): "count"}
FORMS = {
    ("dog", "NNS"): "dogs",
    ("see", "VBD"): "saw",
    ("small", "JJ"): "small",
    ("house", "NN"): "house",
    ("old", "JJ"): "old",
}


def choose(
    sentence_id,
    *,
    forms=FORMS,
    takes=lambda pair, place: True,
    seed=1,
    turns=8,
):
    return choose_focus(
        sentence_id,
        TOKENS,
        tags=TAGS,
        pairs=PAIRS,
        vocabulary=VOCABULARY,
        forms=forms,
        traits={cell: COUNT_NOUNS.get(cell, "") for cell in FORMS},
        takes=takes,
        settings=FocusSettings(max_tries=turns),
        seed=seed,
    )


def picks(sentence_id, *, takes=lambda pair, place: True, seed=1, turns=8):
    found = choose(sentence_id, takes=takes, seed=seed, turns=turns)
    assert isinstance(found, list)
    return found


def test_eligible_words_share_the_draw():
    """Limits are inclusive; each word must occur once in the sentence and in the table."""
    words = Counter(picks(f"b:{i}")[0].word for i in range(2000))
    # saw is too frequent, old too rare, dogs stands twice, garden has no form that serves
    assert set(words) == {
        "small",
        "house",
    }
    assert abs(words["small"] - 1000) < 120


def test_a_draw_belongs_to_the_sentence_and_the_seed():
    """What was drawn before has no say; another sentence and another seed give other draws."""
    forwards = {i: choose(f"b:{i}") for i in range(50)}
    backwards = {i: choose(f"b:{i}") for i in range(49, -1, -1)}
    assert len({picks(f"b:{i}")[0].word for i in range(50)}) == 2
    assert backwards == forwards
    assert {i: choose(f"b:{i}", seed=2) for i in range(50)} != forwards


@pytest.mark.parametrize(
    ("line", "tags", "trait", "eligible"),
    [
        ("He lay in bed then .", "PRP VBD IN NN RB .", "count", False),
        ("He lay in bed then .", "PRP VBD IN NN RB .", "mass", True),
        ("He lay in the bed then .", "PRP VBD IN DT NN RB .", "count", True),
        ('He lay in the " bed " then .', "PRP VBD IN DT `` NN '' RB .", "count", True),
        ("He lay in beds then .", "PRP VBD IN NNS RB .", "count", True),
    ],
)
def test_an_answer_is_what_its_place_takes(line, tags, trait, eligible):
    """A singular noun without a determiner must be a mass noun."""
    tokens = line.split(" ")
    word = "beds" if "beds" in tokens else "bed"
    cell = ("bed", tags.split(" ")[tokens.index(word)])
    pairs = [("bed", "noun") if token == word else (token, "") for token in tokens]
    found = choose_focus(
        "b:1", tokens, tags=tags.split(" "), pairs=pairs, vocabulary={("bed", "noun"): 1e-4}, forms={cell: word}, traits={cell: trait},
        takes=lambda pair, place: True, settings=FocusSettings(), seed=1,
    )  # fmt: skip
    assert isinstance(found, list) == eligible


def test_a_word_that_its_own_place_is_strange_to_is_no_focus():
    """The answer takes its place as its impostors must; the pick tells the place."""
    [pick] = picks("b:7", takes=lambda pair, place: pair[1] == "noun")
    assert (pick.word, str(pick.place), pick.eligible) == ("house", "noun 0 the _ place", 1)


def test_words_are_tried_in_turn():
    """All eligible words, each once, in the drawn order, or as many as are asked for."""
    for i in range(20):
        tried = picks(f"b:{i}")
        assert {pick.word for pick in tried} == {"small", "house"}
        assert picks(f"b:{i}", turns=1) == tried[:1]


def test_limits_say_what_they_take():
    """Both inclusive, each with its reason."""
    settings = FocusSettings()
    assert [settings.fault(freq) for freq in (1.1e-3, 1e-3, 2e-7, 1.9e-7)] == [
        "pair_above_max_freq",
        None,
        None,
        "pair_below_min_freq",
    ]


def test_a_sentence_without_eligible_word_is_rejected_with_its_reason():
    """A rejection is data."""
    verdict = choose("b:7", forms={})
    assert isinstance(verdict, Rejection)
    assert (verdict.id, str(verdict.reason)) == ("b:7", "no_content_word_within_limits")


def test_the_id_names_the_position():
    """`book:sentence:position`, the position counting the sentence's own tokens."""
    pick = picks("b:7")[0]
    assert pick.id == f"b:7:{pick.position}"
    assert TOKENS[pick.position] == pick.word

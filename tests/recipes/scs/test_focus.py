"""The focus word of an SCS sentence."""

import pytest

from cloze_gen.recipes.scs.focus import Form, eligible_words

TOKENS = "Dogs saw the small house near the dogs ' old garden .".split()
TAGS = ["NNS", "VBD", "DT", "JJ", "NN", "IN", "DT", "NNS", "''", "JJ", "NN", "."]


def form(word, lemma, word_class, tag, trait=""):
    return Form(word, lemma, word_class, tag, trait, tag, 9, 9, 1e-5, 1e-5)


# garden has no form in use
FORMS = [
    form("dogs", "dog", "noun", "NNS", "count"),
    form("small", "small", "adjective", "JJ"),
    form("house", "house", "noun", "NN", "count"),
]


def eligible(tokens, tags, *, forms, takes=lambda pair, place: True):
    table = {(form.lemma, form.tag): form for form in forms}
    return eligible_words(tokens, tags, forms=table, takes=takes)


def test_an_eligible_word_is_a_form_in_use_that_occurs_once():
    words = [blank.answer.word for blank in eligible(TOKENS, TAGS, forms=FORMS)]
    assert words == ["small", "house"]


def test_positions_count_the_tokens_of_the_sentence():
    for blank in eligible(TOKENS, TAGS, forms=FORMS):
        assert TOKENS[blank.position] == blank.answer.word


def test_neither_the_first_nor_the_last_printed_word_is_eligible():
    tokens, tags = "small dogs saw small house".split(), "JJ NNS VBD JJ NN".split()
    assert [blank.answer.word for blank in eligible(tokens, tags, forms=FORMS)] == ["dogs"]


@pytest.mark.parametrize(
    ("line", "tags", "trait", "is_eligible"),
    [
        ("He lay in bed then .", "PRP VBD IN NN RB .", "count", False),
        ("He lay in bed then .", "PRP VBD IN NN RB .", "mass", True),
        ("He lay in the bed then .", "PRP VBD IN DT NN RB .", "count", True),
        ('He lay in the " bed " then .', "PRP VBD IN DT `` NN '' RB .", "count", True),
        ("He lay in beds then .", "PRP VBD IN NNS RB .", "count", True),
    ],
)
def test_a_singular_noun_without_determiner_must_be_a_mass_noun(line, tags, trait, is_eligible):
    forms = [form("bed", "bed", "noun", "NN", trait), form("beds", "bed", "noun", "NNS", trait)]
    blanks = eligible(line.split(" "), tags.split(" "), forms=forms)
    assert len(blanks) == is_eligible


@pytest.mark.parametrize(
    ("line", "is_eligible"), [('" Yes , " cried the men .', False), ("Then all cried .", True)]
)
def test_a_finite_verb_next_to_a_quotation_is_not_eligible(line, is_eligible):
    tokens = line.split(" ")
    tags = ["VBD" if token == "cried" else "." if token == "." else "NN" for token in tokens]
    forms = [form("cried", "cry", "verb", "VBD")]
    assert len(eligible(tokens, tags, forms=forms)) == is_eligible


def test_an_answer_must_fit_its_own_place():
    (blank,) = eligible(TOKENS, TAGS, forms=FORMS, takes=lambda pair, place: pair[1] == "noun")
    assert (blank.answer.word, str(blank.place)) == ("house", "noun 0 the _ place")

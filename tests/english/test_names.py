"""Names and content words, and rules of the passage alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.names import PASSAGE_RULES, content_words, last_name, most_repeated_content_word, most_repeated_name, name_places


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Joe saw Pip", "Pip"),
        ('" Pip , " said Joe .', "Joe"),
        ("he saw Mr. Pip and Lady Joe", "Pip Joe"),
        ("then I said I'm off , Joe's", "Joe's"),
        ("he cried STOP -- Joe ran ; Pip stood", "Pip"),
        ("the old man", ""),
    ],
)
def test_a_capital_that_nothing_forces_makes_a_name(text: str, names: str) -> None:
    """Heads of sentences and quotations, titles, pronouns and shouting are none."""
    tokens = text.split()
    assert " ".join(tokens[place] for place in name_places(tokens)) == names


def test_of_equals_the_last_is_said() -> None:
    """A clitic makes no other word; without any there is no guess."""
    tokens = "so Pip met Joe at Pip's and Joe left Pip and the lamp .".split()
    assert (last_name(tokens), most_repeated_name(tokens)) == ("pip", "pip")
    assert most_repeated_name("so Pip met Joe".split()) == "joe"
    assert most_repeated_content_word("a lamp lit the sea".split()) == "sea"
    assert [rule("of the and".split()) for rule in PASSAGE_RULES.values()] == ["", "", ""]


@given(st.lists(st.sampled_from(["Joe", "the", "lamp's", "Mr.", ".", '"', "don't", "60,000", "sea"])))
def test_rules_say_words_of_the_passage(tokens: list[str]) -> None:
    """Whatever a rule says is a content word that stands there, in small letters."""
    said = {rule(tokens) for rule in PASSAGE_RULES.values()} - {""}
    assert said <= set(content_words(tokens))

"""No sentence is printed in two questions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.questions.printed_once import printed_before
from cloze_gen.text.rendering import rendered_tokens

TOKENS = st.lists(st.sampled_from(["Come", "in", '"', "--", "!", "."]), min_size=1, max_size=4)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), TOKENS), max_size=12, unique_by=lambda pair: pair[0]))
def test_what_is_left_is_printed_once_and_loses_nothing(sentences: list[tuple[str, list[str]]]) -> None:
    """The sentences left are all printed differently; each of the others is printed as the first of its kind, which is left."""
    later = printed_before(sentences)
    printed = {sentence_id: rendered_tokens(tokens) for sentence_id, tokens in sentences}
    left = [sentence_id for sentence_id in printed if sentence_id not in later]
    assert len({printed[sentence_id] for sentence_id in left}) == len(left)
    order = list(printed)
    for sentence_id, first in later.items():
        assert printed[first] == printed[sentence_id]
        assert first in left
        assert order.index(first) < order.index(sentence_id)


def test_a_sentence_asked_for_twice_is_one_sentence() -> None:
    """Two focus words of a sentence do not speak against each other here."""
    assert printed_before([("a:1", ("Come", ".")), ("a:1", ("Come", "."))]) == {}

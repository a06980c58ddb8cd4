"""How a passage is printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.formats.lambada.rendering import cased_text, published_tokens, whole_words
from cloze_gen.records.passage import Part, Passage

WORDS = st.sampled_from(["Ann", "lamp", "don't", "girl's", "Mr.", "cannot", "to-morrow", "60,000", "é", "I'd"])
MARKS = st.sampled_from([".", "?", '"', "'", ",", "(", ")", "--", "..."])


@st.composite
def passages(draw: st.DrawFn) -> Passage:
    """Any tokens with any spacing; behind the target stand marks alone."""
    listed = draw(st.lists(st.lists(WORDS | MARKS, min_size=1, max_size=6), max_size=3))
    last, ending = draw(st.lists(WORDS | MARKS, max_size=5)), draw(st.lists(MARKS, max_size=3))
    sentences = [*listed, [*last, "lamp", *ending]]
    texts = ["".join(token + draw(st.sampled_from(["", " "])) for token in tokens[:-1]) + tokens[-1] for tokens in sentences]
    return Passage("b:7", "b", Part.TEST, tuple(map(tuple, sentences)), tuple(texts), len(last), 0, 9)


@given(passages())
def test_both_renderings_hold_the_same_letters(passage: Passage) -> None:
    """Up to case, blanks, quotation marks and brackets the two say the same, and both end in the target."""
    published = published_tokens(passage)
    plain = "".join(whole_words(published))
    for mark in "\"'":
        plain = plain.replace(mark, "")
    assert plain == cased_text(passage).lower().replace(" ", "").replace('"', "").replace("'", "")
    assert published[-1] == "lamp"
    assert cased_text(passage).endswith("lamp")
    assert passage.opening + passage.target + passage.closing == passage.texts[-1]


@pytest.mark.parametrize(
    ("text", "tokens", "printed"),
    [
        ('"Who?" I said.', '" Who ? " I said .', "`` who ? '' i said"),
        ('He said, "\'Tis I," and fled.', 'He said , " \'Tis I , " and fled .', "he said , `` 't is i , '' and fled"),
        ("'Who?' I said.", "' Who ? ' I said .", "` who ? ' i said"),
        ("\"I said 'No.'\" He fled.", "\" I said ' No . ' \" He fled .", "`` i said ` no . ' '' he fled"),
        ('(He "fled" (so) home.)', '( He " fled " ( so ) home . )', "-lrb- he `` fled '' -lrb- so -rrb- home"),
        ('He -- "wait" -- fled.', 'He -- " wait " -- fled .', "he -- `` wait '' -- fled"),
        ('So " he said " fled.', 'So " he said " fled .', "so `` he said '' fled"),
        ("I can't, I'm Ann's.", "I can't , I'm Ann's .", "i ca n't , i 'm ann 's"),
    ],
)
def test_marks_have_their_direction(text: str, tokens: str, printed: str) -> None:
    """Direction is read from the blanks around a mark, and where they do not tell from whether one is open."""
    own = tuple(tokens.split())
    at = max(i for i, token in enumerate(own) if token[0].isalpha())
    assert " ".join(published_tokens(Passage("b:7", "b", Part.TEST, (own,), (text,), at, 0, 9))) == printed

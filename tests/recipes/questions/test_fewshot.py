"""Few-shot examples are drawn from what the set leaves out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.recipes.questions.fewshot import MOST_EXAMPLES, draw_examples
from cloze_gen.records.sentence import sentence_of

IDS = st.builds("{}:{}:{}".format, st.sampled_from("abc"), st.integers(0, 9), st.integers(0, 2))


@given(st.sets(IDS, max_size=40), st.sets(IDS, max_size=6), st.integers(0, 3))
def test_examples_are_of_no_published_sentence(spare: set[str], published: set[str], seed: int) -> None:
    """Nor is another word of one; no sentence is shown twice, and every book has a published item too."""
    drawn = draw_examples(spare, published=published, seed=seed)
    sentences = [sentence_of(item) for item in drawn]
    assert set(drawn) <= spare
    assert len(set(sentences)) == len(sentences) <= MOST_EXAMPLES
    assert not set(sentences) & {sentence_of(item) for item in published}
    assert {item.split(":")[0] for item in drawn} <= {item.split(":")[0] for item in published}


def test_an_item_more_moves_no_other() -> None:
    """The draw depends on the item alone, whatever the order of the items."""
    spare = [f"a:{n}:0" for n in range(30)]
    drawn = draw_examples(spare, published=["a:99:0"], seed=1)
    assert draw_examples(reversed(spare), published=["a:99:0"], seed=1) == drawn
    without = [item for item in spare if item != drawn[0]]
    assert draw_examples(without, published=["a:99:0"], seed=1)[: MOST_EXAMPLES - 1] == drawn[1:]
    assert draw_examples(spare, published=["a:99:0"], seed=2) != drawn

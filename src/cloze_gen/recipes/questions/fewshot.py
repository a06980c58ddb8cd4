"""Few-shot examples: finished items that the set leaves out, for prompts that show a few before each item."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from cloze_gen.records.sentence import sentence_of
from cloze_gen.rng import derive_rng

MOST_EXAMPLES = 8


def draw_examples(spare: Iterable[str], *, published: Collection[str], seed: int) -> list[str]:
    """At most `MOST_EXAMPLES` ids of spare items in drawn order: one a sentence, of no sentence that is published.

    They are of books that also have a published item, so the books and licences that a release names are theirs too.

    Args:
        spare, published: ids of finished items, ``book:sentence:position``.

    >>> draw_examples(["a:1:3", "a:2:0", "a:2:4", "b:1:1"], published=["a:1:5"], seed=1)
    ['a:2:4']
    """
    asked = {sentence_of(item) for item in published}
    books = {_book_of(sentence) for sentence in asked}
    drawn: dict[str, str] = {}
    for item in sorted(spare, key=lambda item: (derive_rng(seed, "fewshot", item).random(), item)):
        sentence = sentence_of(item)
        if sentence not in asked and _book_of(sentence) in books:
            drawn.setdefault(sentence, item)
    return list(drawn.values())[:MOST_EXAMPLES]


def _book_of(sentence_id: str) -> str:
    return sentence_id.rpartition(":")[0]

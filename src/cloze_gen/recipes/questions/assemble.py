"""The last step of a question set: balance answer positions, order options, draw few-shot examples."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from cloze_gen.records.question import Question
from cloze_gen.records.sentence import sentence_of
from cloze_gen.rng import derive_rng

MOST_EXAMPLES = 8


def balance_answer_positions(ids: Sequence[str], *, n_options: int, seed: int) -> dict[str, int]:
    """The position of each question's answer; each position occurs n/k times, rounded up or down.

    >>> from collections import Counter
    >>> sorted(Counter(balance_answer_positions([f"q{i}" for i in range(11)], n_options=5, seed=1).values()).values())
    [2, 2, 2, 2, 3]
    """
    rng = derive_rng(seed, "assemble.positions")
    order = rng.permutation(len(ids))
    left_over = len(ids) % n_options
    deck = [i % n_options for i in range(len(ids) - left_over)] + rng.permutation(n_options)[
        :left_over
    ].tolist()
    return {
        item_id: deck[place] for item_id, place in zip(sorted(ids), order.tolist(), strict=True)
    }


def assemble_question(
    item_id: str,
    *,
    book_id: str,
    tokens: Sequence[str],
    position: int,
    impostors: Sequence[str],
    answer_index: int,
    seed: int,
) -> Question:
    order = derive_rng(seed, "assemble.impostors", item_id).permutation(len(impostors))
    options = [impostors[i] for i in order]
    options.insert(answer_index, tokens[position])
    return Question(item_id, book_id, tuple(tokens), position, tuple(options), answer_index)


def draw_examples(spare: Iterable[str], *, published: Collection[str], seed: int) -> list[str]:
    """At most `MOST_EXAMPLES` random spare ids (``book:sentence:position``), one per sentence.

    Published sentences are excluded. Each book must have a published item, because a release
    lists only the books of its items.

    >>> draw_examples(["a:1:3", "a:2:0", "a:2:4", "b:1:1"], published=["a:1:5"], seed=1)
    ['a:2:4']
    """
    used_sentences = {sentence_of(item) for item in published}
    books = {_book_of(sentence) for sentence in used_sentences}
    drawn: dict[str, str] = {}
    for item in sorted(spare, key=lambda item: (derive_rng(seed, "fewshot", item).random(), item)):
        sentence = sentence_of(item)
        if sentence not in used_sentences and _book_of(sentence) in books:
            drawn.setdefault(sentence, item)
    return list(drawn.values())[:MOST_EXAMPLES]


def _book_of(sentence_id: str) -> str:
    return sentence_id.rpartition(":")[0]

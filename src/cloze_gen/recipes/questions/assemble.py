"""Assembling questions: the right option's position is dealt evenly over the set, the wrong ones fill the rest by the item's draw."""

from __future__ import annotations

from collections.abc import Sequence

from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng


def deal_positions(ids: Sequence[str], *, n_options: int, seed: int) -> dict[str, int]:
    """Give each question the position of its answer: every position n/k times, give or take one; which ones take one more is drawn too.

    >>> from collections import Counter
    >>> sorted(Counter(deal_positions([f"q{i}" for i in range(11)], n_options=5, seed=1).values()).values())
    [2, 2, 2, 2, 3]
    """
    rng = derive_rng(seed, "assemble.positions")
    order = rng.permutation(len(ids))
    left_over = len(ids) % n_options
    deck = [i % n_options for i in range(len(ids) - left_over)] + rng.permutation(n_options)[:left_over].tolist()
    return {item_id: deck[place] for item_id, place in zip(sorted(ids), order.tolist(), strict=True)}


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
    """Put the answer at its dealt position and the impostors, shuffled by the item, around it."""
    order = derive_rng(seed, "assemble.impostors", item_id).permutation(len(impostors))
    options = [impostors[i] for i in order]
    options.insert(answer_index, tokens[position])
    return Question(item_id, book_id, tuple(tokens), position, tuple(options), answer_index)

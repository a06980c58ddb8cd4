"""What several recipes share: positions of answers, examples, no text twice, models of readers."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from cloze_gen.formats.printed_tokens import rendered_positions, rendered_tokens
from cloze_gen.records.question import Question
from cloze_gen.records.rejection import Reason
from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.rng import derive_rng
from cloze_gen.store.file_docs import FileDoc
from cloze_gen.word_tokens import is_word

MOST_EXAMPLES = 8


# ---- questions


def balance_answer_positions(ids: Sequence[str], *, n_options: int, seed: int) -> dict[str, int]:
    """The position of each question's answer; each position occurs n/k times, rounded up or down.

    >>> from collections import Counter
    >>> sorted(Counter(balance_answer_positions([f"q{i}" for i in range(11)], n_options=5, seed=1).values()).values())
    [2, 2, 2, 2, 3]
    """
    rng = derive_rng(seed, "assemble.positions")
    order = rng.permutation(len(ids))
    left_over = len(ids) % n_options
    deck = [i % n_options for i in range(len(ids) - left_over)]
    deck += rng.permutation(n_options)[:left_over].tolist()
    return {
        item_id: deck[place] for item_id, place in zip(sorted(ids), order.tolist(), strict=True)
    }


def assemble_question(
    item_id: str,
    sentence: Sentence,
    position: int,
    *,
    impostors: Sequence[str],
    answer_index: int,
    seed: int,
) -> Question:
    """A question about a token of a sentence, as printed; the impostors are in random order."""
    order = derive_rng(seed, "assemble.impostors", item_id).permutation(len(impostors))
    options = [impostors[i] for i in order]
    options.insert(answer_index, sentence.tokens[position])
    tokens = tuple(rendered_tokens(sentence.tokens))
    place = rendered_positions(sentence.tokens).index(position)
    return Question(item_id, sentence.book_id, tokens, place, tuple(options), answer_index)


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


_TYPES = {
    "id": "string",
    "book_id": "string",
    "tokens": "list of string",
    "position": "int",
    "options": "list of string",
    "answer_index": "int",
    "answer": "string",
    "source": "object",
    "history": "list of string",
    "next_token": "string",
    "answer_tag": "string",
    "answer_class": "string",
    "answer_rank": "int",
    "answer_forward_rank": "int",
    "option_scores": "list of object",
}


def questions_file(*, without: tuple[str, ...], example: str = "") -> FileDoc:
    columns = {
        name: f"{kind}: {QUESTION_ITEMS.column_docs[name]}"
        for name, kind in _TYPES.items()
        if name not in without
    }
    return FileDoc("questions.jsonl", "The questions, one object each.", columns, example=example)


def fewshot_file(about: str) -> FileDoc:
    return FileDoc("fewshot.jsonl", about)


# ---- no sentence text is published twice, even from different editions


class RepeatReason(Reason):
    PRINTED_BEFORE = ("sentence_printed_before", "an earlier item has the same printed sentence")


def printed_before(items: Iterable[tuple[str, Iterable[Sequence[str]]]]) -> dict[str, str]:
    """Id of each repeated item -> id of the first kept item with one of its texts.

    Texts are equal if they differ only in letter case and punctuation. `items` are (id, tokens of
    each text) in order of precedence. An id may occur more than once.

    >>> first, repeat, other = ("Come", "in", "!"), ('"', "COME", ",", "in", ".", '"'), ("Come", ".")
    >>> printed_before([("a:1", [first]), ("b:7", [repeat]), ("b:9", [other])])
    {'b:7': 'a:1'}
    """
    first: dict[bytes, str] = {}
    repeats: dict[str, str] = {}
    for item_id, texts in items:
        keys = [_in_print(tokens) for tokens in texts]
        earlier = next((first[key] for key in keys if first.get(key, item_id) != item_id), None)
        if earlier is not None:
            repeats[item_id] = earlier
            continue
        for key in keys:
            first.setdefault(key, item_id)
    return repeats


def _in_print(tokens: Sequence[str]) -> bytes:
    words = (token.casefold() for token in rendered_tokens(tokens) if is_word(token))
    return hashlib.blake2b("\n".join(words).encode(), digest_size=16).digest()


# ---- models of readers' marks


def expected_share(
    features: np.ndarray, names: Sequence[str], weights: Mapping[str, float]
) -> np.ndarray:
    """The expected share of readers by a logistic model; shape (rows,).

    `features`: shape (rows, names). Features without a weight do not count.
    """
    column = np.array([weights.get(name, 0.0) for name in names])
    return 1.0 / (1.0 + np.exp(-(features @ column + weights["constant"])))

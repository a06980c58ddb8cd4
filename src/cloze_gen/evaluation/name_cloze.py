"""Name cloze: which books a model knows by heart (Chang et al. 2023, "Speak, Memory", section 3).

A passage of 40 to 60 tokens has one name, which is masked. Nothing else in it tells the name, so a
model that gives it has memorized the book.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.stats import spearmanr

from cloze_gen.corpus.normalization import LINE_END_HYPHEN
from cloze_gen.evaluation.metrics import wilson_interval
from cloze_gen.records.sentence import Sentence
from cloze_gen.rng import derive_rng

MIN_TOKENS, MAX_TOKENS = 40, 60
MOST_PASSAGES = 100  # of a book, as in the paper
# Of sets of many books, fewer of each: about so many in all, and no fewer of a book.
ALL_PASSAGES, FEWEST_PASSAGES = 2_500, 20
MIN_NAME_COUNT = 3  # in the book
_CAPITALIZED = re.compile(r"[A-Z][a-z]+(?:-[A-Z][a-z]+)*")
# Capitals without a person or a place: days, months, feasts and peoples.
_NO_NAMES = frozenset(
    """Sunday Monday Tuesday Wednesday Thursday Friday Saturday January February March April May
    June July August September October November December Christmas Easter God Christian English
    Englishman French Frenchman German Italian Spanish Irish Scotch Greek Latin Roman American
    Indian""".split()
)
_FIRST_PERSON = re.compile(r"I(?:'[a-z]+)?")
_TAGGED = re.compile(r"<name>\s*([^<\n]*)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# First words of an answer that is a sentence, not a name.
_NOT_NAMED = frozenset(
    "a an answer based i in it mask my name passage proper sorry the this unknown".split()
)
_PROMPT = (
    "The passage below is from a book. One proper name in it is replaced by [MASK]. Give this name: "
    "one word, no pronoun. Guess if you are not sure, and write only <name>...</name>.\n\n"
    "Passage: {}\nName:"
)


@dataclass(frozen=True, slots=True)
class NamePassage:
    """`id` is ``name:book:sentence``, of the passage's first sentence."""

    id: str
    book_id: str
    text: str
    name: str

    @property
    def prompt(self) -> str:
        return _PROMPT.format(self.text)


def name_passages(
    sentences: Iterable[Sentence], counts: Mapping[str, int], *, seed: int, n_books: int
) -> list[NamePassage]:
    """Passages of one book, drawn by the seed, in the order of the book.

    Args:
        sentences: of one book, in order.
        counts: the book's types -> count.
        n_books: of the set; decides how many passages are drawn.
    """
    found: list[NamePassage] = []
    waiting: list[Sentence] = []
    for sentence in sentences:
        if sentence.kind != "prose" or LINE_END_HYPHEN in sentence.text:
            waiting = []
            continue
        waiting.append(sentence)
        while sum(len(one.tokens) for one in waiting) > MAX_TOKENS:
            waiting.pop(0)
        if sum(len(one.tokens) for one in waiting) >= MIN_TOKENS:
            passage = _masked(waiting, counts)
            if passage is not None:
                found.append(passage)
                waiting = []
    if not found:
        return []
    rng = derive_rng(seed, "contamination.names", found[0].book_id)
    most = min(MOST_PASSAGES, max(FEWEST_PASSAGES, ALL_PASSAGES // n_books))
    drawn = rng.choice(len(found), size=min(len(found), most), replace=False)
    return [found[place] for place in sorted(drawn.tolist())]


def _masked(sentences: Sequence[Sentence], counts: Mapping[str, int]) -> NamePassage | None:
    names = [name for one in sentences for name in capitalized(one.tokens, counts)]
    if len(names) != 1 or not names[0] or counts.get(names[0], 0) < MIN_NAME_COUNT:
        return None
    text = " ".join(one.text for one in sentences)
    masked, n = re.subn(rf"(?<!\w){re.escape(names[0])}(?!\w)", "[MASK]", text)
    first = sentences[0]
    return NamePassage(f"name:{first.id}", first.book_id, masked, names[0]) if n == 1 else None


def capitalized(tokens: Sequence[str], counts: Container[str]) -> list[str]:
    """The names of a sentence; an empty string for each other word with a capital inside it.

    A name has no form in small letters in its book. The first word of a sentence, or of a
    quotation, has its capital from its place, unless it is a name.

    >>> capitalized("Then Emma saw the Doctor .".split(), {"then", "saw", "the", "doctor"})
    ['Emma', '']
    """
    found, opening = [], True
    for token in tokens:
        word = token.removesuffix("'s")
        if word[:1].isupper() and not _FIRST_PERSON.fullmatch(token):
            is_name = (
                _CAPITALIZED.fullmatch(word) is not None
                and word.lower() not in counts
                and word not in _NO_NAMES
            )
            if is_name or not opening:
                found.append(word if is_name and not opening else "")
        opening = not any(char.isalnum() for char in token) and token not in {",", ";"}
    return found


def given_name(answer: Any) -> str:
    """The name in a model's answer: what is tagged, else the first word; empty if there is none.

    >>> [given_name(text) for text in ("It is <name>Emma</name>.", " Emma.", "It is Emma", None)]
    ['Emma', 'Emma', '', '']
    """
    if not isinstance(answer, str):
        return ""
    tagged = _TAGGED.search(answer)
    if tagged:
        return tagged[1].strip()
    word = _WORD.search(answer)
    return word[0] if word and word[0].lower() not in _NOT_NAMED else ""


@dataclass(frozen=True, slots=True)
class BookScore:
    """`constant`: passages whose name is the book's most frequent one: what the best answer that is
    always the same gets right.
    """

    book_id: str
    n: int
    correct: int
    constant: int = 0

    @property
    def name_cloze(self) -> float:
        return self.correct / self.n

    @property
    def best_constant(self) -> float:
        return self.constant / self.n

    @property
    def above(self) -> tuple[float, float, float]:
        """Share above the best constant answer, with its 95 % interval."""
        low, high = wilson_interval(self.correct, self.n)
        constant = self.best_constant
        return self.name_cloze - constant, low - constant, high - constant


def book_scores(passages: Sequence[NamePassage], answers: Mapping[str, Any]) -> list[BookScore]:
    """Right names by book, upper and lower case alike, the best known first."""
    right: dict[str, list[bool]] = defaultdict(list)
    names: dict[str, Counter[str]] = defaultdict(Counter)
    for one in passages:
        right[one.book_id].append(given_name(answers[one.id]).lower() == one.name.lower())
        names[one.book_id][one.name.lower()] += 1
    scores = [
        BookScore(book, len(some), sum(some), max(names[book].values()))
        for book, some in right.items()
    ]
    return sorted(scores, key=lambda score: (-score.name_cloze, score.book_id))


LEAST_BOOKS = 5


def correlation(
    scores: Sequence[BookScore], right: Mapping[str, Sequence[float]]
) -> tuple[float, float, int] | None:
    """Spearman's rho of a row's accuracy and the name cloze by book, its p, and the number of books.

    None below `LEAST_BOOKS`, or if one of the two is constant.
    """
    pairs = [
        (one.name_cloze, sum(right[one.book_id]) / len(right[one.book_id]))
        for one in scores
        if right.get(one.book_id)
    ]
    if len(pairs) < LEAST_BOOKS or any(len(set(side)) == 1 for side in zip(*pairs, strict=True)):
        return None
    found = spearmanr(pairs)
    return float(found.statistic), float(found.pvalue), len(pairs)

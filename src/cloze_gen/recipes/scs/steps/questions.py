"""Which items make the set: the first of them, in order of generation (Argouarc'h 2018, 3.4).

The paper takes the first 6,000. In the order of the books a cut there would leave the last books out; in the mixed order, which is the
default, the first n are a fair sample of all books, and even and odd ranks are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Literal

from pydantic import Field

from cloze_gen.recipes.questions.printed_once import PRINTED_BEFORE, printed_before
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import sentence_of
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup


class QuestionsSettings(SettingsGroup):
    """Settings of the final set."""

    n_questions: int = Field(
        6000, ge=1, le=MOST_COUNTED, description="questions wanted, the first in order of generation, never padded; 3.4"
    )
    order: Literal["mixed", "corpus"] = Field("mixed", description="of generation: by each sentence's own hash, or book after book")


class QuestionReason(StrEnum):
    """Why a focus word with impostors makes no question; `questions.printed_once` has one more."""

    BEYOND_N = "beyond_n_questions"


def choose_questions(
    ids: Sequence[str], *, tokens_of: Mapping[str, Sequence[str]], settings: QuestionsSettings
) -> tuple[list[str], list[Rejection]]:
    """The items of the set, in order of generation, and why the others are not in it.

    Args:
        ids: of the items that have impostors, book after book.
        tokens_of: sentence id -> its own tokens. Of two sentences that are printed alike the first is asked.

    >>> lines = {"a:1": ("Come", "in", "."), "a:2": ("Go", "out", "."), "b:7": ("Go", "out", "!")}
    >>> kept, rejected = choose_questions(["a:1:1", "a:2:0", "b:7:0"], tokens_of=lines, settings=QuestionsSettings(order="corpus"))
    >>> kept, [(item.id, item.reason) for item in rejected]
    (['a:1:1', 'a:2:0'], [('b:7:0', 'sentence_printed_before')])
    """
    if settings.order == "mixed":
        ids = sorted(ids, key=lambda item: (stable_fraction("scs.order", sentence_of(item)), sentence_of(item)))
    earlier = printed_before((sentence_of(item), [tokens_of[sentence_of(item)]]) for item in ids)
    kept: list[str] = []
    rejected: list[Rejection] = []
    for item in ids:
        if sentence_of(item) in earlier:
            rejected.append(Rejection(item, PRINTED_BEFORE, earlier[sentence_of(item)]))
        elif len(kept) == settings.n_questions:
            rejected.append(Rejection(item, QuestionReason.BEYOND_N))
        else:
            kept.append(item)
    return kept, rejected

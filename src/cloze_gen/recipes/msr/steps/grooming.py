"""Machine grooming: predicates and models that stand in for the judges of MSR 2.3 until a human grooms.

A sentence, an answer or a candidate falls by the first thing that speaks against it. What stands for which guideline:

    guideline                the sentence and its answer               a candidate
    1 grammar                unfit_answers.answer_fault                unfit_impostors.word_fault, .tag_fault, reader_models
    2 one right answer       unfit_answers.tells_too_little            unfit_impostors.word_fault, reader_models
    3 no offence             english.sentence_fitness.sentence_fault   unfit_impostors.word_fault
    4 some thought                                                     reader_models, matched_choice
    7 one blank a sentence   the choice

That the sentence is whole is asked by `english.sentence_fitness`; the classes that `focus.classes` names are not in the paper
(`unfit_answers.answer_fault`). What each means, with examples: `docs/grooming.md`.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Literal

from pydantic import Field

from cloze_gen.settings import IgnoredWhen, SettingsGroup
from cloze_gen.words import is_word

_BY_MACHINE = ("offensive_words", "max_ambiguity", "max_ungrammatical", "frequent_freq", "min_tokens")  # settings that no judge reads


class GroomingSettings(SettingsGroup):
    """Settings of the grooming."""

    judged: Literal["all", "articles"] = Field(
        "all", description="'articles': that a or an before the blank agrees with the candidate, and nothing else of the group is asked"
    )
    verdicts: str = Field(
        "", description="file of what judges said (`cloze-gen judge apply`), known by its content; empty: none were asked"
    )
    unjudged: Literal["left_out", "machine"] = Field(
        "left_out", description="with verdicts: focus words that no judge saw are no questions, or are groomed by machine"
    )
    offensive_words: str = Field("builtin", description="file of words, one a line; 'builtin' is the project's short list, 'none' is off")
    max_ambiguity: float = Field(
        0.07, gt=0, le=1, description="exclusive: share of readers who would say that a candidate fits as well as the answer; 1 is off"
    )
    max_ungrammatical: float = Field(
        0.08, gt=0, le=1, description="exclusive: share of readers who would say that a candidate breaks the grammar; 1 is off"
    )
    frequent_freq: float = Field(1e-3, gt=0, le=1, description="inclusive: words from this freq on tell grammar, rarer ones tell meaning")
    min_tokens: int = Field(
        13, ge=0, le=1000, description="tokens a sentence needs, as printed: of shorter ones readers find half ambiguous"
    )
    tagger: str = Field("builtin", description="'builtin', an installed spaCy pipeline, or 'none'")
    tag_window: int = Field(8, ge=2, le=1000, description="tokens on each side of the blank that the tagger sees")

    ignored_when = (
        IgnoredWhen((*_BY_MACHINE, "tagger", "tag_window"), {"judged": ("articles",), "verdicts": ("",)}),
        IgnoredWhen(("judged", *_BY_MACHINE), {"verdicts": bool, "unjudged": ("left_out",)}),
        IgnoredWhen(_BY_MACHINE, {"judged": ("articles",)}),
        IgnoredWhen(("tag_window",), {"tagger": ("none",)}),
        IgnoredWhen(("unjudged",), {"verdicts": ("",)}),
    )


def is_frequent(token: str, frequent: Container[str]) -> bool:
    """A frequent word or a mark: what may stand beside it is grammar. Beside a rarer word it is meaning.

    Args:
        frequent: case-folded words of `frequent_freq` or more.

    >>> [is_frequent(token, {"the"}) for token in ("The", ",", "ferry")]
    [True, True, False]
    """
    return not is_word(token) or token.casefold() in frequent

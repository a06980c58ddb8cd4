"""Machine grooming: predicates that stand in for the judges of MSR 2.3 until a human grooms.

A sentence, an answer or a candidate falls by the first predicate that speaks against it. Which predicate stands for which guideline:

    guideline                the sentence and its answer               a candidate
    1 grammar                unfit_answers.answer_fault (word_place)   unfit_impostors.candidate_fault, .tag_fault (word_place)
    2 one right answer       unfit_answers.tells_too_little            unfit_impostors.candidate_fault
    3 no offence             english.sentence_fitness.sentence_fault   unfit_impostors.candidate_fault
    4 some thought           unfit_answers.told_by_topic
    7 one blank a sentence   choice, balanced_choice

That the sentence is whole is asked by `english.sentence_fitness`; the classes that `focus.classes` names are not in the paper
(`unfit_answers.answer_fault`). What each predicate means, with examples: `docs/grooming.md`.
"""

from __future__ import annotations

from collections.abc import Container

from pydantic import Field

from cloze_gen.settings import SettingsGroup
from cloze_gen.words import is_word


class GroomingSettings(SettingsGroup):
    """Settings of the grooming."""

    offensive_words: str = Field("builtin", description="file of words, one a line; 'builtin' is the project's short list, 'none' is off")
    max_similarity: float = Field(
        0.25, gt=0, le=1, description="exclusive: cosine of context vectors from which a word can stand for the answer"
    )
    frequent_freq: float = Field(
        1e-3, gt=0, le=1, description="inclusive: neighbours from this freq on tell grammar, rarer ones tell meaning"
    )
    require_attested: bool = Field(True, description="beside a frequent neighbour the candidate must be attested in the training books")
    min_association: float = Field(
        0.0, ge=-100, le=100, description="inclusive: log10 P(b | a) / P(b) of the candidate and each frequent neighbour"
    )
    reject_collocations: bool = Field(
        True, description="beside a rarer neighbour the candidate must not be attested: it would fit too well"
    )
    max_lift: float = Field(
        1.4,
        gt=0,
        le=100,
        description="exclusive: log10 P(candidate | two-word history) / P(candidate), from which the history calls for it",
    )
    max_gain: float = Field(
        1.3,
        gt=0,
        le=100,
        description="exclusive: log10 P(sentence with the candidate) / P(sentence with the answer), from which it fits too well",
    )
    max_topicality: float = Field(
        0.5, gt=0, le=100, description="exclusive: a candidate's mean association, in nats, with the sentence's rarer words"
    )
    max_answer_topicality: float = Field(0.7, gt=0, le=100, description="exclusive: the same of the answer")
    min_content_words: int = Field(
        5, ge=0, le=1000, description="rarer words a sentence needs beside the blank, for something has to tell the answer"
    )
    min_tokens: int = Field(15, ge=0, le=1000, description="tokens a sentence needs, as printed: short ones seldom exclude four impostors")
    frames: bool = Field(True, description="verbs must take an object, none, or a clause, and nouns be mass or count, as the place asks")
    transitive_share: float = Field(
        0.3, gt=0, lt=1, description="inclusive: share of a verb form's uses with an object at once from which it is transitive"
    )
    tagger: str = Field("builtin", description="'builtin', an installed spaCy pipeline, or 'none'")
    tag_window: int = Field(8, ge=2, le=1000, description="tokens on each side of the blank that the tagger sees")


def is_frequent(token: str, frequent: Container[str]) -> bool:
    """A frequent word or a mark: what may stand beside it is grammar. Beside a rarer word it is meaning.

    Args:
        frequent: case-folded words of `frequent_freq` or more.

    >>> [is_frequent(token, {"the"}) for token in ("The", ",", "ferry")]
    [True, True, False]
    """
    return not is_word(token) or token.casefold() in frequent

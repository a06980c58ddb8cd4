"""Machine grooming: predicates on a candidate in its sentence, standing in for the judges of MSR 2.3 until a human grooms.

Every candidate of the retained 30 gets a verdict: fit, or the first predicate that speaks against it.
"""

from __future__ import annotations

from collections.abc import Container
from enum import StrEnum

from pydantic import Field

from cloze_gen.english.articles import breaks_article
from cloze_gen.english.stems import stem
from cloze_gen.settings import SettingsGroup


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


class CandidateFault(StrEnum):
    """Why a candidate is no impostor."""

    ARTICLE = "candidate_breaks_a_an"
    FORM_OF_ANSWER = "candidate_is_form_of_answer"
    IN_SENTENCE = "candidate_in_sentence"
    OFFENSIVE = "candidate_offensive"
    NUMBER_SHAPE = "candidate_number_against_word"
    SUBSTITUTABLE = "candidate_substitutable"
    UNATTESTED = "candidate_unattested_in_place"
    COLLOCATION = "candidate_is_collocation"
    CALLED_FOR = "candidate_called_for_by_history"
    LIKELIER = "candidate_likelier_than_answer"
    TOPICAL = "candidate_suits_topic"
    TAG = "candidate_changes_tag"
    TAG_IMPOSSIBLE = "candidate_never_has_tag"
    FRAME = "candidate_breaks_frame"


def candidate_fault(
    candidate: str,
    *,
    answer: str,
    predecessor: str,
    sentence_stems: Container[str],
    offensive: Container[str],
    similarity: float,
    attested: bool,
    collocates: bool,
    lift: float,
    gain: float,
    topicality: float,
    settings: GroomingSettings,
) -> CandidateFault | None:
    """The first fault of a candidate that can be seen without a tagger; None when there is none.

    Args:
        sentence_stems: stems of the sentence's own tokens, the answer's among them.
        similarity: cosine of the context vectors of candidate and answer; 0 where either has none.
        attested: the training books have the candidate next to each frequent neighbour that it has here, and not more seldom than chance
            would put it there (grammar: "exhibiting to" is attested, and rare for so frequent a word as "to").
        collocates: the training books have the candidate next to a rarer neighbour that it has here (meaning): "a grave mistake" is as
            good as "a capital mistake", whatever the rest of the sentence says.
        lift: log10 of how many times likelier the two preceding tokens make the candidate.
        gain: log10 of how many times likelier the sentence is with the candidate than with the answer, by the generating model.
        topicality: the candidate's mean association with the sentence's rarer words.
    """
    form = stem(candidate)
    checks = (
        (CandidateFault.ARTICLE, breaks_article(candidate, predecessor)),
        (CandidateFault.FORM_OF_ANSWER, form == stem(answer)),
        (CandidateFault.IN_SENTENCE, form in sentence_stems),
        (CandidateFault.OFFENSIVE, candidate.casefold() in offensive),
        (CandidateFault.NUMBER_SHAPE, has_digit(candidate) != has_digit(answer)),
        (CandidateFault.SUBSTITUTABLE, similarity >= settings.max_similarity),
        (CandidateFault.UNATTESTED, settings.require_attested and not attested),
        (CandidateFault.COLLOCATION, settings.reject_collocations and collocates),
        (CandidateFault.CALLED_FOR, lift >= settings.max_lift),
        (CandidateFault.LIKELIER, gain >= settings.max_gain),
        (CandidateFault.TOPICAL, topicality >= settings.max_topicality),
    )
    for fault, holds in checks:
        if holds:
            return fault
    return None


def has_digit(word: str) -> bool:
    return not word.isalpha() and any(character.isdigit() for character in word)

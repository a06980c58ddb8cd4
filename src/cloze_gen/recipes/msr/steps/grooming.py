"""Machine grooming: predicates on a candidate in its sentence, standing in for the judges of MSR 2.3 until a human grooms.

Every candidate of the retained 30 gets a verdict: fit, or the first predicate that speaks against it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Container
from enum import StrEnum

from pydantic import Field

from cloze_gen.settings import SettingsGroup

_VOWELS = frozenset("aeiou")
# A written vowel with a consonant's sound, and the silent h: where spelling misleads about a/an.
_CONSONANT_SOUND = re.compile(r"(?:uni(?!m|n)|us[aeiu]|ut[eio]|eu|ew|on[ce]|one-|ubiq|uku|ur[aei]n|u-)")
_SILENT_H = re.compile(r"(?:hono|hones|heir|hour)")
_POSSESSIVE = re.compile(r"(?:'s|(?<=s)')$")
_ENDINGS = "fulness lessness ations ation ingly edly ments ment ness ings iest ing ied ies ier est ers ely ily ed er es ly s y e".split()


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


def takes_an(word: str) -> bool:
    """True when the word begins with a vowel sound.

    >>> [takes_an(w) for w in ("hour", "house", "umbrella", "useful", "one-eyed", "honest", "uninteresting")]
    [True, False, True, False, False, True, True]
    """
    lower = word.casefold()
    if _SILENT_H.match(lower):
        return True
    return lower[:1] in _VOWELS and not _CONSONANT_SOUND.match(lower)


@functools.lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """A crude stem: spelling variants made one, endings dropped, a doubled last consonant made single.

    Only meant to tell whether two words are forms of one another; it errs towards yes.

    >>> stem("climbing") == stem("climbed") == stem("climber"), stem("to-morrow") == stem("tomorrow"), stem("colour") == stem("color")
    (True, True, True)
    """
    text = _POSSESSIVE.sub("", word.casefold()).replace("-", "").replace("our", "or").replace("ise", "ize").replace("yse", "yze")
    for ending in _ENDINGS:
        if text.endswith(ending) and len(text) - len(ending) >= 3:
            text = text[: -len(ending)]
            break
    if len(text) > 3 and text[-1] == text[-2]:
        text = text[:-1]
    return text[:-1] if len(text) > 3 and text[-1] in "iey" else text


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


def breaks_article(candidate: str, predecessor: str) -> bool:
    """True when `a` or `an` stands before the blank and the candidate begins with the other sound.

    >>> breaks_article("owl", "a"), breaks_article("owl", "an"), breaks_article("owl", "the")
    (True, False, False)
    """
    article = predecessor.casefold()
    return article in {"a", "an"} and takes_an(candidate) != (article == "an")


def has_digit(word: str) -> bool:
    return not word.isalpha() and any(character.isdigit() for character in word)

"""Is a candidate fit to be an impostor? Predicates on a word in the answer's place (MSR 2.3, guidelines 1 to 3).

What is certain is a predicate; what readers would differ on is asked of `reader_models`, whose opinion meets its bounds here. They err
towards rejecting: thirty candidates are there for four places.
"""

from __future__ import annotations

from collections.abc import Container
from enum import StrEnum

from cloze_gen.english.articles import breaks_article
from cloze_gen.english.penn_tags import PAST
from cloze_gen.english.stems import stem
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings


class CandidateFault(StrEnum):
    """Why a candidate is no impostor."""

    ARTICLE = "candidate_breaks_a_an"
    FORM_OF_ANSWER = "candidate_is_form_of_answer"
    IN_SENTENCE = "candidate_in_sentence"
    OFFENSIVE = "candidate_offensive"
    NUMBER_SHAPE = "candidate_number_against_word"
    TAG_IMPOSSIBLE = "candidate_never_has_tag"
    FITS_AS_WELL = "candidate_fits_as_well"
    UNGRAMMATICAL = "candidate_breaks_grammar"
    TAG = "candidate_changes_tag"


def word_fault(
    candidate: str, *, answer: str, predecessor: str, sentence_stems: Container[str], offensive: Container[str]
) -> CandidateFault | None:
    """The first fault of a candidate that the words alone show; None when there is none.

    Args:
        predecessor: the token printed before the blank.
        sentence_stems: stems of the sentence's own tokens, the answer's among them.
        offensive: case-folded words.

    >>> around = {"answer": "lamp", "predecessor": "a", "sentence_stems": {"lamp"}, "offensive": ()}
    >>> word_fault("owl", **around), word_fault("candle", **around)
    (<CandidateFault.ARTICLE: 'candidate_breaks_a_an'>, None)
    """
    if breaks_article(candidate, predecessor):
        return CandidateFault.ARTICLE
    form = stem(candidate)
    if form == stem(answer):
        return CandidateFault.FORM_OF_ANSWER
    if form in sentence_stems:
        return CandidateFault.IN_SENTENCE
    if candidate.casefold() in offensive:
        return CandidateFault.OFFENSIVE
    return CandidateFault.NUMBER_SHAPE if _has_digit(candidate) != _has_digit(answer) else None


def dictionary_fault(tag: str, *, has_tag: bool, doubtful: bool, same_past_forms: bool) -> CandidateFault | None:
    """Whether the dictionary rules a candidate out under the answer's tag: a tagger reads a word by its neighbours, a dictionary does not.

    Args:
        tag: the answer's Penn tag.
        has_tag: the dictionary has the candidate with it.
        doubtful: a tagger easily mistakes the candidate for another form with this tag; no answer is such a word either.
        same_past_forms: candidate and answer are alike in having one form or two for past tense and participle.

    >>> dictionary_fault("VBD", has_tag=True, doubtful=False, same_past_forms=False)
    <CandidateFault.TAG_IMPOSSIBLE: 'candidate_never_has_tag'>
    >>> dictionary_fault("NN", has_tag=True, doubtful=False, same_past_forms=False) is None
    True
    """
    unlike = tag in PAST and not same_past_forms
    return CandidateFault.TAG_IMPOSSIBLE if not has_tag or doubtful or unlike else None


def reader_fault(fits_as_well: float, ungrammatical: float, *, settings: GroomingSettings) -> CandidateFault | None:
    """What readers would find wrong with a candidate; None when too few would.

    Args:
        fits_as_well, ungrammatical: shares of readers who would say so, 0 to 1 (`reader_models.opinion`).

    >>> reader_fault(0.3, 0.3, settings=GroomingSettings()), reader_fault(0.001, 0.001, settings=GroomingSettings())
    (<CandidateFault.FITS_AS_WELL: 'candidate_fits_as_well'>, None)
    """
    if fits_as_well >= settings.max_ambiguity:
        return CandidateFault.FITS_AS_WELL
    return CandidateFault.UNGRAMMATICAL if ungrammatical >= settings.max_ungrammatical else None


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(character.isdigit() for character in word)

"""Is a candidate fit to be an impostor? Predicates on a word in the answer's place (MSR 2.3, guidelines 1 to 3).

They err towards rejecting: thirty candidates are there for four places. The measures are taken elsewhere; here they meet their bounds.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
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
    SUBSTITUTABLE = "candidate_substitutable"
    UNATTESTED = "candidate_unattested_in_place"
    COLLOCATION = "candidate_is_collocation"
    CALLED_FOR = "candidate_called_for_by_history"
    LIKELIER = "candidate_likelier_than_answer"
    TOPICAL = "candidate_suits_topic"
    TAG = "candidate_changes_tag"
    TAG_IMPOSSIBLE = "candidate_never_has_tag"
    FRAME = "candidate_breaks_frame"


@dataclass(frozen=True, slots=True)
class CandidateMeasures:
    """What models of the training books say of a candidate in its place.

    Attributes:
        similarity: cosine of the context vectors of candidate and answer; 0 where either has none.
        association: log10 P(b | a) / P(b) of the candidate and a frequent neighbour, the lesser where both neighbours are frequent; -inf
            where the books never have the two side by side, inf where no neighbour is frequent. It tells grammar: "exhibiting to" is
            attested, and rare for so frequent a word as "to".
        collocates: the books have the candidate next to a rarer neighbour that it has here. It tells meaning: "a grave mistake" is as good
            as "a capital mistake", whatever the rest of the sentence says.
        lift: log10 of how many times likelier the two preceding tokens make the candidate.
        gain: log10 of how many times likelier the sentence is with the candidate than with the answer, by the generating model.
        topicality: the candidate's mean association with the sentence's rarer words, in nats.
    """

    similarity: float = 0.0
    association: float = float("inf")
    collocates: bool = False
    lift: float = 0.0
    gain: float = 0.0
    topicality: float = 0.0


def candidate_fault(
    candidate: str,
    *,
    answer: str,
    predecessor: str,
    sentence_stems: Container[str],
    offensive: Container[str],
    measures: CandidateMeasures,
    settings: GroomingSettings,
) -> CandidateFault | None:
    """The first fault of a candidate that can be seen without a tagger; None when there is none.

    Args:
        predecessor: the token printed before the blank.
        sentence_stems: stems of the sentence's own tokens, the answer's among them.
        offensive: case-folded words.

    >>> around = {"answer": "lamp", "predecessor": "a", "sentence_stems": {"lamp"}, "offensive": (), "settings": GroomingSettings()}
    >>> candidate_fault("owl", **around, measures=CandidateMeasures())
    <CandidateFault.ARTICLE: 'candidate_breaks_a_an'>
    >>> candidate_fault("candle", **around, measures=CandidateMeasures(similarity=0.6))
    <CandidateFault.SUBSTITUTABLE: 'candidate_substitutable'>
    >>> candidate_fault("pike", **around, measures=CandidateMeasures()) is None
    True
    """
    form = stem(candidate)
    checks = (
        (CandidateFault.ARTICLE, breaks_article(candidate, predecessor)),
        (CandidateFault.FORM_OF_ANSWER, form == stem(answer)),
        (CandidateFault.IN_SENTENCE, form in sentence_stems),
        (CandidateFault.OFFENSIVE, candidate.casefold() in offensive),
        (CandidateFault.NUMBER_SHAPE, _has_digit(candidate) != _has_digit(answer)),
        (CandidateFault.SUBSTITUTABLE, measures.similarity >= settings.max_similarity),
        (CandidateFault.UNATTESTED, settings.require_attested and measures.association < settings.min_association),
        (CandidateFault.COLLOCATION, settings.reject_collocations and measures.collocates),
        (CandidateFault.CALLED_FOR, measures.lift >= settings.max_lift),
        (CandidateFault.LIKELIER, measures.gain >= settings.max_gain),
        (CandidateFault.TOPICAL, measures.topicality >= settings.max_topicality),
    )
    return next((fault for fault, holds in checks if holds), None)


def tag_fault(tag: str, *, answer_tag: str, has_tag: bool, same_past_forms: bool, takes_frame: bool) -> CandidateFault | None:
    """The first fault of a candidate that a tagger shows; None when there is none.

    Args:
        tag: the candidate's Penn tag in the answer's place, clitics joined by `+` (`NN+POS`).
        answer_tag: the answer's, read in the same window.
        has_tag: the dictionary has the candidate with that tag: a tagger reads a word by its neighbours.
        same_past_forms: candidate and answer are alike in having one form or two for past tense and participle.
        takes_frame: the candidate takes the frame that its place asks for; True where none is asked for.

    >>> tag_fault("VBZ", answer_tag="VBD", has_tag=True, same_past_forms=True, takes_frame=True)
    <CandidateFault.TAG: 'candidate_changes_tag'>
    >>> tag_fault("NN", answer_tag="NN", has_tag=True, same_past_forms=False, takes_frame=True) is None
    True
    """
    checks = (
        (CandidateFault.TAG, tag != answer_tag),
        (CandidateFault.TAG_IMPOSSIBLE, not has_tag or (tag.partition("+")[0] in PAST and not same_past_forms)),
        (CandidateFault.FRAME, not takes_frame),
    )
    return next((fault for fault, holds in checks if holds), None)


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(character.isdigit() for character in word)

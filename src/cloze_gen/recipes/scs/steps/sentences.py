"""Sentences of the SCS set: enough common content words, a verb, few proper nouns, then one in four (Argouarc'h 2018, 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from enum import StrEnum

from pydantic import Field

from cloze_gen.english.penn_tags import FINITE, VERBS
from cloze_gen.english.sentence_fitness import SentenceFault, sentence_fault
from cloze_gen.records.sentence import Sentence
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import SettingsGroup
from cloze_gen.stats.lemma_counts import Pair
from cloze_gen.text.rendering import rendered_positions

_FINAL_MARKS = frozenset({".", "?", "!"})


class SentencesSettings(SettingsGroup):
    """Settings of the choice of sentences."""

    min_content_words: int = Field(6, ge=1, le=1000, description="inclusive: tokens whose (lemma, class) is in the content vocabulary; 3.1")
    max_content_words: int = Field(12, ge=1, le=1000, description="inclusive, as the paper says; 3.1")
    min_verbs: int = Field(1, ge=0, le=1000, description="inclusive: tokens tagged as verbs, be/have/do among them; 3.1")
    finite_verb: bool = Field(True, description="also ask for a finite verb or a modal, so that fragments stay out; not in the paper")
    max_proper_nouns: int = Field(2, ge=0, le=1000, description="inclusive: tokens tagged as proper nouns; 3.1")
    offensive_words: str = Field("builtin", description="file of words, one a line, kept out of sentences and options; 'builtin' or 'none'")
    keep_share: float = Field(
        0.25, gt=0, le=1, description="share of the fit sentences kept, by each sentence's own hash; 3.1: one in four"
    )


class SentenceReason(StrEnum):
    """Why a sentence is left out."""

    NOT_PROSE = "sentence_not_prose"
    NOT_ASCII = "sentence_not_ascii"
    NO_FINAL_STOP = "sentence_without_final_stop"
    FEW_CONTENT_WORDS = "sentence_few_content_words"
    MANY_CONTENT_WORDS = "sentence_many_content_words"
    NO_VERB = "sentence_without_verb"
    NO_FINITE_VERB = "sentence_without_finite_verb"
    PROPER_NOUNS = "sentence_many_proper_nouns"
    THINNED = "sentence_thinned_out"


def fault_of_sentence(
    sentence: Sentence,
    tags: Sequence[str],
    *,
    pair_of: Callable[[str, str], Pair],
    vocabulary: Container[Pair],
    offensive: Container[str],
    settings: SentencesSettings,
) -> SentenceReason | SentenceFault | None:
    """The first reason against a sentence, in the order in which the rules are asked; None when it is kept.

    Args:
        tags: one Penn tag a token.
        pair_of: (token, tag) -> (lemma, class).
        vocabulary: the content vocabulary.
        offensive: words in small letters that no sentence may hold.
    """
    printed = rendered_positions(sentence.tokens)
    fault = shape_fault(sentence) or sentence_fault(sentence.tokens, printed=printed, offensive=offensive)
    if fault is None:
        pairs = [pair_of(token, tag) for token, tag in zip(sentence.tokens, tags, strict=True)]
        fault = content_fault(tags, pairs, vocabulary=vocabulary, settings=settings)
    if fault is None and thinned_out(sentence.id, keep_share=settings.keep_share):
        fault = SentenceReason.THINNED
    return fault


def shape_fault(sentence: Sentence) -> SentenceReason | None:
    """What can be seen without tags: prose, ASCII, and a final stop that will be printed."""
    if sentence.kind != "prose":
        return SentenceReason.NOT_PROSE
    if not all(token.isascii() for token in sentence.tokens):
        return SentenceReason.NOT_ASCII
    printed = rendered_positions(sentence.tokens)
    if not printed or sentence.tokens[printed[-1]] not in _FINAL_MARKS:
        return SentenceReason.NO_FINAL_STOP
    return None


def content_fault(
    tags: Sequence[str],
    pairs: Sequence[Pair],
    *,
    vocabulary: Container[Pair],
    settings: SentencesSettings,
) -> SentenceReason | None:
    """What the tags say against a sentence; None when it is fit.

    Args:
        tags: one Penn tag a token.
        pairs: one (lemma, class) a token.
        vocabulary: the content vocabulary.

    >>> pairs = [("dog", "noun"), ("bark", "verb")]
    >>> content_fault(["NN", "VBD"], pairs, vocabulary=set(pairs), settings=SentencesSettings(min_content_words=2)) is None
    True
    >>> content_fault(["NN", "VBD"], pairs, vocabulary=set(pairs), settings=SentencesSettings())
    <SentenceReason.FEW_CONTENT_WORDS: 'sentence_few_content_words'>
    """
    content_count = sum(pair in vocabulary for pair in pairs)
    if content_count < settings.min_content_words:
        return SentenceReason.FEW_CONTENT_WORDS
    if content_count > settings.max_content_words:
        return SentenceReason.MANY_CONTENT_WORDS
    if sum(tag in VERBS for tag in tags) < settings.min_verbs:
        return SentenceReason.NO_VERB
    if settings.finite_verb and not FINITE.intersection(tags):
        return SentenceReason.NO_FINITE_VERB
    if sum(word_class == "proper_noun" for _, word_class in pairs) > settings.max_proper_nouns:
        return SentenceReason.PROPER_NOUNS
    return None


def thinned_out(sentence_id: str, *, keep_share: float) -> bool:
    """Whether thinning drops a sentence: decided by its own id, so its neighbours and the seed have no say.

    >>> kept = sum(not thinned_out(f"b:{i}", keep_share=0.25) for i in range(4000))
    >>> 900 < kept < 1100
    True
    """
    return stable_fraction("scs.thinning", sentence_id) >= keep_share

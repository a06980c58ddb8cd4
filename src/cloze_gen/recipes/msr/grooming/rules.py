"""Rules of machine grooming, in place of the judges of MSR 2.3 (docs/explanation/grooming.md).

The first fault rejects a sentence, an answer or a candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from typing import Literal

from pydantic import Field

from cloze_gen.adapters.inflector import can_have_tag, is_doubtful, same_past_forms
from cloze_gen.english.articles import breaks_article
from cloze_gen.english.content_words import stem
from cloze_gen.english.penn_tags import NOUNS, PAST, coarse_class
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import SettingsGroup, Unhashed


class GroomingSettings(SettingsGroup):
    checks: Literal["all", "articles"] = Field(
        "all", description="articles: only that a or an before the blank fits"
    )
    # Focus words without a verdict are rejected.
    verdicts: Unhashed[str] = Field("", description="file of `cloze-gen judge apply`; empty: none")
    # Not strict, because TOML has lists and no tuples. The elements are validated.
    classes: tuple[Literal["noun", "verb", "adjective", "adverb"], ...] = Field(
        (), strict=False, description="of answers; empty: all"
    )
    offensive_words: Unhashed[str] = Field(
        "builtin", description="file, one excluded word a line; or 'builtin', 'none'"
    )
    max_ambiguity: float = Field(
        0.07, gt=0, le=1, description="share of readers who find it as good as the answer"
    )
    max_ungrammatical: float = Field(
        0.08, gt=0, le=1, description="share of readers who find it ungrammatical"
    )
    # It scores what the other checks leave; readers' marks are predicted much better.
    language_model: Unhashed[str] = Field(
        "", pattern=r"^(hf:.+)?$", description="hf:FOLDER, a causal model; empty: none"
    )
    tagger: Unhashed[Literal["builtin", "none"]] = Field(
        "builtin", description="'none' skips the checks of tags"
    )


class AnswerFault(Reason):
    CLASS_NOT_SELECTED = (
        "answer_class_not_selected",
        "the answer's word class is not in grooming.classes",
    )
    TAG_DOUBTFUL = ("answer_tag_doubtful", "the tagger's tag of the answer is doubtful")
    COMPOUND = ("answer_in_compound_noun", "the answer is a part of a compound noun")


def answer_fault(
    tokens: Sequence[str], tags: Sequence[str], position: int, *, classes: Collection[str] = ()
) -> AnswerFault | None:
    """The first fault of an answer that its tag shows; its candidates cannot be judged then.

    Tokens and tags are of the printed sentence. `classes` are the allowed coarse classes; empty: all.

    >>> answer_fault("The brass plate fell .".split(), ["DT", "NN", "NN", "VBD", "."], 1)
    <AnswerFault.COMPOUND: 'answer_in_compound_noun'>
    >>> answer_fault("The plate fell .".split(), ["DT", "NN", "VBD", "."], 1) is None
    True
    """
    answer = tokens[position]
    tag = tags[position]
    if classes and coarse_class(tag) not in classes:
        return AnswerFault.CLASS_NOT_SELECTED
    if not can_have_tag(answer, tag) or is_doubtful(answer, tag):
        return AnswerFault.TAG_DOUBTFUL
    if tag in NOUNS and tags[position + 1] in NOUNS:
        return AnswerFault.COMPOUND
    return None


class CandidateFault(Reason):
    ARTICLE = (
        "candidate_breaks_a_an",
        "'a' or 'an' before the blank does not agree with the candidate",
    )
    FORM_OF_ANSWER = ("candidate_is_form_of_answer", "the candidate is another form of the answer")
    IN_SENTENCE = ("candidate_in_sentence", "the sentence already contains the candidate")
    OFFENSIVE = ("candidate_offensive", "the candidate is a listed offensive word")
    DIGITS = (
        "candidate_number_mismatch",
        "one of candidate and answer is a number, the other is a word",
    )
    TAG_IMPOSSIBLE = (
        "candidate_never_has_tag",
        "the candidate never has the answer's part-of-speech tag",
    )
    FITS_AS_WELL = (
        "candidate_fits_as_well",
        "readers would probably find that the candidate fits as well as the answer",
    )
    UNGRAMMATICAL = (
        "candidate_breaks_grammar",
        "readers would probably find the candidate ungrammatical",
    )
    TAG = (
        "candidate_changes_tag",
        "with the candidate in place the tagger changes the tags of the sentence",
    )


def candidate_fault(
    candidate: str,
    *,
    answer: str,
    tag: str,
    predecessor: str,
    sentence_stems: Container[str],
    offensive: Container[str],
) -> CandidateFault | None:
    """The first fault that a candidate's letters and the dictionary show, or None.

    `tag` is the answer's Penn tag; empty: unknown. `offensive` is case-folded.

    >>> around = {"answer": "lamp", "tag": "NN", "predecessor": "a", "sentence_stems": {"lamp"}, "offensive": ()}
    >>> candidate_fault("owl", **around), candidate_fault("candle", **around)
    (<CandidateFault.ARTICLE: 'candidate_breaks_a_an'>, None)
    >>> candidate_fault("dreadful", **around)
    <CandidateFault.TAG_IMPOSSIBLE: 'candidate_never_has_tag'>
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
    if _has_digit(candidate) != _has_digit(answer):
        return CandidateFault.DIGITS
    if tag and not _takes_tag(candidate, tag, answer):
        return CandidateFault.TAG_IMPOSSIBLE
    return None


def _takes_tag(candidate: str, tag: str, answer: str) -> bool:
    """Whether the dictionary has the candidate with the answer's tag, and like past forms."""
    return (
        can_have_tag(candidate, tag)
        and not is_doubtful(candidate, tag)
        and (tag not in PAST or same_past_forms(candidate, answer))
    )


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(character.isdigit() for character in word)

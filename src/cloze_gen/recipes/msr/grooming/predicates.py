"""Machine grooming: predicates and models in place of the judges of MSR 2.3 (docs/explanation/grooming.md).

The first fault rejects a sentence, an answer or a candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from typing import Literal

from pydantic import Field

from cloze_gen.corpus.normalization import rendered_positions
from cloze_gen.english.articles import breaks_article
from cloze_gen.english.content_words import stem
from cloze_gen.english.penn_tags import NOUNS, PAST, coarse_class
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import SettingsGroup, Unhashed
from cloze_gen.word_tokens import is_word

# Words with at least this frequency count as grammatical context, rarer words as topic.
FREQUENT_FREQ = 1e-3
TAG_WINDOW = 8  # tokens on each side of the blank that the tagger sees


class GroomingSettings(SettingsGroup):
    checks: Literal["all", "articles"] = Field(
        "all",
        description=(
            "checks of every sentence and candidate. all: all settings of this "
            "group; articles: only that a or an before the blank agrees with the "
            "candidate"
        ),
    )
    verdicts: Unhashed[str] = Field(
        "",
        description=(
            "file with judges' verdicts (from `cloze-gen judge apply`), identified "
            "by its content; empty: none"
        ),
    )
    unjudged_policy: Literal["left_out", "machine"] = Field(
        "left_out",
        description=(
            "treatment of focus words without verdicts, if a file of verdicts is "
            "given. left_out: rejected; machine: groomed by machine"
        ),
    )
    offensive_words: Unhashed[str] = Field(
        "builtin",
        description=(
            "file with one word per line; these words are excluded from options; "
            "'builtin': the project's short list; 'none': no list"
        ),
    )
    max_ambiguity: float = Field(
        0.07,
        gt=0,
        le=1,
        description=(
            "exclusive limit of the expected share of readers who find that a "
            "candidate fits as well as the answer; 1: off"
        ),
    )
    max_ungrammatical: float = Field(
        0.08,
        gt=0,
        le=1,
        description=(
            "exclusive limit of the expected share of readers who find a candidate "
            "ungrammatical; 1: off"
        ),
    )
    min_tokens: int = Field(
        13,
        ge=0,
        le=1000,
        description=(
            "least number of printed tokens in a sentence; readers find half of the "
            "shorter ones ambiguous"
        ),
    )
    language_model: Unhashed[str] = Field(
        "",
        pattern=r"^(hf:.+)?$",
        description=(
            "hf:FOLDER, a causal language model (extra cloze-gen[hf]), identified by its content: "
            "it scores what the other checks leave, and readers' marks are predicted much better; "
            "empty: none"
        ),
    )
    tagger: Unhashed[str] = Field(
        "builtin", description="tagger: 'builtin', an installed spaCy pipeline, or 'none'"
    )


def is_frequent(token: str, frequent: Container[str]) -> bool:
    """Whether a token is a frequent word or a mark. Next to these, grammar limits the options.

    >>> [is_frequent(token, {"the"}) for token in ("The", ",", "ferry")]
    [True, True, False]
    """
    return not is_word(token) or token.casefold() in frequent


class AnswerFault(Reason):
    TOO_LITTLE = ("sentence_too_short", "the sentence has fewer tokens than min_tokens")
    CLASS_NOT_SELECTED = (
        "answer_class_not_selected",
        "the answer's word class is not in focus.classes",
    )
    TAG_DOUBTFUL = ("answer_tag_doubtful", "the tagger's tag of the answer is doubtful")
    COMPOUND = ("answer_in_compound_noun", "the answer is a part of a compound noun")


def is_too_short(tokens: Sequence[str], *, settings: GroomingSettings) -> bool:
    """Whether too few tokens are printed to exclude four impostors (guideline 2).

    >>> tokens = "He took the oars at dusk .".split()
    >>> [is_too_short(tokens, settings=GroomingSettings(min_tokens=n)) for n in (7, 8)]
    [False, True]
    """
    return len(rendered_positions(tokens)) < settings.min_tokens


def answer_fault(
    tags: Sequence[str], position: int, *, classes: Collection[str], has_tag: bool, doubtful: bool
) -> AnswerFault | None:
    """The first fault of an answer that its tag shows; its candidates cannot be judged then.

    `tags` has one tag per printed token. `classes` are required coarse classes (empty: all).
    `doubtful`: a tagger easily confuses the answer with another form.

    >>> sound = {"classes": (), "has_tag": True, "doubtful": False}
    >>> answer_fault(["DT", "NN", "NN", "VBD"], 1, **sound)
    <AnswerFault.COMPOUND: 'answer_in_compound_noun'>
    >>> answer_fault(["DT", "NN", "VBD"], 1, **sound) is None
    True
    """
    tag, following = tags[position], tags[position + 1] if position + 1 < len(tags) else ""
    checks = (
        (AnswerFault.CLASS_NOT_SELECTED, bool(classes) and coarse_class(tag) not in classes),
        (AnswerFault.TAG_DOUBTFUL, not has_tag or doubtful),
        (AnswerFault.COMPOUND, tag in NOUNS and following in NOUNS),
    )
    return next((fault for fault, holds in checks if holds), None)


class CandidateFault(Reason):
    ARTICLE = (
        "candidate_breaks_a_an",
        "'a' or 'an' before the blank does not agree with the candidate",
    )
    FORM_OF_ANSWER = ("candidate_is_form_of_answer", "the candidate is another form of the answer")
    IN_SENTENCE = ("candidate_in_sentence", "the sentence already contains the candidate")
    OFFENSIVE = ("candidate_offensive", "the candidate is a listed offensive word")
    NUMBER_SHAPE = (
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


def word_fault(
    candidate: str,
    *,
    answer: str,
    predecessor: str,
    sentence_stems: Container[str],
    offensive: Container[str],
) -> CandidateFault | None:
    """The first fault of a candidate that needs no tags, or None; `offensive` is case-folded.

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


def dictionary_fault(
    tag: str, *, has_tag: bool, doubtful: bool, same_past_forms: bool
) -> CandidateFault | None:
    """Whether the dictionary excludes a candidate with the answer's tag.

    `same_past_forms`: candidate and answer both have one past form, or both have two.

    >>> dictionary_fault("VBD", has_tag=True, doubtful=False, same_past_forms=False)
    <CandidateFault.TAG_IMPOSSIBLE: 'candidate_never_has_tag'>
    >>> dictionary_fault("NN", has_tag=True, doubtful=False, same_past_forms=False) is None
    True
    """
    unlike = tag in PAST and not same_past_forms
    return CandidateFault.TAG_IMPOSSIBLE if not has_tag or doubtful or unlike else None


def reader_fault(
    fits_as_well: float, ungrammatical: float, *, settings: GroomingSettings
) -> CandidateFault | None:
    """The fault that too many readers are expected to find, or None. Shares of readers are 0 to 1.

    >>> reader_fault(0.3, 0.3, settings=GroomingSettings()), reader_fault(0.001, 0.001, settings=GroomingSettings())
    (<CandidateFault.FITS_AS_WELL: 'candidate_fits_as_well'>, None)
    """
    if fits_as_well >= settings.max_ambiguity:
        return CandidateFault.FITS_AS_WELL
    return CandidateFault.UNGRAMMATICAL if ungrammatical >= settings.max_ungrammatical else None


def _has_digit(word: str) -> bool:
    return not word.isalpha() and any(character.isdigit() for character in word)

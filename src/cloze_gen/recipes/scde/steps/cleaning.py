"""Which collected examinations can be used, and why the others cannot (Kong et al. 2020, 3.2).

Six rules in the paper's order; the first that speaks against a passage is its reason. 14,062 passages with 68,515 blanks came down to 5,959
with 29,731; the paper gives no count a rule.

How we read it. *Duplicate passages*: the same letters and digits with blanks at the same places, whatever the candidates; the first stays,
even if a later rule takes it. *Questions with different results*: the whole passage goes, for its blanks share their candidates. *Missing
or null candidates*: there is no list of candidates, it is empty, or one of it is null or without any text. An answer to a candidate that is
there and is null falls by the fourth rule, not by the third.

Then stray marks are mended: elements of the passage that are full stops, exclamation or question marks alone. Behind a blank such a mark is
dropped, for the candidates bring their own; behind a sentence that lacks its end it is joined to it; elsewhere it is dropped. The paper
does not say what it did with them; its published data still hold them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from string import whitespace

from cloze_gen.notation import named, shown
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.examination import Examination

_MARKS, _CLOSERS = ".!?…", "\"'”’)]"


class Rule(StrEnum):
    """The rules, in the order in which they are asked."""

    DUPLICATE_PASSAGE = "duplicate_passage"
    OCR_READINGS_DISAGREE = "ocr_readings_disagree"
    ANSWER_TO_NO_CANDIDATE = "answer_to_no_candidate"
    MISSING_CANDIDATE = "missing_candidate"
    MORE_BLANKS_THAN_CANDIDATES = "more_blanks_than_candidates"
    MISSING_ANSWER = "missing_answer"


@dataclass(frozen=True, slots=True)
class RejectedExamination:
    """Why an examination cannot be used; `detail` is for a reader."""

    examination: Examination
    rule: Rule
    detail: str


@dataclass(frozen=True, slots=True)
class CleanedExaminations:
    """What is left, and what is not, both in the order in which it came.

    Attributes:
        left: mended; known by their `eid`, or by their place from 0 where not all have one of their own.
        is_numbered_anew: whether they are known by their place.
        marks: stray marks that were mended, of each of `left`.
    """

    left: tuple[BlankedPassage, ...]
    is_numbered_anew: bool
    marks: tuple[int, ...]
    rejected: tuple[RejectedExamination, ...]


def clean(examinations: Iterable[Examination]) -> CleanedExaminations:
    """Ask every examination the six rules, and mend what is left.

    >>> good = Examination(1, 0, ("We left", ".", "<1>", "."), (2,), ("Jane sang.", "It rained."), (1,), None)
    >>> copy = Examination(2, 1, ("We left.", "<1>"), (1,), None, (None,), None)
    >>> found = clean([good, copy])
    >>> found.left[0].sentences, found.marks
    (('We left.', 'It rained.'), (2,))
    >>> found.rejected[0].rule, found.rejected[0].detail
    (<Rule.DUPLICATE_PASSAGE: 'duplicate_passage'>, 'the passage of item 1')
    """
    first_items: dict[str, int] = {}
    kept: list[Examination] = []
    rejected: list[RejectedExamination] = []
    for one in examinations:
        first = first_items.setdefault(_letters(one), one.item)
        found = _fault(one) if first == one.item else (Rule.DUPLICATE_PASSAGE, f"the passage of item {first}")
        if found:
            rejected.append(RejectedExamination(one, *found))
        else:
            kept.append(one)
    eids = {one.eid for one in kept}
    anew = None in eids or len(eids) < len(kept)
    mended = [_mended(one, str(place if anew else one.eid)) for place, one in enumerate(kept)]
    marks = tuple(len(one.sentences) - len(passage.sentences) for one, passage in zip(kept, mended, strict=True))
    return CleanedExaminations(tuple(mended), anew, marks, tuple(rejected))


def _letters(one: Examination) -> str:
    """What two copies of a passage have in common: its letters and digits in small letters, and where its blanks are."""
    blanked = frozenset(one.blanks)
    texts = ("<>" if i in blanked else "".join(filter(str.isalnum, text.casefold())) for i, text in enumerate(one.sentences))
    return "".join(texts)


def _fault(one: Examination) -> tuple[Rule, str] | None:
    """The first rule, of those that look at one passage alone, that speaks against it."""
    numbered = list(enumerate(one.answers, 1))
    if one.second_answers is not None and one.second_answers != one.answers:
        pairs = zip(numbered, one.second_answers, strict=True)
        told = [f"blank {number}: {_told(answer)} or {_told(other)}" for (number, answer), other in pairs if answer != other]
        return Rule.OCR_READINGS_DISAGREE, named(told)
    candidates = one.candidates or ()
    beyond = [f"blank {number}: {shown(answer)}" for number, answer in numbered if answer is not None and not 0 <= answer < len(candidates)]
    if beyond and candidates:
        return Rule.ANSWER_TO_NO_CANDIDATE, f"{named(beyond)}; there are 0 to {len(candidates) - 1}"
    missing = [str(place) for place, text in enumerate(candidates) if not (text or "").strip()]
    if missing or not candidates:
        return Rule.MISSING_CANDIDATE, f"candidate {named(missing)}" if missing else "no candidates"
    if len(one.blanks) > len(candidates):
        return Rule.MORE_BLANKS_THAN_CANDIDATES, f"{len(one.blanks)} blanks, {len(candidates)} candidates"
    unanswered = [str(number) for number, answer in numbered if answer is None]
    return (Rule.MISSING_ANSWER, f"blank {named(unanswered)}") if unanswered else None


def _is_marks(text: str) -> bool:
    return text.strip() != "" and not text.strip(_MARKS + whitespace)


def _is_ended(sentence: str) -> bool:
    return sentence.rstrip().rstrip(_CLOSERS).endswith(tuple(_MARKS))


def _told(answer: int | None) -> str:
    return "none" if answer is None else shown(answer)


def _mended(one: Examination, passage_id: str) -> BlankedPassage:
    """The passage with its answers in their places and without stray marks; asked of an examination that no rule speaks against."""
    candidates = tuple(text for text in one.candidates or () if text is not None)
    answers = tuple(answer for answer in one.answers if answer is not None)
    answer_at = dict(zip(one.blanks, answers, strict=True))
    sentences: list[str] = []
    places: dict[int, int] = {}
    after_blank = False
    for i, text in enumerate(one.sentences):
        if i in answer_at:
            places[i] = len(sentences)
            sentences.append(candidates[answer_at[i]])
            after_blank = True
        elif not _is_marks(text):
            sentences.append(text)
            after_blank = False
        elif sentences and not after_blank and not _is_ended(sentences[-1]):
            sentences[-1] = sentences[-1].rstrip() + text.strip()
    return BlankedPassage(passage_id, tuple(sentences), tuple(places[i] for i in one.blanks), candidates, answers)

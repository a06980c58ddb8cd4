"""Cleaning of collected examinations by six rules, in the paper's order (Kong et al. 2020, 3.2).

Our reading: *duplicate passages* have the same letters, digits and places of blanks; the first is
kept. *Questions with different results* reject the whole passage. *Missing or null candidates* are a
missing list, or a null or empty candidate. Separate punctuation marks are then repaired.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from string import whitespace

from cloze_gen.parsing import name_list, quote
from cloze_gen.records.blanked_passage import BlankedPassage, Examination
from cloze_gen.records.rejection import Reason

_MARKS, _CLOSERS = ".!?…", "\"'”’)]"


class Rule(Reason):
    DUPLICATE_PASSAGE = ("duplicate_passage", "another examination has the same passage")
    OCR_READINGS_DISAGREE = ("ocr_readings_disagree", "two OCR readings of the answers differ")
    ANSWER_WITHOUT_CANDIDATE = (
        "answer_without_candidate",
        "an answer names a candidate that is missing",
    )
    MISSING_CANDIDATE = ("missing_candidate", "a candidate is empty")
    MORE_BLANKS_THAN_CANDIDATES = (
        "more_blanks_than_candidates",
        "there are more blanks than candidates",
    )
    MISSING_ANSWER = ("missing_answer", "a blank has no answer")


@dataclass(frozen=True, slots=True)
class RejectedExamination:
    examination: Examination
    rule: Rule
    detail: str


@dataclass(frozen=True, slots=True)
class CleanedExaminations:
    """Results, in input order.

    Attributes:
        is_renumbered: ids are indices from 0, because an `eid` is missing or repeated.
        marks: repaired punctuation marks of each passage.
    """

    left: tuple[BlankedPassage, ...]
    is_renumbered: bool
    marks: tuple[int, ...]
    rejected: tuple[RejectedExamination, ...]


def clean(examinations: Iterable[Examination]) -> CleanedExaminations:
    """Apply the six rules and repair the examinations that pass.

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
        found = (
            _fault(one)
            if first == one.item
            else (Rule.DUPLICATE_PASSAGE, f"the passage of item {first}")
        )
        if found:
            rejected.append(RejectedExamination(one, *found))
        else:
            kept.append(one)
    eids = {one.eid for one in kept}
    is_renumbered = None in eids or len(eids) < len(kept)
    repaired = [
        _repaired(one, str(place if is_renumbered else one.eid)) for place, one in enumerate(kept)
    ]
    marks = tuple(
        len(one.sentences) - len(passage.sentences)
        for one, passage in zip(kept, repaired, strict=True)
    )
    return CleanedExaminations(tuple(repaired), is_renumbered, marks, tuple(rejected))


def _letters(one: Examination) -> str:
    blanked = frozenset(one.blanks)
    texts = (
        "<>" if i in blanked else "".join(filter(str.isalnum, text.casefold()))
        for i, text in enumerate(one.sentences)
    )
    return "".join(texts)


def _fault(one: Examination) -> tuple[Rule, str] | None:
    numbered = list(enumerate(one.answers, 1))
    if one.second_answers is not None and one.second_answers != one.answers:
        pairs = zip(numbered, one.second_answers, strict=True)
        differences = [
            f"blank {number}: {_answer_text(answer)} or {_answer_text(other)}"
            for (number, answer), other in pairs
            if answer != other
        ]
        return Rule.OCR_READINGS_DISAGREE, name_list(differences)
    candidates = one.candidates or ()
    beyond = [
        f"blank {number}: {quote(answer)}"
        for number, answer in numbered
        if answer is not None and not 0 <= answer < len(candidates)
    ]
    if beyond and candidates:
        return (
            Rule.ANSWER_WITHOUT_CANDIDATE,
            f"{name_list(beyond)}; there are 0 to {len(candidates) - 1}",
        )
    missing = [str(place) for place, text in enumerate(candidates) if not (text or "").strip()]
    if missing or not candidates:
        return (
            Rule.MISSING_CANDIDATE,
            f"candidate {name_list(missing)}" if missing else "no candidates",
        )
    if len(one.blanks) > len(candidates):
        return (
            Rule.MORE_BLANKS_THAN_CANDIDATES,
            f"{len(one.blanks)} blanks, {len(candidates)} candidates",
        )
    unanswered = [str(number) for number, answer in numbered if answer is None]
    return (Rule.MISSING_ANSWER, f"blank {name_list(unanswered)}") if unanswered else None


def _is_marks(text: str) -> bool:
    return text.strip() != "" and not text.strip(_MARKS + whitespace)


def _is_ended(sentence: str) -> bool:
    return sentence.rstrip().rstrip(_CLOSERS).endswith(tuple(_MARKS))


def _answer_text(answer: int | None) -> str:
    return "none" if answer is None else quote(answer)


def _repaired(one: Examination, passage_id: str) -> BlankedPassage:
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
    return BlankedPassage(
        passage_id, tuple(sentences), tuple(places[i] for i in one.blanks), candidates, answers
    )

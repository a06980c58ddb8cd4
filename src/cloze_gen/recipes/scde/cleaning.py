"""Cleaning of collected passages by the rules of Kong et al. 2020, 3.2, in the paper's order.

Our reading: *duplicate passages* have the same letters, digits and places of blanks; the first is
kept. *Missing or null candidates* are a missing list, or a null or empty candidate. The paper's rule
on two OCR readings of an image does not apply: the published layout has one reading. Separate
punctuation marks stay, as in the published files.
"""

from __future__ import annotations

from collections.abc import Iterable

from cloze_gen.formats.scde import CollectedPassage
from cloze_gen.records.blanked_passage import BlankedPassage
from cloze_gen.records.rejection import Reason, first_reason


class Rule(Reason):
    DUPLICATE_PASSAGE = ("duplicate_passage", "an earlier passage has the same text")
    ANSWER_WITHOUT_CANDIDATE = (
        "answer_without_candidate",
        "an answer names a candidate that is missing",
    )
    MISSING_CANDIDATE = (
        "missing_candidate",
        "the list is missing, or a candidate is null or empty",
    )
    MORE_BLANKS_THAN_CANDIDATES = (
        "more_blanks_than_candidates",
        "there are more blanks than candidates",
    )
    MISSING_ANSWER = ("missing_answer", "a blank has no answer")


def clean(
    passages: Iterable[CollectedPassage],
) -> tuple[list[BlankedPassage], list[tuple[CollectedPassage, Rule]]]:
    """The passages that pass, and the others with the first rule that rejects them.

    >>> good = CollectedPassage(1, ["We left.", "<1>", "."], ["Jane sang.", "It rained."], [(1, 1)])
    >>> copy = CollectedPassage(2, ["We left.", "<1>"])
    >>> kept, rejected = clean([good, copy])
    >>> kept[0].sentences, [str(rule) for _, rule in rejected]
    (('We left.', 'It rained.', '.'), ['duplicate_passage'])
    """
    texts: set[str] = set()
    kept: list[BlankedPassage] = []
    rejected: list[tuple[CollectedPassage, Rule]] = []
    for passage in passages:
        text = _letters(passage)
        rule = Rule.DUPLICATE_PASSAGE if text in texts else _broken_rule(passage)
        texts.add(text)
        if rule is None:
            kept.append(_filled(passage))
        else:
            rejected.append((passage, rule))
    return kept, rejected


def _letters(item: CollectedPassage) -> str:
    blanked = frozenset(item.blanks)
    texts = (
        "<>" if i in blanked else "".join(filter(str.isalnum, text.casefold()))
        for i, text in enumerate(item.passage)
    )
    return "".join(texts)


def _broken_rule(item: CollectedPassage) -> Rule | None:
    candidates = item.candidates or []
    known = [answer for answer in item.answers if answer is not None]
    broken = {  # in order of precedence
        Rule.ANSWER_WITHOUT_CANDIDATE: bool(candidates)
        and not all(0 <= answer < len(candidates) for answer in known),
        Rule.MISSING_CANDIDATE: not candidates
        or not all(text and text.strip() for text in candidates),
        Rule.MORE_BLANKS_THAN_CANDIDATES: len(item.blanks) > len(candidates),
        Rule.MISSING_ANSWER: None in item.answers,
    }
    return first_reason(broken)


def _filled(item: CollectedPassage) -> BlankedPassage:
    candidates = tuple(text for text in item.candidates or () if text is not None)
    answers = tuple(answer for answer in item.answers if answer is not None)
    sentences = list(item.passage)
    for blank, answer in zip(item.blanks, answers, strict=True):
        sentences[blank] = candidates[answer]
    return BlankedPassage(str(item.eid), tuple(sentences), item.blanks, candidates, answers)

"""Grooming: of the candidates for a blank the judge picks four impostors, or rejects the sentence (MSR 2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.judging.said import MOST_NOTE_CHARS, line, only, places
from cloze_gen.notation import shown as told

N_PICKED = 4  # MSR 2.3; the published formats hold an answer and four


class RejectReason(StrEnum):
    """Why a sentence with its answer is no question, by the guideline that it breaks."""

    UNGRAMMATICAL = "ungrammatical"
    AMBIGUOUS = "no_four_wrong_ones"
    OFFENSIVE = "offensive"
    TOO_EASY = "too_easy"
    UNCLEAR = "context_too_little"
    BROKEN = "broken_sentence"
    OTHER = "other"


REASONS: Mapping[RejectReason, str] = {
    RejectReason.UNGRAMMATICAL: "The sentence breaks the grammar.",
    RejectReason.AMBIGUOUS: "No four candidates are clearly worse than the answer.",
    RejectReason.OFFENSIVE: "It may offend, or takes sides.",
    RejectReason.TOO_EASY: "Every candidate is absurd at first sight: there is nothing to think about.",
    RejectReason.UNCLEAR: "The sentence tells too little to find the answer.",
    RejectReason.BROKEN: "The sentence is no whole sentence.",
    RejectReason.OTHER: "Something else (say what in the note).",
}


@dataclass(frozen=True, slots=True)
class Guideline:
    """One of the seven guidelines of MSR 2.3, in our words, with an example of ours."""

    number: int
    asks: str
    example: str


GUIDELINES = (
    Guideline(1, "Every option makes a grammatical sentence.",
              "*She lent him an [umbrella]*: not *lantern*, which *an* does not allow, nor *listening*."),
    Guideline(2, "The answer fits clearly better than each of the four. You could say why, and most people would agree.",
              "*They rowed ashore in a small [boat]*: not *skiff*, which does as well; *carriage* is clearly worse, for nobody rows one."),
    Guideline(3, "Nothing that may offend or that people quarrel about.", "*All tinkers are [thieves]*: reject it, whatever is below."),
    Guideline(4, "It should take some thought: at least one impostor looks right until the whole sentence is read.",
              "*Was he her [lodger], her cousin or her father?*: *rain* is wrong at once, *family* only when all are seen to be persons."),
    Guideline(5, "Best are impostors that one must know something of the world to refuse. They are rare.",
              "*The child, barely [six] years old, could not read*: *sixty* is grammatical, and no child."),
    Guideline(6, "Use a dictionary where you are not sure of a word.", "*capstan*, *tocsin*, *palfrey*."),
    Guideline(7, "A sentence is asked once. Reject what you have seen before with another blank, if that one was better.",
                "One sentence, blanks at *ferryman* and at *river*: the better of the two."),
)  # fmt: skip


def seen(item: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """What the judge sees: the candidates in the judge's own order."""
    return {**item, "candidates": [item["candidates"][i] for i in order]}


def taken(said: Any, item: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """What a judge said in places of the list seen, as words in the order of the item.

    Raises:
        FormatError: it is no verdict on these candidates.

    >>> taken({"picked": [0, 1, 2, 3]}, {"candidates": list("abcde")}, [4, 2, 0, 1, 3])
    {'picked': ['a', 'b', 'c', 'e']}
    """
    said = only(said, "picked", "rejected", "note")
    if "picked" in said and "rejected" not in said and not said.get("note"):
        picked = places(said["picked"], len(order), "picked")
        wanted = min(N_PICKED, len(order))
        if len(picked) != wanted:
            raise FormatError(f"picked: expected {wanted} candidates, found {len(picked)}")
        return {"picked": [item["candidates"][i] for i in sorted(order[place] for place in picked)]}
    reason = said.get("rejected")
    if not isinstance(reason, str) or reason not in set(RejectReason) or "picked" in said:
        raise FormatError(f"expected four picked candidates, or rejected as one of {', '.join(RejectReason)}; found {told(dict(said))}")
    return {"rejected": str(RejectReason(reason)), "note": line(said.get("note", ""), "note", most=MOST_NOTE_CHARS)}


def as_seen(said: Mapping[str, Any], item: Mapping[str, Any], order: Sequence[int]) -> dict[str, Any]:
    """What a judge said, in places of the list seen."""
    if "picked" not in said:
        return dict(said)
    place = {item["candidates"][i]: at for at, i in enumerate(order)}
    return {"picked": sorted(place[word] for word in said["picked"])}

"""Grooming: pick four impostors from the candidates, or reject the sentence (MSR 2.3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.tasks.task import (
    Fields,
    Judged,
    JudgingTask,
    Rating,
    Tally,
    Values,
    VerdictsByJudge,
    choice_in_cell,
    fields_of,
    line,
)
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import Task
from cloze_gen.records.rejection import Reason

N_PICKED = 4  # MSR 2.3; the published formats hold an answer and four
FIT, NOT_JUDGED = "fit", "not_judged"
JUDGES_DISAGREE = "judges_disagree"
_MOST_NOTE_CHARS = 200
_QUESTION = """\
The field `text` is a sentence with a gap, `answer` is the original word. Pick {picks} of the numbered candidates as wrong answers for a
test question. Each must be grammatical in the gap. None may fit as well as the answer, in any reading of the sentence. Prefer words that
need some thought or knowledge of the world to exclude over words that are absurd at first sight. Nothing may be offensive. Reject the
item if there are no such words, or if the sentence gives too little context, is broken or is offensive.
Reply {{"picked": [{picks} numbers]}}, or {{"rejected": reason, "note": a few words}} with one of these reasons: {reasons}."""


class RejectReason(Reason):
    UNGRAMMATICAL = ("ungrammatical", "The sentence is ungrammatical.")
    AMBIGUOUS = (
        "too_few_wrong_options",
        "Fewer than four candidates are clearly worse than the answer.",
    )
    OFFENSIVE = ("offensive", "The sentence is offensive or takes sides.")
    TOO_EASY = (
        "too_easy",
        "All candidates are absurd at first sight (too easy).",
    )
    UNCLEAR = ("context_insufficient", "The sentence gives too little context to find the answer.")
    BROKEN = ("broken_sentence", "The sentence is not a whole sentence.")
    OTHER = ("other", "Something else (explain it in the note).")


REASONS: Mapping[RejectReason, str] = {reason: reason.legend for reason in RejectReason}


@dataclass(frozen=True, slots=True)
class Guideline:
    """One of the seven guidelines of MSR 2.3, in our words and with our example."""

    number: int
    rule: str
    example: str


GUIDELINES = (
    Guideline(1, "Every option makes a grammatical sentence.",
              "*She lent him an [umbrella]*: not *lantern*, because of *an*, and not *listening*."),
    Guideline(2, "The answer fits clearly better than each of the four. You can explain why, and most people "
        "would agree.",
              "*They rowed ashore in a small [boat]*: not *skiff*, which fits as well. "
                  "*Carriage* is clearly worse: you cannot row one."),
    Guideline(3, "Pick nothing offensive or controversial.", "*All tinkers are [thieves]*: reject it, even if the candidates are good."),
    Guideline(4, "The question needs some thought: at least one wrong option looks right until you have read "
        "the whole sentence.",
              "*Was he her [lodger], her cousin or her father?*: *rain* is wrong at once. "
                  "*Family* looks right until you see that all the others are persons."),
    Guideline(5, "The best wrong options need knowledge of the world to exclude. They are rare.",
              "*The child, barely [six] years old, could not read*: *sixty* is grammatical, "
                  "but no child is sixty."),
    Guideline(6, "Look up words that you are not sure of.", "*capstan*, *tocsin*, *palfrey*."),
    Guideline(7, "Use each sentence once. If you have seen it with a better blank, reject it.",
                "One sentence, blanks at *ferryman* and at *river*: keep the better one."),
)  # fmt: skip

# The key of each reason on the page, a letter that is not used otherwise.
_REASON_KEYS: Mapping[RejectReason, str] = {
    RejectReason.UNGRAMMATICAL: "g",
    RejectReason.AMBIGUOUS: "n",
    RejectReason.OFFENSIVE: "o",
    RejectReason.TOO_EASY: "a",
    RejectReason.UNCLEAR: "l",
    RejectReason.BROKEN: "w",
    RejectReason.OTHER: "x",
}


class Groom(JudgingTask):
    """A response is ``{"picked": [four words]}`` or ``{"rejected": reason, "note": text}``."""

    name = Task.GROOM
    title = "Four wrong options"
    instruction = (
        "Pick the four candidates that make the best wrong options for the blank, or reject the "
        "sentence."
    )
    questions: ClassVar[Mapping[str, str]] = {
        "kept": "is the item kept or rejected?",
        "picked": "is this candidate one of the four? (judges who kept the item)",
    }
    main_question = "picked"
    unused_options = ()
    choice = "picked"

    def n_ordered(self, item: Values) -> int:
        return len(item["candidates"])

    def seen(self, item: Values, order: Sequence[int], condition: str) -> Fields:
        return {**item, "candidates": [item["candidates"][i] for i in order]}

    def parse(self, response: Any, item: Values, condition: str) -> Fields:
        """
        >>> GROOM.parse({"picked": ["e", "b", "a", "c"]}, {"candidates": list("abcde")}, "")
        {'picked': ['a', 'b', 'c', 'e']}
        """
        response = fields_of(response, "picked", "rejected", "note")
        if "picked" in response and "rejected" not in response and not response.get("note"):
            return {"picked": _picked(response["picked"], item["candidates"])}
        reason = response.get("rejected")
        if reason not in list(RejectReason) or "picked" in response:
            raise FormatError(
                "expected `picked` with four candidates, or `rejected` with one of "
                f"{', '.join(RejectReason)}; found {quote(dict(response))}"
            )
        return {
            "rejected": str(reason),
            "note": line(response.get("note", ""), "note", most=_MOST_NOTE_CHARS),
        }

    def ratings(self, one: Judged) -> Iterator[Rating]:
        """A rejection rates no candidates."""
        kept = "picked" in one.verdict
        yield "kept", (), "kept" if kept else "rejected"
        if kept:
            picked = set(one.verdict["picked"])
            for word in one.item.shown["candidates"]:
                yield "picked", (word,), "picked" if word in picked else "left"

    def tally(self, one: Judged) -> Tally:
        return {"rejected": (int("rejected" in one.verdict), 1)}

    def in_both_orders(self, first: Values, other: Values) -> Fields | None:
        """None if only one verdict rejects the item; else the words that both picked, which may be
        fewer than four.

        >>> GROOM.in_both_orders({"picked": ["a", "b", "c", "d"]}, {"picked": ["b", "c", "d", "e"]})
        {'picked': ['b', 'c', 'd']}
        """
        if ("picked" in first) != ("picked" in other):
            return None
        if "picked" not in first:
            return dict(first)
        return {"picked": [word for word in first["picked"] if word in other["picked"]]}

    def page(self, seen: Values) -> Fields:
        return {
            "reasons": [(reason, words, _REASON_KEYS[reason]) for reason, words in REASONS.items()],
            "guidelines": GUIDELINES,
            "refused": {
                word
                for word, verdict in (seen.get("machine") or {}).items()
                if verdict not in {FIT, NOT_JUDGED}
            },
            "widest": max(seen["candidates"], key=len, default=""),
            "wanted": min(N_PICKED, len(seen["candidates"])),
        }

    def cells(self, seen: Values) -> dict[str, str]:
        listed = "; ".join(f"{n} {word}" for n, word in enumerate(seen["candidates"], 1))
        machine = {"machine": _machine(seen)} if seen.get("machine") else {}
        return {"word": seen["answer"], "candidates": listed, **machine}

    def columns(self, seen: Values) -> list[str]:
        return [*(f"pick_{n}" for n in range(1, N_PICKED + 1)), "reject", "note"]

    def from_cells(self, cells: Mapping[str, str], seen: Values, where: str) -> Fields:
        picks = {
            column: cell for column, cell in cells.items() if column.startswith("pick_") and cell
        }
        if cells["reject"]:
            if picks:
                raise FormatError(
                    f"{where}: the item is rejected but has picks. Leave one of the two empty"
                )
            reason = re.sub(r"[\s\-]+", "_", cells["reject"].casefold())
            return {"rejected": reason, "note": cells["note"]}
        if len(picks) != N_PICKED:
            raise FormatError(
                f"{where}: {len(picks)} of {N_PICKED} are picked. Pick four, or write a reason in "
                "`reject`"
            )
        return {
            "picked": [
                seen["candidates"][choice_in_cell(cell, seen["candidates"], f"{where}, {column}")]
                for column, cell in picks.items()
            ]
        }

    def question(self, seen: Values) -> str:
        return _QUESTION.format(picks=N_PICKED, reasons=", ".join(RejectReason))

    def prompt_data(self, seen: Values) -> Fields:
        data = super().prompt_data(seen)
        machine = {"machine": seen["machine"]} if seen.get("machine") else {}
        return {"text": data.pop("text"), "answer": seen["answer"], **machine, **data}

    def from_reply(self, reply: Values, seen: Values) -> Fields:
        """Candidates are numbers from 1, or words."""
        response = dict(reply)
        if response.get("note", "") is None:
            response["note"] = ""
        words, picked = seen["candidates"], response.get("picked")
        if isinstance(picked, list):
            response["picked"] = [
                words[name - 1] if type(name) is int and 1 <= name <= len(words) else name
                for name in picked
            ]
        return response


GROOM = Groom()


@dataclass(frozen=True, slots=True)
class Groomed:
    """The result of an item. A majority is more than half.

    `verdict`: "fit", a reason, or "judges_disagree": no majority, or too few candidates that a
    majority of those who kept the item picked. `picked` and `votes`: best forward score first.
    """

    verdict: str
    picked: tuple[str, ...]
    votes: Mapping[str, int]
    judges: int


def groomed(responses: VerdictsByJudge, *, candidates: Sequence[str]) -> Groomed:
    """An item's result, by majority of the judges.

    Of equally frequent reasons the first in `RejectReason` counts. If a majority picked more than
    four candidates, those with the most votes are taken, then those with the better score
    (`candidates`: best first).

    Raises:
        UsageError: the item has no verdicts.

    >>> responses = {"ann": {"picked": ["a", "b", "c", "d"]}, "bob": {"picked": ["b", "c", "d", "e"]},
    ...     "cyd": {"picked": ["a", "c", "d", "e"]}}
    >>> groomed(responses, candidates="edcbaf").picked
    ('e', 'd', 'c', 'b')
    >>> groomed({"ann": {"rejected": "offensive"}, "bob": responses["bob"]}, candidates="edcbaf").verdict
    'judges_disagree'
    """
    if not responses:
        raise UsageError("an item without verdicts has no result; leave it out")
    votes = _votes(responses.values(), candidates)
    verdict, picked = _by_most(responses, votes)
    rank = {word: place for place, word in enumerate(candidates)}
    return Groomed(
        verdict,
        tuple(sorted(picked, key=rank.__getitem__)),
        votes,
        len(responses),
    )


def _by_most(responses: VerdictsByJudge, votes: Mapping[str, int]) -> tuple[str, Sequence[str]]:
    given = [RejectReason(one["rejected"]) for one in responses.values() if "rejected" in one]
    kept = len(responses) - len(given)
    if len(given) > kept:
        return max(RejectReason, key=given.count), ()  # the first of equals
    picked = [word for word, count in votes.items() if 2 * count > kept][:N_PICKED]
    return (FIT, picked) if kept > len(given) and len(picked) == N_PICKED else (JUDGES_DISAGREE, ())


def _votes(responses: Iterable[Mapping[str, Any]], candidates: Sequence[str]) -> dict[str, int]:
    counts = Counter(word for one in responses for word in one.get("picked", ()))
    return {
        word: counts[word]
        for word in sorted(
            (word for word in candidates if counts[word]), key=lambda word: -counts[word]
        )
    }


def _picked(picked: Any, candidates: Sequence[str]) -> list[str]:
    """The picked words in the order of the candidates, else FormatError."""
    wanted = min(N_PICKED, len(candidates))
    for word in picked if isinstance(picked, list) else ():
        if word not in candidates:
            raise FormatError(
                f"picked: {quote(word)} is not a candidate. Write the word, or a number from 1 to "
                f"{len(candidates)}"
            )
    words = [word for word in candidates if word in picked] if isinstance(picked, list) else []
    if len(words) != wanted or len(picked) != wanted:
        raise FormatError(f"picked: expected {wanted} different candidates, found {quote(picked)}")
    return words


def _machine(seen: Values) -> str:
    return "; ".join(f"{word}: {verdict}" for word, verdict in (seen.get("machine") or {}).items())

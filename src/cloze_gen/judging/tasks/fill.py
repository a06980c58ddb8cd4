"""Filling blanks: put candidate sentences into a passage, each at most once (SCDE 5.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from cloze_gen.errors import FormatError
from cloze_gen.judging.tasks.task import (
    GAP,
    READS_CHECK,
    CheckMaterial,
    Control,
    Fields,
    FormValues,
    Judged,
    JudgingTask,
    Rating,
    Tally,
    Values,
    VerdictsByJudge,
    VoteSummary,
    aliased,
    choice_in_cell,
    choice_in_form,
    each_or_one,
    fields_of,
    only_value,
    places,
)
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import Task

_QUESTION = """\
The field `text` is a passage with numbered gaps, `candidates` are numbered sentences. Which sentence belongs in which gap? Use each at most
once; some may be left over.
Reply {{"fills": [{blanks} numbers of sentences, the one in gap 1 first]}}."""


class Fill(JudgingTask):
    """A response is ``{"fills": [index of the sentence in each blank]}``."""

    name = Task.FILL
    title = "The missing sentences"
    instruction = "Fill every blank with a candidate. Use each once at most; some are left over."
    fields = ("instruction", "parts", "candidates")
    questions: ClassVar[Mapping[str, str]] = {"blank": "which candidate fills this blank?"}
    main_question = "blank"
    choice, positions = "fills", ("fills",)

    def parse(self, response: Any, item: Values, order: Sequence[int], condition: str) -> Fields:
        """
        >>> item = {"parts": [{"blank": 1}, "He slept.", {"blank": 2}],
        ...     "candidates": ["A.", "B.", "C."]}
        >>> FILL.parse({"fills": [2, 0]}, item, (), "")
        {'fills': [2, 0]}
        """
        fills, n = fields_of(response, "fills").get("fills"), self.n_fields(item)
        if not isinstance(fills, Sequence) or isinstance(fills, str | bytes) or len(fills) != n:
            raise FormatError(f"fills: expected one candidate for each of the {n} blanks")
        places(fills, len(item["candidates"]), "fills")
        return {"fills": list(fills)}

    def placeholder_item(self, response: Any) -> Values:
        fills = response.get("fills") if isinstance(response, Mapping) else None
        parts: list[Values] = [{} for _ in fills] if isinstance(fills, list) else []
        return {**super().placeholder_item(response), "parts": parts}

    def attention(self, of: CheckMaterial) -> tuple[Fields, Fields]:
        fills, letters = list(of.order[:3]), "ABCDEFGH"
        first, second, third = (letters[place] for place in fills)
        return {
            "instruction": f"{READS_CHECK} put {first} into the first blank, {second} into the "
            f"second, {third} into the third.",
            "parts": ["First:", {"blank": 1}, "Then:", {"blank": 2}, "And last:", {"blank": 3}],
            "candidates": list(of.sentences),
        }, {"fills": fills}

    def ratings(self, one: Judged) -> Iterator[Rating]:
        for blank, candidate in enumerate(one.verdict["fills"], 1):
            if candidate is not None:
                yield "blank", (str(blank),), str(candidate + 1)

    def tally(self, one: Judged) -> Tally:
        """
        >>> FILL.tally(Judged({"fills": [2, 1]}, {}, {"answers": [2, 0]}, "", str.__eq__))
        {'blanks right': (1, 2), 'passages right': (0, 1)}
        """
        if "answers" not in one.key:
            return {}
        right = _n_same(one.verdict["fills"], one.key["answers"])
        n = len(one.key["answers"])
        return {"blanks right": (right, n), "passages right": (int(right == n), 1)}

    def repeat_tally(self, first: Values, again: Values) -> Tally:
        return {"blanks": (_n_same(first["fills"], again["fills"]), len(first["fills"]))}

    def in_both_orders(self, first: Values, other: Values) -> Fields | None:
        """A blank without the same candidate in both is None, and counts as wrong."""
        pairs = zip(first["fills"], other["fills"], strict=True)
        return {"fills": [one if one == another else None for one, another in pairs]}

    def passes_check(self, expected: Values, verdict: Values) -> bool:
        """The order of fills matters."""
        return list(expected["fills"]) == list(verdict["fills"])

    def open_reason(self, verdicts: VerdictsByJudge) -> str:
        """
        >>> FILL.open_reason({"ann": {"fills": [0, 1]}, "bob": {"fills": [0, 2]}})
        'no majority for blank 2'
        """
        blanks = [
            f"{blank}"
            for blank, fills in enumerate(
                zip(*(one["fills"] for one in verdicts.values()), strict=True), 1
            )
            if 2 * max(Counter(fills).values()) <= len(verdicts)
        ]
        return f"no majority for blank {', '.join(blanks)}" if blanks else ""

    def summarize(self, votes: Sequence[Values]) -> VoteSummary:
        blanks = zip(*(vote["fills"] for vote in votes), strict=True)
        words = [
            ", ".join(f"{chr(ord('A') + place)} {n}" for place, n in Counter(blank).most_common())
            for blank in blanks
        ]
        return VoteSummary(
            len(votes), more=[f"blank {number}: {one}" for number, one in enumerate(words, 1)]
        )

    def text(self, seen: Values) -> str:
        """
        >>> FILL.text({"parts": ["It rained.", {"blank": 1}, "We left."]})
        'It rained. (1) _____ We left.'
        """
        text = ""
        for part in seen["parts"]:
            piece = part if isinstance(part, str) else f"({part['blank']}) {GAP}"
            apart = text and piece and not text[-1].isspace() and not piece[0].isspace()
            text += f" {piece}" if apart else piece
        return text

    def n_fields(self, item: Values) -> int:
        return sum(not isinstance(part, str) for part in item["parts"])

    def cells(self, seen: Values) -> dict[str, str]:
        listed = [f"{n} {sentence}" for n, sentence in enumerate(seen["candidates"], 1)]
        return {"candidates": "\n".join(listed)}

    def columns(self, seen: Values) -> list[str]:
        return [f"blank_{n}" for n in range(1, self.n_fields(seen) + 1)]

    def from_cells(self, cells: Mapping[str, str], seen: Values, where: str) -> Fields:
        empty = [column for column, cell in cells.items() if not cell]
        if empty:
            raise FormatError(
                f"{where}: {empty[0]} is empty. Fill all blanks, or leave all empty to skip the "
                "item"
            )
        return {
            "fills": [
                choice_in_cell(cell, seen["candidates"], f"{where}, {column}")
                for column, cell in cells.items()
            ]
        }

    def controls(self, n: int) -> list[Control]:
        return [
            Control(
                (f"blank_{gap}",), f"Which sentence belongs in gap {gap}?", choices="$candidates"
            )
            for gap in range(1, n + 1)
        ]

    def form_data(self, seen: Values) -> Fields:
        return {"candidates": aliased(seen["candidates"])}

    def to_form(self, verdict: Values) -> dict[str, list[str]]:
        return {f"blank_{n}": [str(index + 1)] for n, index in enumerate(verdict["fills"], 1)}

    def from_form(self, values: FormValues, seen: Values, where: str) -> Fields:
        return {
            "fills": [
                choice_in_form(only_value(values, column, where), seen["candidates"], where)
                for column in self.columns(seen)
            ]
        }

    def question(self, seen: Values) -> str:
        return _QUESTION.format(blanks=self.n_fields(seen))

    def from_reply(self, reply: Values, seen: Values) -> Fields:
        """Sentences may be given by number from 1 or by text."""
        listed = list(seen["candidates"])

        def index(name: Any) -> Any:
            if type(name) is int:
                return name - 1 if name > 0 else quote(name)
            return listed.index(name) if name in listed else quote(name)

        return {**reply, "fills": each_or_one(reply.get("fills"), index)}


FILL = Fill()


def _n_same(fills: Sequence[int], others: Sequence[int]) -> int:
    return sum(one == other for one, other in zip(fills, others, strict=True))

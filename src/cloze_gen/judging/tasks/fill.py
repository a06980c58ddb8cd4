"""Filling blanks: put candidate sentences into a passage, each at most once (SCDE 5.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from cloze_gen.errors import FormatError
from cloze_gen.judging.tasks.task import (
    GAP,
    Fields,
    Judged,
    JudgingTask,
    Rating,
    Tally,
    Values,
    choice_in_cell,
    each_or_one,
    fields_of,
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
    questions: ClassVar[Mapping[str, str]] = {"blank": "which candidate fills this blank?"}
    main_question = "blank"
    choice, positions = "fills", ("fills",)

    def parse(self, response: Any, item: Values, condition: str) -> Fields:
        """
        >>> item = {"parts": [{"blank": 1}, "He slept.", {"blank": 2}],
        ...     "candidates": ["A.", "B.", "C."]}
        >>> FILL.parse({"fills": [2, 0]}, item, "")
        {'fills': [2, 0]}
        """
        fills, n = fields_of(response, "fills").get("fills"), self.n_blanks(item)
        if not isinstance(fills, Sequence) or isinstance(fills, str | bytes) or len(fills) != n:
            raise FormatError(f"fills: expected one candidate for each of the {n} blanks")
        places(fills, len(item["candidates"]), "fills")
        return {"fills": list(fills)}

    def placeholder_item(self, response: Any) -> Values:
        fills = response.get("fills") if isinstance(response, Mapping) else None
        parts: list[Values] = [{} for _ in fills] if isinstance(fills, list) else []
        return {**super().placeholder_item(response), "parts": parts}

    def ratings(self, one: Judged) -> Iterator[Rating]:
        for blank, candidate in enumerate(one.verdict["fills"], 1):
            if candidate is not None:
                yield "blank", (str(blank),), str(candidate + 1)

    def tally(self, one: Judged) -> Tally:
        """
        >>> from cloze_gen.records.judgement import StudyItem
        >>> item = StudyItem("i", (), {}, {"answers": [2, 0]}, "mine")
        >>> FILL.tally(Judged(item, "ann", {"fills": [2, 1]}))
        {'blanks right': (1, 2), 'passages right': (0, 1)}
        """
        if "answers" not in one.item.key:
            return {}
        right = _n_same(one.verdict["fills"], one.item.key["answers"])
        n = len(one.item.key["answers"])
        return {"blanks right": (right, n), "passages right": (int(right == n), 1)}

    def in_both_orders(self, first: Values, other: Values) -> Fields | None:
        """A blank without the same candidate in both is None, and counts as wrong."""
        pairs = zip(first["fills"], other["fills"], strict=True)
        return {"fills": [one if one == another else None for one, another in pairs]}

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

    def n_blanks(self, item: Values) -> int:
        return sum(not isinstance(part, str) for part in item["parts"])

    def cells(self, seen: Values) -> dict[str, str]:
        listed = [f"{n} {sentence}" for n, sentence in enumerate(seen["candidates"], 1)]
        return {"candidates": "\n".join(listed)}

    def columns(self, seen: Values) -> list[str]:
        return [f"blank_{n}" for n in range(1, self.n_blanks(seen) + 1)]

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

    def question(self, seen: Values) -> str:
        return _QUESTION.format(blanks=self.n_blanks(seen))

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

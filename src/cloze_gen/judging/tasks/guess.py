"""Guessing the last word of a passage, or of its last sentence only (LAMBADA 3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from cloze_gen.errors import FormatError
from cloze_gen.judging.tasks.task import (
    Fields,
    Judged,
    JudgingTask,
    Rating,
    Tally,
    Values,
    fields_of,
    line,
)
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import Task

_NO_IDEA = "-"
_DASHES = {_NO_IDEA, "–", "—", "−"}  # spreadsheets replace a dash by these
_MOST_GUESS_CHARS = 100
_QUESTION = """\
A word is missing from `text`, where the gap is. Which word fills the gap?
Reply {{"guesses": [{expected}]}}, or an empty list if you have no idea."""


class Guess(JudgingTask):
    """A response is ``{"guesses": [words]}``; an empty list means *no idea*."""

    name = Task.GUESS
    title = "The missing word"
    instruction = "Write the word that is missing at the end."
    questions: ClassVar[Mapping[str, str]] = {
        "passage": "is the word guessed from the passage?",
        "sentence": "is the word guessed from the sentence only?",
    }
    main_question = "passage"
    alpha_note = (
        " Alpha matters little for guesses: a second reader gets a passage only if the first was "
        "right, and the sentence goes to readers until one is right."
    )
    conditions = ("passage", "sentence")
    unused_options = ("draw", "show_machine", "each")

    def seen(self, item: Values, order: Sequence[int], condition: str) -> Fields:
        """
        >>> item = {"passage": "Rain fell. A _____.", "sentence": "A _____.",
        ...     "guesses": {"passage": 1, "sentence": 3}}
        >>> GUESS.seen(item, (), "sentence")
        {'text': 'A _____.', 'guesses': 3}
        """
        return {"text": item[condition], "guesses": item["guesses"][condition]}

    def parse(self, response: Any, item: Values, condition: str) -> Fields:
        """A guess is one word, like every target.

        >>> GUESS.parse({"guesses": [" lamp", ""]}, {"guesses": {"sentence": 3}}, "sentence")
        {'guesses': ['lamp']}
        """
        guesses, most = fields_of(response, "guesses").get("guesses"), item["guesses"][condition]
        if (
            not isinstance(guesses, Sequence)
            or isinstance(guesses, str | bytes)
            or len(guesses) > most
        ):
            raise FormatError(f"guesses: expected a list of at most {most} words")
        texts = [line(guess, "guess", most=_MOST_GUESS_CHARS) for guess in guesses]
        for text in texts:
            if " " in text:
                raise FormatError(f"guess: expected one word, found {quote(text)}")
        return {"guesses": [text for text in texts if text not in {"", _NO_IDEA}]}

    def ratings(self, one: Judged) -> Iterator[Rating]:
        for right, _ in self.tally(one).values():
            yield one.condition, (), "right" if right else "wrong"

    def tally(self, one: Judged) -> Tally:
        if "target" not in one.item.key:
            return {}
        right = any(one.is_right(guess, one.item.key["target"]) for guess in one.verdict["guesses"])
        return {f"{one.condition}, right": (int(right), 1)}

    def text(self, seen: Values) -> str:
        return str(seen["text"])

    def columns(self, seen: Values) -> list[str]:
        return [f"guess_{n}" for n in range(1, seen["guesses"] + 1)]

    def from_cells(self, cells: Mapping[str, str], seen: Values, where: str) -> Fields:
        return {"guesses": [cell for cell in cells.values() if cell and cell not in _DASHES]}

    def question(self, seen: Values) -> str:
        most = seen["guesses"]
        expected = f"at most {most} words, the likeliest first" if most > 1 else "the word"
        return _QUESTION.format(expected=expected)


GUESS = Guess()

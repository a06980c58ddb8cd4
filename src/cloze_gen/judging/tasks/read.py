"""Reading: answer a five-option question and mark its faults; its set is hidden (MSR 4.4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.tasks.task import (
    LETTERS,
    Fields,
    Judged,
    JudgingTask,
    Rating,
    Tally,
    Values,
    VerdictsByJudge,
    each_or_one,
    fields_of,
    places,
    truth,
)
from cloze_gen.parsing import quote
from cloze_gen.records.judgement import Task

_MARKS = {"fits_as_well": "fitting as well", "ungrammatical": "ungrammatical"}  # of options
_FLAGS = ("broken", "trivial")  # of the question
_YES = {"x", "yes", "y", "1", "true"}
_NO = {"", "no", "n", "0", "false", "-", "–", "—", "−"}  # spreadsheets replace a dash by these
_QUESTION = """\
The field `text` is a sentence with a gap, `options` are words for it. Which one did the author write? Also list all others that fit as well
and all that are ungrammatical in the gap. State whether the sentence itself is broken, and whether the question is trivial, that is, all
other options are absurd at first sight.
Reply {"answer": letter, "fits_as_well": [letters], "ungrammatical": [letters], "broken": true or false, "trivial": true or false};
the answer may be null if the sentence is broken."""


class Read(JudgingTask):
    """A response is ``{"answer": index or null, "fits_as_well": [indices], "ungrammatical":
    [indices], "broken": bool, "trivial": bool}``.
    """

    name = Task.READ
    title = "The right word"
    instruction = (
        "Choose the word that belongs in the blank. Then mark the faults of the other options."
    )
    questions: ClassVar[Mapping[str, str]] = {
        "answer": "which option is the answer?",
        "fits as well": "does this option fit as well as the one chosen?",
        "ungrammatical": "does this option break the grammar?",
        "broken": "is the sentence broken?",
        "trivial": "are the other options absurd at first sight?",
    }
    main_question = "answer"
    choice, positions, choices_field = "answer", ("answer", *_MARKS), "options"

    def parse(self, response: Any, item: Values, condition: str) -> Fields:
        """
        >>> response = {"answer": 0, "fits_as_well": [1]}
        >>> READ.parse(response, {"options": ["boat", "skiff", "hat"]}, "")
        {'answer': 0, 'fits_as_well': [1], 'ungrammatical': [], 'broken': False, 'trivial': False}
        """
        response, n = fields_of(response, "answer", *_MARKS, *_FLAGS), len(item["options"])
        broken, trivial = (truth(response.get(flag, False), flag) for flag in _FLAGS)
        answer = response.get("answer")
        marks = {name: places(response.get(name, []), n, name) for name in _MARKS}
        if answer is None and not broken:
            raise FormatError("answer: choose an option, or mark the question as broken")
        if answer is not None:
            places([answer], n, "answer")
            for name, marked in marks.items():
                if answer in marked:
                    raise FormatError(f"{name}: cannot contain the answer itself")
        if trivial and marks["fits_as_well"]:
            raise FormatError("trivial: not possible with an option that fits as well")
        return {"answer": answer, **marks, "broken": broken, "trivial": trivial}

    def ratings(self, one: Judged) -> Iterator[Rating]:
        """Without an answer only *broken* is rated; *fits as well* skips the chosen option."""
        yield "broken", (), _yes(one.verdict["broken"])
        answer = one.verdict["answer"]
        if answer is None:
            return
        yield "answer", (), str(answer + 1)
        yield "trivial", (), _yes(one.verdict["trivial"])
        for option in range(len(one.item.shown["options"])):
            part = (str(option + 1),)
            if option != answer:
                yield "fits as well", part, _mark(option in one.verdict["fits_as_well"])
            yield "ungrammatical", part, _mark(option in one.verdict["ungrammatical"])

    def tally(self, one: Judged) -> Tally:
        """*right* is counted if the key has the answer; marks are counted once per item."""
        found = {"broken": (int(one.verdict["broken"]), 1)}
        if one.verdict["answer"] is None:
            return found
        if "answer" in one.item.key:
            found["right"] = (int(one.verdict["answer"] == one.item.key["answer"]), 1)
        found["fits as well"] = (int(bool(one.verdict["fits_as_well"])), 1)
        found["ungrammatical"] = (int(bool(one.verdict["ungrammatical"])), 1)
        found["trivial"] = (int(one.verdict["trivial"]), 1)
        return found

    def in_both_orders(self, first: Values, other: Values) -> Fields | None:
        """None if the answers differ; else the marks of both.

        >>> one = {"answer": 0, "fits_as_well": [1, 2], "ungrammatical": [], "broken": False,
        ...     "trivial": False}
        >>> READ.in_both_orders(one, {**one, "fits_as_well": [2], "broken": True})["fits_as_well"]
        [2]
        """
        if first["answer"] != other["answer"]:
            return None
        marks = {name: sorted(set(first[name]) & set(other[name])) for name in _MARKS}
        flags = {flag: first[flag] and other[flag] for flag in _FLAGS}
        return {"answer": first["answer"], **marks, **flags}

    def cells(self, seen: Values) -> dict[str, str]:
        return dict(zip(LETTERS, seen["options"], strict=False))

    def columns(self, seen: Values) -> list[str]:
        return ["answer", *_MARKS, *_FLAGS]

    def from_cells(self, cells: Mapping[str, str], seen: Values, where: str) -> Fields:
        options = seen["options"]
        answer = _whole_option(options, cells["answer"])
        if answer is None:
            letters = _letters(options, cells["answer"], f"{where}, answer")
            if len(letters) > 1:
                raise FormatError(
                    f"{where}, answer: expected one letter, found {quote(cells['answer'])}. Write "
                    "the others in `fits_as_well`"
                )
            answer = letters[0] if letters else None
        marks = {name: _letters(options, cells[name], f"{where}, {name}") for name in _MARKS}
        flags = {flag: _is_marked(cells[flag], f"{where}, {flag}") for flag in _FLAGS}
        if answer is None and not flags["broken"]:
            raise FormatError(
                f"{where}: the answer is missing. Write a letter, or mark the question as broken"
            )
        return _without_answer({"answer": answer, **marks, **flags})

    def question(self, seen: Values) -> str:
        return _QUESTION

    def prompt_data(self, seen: Values) -> Fields:
        options = dict(zip(LETTERS, seen["options"], strict=False))
        return {"text": self.text(seen), "options": options}

    def from_reply(self, reply: Values, seen: Values) -> Fields:
        """Numbers are refused: the model might count from 0 or from 1."""

        def index(name: Any) -> Any:
            found = _option(seen["options"], name) if isinstance(name, str) else None
            return found if found is not None or name is None else quote(name)

        fields = [field for field in ("answer", *_MARKS) if field in reply]
        return _without_answer(
            {**reply, **{field: each_or_one(reply[field], index) for field in fields}}
        )


READ = Read()


@dataclass(frozen=True, slots=True)
class ReadItem:
    """The result of an item, by majority (more than half) of the readers.

    `answer`: None if two options tie or no reader chose one. Marks except `broken` are by majority
    of the readers who chose an answer.
    """

    answer: int | None
    fits_as_well: tuple[int, ...]
    ungrammatical: tuple[int, ...]
    broken: bool
    trivial: bool
    votes: Mapping[int, int]
    judges: int


def read_item(responses: VerdictsByJudge) -> ReadItem:
    """An item's result, by majority of the readers.

    >>> one = {"answer": 2, "fits_as_well": [0], "ungrammatical": [], "broken": False,
    ...     "trivial": False}
    >>> found = read_item({"ann": one, "bob": one, "cyd": {**one, "answer": 0, "fits_as_well": []}})
    >>> found.answer, found.fits_as_well, found.votes
    (2, (0,), {0: 1, 2: 2})
    """
    if not responses:
        raise UsageError("an item without verdicts has no result; leave it out")
    verdicts = list(responses.values())
    answered = [one for one in verdicts if one["answer"] is not None]
    votes = _answers(verdicts)
    return ReadItem(
        _leader(votes),
        _marked_by_most(answered, "fits_as_well"),
        _marked_by_most(answered, "ungrammatical"),
        broken=_most(one["broken"] for one in verdicts),
        trivial=_most(one["trivial"] for one in answered),
        votes=votes,
        judges=len(responses),
    )


def _answers(responses: Iterable[Mapping[str, Any]]) -> dict[int, int]:
    return dict(
        sorted(Counter(one["answer"] for one in responses if one["answer"] is not None).items())
    )


def _leader(votes: Mapping[int, int]) -> int | None:
    best = [option for option, count in votes.items() if count == max(votes.values())]
    return best[0] if len(best) == 1 else None


def _marked(answered: Sequence[Mapping[str, Any]], name: str) -> dict[int, int]:
    return dict(sorted(Counter(option for one in answered for option in set(one[name])).items()))


def _marked_by_most(answered: Sequence[Mapping[str, Any]], name: str) -> tuple[int, ...]:
    return tuple(
        option for option, count in _marked(answered, name).items() if 2 * count > len(answered)
    )


def _most(values: Iterable[bool]) -> bool:
    listed = list(values)
    return 2 * sum(listed) > len(listed)


def _option(options: Sequence[str], name: str) -> int | None:
    """The index of the option with this letter or text, or None.

    >>> options = ["cat", "owl"]
    >>> _option(options, "B"), _option(options, "owl"), _option(options, "c")
    (1, 1, None)
    """
    letter = LETTERS[: len(options)].find(name.strip().casefold()) if len(name.strip()) == 1 else -1
    return letter if letter >= 0 else options.index(name) if name in options else None


def _without_answer(response: Fields) -> Fields:
    """Removes the answer from `fits_as_well`: "b, and b and d fit" means d."""
    fits = response.get("fits_as_well")
    if isinstance(fits, list):
        answer = response.get("answer")
        response["fits_as_well"] = [one for one in fits if one != answer or type(one) is not int]
    return response


def _whole_option(options: Sequence[str], cell: str) -> int | None:
    """The index of the option with the text of a cell; a valid letter counts as a letter."""
    texts = [option.strip().casefold() for option in options]
    if cell.casefold() in [*LETTERS[: len(texts)]] or texts.count(cell.casefold()) != 1:
        return None
    return texts.index(cell.casefold())


def _letters(options: Sequence[str], cell: str, where: str) -> list[int]:
    """Indices of options named by letters, with or without separators."""
    letters = re.sub(r"[\s,;/.()&+\-–—−]", "", cell).casefold()
    indices = [LETTERS.find(letter) for letter in letters]
    if any(not 0 <= index < len(options) for index in indices):
        raise FormatError(
            f"{where}: expected letters from a to {LETTERS[len(options) - 1]}, found {quote(cell)}"
        )
    return list(dict.fromkeys(indices))


def _is_marked(cell: str, where: str) -> bool:
    word = cell.casefold()
    if word not in _YES | _NO:
        raise FormatError(f"{where}: expected x, yes, 1 or an empty cell, found {quote(cell)}")
    return word in _YES


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _mark(value: bool) -> str:
    return "marked" if value else "unmarked"

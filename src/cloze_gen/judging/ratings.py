"""From what judges said to ratings: which questions a task puts, and which label each judge gave to which unit.

| task  | question      | unit                   | labels            | rated by                                            |
|-------|---------------|------------------------|-------------------|-----------------------------------------------------|
| groom | kept          | item                   | kept, rejected    | all                                                 |
|       | picked        | item, candidate        | picked, left      | who kept the item                                   |
| read  | answer        | item                   | number of option  | who did not call the sentence broken                |
|       | fits as well  | item, option           | marked, unmarked  | the same, each but of the option chosen |
|       | ungrammatical | item, option           | marked, unmarked  | the same as *answer*                                |
|       | broken        | item                   | yes, no           | all                                                 |
|       | trivial       | item                   | yes, no           | the same as *answer*                                |
| fill  | blank         | item, blank            | no. of candidate  | all                                                 |
| guess | passage       | item                   | right, wrong      | who saw the whole passage                           |
|       | sentence      | item                   | right, wrong      | who saw the target sentence alone                   |

Whoever rejected an item said nothing of its candidates, so no "left" is read into that; nor can the option that a reader chose be marked as
fitting as well as itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cloze_gen.judging.rating_table import Ratings, Unit
from cloze_gen.records.judgement import Kind, StudyItem, Task

QUESTIONS: Mapping[Task, Mapping[str, str]] = {
    Task.GROOM: {
        "kept": "is the item kept or rejected?",
        "picked": "is this candidate one of the four? (asked of those who kept the item)",
    },
    Task.READ: {
        "answer": "which option is the answer?",
        "fits as well": "does this option fit as well as the one chosen?",
        "ungrammatical": "does this option break the grammar?",
        "broken": "is the sentence broken?",
        "trivial": "are the other options absurd at first sight?",
    },
    Task.FILL: {"blank": "which candidate fills this blank?"},
    Task.GUESS: {"passage": "is the word guessed from the passage?", "sentence": "is the word guessed from the sentence alone?"},
}


@dataclass(frozen=True, slots=True)
class Said:
    """The verdict that counts of one assignment.

    Attributes:
        said: as `tasks.taken` returns it.
        seconds: from showing to saying; 0 where nobody measured.
    """

    item: str
    judge: str
    kind: Kind
    condition: str
    said: Mapping[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class Asked:
    """What a study asks.

    Attributes:
        items: by id, those included that only ask for attention.
        is_right: (guess, target) -> whether the guess is the target; asked of guesses only.
    """

    task: Task
    items: Mapping[str, StudyItem]
    is_right: Callable[[str, str], bool]


def first_verdicts(said: Iterable[Said], *, machines: Collection[str] = ()) -> list[Said]:
    """What people said of items when they saw them first: no repeat, no attention item, no adjudication, no machine.

    >>> by_ann, by_model = (Said("i", judge, Kind.FIRST, "", {}, 1.0) for judge in ("ann", "model"))
    >>> first_verdicts([by_ann, by_model, Said("j", "ann", Kind.REPEAT, "", {}, 1.0)], machines={"model"}) == [by_ann]
    True
    """
    return [one for one in said if one.kind is Kind.FIRST and one.judge not in machines]


def by_item(said: Iterable[Said]) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Item -> judge -> said."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for one in said:
        found.setdefault(one.item, {})[one.judge] = one.said
    return found


def ratings_of(asked: Asked, said: Iterable[Said]) -> dict[str, Ratings]:
    """Question -> ratings of its units, for every question of the task, those included that nobody has answered yet.

    Args:
        said: verdicts that are to be compared (`first_verdicts`).

    >>> asked = Asked(Task.GROOM, {"i": StudyItem("i", (), {"candidates": ["ran", "saw"]}, {}, "run")}, str.__eq__)
    >>> found = ratings_of(asked, [Said("i", "ann", Kind.FIRST, "", {"picked": ["saw"]}, 2.0)])
    >>> found["kept"], found["picked"]
    ({('i',): {'ann': 'kept'}}, {('i', 'ran'): {'ann': 'left'}, ('i', 'saw'): {'ann': 'picked'}})
    """
    found: dict[str, dict[Unit, dict[str, str]]] = {question: {} for question in QUESTIONS[asked.task]}
    rate = _RATED[asked.task]
    for one in said:
        for question, part, label in rate(asked, one):
            found[question].setdefault((one.item, *part), {})[one.judge] = label
    return dict(found)


_Rating = tuple[str, tuple[str, ...], str]  # question, what follows the item in the unit, label


def _groomed(asked: Asked, one: Said) -> Iterator[_Rating]:
    kept = "picked" in one.said
    yield "kept", (), "kept" if kept else "rejected"
    if kept:
        picked = set(one.said["picked"])
        for word in asked.items[one.item].shown["candidates"]:
            yield "picked", (word,), "picked" if word in picked else "left"


def _read(asked: Asked, one: Said) -> Iterator[_Rating]:
    yield "broken", (), _yes(one.said["broken"])
    answer = one.said["answer"]
    if answer is None:
        return
    yield "answer", (), str(answer + 1)
    yield "trivial", (), _yes(one.said["trivial"])
    for option in range(len(asked.items[one.item].shown["options"])):
        part = (str(option + 1),)
        if option != answer:
            yield "fits as well", part, _marked(option in one.said["fits_as_well"])
        yield "ungrammatical", part, _marked(option in one.said["ungrammatical"])


def _filled(asked: Asked, one: Said) -> Iterator[_Rating]:
    for blank, candidate in enumerate(one.said["fills"], 1):
        yield "blank", (str(blank),), str(candidate + 1)


def _guessed(asked: Asked, one: Said) -> Iterator[_Rating]:
    target = asked.items[one.item].key.get("target")
    if target is not None:
        yield one.condition, (), "right" if any(asked.is_right(guess, target) for guess in one.said["guesses"]) else "wrong"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _marked(value: bool) -> str:
    return "marked" if value else "unmarked"


_RATED: Mapping[Task, Callable[[Asked, Said], Iterator[_Rating]]] = {
    Task.GROOM: _groomed,
    Task.READ: _read,
    Task.FILL: _filled,
    Task.GUESS: _guessed,
}

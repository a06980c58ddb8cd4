"""Items that tell whether somebody reads: each says what to do with it (instructed response; Meade & Craig 2012, Psychological Methods 17).

They look like any other item of their task. Who misses some has not read; what else that judge said is weighed by whoever reads the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cloze_gen.judging.groom import N_PICKED
from cloze_gen.records.judgement import StudyItem, Task
from cloze_gen.rng import derive_rng

ATTENTION = "attention"  # the source of such items
_SAYS = "This one only asks whether you are reading:"
_WORDS = (
    "anchor apron basket bridge candle carpet cellar chimney copper corner cradle curtain feather ferry garden hammer harbour hedge kettle "
    "ladder lantern meadow mirror needle orchard oven parcel pebble pillow pocket ribbon saddle shutter spoon stable wagon willow window"
).split()
_SENTENCES = (
    "The kettle had boiled dry.", "A gate banged somewhere below.", "Nobody had swept the yard.", "The lamps were lit early.",
    "Rain stood in the furrows.", "Two boys ran for the doctor.", "The bell had lost its rope.", "She counted the plates again.",
)  # fmt: skip


def attention_items(task: Task, n: int, *, seed: int, guesses: dict[str, int] | None = None) -> list[StudyItem]:
    """n items of a task, each with what it asks for as its key.

    Args:
        guesses: of the guessing, condition -> guesses allowed.

    >>> item = attention_items(Task.READ, 1, seed=1)[0]
    >>> item.shown["options"][item.key["expected"]["answer"]] in item.shown["instruction"]
    True
    """
    items = []
    for number in range(1, n + 1):
        item_id = f"{ATTENTION}:{number}"
        rng = derive_rng(seed, f"judging.attention.{task}", item_id)
        words = [_WORDS[i] for i in rng.permutation(len(_WORDS))]
        shown, expected = _MAKE[task](words, [int(i) for i in rng.permutation(len(_SENTENCES))], guesses or {})
        items.append(StudyItem(item_id, (), shown, {"expected": expected}, ATTENTION))
    return items


def _groom(words: Sequence[str], order: Sequence[int], guesses: dict[str, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    asked = sorted(words[1 : 1 + N_PICKED])
    said = f"{_SAYS} pick {', '.join(asked[:-1])} and {asked[-1]}."
    candidates = sorted(words[1:31])
    return {"instruction": said, "before": "The word", "answer": words[0], "after": "is of no matter.", "candidates": candidates}, {
        "picked": asked
    }


def _guess(words: Sequence[str], order: Sequence[int], guesses: dict[str, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    text = f"{_SAYS} write the word {words[0]} into the blank. The word is _____."
    return {"passage": text, "sentence": text, "guesses": guesses}, {"guesses": [words[0]]}


def _read(words: Sequence[str], order: Sequence[int], guesses: dict[str, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    options, answer = list(words[:5]), order[0] % 5
    said = f"{_SAYS} choose {options[answer]} and mark nothing."
    expected = {"answer": answer, "fits_as_well": [], "ungrammatical": [], "broken": False, "trivial": False}
    return {"instruction": said, "before": "The word", "after": "is of no matter.", "options": options}, expected


def _fill(words: Sequence[str], order: Sequence[int], guesses: dict[str, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    fills, letters = list(order[:3]), "ABCDEFGH"
    said = f"{_SAYS} put {letters[fills[0]]} into the first blank, {letters[fills[1]]} into the second, {letters[fills[2]]} into the third."
    parts = ["First:", {"blank": 1}, "Then:", {"blank": 2}, "And last:", {"blank": 3}]
    return {"instruction": said, "parts": parts, "candidates": list(_SENTENCES)}, {"fills": fills}


_MAKE = {Task.GROOM: _groom, Task.GUESS: _guess, Task.READ: _read, Task.FILL: _fill}

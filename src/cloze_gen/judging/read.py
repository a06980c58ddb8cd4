"""Reading: the judge answers a question of five options and marks what is wrong with it; whose set it is of, nobody tells (MSR 4.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.judging.said import only, places, truth

MARKS = ("fits_as_well", "ungrammatical")


def taken(said: Any, item: Mapping[str, Any]) -> dict[str, Any]:
    """The answer and the marks.

    Raises:
        FormatError: it is no verdict on these options, the answer is marked itself, or a whole question has none.

    >>> item = {"options": ["boat", "skiff", "carriage", "hat", "owl"]}
    >>> taken({"answer": 0, "fits_as_well": [1], "ungrammatical": [], "broken": False, "trivial": False}, item)
    {'answer': 0, 'fits_as_well': [1], 'ungrammatical': [], 'broken': False, 'trivial': False}
    """
    said, n = only(said, "answer", *MARKS, "broken", "trivial"), len(item["options"])
    broken, trivial = truth(said.get("broken", False), "broken"), truth(said.get("trivial", False), "trivial")
    answer = said.get("answer")
    marks = {name: places(said.get(name, []), n, name) for name in MARKS}
    if answer is None and not broken:
        raise FormatError("answer: expected one of the options, unless the question is broken")
    if answer is not None:
        places([answer], n, "answer")
        for name, marked in marks.items():
            if answer in marked:
                raise FormatError(f"{name}: the answer itself cannot be among them")
    if trivial and marks["fits_as_well"]:
        raise FormatError("trivial: an option that fits as well is not absurd")
    return {"answer": answer, **marks, "broken": broken, "trivial": trivial}

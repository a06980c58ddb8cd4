"""What a model of somebody else's is asked about blanked passages: JSON Lines, without the key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from cloze_gen.records.blanked_passage import BlankedPassage


def format_requests(passages: Iterable[BlankedPassage]) -> Iterator[str]:
    """One JSON object a passage: `id`, `passage` (its sentences, null for a blank), `blanks` (their places, from 0), `candidates`.

    The answer to each is its `id` and `scores`: a row for each of `blanks`, in their order, a number for each of `candidates`.

    >>> passage = BlankedPassage("b:4", ("We left.", "It rained."), (1,), ("Jane sang.", "It rained."), (1,))
    >>> list(format_requests([passage]))
    ['{"id": "b:4", "passage": ["We left.", null], "blanks": [1], "candidates": ["Jane sang.", "It rained."]}']
    """
    for one in passages:
        asked = {"id": one.id, "passage": list(one.shown), "blanks": list(one.blanks), "candidates": list(one.candidates)}
        yield json.dumps(asked, ensure_ascii=False)

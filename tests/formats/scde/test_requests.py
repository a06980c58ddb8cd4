"""What a model of somebody else's is asked about blanked passages."""

from __future__ import annotations

import json

from cloze_gen.formats.scde.requests import format_requests
from cloze_gen.records.blanked_passage import BlankedPassage


def test_the_key_is_not_told() -> None:
    """No answer stands in its place, blanks are told in the order in which rows of scores are expected, letters as they are."""
    passage = BlankedPassage("b:4", ("Café.", "It rained.", "So?"), (2, 0), ("So?", "Jane sang.", "Café."), (0, 2))
    (line,) = format_requests([passage])
    assert json.loads(line) == {
        "id": "b:4",
        "passage": [None, "It rained.", None],
        "blanks": [2, 0],
        "candidates": ["So?", "Jane sang.", "Café."],
    }
    assert "é" in line

"""Verdicts of people in the place of a machine's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats.verdicts import VerdictFile, verdicts_jsonl
from cloze_gen.recipes.msr.stages.human_grooming import read_groomed
from cloze_gen.records.judgement import Task


@pytest.mark.parametrize("row", [{}, {"verdict": ["fit"]}, {"verdict": "good"}, {"verdict": "fit", "picked": [1]}, {"picked": ["a"]}])
def test_a_row_of_another_shape_is_refused(row: dict[str, Any], tmp_path: Path) -> None:
    """The message names the item."""
    path = tmp_path / "verdicts.jsonl"
    path.write_text(verdicts_jsonl(VerdictFile(Task.GROOM, {}, 1, None, 0, [{"id": "b:7", "picked": [], **row}])))
    with pytest.raises(FormatError, match="'b:7' has no verdict of judges"):
        read_groomed(str(path))

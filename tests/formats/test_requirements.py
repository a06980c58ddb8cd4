"""What a field must be."""

from __future__ import annotations

import pytest

from cloze_gen.errors import FormatError
from cloze_gen.formats.requirements import require


def test_a_refusal_says_where_before_what() -> None:
    """And what holds is not refused."""
    require(True, "set.jsonl, line 3", "`eid` must be a whole number")
    with pytest.raises(FormatError, match=r"^set\.jsonl, line 3: `eid` must be a whole number$"):
        require(False, "set.jsonl, line 3", "`eid` must be a whole number")

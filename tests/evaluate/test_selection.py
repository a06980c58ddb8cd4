"""The rule for `--only` and for what is missing."""

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluation.questions import Baseline
from cloze_gen.evaluation.selection import measurable

ROWS = [Baseline("lsa", "lsa", "model", ""), Baseline("longest", "length", "bias", "")]
MISSING = {"lsa": "no books"}


@pytest.mark.parametrize(
    ("rows", "only", "others", "expected"),
    [
        (ROWS, [], False, ["longest"]),
        (ROWS, ["model", "bias"], False, ["longest"]),
        (ROWS[:1], ["model"], True, []),
        (ROWS, ["lsa", "longest"], True, "--only lsa: no books"),
        (ROWS[:1], ["model"], False, "nothing to measure; left out: lsa .no books"),
        (ROWS[:1], [], False, "nothing to measure"),
    ],
)
def test_what_is_missing_ends_a_call_only_where_it_was_named(rows, only, others, expected):
    """Of a kind, and of all, the rest is measured; if there is no rest, that is an error too."""
    if isinstance(expected, str):
        with pytest.raises(UsageError, match=expected):
            measurable(rows, only, MISSING, others=others)
    else:
        assert [row.name for row in measurable(rows, only, MISSING, others=others)] == expected

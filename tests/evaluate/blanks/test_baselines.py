"""The registry."""

from __future__ import annotations

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.blanks.baselines import BLANK_BASELINES, pick


def test_names_and_kinds_pick() -> None:
    """By name, by kind, in the order of the table; without any, all."""
    assert pick([]) == list(BLANK_BASELINES)
    assert [row.name for row in pick(["lsa", "pmi-2", "random"])] == ["random", "pmi-2", "lsa"]
    assert {row.kind for row in pick(["surface"])} == {"surface"}
    assert pick(["user"]) == []


def test_a_model_of_the_user_is_picked_by_its_folder() -> None:
    """Once, behind ours."""
    first, model = pick(["hf:/m", "hf:/m", "random"])
    assert (first.name, first.folder, model.folder) == ("random", "", "/m")


@pytest.mark.parametrize("name", ["bert", "hf:", "scores:", "PMI-1"])
def test_an_unknown_name_lists_those_there_are(name: str) -> None:
    """One message with every name."""
    with pytest.raises(UsageError, match=r"no such baseline of blanked passages.*pmi-2.*hf:FOLDER.*scores:FILE"):
        pick([name])

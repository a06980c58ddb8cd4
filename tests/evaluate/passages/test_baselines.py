"""Baselines of passages, asked for by name and kind."""

from __future__ import annotations

import pytest

from cloze_gen.errors import UsageError
from cloze_gen.evaluate.passages.baselines import NETWORK_KINDS, PASSAGE_BASELINES, pick


def names(*only: str) -> list[str]:
    return [row.name for row in pick(only)]


def test_networks_are_trained_only_when_asked_for() -> None:
    """By default all others are computed; a name, the kind or `networks` asks for them."""
    assert not set(names()) & set(NETWORK_KINDS)
    assert len(names()) + len(NETWORK_KINDS) == len(PASSAGE_BASELINES)
    assert names("networks") == list(NETWORK_KINDS)
    assert set(NETWORK_KINDS) < set(names("model"))
    assert names("recurrent", "random word") == ["random word", "recurrent"]


def test_a_causal_model_is_named_by_its_folder() -> None:
    """It stands behind the others, once."""
    assert names("hf:/models/tiny", "n-gram", "hf:/models/tiny") == ["n-gram", "hf:/models/tiny"]


@pytest.mark.parametrize("only", ["n-grams", "hf:", "baseline"])
def test_an_unknown_name_is_told_with_those_there_are(only: str) -> None:
    """All names and kinds are listed."""
    with pytest.raises(UsageError, match=r"no such baseline of passages.*n-gram \+ cache.*random, rule, model.*networks.*hf:FOLDER"):
        pick([only])

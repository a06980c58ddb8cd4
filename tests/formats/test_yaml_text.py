"""JSON values as YAML."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.formats.yaml_text import yaml_lines, yaml_string
from tests.cases.releases import HOSTILE

SHORT = st.text(max_size=20) | st.sampled_from([text for text in HOSTILE if len(text) < 1000])  # YAML reads no longer keys
SCALARS = st.none() | st.booleans() | st.integers() | SHORT
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SHORT | st.sampled_from(("y", "a-b", "null", "- x")), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(SHORT, VALUES, min_size=1, max_size=4))
def test_yaml_is_read_back_as_it_was(value: dict[str, Any]) -> None:
    """Every mapping of strings, numbers, lists and mappings, whatever its keys and strings hold."""
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load("\n".join(yaml_lines(value))) == value


@pytest.mark.parametrize("text", HOSTILE)
def test_a_string_stands_on_one_line(text: str) -> None:
    """By every reckoning of what ends a line, so that a line of hyphens in it ends no head."""
    assert len(yaml_string(text).splitlines()) == 1


def test_half_a_character_is_replaced() -> None:
    """A file in UTF-8 can be written all the same."""
    assert yaml_string("a\ud800b") == '"a\ufffdb"'

"""What an artifact is known by."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.store.fingerprint import StageKey, canonical_json, fingerprint_of

KEY = StageKey("forward", 1, {"keep": 30}, {"model": "aa"})


@pytest.mark.parametrize(
    "change",
    [
        {"stage": "focus"},
        {"version": 2},
        {"settings": {"keep": 31}},
        {"settings": {}},
        {"inputs": {"model": "ab"}},
        {"inputs": {"index": "aa"}},
    ],
)
def test_every_part_counts(change):
    """Stage, version, settings and inputs each give another fingerprint."""
    assert replace(KEY, **change).fingerprint != KEY.fingerprint


@given(st.lists(st.fixed_dictionaries({"a": st.integers(0, 2), "b": st.booleans()}), min_size=2))
def test_different_values_never_share_a_fingerprint(settings):
    found = {StageKey("s", 1, one).fingerprint: canonical_json(one) for one in settings}
    assert len(found) == len(set(found.values())) == len({canonical_json(one) for one in settings})


def test_a_manifest_gives_its_key_back():
    key = StageKey("s", 1, {"a": 1, "b": 2}, {"x": "ff"})
    assert StageKey.of_manifest(key.described()) == key
    assert fingerprint_of(key.described()) == key.fingerprint


def test_a_book_is_apart():
    """Books of one shelf share its fingerprint and have folders of their own."""
    book = replace(KEY, item="b1")
    assert book.fingerprint == KEY.fingerprint
    assert book.folder_name == f"forward-{KEY.fingerprint}/b1"


@given(
    st.dictionaries(
        st.text(), st.one_of(st.integers(), st.text(), st.booleans(), st.none()), max_size=6
    )
)
def test_order_of_settings_does_not_count(settings):
    """The same settings in another order have the same fingerprint."""
    backwards = dict(reversed(list(settings.items())))
    assert StageKey("s", 1, settings).fingerprint == StageKey("s", 1, backwards).fingerprint


def test_fingerprint_does_not_drift():
    """Finished artifacts of other days must be found again."""
    assert KEY.fingerprint == "3d3fce092dafb8e9"


def test_no_value_without_one_spelling():
    """NaN has no JSON spelling and is refused."""
    with pytest.raises(ValueError):
        canonical_json({"x": float("nan")})

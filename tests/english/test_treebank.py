from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.english.treebank import (
    clitics_cut,
    host_index,
    is_compound,
    normalize_for_tagging,
    treebank_split,
)

SPLITS = """
    mother's -> mother 's
    MOTHER'S -> MOTHER 'S
    don't -> do n't
    don’t -> do n't
    shan't -> sha n't
    won't -> wo n't
    can't -> ca n't
    cannot -> can not
    I'm -> I 'm
    they'd -> they 'd
    dogs' -> dogs '
    goin' -> goin'
    'tis -> 't is
    'TWAS -> 'T WAS
    thou'rt -> thou 'rt
    couldn't've -> could n't 've
    o'clock -> o'clock
    'em -> 'em
    ma'am -> ma'am
    's -> 's
    ' -> '
    gonna -> gon na
    mother-in-law's -> mother-in-law 's
    Mr. -> Mr.
    — -> --
    60,000 -> 60,000
    n't -> n't
    Dr.'s -> Dr. 's
    To-day's -> Today 's
    TO-NIGHT -> TONIGHT
    Twenty-two -> two
"""
WORDS = st.text(min_size=1, max_size=20) | st.from_regex(
    r"[a-zA-Z]{1,8}('[a-z]{1,3}){0,2}'?", fullmatch=True
)


@pytest.mark.parametrize("line", SPLITS.strip().splitlines())
def test_treebank_split(line):
    token, parts = line.strip().split(" -> ")
    assert treebank_split(token) == tuple(parts.split(" "))


@given(WORDS)
def test_parts_join_to_the_word(token):
    parts = treebank_split(token)
    assert "".join(parts) == normalize_for_tagging(token)
    assert all(parts)
    assert 0 <= host_index(parts) < len(parts)


@given(WORDS)
def test_a_word_cut_at_its_clitics_is_spelt_as_it_was(token):
    parts = clitics_cut(token)
    assert "".join(parts) == token
    assert all(parts)
    if normalize_for_tagging(token) == token and "-" not in token:
        assert parts == treebank_split(token)


@given(WORDS)
def test_normalizing_twice_is_normalizing_once(token):
    once = normalize_for_tagging(token)
    assert once
    assert normalize_for_tagging(once) == once


def test_a_line_of_clitics_is_cut_at_its_end_alone():
    """A pathological word costs no more than others."""
    noise = "a" + "'s" * 5000
    assert clitics_cut(noise) == treebank_split(noise) == ("a" + "'s" * 4992, *["'s"] * 8)
    assert clitics_cut("y'all'd've") == ("y'all", "'d", "'ve")


def test_compounds():
    assert [is_compound(token) for token in ("well-known", "a-b", "-", "--", "well-", "1-2")] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]

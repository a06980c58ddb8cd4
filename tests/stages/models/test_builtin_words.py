"""The built-in words: what is shipped is what is said of it, and knows English."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from cloze_gen.errors import StoreError
from cloze_gen.stages.models.builtin_words import ARRAYS, FACTS, FOLDER, builtin_words_facts, read_builtin_words
from cloze_gen.stats.context_space import ContextSpace
from cloze_gen.words import is_word


@pytest.fixture(scope="module")
def space() -> ContextSpace:
    return read_builtin_words()


def test_the_file_is_small_and_holds_arrays_alone() -> None:
    """At most 12 MB, nothing that would have to be unpickled."""
    data = (FOLDER / ARRAYS).read_bytes()
    assert len(data) == builtin_words_facts()["bytes"] <= 12_000_000
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        assert {arrays[name].dtype.kind for name in arrays.files} <= {"i", "u", "f"}


def test_what_is_lost_is_little() -> None:
    """Against the exact measures of the same books: correlations as the facts tell them."""
    lost = builtin_words_facts()["lost"]
    assert set(lost) == {"similarity", "topicality", "neighbour_fit", "beside_before", "beside_after"}
    assert min(figures["correlation"] for figures in lost.values()) >= 0.99


def test_they_are_words_and_no_text(space: ContextSpace) -> None:
    """One token each, lower-case, seen at least twenty times, as many as the facts say."""
    facts = builtin_words_facts()["words"]
    assert len(space.row_of) == facts["words"] >= 25_000
    assert all(is_word(word) and word == word.casefold() and len(word.split()) == 1 for word in space.row_of)
    assert space.counts.min() >= facts["min_count"] == 20


def test_they_know_what_is_alike(space: ContextSpace) -> None:
    """Shoes are like boots and unlike lamps."""
    boots, lamp = space.similarity(["boots", "lamp"], "shoes").tolist()
    assert boots > 0.8 > 0.3 > lamp


def test_they_know_grammar(space: ContextSpace) -> None:
    """*A lamp*, no *a happiness*, no *a drank*; *had travelled*, no *had lamp*."""
    lamp, happiness, drank = space.beside_frequent(["lamp", "happiness", "drank"], "a", side="before").tolist()
    assert lamp > 0.5 > 0.0 > happiness > drank
    travelled, had_lamp = space.beside_frequent(["travelled", "lamp"], "Had", side="before").tolist()
    assert travelled > 1.0 > -1.0 > had_lamp


def test_they_know_what_goes_together(space: ContextSpace) -> None:
    """*A cup of coffee*, not *of velocity*; oars go with a boat and its lake."""
    coffee, velocity = space.neighbour_fit(["coffee", "velocity"], ["cup", "of"], ["and"]).tolist()
    assert coffee > velocity + 0.3
    oars, sermon = space.topicality(["oars", "sermon"], ["boat", "lake", "rowed"]).tolist()
    assert oars > sermon + 1.0


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    """Said with the file's name, and what to do."""
    for name in (ARRAYS, FACTS):
        shutil.copyfile(FOLDER / name, tmp_path / name)
    (tmp_path / FACTS).write_text(json.dumps({**builtin_words_facts(), "sha256": "0" * 64}), encoding="utf-8")
    with pytest.raises(StoreError, match=r"words\.npz: not the file.*Install cloze-gen again"):
        read_builtin_words(tmp_path)

"""The context space: what it says of words it holds, and that it says nothing of others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cloze_gen.english.closed_classes import After, Before
from cloze_gen.recipes.msr.steps.focus import FocusSettings
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.models.contexts import ContextSpace, read_context_space
from cloze_gen.stats.associations import Associations
from cloze_gen.stats.option_words import option_mask
from cloze_gen.store.runs import read_run, stage_artifact

CUES = np.zeros((2, len(Before), len(After)), np.uint32)
CUES[1, Before.ARTICLE, After.CLOSED] = 7
SPACE = ContextSpace(
    row_of={"oar": 0, "rug": 1},
    column_of={"ferry": 0, "floor": 1},
    vectors=np.array([[1.0, 0.0], [0.6, 0.8]], np.float32),
    associations=Associations(np.array([0, 1, 2]), np.array([0, 1], np.uint16), np.array([2.0, 1.0], np.float16)),
    frame_cues=CUES,
)


def test_similarity_is_the_cosine() -> None:
    """Of a word with itself 1; of one that is no option, on either side, 0."""
    assert SPACE.similarity(["oar", "rug", "attic"], "oar") == pytest.approx([1.0, 0.6, 0.0])
    assert SPACE.similarity(["oar", "rug"], "attic").tolist() == [0.0, 0.0]


def test_topicality_is_a_mean_over_the_words_that_tell_a_topic() -> None:
    """Others do not count, repetitions do; a word that is no option has none."""
    assert SPACE.topicality(["oar", "rug", "attic"], ["the", "ferry", "ferry", "floor", "."]).tolist() == pytest.approx([4 / 3, 1 / 3, 0.0])
    assert SPACE.topicality(["oar"], ["the", "."]).tolist() == [0.0]


def test_frame_cues_of_a_word_that_is_no_option_are_none() -> None:
    """Then nothing can be told of its use; signed numbers come back, for shares are taken of them."""
    assert SPACE.frame_cues_of("rug")[Before.ARTICLE, After.CLOSED] == 7
    assert SPACE.frame_cues_of("attic").sum() == 0
    assert {SPACE.frame_cues_of(word).shape for word in ("rug", "attic")} == {(len(Before), len(After))}
    assert SPACE.frame_cues_of("rug").dtype == np.int64


def test_the_space_holds_the_words_that_may_be_options(finished: Any) -> None:
    """All of them and no other, with unit vectors or none."""
    space = read_context_space(stage_artifact(finished.folder, "contexts"))
    table = read_counts(stage_artifact(finished.folder, "counts"))
    mask = option_mask(table, FocusSettings.model_validate(read_run(finished.folder)["settings"]["focus"]))
    assert list(space.row_of) == [word for word, may in zip(table.words, mask.tolist(), strict=True) if may]
    assert len(space.vectors) == len(space.frame_cues) == len(space.associations.start) - 1 == len(space.row_of)
    norms = np.linalg.norm(space.vectors, axis=1)
    assert ((np.abs(norms - 1) < 1e-3) | (norms == 0)).all()

"""The context space as an artifact: which words it holds, and that what is opened is what was written."""

from __future__ import annotations

from typing import Any

import numpy as np

from cloze_gen.recipes.msr.steps.focus import FocusSettings
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.models.contexts import read_context_space
from cloze_gen.stats.option_words import option_mask
from cloze_gen.store.runs import read_run, stage_artifact


def test_the_space_holds_the_words_that_may_be_options(finished: Any) -> None:
    """All of them and no other, with unit vectors or none."""
    space = read_context_space(stage_artifact(finished.folder, "contexts"))
    table = read_counts(stage_artifact(finished.folder, "counts"))
    mask = option_mask(table, FocusSettings.model_validate(read_run(finished.folder)["settings"]["focus"]))
    assert list(space.row_of) == [word for word, may in zip(table.words, mask.tolist(), strict=True) if may]
    assert len(space.vectors) == len(space.frame_cues) == len(space.associations.start) - 1 == len(space.row_of)
    norms = np.linalg.norm(space.vectors, axis=1)
    assert ((np.abs(norms - 1) < 1e-3) | (norms == 0)).all()


def test_what_is_told_of_a_word_rests_on_its_count(finished: Any) -> None:
    """Each word's count is the table's; no pair of it is counted oftener; neighbours and features fit their arrays."""
    space = read_context_space(stage_artifact(finished.folder, "contexts"))
    table = read_counts(stage_artifact(finished.folder, "counts"))
    count_of = dict(zip(table.words, table.count.tolist(), strict=True))
    words = list(space.row_of)
    assert space.evidence(words).tolist() == [count_of[word] for word in words]
    assert (space.beside.count <= np.asarray(space.evidence(words))[space.beside.row]).all()
    assert space.features.shape == (len(space.feature_of), space.vectors.shape[1])
    assert len(space.norms) == len(words)
    assert len(space.beside.start) == 2 * len(space.neighbour_of) + 1


def test_the_sample_shows_which_words_take_an_article(finished: Any) -> None:
    """Even of few words: a noun stands right after *the* oftener than chance has it, an adverb never."""
    space = read_context_space(stage_artifact(finished.folder, "contexts"))
    lamp, slowly = space.beside_frequent(["lamp", "slowly"], "The", side="before").tolist()
    assert lamp > 0.3 > 0 > slowly

"""The context space as an artifact: which words it holds, and that what is opened is what was written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.errors import StoreError
from cloze_gen.recipes.msr.steps.focus import FocusSettings
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.models.contexts import (
    BackgroundSettings,
    ContextSettings,
    read_context_space,
    read_word_knowledge,
    write_context_vectors,
)
from cloze_gen.stages.room import Room
from cloze_gen.stats.context_space import ContextSpace
from cloze_gen.stats.option_words import option_mask
from cloze_gen.stats.word_knowledge import MixedKnowledge
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
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


def written(finished: Any, folder: Path, settings: ContextSettings) -> Artifact:
    """The stage over the finished run's text with other settings."""
    writer, room = ArtifactWriter(folder), Room(Store(folder), InProcessEngine(), "contexts")
    inputs = {name: stage_artifact(finished.folder, name) for name in ("text", "counts")}
    write_context_vectors(writer, room, **inputs, limits=FocusSettings(max_freq=1e-3, min_count=3), settings=settings)
    return Artifact(folder, {"facts": writer.facts, "settings": settings.model_dump()})


def test_built_in_words_alone_need_no_measuring(finished: Any, tmp_path: Path) -> None:
    """Then the artifact says which they are and no more."""
    artifact = written(finished, tmp_path, BackgroundSettings(background="builtin"))
    assert [path.name for path in tmp_path.iterdir()] == ["builtin.json"]
    known = read_word_knowledge(artifact)
    assert isinstance(known, ContextSpace)
    assert known.evidence(["boots"])[0] > 1000


@pytest.mark.parametrize("settings", [BackgroundSettings(background="corpus", features=300), ContextSettings(features=300)])
def test_a_corpus_alone_reads_no_built_in_words(finished: Any, tmp_path: Path, settings: ContextSettings) -> None:
    """Nor does a style that has no such setting."""
    artifact = written(finished, tmp_path, settings)
    assert not (tmp_path / "builtin.json").exists()
    assert read_word_knowledge(artifact).evidence(["boots"])[0] < 1000


def test_both_tell_of_the_sample(finished: Any) -> None:
    """As a run has it unless told otherwise: a word the sample has seldom is as English has it, where the sample alone knows nothing."""
    artifact = stage_artifact(finished.folder, "contexts")
    known, own = read_word_knowledge(artifact), read_context_space(artifact)
    assert isinstance(known, MixedKnowledge)
    assert known.similarity(["boots"], "shoes")[0] > 0.7
    assert own.similarity(["boots"], "shoes")[0] < 0.7
    assert known.similarity(["lamp"], "shoes")[0] < 0.3


def test_other_built_in_words_are_refused(finished: Any, tmp_path: Path) -> None:
    """What was judged by them cannot be told by those that are here now."""
    artifact = written(finished, tmp_path, BackgroundSettings(background="builtin"))
    (tmp_path / "builtin.json").write_text(json.dumps({"sha256": "0" * 64}), encoding="utf-8")
    with pytest.raises(StoreError, match="other built-in words"):
        read_word_knowledge(artifact)

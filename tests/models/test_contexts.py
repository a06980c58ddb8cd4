from __future__ import annotations

import io
import json
import shutil

import numpy as np
import pytest

from cloze_gen.corpus.counts import WORD_DATA
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.option_words import OptionLimits, option_mask
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import StoreError
from cloze_gen.models.context_space import ContextSpace
from cloze_gen.models.contexts import (
    ARRAYS,
    FACTS,
    Background,
    BackgroundSettings,
    ContextSettings,
    background_of,
    builtin_words_facts,
    read_builtin_words,
    read_context_space,
    read_word_knowledge,
    write_context_vectors,
)
from cloze_gen.models.word_knowledge import MixedKnowledge
from cloze_gen.recipes.msr.focus import FocusSettings
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.runs import read_run, stage_artifact
from cloze_gen.word_tokens import is_word


@pytest.fixture(scope="module")
def space():
    return read_builtin_words()


def test_the_file_is_small_and_holds_arrays_alone():
    data = (WORD_DATA / ARRAYS).read_bytes()
    assert len(data) == builtin_words_facts()["bytes"] <= 12_000_000
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        assert {arrays[name].dtype.kind for name in arrays.files} <= {"i", "u", "f"}


def test_what_is_lost_is_little():
    lost = builtin_words_facts()["lost"]
    assert set(lost) == {
        "similarity",
        "topicality",
        "neighbour_fit",
        "beside_before",
        "beside_after",
    }
    assert min(figures["correlation"] for figures in lost.values()) >= 0.99


def test_they_are_words_and_no_text(space):
    facts = builtin_words_facts()["words"]
    assert len(space.row_of) == facts["words"] >= 25_000
    assert all(
        is_word(word) and word == word.casefold() and len(word.split()) == 1
        for word in space.row_of
    )
    assert space.counts.min() >= facts["min_count"] == 20


def test_they_know_what_is_alike(space):
    boots, lamp = space.similarity([["boots", "lamp"]], ["shoes"]).tolist()
    assert boots > 0.8 > 0.3 > lamp


def test_they_know_grammar(space):
    lamp, happiness, drank = space.neighbour_frequency(
        [["lamp", "happiness", "drank"]], ["a"], side="before"
    ).tolist()
    assert lamp > 0.5 > 0.0 > happiness > drank
    travelled, had_lamp = space.neighbour_frequency(
        [["travelled", "lamp"]], ["Had"], side="before"
    ).tolist()
    assert travelled > 1.0 > -1.0 > had_lamp


def test_they_know_what_goes_together(space):
    coffee, velocity = space.neighbour_fit(
        [["coffee", "velocity"]], [["cup", "of"]], [["and"]]
    ).tolist()
    assert coffee > velocity + 0.3
    oars, sermon = space.topicality([["oars", "sermon"]], [["boat", "lake", "rowed"]]).tolist()
    assert oars > sermon + 1.0


def test_a_changed_file_is_refused(tmp_path):
    for name in (ARRAYS, FACTS):
        shutil.copyfile(WORD_DATA / name, tmp_path / name)
    (tmp_path / FACTS).write_text(
        json.dumps({**builtin_words_facts(), "sha256": "0" * 64}), encoding="utf-8"
    )
    with pytest.raises(StoreError, match=r"words\.npz: does not match .*Reinstall cloze-gen"):
        read_builtin_words(tmp_path)


def test_the_space_holds_the_words_that_may_be_options(finished):
    space = read_context_space(stage_artifact(finished.folder, "contexts"))
    table = read_counts(stage_artifact(finished.folder, "counts"))
    mask = option_mask(
        table, FocusSettings.model_validate(read_run(finished.folder)["settings"]["focus"])
    )
    assert list(space.row_of) == [
        word for word, may in zip(table.words, mask.tolist(), strict=True) if may
    ]
    assert (
        len(space.vectors)
        == len(space.frame_cues)
        == len(space.associations.start) - 1
        == len(space.row_of)
    )
    norms = np.linalg.norm(space.vectors, axis=1)
    assert ((np.abs(norms - 1) < 1e-3) | (norms == 0)).all()


def test_what_is_told_of_a_word_rests_on_its_count(finished):
    space = read_context_space(stage_artifact(finished.folder, "contexts"))
    table = read_counts(stage_artifact(finished.folder, "counts"))
    count_of = dict(zip(table.words, table.count.tolist(), strict=True))
    words = list(space.row_of)
    assert space.evidence(words).tolist() == [count_of[word] for word in words]
    assert (space.adjacent.count <= np.asarray(space.evidence(words))[space.adjacent.row]).all()
    assert space.features.shape == (len(space.feature_of), space.vectors.shape[1])
    assert len(space.norms) == len(words)
    assert len(space.adjacent.start) == 2 * len(space.neighbour_of) + 1


def test_the_sample_shows_which_words_take_an_article(finished):
    space = read_context_space(stage_artifact(finished.folder, "contexts"))
    lamp, went = space.neighbour_frequency([["lamp", "went"]], ["The"], side="before").tolist()
    assert lamp > 0.3 > 0 > went


def written(finished, folder, settings):
    """The stage over the finished run's text with other settings."""
    writer, ctx = ArtifactWriter(folder), StageContext(Store(folder), InProcessEngine(), "contexts")
    inputs = {name: stage_artifact(finished.folder, name) for name in ("text", "counts")}
    from_books = background_of(settings) is Background.CORPUS
    write_context_vectors(
        writer,
        ctx,
        **inputs,
        limits=OptionLimits.of(FocusSettings(max_freq=1e-3, min_count=3)),
        settings=settings,
        builtin_words=None if from_books else builtin_words_facts(),
    )
    return Artifact(folder, {"facts": writer.facts, "settings": settings.model_dump()})


def test_built_in_words_alone_need_no_measuring(finished, tmp_path):
    artifact = written(finished, tmp_path, BackgroundSettings(background="builtin"))
    assert [path.name for path in tmp_path.iterdir()] == ["builtin.json"]
    known = read_word_knowledge(artifact)
    assert isinstance(known, ContextSpace)
    assert known.evidence(["boots"])[0] > 1000


@pytest.mark.parametrize(
    "settings",
    [BackgroundSettings(background="corpus", features=300), ContextSettings(features=300)],
)
def test_a_corpus_alone_reads_no_built_in_words(finished, tmp_path, settings):
    artifact = written(finished, tmp_path, settings)
    assert not (tmp_path / "builtin.json").exists()
    assert read_word_knowledge(artifact).evidence(["boots"])[0] < 1000


def test_both_tell_of_the_sample(finished):
    artifact = stage_artifact(finished.folder, "contexts")
    known, own = read_word_knowledge(artifact), read_context_space(artifact)
    assert isinstance(known, MixedKnowledge)
    assert known.similarity([["boots"]], ["shoes"])[0] > 0.7
    assert own.similarity([["boots"]], ["shoes"])[0] < 0.7
    assert known.similarity([["lamp"]], ["shoes"])[0] < 0.3


def test_other_built_in_words_are_refused(finished, tmp_path):
    artifact = written(finished, tmp_path, BackgroundSettings(background="builtin"))
    (tmp_path / "builtin.json").write_text(json.dumps({"sha256": "0" * 64}), encoding="utf-8")
    with pytest.raises(StoreError, match="built-in words of another version"):
        read_word_knowledge(artifact)

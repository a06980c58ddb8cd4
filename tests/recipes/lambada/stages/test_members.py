"""The members' scores as artifacts: one a passage, those of the models themselves, and the verdicts made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.engine.local import LocalEngine
from cloze_gen.errors import ToolError
from cloze_gen.recipes.lambada.stages import members as stage
from cloze_gen.recipes.lambada.stages.committee import write_committee
from cloze_gen.recipes.lambada.stages.decisions import VERDICTS, read_survivors
from cloze_gen.recipes.lambada.stages.members import (
    SCORES,
    index_numbers,
    read_scores,
    write_cache_scores,
    write_network_scores,
    write_ngram_scores,
)
from cloze_gen.recipes.lambada.stages.tables import read_passages
from cloze_gen.recipes.lambada.steps.committee import MEMBERS, NETWORKS, CacheSettings
from cloze_gen.records.passage import Part, Passage
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.partition import write_part
from cloze_gen.stages.corpus.training_text import write_training_text
from cloze_gen.stages.models.index import open_index, write_index
from cloze_gen.stages.models.language_model import ARPA, LmSettings, write_language_model
from cloze_gen.stages.models.network_training import open_trained
from cloze_gen.stages.models.networks import NetworksSettings, write_networks
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import REJECTED
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.keys import StageKey
from cloze_gen.store.tables import read_parquet
from tests.recipes.lambada.stages.conftest import Novels, make_novels

TINY = NetworksSettings(
    vocabulary=60, vector=6, history=3, feedforward_hidden=8, feedforward_words=3000, recurrent_hidden=8, recurrent_words=3000
)


@dataclass
class Committee:
    """Passages of small novels, the models of their training novels, and what these think."""

    novels: Novels
    passages: Artifact
    counts: Artifact
    model: Artifact
    index: Artifact
    networks: Artifact
    scores: dict[str, Artifact]

    @property
    def records(self) -> list[Passage]:
        return list(read_passages(self.passages))


@pytest.fixture(scope="module")
def committee(tmp_path_factory: pytest.TempPathFactory) -> Committee:
    try:
        find_lmplz()
    except ToolError as error:
        pytest.skip(str(error))
    novels = make_novels(tmp_path_factory.mktemp("novels"))
    partition = novels.partition()
    passages, counts = novels.passages(partition), novels.counts(partition)
    train = novels.stage("novels", write_part, partition=partition, part=Part.TRAIN)
    text = novels.stage("text", write_training_text, corpus=train, counts=counts)
    settings = LmSettings(order=5, memory="100M", discount_fallback=True)
    model = novels.stage("lm", write_language_model, text=text, settings=settings)
    networks = novels.stage("networks", write_networks, text=text, counts=counts, settings=TINY, kinds=NETWORKS, seed=1)
    index = novels.stage("index", write_index, model=model)
    ngram = novels.stage("ngram", write_ngram_scores, passages=passages, counts=counts, index=index)
    cache = novels.stage("cache", write_cache_scores, passages=passages, ngram=ngram, settings=CacheSettings(weight=0.2))
    scores = {"ngram": ngram, "cache": cache}
    scores |= {kind: novels.stage(kind, write_network_scores, passages=passages, networks=networks, kind=kind) for kind in NETWORKS}
    return Committee(novels, passages, counts, model, index, networks, scores)


def test_every_member_has_a_score_for_every_passage(committee: Committee) -> None:
    """In their order, each a probability, none missing."""
    ids = [passage.id for passage in committee.records]
    for artifact in committee.scores.values():
        assert read_parquet(artifact.path(SCORES))["id"].to_pylist() == ids
        log10_probs, unknown = read_scores(artifact)
        assert np.isfinite(log10_probs).all()
        assert (log10_probs <= 0).all()
        assert log10_probs.dtype == np.float32
        assert unknown.dtype == np.bool_


def test_the_ngram_score_is_that_of_kenlm(committee: Committee) -> None:
    """P(target | the words before it in its sentence, back to `<s>`); of a target that the training novels lack, P(`<unk>`), marked."""
    kenlm = KenlmModel(committee.model.path(ARPA))
    log10_probs, unknown = read_scores(committee.scores["ngram"])
    expected = [kenlm.log10_prob(["<s>", *p.target_sentence[: p.target_at]], p.target) for p in committee.records]
    assert log10_probs == pytest.approx(expected, abs=1e-4)
    assert unknown.tolist() == [p.target not in kenlm for p in committee.records]


def test_a_sentence_begins_for_the_ngram_model_where_it_begins(committee: Committee) -> None:
    """0, which stands between sentences, is `<s>` to it; the number behind all words is `<unk>`; between them stand the words."""
    index = open_index(committee.index)
    words = read_counts(committee.counts).words
    numbers = index_numbers(index, words)
    assert [index.words[number] for number in numbers.tolist()] == ["<s>", *words, "<unk>"]


def test_the_cache_counts_the_passage(committee: Committee) -> None:
    """What stands before the target, words and marks; words unknown to the training novels count as one."""
    known = set(read_counts(committee.counts).words)
    ngram, _ = read_scores(committee.scores["ngram"])
    cache, _ = read_scores(committee.scores["cache"])
    before = [[word if word in known else "" for word in passage.before_target] for passage in committee.records]
    targets = [passage.target if passage.target in known else "" for passage in committee.records]
    shares = np.array([words.count(target) / len(words) for words, target in zip(before, targets, strict=True)])
    assert shares.any()
    assert 10.0**cache == pytest.approx(0.8 * 10.0**ngram + 0.2 * shares, rel=1e-4)


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_network_reads_the_whole_passage(committee: Committee, kind) -> None:  # type: ignore[no-untyped-def]
    """Sentence by sentence, 0 before each; targets outside its sixty words are marked."""
    words = list(read_counts(committee.counts).words[:60])
    number = {word: i for i, word in enumerate(words, 1)}
    network = open_trained(committee.networks, kind)
    log10_probs, unknown = read_scores(committee.scores[kind])
    assert unknown.tolist() == [passage.target not in number for passage in committee.records]
    for passage, found in list(zip(committee.records, log10_probs.tolist(), strict=True))[:40]:
        shown = [*passage.sentences[:-1], passage.target_sentence[: passage.target_at + 1]]
        ids = np.array([one for sentence in shown for one in (0, *(number.get(word, 61) for word in sentence))])
        assert found == pytest.approx(float(network.log_probs(ids, np.array([len(ids)]))[0]) / np.log(10), abs=1e-4)


@pytest.mark.slow
def test_workers_and_parts_change_nothing(committee: Committee, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers write the bytes of one; parts of seven passages give the same scores but for rounding."""
    engine = LocalEngine(2)
    try:
        key = StageKey("again", 1)
        with committee.novels.store.writing(key) as writer:
            assert writer is not None
            room = Room(committee.novels.store, engine, "again")
            write_network_scores(writer, room, passages=committee.passages, networks=committee.networks, kind="recurrent")
    finally:
        engine.close()
    again = committee.novels.store.open(key)
    assert again.manifest["files"] == committee.scores["recurrent"].manifest["files"]
    monkeypatch.setattr(stage, "_PASSAGES_A_SHARD", 7)
    cut = committee.novels.stage("cut", write_network_scores, passages=committee.passages, networks=committee.networks, kind="recurrent")
    assert read_scores(cut)[0] == pytest.approx(read_scores(again)[0], abs=1e-5)


def test_verdicts_hold_every_score(committee: Committee) -> None:
    """A passage is kept where all members are below the threshold; one that fell is rejected once, by the first who guessed it."""
    highest = np.max([10.0 ** read_scores(artifact)[0] for artifact in committee.scores.values()], axis=0)
    order = MEMBERS[::-1]  # of these models the n-gram one guesses the most: asked last, it is not the first for all
    threshold = float(np.median(highest))
    scores = {member: committee.scores[member] for member in order}
    artifact = committee.novels.stage("committee", write_committee, passages=committee.passages, scores=scores, threshold=threshold)
    table = read_parquet(artifact.path(VERDICTS)).to_pydict()
    guessed = np.array([np.array(table[member], np.float32) >= np.float32(np.log10(threshold)) for member in order])
    assert table["kept"] == (~guessed.any(axis=0)).tolist()
    assert 0 < sum(table["kept"]) < len(table["kept"])
    assert read_survivors(artifact) == {one for one, kept in zip(table["id"], table["kept"], strict=True) if kept}
    rejected = read_parquet(artifact.path(REJECTED)).to_pylist()
    first = {one: f"guessed_by_{order[int(column.argmax())]}" for one, column in zip(table["id"], guessed.T, strict=True)}
    assert {row["id"]: row["reason"] for row in rejected} == {key: first[key] for key in first if key not in read_survivors(artifact)}
    by = {one: column.max() for one, column in zip(table["id"], np.where(guessed, [table[m] for m in order], -np.inf).T, strict=True)}
    told = {row["id"]: float(row["detail"].removeprefix("P(target) = ")) for row in rejected}
    assert all(threshold - 1e-6 <= prob <= 10.0 ** by[one] + 1e-6 for one, prob in told.items())
    assert artifact.funnel["kept"] == sum(table["kept"])
    assert artifact.facts["survival"] == pytest.approx(dict(zip(order, 1 - guessed.mean(axis=1), strict=True)), abs=1e-4)


def test_a_member_who_is_not_asked_has_no_say(committee: Committee) -> None:
    """With one member of four the verdicts are its own, and its column the only one."""
    alone = {"cache": committee.scores["cache"]}
    artifact = committee.novels.stage("committee", write_committee, passages=committee.passages, scores=alone, threshold=0.02)
    table = read_parquet(artifact.path(VERDICTS))
    assert table.column_names == ["id", "kept", "cache"]
    assert table["kept"].to_pylist() == (10.0 ** table["cache"].to_numpy() < 0.02).tolist()
    assert set(artifact.funnel["rejected"]) == {"guessed_by_cache"}

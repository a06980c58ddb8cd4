"""The committee's verdicts, and what its members read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.adapters.lmplz import find_lmplz
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.partition import write_part
from cloze_gen.corpus.training_text import write_training_text
from cloze_gen.errors import ToolError
from cloze_gen.models.language_model import (
    ARPA,
    LmSettings,
    write_index,
    write_language_model,
)
from cloze_gen.models.networks import NetworksSettings, open_trained, write_networks
from cloze_gen.recipes.lambada import members as stage
from cloze_gen.recipes.lambada.committee import (
    VERDICTS,
    CommitteeSettings,
    apply_committee,
    label_of,
    read_survivors,
    write_committee,
)
from cloze_gen.recipes.lambada.members import MEMBERS, NETWORKS, SCORES, write_scores
from cloze_gen.recipes.lambada.passages import read_passages
from cloze_gen.records.passage import Part
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import REJECTED, read_parquet
from tests.recipes.lambada.conftest import Novels, make_novels

PROBS = st.lists(st.floats(1e-9, 1.0), min_size=3, max_size=3)


def test_the_threshold_is_inclusive():
    """A target of exactly 0.00175 is guessed, as the paper writes it; a little less is not."""
    probs = {"ngram": np.log10([0.00175, 0.001749])}
    verdicts = apply_committee(probs, threshold=CommitteeSettings().threshold)
    assert verdicts.kept.tolist() == [False, True]


@given(st.lists(PROBS, min_size=1, max_size=20))
def test_one_member_is_enough(probs):
    table = np.array(probs).T
    verdicts = apply_committee(dict(zip("abc", np.log10(table), strict=True)), threshold=0.01)
    assert verdicts.kept.tolist() == [max(row) < 0.01 for row in probs]
    assert verdicts.kept.mean() <= min(verdicts.survival.values()) + 1e-12
    assert verdicts.survival == pytest.approx(
        dict(zip("abc", (table < 0.01).mean(axis=1), strict=True))
    )


def test_a_passage_is_put_down_to_the_first_who_guessed_it():
    """In the order in which the members are given; a kept one to nobody."""
    verdicts = apply_committee(
        {"a": np.log10([0.1, 0.001, 0.001]), "b": np.log10([0.1, 0.1, 0.001])}, threshold=0.01
    )
    assert verdicts.guessed_by.tolist() == [0, 1, -1]


def test_no_passages_no_verdicts():
    """An empty corpus is told as such: nothing kept, nothing guessed."""
    verdicts = apply_committee({"a": np.zeros(0)}, threshold=0.01)
    assert (len(verdicts.kept), dict(verdicts.survival)) == (0, {"a": 1.0})


@pytest.mark.parametrize(
    "members",
    [(), ("ngram", "oracle"), ("ngram", "ngram"), ("hf:",), ("scores:a/x.jsonl", "hf:b/x")],
)
def test_members_are_known_and_named_once(members):
    with pytest.raises(ValidationError):
        CommitteeSettings(members=members)


@pytest.mark.parametrize("label", ["kept", "id", "scores", "ngram"])
@pytest.mark.parametrize("member", ["scores:answers/{}.jsonl", "hf:models/{}"])
def test_a_member_takes_no_name_that_is_in_use(member, label):
    """A label becomes a column and an input."""
    with pytest.raises(ValidationError, match=r"would get the label '.*rename the file or folder"):
        CommitteeSettings(members=(member.format(label),))


def test_a_label_fits_into_the_name_of_a_folder():
    assert len(label_of(f"hf:{'x' * 300}")) == 100
    assert label_of("scores:a/my models: 1.jsonl") == "my-models-1"


def test_models_of_others_may_be_members():
    """A folder, a file of answers; several of each."""
    members = ("ngram", "hf:models/one", "hf:models/two", "scores:three.jsonl")
    assert CommitteeSettings(members=members).members == members


TINY = NetworksSettings(
    vocabulary=60,
    vector_size=6,
    history=3,
    feedforward_hidden=8,
    feedforward_words=3000,
    recurrent_hidden=8,
    recurrent_words=3000,
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
    scores: Artifact

    @property
    def records(self):
        return list(read_passages(self.passages))

    @property
    def columns(self):
        """The scores by name, as arrays."""
        table = SCORES.read(self.scores.path(SCORES.name))
        return {name: table[name].to_numpy() for name in SCORES.names[1:]}

    def score(self, name, *kinds, **more):
        return self.novels.stage(
            name,
            write_scores,
            passages=self.passages,
            index=self.index,
            networks=self.networks,
            kinds=kinds,
            **more,
        )

    def decide(self, name, members, threshold):
        return self.novels.stage(
            name,
            write_committee,
            scores=self.scores,
            outside={},
            members=members,
            threshold=threshold,
            cache_weight=0.2,
        )


@pytest.fixture(scope="module")
def committee(tmp_path_factory):
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
    networks = novels.stage(
        "networks", write_networks, text=text, counts=counts, settings=TINY, kinds=NETWORKS, seed=1
    )
    index = novels.stage("index", write_index, model=model)
    scores = novels.stage(
        "scores",
        write_scores,
        passages=passages,
        index=index,
        networks=networks,
        kinds=NETWORKS,
    )
    return Committee(novels, passages, counts, model, index, networks, scores)


def test_every_member_has_a_score_for_every_passage(committee):
    """In their order, each a probability, none missing."""
    table = SCORES.read(committee.scores.path(SCORES.name))
    assert table["id"].to_pylist() == [passage.id for passage in committee.records]
    assert all(np.isfinite(values).all() for values in committee.columns.values())
    assert all((committee.columns[name] <= 0).all() for name in ("ngram", *NETWORKS))


def test_a_network_that_is_no_member_scores_nothing(committee):
    table = SCORES.read(committee.score("alone", "feedforward").path(SCORES.name))
    assert table["feedforward"].null_count == 0
    assert table["recurrent"].null_count == table.num_rows


def test_the_ngram_score_is_that_of_kenlm(committee):
    """For a target that the training novels lack, P(`<unk>`)."""
    kenlm = KenlmModel(committee.model.path(ARPA))
    expected = [
        kenlm.log10_prob(["<s>", *p.target_sentence[: p.target_position]], p.target)
        for p in committee.records
    ]
    assert committee.columns["ngram"] == pytest.approx(expected, abs=1e-4)


def test_the_cache_counts_the_passage(committee):
    """Words and marks before the target; unknown words count as one."""
    known = set(read_counts(committee.counts).words)
    table = read_parquet(committee.decide("cached", MEMBERS, 0.02).path(VERDICTS))
    before = [
        [word if word in known else "" for word in passage.before_target]
        for passage in committee.records
    ]
    targets = [passage.target if passage.target in known else "" for passage in committee.records]
    shares = np.array(
        [words.count(target) / len(words) for words, target in zip(before, targets, strict=True)]
    )
    assert shares.any()
    ngram, cache = table["ngram"].to_numpy(), table["cache"].to_numpy()
    assert 10.0**cache == pytest.approx(0.8 * 10.0**ngram + 0.2 * shares, rel=1e-4)


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_network_reads_the_whole_passage(committee, kind):
    """Sentence by sentence, 0 before each."""
    words = list(read_counts(committee.counts).words[:60])
    number = {word: i for i, word in enumerate(words, 1)}
    network = open_trained(committee.networks, kind)
    scores = committee.columns[kind].tolist()
    for passage, score in list(zip(committee.records, scores, strict=True))[:40]:
        shown = [*passage.sentences[:-1], passage.target_sentence[: passage.target_position + 1]]
        ids = np.array(
            [one for sentence in shown for one in (0, *(number.get(word, 61) for word in sentence))]
        )
        assert score == pytest.approx(
            float(network.log_probs(ids, np.array([len(ids)]))[0]) / np.log(10), abs=1e-4
        )


@pytest.mark.slow
def test_workers_and_parts_change_nothing(committee, monkeypatch):
    """Equal bytes with two workers; equal scores but for rounding in parts of seven passages."""
    again = committee.score("again", *NETWORKS, workers=2)
    assert again.manifest["files"] == committee.scores.manifest["files"]
    monkeypatch.setattr(stage, "_PASSAGES_PER_SHARD", 7)
    cut = SCORES.read(committee.score("cut", *NETWORKS).path(SCORES.name))
    for name, values in committee.columns.items():
        assert cut[name].to_numpy() == pytest.approx(values, abs=1e-5)


def test_verdicts_and_rejections_agree(committee):
    probs = read_parquet(committee.decide("all", MEMBERS, 1.0).path(VERDICTS))
    greatest = np.max([10.0 ** probs[member].to_numpy() for member in MEMBERS], axis=0)
    threshold = float(np.median(greatest))
    artifact = committee.decide("committee", MEMBERS, threshold)
    table = read_parquet(artifact.path(VERDICTS)).to_pylist()
    survivors = {row["id"] for row in table if row["kept"]}
    assert 0 < len(survivors) < len(table)
    assert set(read_survivors(artifact).to_pylist()) == survivors
    assert artifact.funnel["kept"] == len(survivors)
    rejected = {row["id"]: row for row in read_parquet(artifact.path(REJECTED)).to_pylist()}
    assert rejected.keys() == {row["id"] for row in table} - survivors
    limit = np.float32(np.log10(threshold))
    for row in table:
        guessed = [member for member in MEMBERS if np.float32(row[member]) >= limit]
        assert row["kept"] == (not guessed)
        if guessed:
            assert rejected[row["id"]]["reason"] == f"guessed_by_{guessed[0]}"
            printed = float(rejected[row["id"]]["detail"].removeprefix("P(target) = "))
            assert printed == pytest.approx(10.0 ** row[guessed[0]], rel=1e-3)
    shares = {
        member: float(np.mean([np.float32(row[member]) < limit for row in table]))
        for member in MEMBERS
    }
    assert artifact.facts["survival"] == pytest.approx(shares, abs=1e-3)


def test_a_member_who_is_not_asked_has_no_say(committee):
    """With one member of four the verdicts are its own, and its column the only one."""
    artifact = committee.decide("one", ["cache"], 0.02)
    table = read_parquet(artifact.path(VERDICTS))
    assert table.column_names == ["id", "kept", "cache"]
    assert table["kept"].to_pylist() == (10.0 ** table["cache"].to_numpy() < 0.02).tolist()
    assert set(artifact.funnel["rejected"]) == {"guessed_by_cache"}

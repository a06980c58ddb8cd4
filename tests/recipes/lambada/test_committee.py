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
    open_index,
    write_index,
    write_language_model,
)
from cloze_gen.models.networks import NetworksSettings, open_trained, write_networks
from cloze_gen.recipes.lambada import committee as stage
from cloze_gen.recipes.lambada.committee import (
    NETWORKS,
    SCORES,
    VERDICTS,
    CacheSettings,
    CommitteeSettings,
    apply_committee,
    has_guessed,
    index_numbers,
    passage_ids,
    read_scores,
    read_survivors,
    write_cache_scores,
    write_committee,
    write_network_scores,
    write_ngram_scores,
)
from cloze_gen.recipes.lambada.passages import read_passages
from cloze_gen.records.passage import Part
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import REJECTED, read_parquet
from tests.recipes.lambada.conftest import Novels, make_novels

PROBS = st.lists(st.floats(1e-9, 1.0), min_size=3, max_size=3)


def test_the_threshold_is_inclusive():
    """A target of exactly 0.00175 is guessed, as the paper writes it; a little less is not."""
    threshold = CommitteeSettings().threshold
    assert has_guessed(np.log10([0.00175, 0.001749]), threshold=threshold).tolist() == [True, False]


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


@pytest.mark.parametrize("label", ["kept", "id", "passages", "ngram", "x" * 101])
@pytest.mark.parametrize("member", ["scores:answers/{}.jsonl", "hf:models/{}"])
def test_a_member_takes_no_name_that_is_in_use(member, label):
    """A label becomes a column, an input and part of a file's name."""
    with pytest.raises(ValidationError, match=r"would get the label '.*rename the file or folder"):
        CommitteeSettings(members=(member.format(label),))


def test_models_of_others_may_be_members():
    """A folder, a file of answers; several of each."""
    members = ("ngram", "hf:models/one", "hf:models/two", "scores:three.jsonl")
    assert CommitteeSettings(members=members).members == members


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=1, max_size=6), st.data()
)
def test_a_member_reads_from_the_passage_to_its_target(sentences, data):
    numbers = np.array([number for sentence in sentences for number in (*sentence, 0)], np.uint32)
    starts = np.concatenate([[0], np.cumsum([len(sentence) + 1 for sentence in sentences])])
    first = data.draw(st.integers(0, len(sentences) - 1))
    last = data.draw(st.integers(first, len(sentences) - 1))
    target = int(starts[last]) + data.draw(st.integers(0, len(sentences[last]) - 1))
    spans = np.array([starts[first], starts[0]]), np.array([target, starts[0]])
    ids, lengths = passage_ids(numbers, *spans)
    assert ids.tolist() == [0, *numbers[starts[first] : target + 1].tolist(), 0, int(numbers[0])]
    assert lengths.tolist() == [len(ids) - 2, 2]


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
    scores: dict[str, Artifact]

    @property
    def records(self):
        return list(read_passages(self.passages))


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
    ngram = novels.stage("ngram", write_ngram_scores, passages=passages, counts=counts, index=index)
    cache = novels.stage(
        "cache",
        write_cache_scores,
        passages=passages,
        ngram=ngram,
        settings=CacheSettings(weight=0.2),
    )
    scores = {"ngram": ngram, "cache": cache}
    scores |= {
        kind: novels.stage(
            kind, write_network_scores, passages=passages, networks=networks, kind=kind
        )
        for kind in NETWORKS
    }
    return Committee(novels, passages, counts, model, index, networks, scores)


def test_every_member_has_a_score_for_every_passage(committee):
    """In their order, each a probability, none missing."""
    ids = [passage.id for passage in committee.records]
    for artifact in committee.scores.values():
        assert read_parquet(artifact.path(SCORES))["id"].to_pylist() == ids
        log10_probs, unknown = read_scores(artifact)
        assert np.isfinite(log10_probs).all()
        assert (log10_probs <= 0).all()
        assert log10_probs.dtype == np.float32
        assert unknown.dtype == np.bool_


def test_the_ngram_score_is_that_of_kenlm(committee):
    """For a target that the training novels lack, P(`<unk>`), marked."""
    kenlm = KenlmModel(committee.model.path(ARPA))
    log10_probs, unknown = read_scores(committee.scores["ngram"])
    expected = [
        kenlm.log10_prob(["<s>", *p.target_sentence[: p.target_position]], p.target)
        for p in committee.records
    ]
    assert log10_probs == pytest.approx(expected, abs=1e-4)
    known = set(read_counts(committee.counts).words)
    assert unknown.tolist() == [p.target not in known for p in committee.records]


def test_a_sentence_begins_for_the_ngram_model_where_it_begins(committee):
    """0 between sentences is `<s>`; the number after all words is `<unk>`."""
    index = open_index(committee.index)
    words = read_counts(committee.counts).words
    numbers = index_numbers(index, words)
    assert [index.words[number] for number in numbers.tolist()] == ["<s>", *words, "<unk>"]


def test_the_cache_counts_the_passage(committee):
    """Words and marks before the target; unknown words count as one."""
    known = set(read_counts(committee.counts).words)
    ngram, _ = read_scores(committee.scores["ngram"])
    cache, _ = read_scores(committee.scores["cache"])
    before = [
        [word if word in known else "" for word in passage.before_target]
        for passage in committee.records
    ]
    targets = [passage.target if passage.target in known else "" for passage in committee.records]
    shares = np.array(
        [words.count(target) / len(words) for words, target in zip(before, targets, strict=True)]
    )
    assert shares.any()
    assert 10.0**cache == pytest.approx(0.8 * 10.0**ngram + 0.2 * shares, rel=1e-4)


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_network_reads_the_whole_passage(committee, kind):
    """Sentence by sentence, 0 before each; targets outside its sixty words are marked."""
    words = list(read_counts(committee.counts).words[:60])
    number = {word: i for i, word in enumerate(words, 1)}
    network = open_trained(committee.networks, kind)
    log10_probs, unknown = read_scores(committee.scores[kind])
    assert unknown.tolist() == [passage.target not in number for passage in committee.records]
    for passage, found in list(zip(committee.records, log10_probs.tolist(), strict=True))[:40]:
        shown = [*passage.sentences[:-1], passage.target_sentence[: passage.target_position + 1]]
        ids = np.array(
            [one for sentence in shown for one in (0, *(number.get(word, 61) for word in sentence))]
        )
        assert found == pytest.approx(
            float(network.log_probs(ids, np.array([len(ids)]))[0]) / np.log(10), abs=1e-4
        )


@pytest.mark.slow
def test_workers_and_parts_change_nothing(committee, monkeypatch):
    """Equal bytes with two workers; equal scores but for rounding in parts of seven passages."""
    given = {"passages": committee.passages, "networks": committee.networks, "kind": "recurrent"}
    again = committee.novels.stage("again", write_network_scores, **given, workers=2)
    assert again.manifest["files"] == committee.scores["recurrent"].manifest["files"]
    monkeypatch.setattr(stage, "_PASSAGES_PER_SHARD", 7)
    cut = committee.novels.stage("cut", write_network_scores, **given)
    assert read_scores(cut)[0] == pytest.approx(read_scores(again)[0], abs=1e-5)


def test_verdicts_and_rejections_agree(committee):
    probs = {name: 10.0 ** read_scores(one)[0] for name, one in committee.scores.items()}
    threshold = float(np.median(np.max([*probs.values()], axis=0)))
    artifact = committee.novels.stage(
        "committee",
        write_committee,
        passages=committee.passages,
        scores=committee.scores,
        threshold=threshold,
    )
    table = read_parquet(artifact.path(VERDICTS)).to_pylist()
    survivors = {row["id"] for row in table if row["kept"]}
    assert 0 < len(survivors) < len(table)
    assert read_survivors(artifact) == survivors
    assert artifact.funnel["kept"] == len(survivors)
    rejected = {row["id"]: row for row in read_parquet(artifact.path(REJECTED)).to_pylist()}
    assert rejected.keys() == {row["id"] for row in table} - survivors
    limit = np.float32(np.log10(threshold))
    for row in table:
        guessed = [member for member in probs if np.float32(row[member]) >= limit]
        assert row["kept"] == (not guessed)
        if guessed:
            assert rejected[row["id"]]["reason"] == f"guessed_by_{guessed[0]}"
            told = float(rejected[row["id"]]["detail"].removeprefix("P(target) = "))
            assert told == pytest.approx(10.0 ** row[guessed[0]], abs=1e-5)
    assert artifact.facts["survival"] == pytest.approx(
        {
            member: float(np.mean(read_scores(scores)[0].astype(np.float32) < limit))
            for member, scores in committee.scores.items()
        },
        abs=1e-3,
    )


def test_a_member_who_is_not_asked_has_no_say(committee):
    """With one member of four the verdicts are its own, and its column the only one."""
    alone = {"cache": committee.scores["cache"]}
    artifact = committee.novels.stage(
        "committee", write_committee, passages=committee.passages, scores=alone, threshold=0.02
    )
    table = read_parquet(artifact.path(VERDICTS))
    assert table.column_names == ["id", "kept", "cache"]
    assert table["kept"].to_pylist() == (10.0 ** table["cache"].to_numpy() < 0.02).tolist()
    assert set(artifact.funnel["rejected"]) == {"guessed_by_cache"}

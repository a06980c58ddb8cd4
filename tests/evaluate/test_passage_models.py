"""The text in small letters and its n-gram model, as artifacts."""

from collections import Counter

import numpy as np
import pytest

from cloze_gen.corpus.training_text import TOKENS
from cloze_gen.engine.local import InProcessEngine
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.evaluation import passage_models
from cloze_gen.evaluation.passage_models import (
    RARE,
    PassageScorer,
    closed_lines,
    given_scores,
    read_folded_words,
    write_passage_network,
    write_passage_ngrams,
)
from cloze_gen.evaluation.passages import PassageExample
from cloze_gen.models.language_model import open_index
from cloze_gen.models.networks import (
    CLASSES,
    NETWORK_WORDS,
    TRAINING,
    NetworksSettings,
    open_trained,
)
from cloze_gen.rng import derive_rng
from cloze_gen.store.artifacts import Store
from cloze_gen.store.fingerprint import StageKey
from cloze_gen.store.tables import read_tsv
from tests.support.errors import refused
from tests.support.stage import counts_of, made

SURFACE = ("the", "The", "Joe", "joe", "sea", "lamp", "went", "out", "NULL", '"', ".")
FOLDED = ("the", "joe", "sea", "lamp", "went", "out", "null", '"', ".")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def surface():
    rng = np.random.default_rng(5)
    return [rng.integers(1, len(SURFACE) + 1, rng.integers(3, 9)) for _ in range(300)]


@pytest.fixture(scope="module")
def text(store, surface):
    """Three hundred sentences of drawn words."""
    with store.writing(StageKey("text", 1)) as writer:
        assert writer is not None
        np.save(
            writer.path(TOKENS),
            np.concatenate([np.append(row, 0) for row in surface]).astype(np.uint32),
        )
        writer.facts |= {"tokens": sum(map(len, surface)), "sentences": len(surface)}
    return store.open(StageKey("text", 1))


@pytest.fixture(scope="module")
def counts(store, surface):
    plain = Counter(np.concatenate(surface).tolist())
    return counts_of(
        store, [(word, plain[i], plain[i], 0.1, 1.0) for i, word in enumerate(SURFACE, 1)]
    )


def test_the_text_is_the_training_text_in_small_letters(text, counts, surface, monkeypatch):
    said = [[SURFACE[i - 1].casefold() for i in row] for row in surface]
    counted = Counter(word for sentence in said for word in sentence)
    folded = read_folded_words(counts)
    assert folded.words == sorted(FOLDED, key=lambda word: (-counted[word], word))
    assert folded.counts.tolist() == [counted[word] for word in folded.words]
    monkeypatch.setattr(passage_models, "_BLOCK", 7)
    ids = np.load(text.path(TOKENS))
    lines = b"".join(closed_lines(ids, folded.numbers, folded.words)).decode().splitlines()
    assert [line.split() for line in lines] == said


@pytest.fixture(scope="module")
def ngrams(store, text, counts):
    return made(
        store,
        "passage-ngrams",
        write_passage_ngrams,
        text=text,
        counts=counts,
        order=3,
        vocabulary=10,
    )


def test_the_model_is_of_the_closed_vocabulary(store, text, counts):
    found = made(
        store,
        "passage-ngrams",
        write_passage_ngrams,
        text=text,
        counts=counts,
        order=2,
        vocabulary=5,
    )
    index = open_index(found)
    words = read_folded_words(counts).words[:5]
    assert set(index.words) == {"<s>", "</s>", "<unk>", RARE, *words}
    after = 10.0 ** index.next_word_log10_probs([words[0]]).astype(np.float64)
    assert after.sum() == pytest.approx(1, abs=1e-5)
    # four of eleven types, and one in six or seven is an end
    assert after[index.id_of[RARE]] == pytest.approx(0.3, abs=0.1)
    assert not (found.folder / "temp").exists()


def test_scores_are_the_models_own(counts, ngrams):
    asked = [
        PassageExample("a:1", "passages", (("joe", "went"), ("the", "sea")), "lamp"),
        PassageExample("a:2", "control", ((),), "gull"),
    ]
    scorer = PassageScorer({"counts": counts, "ngrams": ngrams})
    found, index = scorer.scores("n-gram", asked), open_index(ngrams)
    expected = index.next_word_log10_probs(["the", "sea"])[index.id_of["lamp"]]
    assert found.log10_prob[0] == pytest.approx(float(expected), abs=1e-5)
    assert found.known.tolist() == [True, False]
    said = PassageExample("a:3", "passages", (("lamp",), ("the", "sea")), "lamp")
    assert (
        scorer.scores("n-gram + cache", [said]).log10_prob[0]
        > scorer.scores("n-gram + cache", asked).log10_prob[0]
    )
    assert '"' not in scorer.guesses
    assert "." not in scorer.guesses


def test_an_answer_serves_both_sets():
    """A passage that the control set holds too has one answer, and each set its own order."""
    asked = [PassageExample(name, "passages", ((),), "x") for name in ("a:2", "a:1", "a:2")]
    lines = (
        '{"id": "a:1", "log10_prob": -1, "rank": 4}\n{"id": "a:2", "log10_prob": -2, "rank": 1}\n'
    )
    found = given_scores(lines, asked, name="mine")
    assert (found.log10_prob.tolist(), found.rank.tolist()) == ([-2, -1, -2], [1, 4, 1])
    assert found.right is not None
    assert found.right.tolist() == [True, False, True]


def test_a_log_of_a_harness_is_an_answer_too():
    """In either form the passages have what the model said of them; a log tells no ranks."""
    asked = [PassageExample("a:1", "passages", ((),), "x")]
    own = given_scores('{"id": "a:1", "log10_prob": -1, "is_greedy": true}', asked, name="mine")
    log = given_scores(
        '{"doc": {"id": "a:1"}, "resps": [[["-2.302585092994046", "True"]]]}', asked, name="mine"
    )
    assert own.right is not None
    assert log.right is not None
    assert (
        (own.log10_prob.tolist(), own.right.tolist())
        == (log.log10_prob.tolist(), log.right.tolist())
        == ([-1], [True])
    )


# ---- networks that passages are asked of

TINY = NetworksSettings(
    vocabulary=40,
    vector_size=12,
    history=2,
    feedforward_hidden=16,
    feedforward_words=16_000,
    recurrent_hidden=16,
    recurrent_words=8_000,
    epochs=20,
)
THINGS = {"sea": ["ship", "sail", "mast", "wave"], "home": ["house", "door", "roof", "fire"]}
KINDS = ("feedforward", "recurrent")
WEIGHTS = {
    "feedforward": {"input"},
    "recurrent": {"input", "recurrent"},
}


def training_books(store, sentences):
    """The text and the counts of lowercased sentences."""
    lines = [sentence.split() for sentence in sentences]
    words, counts = np.unique([word for line in lines for word in line], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    number = {str(words[at]): i for i, at in enumerate(order, 1)}
    ids = np.array(
        [one for line in lines for one in (*(number[word] for word in line), 0)], np.uint32
    )
    key = StageKey("text", 1, settings={"sentences": len(lines), "ids": int(ids.sum())})
    with store.writing(key) as writer:
        if writer is not None:
            np.save(writer.path(TOKENS), ids)
            writer.facts |= {"tokens": len(ids) - len(lines), "sentences": len(lines)}
    rows = [(str(words[at]), int(counts[at]), int(counts[at]), 0.1, 1.0) for at in order]
    return {"text": store.open(key), "counts": counts_of(store, rows)}


def small_novels():
    """Sentences in threes about a ship or a house, which determine the third's last word."""
    rng = derive_rng(1, "test.passage_networks")
    text = []
    for _ in range(700):
        target = str(rng.choice(["sea", "home"]))
        text += [
            f"the {rng.choice(THINGS[target])} and the {rng.choice(THINGS[target])} ."
            for _ in range(2)
        ]
        text.append(f'it was {target} , "')
    return [*text, "rare words once each : " + " ".join(f"w{i}" for i in range(40)) + " ."]


def trained(books, out, kind, *, seed=1):
    store, key = Store(out), StageKey(f"passage_{kind}", 1, {"seed": seed})
    with store.writing(key) as writer:
        assert writer is not None
        ctx = StageContext(store, InProcessEngine(), kind)
        write_passage_network(writer, ctx, **books, settings=TINY, kind=kind, seed=seed)
    return store.open(key)


@pytest.fixture(scope="module")
def books(tmp_path_factory):
    return training_books(Store(tmp_path_factory.mktemp("text")), small_novels())


@pytest.fixture(scope="module")
def networks(books, tmp_path_factory):
    out = tmp_path_factory.mktemp("networks")
    return {kind: trained(books, out, kind) for kind in KINDS}


@pytest.fixture(scope="module")
def words(books):
    return read_folded_words(books["counts"]).words


def asked(words, passage):
    """A passage as numbers: a full stop ends a sentence."""
    flat = passage.replace(".", ". <end>").split()
    return np.array([0 if word == "<end>" else words.index(word) + 1 for word in flat])


@pytest.mark.parametrize("kind", KINDS)
def test_an_artifact_holds_one_network(networks, kind):
    shared = {"word_vectors", "class_weights", "word_weights"}
    weights = {f"{kind}/{name}.npy" for name in shared | WEIGHTS[kind]}
    assert set(networks[kind].manifest["files"]) == weights | {NETWORK_WORDS, CLASSES, TRAINING}
    assert networks[kind].manifest["files"][NETWORK_WORDS]["rows"] == 40
    assert np.load(networks[kind].path(CLASSES))[-1] == 42
    rows = read_tsv(networks[kind].path(TRAINING))
    assert {row["network"] for row in rows} == {kind}
    assert float(rows[-1]["perplexity"]) < float(rows[0]["perplexity"])


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_a_distribution(networks, words, kind):
    network, ids = (
        open_trained(networks[kind], kind),
        asked(words, "the ship and the mast . it was sea"),
    )
    every = network.all_log_probs(ids, np.array([len(ids)]))
    assert every.shape == (1, 42)
    assert np.exp(every.astype(np.float64)).sum() == pytest.approx(1, abs=1e-5)
    assert network.log_probs(ids, np.array([len(ids)]))[0] == pytest.approx(
        every[0, ids[-1]], abs=1e-5
    )


@pytest.mark.parametrize("kind", KINDS)
def test_what_always_follows_is_learnt(networks, words, kind):
    """After "ship and" comes "the", whatever the passage."""
    ids = asked(words, "it was sea . the ship and the")
    assert open_trained(networks[kind], kind).log_probs(ids, np.array([len(ids)]))[0] > np.log(0.5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bytes_each_time(networks, books, tmp_path, kind):
    again = trained(books, tmp_path, kind)
    assert again.manifest["files"] == networks[kind].manifest["files"]


def test_another_seed_is_another_network(networks, books, tmp_path):
    """As far as its weights go."""
    name = "recurrent/recurrent.npy"
    assert (
        trained(books, tmp_path, "recurrent", seed=2).manifest["files"][name]
        != networks["recurrent"].manifest["files"][name]
    )


def test_a_text_too_small_is_refused(tmp_path):
    books = training_books(Store(tmp_path / "text"), ["it was the sea"] * 2)
    refused(lambda: trained(books, tmp_path, "recurrent"), CorpusError, names="10 tokens")

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from cloze_gen.adapters import spacy_tagger
from cloze_gen.adapters.spacy_tagger import (
    BUILTIN_FOLDER,
    SCORES,
    SpacyTagger,
    load_tagger,
    model_digest,
    tagger_identity,
)
from cloze_gen.adapters.window_cnn import WindowCnn
from cloze_gen.english.treebank import host_index, normalize_for_tagging, treebank_split
from cloze_gen.errors import ModelError

CASES = Path(__file__).parents[1] / "cases" / "tagged_sentences.tsv"


def read_cases():
    """Whole words and the tags of their hosts."""
    sentences = []
    for line in CASES.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        groups = []
        for token in line.split("\t")[2].split(" "):
            word, tag = token.rsplit("_", 1)
            if word.startswith("~"):
                groups[-1].append([word[1:], tag])
            else:
                groups.append([[word, tag]])
        words = ["".join(word for word, _ in group) for group in groups]
        sentences.append(
            (words, [group[host_index([word for word, _ in group])][1] for group in groups])
        )
    return sentences


@pytest.fixture(scope="module")
def tagger():
    return load_tagger()


@pytest.fixture(scope="module")
def sentences():
    return [words for words, _ in read_cases()]


def test_hand_tagged_sentences(tagger, sentences):
    """93.4 % when the model was shipped."""
    pairs = [
        (right, given_tag)
        for (_, tags), row in zip(read_cases(), tagger.tag(sentences), strict=True)
        for right, given_tag in zip(tags, row, strict=True)
    ]
    assert len(pairs) > 1300
    assert sum(right == given_tag for right, given_tag in pairs) / len(pairs) > 0.92


def test_cases_split_as_written():
    for line in CASES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            words = [token.rsplit("_", 1)[0] for token in line.split("\t")[2].split(" ")]
            joined = " ".join(words).replace(" ~", "").split(" ")
            assert [part for word in joined for part in treebank_split(word)] == [
                normalize_for_tagging(w.removeprefix("~")) for w in words
            ]


def test_fast_network_equals_spacy(tagger, sentences):
    plain = load_tagger(fast=False)
    assert tagger.reach is not None
    assert plain.reach is None
    places = [(tokens, at) for tokens in sentences for at in range(len(tokens))]
    assert list(tagger.tag_at(places)) == list(plain.tag_at(places))
    assert list(tagger.tag(sentences)) == list(plain.tag(sentences))


def test_tags_do_not_depend_on_batches(tagger, sentences, monkeypatch):
    expected = list(tagger.tag(sentences))
    for batch_tokens, max_types in ((1, 40_000), (100_000, 40_000), (64, 50)):
        monkeypatch.setattr(spacy_tagger, "BATCH_TOKENS", batch_tokens)
        monkeypatch.setattr(spacy_tagger, "MAX_TYPES", max_types)
        assert list(tagger.tag(sentences)) == expected


def test_encoded_sentences_get_the_same_tags(tagger, sentences):
    """By the network of word types and by spaCy; a sentence may be empty."""
    rows = [[], *sentences, []]
    words, tokens = np.unique([token for row in rows for token in row], return_inverse=True)
    lengths = np.array([*map(len, rows)])
    expected = [tag for tags in tagger.tag(rows) for tag in tags]
    for one in (tagger, load_tagger(fast=False)):
        found = one.tag_encoded(words.tolist(), tokens, lengths)
        assert [one.labels[number] for number in found] == expected


def test_a_clear_lead_decides_early(tagger, sentences):
    """The built-in margin changes no tag; the network reads on where the lead is smaller."""

    def tags(margin):
        return list(SpacyTagger(tagger._nlp, identity="", margin=margin).tag(sentences))

    assert tags(math.inf) == list(tagger.tag(sentences))
    changed = [
        a != b
        for x, y in zip(tags(0), tags(math.inf), strict=True)
        for a, b in zip(x, y, strict=True)
    ]
    assert 0 < sum(changed) < len(changed) / 10


def test_a_type_is_the_same_after_any_others(tagger):
    words = [f"{word}{number}" for word in ("sea", "running", "Mary") for number in range(50)]
    rows = []
    for order in (words, words[::-1], words[7:] + words[:7]):
        network = WindowCnn.from_pipeline(tagger._nlp)
        assert network is not None
        for first in range(0, len(order), 37):
            network.add_types(order[first : first + 37])
        at = 1 + np.argsort(order)
        rows.append((network._embedded[at].tobytes(), network._projected[at].tobytes()))
    assert len(set(rows)) == 1


def test_calls_do_not_share_state(tagger, sentences):
    forward, backward = tagger.tag(sentences), tagger.tag(sentences[::-1])
    pairs = list(zip(forward, backward, strict=True))
    assert (
        [row for row, _ in pairs] == [row for _, row in pairs][::-1] == list(tagger.tag(sentences))
    )


def test_empty_input(tagger):
    assert list(tagger.tag([])) == []
    assert list(tagger.tag([[]])) == [[]]
    assert [len(row) for row in tagger.tag([[], ["He", "ran", "."], []])] == [0, 3, 0]


def test_clitics_and_compounds(tagger):
    tokens = ["I", "don't", "know", "the", "left-handed", "man's", "name", "."]
    row = list(tagger.tag_at((tokens, at) for at in range(len(tokens))))
    assert [token.tag for token in row] == ["PRP", "VBP", "VB", "DT", "JJ", "NN", "NN", "."]
    assert row[1].clitics == ("RB",)
    assert row[5].clitics == ("POS",)


def test_context_decides(tagger):
    rows = list(tagger.tag([["They", "walk", "home", "."], ["She", "took", "a", "walk", "."]]))
    assert (rows[0][1], rows[1][3]) == ("VBP", "NN")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(
            st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=9),
            max_size=8,
        ),
        max_size=5,
    )
)
def test_any_text_gets_one_tag_a_token(rows):
    tagger = load_tagger_once()
    tagged = list(tagger.tag(rows))
    assert [len(row) for row in tagged] == [len(row) for row in rows]
    assert {tag for row in tagged for tag in row} <= set(tagger.labels)


def load_tagger_once(cache=[]):  # noqa: B006  (hypothesis tests take no module fixture)
    if not cache:
        cache.append(load_tagger())
    return cache[0]


def test_missing_pipeline_names_the_command():
    with pytest.raises(ModelError, match="python -m spacy download en_no_such_pipeline"):
        load_tagger("en_no_such_pipeline")


def test_pipeline_without_tagger(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ModelError, match="has no tagger"):
        load_tagger(str(tmp_path / "blank"))


def test_named_pipeline_of_another_kind(tmp_path):
    from spacy.tokens import Doc
    from spacy.training import Example

    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec")
    nlp.add_pipe(
        "tagger",
        config={"model": {"tok2vec": {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}}},
    )
    example = Example(
        Doc(nlp.vocab, words=["a", "b"]), Doc(nlp.vocab, words=["a", "b"], tags=["DT", "NN"])
    )
    nlp.initialize(lambda: [example])
    nlp.to_disk(tmp_path / "shared")
    tagger = load_tagger(str(tmp_path / "shared"))
    assert tagger.reach is None
    assert [len(row) for row in tagger.tag([["don't", "go"], []])] == [2, 0]


def test_no_token_beyond_its_reach_changes_a_tag(tagger, sentences):
    """In whole sentences and in windows of the reach; a smaller window changes some tags."""
    places = [(sentence, at) for sentence in sentences for at in range(len(sentence))]
    whole = list(tagger.tag_at(places))
    assert tagger.reach is not None
    assert [token.tag for token in whole] == [tag for tags in tagger.tag(sentences) for tag in tags]

    def within(reach):
        return list(
            tagger.tag_at(
                (sentence[max(0, at - reach) : at + 1 + reach], min(at, reach))
                for sentence, at in places
            )
        )

    assert within(tagger.reach) == whole
    assert within(1) != whole


def test_identity_is_of_the_content(tagger):
    assert tagger.identity == load_tagger().identity
    assert (
        json.loads((BUILTIN_FOLDER / "scores.json").read_text(encoding="utf-8"))["model"]
        == tagger.identity
    )


def test_model_folder_is_small_and_clean():
    files = sorted(path for path in BUILTIN_FOLDER.rglob("*") if path.is_file())
    assert {"README.md", "LICENSE.txt", "scores.json", "config.cfg", "meta.json"} <= {
        path.name for path in files
    }
    assert sum(path.stat().st_size for path in files) <= 10_000_000
    for path in files:
        if path.suffix in (".cfg", ".json", ".md", ".txt") or path.name == "cfg":
            text = path.read_text(encoding="utf-8")
            assert not any(root in text for root in ("/tmp/", "/home/", "/root/", "C:\\")), (
                path.name
            )


@pytest.fixture
def builtin_folder(tmp_path, monkeypatch):
    """A copy of the built-in tagger; loading a pipeline fails."""
    shutil.copytree(BUILTIN_FOLDER, tmp_path / "model")
    monkeypatch.setattr(spacy_tagger, "BUILTIN_FOLDER", tmp_path / "model")
    monkeypatch.setattr(spacy_tagger, "model_digest", lambda: model_digest(tmp_path / "model"))
    monkeypatch.setattr(
        spacy_tagger,
        "load_tagger",
        lambda name: pytest.fail("loaded") if name == "builtin" else load_tagger(name),
    )
    tagger_identity.cache_clear()
    yield tmp_path / "model"
    tagger_identity.cache_clear()


def test_the_built_in_tagger_is_not_loaded(builtin_folder):
    assert tagger_identity("builtin") == load_tagger().identity


@pytest.mark.parametrize("name", ["tagger/model", "tokenizer", "config.cfg", "vocab/strings.json"])
def test_a_changed_file_has_it_loaded(builtin_folder, name):
    (builtin_folder / name).write_bytes((builtin_folder / name).read_bytes() + b" ")
    with pytest.raises(pytest.fail.Exception, match="loaded"):
        tagger_identity("builtin")


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"model": "x"})])
def test_without_a_record_it_is_loaded(builtin_folder, text):
    (builtin_folder / SCORES).write_text(text, encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match="loaded"):
        tagger_identity("builtin")

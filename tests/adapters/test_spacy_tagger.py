from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from cloze_gen.adapters import spacy_tagger, window_cnn
from cloze_gen.adapters.spacy_tagger import BUILTIN_FOLDER, load_tagger, tagger_identity
from cloze_gen.adapters.window_cnn import WindowCnn
from cloze_gen.english.treebank import (
    host_index,
    is_compound,
    treebank_split,
)
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


def spacy_tags(nlp, sentence):
    """The tags by spaCy's own computation, as `tag_at` spells them."""
    parts = [treebank_split(token) for token in sentence]
    doc = nlp.get_pipe("tagger")(Doc(nlp.vocab, words=[word for words in parts for word in words]))
    tags = iter([token.tag_ for token in doc])
    rows = []
    for token, words in zip(sentence, parts, strict=True):
        clitics = [next(tags) for _ in words]
        tag = clitics.pop(host_index(words))
        rows.append("+".join(["JJ" if tag == "VBN" and is_compound(token) else tag, *clitics]))
    return rows


def test_the_network_by_types_equals_spacy(tagger, sentences):
    nlp = spacy.load(BUILTIN_FOLDER)
    expected = [spacy_tags(nlp, sentence) for sentence in sentences]
    places = [(tokens, at) for tokens in sentences for at in range(len(tokens))]
    assert tagger.tag_at(places) == [tag for row in expected for tag in row]
    assert tagger.tag(sentences) == [[tag.split("+")[0] for tag in row] for row in expected]


def test_tags_do_not_depend_on_batches(tagger, sentences, monkeypatch):
    expected = tagger.tag(sentences)
    for batch_tokens, max_types in ((1, 40_000), (100_000, 40_000), (64, 50)):
        monkeypatch.setattr(window_cnn, "BATCH_TOKENS", batch_tokens)
        monkeypatch.setattr(window_cnn, "MAX_TYPES", max_types)
        assert tagger.tag(sentences) == expected


def test_encoded_sentences_get_the_same_tags(tagger, sentences):
    """A sentence may be empty."""
    rows = [[], *sentences, []]
    words, tokens = np.unique([token for row in rows for token in row], return_inverse=True)
    lengths = np.array([*map(len, rows)])
    numbers = tagger.tag_encoded(words.tolist(), tokens, lengths)
    expected = [tag for tags in tagger.tag(rows) for tag in tags]
    assert [tagger.labels[number] for number in numbers] == expected


def test_a_clear_lead_decides_early(tagger, sentences, monkeypatch):
    """The margin changes no tag; the network reads on where the lead is smaller."""

    shipped = window_cnn.EARLY_EXIT_MARGIN

    def tags(margin):
        monkeypatch.setattr(window_cnn, "EARLY_EXIT_MARGIN", margin)
        return [tag for row in tagger.tag(sentences) for tag in row]

    complete = tags(np.inf)
    assert tags(shipped) == complete
    changed = sum(a != b for a, b in zip(tags(0), complete, strict=True))
    assert 0 < changed < len(complete) / 10


def test_a_type_is_the_same_after_any_others(tagger):
    words = [f"{word}{number}" for word in ("sea", "running", "Mary") for number in range(50)]
    rows = []
    for order in (words, words[::-1], words[7:] + words[:7]):
        network = WindowCnn(spacy.load(BUILTIN_FOLDER))
        for first in range(0, len(order), 37):
            network.type_ids(order[first : first + 37])
        at = 1 + np.argsort(order)
        rows.append((network._embedded[at].tobytes(), network._projected[at].tobytes()))
    assert len(set(rows)) == 1


def test_empty_input(tagger):
    assert tagger.tag([]) == []
    assert tagger.tag([[]]) == [[]]
    assert tagger.tag_at([]) == []


def test_clitics_and_compounds(tagger):
    tokens = ["I", "don't", "know", "the", "left-handed", "man's", "name", "."]
    assert tagger.tag_at((tokens, at) for at in range(len(tokens))) == [
        "PRP", "VBP+RB", "VB", "DT", "JJ", "NN+POS", "NN", ".",
    ]  # fmt: skip
    assert tagger.tag_at([(["'Twas", "he"], 0)]) == ["VBD+PRP"]


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
    tagger = load_tagger()
    tagged = list(tagger.tag(rows))
    assert [len(row) for row in tagged] == [len(row) for row in rows]
    assert {tag for row in tagged for tag in row} <= set(tagger.labels)


def test_no_token_beyond_its_reach_changes_a_tag(tagger, sentences):
    """In whole sentences and in windows of the reach; a smaller window changes some tags."""
    places = [(sentence, at) for sentence in sentences for at in range(len(sentence))]
    whole = tagger.tag_at(places)
    hosts = [tag.split("+")[0] for tag in whole]
    assert hosts == [tag for tags in tagger.tag(sentences) for tag in tags]

    def within(reach):
        return tagger.tag_at(
            (sentence[max(0, at - reach) : at + 1 + reach], min(at, reach))
            for sentence, at in places
        )

    assert within(tagger.reach) == whole
    assert within(1) != whole


def test_the_scores_are_of_this_model():
    scores = json.loads((BUILTIN_FOLDER / "scores.json").read_text(encoding="utf-8"))
    assert scores["model"] == tagger_identity()


def test_the_model_folder_is_small_and_has_its_licence():
    files = sorted(path for path in BUILTIN_FOLDER.rglob("*") if path.is_file())
    assert {"README.md", "LICENSE.txt", "scores.json", "config.cfg", "meta.json"} <= {
        path.name for path in files
    }
    assert sum(path.stat().st_size for path in files) <= 10_000_000


@pytest.fixture
def copied_folder(tmp_path):
    shutil.copytree(BUILTIN_FOLDER, tmp_path / "model")
    return tmp_path / "model"


def test_identity_is_of_the_content(copied_folder):
    assert tagger_identity(copied_folder) == tagger_identity()


@pytest.mark.parametrize("name", ["tagger/model", "tokenizer", "config.cfg", "vocab/strings.json"])
def test_a_changed_file_changes_the_identity(copied_folder, name):
    (copied_folder / name).write_bytes((copied_folder / name).read_bytes() + b" ")
    assert tagger_identity(copied_folder) != tagger_identity()


def test_the_margin_of_the_early_exit_is_part_of_the_identity(copied_folder, monkeypatch):
    identity = tagger_identity()
    monkeypatch.setattr(spacy_tagger, "EARLY_EXIT_MARGIN", 2.0)
    assert tagger_identity(copied_folder) != identity


@pytest.mark.parametrize("read", [tagger_identity, load_tagger])
def test_a_damaged_installation_is_one_message(copied_folder, read):
    (copied_folder / "meta.json").unlink()
    with pytest.raises(ModelError, match=r"model: cannot read the tagger \(.*Reinstall cloze-gen"):
        read(copied_folder)

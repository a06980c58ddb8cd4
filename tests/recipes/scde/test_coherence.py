"""How well a sentence goes with what stands around a blank."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloze_gen.corpus.frequencies import write_counts
from cloze_gen.corpus.training_text import TEXT, write_training_text
from cloze_gen.english.content_words import stem
from cloze_gen.errors import CorpusError
from cloze_gen.models.sentence_cues import fit_adjacent_sentences, rarity_of, sentence_rows
from cloze_gen.recipes.scde import coherence as module
from cloze_gen.recipes.scde.coherence import (
    neighbour_coherence,
    open_coherence,
    stem_rarity,
    write_coherence,
)
from cloze_gen.rng import derive_rng
from cloze_gen.store.artifacts import Store
from cloze_gen.word_tokens import is_word
from tests.recipes.scde.conftest import Novels


@given(st.integers(3, 8), st.integers(1, 3), st.integers(0, 2**32), st.data())
def test_coherence_is_the_mean_over_both_sides(sentences, candidates, seed, data):
    """Other blanks are skipped."""
    after, before = np.random.default_rng(seed).uniform(-1, 1, (2, sentences, candidates))
    blanks = sorted(data.draw(st.sets(st.integers(1, sentences - 2), min_size=1)))
    found = neighbour_coherence(after, before, np.array([blanks]))
    assert found.shape == (1, len(blanks), candidates)
    for b, blank in enumerate(blanks):
        last = max(i for i in range(blank) if i not in blanks)
        following = min(i for i in range(blank + 1, sentences) if i not in blanks)
        assert found[0, b] == pytest.approx((after[last] + before[following]) / 2)


def test_each_draw_is_by_itself():
    """Several draws at once are what each is alone."""
    after, before = np.random.default_rng(1).uniform(-1, 1, (2, 7, 3))
    draws = np.array([[1, 2], [2, 4], [3, 5]])
    together = neighbour_coherence(after, before, draws)
    assert together == pytest.approx(
        np.concatenate([neighbour_coherence(after, before, draws[i : i + 1]) for i in range(3)])
    )


def lines_of(text):
    """The words of every sentence, in small letters."""
    return [
        [word.casefold() for word in line.split() if is_word(word)]
        for line in text.path(TEXT).read_text().splitlines()
    ]


def test_it_knows_the_commonest_words(novels, monkeypatch):
    """Of the training novels, in small letters; of words as common the first by letters."""
    monkeypatch.setattr(module, "_VOCABULARY", 30)
    partition = novels.partition()
    counts = Counter(word for line in lines_of(novels.training_text(partition)) for word in line)
    model = open_coherence(novels.coherence(partition))
    assert list(model.words) == sorted(counts, key=lambda word: (-counts[word], word))[:30]
    assert list(model.words.values()) == list(range(30))


@pytest.mark.parametrize(("most", "step"), [(400_000, 1), (50, 6), (299, 1), (298, 2)])
def test_it_learns_from_lines_that_follow_one_another(novels, monkeypatch, most, step):
    monkeypatch.setattr(module, "_VOCABULARY", 10)
    monkeypatch.setattr(module, "_MAX_PAIRS", most)
    partition = novels.partition()
    lines = lines_of(novels.training_text(partition))
    assert len(lines) == 300
    artifact = novels.coherence(partition)
    model = open_coherence(artifact)
    known = [[model.words[word] for word in line if word in model.words] for line in lines]
    pairs = [
        (known[i], known[i + 1])
        for i in range(0, len(lines) - 1, step)
        if known[i] and known[i + 1]
    ]
    assert len(pairs) < -(-(len(lines) - 1) // step)  # some lines have no known word
    assert artifact.facts["pairs"] == len(pairs) <= most
    before, after = (sentence_rows([pair[side] for pair in pairs], 10) for side in (0, 1))
    dimensions = max(1, len(pairs) // 80)
    wanted = fit_adjacent_sentences(before, after, dimensions, derive_rng(1, "scde.coherence"))
    assert np.abs(model.before @ model.behind.T - wanted[0] @ wanted[1].T).max() < 1e-5


def test_a_stem_is_as_rare_as_in_the_training_novels(novels):
    partition = novels.partition()
    lines = lines_of(novels.training_text(partition))
    counts = Counter(stem(word) for line in lines for word in line)
    rarity = stem_rarity(novels.coherence(partition))
    wanted = rarity_of(counts, len(lines))
    for key in (*counts, "astrolabe"):
        assert rarity(key) == wanted(key)


def test_novels_of_one_sentence_teach_nothing(tmp_path):
    """The message says what is missing."""
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "short.txt").write_text(
        "The keeper of the lamp " + "and of the bell " * 8 + "slept."
    )
    novels = Novels(tmp_path / "books", Store(tmp_path / "out"))
    corpus = novels.corpus()
    counts = novels.stage("counts", write_counts, corpus=corpus)
    text = novels.stage("text", write_training_text, corpus=corpus, counts=counts)
    with pytest.raises(
        CorpusError,
        match=r"the training novels have no adjacent sentences with known words\. Add novels",
    ):
        novels.stage(
            "coherence",
            write_coherence,
            text=text,
            counts=counts,
            seed=1,
        )

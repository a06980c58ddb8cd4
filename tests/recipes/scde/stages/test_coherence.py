"""The model of adjacent sentences as an artifact: learnt from the lines of the training text, and read back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from cloze_gen.english.stems import stem
from cloze_gen.errors import CorpusError
from cloze_gen.recipes.scde.stages.coherence import open_coherence, read_stems, write_coherence
from cloze_gen.recipes.scde.steps.coherence import CoherenceSettings
from cloze_gen.rng import derive_rng
from cloze_gen.stages.corpus.counts import write_counts
from cloze_gen.stages.corpus.training_text import TEXT, write_training_text
from cloze_gen.stats.adjacent_sentences import fit_adjacent_sentences, sentence_rows
from cloze_gen.store.artifacts import Artifact, Store
from cloze_gen.words import is_word
from tests.recipes.scde.stages.conftest import Novels


def lines_of(text: Artifact) -> list[list[str]]:
    """The words of every sentence, in small letters."""
    return [[word.casefold() for word in line.split() if is_word(word)] for line in text.path(TEXT).read_text().splitlines()]


def test_it_knows_the_commonest_words(novels: Novels) -> None:
    """Of the training novels, in small letters; of words as common the first by letters."""
    partition = novels.partition()
    counts = Counter(word for line in lines_of(novels.training_text(partition)) for word in line)
    model = open_coherence(novels.coherence(partition, CoherenceSettings(vocabulary=30, dimensions=5)).folder)
    assert list(model.words) == sorted(counts, key=lambda word: (-counts[word], word))[:30]
    assert list(model.words.values()) == list(range(30))


@pytest.mark.parametrize(("most", "step"), [(400_000, 1), (50, 9), (449, 1), (448, 2)])
def test_it_learns_from_lines_that_follow_one_another(novels: Novels, most: int, step: int) -> None:
    """From all of them, or from every so many-th where there are more than are asked for; the vectors are those of such pairs."""
    partition = novels.partition()
    lines = lines_of(novels.training_text(partition))
    assert len(lines) == 450
    artifact = novels.coherence(partition, CoherenceSettings(dimensions=5, vocabulary=10, max_pairs=most))
    model = open_coherence(artifact.folder)
    known = [[model.words[word] for word in line if word in model.words] for line in lines]
    pairs = [(known[i], known[i + 1]) for i in range(0, len(lines) - 1, step) if known[i] and known[i + 1]]
    assert len(pairs) < -(-(len(lines) - 1) // step)  # some lines have no known word
    assert artifact.facts["pairs"] == len(pairs) <= most
    before, behind = (sentence_rows([pair[side] for pair in pairs], 10) for side in (0, 1))
    wanted = fit_adjacent_sentences(before, behind, 5, derive_rng(1, "scde.coherence"))
    assert np.abs(model.before @ model.behind.T - wanted[0] @ wanted[1].T).max() < 1e-5


def test_stems_are_counted(novels: Novels) -> None:
    """How often each is said in the training novels, those said once left out, and how many sentences there are."""
    partition = novels.partition()
    lines = lines_of(novels.training_text(partition))
    counts = Counter(stem(word) for line in lines for word in line)
    assert 1 in counts.values()
    assert read_stems(novels.coherence(partition).folder) == ({key: n for key, n in counts.items() if n > 1}, len(lines))


def test_novels_of_one_sentence_teach_nothing(tmp_path: Path) -> None:
    """The message says what is missing."""
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "short.txt").write_text("The keeper of the lamp " + "and of the bell " * 8 + "slept.")
    novels = Novels(tmp_path / "books", Store(tmp_path / "out"))
    corpus = novels.corpus()
    counts = novels.stage("counts", write_counts, corpus=corpus)
    text = novels.stage("text", write_training_text, corpus=corpus, counts=counts)
    with pytest.raises(CorpusError, match=r"no two sentences of the training novels follow one another\. Give more novels"):
        novels.stage("coherence", write_coherence, text=text, counts=counts, settings=CoherenceSettings(), seed=1)

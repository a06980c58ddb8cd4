"""What the readers know, from a finished run's artifacts."""

import numpy as np
import pytest

from cloze_gen.recipes.lambada.readers import read_readers, word_class
from cloze_gen.records.passage import Part, Passage
from cloze_gen.store.artifacts import open_artifact


@pytest.mark.parametrize(
    ("word", "tags", "expected"),
    [
        ("sea", {"NN": 3, "NNP": 9}, "NN"),
        ("Sea", {"NN": 3, "NNP": 9}, "NNP"),
        ("The", {"DT": 99, "NNP": 1}, "DT"),
        ("x", {"NNP": 1}, "NN"),
    ],
)
def test_a_word_in_small_letters_is_no_name(word, tags, expected):
    assert word_class(word, tags) == expected


def test_the_order_of_tags_does_not_matter():
    """Of equal counts the first tag in the alphabet is taken."""
    assert word_class("sea", {"VB": 2, "NN": 2}) == word_class("sea", {"NN": 2, "VB": 2}) == "NN"


def stage(run, name):
    [link] = run.glob(f"*-{name}")
    return open_artifact(link.resolve())


@pytest.mark.slow
def test_the_artifacts_fit_together(finished, scs):
    run = finished.folder
    [scs_run] = (path for path in (scs / "runs").iterdir() if path.is_dir())
    readers = read_readers(
        stage(run, "index"),
        stage(run, "counts"),
        stage(scs_run, "tagged-counts"),
        stage(run, "contexts"),
    )
    echo, trigger, next_words = readers.echo, readers.trigger, readers.echo.next_words
    assert echo.class_probs.sum() == pytest.approx(1)
    assert next_words.class_of.shape == echo.freq.shape == (next_words.index.size,)
    assert trigger.associations.shape == (len(trigger.topic_row_of), len(trigger.option_of))
    probs, classes = next_words.probs(["He", "saw", "the"])
    assert classes.tolist() == pytest.approx(
        np.bincount(next_words.class_of, probs.astype(np.float64), len(classes)).tolist(), abs=1e-5
    )
    assert probs.sum() == pytest.approx(1, abs=1e-3)
    texts = ("We met Mr. Zebulon by the mill .", "I could not find Zebulon .")
    tokens = tuple(tuple(text.split()) for text in texts)
    guesses = readers.guess(Passage("b:7", "b", Part.TEST, tokens, texts, 4, 0, 9))
    assert 0 < guesses.read_prob < 1

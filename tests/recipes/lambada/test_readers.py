"""What the readers know, from a finished run's artifacts."""

import numpy as np
import pytest

from cloze_gen.recipes.lambada.readers import next_probs, read_reader_models, signals_of, word_class
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
    models = read_reader_models(
        index=stage(run, "index"),
        counts=stage(run, "counts"),
        tagged_counts=stage(scs_run, "tagged-counts"),
        contexts=stage(run, "contexts"),
        max_echo_freq=4e-4,
    )
    assert models.class_probs.sum() == pytest.approx(1)
    assert models.class_of.shape == models.freq.shape == (models.index.size,)
    assert models.by_topic.shape == (len(models.column_of), len(models.row_of))
    probs, classes = next_probs(["He", "saw", "the"], models)
    assert classes.tolist() == pytest.approx(
        np.bincount(models.class_of, probs.astype(np.float64), len(classes)).tolist(), abs=1e-5
    )
    assert probs.sum() == pytest.approx(1, abs=1e-3)
    signals = signals_of(
        "b:7",
        "We met Mr. Zebulon by the mill .".split(),
        "I could not find".split(),
        "Zebulon",
        span=("b", 0, 9),
        models=models,
    )
    assert (signals.in_context, signals.rules) == (True, {"last name", "most repeated name"})
    assert 0 < signals.read_prob < 1

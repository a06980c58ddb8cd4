"""Candidate pools made by hand."""

import numpy as np

from cloze_gen.recipes.msr.choice.pool import CandidatePool

N_SCORES = 5


def pool_of(*items, **values):
    """The pool of (id, word class, answer, candidates); `values`: of every row, else clear ones."""
    item = np.repeat(np.arange(len(items)), [1 + len(candidates) for *_, candidates in items])
    n = len(item)
    ids = [item_id for item_id, *_ in items]
    columns = {
        "scores": np.ones((n, N_SCORES)),
        "fits_as_well": np.zeros(n),
        "plausible": np.ones(n),
        "topicality": np.full(n, np.nan),
    }
    return CandidatePool(
        id=np.array(ids, object),
        sentence=np.array([one.rpartition(":")[0] for one in ids], object),
        word_class=np.array([word_class for _, word_class, *_ in items], object),
        item=item,
        word=np.array([word for *_, answer, words in items for word in (answer, *words)], object),
        **columns | values,
    )


def random_pool(n_items, *, leak=0.0, topic=0.0):
    """Ten candidates an item; a quarter of the answers are verbs.

    With chance `leak`, only the answer's first two scores have unlike signs; `topic` raises the
    topicality of most answers.
    """
    rng = np.random.default_rng(7)
    items = []
    for number in range(n_items):
        answer, *candidates = (f"w{i}" for i in rng.choice(90, 11, replace=False).tolist())
        word_class = "verb" if number % 4 == 3 else "noun"
        items.append((f"b:{number:03}:2", word_class, answer, candidates))
    scores = rng.standard_normal((11 * n_items, N_SCORES))
    leaks = 11 * np.flatnonzero(rng.random(n_items) < leak)
    scores[leaks, 1] = -np.sign(scores[leaks, 0]) * np.abs(scores[leaks, 1])
    topicality = rng.standard_normal(11 * n_items)
    topicality[::11] += topic * (np.arange(n_items) % 4 > 0)
    return pool_of(*items, scores=scores, topicality=topicality)

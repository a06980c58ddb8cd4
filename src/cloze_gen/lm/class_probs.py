"""How likely each class of words is to come next: what an n-gram model says of a word that it has hardly seen.

*Lady* is followed by a name, though by this one never. The n-grams that a model lists are summed by the class of their last word, from the
longest history that is attested down to the words alone (Brown et al. 1992 predict by classes; here the histories stay words).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.lm.forward_index import ForwardIndex


def next_class_probs(
    index: ForwardIndex, history: Sequence[str], *, class_of: NDArray[np.int64], class_probs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """P(class of the next word | history).

    Args:
        history: tokens before the gap, oldest first; only the last order-1 count. `<s>` opens a sentence.
        class_of: int64, shape (V,): class of each word of the index, 0 to C - 1.
        class_probs: float64, shape (C,): P(class) of any word, which is what is left where no history is attested.
    Returns:
        float64, shape (C,); sums to 1.
    """
    probs = np.asarray(class_probs, np.float64)
    ids = index.ids(history[-(index.order - 1) :])
    for n, row in enumerate(index.context_rows(ids), start=1):
        words, log10_prob = index.continuations(n, row)
        listed = np.bincount(class_of[words], 10.0 ** log10_prob.astype(np.float64), len(probs))
        probs = listed + max(0.0, 1 - listed.sum()) * probs
    return probs / probs.sum()

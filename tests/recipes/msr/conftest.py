"""A small n-gram model."""

from __future__ import annotations

import numpy as np
import pytest

from tests.small_models import index_of

WORDS = ["a", "b", "c", "d", "e", "f"]
PROBS = [0.4, 0.2, 0.1, 0.06, 0.03, 0.01]
ARPA = (
    "\\data\\\nngram 1=9\nngram 2=3\nngram "
    "3=2\n\n\\1-grams:\n-2\t<unk>\t0\n0\t<s>\t-0.1\n-1\t</s>\t0\n"
    + "".join(
        f"{np.log10(prob):.6f}\t{word}\t-0.2\n" for word, prob in zip(WORDS, PROBS, strict=True)
    )
    + "\n\\2-grams:\n-0.3\t<s> a\t-0.4\n-0.5\ta b\t-0.1\n-0.9\tb c\t0\n\n\\3-grams:\n-0.05\t<s> "
    "a b\n-0.6\ta b c\n\n\\end\\\n"
)


@pytest.fixture(scope="session")
def index():
    return index_of(ARPA.encode())

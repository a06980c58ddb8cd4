"""What the package itself knows of English words, from 522 novels: made by `training/words/build.py`, shipped as `word_data/words.npz`."""

from __future__ import annotations

import functools
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from cloze_gen.errors import StoreError
from cloze_gen.stats.context_space import ContextSpace
from cloze_gen.stats.packed_space import unpack_space

FOLDER = Path(__file__).parent / "word_data"
ARRAYS, FACTS = "words.npz", "words.json"


@functools.cache
def builtin_words_facts(folder: Path = FOLDER) -> dict[str, Any]:
    """What is said of the built-in words: their source, how near they are to it, and the sha256 of their arrays."""
    return dict(json.loads((folder / FACTS).read_text(encoding="utf-8")))


def read_builtin_words(folder: Path = FOLDER) -> ContextSpace:
    """The built-in words, in memory: some 60 MB.

    Raises:
        StoreError: the file is not the one that was shipped.
    """
    data = (folder / ARRAYS).read_bytes()
    if hashlib.sha256(data).hexdigest() != builtin_words_facts(folder)["sha256"]:
        raise StoreError(f"{folder / ARRAYS}: not the file that its {FACTS} describes. Install cloze-gen again.")
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return unpack_space(dict(arrays))

"""The files that are kept of one book: its sentences, its types and its sketch, under the digest of what was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from cloze_gen.store.tables import read_parquet

SENTENCES, TYPES, SKETCH = "sentences.parquet", "types.parquet", "sketch.npy"


def read_type_counts(folders: Iterable[Path]) -> tuple[Counter[str], Counter[str]]:
    """Surface counts and opening counts of several books together."""
    tables = [read_parquet(folder / TYPES) for folder in folders]
    merged = pa.concat_tables(tables).group_by("word", use_threads=False).aggregate([("count", "sum"), ("initial_count", "sum")])
    words, counts, initial = (merged[name].to_numpy().tolist() for name in ("word", "count_sum", "initial_count_sum"))
    return Counter(dict(zip(words, counts, strict=True))), Counter({word: n for word, n in zip(words, initial, strict=True) if n})

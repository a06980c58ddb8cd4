"""Rows sorted in runs come back whole and in order, however the runs and the ranges fall."""

import numpy as np
import pytest

from cloze_gen.rng import derive_rng
from cloze_gen.store.sorted_runs import KEY, SortedRuns

TYPES = {KEY: np.uint64, "value": np.float32}


def sorted_rows(folder, parts, *, merged_rows):
    """Rows of each range, and all keys and values; a key's value is half of it."""
    runs = SortedRuns(folder, TYPES, merged_rows=merged_rows)
    for part in parts:
        runs.add({KEY: part, "value": (part / 2).astype(np.float32)})
    ranges = list(runs.ranges())
    return [len(one[KEY]) for one in ranges], *(
        np.concatenate([one[name] for one in ranges]) for name in TYPES
    )


@pytest.mark.parametrize(
    ("sizes", "merged_rows"),
    [
        ([], 10),
        ([0, 3], 10),
        ([5], 1),
        ([20_000, 9_000, 1], 4096),
        ([20_000, 4096, 8192], 10_000),
        ([9_000] * 7, 1 << 22),
    ],
)
def test_all_rows_come_back_in_order(tmp_path, sizes, merged_rows):
    keys = (
        derive_rng(3, "runs", str(sizes))
        .permutation(3 * sum(sizes))
        .astype(np.uint64)[: sum(sizes)]
    )
    parts = np.split(keys, np.cumsum(sizes)[:-1]) if sizes else []
    _, found, values = sorted_rows(tmp_path, parts, merged_rows=merged_rows)
    assert found.dtype == np.uint64
    assert values.dtype == np.float32
    assert found.tolist() == sorted(keys.tolist())
    assert values.tolist() == (np.sort(keys) / 2).astype(np.float32).tolist()


def test_a_range_holds_about_as_many_rows_as_are_asked(tmp_path):
    apart = [np.arange(i, i + 30_000, dtype=np.uint64) for i in range(0, 120_000, 30_000)]
    mixed = [np.arange(i, 120_000, 4, dtype=np.uint64) for i in range(4)]
    for name, parts in (("apart", apart), ("mixed", mixed)):
        (tmp_path / name).mkdir()
        sizes, found, _ = sorted_rows(tmp_path / name, parts, merged_rows=16_384)
        assert found.tolist() == list(range(120_000))
        assert len(sizes) > 5
        assert max(sizes) <= 16_384 + 4 * 4096


def test_keys_of_64_bits_keep_their_order(tmp_path):
    """A key above 2**63 is neither negative nor rounded to its neighbour."""
    high = np.array([2**64 - 1, 2**63 + 1, 2**63], np.uint64)
    _, found, _ = sorted_rows(tmp_path, [high, np.array([7], np.uint64)], merged_rows=1)
    assert found.tolist() == [7, 2**63, 2**63 + 1, 2**64 - 1]

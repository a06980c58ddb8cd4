"""Randomness belongs to the record: a generator is derived from the seed, a purpose and the record's id.

Never from the order of a stream, so removing one record leaves every other record's draws as they were.
"""

from __future__ import annotations

import hashlib

import numpy as np


def derive_rng(seed: int, purpose: str, record_id: str = "") -> np.random.Generator:
    """A generator for one purpose on one record.

    Args:
        seed: the run's random seed.
        purpose: dotted name of the draw, e.g. ``"msr.alternates"``; two purposes never share draws.
        record_id: the record's provenance id; empty for a draw over the whole set.

    >>> a = derive_rng(1, "msr.alternates", "1661:17:3").random()
    >>> a == derive_rng(1, "msr.alternates", "1661:17:3").random()
    True
    >>> a == derive_rng(1, "msr.alternates", "1661:17:4").random()
    False
    """
    digest = hashlib.blake2b(f"{seed}\x1f{purpose}\x1f{record_id}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))


def stable_fraction(purpose: str, record_id: str) -> float:
    """A number in [0, 1) fixed by the record alone (no seed): thinning that never depends on its neighbours.

    >>> 0.0 <= stable_fraction("scs.thinning", "1260:4") < 1.0
    True
    """
    digest = hashlib.blake2b(f"{purpose}\x1f{record_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") / 2**64

"""Random draws by record: removing one record keeps every other record's draws."""

from __future__ import annotations

import hashlib

import numpy as np


def derive_rng(seed: int, purpose: str, record_id: str = "") -> np.random.Generator:
    """A generator for one purpose on one record.

    Two purposes never share draws; an empty `record_id` is for a draw over the whole set.

    >>> a = derive_rng(1, "msr.alternates", "1661:17:3").random()
    >>> a == derive_rng(1, "msr.alternates", "1661:17:3").random()
    True
    >>> a == derive_rng(1, "msr.alternates", "1661:17:4").random()
    False
    """
    digest = hashlib.blake2b(
        f"{seed}\x1f{purpose}\x1f{record_id}".encode(), digest_size=16
    ).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))


def stable_fraction(purpose: str, record_id: str) -> float:
    """A number in [0, 1) fixed by the record alone, without a seed.

    >>> 0.0 <= stable_fraction("scs.order", "1260:4") < 1.0
    True
    """
    digest = hashlib.blake2b(f"{purpose}\x1f{record_id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") / 2**64


def seeded_fraction(purpose: str, record_id: str, *, seed: int) -> float:
    """A number in [0, 1) fixed by the record and the seed: sorted by it, records are shuffled."""
    return stable_fraction(f"{purpose}\x1f{seed}", record_id)

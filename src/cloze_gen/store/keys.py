"""What an artifact is known by: the stage, its settings, its inputs' fingerprints, a version and the seed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


def canonical_json(value: Any) -> str:
    """JSON with one spelling for one value: sorted keys, no spaces, no NaN.

    >>> canonical_json({"b": 1, "a": [1.5, None]})
    '{"a":[1.5,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True, slots=True)
class StageKey:
    """Identity of one artifact.

    Attributes:
        stage: name of the stage; the folder is ``store/<stage>-<fingerprint>``.
        version: raised by hand when the stage's code changes what it writes.
        settings: the stage's own settings, JSON values only.
        inputs: name -> fingerprint (an upstream stage's, or a digest of raw files).
        seed: the random seed where the stage draws, else None.
        item: set for artifacts kept one a book; the folder is ``store/<stage>-<fingerprint>/<item>``.
    """

    stage: str
    version: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    item: str = ""

    def described(self) -> dict[str, Any]:
        return {
            "stage": self.stage,
            "version": self.version,
            "settings": dict(self.settings),
            "inputs": dict(self.inputs),
            "seed": self.seed,
        }

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits over everything that can change the stage's output; `item` is apart.

        >>> a = StageKey("forward", 1, {"keep": 30})
        >>> a.fingerprint == StageKey("forward", 1, {"keep": 31}).fingerprint
        False
        """
        return fingerprint_of(self.described())

    @property
    def folder_name(self) -> str:
        name = f"{self.stage}-{self.fingerprint}"
        return f"{name}/{self.item}" if self.item else name


def fingerprint_of(described: Mapping[str, Any]) -> str:
    """The fingerprint of what `StageKey.described` tells, or of a manifest that holds it."""
    identity = {name: described[name] for name in ("stage", "version", "settings", "inputs", "seed")}
    return hashlib.blake2b(canonical_json(identity).encode(), digest_size=8).hexdigest()

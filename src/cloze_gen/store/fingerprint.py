"""Fingerprints of stages: a digest of everything that can change a stage's output."""

from __future__ import annotations

import functools
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
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


_IDENTITY = ("stage", "version", "settings", "inputs")


@dataclass(frozen=True)
class StageKey:
    """Identity of one artifact.

    Attributes:
        version: raised by hand when the stage's code changes what it writes.
        settings: every argument of the stage that is not an input, as JSON; those of its own group
            of settings by their own names.
        inputs: name -> fingerprint of an earlier stage, or digest of a file.
        item: subfolder of an artifact kept one a book.
    """

    stage: str
    version: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    item: str = ""

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> StageKey:
        """The key of a finished artifact."""
        return cls(*(manifest[name] for name in _IDENTITY))

    def described(self) -> dict[str, Any]:
        return {
            "stage": self.stage,
            "version": self.version,
            "settings": dict(self.settings),
            "inputs": dict(self.inputs),
        }

    @functools.cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits over everything that can change the stage's output, but `item`.

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
    """The fingerprint of `StageKey.described`, or of a manifest that holds it."""
    identity = {name: described[name] for name in _IDENTITY}
    return hashlib.blake2b(canonical_json(identity).encode(), digest_size=8).hexdigest()

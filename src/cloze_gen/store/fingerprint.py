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


@dataclass(frozen=True)
class StageKey:
    """Identity of one artifact.

    Attributes:
        version: raised by hand when the stage's code changes what it writes.
        settings: every setting that the stage reads.
        defaults: default of each setting that has one. The fingerprint leaves out a setting at its
            default, so a new setting with a neutral default changes no fingerprint.
        inputs: name -> fingerprint (an upstream stage's, or a digest of raw files).
        seed: None unless the stage draws.
        item: subfolder of an artifact kept one a book.
    """

    stage: str
    version: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    item: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> StageKey:
        """The key of a finished artifact, whatever the defaults of this version are."""
        covered, settings = set(manifest["fingerprinted"]), manifest["settings"]
        return cls(
            manifest["stage"],
            manifest["version"],
            settings,
            manifest["inputs"],
            manifest["seed"],
            defaults={name: value for name, value in settings.items() if name not in covered},
        )

    @property
    def fingerprinted(self) -> list[str]:
        """Names of the settings that the fingerprint covers, sorted.

        >>> StageKey("forward", 1, {"keep": 30, "ranks": 5}, defaults={"keep": 30, "ranks": 4}).fingerprinted
        ['ranks']
        """
        return sorted(
            name
            for name, value in self.settings.items()
            if name not in self.defaults
            or canonical_json(value) != canonical_json(self.defaults[name])
        )

    def described(self) -> dict[str, Any]:
        return {
            "stage": self.stage,
            "version": self.version,
            "settings": dict(self.settings),
            "fingerprinted": self.fingerprinted,
            "inputs": dict(self.inputs),
            "seed": self.seed,
        }

    @functools.cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits over everything that can change the stage's output, but `item`.

        >>> a = StageKey("forward", 1, {"keep": 30})
        >>> a.fingerprint == StageKey("forward", 1, {"keep": 31}).fingerprint
        False
        >>> StageKey("forward", 1).fingerprint == StageKey("forward", 1, {"new": 0}, defaults={"new": 0}).fingerprint
        True
        """
        return fingerprint_of(self.described())

    @property
    def folder_name(self) -> str:
        name = f"{self.stage}-{self.fingerprint}"
        return f"{name}/{self.item}" if self.item else name


def fingerprint_of(described: Mapping[str, Any]) -> str:
    """The fingerprint of `StageKey.described`, or of a manifest that holds it.

    It covers the settings named in `fingerprinted`. The others have their default.
    """
    identity = {name: described[name] for name in ("stage", "version", "inputs", "seed")}
    settings = {name: described["settings"].get(name) for name in described["fingerprinted"]}
    return hashlib.blake2b(
        canonical_json(identity | {"settings": settings}).encode(), digest_size=8
    ).hexdigest()

"""Which tagger is meant, for fingerprints, without loading it where what is recorded beside its model proves true."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path

from cloze_gen.adapters.spacy_tagger import BUILTIN_FOLDER, load_tagger

SCORES = "scores.json"
_LOADED = ("config.cfg", "meta.json", "tagger/cfg", "tagger/model", "tokenizer", "vocab/strings.json")  # what makes the model what it is


@functools.lru_cache(maxsize=4)
def tagger_identity(name: str) -> str:
    """Name and content of a tagger, as `SpacyTagger.identity`; asked once a process.

    Of the built-in tagger the identity is recorded with the sha256 of its files: as long as these are the same so is the identity, and the
    second that loading takes is spared.

    Raises:
        ModelError: as `load_tagger`.
    """
    return (name == "builtin" and _recorded()) or load_tagger(name).identity


def model_digest(folder: Path = BUILTIN_FOLDER) -> str:
    """sha256 over the files that the built-in tagger is loaded from.

    Raises:
        OSError: one of them is not there.
    """
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in _LOADED}
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


def _recorded() -> str:
    """The recorded identity; empty where the files are not those that it was recorded of."""
    try:
        record = json.loads((BUILTIN_FOLDER / SCORES).read_text(encoding="utf-8"))
        return str(record["model"]) if record["files"] == model_digest() else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""  # a damaged installation: loading it says what is wrong

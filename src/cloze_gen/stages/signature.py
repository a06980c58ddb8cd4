"""The signature: one line that names a set and how it was made, as sacreBLEU's scores have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cloze_gen import __version__
from cloze_gen.errors import UsageError
from cloze_gen.store.runs import RELEASE

SIGNATURE = "signature.txt"
_DIGEST_DIGITS = 16  # of the items' sha256: 64 bits


def make_signature(*, style: str, name: str, sides: Mapping[str, str], model: str, seed: int, n: int, items: str) -> str:
    """One line that names a set and how it was made, as sacreBLEU's scores have.

    Args:
        sides: side of the books -> fingerprint of its kept books.
        items: sha256 of the file of the set's items, options and provenance included: other items have another signature, whatever
            setting, book or version of the code made them other.

    >>> sides = {"train": "aa", "source": "bb"}
    >>> make_signature(style="holmes", name="mine", sides=sides, model="kn3-cc", seed=1, n=1040, items="0123456789abcdef01")
    'cloze-gen|v:0.1.0|style:holmes|name:mine|train:aa|source:bb|model:kn3-cc|seed:1|n:1040|set:0123456789abcdef'
    """
    parts = {"v": __version__, "style": style, "name": name, **sides, "model": model, "seed": seed, "n": n, "set": items[:_DIGEST_DIGITS]}
    return "|".join(["cloze-gen", *(f"{key}:{value}" for key, value in parts.items())])


def read_signature(folder: Path) -> str:
    """The signature of the release in a run's folder.

    Raises:
        UsageError: there is none, or it is no text.
    """
    try:
        return (folder / RELEASE / SIGNATURE).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise UsageError(f"{folder.name}: has no release yet; `cloze-gen run` finishes it.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{folder / RELEASE / SIGNATURE}: not UTF-8; `cloze-gen run` writes it anew.") from None

"""The signature: one line that names a set and how it was made, as sacreBLEU's scores have; and the canary that follows from it."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen import __version__
from cloze_gen.errors import UsageError
from cloze_gen.notation import reason
from cloze_gen.store.files import read_below
from cloze_gen.store.runs import released_folder

SIGNATURE, CANARY = "signature.txt", "canary"
_MOST_BYTES = 1 << 16  # of the file
_DIGEST_DIGITS = 16  # of the items' sha256: 64 bits
_CANARIES = uuid.UUID("5f4dd1a6-6f0c-5a39-9a5e-3b3c1d1f6a52")  # a name space of their own: no other program's GUID is one of ours


def make_signature(
    *, style: str, name: str, sides: Mapping[str, str], model: str, seed: int, n: int, order: str, last: tuple[str, str], items: str,
    people: Mapping[str, str] | None = None,
) -> str:  # fmt: skip
    """One line that names a set and how it was made.

    Args:
        sides: side of the books -> fingerprint of its kept books.
        order: of the items in the release.
        last: label and fingerprint of the stage that finished the items; every setting before it is in the fingerprint.
        items: `items_digest` of the set: other items have another signature, whatever setting, book or version of the code made them
            other.
        people: what people did -> in words; none where nobody was asked.

    >>> sides = {"train": "aa", "source": "bb"}
    >>> last = ("choice", "99887766554433")
    >>> make_signature(style="holmes", name="a", sides=sides, model="kn3", seed=1, n=9, order="shuffled", last=last, items="01")
    'cloze-gen|v:0.1.0|style:holmes|name:a|train:aa|source:bb|model:kn3|seed:1|n:9|order:shuffled|choice:99887766|set:01'
    """
    stage, fingerprint = last
    parts = {"v": __version__, "style": style, "name": name, **sides, "model": model, **(people or {}),
             "seed": seed, "n": n, "order": order,
             stage.replace(" ", "-"): fingerprint[:8], "set": items[:_DIGEST_DIGITS]}  # fmt: skip
    return "|".join(["cloze-gen", *(f"{key}:{value}" for key, value in parts.items())])


def items_digest(records: Iterable[Mapping[str, Any]]) -> str:
    """sha256 of released records, options and provenance included, in whatever order they come; the canary, which follows from it, apart.

    >>> one, other = {"id": "a", "options": ["x"]}, {"id": "b", "canary": "1"}
    >>> items_digest([one, other]) == items_digest([{"id": "b"}, one]) != items_digest([one])
    True
    """
    plain = ({name: value for name, value in record.items() if name != CANARY} for record in records)
    lines = sorted(json.dumps(record, ensure_ascii=False, sort_keys=True) for record in plain)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def told_digest(signature: str) -> str:
    """The digits of `items_digest` in a signature; empty where it has none.

    >>> told_digest("cloze-gen|seed:1|set:0123456789abcdef")
    '0123456789abcdef'
    """
    return signature.rpartition("|set:")[2] if "|set:" in signature else ""


def canary_of(signature: str) -> str:
    """The GUID of a set, in its card and in every record: who finds it in a corpus knows that the set's files are in it.

    It follows from the signature, so equal sets have equal bytes. After BIG-bench's canary string (github.com/google/BIG-bench).

    >>> canary_of("cloze-gen|set:01") == canary_of("cloze-gen|set:01") != canary_of("cloze-gen|set:02")
    True
    """
    return str(uuid.uuid5(_CANARIES, signature))


def read_signature(folder: Path) -> str:
    """The signature of the release in a run's folder.

    Raises:
        UsageError: there is none, or it is no text or no file of this folder.
    """
    name = f"{released_folder(folder).name}/{SIGNATURE}"
    try:
        return read_below(folder, name, max_bytes=_MOST_BYTES).decode("utf-8").strip()
    except FileNotFoundError:
        raise UsageError(f"{folder.name}: has no release yet; `cloze-gen run` finishes it.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{folder / name}: cannot be read ({reason(error)}); `cloze-gen run` writes it anew.") from None


def short_digest(texts: Sequence[str]) -> str:
    """8 hexadecimal digits over a list of texts, for signatures."""
    return hashlib.blake2b("\x1f".join(texts).encode(), digest_size=4).hexdigest()

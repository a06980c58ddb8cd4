"""Identity of a release: its signature, its canary, and `SHA256SUMS`."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cloze_gen import __version__
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.parsing import error_text
from cloze_gen.store.files import read_below, stays_within
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.runs import released_folder

SIGNATURE, CANARY = "signature.txt", "canary"
_MOST_BYTES = 1 << 16  # of the file
_DIGEST_DIGITS = 16  # of the items' sha256: 64 bits
_CANARIES = uuid.UUID("5f4dd1a6-6f0c-5a39-9a5e-3b3c1d1f6a52")  # a private namespace


def make_signature(
    *, style: str, name: str, sides: Mapping[str, str], model: str, seed: int, n: int, order: str, last: tuple[str, str], items: str,
    people: Mapping[str, str] | None = None,
) -> str:  # fmt: skip
    """One line that identifies a set and its settings, like sacreBLEU's signatures.

    Args:
        sides: side of the books -> fingerprint of its kept books.
        last: label and fingerprint of the stage that finished the items.
        items: `items_digest` of the set.

    >>> sides = {"train": "aa", "source": "bb"}
    >>> last = ("choice", "99887766554433")
    >>> make_signature(style="holmes", name="a", sides=sides, model="kn3", seed=1, n=9, order="shuffled", last=last, items="01")
    'cloze-gen|v:0.2.0|style:holmes|name:a|train:aa|source:bb|model:kn3|seed:1|n:9|order:shuffled|choice:99887766|set:01'
    """
    stage, fingerprint = last
    parts = {"v": __version__, "style": style, "name": name, **sides, "model": model, **(people or {}),
             "seed": seed, "n": n, "order": order,
             stage.replace(" ", "-"): fingerprint[:8], "set": items[:_DIGEST_DIGITS]}  # fmt: skip
    return "|".join(["cloze-gen", *(f"{key}:{value}" for key, value in parts.items())])


def items_digest(records: Iterable[Mapping[str, Any]]) -> str:
    """sha256 of released records in any order, without the canary, which follows from it.

    >>> one, other = {"id": "a", "options": ["x"]}, {"id": "b", "canary": "1"}
    >>> items_digest([one, other]) == items_digest([{"id": "b"}, one]) != items_digest([one])
    True
    """
    plain = (
        {name: value for name, value in record.items() if name != CANARY} for record in records
    )
    lines = sorted(json.dumps(record, ensure_ascii=False, sort_keys=True) for record in plain)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def digest_in_signature(signature: str) -> str:
    """The digits of `items_digest` in a signature, or empty.

    >>> digest_in_signature("cloze-gen|seed:1|set:0123456789abcdef")
    '0123456789abcdef'
    """
    return signature.rpartition("|set:")[2] if "|set:" in signature else ""


def canary_of(signature: str) -> str:
    """The GUID of a set, in its card and in every record, like BIG-bench's canary string.

    It follows from the signature, so equal sets have equal bytes.

    >>> canary_of("cloze-gen|set:01") == canary_of("cloze-gen|set:01") != canary_of("cloze-gen|set:02")
    True
    """
    return str(uuid.uuid5(_CANARIES, signature))


def read_signature(folder: Path) -> str:
    """The signature of a run's release; UsageError if there is no readable one in the folder."""
    name = f"{released_folder(folder).name}/{SIGNATURE}"
    try:
        return read_below(folder, name, max_bytes=_MOST_BYTES).decode("utf-8").strip()
    except FileNotFoundError:
        raise UsageError(
            f"{folder.name}: has no release. Run `cloze-gen run` again to finish it."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{folder / name}: cannot be read ({error_text(error)}). Run `cloze-gen run` again to rewrite it."
        ) from None


CHECKSUMS = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64}) [ *](.+)", re.DOTALL)


def checksums_of(folder: Path) -> dict[str, str]:
    """File -> sha256 below a folder, sorted; follows links, skips caches and `SHA256SUMS`."""
    paths = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    names = sorted(path.as_posix() for path in paths if "__pycache__" not in path.parts)
    return {name: file_sha256(folder / name) for name in names if name != CHECKSUMS}


def write_checksums(folder: Path) -> None:
    lines = (f"{digest}  {name}\n" for name, digest in checksums_of(folder).items())
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def parse_checksums(text: str, *, where: str) -> Mapping[str, str]:
    """File -> sha256 of the lines of a `SHA256SUMS`.

    A malformed line, or a file named twice or outside the folder, is a FormatError.

    >>> parse_checksums(f"{'0' * 64}  a/b.txt\\n", where="here") == {"a/b.txt": "0" * 64}
    True
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise FormatError(
                f"{where}, line {number}: {line[:80]!r}: expected a sha256, two spaces and a file name"
            )
        digest, name = match.groups()
        if name in found or not stays_within(name):
            raise FormatError(
                f"{where}, line {number}: {name[:80]!r} is listed twice or is not inside this folder"
            )
        found[name] = digest
    return found

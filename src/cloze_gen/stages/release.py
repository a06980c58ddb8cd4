"""The release: the files to publish, written from a finished set of items."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from cloze_gen import __version__
from cloze_gen.errors import UsageError
from cloze_gen.report.card import CardFacts, dataset_card
from cloze_gen.report.funnel import FunnelStep
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.style import Style
from cloze_gen.stages.tables import CANDIDATES
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.runs import RELEASE

CHECKSUMS, SIGNATURE = "SHA256SUMS", "signature.txt"
_DIGEST_DIGITS = 16  # of the questions' sha256, in a signature: 64 bits


class ReleaseSettings(SettingsGroup):
    """Settings of the release."""

    harness: bool = Field(True, description="also write the files of an lm-evaluation-harness task")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseFacts:
    """What a release says of its run.

    Attributes:
        books: rows of the books that the items were drawn from.
        notes: statements a user must know.
        settings: all settings, as values of JSON.
        n_wanted: items asked for.
        harness: also write the files of a harness task.
    """

    name: str
    books: Sequence[Mapping[str, str]]
    notes: Sequence[str]
    steps: Sequence[FunnelStep]
    settings: Mapping[str, Any]
    n_wanted: int
    signature: str
    seed: int
    harness: bool


def write_release(folder: Path, *, style: Style, finished: Artifact, facts: ReleaseFacts) -> None:
    """Write what is published into `folder`.

    The paper's own files (`Style.files`), the items as JSON lines and, where the last stage kept them, `candidates.jsonl`, the harness
    task, `signature.txt`, the card `README.md`; `SHA256SUMS` last.

    Args:
        finished: the artifact of the style's last stage.
    """
    items = style.items.read(finished.folder)
    for file, text in style.files(facts.name, items, facts.seed).items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    for file in (style.items.file, CANDIDATES):
        if (finished.folder / file).exists():
            shutil.copyfile(finished.path(file), folder / file)
    if facts.harness:
        style.items.write_harness(folder, facts.name, items, facts.signature)
    (folder / SIGNATURE).write_text(facts.signature + "\n", encoding="utf-8")
    per_book = Counter(item.book_id for item in items)
    card = CardFacts(
        name=facts.name,
        style=style.title,
        source_line=style.paper,
        signature=facts.signature,
        n_items=len(items),
        n_wanted=facts.n_wanted,
        described=style.items.described(items),
        balance=style.items.balance(items),
        items_file=style.items.file,
        noun=style.items.noun,
        books=[(row["book_id"], row.get("title", ""), per_book[row["book_id"]]) for row in facts.books],
        notes=facts.notes,
        steps=facts.steps,
        settings=facts.settings,
        has_candidates=(folder / CANDIDATES).exists(),
    )
    (folder / "README.md").write_text(dataset_card(card), encoding="utf-8", newline="\n")
    write_checksums(folder)


def write_checksums(folder: Path) -> None:
    """`SHA256SUMS` of every file, in the form that `sha256sum -c` reads."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != CHECKSUMS)
    lines = [f"{file_sha256(path)}  {path.name}\n" for path in files]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def short_digest(texts: Sequence[str]) -> str:
    """8 hexadecimal digits over a list of texts, for signatures."""
    return hashlib.blake2b("\x1f".join(texts).encode(), digest_size=4).hexdigest()

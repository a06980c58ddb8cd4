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

from cloze_gen.report.card import CardFacts, dataset_card
from cloze_gen.report.funnel import FunnelStep
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.signature import SIGNATURE
from cloze_gen.stages.style import Style
from cloze_gen.stages.tables import CANDIDATES
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.manifest import file_sha256

CHECKSUMS = "SHA256SUMS"


class ReleaseSettings(SettingsGroup):
    """Settings of the release."""

    harness: bool = Field(True, description="also write the files of an lm-evaluation-harness task")


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
    for file, text in style.files(facts.name, items, facts.seed, finished.folder).items():
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

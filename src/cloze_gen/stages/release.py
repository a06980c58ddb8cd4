"""The release: the files to publish, written from a finished set of items."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from cloze_gen.report.card import CardFacts, adversary_section, dataset_card
from cloze_gen.report.funnel import FunnelStep
from cloze_gen.settings import SettingsGroup
from cloze_gen.stages.finished_run import FinishedRun, FromStore
from cloze_gen.stages.item_kind import QUESTION_ITEMS
from cloze_gen.stages.signature import SIGNATURE
from cloze_gen.stages.style import Style
from cloze_gen.stages.tables import CANDIDATES
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.manifest import file_sha256

CHECKSUMS, CARD = "SHA256SUMS", "README.md"


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

    books: Sequence[Mapping[str, str]]
    notes: Sequence[str]
    steps: Sequence[FunnelStep]
    settings: Mapping[str, Any]
    n_wanted: int
    signature: str
    harness: bool


def write_release(folder: Path, *, style: Style, run: FinishedRun, finished: Artifact, facts: ReleaseFacts) -> None:
    """Write what is published into `folder`.

    The paper's own files (`Style.files`), the items as JSON lines, in one file and, of a kind that has splits, in one for each, and, where
    the last stage kept them, `candidates.jsonl`, the harness tasks, `signature.txt`, the card `README.md`; `SHA256SUMS` last.

    Args:
        finished: the artifact of the style's last stage.
    """
    kind, items = style.items, run.items
    for file, content in style.files(run).items():
        _place(folder / file, content)
    for file in (kind.file, CANDIDATES):
        if (finished.folder / file).exists():
            shutil.copyfile(finished.path(file), folder / file)
    kind.write_splits(folder, items)
    if facts.harness:
        kind.write_harness(folder, run.name, items, facts.signature)
    (folder / SIGNATURE).write_text(facts.signature + "\n", encoding="utf-8")
    counted = [item for item in items if kind.counts(item)]
    per_book = Counter(item.book_id for item in counted)
    told = {file.format(name=run.name): what for file, what in {**kind.told_files, **style.told_files}.items()}
    card = CardFacts(
        name=run.name,
        style=style.title,
        source_line=style.paper,
        signature=facts.signature,
        n_items=len(counted),
        n_wanted=facts.n_wanted,
        described=kind.described(items),
        balance=kind.balance(items),
        items_file=kind.file,
        noun=kind.noun,
        task=kind.task,
        splits=kind.splits(items),
        features=kind.features,
        files=[(file, what) for file, what in told.items() if (folder / file).exists()],
        books=[(row["book_id"], row.get("title", ""), per_book[row["book_id"]]) for row in facts.books],
        notes=facts.notes,
        steps=facts.steps,
        settings=facts.settings,
        tables=style.card_tables(run),
        measured=adversary_section(run.name, None) if kind is QUESTION_ITEMS else "",
    )
    (folder / CARD).write_text(dataset_card(card), encoding="utf-8", newline="\n")
    write_checksums(folder)


def _place(path: Path, content: str | FromStore) -> None:
    """A file of the release: text, a file of the store, or a link to one, relative, so that the output folder can be moved as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8", newline="\n")
    elif content.linked:
        path.symlink_to(os.path.relpath(content.path, path.parent))
    else:
        shutil.copyfile(content.path, path)


def write_checksums(folder: Path) -> None:
    """`SHA256SUMS` of every file, in subfolders too, in the form that `sha256sum -c` reads; of a link of the file that it leads to."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    lines = [f"{file_sha256(folder / name)}  {name}\n" for name in names if name != CHECKSUMS]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def short_digest(texts: Sequence[str]) -> str:
    """8 hexadecimal digits over a list of texts, for signatures."""
    return hashlib.blake2b("\x1f".join(texts).encode(), digest_size=4).hexdigest()

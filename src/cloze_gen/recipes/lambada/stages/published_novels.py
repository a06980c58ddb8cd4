"""The training novels as the published ones are tokenized: made only where a user asks for them to be released."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.formats.lambada.rendering import published_sentence
from cloze_gen.stages.corpus.book_files import SENTENCES
from cloze_gen.stages.corpus.book_table import book_folder, kept_books
from cloze_gen.stages.corpus.hyphens import HYPHENS, mend_line, mend_text, read_hyphen_forms
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import read_parquet
from cloze_gen.text.normalize import LINE_END_HYPHEN
from cloze_gen.text.paragraphs import HEADING

_MAX_NAME_CHARS = 200  # file systems allow 255 bytes


@dataclass(frozen=True, slots=True)
class PrintedShard:
    """One novel to be printed by a worker, with the table of how broken words are spelt."""

    folder: Path
    hyphens: Path
    out: Path


def write_published_novels(writer: ArtifactWriter, room: Room, *, novels: Artifact, counts: Artifact) -> None:
    """Write each training novel in the tokenization of the published files.

    Files: `novels/BOOK.txt` for each novel (`novel_file`), a sentence a line, in small letters; headings are left out, as they are from the
    text that models are made of, and quotation marks are counted from where a paragraph begins.
    """
    rows = kept_books(novels)
    folder = writer.path("novels/x").parent
    shards = [PrintedShard(book_folder(novels, row), counts.path(HYPHENS), folder / novel_file(row["book_id"])) for row in rows]
    lines = list(room.map(print_novel, shards, unit="novels"))
    writer.facts |= {"novels": len(rows), "sentences": sum(lines)}
    room.say(f"{sum(lines):,} sentences of {len(rows):,} novels")


def novel_file(book_id: str) -> str:
    """Name of a novel's file: its id, which holds letters, digits and `._-` only; a long one is cut and told apart by its digest.

    >>> novel_file("emma"), len(novel_file("x" * 999))
    ('emma.txt', 204)
    """
    if len(book_id) <= _MAX_NAME_CHARS:
        return f"{book_id}.txt"
    digest = hashlib.blake2b(book_id.encode(), digest_size=8).hexdigest()
    return f"{book_id[: _MAX_NAME_CHARS - len(digest) - 1]}-{digest}.txt"


@functools.lru_cache(maxsize=1)
def _forms(path: Path) -> dict[str, str]:
    return read_hyphen_forms(path)


def print_novel(shard: PrintedShard) -> int:
    """Write one novel; returns its lines."""
    columns = read_parquet(shard.folder / SENTENCES, columns=["paragraph", "kind", "text", "tokens"]).to_pydict()
    open_marks: frozenset[str] = frozenset()
    paragraph_before, count = -1, 0
    with open(shard.out, "w", encoding="utf-8", newline="\n") as handle:
        for paragraph, kind, text, line in zip(*columns.values(), strict=True):
            if kind == HEADING:
                continue
            if LINE_END_HYPHEN in line:
                text, line = mend_text(text, line, _forms(shard.hyphens)), mend_line(line, _forms(shard.hyphens))
            known = open_marks if paragraph == paragraph_before else frozenset()
            printed, open_marks = published_sentence(line.split(" "), text, known)
            paragraph_before = paragraph
            handle.write(" ".join(printed) + "\n")
            count += 1
    return count

"""The training sentences as the published questions print them: no quotation marks, no dashes, a full stop at the end.

The baselines of MSR 4 are trained on this text, since the questions hold none of the marks that the books hold; a model that waits for
a quotation mark would be misled at every gap where one was deleted.
"""

from __future__ import annotations

import functools
import itertools
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.training_text import TEXT, TOKENS
from cloze_gen.stages.evaluation.opened_models import WORDS
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import QUESTIONS
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact
from cloze_gen.store.tables import memory_mapped, read_jsonl
from cloze_gen.text.rendering import rendered_tokens
from cloze_gen.text.word_ids import line_ids

_SHARD_BYTES = 8 * 1024 * 1024
_PRINTED_MARKS = (".", ",", ";")  # what the rendering prints for other marks; a small text may not hold them itself


@dataclass(frozen=True, slots=True)
class TextRange:
    """Whole lines of the training text, bytes `start` to `end`, where their rendering goes, and the printed lines that it leaves out."""

    text: Path
    counts: Path
    start: int
    end: int
    lines: Path
    ids: Path
    left_out: frozenset[str] = frozenset()


def write_evaluation_text(
    writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, left_out: Artifact | None = None
) -> None:
    """The training sentences as printed, once as text and once as numbers.

    Writes `sentences.txt`: a sentence a line, tokens apart; `tokens.npy`: their words' numbers, uint32, shape (tokens + sentences,),
    `SEPARATOR` after each sentence; `words.txt`: the word of number i on line i, from 1, in the order of the counts.

    Args:
        left_out: finished questions that were drawn from this very text; whatever is printed as one of their sentences is not in it.
    """
    asked = _asked_lines(left_out) if left_out else frozenset[str]()
    words = vocabulary_words(counts.folder)
    parts = writer.path("parts/x").parent
    bounds = list(line_bounds(text.path(TEXT)))
    shards = [
        TextRange(text.path(TEXT), counts.folder, start, end, parts / f"{i:05}.txt", parts / f"{i:05}.ids", asked)
        for i, (start, end) in enumerate(itertools.pairwise(bounds))
    ]
    sizes = list(room.map(render_range, shards, unit="parts"))
    n_ids, n_lines = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
    with open(writer.path(TEXT), "wb") as lines, open(writer.path(TOKENS), "wb") as ids:
        np.lib.format.write_array_header_1_0(ids, {"descr": "<u4", "fortran_order": False, "shape": (n_ids,)})
        for shard in shards:
            for path, whole in ((shard.lines, lines), (shard.ids, ids)):
                with open(path, "rb") as part:
                    shutil.copyfileobj(part, whole, 1 << 20)
    shutil.rmtree(parts)
    writer.path(WORDS).write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n")
    writer.rows |= {TEXT: n_lines, TOKENS: n_ids, WORDS: len(words)}
    writer.facts |= {"sentences": n_lines, "tokens": n_ids - n_lines}
    room.say(f"{n_lines:,} sentences, {n_ids - n_lines:,} tokens as printed")
    if left_out:
        found = frozenset[str]().union(*(lines for _, _, lines in sizes))
        writer.facts |= {"left_out": len(found), "not_found": len(asked - found)}
        room.say(f"left out are the {len(found):,} sentences of the questions; {len(asked - found):,} of these are not in the text")


def _asked_lines(questions: Artifact) -> frozenset[str]:
    """The sentences of finished questions as they are printed, the answer in its place."""
    return frozenset(" ".join(record["tokens"]) for record in read_jsonl(questions.path(QUESTIONS)))


def line_bounds(path: Path, *, shard_bytes: int = _SHARD_BYTES) -> Iterator[int]:
    """Offsets that cut a text file into runs of whole lines; the first is 0, the last the file's size."""
    size, last = path.stat().st_size, 0
    yield last
    with open(path, "rb") as handle:
        while last < size:
            handle.seek(min(last + shard_bytes, size) - 1)
            handle.readline()
            last = handle.tell()
            yield last


@functools.lru_cache(maxsize=1)
def vocabulary_words(counts: Path) -> list[str]:
    """All words by number less one: the count table's, in its order, then the printed marks that it lacks."""
    words = list(read_counts(open_artifact(counts)).words)
    known = set(words)
    return words + [mark for mark in _PRINTED_MARKS if mark not in known]


@functools.lru_cache(maxsize=1)
def _vocabulary(counts: Path) -> dict[str, int]:
    return {word: i for i, word in enumerate(vocabulary_words(counts), 1)}


def render_range(shard: TextRange) -> tuple[int, int, frozenset[str]]:
    """Render some lines; returns their number of ids (separators among them), of sentences, and what was left out of those that were to be.

    What prints nothing is left out too.
    """
    with open(shard.text, "rb") as handle:
        handle.seek(shard.start)
        source = handle.read(shard.end - shard.start).decode("utf-8").split("\n")[:-1]
    rendered = [" ".join(tokens) for line in source if (tokens := rendered_tokens(line.split(" ")))]
    kept = [line for line in rendered if line not in shard.left_out]
    ids = line_ids(kept, _vocabulary(shard.counts))
    shard.lines.write_bytes("".join(f"{line}\n" for line in kept).encode())
    shard.ids.write_bytes(ids.astype("<u4").tobytes())
    return len(ids), len(kept), shard.left_out.intersection(rendered)


def read_ids(artifact: Artifact) -> np.ndarray:
    """The sentences as numbers, memory-mapped."""
    return memory_mapped(artifact.path(TOKENS))

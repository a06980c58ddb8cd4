"""Focus words of many books: every verdict is on disk, and no more of them are held at once than a book has."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from cloze_gen.engine.local import InProcessEngine
from cloze_gen.recipes.msr.stages.focus import write_focus
from cloze_gen.recipes.msr.steps.focus import FocusReason, FocusSettings
from cloze_gen.stages.corpus.counts import COUNTS
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FOCUS, REJECTED, SOURCE_SENTENCES, read_source_sentences
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, Store
from cloze_gen.store.keys import StageKey
from cloze_gen.store.tables import read_parquet, write_parquet, write_tsv

TOKENS = "He saw the lamp and the stair of the house by the sea .".split()
WORDS = [token for token in TOKENS if token.isalpha()]
SENTENCES = 120  # a book


def training_counts(folder: Path) -> Artifact:
    """Counts in which `lamp` alone may be an option."""
    counts = Counter(dict.fromkeys(WORDS, 900_000) | {"lamp": 25})
    total = counts.total()
    rows = [(word, count, 0, count, count / total, 1.0) for word, count in sorted(counts.items())]
    store, key = Store(folder), StageKey("counts", 1)
    with store.writing(key) as writer:
        assert writer is not None
        write_tsv(writer.path(COUNTS), ("word", "count", "initial_count", "folded_count", "freq", "lower_share"), rows)
        writer.facts["word_tokens"] = total
    return store.open(key)


def source_books(folder: Path, n_books: int) -> Artifact:
    """Books that say one sentence over and over."""
    line = " ".join(TOKENS)
    indices = np.arange(SENTENCES)
    for i in range(n_books):
        (folder / f"b{i:03}").mkdir(parents=True)
        spans = {"start": pa.array(indices * 60, pa.int32()), "end": pa.array(indices * 60 + 55, pa.int32())}
        texts = {"kind": ["prose"] * SENTENCES, "text": [line] * SENTENCES, "tokens": [line] * SENTENCES}
        columns = {"index": pa.array(indices, pa.int32()), **spans, "paragraph": pa.array(indices, pa.int32()), **texts}
        write_parquet(folder / f"b{i:03}" / "sentences.parquet", columns)
        counts = Counter(WORDS)
        write_parquet(folder / f"b{i:03}" / "types.parquet", {
            "word": sorted(counts), "count": [counts[word] for word in sorted(counts)], "initial_count": [0] * len(counts),
        })  # fmt: skip
    rows = [(f"b{i:03}", "kept", "", "", f"b{i:03}") for i in range(n_books)]
    write_tsv(folder / "books.tsv", ("book_id", "status", "reason", "detail", "folder"), rows)
    return Artifact(folder, {})


def written(tmp_path: Path, n_books: int) -> tuple[Artifact, int]:
    """The stage's artifact over n books, and the most bytes of Python that were held while it was made."""
    source, counts = source_books(tmp_path / f"source{n_books}", n_books), training_counts(tmp_path / f"counts{n_books}")
    folder = tmp_path / f"focus{n_books}"
    folder.mkdir()
    writer, room = ArtifactWriter(folder), Room(Store(tmp_path), InProcessEngine(), "focus")
    tracemalloc.start()
    try:
        write_focus(writer, room, source=source, counts=counts, settings=FocusSettings(max_freq=1e-3))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return Artifact(folder, {"funnel": writer.funnel, "files": writer.rows}), peak


@pytest.mark.slow
def test_rejected_words_are_not_held_together(tmp_path: Path) -> None:
    """Twelve times the books, as little memory: a verdict goes to the disk with its book."""
    _, few = written(tmp_path, 3)
    _, many = written(tmp_path, 36)
    assert many < 1.3 * few


def test_every_verdict_is_on_disk(tmp_path: Path) -> None:
    """Focus words, their sentences and the rejections stand in the order of the books, and the funnel counts them."""
    artifact, _ = written(tmp_path, 3)
    focus, rejected = (read_parquet(artifact.path(name)).to_pydict() for name in (FOCUS, REJECTED))
    place = TOKENS.index("lamp")
    assert focus["id"] == [f"b{book:03}:{sentence}:{place}" for book in range(3) for sentence in range(SENTENCES)]
    assert set(focus["count"]) == {25}
    assert list(read_source_sentences(artifact)) == focus["sentence_id"]
    expected = [
        (f"b{book:03}:{sentence}:{position}", FocusReason.NO_HISTORY if position < 2 else FocusReason.NOT_ELIGIBLE, token)
        for book in range(3)
        for sentence in range(SENTENCES)
        for position, token in enumerate(TOKENS)
        if token.isalpha() and token != "lamp"
    ]
    assert list(zip(rejected["id"], rejected["reason"], rejected["detail"], strict=True)) == expected
    assert artifact.funnel["kept"] == len(focus["id"])
    assert sum(artifact.funnel["rejected"].values()) == len(expected)
    assert artifact.manifest["files"][SOURCE_SENTENCES] == 3 * SENTENCES
    assert sorted(path.name for path in artifact.folder.iterdir()) == sorted([FOCUS, REJECTED, SOURCE_SENTENCES, "hyphens.tsv"])


@pytest.mark.parametrize("name", [FOCUS, REJECTED, SOURCE_SENTENCES])
def test_parts_become_one_table(tmp_path: Path, name: str) -> None:
    """The joined table is byte for byte what writing all rows at once gives."""
    artifact, _ = written(tmp_path, 3)
    write_parquet(tmp_path / "once.parquet", read_parquet(artifact.path(name)).combine_chunks())
    assert artifact.path(name).read_bytes() == (tmp_path / "once.parquet").read_bytes()

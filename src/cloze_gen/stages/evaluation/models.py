"""The trained models of the baselines as artifacts: n-gram index, smoothed n-gram models, LSA vectors.

All are made from the printed training text (`stages.evaluation.text`); `opened_models` opens each by itself.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import scipy

from cloze_gen.adapters.kenlm_binary import build_trie, find_build_binary
from cloze_gen.adapters.lmplz import binary_sha256, find_lmplz, train_arpa
from cloze_gen.engine.progress import Stopwatch, phases
from cloze_gen.evaluate.words.lsa import DIMENSIONS, MIN_COUNT, UNCOUNTED, fit_word_vectors, fold_ids
from cloze_gen.evaluate.words.ngram_match import POINTS, index_blocks
from cloze_gen.stages.corpus.training_text import TEXT
from cloze_gen.stages.evaluation.opened_models import BINARY, VECTORS, WORDS, ngram_file, read_words
from cloze_gen.stages.evaluation.text import read_ids
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, open_artifact

_START_SEED = 0  # of the Lanczos start vector; the vectors are a measure, not a draw, so the evaluation's seed does not touch them
# lmplz takes all it is given at once; the model is the same. A text below 20 MB sorts in the lesser amount.
_SMALL_TEXT_BYTES, _SMALL_MEMORY, _MEMORY = 20_000_000, "200M", "4G"


@dataclass(frozen=True, slots=True)
class EvalLmSizes:
    """A smoothed n-gram baseline (MSR 4.2). No setting of a run reaches it.

    Attributes:
        order: n of the longest n-grams.
        min_count: least count of a word of the vocabulary, inclusive (4.2: five times or more).
        min_fourgram_count: least count of a 4-gram, inclusive (4.2: at least twice).
    """

    order: int
    min_count: int = 5
    min_fourgram_count: int = 2

    @property
    def prune(self) -> tuple[int, ...]:
        """lmplz --prune: counts at or below which n-grams go, by order; shorter n-grams than four are all kept."""
        return (0, 0, 0, *[self.min_fourgram_count - 1] * (self.order - 3)) if self.order > 3 and self.min_fourgram_count > 1 else ()


@dataclass(frozen=True, slots=True)
class LsaSizes:
    """The LSA baseline (MSR 4.3). No setting of a run reaches it.

    Attributes:
        dimensions: singular values kept (4.3).
        min_count: least count of a word with a vector, inclusive.
    """

    dimensions: int = DIMENSIONS
    min_count: int = MIN_COUNT


EVAL_LMS = {order: EvalLmSizes(order) for order in (3, 4)}
LSA = LsaSizes()


@dataclass(frozen=True, slots=True)
class ModelShard:
    """What a worker trains from, and where it writes."""

    text: Path
    target: Path
    n: int = 0
    sizes: LsaSizes = LSA


def write_match_index(writer: ArtifactWriter, room: Room, *, text: Artifact) -> None:
    """The n-grams of the printed text, for the simple 4-gram baseline.

    Writes `2grams.npy`, `3grams.npy`, `4grams.npy`: their sorted, distinct hashes (`ngram_match.ngram_hashes`), uint64, shape (n-grams,);
    and `words.txt`: the text's words, that of number i on line i.
    """
    shards = [ModelShard(text.folder, writer.path(ngram_file(n)), n) for n in POINTS]
    for shard, count in zip(shards, room.map(write_ngram_hashes, shards, unit="lengths"), strict=True):
        writer.rows[shard.target.name] = count
    shutil.copyfile(text.path(WORDS), writer.path(WORDS))
    writer.versions |= {"numpy": np.__version__}
    room.say(", ".join(f"{count:,} {name.split('.')[0]}" for name, count in writer.rows.items()))


def write_ngram_hashes(shard: ModelShard) -> int:
    """Write one length's hashes block by block, so that memory stays flat; returns their number."""
    count = 0
    with open(shard.target, "wb") as handle:
        _write_header(handle, count)
        for block in index_blocks(read_ids(open_artifact(shard.text)), shard.n):
            handle.write(block.astype("<u8").tobytes())
            count += len(block)
        handle.seek(0)
        _write_header(handle, count)  # of the same length: numpy leaves room for the digits of a growing first axis
    return count


def _write_header(handle: BinaryIO, count: int) -> None:
    np.lib.format.write_array_header_1_0(handle, {"descr": "<u8", "fortran_order": False, "shape": (count,)})


def write_evaluation_lm(writer: ArtifactWriter, room: Room, *, text: Artifact, sizes: EvalLmSizes) -> None:
    """A modified Kneser-Ney model of the printed text over its frequent words.

    Writes `model.binary`, a KenLM trie. Words below `min_count` are `<unk>` to it. Where the text is too small to estimate discounts,
    lmplz's fixed ones serve.

    Raises:
        ToolError: lmplz or build_binary is missing or failed.
    """
    clock = Stopwatch()
    temp = writer.path("temp/x").parent
    counts = np.bincount(read_ids(text))
    words = read_words(text)
    frequent = [words[i - 1] for i in np.flatnonzero(counts >= sizes.min_count).tolist() if i > 0]
    (temp / "vocabulary.txt").write_text("".join(f"{word}\n" for word in frequent), encoding="utf-8", newline="\n")
    memory = _SMALL_MEMORY if text.path(TEXT).stat().st_size < _SMALL_TEXT_BYTES else _MEMORY
    with phases(room.stage) as hear:
        train_arpa(
            text=text.path(TEXT), arpa=temp / "model.arpa", order=sizes.order, memory=memory, temp_dir=temp, prune=sizes.prune,
            limit_vocab=temp / "vocabulary.txt", discount_fallback=True, on_line=hear,
        )  # fmt: skip
    build_trie(arpa=temp / "model.arpa", binary=writer.path(BINARY), memory=memory, temp_dir=temp)
    shutil.rmtree(temp)
    writer.facts |= {"words": len(frequent)}
    writer.versions |= {"lmplz_sha256": binary_sha256(find_lmplz()), "build_binary_sha256": binary_sha256(find_build_binary())}
    room.say(f"order {sizes.order} over {len(frequent):,} words in {clock.seconds:.0f} s")


def write_lsa(writer: ArtifactWriter, room: Room, *, text: Artifact, sizes: LsaSizes) -> None:
    """Word vectors of the printed text.

    Writes `vectors.npy`: float32, shape (words + 2, dimensions), the first two rows zero, for they stand for no word and for marks; and
    `words.txt`: case-folded words, line i (from 1) having row i + 1.

    Raises:
        CorpusError: the text has fewer than three words often enough.
    """
    clock = Stopwatch()
    shard = ModelShard(text.folder, writer.path(VECTORS), sizes=sizes)
    (words,) = room.map(fit_vectors, [shard], unit="matrices")
    writer.path(WORDS).write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n")
    writer.rows |= {VECTORS: len(words) + UNCOUNTED + 1, WORDS: len(words)}
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__}
    room.say(f"{len(words):,} words, {sizes.dimensions} dimensions in {clock.seconds:.0f} s")


def fit_vectors(shard: ModelShard) -> list[str]:
    """Fit and write the vectors; returns the case-folded words that have one, in the order of their rows."""
    text = open_artifact(shard.text)
    surface = {word: i for i, word in enumerate(read_words(text), 1)}
    mapping, folded = fold_ids(surface)
    vectors = fit_word_vectors(
        mapping[read_ids(text)], len(folded) + 1, dimensions=shard.sizes.dimensions, min_count=shard.sizes.min_count, seed=_START_SEED
    )
    used = np.flatnonzero(vectors.any(axis=1))
    np.save(shard.target, np.concatenate([np.zeros((UNCOUNTED + 1, vectors.shape[1]), np.float32), vectors[used]]))
    names = list(folded)
    return [names[i - 1] for i in used.tolist()]

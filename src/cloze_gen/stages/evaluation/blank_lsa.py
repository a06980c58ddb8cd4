"""The vectors of words by which the coherence of sentences is measured, as an artifact."""

from __future__ import annotations

import numpy as np
import scipy

from cloze_gen.engine.progress import Stopwatch
from cloze_gen.engine.threads import one_thread
from cloze_gen.evaluate.blanks.lsa import weighted
from cloze_gen.evaluate.blanks.overlap import rarity
from cloze_gen.evaluate.words.lsa import UNCOUNTED, fit_word_vectors
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.evaluation.models import LsaSizes
from cloze_gen.stages.evaluation.opened_models import VECTORS, WORDS
from cloze_gen.stages.evaluation.sentence_counts import read_sentence_counts
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped
from cloze_gen.text.word_ids import SEPARATOR
from cloze_gen.words import is_word

# Of 10,000 blanks drawn in novels other than the training ones, 100 dimensions answer 25.2 % by P+N, 200 26.0 %, 300 27.0 %; made from
# 30 million tokens in 28, 37 and 66 s.
BLANK_LSA = LsaSizes(dimensions=200)
_START_SEED = 0  # of the Lanczos start vector; the vectors are a measure, not a draw, so the evaluation's seed does not touch them


def write_blank_lsa(writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, sizes: LsaSizes) -> None:
    """Word vectors for the coherence of sentences, as long as their words are rare (`lsa.weighted`).

    Files: `vectors.npy`, float32, shape (words, dimensions); `words.txt`, words in small letters, that of row i on line i, from 0.

    Args:
        text: of `passage_models.write_passage_text`.
        counts: of `sentence_counts.write_sentence_counts`.
    Raises:
        CorpusError: the text has fewer than three words often enough.
    """
    clock = Stopwatch()
    known = read_sentence_counts(counts)
    folded = np.array([SEPARATOR, *(i + UNCOUNTED if is_word(word) else UNCOUNTED for i, word in enumerate(known.words, 1))], np.uint32)
    with one_thread():
        vectors = fit_word_vectors(
            folded[memory_mapped(text.path(TOKENS))],
            len(known.words) + UNCOUNTED + 1,
            dimensions=sizes.dimensions,
            min_count=sizes.min_count,
            seed=_START_SEED,
        )[UNCOUNTED + 1 :]
    used = np.flatnonzero(vectors.any(axis=1))
    np.save(writer.path(VECTORS), weighted(vectors[used], rarity(known.sentence_counts[used], sentences=known.sentences)))
    writer.path(WORDS).write_text("".join(f"{known.words[i]}\n" for i in used.tolist()), encoding="utf-8", newline="\n")
    writer.rows |= {VECTORS: len(used), WORDS: len(used)}
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__}
    room.say(f"{len(used):,} words, {sizes.dimensions} dimensions in {clock.seconds:.0f} s")

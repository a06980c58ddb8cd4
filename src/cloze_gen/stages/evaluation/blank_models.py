"""What the scorers of blanks are made from, as artifacts, and the scorers themselves by the names of `evaluate.blanks.baselines`.

All are made from the training text in small letters (`passage_models.write_passage_text`): in these words passages are asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.csv
import scipy
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.engine.progress import Stopwatch
from cloze_gen.engine.threads import one_thread
from cloze_gen.english.stems import stem
from cloze_gen.evaluate.blanks.asked import AskedBlanks, BlankScorer
from cloze_gen.evaluate.blanks.baselines import LSA, NGRAMS, TEXT
from cloze_gen.evaluate.blanks.cohesion import CohesionScorer
from cloze_gen.evaluate.blanks.cues import CueScorer
from cloze_gen.evaluate.blanks.language_model import LanguageModelScorer
from cloze_gen.evaluate.blanks.lsa import LsaScorer, weighted
from cloze_gen.evaluate.blanks.overlap import OverlapScorer, TfIdfScorer, rarity
from cloze_gen.evaluate.blanks.pmi import PmiScorer
from cloze_gen.evaluate.words.lsa import UNCOUNTED, fit_word_vectors
from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.evaluation.models import LsaSettings
from cloze_gen.stages.evaluation.opened_models import VECTORS, WORDS, read_words
from cloze_gen.stages.evaluation.passage_models import PassageNgramSettings
from cloze_gen.stages.evaluation.passage_words import RARE, read_passage_words
from cloze_gen.stages.models.index import open_index
from cloze_gen.stages.room import Room
from cloze_gen.stats.cues import rarity_of
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, write_tsv
from cloze_gen.text.word_ids import SEPARATOR
from cloze_gen.words import is_word

SENTENCE_COUNTS = "sentence_counts.tsv"
# Of 10,000 blanks drawn in other novels, by P+N: order 3 answers 22.9 %, made in 37 s from 30 million tokens; order 5 22.6 %, in 155 s.
BLANK_NGRAMS = PassageNgramSettings(order=3)
# Of these 10,000, 100 dimensions answer 25.2 %, 200 26.0 %, 300 27.0 %, in 28, 37 and 66 s.
BLANK_LSA = LsaSettings(dimensions=200)
_HEADER = ("word", "count", "sentences")
_BLOCK = 1 << 22  # tokens at a time
_START_SEED = 0  # of the Lanczos start vector; the vectors are a measure, not a draw, so the evaluation's seed does not touch them


def write_sentence_counts(writer: ArtifactWriter, room: Room, *, text: Artifact) -> None:
    """How often each word stands in the training text, and in how many sentences.

    Files: `sentence_counts.tsv`, a row a word in small letters, the commonest first: `word`, its `count`, and in how many `sentences` it
    stands. The facts `tokens` and `sentences` are those of the text.
    """
    ids = memory_mapped(text.path(TOKENS))
    words = read_passage_words(text, most=len(ids))
    counts, sentence_counts = (np.zeros(len(words) + 1, np.int64) for _ in range(2))
    for block in _sentence_blocks(ids):
        counts += np.bincount(block, minlength=len(counts))
        sentence_counts += sentences_with(block, len(counts))
    rows = zip(words, counts[1:].tolist(), sentence_counts[1:].tolist(), strict=True)
    writer.rows[SENTENCE_COUNTS] = write_tsv(writer.path(SENTENCE_COUNTS), _HEADER, rows)
    writer.facts |= {"tokens": text.facts["tokens"], "sentences": text.facts["sentences"]}
    room.say(f"{len(words):,} words in {text.facts['sentences']:,} sentences")


def sentences_with(ids: NDArray[np.integer], n_words: int) -> NDArray[np.int64]:
    """In how many sentences each word stands: int64, shape (n_words,); 0 of the separator.

    Args:
        ids: words' numbers, `SEPARATOR` after each sentence.

    >>> sentences_with(np.array([1, 2, 1, 0, 2, 0]), 4).tolist()
    [0, 1, 2, 0]
    """
    ends, is_token = np.flatnonzero(ids == SEPARATOR), ids != SEPARATOR
    starts = np.concatenate([[0], np.cumsum(is_token)[ends]])
    columns = ids[is_token].astype(np.int64)
    matrix = sparse.csr_array((np.ones(len(columns), np.int8), columns, starts), shape=(len(ends), n_words))
    matrix.sum_duplicates()
    return np.bincount(matrix.indices, minlength=n_words)


def _sentence_blocks(ids: NDArray[np.integer]) -> Iterator[NDArray[np.integer]]:
    """The text in parts of whole sentences, none of them more than a sentence longer than `_BLOCK`."""
    ends = np.flatnonzero(ids == SEPARATOR) + 1
    first = 0
    while first < len(ids):
        last = int(ends[min(int(np.searchsorted(ends, first + _BLOCK)), len(ends) - 1)])
        yield np.asarray(ids[first:last])
        first = last


def write_blank_lsa(writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact, settings: LsaSettings) -> None:
    """Word vectors for the coherence of sentences, as long as their words are rare (`lsa.weighted`).

    Files: `vectors.npy`, float32, shape (words, dimensions); `words.txt`, words in small letters, that of row i on line i, from 0.

    Args:
        text: of `write_passage_text`.
        counts: of `write_sentence_counts`.
    Raises:
        CorpusError: the text has fewer than three words often enough.
    """
    clock = Stopwatch()
    known = _read_counts(counts)
    folded = np.array([SEPARATOR, *(i + UNCOUNTED if is_word(word) else UNCOUNTED for i, word in enumerate(known.words, 1))], np.uint32)
    with one_thread():
        vectors = fit_word_vectors(
            folded[memory_mapped(text.path(TOKENS))],
            len(known.words) + UNCOUNTED + 1,
            dimensions=settings.dimensions,
            min_count=settings.min_count,
            seed=_START_SEED,
        )[UNCOUNTED + 1 :]
    used = np.flatnonzero(vectors.any(axis=1))
    np.save(writer.path(VECTORS), weighted(vectors[used], rarity(known.sentence_counts[used], sentences=known.sentences)))
    writer.path(WORDS).write_text("".join(f"{known.words[i]}\n" for i in used.tolist()), encoding="utf-8", newline="\n")
    writer.rows |= {VECTORS: len(used), WORDS: len(used)}
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__}
    room.say(f"{len(used):,} words, {settings.dimensions} dimensions in {clock.seconds:.0f} s")


def open_scorer(name: str, models: Mapping[str, Artifact], training: Sequence[AskedBlanks]) -> BlankScorer:
    """A scorer, its model opened or made.

    Args:
        models: what the baseline is made from, by the names of its `BlankBaseline.models`.
        training: the passages to learn from.
    """
    openers: Mapping[str, Callable[[], BlankScorer]] = {
        "pmi-1": lambda: PmiScorer((one.sentences for one in training), most=1),
        "pmi-2": lambda: PmiScorer((one.sentences for one in training), most=2),
        "overlap": OverlapScorer,
        "tf-idf": lambda: _open_tf_idf(models[TEXT]),
        "cohesion": CohesionScorer,
        "cues": lambda: _open_cues(models[TEXT]),
        "lsa": lambda: _open_lsa(models[LSA]),
        "language-model": lambda: _open_language_model(models[TEXT], models[NGRAMS]),
    }
    return openers[name]()


def read_freqs(counts: Artifact) -> Mapping[str, float]:
    """A word's share of the word tokens of the training text, by the word in small letters.

    Args:
        counts: of `write_sentence_counts`.
    """
    table = _read_counts(counts)
    word_counts = {word: count for word, count in zip(table.words, table.counts.tolist(), strict=True) if is_word(word)}
    total = max(1, sum(word_counts.values()))
    return {word: count / total for word, count in word_counts.items()}


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """What `write_sentence_counts` wrote: arrays of int64, shape (words,)."""

    words: list[str]
    counts: NDArray[np.int64]
    sentence_counts: NDArray[np.int64]
    sentences: int


def _read_counts(artifact: Artifact) -> _Counts:
    table = pyarrow.csv.read_csv(
        artifact.path(SENTENCE_COUNTS),
        parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(column_types={"word": pa.string()}, strings_can_be_null=False),
    )
    counts, sentence_counts = (table[name].to_numpy() for name in _HEADER[1:])
    return _Counts(table["word"].to_pylist(), counts, sentence_counts, int(artifact.facts["sentences"]))


def _open_tf_idf(counts: Artifact) -> TfIdfScorer:
    table = _read_counts(counts)
    return TfIdfScorer(dict(zip(table.words, table.sentence_counts.tolist(), strict=True)), sentences=table.sentences)


def _open_cues(counts: Artifact) -> CueScorer:
    table = _read_counts(counts)
    stems: Counter[str] = Counter()
    for word, count in zip(table.words, table.counts.tolist(), strict=True):
        if is_word(word):
            stems[stem(word)] += count
    return CueScorer(rarity_of(stems, table.sentences))


def _open_lsa(model: Artifact) -> LsaScorer:
    return LsaScorer(memory_mapped(model.path(VECTORS)), {word: row for row, word in enumerate(read_words(model))})


def _open_language_model(counts: Artifact, model: Artifact) -> LanguageModelScorer:
    outside = len(_read_counts(counts).words) - int(model.facts["words"])
    return LanguageModelScorer(open_index(model), unknown=RARE, unknown_types=outside)

"""In how many sentences of the training text each word stands: what TF-IDF, LSA and the frequencies of words are made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray
from scipy import sparse

from cloze_gen.stages.corpus.training_text import TOKENS
from cloze_gen.stages.evaluation.passage_words import read_passage_words
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, write_tsv
from cloze_gen.text.word_ids import SEPARATOR
from cloze_gen.words import is_word

SENTENCE_COUNTS = "sentence_counts.tsv"
_HEADER = ("word", "count", "sentences")
_BLOCK = 1 << 22  # tokens at a time


@dataclass(frozen=True, slots=True, eq=False)
class SentenceCounts:
    """What `write_sentence_counts` wrote: arrays of int64, shape (words,)."""

    words: list[str]
    counts: NDArray[np.int64]
    sentence_counts: NDArray[np.int64]
    sentences: int


def write_sentence_counts(writer: ArtifactWriter, room: Room, *, text: Artifact) -> None:
    """How often each word stands in the training text, and in how many sentences.

    Files: `sentence_counts.tsv`, a row a word in small letters, the commonest first: `word`, its `count`, and in how many `sentences` it
    stands. The facts `tokens` and `sentences` are those of the text.

    Args:
        text: of `passage_models.write_passage_text`.
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


def read_sentence_counts(artifact: Artifact) -> SentenceCounts:
    """The table back from disk."""
    table = pyarrow.csv.read_csv(
        artifact.path(SENTENCE_COUNTS),
        parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(column_types={"word": pa.string()}, strings_can_be_null=False),
    )
    counts, sentence_counts = (table[name].to_numpy() for name in _HEADER[1:])
    return SentenceCounts(table["word"].to_pylist(), counts, sentence_counts, int(artifact.facts["sentences"]))


def read_freqs(counts: Artifact) -> Mapping[str, float]:
    """A word's share of the word tokens of the training text, by the word in small letters.

    Args:
        counts: of `write_sentence_counts`.
    """
    table = read_sentence_counts(counts)
    word_counts = {word: count for word, count in zip(table.words, table.counts.tolist(), strict=True) if is_word(word)}
    total = max(1, sum(word_counts.values()))
    return {word: count / total for word, count in word_counts.items()}

"""The text and the n-gram model that passages are asked of: small letters, a closed vocabulary (LAMBADA 4).

"We restricted the vocabulary of the models to the 60K most frequent words in the training set." The text is the training text, its words
in small letters, as the published passages are. Neither is what a committee's n-gram model is made of, which knows capitals and every word.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cloze_gen.adapters.lmplz import binary_sha256, find_lmplz, train_arpa
from cloze_gen.engine.progress import Stopwatch, phases
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.corpus.training_text import TEXT, TOKENS
from cloze_gen.stages.evaluation.passage_words import PASSAGE_WORDS, RARE, VOCABULARY, read_passage_words
from cloze_gen.stages.models.index import write_index_of
from cloze_gen.stages.room import Room
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped, write_tsv
from cloze_gen.text.word_ids import SEPARATOR

_HEADER = ("word", "count")
_BLOCK = 1 << 20  # tokens at a time
_SMALL_TOKENS = 4_000_000  # of a text that lmplz sorts in the lesser memory
_SMALL_MEMORY, _MEMORY = "200M", "2G"


@dataclass(frozen=True, slots=True)
class PassageNgramSizes:
    """The n-gram baseline of passages. No setting of a run reaches it.

    Attributes:
        order: n of the longest n-grams.
        vocabulary: number of the commonest words in small letters; all others are one (4).
    """

    order: int
    vocabulary: int = VOCABULARY


PASSAGE_NGRAMS = PassageNgramSizes(order=5)
# Of the model that blanks are asked of. Of 10,000 drawn in novels other than the training ones order 3 answers 22.9 % by P+N, order 5
# 22.6 %; made from 30 million tokens in 37 and 155 s.
BLANK_NGRAMS = PassageNgramSizes(order=3)


def write_passage_text(writer: ArtifactWriter, room: Room, *, text: Artifact, counts: Artifact) -> None:
    """The training sentences in small letters, as numbers.

    Files: `tokens.npy`, uint32, shape (tokens + sentences,): the number of each word, 0 after each sentence; `words.tsv`, a row a word,
    that of number i on row i, the commonest first: `word` and its `count`. The facts `tokens` and `sentences` are those of the text.
    """
    table = read_counts(counts)
    words, word_counts, numbers = fold_words(table.words, table.count)
    ids = memory_mapped(text.path(TOKENS))
    with open(writer.path(TOKENS), "wb") as handle:
        np.lib.format.write_array_header_1_0(handle, {"descr": "<u4", "fortran_order": False, "shape": (len(ids),)})
        for first in range(0, len(ids), _BLOCK):
            handle.write(numbers[ids[first : first + _BLOCK]].astype("<u4").tobytes())
    n_words = write_tsv(writer.path(PASSAGE_WORDS), _HEADER, zip(words, word_counts.tolist(), strict=True))
    writer.rows |= {PASSAGE_WORDS: n_words, TOKENS: len(ids)}
    writer.facts |= {"tokens": text.facts["tokens"], "sentences": text.facts["sentences"]}
    room.say(f"{text.facts['tokens']:,} tokens, {len(words):,} words in small letters")


def fold_words(words: Sequence[str], counts: NDArray[np.integer]) -> tuple[list[str], NDArray[np.int64], NDArray[np.uint32]]:
    """Words in small letters, counted together, and the number of each word as it was.

    Returns:
        the words in small letters, the commonest first, of equals in alphabetical order; their counts, shape (folded words,); uint32,
        shape (words + 1,): of number i, from 1, the new number; 0 stays 0.

    >>> folded, counts, numbers = fold_words(["the", "Joe", "The", "sea"], np.array([5, 3, 2, 4]))
    >>> folded, counts.tolist(), numbers.tolist()
    (['the', 'sea', 'joe'], [7, 4, 3], [0, 1, 3, 1, 2])
    """
    folded = [word.casefold() for word in words]
    total: Counter[str] = Counter()
    for word, count in zip(folded, counts.tolist(), strict=True):
        total[word] += count
    ordered = sorted(total, key=lambda word: (-total[word], word))
    number = {word: i for i, word in enumerate(ordered, 1)}
    numbers = np.array([SEPARATOR, *(number[word] for word in folded)], np.uint32)
    return ordered, np.array([total[word] for word in ordered], np.int64), numbers


def write_passage_ngrams(writer: ArtifactWriter, room: Room, *, text: Artifact, sizes: PassageNgramSizes) -> None:
    """The n-gram baseline: modified Kneser-Ney over the closed vocabulary, sorted into the arrays of a forward index.

    Words outside the vocabulary are one, `<rare>`, before the model is estimated, so that it is a probability like any other. Where the
    text is too small to estimate discounts, lmplz's fixed ones serve.

    Files: as in `stages.models.index.write_index`: `words.txt` and for each order N `Ngrams.key.npy`, `Ngrams.log10_prob.npy`,
    `Ngrams.log10_backoff.npy`, a row an n-gram.

    Args:
        text: of `write_passage_text`.
    Raises:
        ToolError: lmplz is missing or fails; the message says what mends it.
    """
    clock = Stopwatch()
    words, temp = read_passage_words(text, most=sizes.vocabulary), writer.path("temp/x").parent
    with open(temp / TEXT, "wb") as handle:
        handle.writelines(closed_lines(memory_mapped(text.path(TOKENS)), words))
    with phases(room.stage) as hear:
        train_arpa(
            text=temp / TEXT,
            arpa=temp / "model.arpa",
            order=sizes.order,
            memory=_SMALL_MEMORY if int(text.facts["tokens"]) < _SMALL_TOKENS else _MEMORY,
            temp_dir=temp,
            discount_fallback=True,
            on_line=hear,
        )
    write_index_of(writer, room, temp / "model.arpa")
    shutil.rmtree(temp)
    writer.facts |= {"words": len(words)}
    writer.versions |= {"lmplz_sha256": binary_sha256(find_lmplz())}
    room.say(f"over {len(words):,} words in {clock.seconds:.0f} s")


def closed_lines(ids: NDArray[np.integer], words: Sequence[str]) -> Iterator[bytes]:
    r"""The text as lmplz reads it, block by block: a sentence a line, every other word as `<rare>`.

    Args:
        ids: of `write_passage_text`.
        words: the vocabulary, the word of number i at i - 1.

    >>> list(closed_lines(np.array([1, 9, 0, 2, 0]), ["the", "sea"]))
    [b'the <rare> \nsea \n']
    """
    table = np.array([b"\n", *(f"{word} ".encode() for word in words), f"{RARE} ".encode()], dtype=object)
    for first in range(0, len(ids), _BLOCK):
        yield b"".join(table[np.minimum(ids[first : first + _BLOCK], len(words) + 1)].tolist())

"""Latent semantic analysis: the option whose vector lies closest to the other words of its sentence.

Source: Zweig & Burges 2011, 4.3 ("we treated each sentence in the training data as a document", 300 dimensions, average cosine to every
other word) after Deerwester et al. 1990. What the paper leaves open, and our reading: entries of the term-by-sentence matrix A are plain
counts (no weighting is named); words are case-folded, marks are no words; a word's vector is its row of U, all dimensions of one weight.

Deerwester et al. compare two terms by rows of U S, which the paper's text allows as well. S lets the first dimensions outweigh the rest;
that these hold mostly word frequency is our guess, not measured. On 3,000 items made from 78 novels outside the 522 (impostors follow the
same predecessor in the 522), U S is right in 34.1 % and U in 51.1 %: U is the default for that. `docs/evaluation.md` has both figures.

With A = U S V', A A' = U S^2 U'. Lanczos needs A A' only as ``x -> A (A' x)``, so neither a dense matrix nor V is ever formed:
memory is that of A in sparse form (12 bytes a distinct word of a sentence) and of two bases of Lanczos vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from cloze_gen.errors import CorpusError
from cloze_gen.evaluate.metrics import score_matrix
from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng
from cloze_gen.text.word_ids import SEPARATOR

UNCOUNTED = 1  # folded id of marks: in the sentence, but no word
DIMENSIONS = 300  # 4.3
MIN_COUNT = 5  # least corpus count of a word with a vector, inclusive: the paper's vocabulary (4.2)
# Ritz values settle long before this; 1e-4 of an eigenvalue moves no cosine by more than the float32 they are kept in would show.
_TOLERANCE = 1e-4


def fold_ids(vocabulary: Mapping[str, int]) -> tuple[NDArray[np.uint32], dict[str, int]]:
    """Map surface ids to ids of case-folded words; what holds no letter or digit maps to `UNCOUNTED`.

    Args:
        vocabulary: word -> id, ids from 1.
    Returns:
        uint32, shape (max id + 1,): the folded id of a surface id, 0 for the separator and for ids without a word; and folded word -> id,
        ids from 1 in the order of the first surface id, `UNCOUNTED` being id 1 under the key ``""``.

    >>> mapping, folded = fold_ids({"The": 1, ",": 2, "the": 3, "fog": 4})
    >>> mapping.tolist(), folded
    ([0, 2, 1, 2, 3], {'': 1, 'the': 2, 'fog': 3})
    """
    folded = {"": UNCOUNTED}
    mapping = np.zeros(max(vocabulary.values(), default=0) + 1, np.uint32)
    for word, word_id in sorted(vocabulary.items(), key=lambda pair: pair[1]):
        is_word = any(character.isalnum() for character in word)
        mapping[word_id] = folded.setdefault(word.casefold(), len(folded) + 1) if is_word else UNCOUNTED
    return mapping, folded


def term_sentence_counts(ids: NDArray[np.uint32], n_words: int, *, min_count: int = MIN_COUNT) -> sparse.csr_array:
    """Sentences by words, plain counts: A' of the module's text.

    Args:
        ids: uint32, shape (t,), `SEPARATOR` between sentences, `UNCOUNTED` for marks, words from 2.
        n_words: one more than the highest id.
    Returns:
        float64 CSR array, shape (sentences, n_words); columns of words rarer than `min_count` are empty.
    """
    counts = np.bincount(ids, minlength=n_words)
    counted = counts >= min_count
    counted[[SEPARATOR, UNCOUNTED]] = False
    kept = counted[ids]
    ends = np.flatnonzero(ids == SEPARATOR)
    if len(ids) and ids[-1] != SEPARATOR:
        ends = np.append(ends, len(ids))
    row_starts = np.concatenate(([0], np.cumsum(kept, dtype=np.int64)))[np.concatenate(([0], ends))]
    columns = ids[kept].astype(np.int32)
    index_type = np.int32 if len(columns) < 2**31 else np.int64
    matrix = sparse.csr_array(
        (np.ones(len(columns)), columns.astype(index_type, copy=False), row_starts.astype(index_type)), shape=(len(ends), n_words)
    )
    matrix.sum_duplicates()
    return matrix


def fit_word_vectors(
    ids: NDArray[np.uint32], n_words: int, *, dimensions: int = DIMENSIONS, min_count: int = MIN_COUNT, seed: int
) -> NDArray[np.float32]:
    """Word vectors, rows of U of the term-by-sentence counts.

    Args:
        ids, n_words, min_count: as `term_sentence_counts`.
        dimensions: singular values kept; fewer when the corpus has not as many words or sentences.
        seed: of the Lanczos start vector. The space found does not depend on it beyond the tolerance; the bits do.
    Returns:
        float32, shape (n_words, dimensions), columns of length one; zero for words without a vector. Signs are fixed: a column's largest
        entry is positive.
    Raises:
        CorpusError: fewer than three words occur `min_count` times.

    Run it with one BLAS thread where equal bytes are wanted.
    """
    matrix = term_sentence_counts(ids, n_words, min_count=min_count)
    used = np.flatnonzero(np.bincount(matrix.indices, minlength=n_words))
    if len(used) < 3:
        raise CorpusError(f"LSA: only {len(used)} words occur {min_count} times or more; give a larger training text")
    place = np.zeros(n_words, matrix.indices.dtype)
    place[used] = np.arange(len(used))
    dense_columns = sparse.csr_array((matrix.data, place[matrix.indices], matrix.indptr), shape=(matrix.shape[0], len(used)))
    kept = min(dimensions, len(used) - 1)
    transposed = dense_columns.T  # shares memory with dense_columns

    def gram(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(transposed @ (dense_columns @ x))

    operator = LinearOperator((len(used), len(used)), matvec=gram, dtype=np.float64)
    start = derive_rng(seed, "evaluate.lsa.start").standard_normal(len(used))
    values, vectors = eigsh(operator, k=kept, which="LM", v0=start, tol=_TOLERANCE, ncv=min(len(used), 2 * kept + 1))
    order = np.argsort(-values, kind="stable")
    vectors = vectors[:, order]
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(kept)])
    result = np.zeros((n_words, kept), np.float32)
    result[used] = vectors
    return result


def lsa_scores(vectors: NDArray[np.float32], questions: Sequence[Question], vocabulary: Mapping[str, int]) -> NDArray[np.float64]:
    """Average cosine, from -1 to 1, between an option and every other word of its sentence that has a vector.

    Args:
        vectors: of `fit_word_vectors`; may be memory-mapped, only rows in use are read.
        vocabulary: case-folded word -> row.
    Returns:
        float64, shape (n, k), NaN beyond an item's options. An option without a vector is like none of the others: 0.
    """
    rows = []
    for question in questions:
        others = [token for place, token in enumerate(question.tokens) if place != question.position]
        known = [row for token in others if (row := vocabulary.get(token.casefold(), 0)) > UNCOUNTED]
        context = _unit(vectors[known])
        context = context[context.any(axis=1)]
        options = _unit(vectors[[vocabulary.get(word.casefold(), 0) for word in question.options]])
        rows.append((options @ context.sum(axis=0) / max(1, len(context))).tolist())
    return score_matrix(rows)


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Rows of length one; zero rows stay zero."""
    rows64 = rows.astype(np.float64)
    lengths = np.linalg.norm(rows64, axis=1, keepdims=True)
    return np.divide(rows64, lengths, out=np.zeros_like(rows64), where=lengths > 0)

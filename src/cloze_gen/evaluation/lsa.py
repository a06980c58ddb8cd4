"""Latent semantic analysis: similarity of an option to the rest of its sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.errors import CorpusError
from cloze_gen.evaluation.metrics import score_matrix
from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng

UNCOUNTED = 1  # folded id of punctuation
DIMENSIONS = 300  # 4.3
MIN_COUNT = 5  # minimum corpus count of a word with a vector, inclusive (vocabulary of 4.2)
# Of eigenvalues, relative. With 0.02, 200 and float32, LSA chooses the same option in 10,209 questions
# as with 1e-4, 301 and float64; with 0.03 and 100 it does not.
_TOLERANCE = 0.02
_SPARE_VECTORS = 200  # Lanczos vectors beyond the dimensions


def fold_ids(vocabulary: Mapping[str, int]) -> tuple[NDArray[np.uint32], dict[str, int]]:
    """Folded id of each word id (0 for the separator), and case-folded word -> folded id.

    Tokens without letter or digit become `UNCOUNTED`.

    >>> mapping, folded = fold_ids({"The": 1, ",": 2, "the": 3, "fog": 4})
    >>> mapping.tolist(), folded
    ([0, 2, 1, 2, 3], {'': 1, 'the': 2, 'fog': 3})
    """
    folded = {"": UNCOUNTED}
    mapping = np.zeros(max(vocabulary.values(), default=0) + 1, np.uint32)
    for word, word_id in sorted(vocabulary.items(), key=lambda pair: pair[1]):
        is_word = any(character.isalnum() for character in word)
        mapping[word_id] = (
            folded.setdefault(word.casefold(), len(folded) + 1) if is_word else UNCOUNTED
        )
    return mapping, folded


def term_sentence_counts(
    ids: NDArray[np.uint32], n_words: int, *, min_count: int = MIN_COUNT
) -> sparse.csr_array:
    """Counts of words (columns) in sentences (rows); columns of words below `min_count` are empty.

    `n_words` is one more than the highest of `ids`.
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
        (
            np.ones(len(columns), np.float32),
            columns.astype(index_type, copy=False),
            row_starts.astype(index_type),
        ),
        shape=(len(ends), n_words),
    )
    matrix.sum_duplicates()
    return matrix


def fit_word_vectors(
    ids: NDArray[np.uint32],
    n_words: int,
    *,
    dimensions: int = DIMENSIONS,
    min_count: int = MIN_COUNT,
    seed: int,
) -> NDArray[np.float32]:
    """Word vectors, the rows of U in A = U S V': float32, shape (n_words, dimensions).

    Zweig & Burges 2011, 4.3, after Deerwester et al. 1990. *Read:* the term-by-sentence matrix A
    holds plain counts. Words are case-folded, and punctuation is left out. The paper's text also
    allows rows of U S: they are right in 34.1 % of 3,000 items of 78 other novels, rows of U in
    51.1 %. Since A A' = U S^2 U', Lanczos needs only the map from x to A (A' x).

    Columns have length one and a positive largest entry; words without a vector are zero. Use one
    BLAS thread for reproducible bytes.

    Raises:
        CorpusError: fewer than three words occur `min_count` times.
    """
    matrix = term_sentence_counts(ids, n_words, min_count=min_count)
    used = np.flatnonzero(np.bincount(matrix.indices, minlength=n_words))
    if len(used) < 3:
        raise CorpusError(
            f"LSA: only {len(used)} words of the training text occur {min_count} times or more, at "
            "least 3 are needed; add training books"
        )
    place = np.zeros(n_words, matrix.indices.dtype)
    place[used] = np.arange(len(used))
    dense_columns = sparse.csr_array(
        (matrix.data, place[matrix.indices], matrix.indptr), shape=(matrix.shape[0], len(used))
    )
    kept = min(dimensions, len(used) - 1)
    transposed = dense_columns.T  # shares memory with dense_columns

    def gram(x: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(transposed @ (dense_columns @ x))

    operator = LinearOperator((len(used), len(used)), matvec=gram, dtype=np.float32)
    start = derive_rng(seed, "evaluate.lsa.start").standard_normal(len(used)).astype(np.float32)
    lanczos_vectors = min(len(used), kept + _SPARE_VECTORS)
    values, vectors = eigsh(
        operator, k=kept, which="LM", v0=start, tol=_TOLERANCE, ncv=lanczos_vectors
    )
    order = np.argsort(-values, kind="stable")
    vectors = vectors[:, order]
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(kept)])
    result = np.zeros((n_words, kept), np.float32)
    result[used] = vectors
    return result


def lsa_scores(
    vectors: NDArray[np.float32], questions: Sequence[Question], vocabulary: Mapping[str, int]
) -> NDArray[np.float64]:
    """Mean cosine of an option with the other words of its sentence: shape (n, k); 0 if unknown.

    `vocabulary`: case-folded word -> row of `vectors`.
    """
    rows = []
    for question in questions:
        others = [
            token for place, token in enumerate(question.tokens) if place != question.position
        ]
        known = [
            row for token in others if (row := vocabulary.get(token.casefold(), 0)) > UNCOUNTED
        ]
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

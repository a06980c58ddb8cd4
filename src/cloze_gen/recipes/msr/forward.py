"""Steps 3 to 5 of MSR 2.2: the screening, the forward scores, and the best retained.

Step 3 as corrected on 20 February 2012: "a sentence was discarded if the correct answer scored best
(not worst) according to the language model prediction score". We read this score as P(word | two
preceding tokens). The forward score of steps 4 and 5 is P(next token | predecessor, option), "the
probability of 'and' following 'most handsome'".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import Field

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.arpa import word_ids
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.recipes.msr.alternates import ALTERNATES
from cloze_gen.recipes.msr.tables import (
    FORWARD_SCORE,
    HISTORY,
    HISTORY_SCORE,
    ITEM_ID,
    SENTENCE_SCORE,
    WORD,
    Inputs,
    Part,
    coded,
    coded_column,
    focus_parts,
    item_slices,
    note_parts,
)
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.schema import Column, Table

KEPT = "kept"  # `status` of a focus word that passes the screening


class ForwardReason(Reason):
    ANSWER_SCORES_BEST = (
        "answer_scores_best",
        "the answer has a better score than every alternate",
    )
    NO_ALTERNATES = ("no_alternates", "the model offers no alternate for the word")


class ForwardSettings(SettingsGroup):
    keep: int = Field(
        30, ge=4, le=MOST_EACH, description="alternates kept a focus word; MSR 2.2 step 5"
    )


SCORED = Table(
    "scored/part-*.parquet",
    "All alternates of the focus words that passed the screening.",
    ITEM_ID,
    WORD,
    HISTORY,
    Column(FORWARD_SCORE, pa.float32(), "log10 P(next token | token before, word)"),
    Column("forward_rank", pa.int16(), "rank by this score, from 1"),
    Column("kept", pa.bool_(), "among the best `forward.keep`"),
    Column(
        SENTENCE_SCORE,
        pa.float64(),
        "log10 probability of the whole sentence with the word; null if not kept",
    ),
    example='{"id": "the-lost-luggage-of-penny-cross:70:2", "word": "examined", '
    '"history_log10_prob": -2.740351676940918, "forward_log10_prob": -0.40380048751831055, '
    '"forward_rank": 8, "kept": true, "sentence_log10_prob": -56.127085987478495}',
)
ITEMS = Table(
    "items.parquet",
    "One row a focus word; the scores are those of the answer.",
    Column("id", pa.string(), "id of the item"),
    Column("status", pa.string(), f"`{KEPT}`, or the reason against the focus word"),
    Column("answer_log10_prob", pa.float64(), "log10 P(answer | two tokens before)"),
    Column(
        "answer_rank",
        pa.int64(),
        "rank by this score among the answer and its alternates, from 1",
    ),
    Column("alternates", pa.int64(), "number of alternates"),
    Column(
        FORWARD_SCORE, pa.float64(), "log10 P(next token | token before, answer); null if rejected"
    ),
    Column(
        "forward_rank",
        pa.int64(),
        "1 + number of alternates with a better forward score; null if rejected",
    ),
    Column(SENTENCE_SCORE, pa.float64(), "log10 probability of the sentence; null if rejected"),
    example='{"id": "the-lost-luggage-of-penny-cross:70:2", "status": "kept", '
    '"answer_log10_prob": -3.8014650344848633, "answer_rank": 199, "alternates": 300, '
    '"forward_log10_prob": -0.7606696486473083, "forward_rank": 31, '
    '"sentence_log10_prob": -57.54506850615144}',
)


# ---- step 3


def screened(answer_log10: float, alternates_log10: np.ndarray) -> str:
    """`KEPT`, or why the focus word is rejected; scores are log10.

    >>> screened(-2.0, np.array([-3.0, -2.5])), screened(-2.0, np.array([-3.0, -1.5]))
    ('answer_scores_best', 'kept')
    """
    if len(alternates_log10) == 0:
        return str(ForwardReason.NO_ALTERNATES)
    if answer_log10 > alternates_log10.max():
        return str(ForwardReason.ANSWER_SCORES_BEST)
    return KEPT


def answer_rank(answer_log10: float, alternates_log10: np.ndarray) -> int:
    """Rank of the right word among itself and its alternates, 1 is best; it wins ties.

    >>> answer_rank(-2.0, np.array([-3.0, -1.5, -1.0]))
    3
    """
    return 1 + int((alternates_log10 > answer_log10).sum())


# ---- steps 4 and 5


def forward_log10_probs(
    index: ForwardIndex, *, predecessors: np.ndarray, options: np.ndarray, next_words: np.ndarray
) -> np.ndarray:
    """float32, shape (n,): log10 P(next word | predecessor, option); int64 ids of shape (n,) in."""
    histories = np.column_stack([predecessors, options])
    return index.log10_probs(histories[:, -(index.order - 1) :], next_words)


def best_forward(forward_log10: np.ndarray, history_log10: np.ndarray, *, keep: int) -> np.ndarray:
    """Indices of the `keep` best by forward score; ties by the history score, then by index.

    >>> best_forward(np.array([-2.0, -1.0, -2.0]), np.array([-3.0, -9.0, -1.0]), keep=2)
    array([1, 2])
    """
    order = np.lexsort((np.arange(len(forward_log10)), -history_log10, -forward_log10))
    return order[:keep]


@dataclass(frozen=True, slots=True)
class FilledSentence:
    """A sentence's int64 ids, `<s>` first and `</s>` last, with int64 options for one position."""

    ids: np.ndarray
    position: int
    options: np.ndarray


def sentence_log10_probs(
    index: ForwardIndex, sentences: Sequence[FilledSentence]
) -> list[np.ndarray]:
    """log10 P(sentence, `</s>` | `<s>`) with each option; float64, shape (options,) a sentence."""
    if not sentences:
        return []
    windows = [_windows(sentence, index.order) for sentence in sentences]
    parts = [part.reshape(-1, index.order) for pair in windows for part in pair]
    ngrams = np.concatenate(parts)
    scores = index.log10_probs(ngrams[:, :-1], ngrams[:, -1]).astype(np.float64)
    pieces = iter(np.split(scores, np.cumsum([len(part) for part in parts])[:-1]))
    found = []
    for sentence in sentences:
        with_option = next(pieces).reshape(len(sentence.options), -1)
        without = next(pieces)
        found.append(with_option.sum(axis=1) + without.sum())
    return found


def _windows(sentence: FilledSentence, order: int) -> tuple[np.ndarray, np.ndarray]:
    """n-grams with the option, (options, touched, order), and without, (others, order); padded with -1."""
    reach, position, length = order - 1, sentence.position, len(sentence.ids)
    padded = np.concatenate([np.full(reach, -1, np.int64), sentence.ids])
    # one for each id after `<s>`
    grams = np.lib.stride_tricks.sliding_window_view(padded, order)[1:]
    first, last = position - 1, min(position + reach, length - 1)
    near = padded[first + 1 : last + reach + 1]
    filled = np.repeat(near[None, :], len(sentence.options), axis=0)
    filled[:, position + reach - first - 1] = sentence.options
    touched = np.lib.stride_tricks.sliding_window_view(filled, order, axis=1)
    return touched, np.concatenate([grams[:first], grams[last:]])


# ---- the stage


@dataclass(slots=True)
class _Passed:
    """A focus word that passed: its row in the part, the rows of its alternates, and its options
    with the answer last.
    """

    row: int
    rows: slice
    options: np.ndarray


def forward_part(
    part: Part, *, inputs: Inputs, alternates: Path, out: Path, settings: ForwardSettings
) -> tuple[int, list[dict[str, Any]]]:
    """Write the scores of one part. Returns their number, and a row of `ITEMS` a focus word."""
    reader = inputs.open()
    index, focus = reader.index(part.model), reader.focus(part)
    drawn = ALTERNATES.read(alternates / part.file)
    history = drawn[HISTORY_SCORE].to_numpy()
    words = word_ids(coded_column(drawn, "word"), index.vocabulary)
    codes = coded_column(drawn, "id").indices.to_numpy()
    rows_of = {int(codes[rows.start]): rows for rows in item_slices(codes)}

    items, passed = [], []
    answer_ids = np.array(index.ids(focus["word"]))
    answer_history = _history_scores(index, focus, answer_ids)
    for row, item_id in enumerate(focus["id"]):
        rows = rows_of.get(row, slice(0, 0))
        score, others = float(answer_history[row]), history[rows]
        status = screened(score, others)
        items.append(
            {
                "id": item_id,
                "status": status,
                "answer_log10_prob": score,
                "answer_rank": answer_rank(score, others),
                "alternates": len(others),
                FORWARD_SCORE: None,
                "forward_rank": None,
                SENTENCE_SCORE: None,
            }
        )
        if status == KEPT:
            passed.append(_Passed(row, rows, np.append(words[rows], answer_ids[row])))

    forward = _forward_scores(index, focus, passed)
    best = [
        best_forward(scores[:-1], history[item.rows], keep=settings.keep)
        for item, scores in zip(passed, forward, strict=True)
    ]
    sentence_ids = reader.sentence_ids(part.model)
    sentences = [
        FilledSentence(
            sentence_ids[focus["sentence_id"][item.row]],
            focus["position"][item.row] + 1,
            np.append(item.options[chosen], item.options[-1]),
        )
        for item, chosen in zip(passed, best, strict=True)
    ]
    whole = sentence_log10_probs(index, sentences)

    of_passed = [np.arange(item.rows.start, item.rows.stop) for item in passed]
    scored = np.concatenate([*of_passed, np.zeros(0, np.int64)])
    columns = _Columns(len(scored))
    for item, scores, chosen, totals in zip(passed, forward, best, whole, strict=True):
        columns.add(scores[:-1], chosen, totals[:-1])
        items[item.row] |= {
            FORWARD_SCORE: float(scores[-1]),
            "forward_rank": 1 + int((scores[:-1] > scores[-1]).sum()),
            SENTENCE_SCORE: float(totals[-1]),
        }
    table = {
        "id": coded(codes[scored], focus["id"]),
        "word": coded(words[scored], index.words),
        HISTORY_SCORE: history[scored],
        FORWARD_SCORE: columns.forward,
        "forward_rank": columns.rank,
        "kept": columns.kept,
        SENTENCE_SCORE: pa.array(columns.whole, from_pandas=True),
    }
    return SCORED.write(out / part.file, table), items


class _Columns:
    """The columns of `SCORED`, filled item after item."""

    def __init__(self, n_rows: int) -> None:
        self.forward = np.zeros(n_rows, np.float32)
        self.rank = np.zeros(n_rows, np.int16)
        self.kept = np.zeros(n_rows, bool)
        self.whole = np.full(n_rows, np.nan)  # null in the table
        self._end = 0

    def add(self, forward: np.ndarray, best: np.ndarray, whole: np.ndarray) -> None:
        """One item: `forward` of its alternates, the `best` of them, and `whole` of these."""
        start, self._end = self._end, self._end + len(forward)
        self.forward[start : self._end] = forward
        order = start + np.argsort(-forward, kind="stable")
        self.rank[order] = np.arange(1, len(forward) + 1)
        self.kept[start + best] = True
        self.whole[start + best] = whole


def _history_scores(
    index: ForwardIndex, focus: dict[str, list[Any]], answers: np.ndarray
) -> np.ndarray:
    """log10 P(answer | two tokens before), float32, shape (focus words,)."""
    histories = np.column_stack([index.ids(focus["history1"]), index.ids(focus["history2"])])
    return index.log10_probs(histories[:, -(index.order - 1) :], answers)


def _forward_scores(
    index: ForwardIndex, focus: dict[str, list[Any]], passed: Sequence[_Passed]
) -> list[np.ndarray]:
    """The forward score of each option of each focus word, the answer last."""
    if not passed:
        return []
    counts = [len(item.options) for item in passed]
    predecessors = index.ids([focus["history2"][item.row] for item in passed])
    next_words = index.ids([focus["next_token"][item.row] for item in passed])
    scores = forward_log10_probs(
        index,
        predecessors=np.repeat(predecessors, counts),
        options=np.concatenate([item.options for item in passed]),
        next_words=np.repeat(next_words, counts),
    )
    return np.split(scores, np.cumsum(counts)[:-1])


def write_forward(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    focus: Artifact,
    index: Artifact,
    alternates: Artifact,
    settings: ForwardSettings,
) -> None:
    """Write the verdict on every focus word, and the scores of the alternates of those that pass."""
    parts = focus_parts(focus, index)
    out = writer.path(SCORED.name).parent
    score = partial(
        forward_part,
        inputs=Inputs(focus.folder, index.folder),
        alternates=alternates.path(ALTERNATES.folder),
        out=out,
        settings=settings,
    )
    results = list(ctx.map(score, parts, unit="parts"))
    counts = [count for count, _ in results]
    note_parts(writer, SCORED.folder, parts, counts)
    items = [item for _, of_part in results for item in of_part]
    writer.rows[ITEMS.name] = ITEMS.write_records(writer.path(ITEMS.name), items)
    status = Counter(item["status"] for item in items)
    kept = status.pop(KEPT, 0)
    writer.funnel = funnel("focus words", kept=kept, rejected=status)
    writer.facts |= {"alternates_scored": sum(counts)}
    writer.versions |= {"numpy": np.__version__, "pyarrow": pa.__version__}
    ctx.say(
        f"{kept:,} of {len(items):,} focus words pass (an alternate scores at least as high as the "
        f"answer); the best {settings.keep} of {sum(counts):,} alternates of each are kept"
    )

"""Steps 3 to 5 of MSR 2.2: the screening, the forward scores, and the best retained.

Step 3 as corrected on 20 February 2012: "a sentence was discarded if the correct answer scored best
(not worst) according to the language model prediction score". We read this score as P(word | two
preceding tokens). The forward score of steps 4 and 5 is P(next token | predecessor, option), "the
probability of 'and' following 'most handsome'".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.models.ngram_index import ForwardIndex
from cloze_gen.recipes.msr.alternates import ALTERNATES
from cloze_gen.recipes.msr.tables import (
    FORWARD_SCORE,
    HISTORY,
    HISTORY_SCORE,
    ITEM_ID,
    N_IMPOSTORS,
    SENTENCE_SCORE,
    WORD,
    Part,
    map_parts,
    model_index,
    read_focus,
    write_items,
    write_part,
)
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.records.rejection import Reason
from cloze_gen.settings import MOST_EACH, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.schema import Column, Table

KEPT = "kept"  # `status` of a focus word that passes the screening


class ForwardReason(Reason):
    ANSWER_SCORES_BEST = (
        "answer_scores_best",
        "the answer has a better score than every alternate",
    )
    NO_ALTERNATES = ("no_alternates", "the model offers no alternate for the word")
    NO_OTHER_BOOK = ("word_in_no_other_book", "the word occurs in no book of another group")


class ForwardSettings(SettingsGroup):
    keep: int = Field(
        30, ge=N_IMPOSTORS, le=MOST_EACH, description="alternates kept a focus word; MSR 2.2 step 5"
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
        "log10 probability of the whole sentence with the word; NaN if not kept",
    ),
    example='{"id": "the-lost-luggage-of-penny-cross:70:2", "word": "examined", '
    '"history_log10_prob": -2.740351676940918, "forward_log10_prob": -0.40380048751831055, '
    '"forward_rank": 8, "kept": true, "sentence_log10_prob": -56.127085987478495}',
)
SCORED_ITEMS = Table(
    "items.parquet",
    "One row a focus word; the scores are those of the answer.",
    Column("id", pa.string(), "id of the item"),
    Column("status", pa.string(), f"`{KEPT}`, or the reason against the focus word"),
    Column(HISTORY_SCORE, pa.float64(), "log10 P(answer | two tokens before)"),
    Column(
        "answer_rank",
        pa.int64(),
        "rank by this score among the answer and its alternates, from 1",
    ),
    Column("alternates", pa.int64(), "number of alternates"),
    Column(FORWARD_SCORE, pa.float64(), "log10 P(next token | token before, answer)"),
    Column(
        "forward_rank",
        pa.int64(),
        "1 + number of alternates with a better forward score; null if rejected",
    ),
    Column(SENTENCE_SCORE, pa.float64(), "log10 probability of the sentence"),
    example='{"id": "the-lost-luggage-of-penny-cross:70:2", "status": "kept", '
    '"history_log10_prob": -3.8014650344848633, "answer_rank": 199, "alternates": 300, '
    '"forward_log10_prob": -0.7606696486473083, "forward_rank": 31, '
    '"sentence_log10_prob": -57.54506850615144}',
)


# ---- step 3


def screened(answers: np.ndarray, item: np.ndarray, alternates: np.ndarray) -> np.ndarray:
    """`KEPT` for each item, or why it is rejected; objects, shape (items,).

    `answers`: a score an item; `alternates`: a score a row; `item`: the item of each row.

    >>> screened(np.array([-2.0, -2.0]), np.array([0, 0, 1]), np.array([-3.0, -2.5, -1.5])).tolist()
    [<ForwardReason.ANSWER_SCORES_BEST: 'answer_scores_best'>, 'kept']
    """
    n_items = len(answers)
    status = np.full(n_items, KEPT, object)
    as_good = np.bincount(item[alternates >= answers[item]], minlength=n_items)
    status[as_good == 0] = ForwardReason.ANSWER_SCORES_BEST
    status[np.bincount(item, minlength=n_items) == 0] = ForwardReason.NO_ALTERNATES
    return status


def answer_ranks(answers: np.ndarray, item: np.ndarray, alternates: np.ndarray) -> np.ndarray:
    """Rank of each answer among itself and its alternates, 1 is best; it wins ties.

    >>> answer_ranks(np.array([-2.0]), np.array([0, 0, 0]), np.array([-3.0, -1.5, -1.0])).tolist()
    [3]
    """
    return 1 + np.bincount(item[alternates > answers[item]], minlength=len(answers))


# ---- steps 4 and 5


def ranks(item: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Rank of each row within its item, the best is 1; ties by row. `item` is ascending.

    >>> ranks(np.array([0, 0, 0, 7]), np.array([-2.0, -1.0, -2.0, -9.0])).tolist()
    [2, 1, 3, 1]
    """
    rank = np.empty(len(item), np.int64)
    first = np.searchsorted(item, item)
    rank[np.lexsort((-scores, item))] = 1 + np.arange(len(item)) - first
    return rank


def sentence_log10_probs(
    index: ForwardIndex,
    sentences: Sequence[np.ndarray],
    blanks: np.ndarray,
    item: np.ndarray,
    options: np.ndarray,
) -> np.ndarray:
    """log10 P(sentence, `</s>` | `<s>`) with each option in its blank; float64, shape (options,).

    Args:
        sentences: int64 ids of each, `<s>` first and `</s>` last.
        blanks: the position of each sentence's blank.
        item: the sentence of each option.
    """
    reach = index.order - 1
    lengths = np.array([len(ids) for ids in sentences])
    padded = np.full((len(sentences), reach + lengths.max(initial=0)), -1)
    for row, ids in zip(padded, sentences, strict=True):
        row[reach : reach + len(ids)] = ids
    # the n-gram that ends at each token, shape (sentences, tokens, order)
    ngrams = np.lib.stride_tricks.sliding_window_view(padded, index.order, axis=1)

    # n-grams without the option, once a sentence; none ends at `<s>`
    token = np.arange(ngrams.shape[1])
    after_blank = token - blanks[:, None]
    outside = (token > 0) & (token < lengths[:, None])
    outside &= (after_blank < 0) | (after_blank > reach)
    scores = _scores(index, ngrams[outside])
    totals = np.bincount(np.nonzero(outside)[0], scores, minlength=len(sentences))

    # n-grams with the option
    last = blanks[item][:, None] + np.arange(index.order)
    row, step = np.nonzero(last < lengths[item][:, None])
    with_option = ngrams[item[row], last[row, step]]
    with_option[np.arange(len(row)), reach - step] = options[row]
    scores = _scores(index, with_option)
    return totals[item] + np.bincount(row, scores, minlength=len(item))


def _scores(index: ForwardIndex, ngrams: np.ndarray) -> np.ndarray:
    """log10 P(last id | those before)."""
    return index.log10_probs(ngrams[:, :-1][:, -(index.order - 1) :], ngrams[:, -1])


# ---- the stage


def forward_part(
    part: Part, *, focus: Artifact, index: Artifact, alternates: Artifact, keep: int
) -> tuple[pa.Table, pa.Table]:
    """Rows of `SCORED` and of `SCORED_ITEMS` of one part."""
    model = model_index(index, part.model)
    words = read_focus(focus, part)
    second_last, last, answer, following = (
        np.array(model.ids(words[name].to_pylist()), np.int64)
        for name in ("history1", "history2", "word", "next_token")
    )
    drawn = ALTERNATES.read(part.path(alternates, ALTERNATES))
    item = pc.index_in(drawn["id"].cast(pa.string()), words["id"]).to_numpy()
    history = drawn[HISTORY_SCORE].to_numpy()

    answer_history = _scores(model, np.column_stack([second_last, last, answer]))
    answer_forward = _scores(model, np.column_stack([last, answer, following]))
    answer_rank = answer_ranks(answer_history, item, history)
    n_alternates = np.bincount(item, minlength=len(words))
    status = screened(answer_history, item, history)
    status[answer == model.unknown] = ForwardReason.NO_OTHER_BOOK
    passed = status == KEPT

    drawn = drawn.filter(pa.array(passed[item]))
    item = item[passed[item]]
    option = pc.index_in(drawn["word"].cast(pa.string()), model.vocabulary).to_numpy()
    forward = _scores(model, np.column_stack([last[item], option, following[item]]))
    # The alternates of an item are in the order of their history scores, so these decide ties.
    rank = ranks(item, forward)
    kept = rank <= keep

    sentences = read_source_sentences(focus, words["sentence_id"].unique())
    of_answers, of_kept = np.split(
        sentence_log10_probs(
            model,
            [
                np.array([model.start, *model.ids(sentences[sentence_id].tokens), model.end])
                for sentence_id in words["sentence_id"].to_pylist()
            ],
            1 + words["position"].to_numpy(),
            np.append(np.arange(len(words)), item[kept]),
            np.append(answer, option[kept]),
        ),
        [len(words)],
    )
    sentence = np.full(len(item), np.nan)
    sentence[kept] = of_kept
    scored = {
        **{name: drawn[name] for name in ALTERNATES.names},
        FORWARD_SCORE: forward,
        "forward_rank": rank,
        "kept": kept,
        SENTENCE_SCORE: sentence,
    }
    items = {
        "id": words["id"],
        "status": status.tolist(),
        HISTORY_SCORE: answer_history,
        "answer_rank": answer_rank,
        "alternates": n_alternates,
        FORWARD_SCORE: answer_forward,
        "forward_rank": pa.array(answer_ranks(answer_forward, item, forward), mask=~passed),
        SENTENCE_SCORE: of_answers,
    }
    return SCORED.arrow(scored), SCORED_ITEMS.arrow(items)


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
    results = map_parts(
        ctx, forward_part, focus=focus, index=index, alternates=alternates, keep=settings.keep
    )
    items = []
    for part, (scored, rows) in results:
        write_part(writer, SCORED, part, scored)
        items.append(rows)
    n_scored = sum(writer.rows.values())
    write_items(writer, SCORED_ITEMS, items, verdict="status", passed=KEPT)
    ctx.say(
        f"{writer.funnel['kept']:,} of {writer.funnel['seen']:,} focus words pass (an alternate "
        "scores at least as high as the answer); "
        f"the best {settings.keep} of {n_scored:,} alternates of each are kept"
    )

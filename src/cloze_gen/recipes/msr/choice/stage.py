"""The choice of the set as an artifact: questions with full provenance, and all that became none."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.counts import CountTable
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.formats.questions import question_record, source_record
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.recipes.common import (
    RepeatReason,
    assemble_question,
    balance_answer_positions,
    draw_examples,
    printed_before,
)
from cloze_gen.recipes.msr.choice.draws import (
    choose_randomly,
    draws_of,
    offer_draws,
    offer_randomly,
)
from cloze_gen.recipes.msr.choice.matched import MatchedChoice
from cloze_gen.recipes.msr.choice.pool import CandidatePool, pool_of, read_candidates, read_items
from cloze_gen.recipes.msr.choice.readers import left_by_readers, read_questions
from cloze_gen.recipes.msr.choice.settings import ChoiceReason, ChoiceSettings
from cloze_gen.recipes.msr.grooming.candidates import MEASURES
from cloze_gen.recipes.msr.tables import N_IMPOSTORS, SCORES
from cloze_gen.recipes.tables import read_source_sentences, write_rejections
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import (
    CANDIDATES,
    FEWSHOT,
    QUESTIONS,
    write_jsonl,
)


def write_choice(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    counts: Artifact,
    focus: Artifact,
    forward: Artifact,
    grooming: Artifact,
    settings: ChoiceSettings,
    seed: int,
    readers: VerdictFile | None = None,
) -> None:
    """Choose the set. Writes questions, their candidates for human groomers, and few-shot examples.

    `readers`: verdicts on a larger set of the same run; only what they leave can be chosen.
    """
    table = read_counts(counts)
    sentences = read_source_sentences(focus)
    items = read_items(focus, forward, grooming)
    candidates = read_candidates(items, forward, grooming)
    pool = pool_of(items, candidates, table)
    rejected: list[Rejection] = []
    if readers:
        read = read_questions(readers)
        pool, rejected = left_by_readers(pool, read, max_marked=settings.max_marked)
        writer.facts |= {"read": len(read), "read_by": readers.summary, "left": len(pool)}
        ctx.say(
            f"{len(read):,} questions were read by {readers.summary}: {len(pool):,} are left to "
            "choose from"
        )
    pool, draws = _offer(pool, sentences, settings, rejected, seed=seed)
    check = None
    chosen = np.zeros(0, np.int64)
    if settings.method == "random":
        chosen = choose_randomly(pool, n=int(settings.n_questions), seed=seed)
    elif len(pool):
        chosen, check = MatchedChoice(pool, draws, settings, seed=seed, ctx=ctx).choose()
    item = pool.item[draws[:, 0]]
    ids = pool.id[item[chosen]].tolist()
    rejected += _not_chosen(pool.id.tolist(), ids)
    spare = [rejection.id for rejection in rejected if rejection.reason == ChoiceReason.BEYOND_N]
    is_example = np.isin(pool.id, draw_examples(spare, published=ids, seed=seed))
    examples = np.searchsorted(item, np.flatnonzero(is_example))  # the first draw of each
    for file, places in ((QUESTIONS, chosen), (FEWSHOT, examples)):
        questions = _question_records(pool, draws[places], items, sentences, table, seed=seed)
        writer.rows[file] = write_jsonl(writer.path(file), questions)
    shown = _candidate_records(_only(items, ids), _only(candidates, ids), sentences)
    writer.rows[CANDIDATES] = write_jsonl(writer.path(CANDIDATES), shown)
    write_rejections(writer, rejected, unit="focus words", kept=len(ids))
    wanted = len(ids) if settings.n_questions == "auto" else settings.n_questions
    writer.facts |= {"wanted": wanted, "leak": None}
    short = f" (choice.n_questions asks for {wanted:,}; the funnel shows why items were rejected)"
    ctx.say(f"{len(ids):,} questions{'' if len(ids) == wanted else short}")
    if check:
        writer.facts["leak"] = {
            "check": round(check.accuracy, 4),
            "error": round(check.error, 4),
            "max_leak": settings.max_leak,
            "rounds": check.rounds,
        }
        ctx.say(
            "a classifier trained on the options' scores finds the answer in "
            f"{check.accuracy:.1%} of the questions (chance: {1 / (1 + N_IMPOSTORS):.0%}, "
            f"choice.max_leak: {settings.max_leak:.0%})"
        )


# ---- items with impostor sets, and those not chosen


def _offer(
    pool: CandidatePool,
    sentences: Mapping[str, Sentence],
    settings: ChoiceSettings,
    rejected: list[Rejection],
    *,
    seed: int,
) -> tuple[CandidatePool, np.ndarray]:
    """The items with valid impostor sets, with draws of each; the others are added to `rejected`."""

    def reject(reason: str, details: Iterable[str | None]) -> CandidatePool:
        """The pool without the items that have a detail, which are rejected; None: no rejection."""
        is_left = []
        for item_id, detail in zip(pool.id.tolist(), details, strict=True):
            is_left.append(detail is None)
            if detail is not None:
                rejected.append(Rejection(item_id, reason, detail))
        return pool.only(np.array(is_left, bool)[pool.item])

    few = (str(n) if n < N_IMPOSTORS else None for n in pool.n_candidates.tolist())
    pool = reject(ChoiceReason.TOO_FEW_CANDIDATES, few)
    # Of sentences alike in print, only the first.
    first = printed_before((key, [sentences[key].tokens]) for key in pool.sentence.tolist())
    pool = reject(RepeatReason.PRINTED_BEFORE, map(first.get, pool.sentence.tolist()))
    if settings.method == "random":
        impostors = offer_randomly(pool, seed=seed)
    else:
        impostors = offer_draws(pool, settings, seed=seed)
    pool = reject(ChoiceReason.NO_FOUR, (None if len(drawn) else "" for drawn in impostors))
    return pool, draws_of(pool, [drawn for drawn in impostors if len(drawn)])


def _not_chosen(ids: Iterable[str], chosen: Iterable[str]) -> Iterator[Rejection]:
    """Why items with draws became no question."""
    asked = {sentence_of(item_id): item_id for item_id in chosen}
    for item_id in ids:
        other = asked.get(sentence_of(item_id))
        if other is None:
            yield Rejection(item_id, ChoiceReason.BEYOND_N)
        elif other != item_id:
            yield Rejection(item_id, ChoiceReason.OTHER_FOCUS_CHOSEN, other)


# ---- records


def _only(table: pa.Table, ids: Sequence[str]) -> pa.Table:
    return table.filter(pc.is_in(table["id"], pa.array(ids, pa.string())))


def _question_records(
    pool: CandidatePool,
    draws: np.ndarray,
    items: pa.Table,
    sentences: Mapping[str, Sentence],
    counts: CountTable,
    *,
    seed: int,
) -> Iterator[dict[str, Any]]:
    """The question of each draw; the items are in the order of the table."""
    ids = pool.id[pool.item[draws[:, 0]]].tolist()
    row_of_word = counts.index()
    positions = balance_answer_positions(ids, n_options=N_IMPOSTORS + 1, seed=seed)
    for item, options in zip(_only(items, ids).to_pylist(), draws, strict=True):
        sentence = sentences[item["sentence_id"]]
        words = pool.word[options].tolist()
        question = assemble_question(
            item["id"],
            sentence,
            item["position"],
            impostors=words[1:],
            answer_index=positions[item["id"]],
            seed=seed,
        )
        scores_of = dict(zip(words, pool.scores[options, : len(SCORES)].tolist(), strict=True))
        yield question_record(
            question,
            source=source_record(sentence, item["position"]),
            history=[item["history1"], item["history2"]],
            next_token=item["next_token"],
            answer_tag=item["answer_tag"],
            answer_rank=item["answer_rank"],
            answer_forward_rank=item["forward_rank"],
            option_scores=[
                _option_scores(word, counts, row_of_word[word], scores_of[word])
                for word in question.options
            ],
        )


def _option_scores(
    word: str, counts: CountTable, row: int, scores: Sequence[float]
) -> dict[str, Any]:
    record = {"word": word, "count": int(counts.count[row]), "freq": float(counts.freq[row])}
    return record | {name: round(score, 5) for name, score in zip(SCORES, scores, strict=True)}


def _candidate_records(
    items: pa.Table, candidates: pa.Table, sentences: Mapping[str, Sentence]
) -> Iterator[dict[str, Any]]:
    """The retained candidates of items with verdicts and measures, for human groomers."""
    by_item = itertools.groupby(candidates.to_pylist(), key=operator.itemgetter("item"))
    for item, (_, rows) in zip(items.to_pylist(), by_item, strict=True):
        yield {
            "id": item["id"],
            "text": sentences[item["sentence_id"]].text,
            "answer": item["word"],
            "candidates": list(map(_candidate_record, rows)),
        }


def _candidate_record(row: Mapping[str, Any]) -> dict[str, Any]:
    record = {name: row[name] for name in ("word", "verdict", "tag", "forward_rank")}
    for name in MEASURES:
        record[name] = None if math.isnan(row[name]) else round(row[name], 4)
    for name in SCORES:
        record[name] = round(row[name], 5)
    return record

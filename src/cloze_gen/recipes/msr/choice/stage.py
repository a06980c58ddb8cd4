"""The choice of the set as an artifact: questions with full provenance, and all that became none."""

from __future__ import annotations

import itertools
import math
import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cloze_gen.corpus.counts import CountTable
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.normalization import rendered_positions, rendered_tokens
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.formats.questions import question_record, source_record
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.recipes.common import (
    PRINTED_BEFORE,
    assemble_question,
    balance_answer_positions,
    draw_examples,
    printed_before,
)
from cloze_gen.recipes.msr.choice.draws import Draws, choose_randomly, offer_draws, offer_randomly
from cloze_gen.recipes.msr.choice.matched import Check, MatchedChoice
from cloze_gen.recipes.msr.choice.pool import (
    SCORE_NAMES,
    CandidatePool,
    pool_of,
    read_candidates,
    read_items,
)
from cloze_gen.recipes.msr.choice.readers import left_by_readers, read_questions
from cloze_gen.recipes.msr.choice.settings import N_IMPOSTORS, ChoiceReason, ChoiceSettings
from cloze_gen.recipes.msr.grooming.candidates import MEASURES
from cloze_gen.recipes.msr.tables import SCORES
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import (
    CANDIDATES,
    FEWSHOT,
    QUESTIONS,
    REJECTED,
    read_source_sentences,
    rejection_columns,
    write_jsonl,
    write_parquet,
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
    pool = pool_of(items, candidates, dict(zip(table.words, table.freq.tolist(), strict=True)))
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
    if settings.method == "random":
        chosen = choose_randomly(pool, n=int(settings.n_questions), seed=seed)
    elif not len(pool):
        chosen = np.zeros(0, np.int64)
    else:
        search = MatchedChoice(pool, draws, settings, seed=seed, each=ctx.engine.map, say=ctx.say)
        chosen, check = search.choose()
    chosen_items = draws.item[chosen]
    rejected += _not_chosen(pool, chosen_items)
    ids = pool.id[chosen_items].tolist()
    spare = [rejection.id for rejection in rejected if rejection.reason == ChoiceReason.BEYOND_N]
    examples = np.flatnonzero(np.isin(pool.id, draw_examples(spare, published=ids, seed=seed)))
    shown = _candidate_records(ids, items, candidates, sentences)
    writer.rows[CANDIDATES] = write_jsonl(writer.path(CANDIDATES), shown)
    for file, places in ((QUESTIONS, chosen), (FEWSHOT, np.searchsorted(draws.item, examples))):
        questions = _question_records(pool, draws.take(places), items, sentences, table, seed=seed)
        writer.rows[file] = write_jsonl(writer.path(file), questions)
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("focus words", kept=len(ids), rejected=reasons)
    wanted = len(ids) if settings.n_questions == "auto" else settings.n_questions
    classes = dict(sorted(Counter(pool.word_class[chosen_items].tolist()).items()))
    writer.facts |= {"wanted": wanted, "classes": classes, "leak": None}
    short = f" (choice.n_questions asks for {wanted:,}; the funnel shows why items were rejected)"
    ctx.say(f"{len(ids):,} questions{'' if len(ids) == wanted else short}")
    if check:
        writer.facts["leak"] = {
            "check": round(check.accuracy, 4),
            "error": round(check.error, 4),
            "max_leak": settings.max_leak,
            "rounds": check.rounds,
        }
        ctx.say(_check_line(check, settings))


def _check_line(check: Check, settings: ChoiceSettings) -> str:
    found = (
        "a classifier trained on the options' scores finds the answer in "
        f"{check.accuracy:.1%} of the questions (chance: {1 / (1 + N_IMPOSTORS):.0%}"
    )
    if check.accuracy <= settings.max_leak:
        return f"{found})"
    return (
        f"warning: {found}, choice.max_leak: {settings.max_leak:.0%}). Add books, or lower "
        'choice.n_questions; "auto" finds the largest number within choice.max_leak'
    )


# ---- what can be asked, and what was not


def _offer(
    pool: CandidatePool,
    sentences: Mapping[str, Sentence],
    settings: ChoiceSettings,
    rejected: list[Rejection],
    *,
    seed: int,
) -> tuple[CandidatePool, Draws]:
    """The items that can be asked about, with draws of each; the others are added to `rejected`."""
    n_candidates = pool.n_candidates
    for item in np.flatnonzero(n_candidates < N_IMPOSTORS).tolist():
        detail = str(n_candidates[item])
        rejected.append(Rejection(pool.id[item], ChoiceReason.TOO_FEW_CANDIDATES, detail))
    pool = pool.only(n_candidates >= N_IMPOSTORS)
    # Of sentences alike in print, only the first.
    texts = [(key, [sentences[key].tokens]) for key in sorted(set(pool.sentence.tolist()))]
    first_print = printed_before(texts)
    is_repeated = np.array([key in first_print for key in pool.sentence.tolist()], bool)
    for item in np.flatnonzero(is_repeated).tolist():
        first = first_print[pool.sentence[item]]
        rejected.append(Rejection(pool.id[item], PRINTED_BEFORE, first))
    pool = pool.only(~is_repeated)
    if settings.method == "random":
        impostors = offer_randomly(pool, seed=seed)
    else:
        impostors = offer_draws(pool, settings, seed=seed)
    has_draw = np.array([len(drawn) > 0 for drawn in impostors], bool)
    without_draw = pool.id[~has_draw].tolist()
    rejected += [Rejection(item_id, ChoiceReason.NO_FOUR) for item_id in without_draw]
    pool = pool.only(has_draw)
    return pool, Draws.of(pool, [drawn for drawn in impostors if len(drawn)])


def _not_chosen(pool: CandidatePool, chosen: np.ndarray) -> Iterator[Rejection]:
    """Why items with draws became no question; `chosen`: indices of the others."""
    asked = dict(zip(pool.sentence[chosen].tolist(), pool.id[chosen].tolist(), strict=True))
    for item in np.delete(np.arange(len(pool)), chosen).tolist():
        other = asked.get(pool.sentence[item])
        if other:
            yield Rejection(pool.id[item], ChoiceReason.OTHER_FOCUS_CHOSEN, other)
        else:
            yield Rejection(pool.id[item], ChoiceReason.BEYOND_N)


# ---- records


def _question_records(
    pool: CandidatePool,
    draws: Draws,
    items: pa.Table,
    sentences: Mapping[str, Sentence],
    counts: CountTable,
    *,
    seed: int,
) -> Iterator[dict[str, Any]]:
    """The question of each draw; the items are in the order of the table."""
    ids = pool.id[draws.item].tolist()
    count_of = dict(zip(counts.words, counts.count.tolist(), strict=True))
    positions = balance_answer_positions(ids, n_options=N_IMPOSTORS + 1, seed=seed)
    rows = items.filter(pc.is_in(items["id"], pa.array(ids, pa.string()))).to_pylist()
    for item, options in zip(rows, draws.rows, strict=True):
        sentence = sentences[item["sentence_id"]]
        words = pool.word[options].tolist()
        question = assemble_question(
            item["id"],
            book_id=sentence.book_id,
            tokens=rendered_tokens(sentence.tokens),
            position=rendered_positions(sentence.tokens).index(item["position"]),
            impostors=words[1:],
            answer_index=positions[item["id"]],
            seed=seed,
        )
        scores_of = dict(zip(words, pool.scores[options].tolist(), strict=True))
        yield question_record(
            question,
            source=source_record(sentence, item["position"]),
            history=[item["history1"], item["history2"]],
            next_token=item["next_token"],
            answer_tag=item["answer_tag"],
            answer_rank=item["answer_rank"],
            answer_forward_rank=item["forward_rank"],
            option_scores=[
                _option_scores(word, count_of[word], scores_of[word]) for word in question.options
            ],
        )


def _option_scores(word: str, count: int, values: Sequence[float]) -> dict[str, Any]:
    scores = dict(zip(SCORE_NAMES, values, strict=True))
    rounded = {name: round(scores[name], 5) for name in SCORES}
    return {"word": word, "count": count, "freq": scores["freq"]} | rounded


def _candidate_records(
    ids: Sequence[str],
    items: pa.Table,
    candidates: pa.Table,
    sentences: Mapping[str, Sentence],
) -> Iterator[dict[str, Any]]:
    """The retained candidates of items with verdicts and measures, for human groomers."""
    wanted = candidates.filter(pc.is_in(candidates["id"], pa.array(ids, pa.string())))
    for item_id, rows in itertools.groupby(wanted.to_pylist(), key=operator.itemgetter("id")):
        listed = list(rows)
        yield {
            "id": item_id,
            "text": sentences[sentence_of(item_id)].text,
            "answer": items["word"][listed[0]["item"]].as_py(),
            "candidates": list(map(_candidate_record, listed)),
        }


def _candidate_record(row: Mapping[str, Any]) -> dict[str, Any]:
    record = {name: row[name] for name in ("word", "verdict", "tag", "forward_rank")}
    for name in MEASURES:
        record[name] = None if math.isnan(row[name]) else round(row[name], 4)
    for name in SCORES:
        record[name] = round(row[name], 5)
    return record

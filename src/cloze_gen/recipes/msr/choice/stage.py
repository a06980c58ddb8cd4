"""The choice of the set as an artifact: questions with full provenance, and all that became none."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from cloze_gen.corpus.counts import CountTable
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.normalization import rendered_positions, rendered_tokens
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.errors import CorpusError
from cloze_gen.formats.questions import question_record, source_record
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.recipes.common import (
    PRINTED_BEFORE,
    assemble_question,
    balance_answer_positions,
    draw_examples,
    printed_before,
)
from cloze_gen.recipes.msr.choice.draws import (
    Draws,
    choose_randomly,
    draw_impostors,
    offer_draws,
)
from cloze_gen.recipes.msr.choice.features import named_answer_shares
from cloze_gen.recipes.msr.choice.matched import MatchedChoice, MatchedSet
from cloze_gen.recipes.msr.choice.pool import SCORE_NAMES, CandidatePool, read_pool, rows_by_item
from cloze_gen.recipes.msr.choice.readers import left_by_readers, read_questions
from cloze_gen.recipes.msr.choice.settings import (
    CLASS_SHARES,
    N_IMPOSTORS,
    ChoiceReason,
    ChoiceSettings,
)
from cloze_gen.recipes.msr.forward import SCORED_ITEMS
from cloze_gen.recipes.msr.grooming.candidates import GROOMED_ITEMS, MEASURES
from cloze_gen.recipes.msr.tables import SCORES
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import (
    CANDIDATES,
    FEWSHOT,
    FOCUS,
    QUESTIONS,
    REJECTED,
    read_parquet,
    read_source_sentences,
    rejection_columns,
    write_jsonl,
    write_parquet,
)

_CHANCE = 1 / (N_IMPOSTORS + 1)
_NOTABLE_LEAK = 0.05  # difference of a score's share from chance that is reported
# A class is reported if this share of its questions, and of the set, is missing.
_NOTABLE_LACK, _NOTABLE_PART = 0.1, 0.02


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
    pool, retained = read_pool(table, focus=focus, forward=forward, grooming=grooming)
    n_groomed = len(pool)
    rejected: list[Rejection] = []
    if readers is None:
        pool, rejected = _without_reprints(pool, sentences)
    else:
        questions = read_questions(readers)
        pool, rejected = left_by_readers(pool, questions, max_marked=settings.max_marked)
        writer.facts |= {"read": len(questions), "read_by": readers.summary, "left": len(pool)}
        ctx.say(
            f"{len(questions):,} questions were read by {readers.summary}: {len(pool):,} are left to "
            "choose from"
        )
    chosen = _choose(pool, settings, ctx, seed=seed)
    rejected += _rejections(pool, chosen)
    if not len(chosen.draws.item):
        raise CorpusError(_nothing_chosen(n_groomed, rejected, settings))
    ids = pool.id[chosen.draws.item].tolist()
    spare = [rejection.id for rejection in rejected if rejection.reason == ChoiceReason.BEYOND_N]
    examples = draw_examples(spare, published=ids, seed=seed)
    impostors = dict(zip(ids, _impostors(pool, chosen.draws.rows), strict=True))
    of_examples = {item_id: chosen.example(pool, item_id, seed) for item_id in examples}
    records = _Records([*ids, *examples], table, sentences, focus, forward, grooming, retained)
    writer.rows[QUESTIONS] = _write_questions(writer, QUESTIONS, records, impostors, seed)
    writer.rows[FEWSHOT] = _write_questions(writer, FEWSHOT, records, of_examples, seed)
    writer.rows[CANDIDATES] = write_jsonl(writer.path(CANDIDATES), map(records.candidates, ids))
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("focus words", kept=len(ids), rejected=reasons)
    wanted = len(ids) if settings.n_questions == "auto" else settings.n_questions
    facts = choice_facts(pool, chosen, settings)
    writer.facts |= {"wanted": wanted, **facts}
    short = f" (choice.n_questions asks for {wanted:,}; the funnel shows why items were rejected)"
    ctx.say(f"{len(ids):,} questions{'' if len(ids) == wanted else short}")
    if settings.method == "matched":
        for line in choice_lines(facts, settings, n=len(ids)):
            ctx.say(line)


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The chosen draws, in the order of the pool, and where the others failed.

    Attributes:
        offered: draws to choose from; None: every four candidates (the random choice).
        matched: of the matched choice; `n_sentences`: sentences that offer a question.
    """

    draws: Draws
    offered: Draws | None = None
    matched: MatchedSet | None = None
    n_sentences: int = 0

    def example(self, pool: CandidatePool, item_id: str, seed: int) -> list[str]:
        """Impostors of an item that was not chosen."""
        item = int(np.flatnonzero(pool.id == item_id)[0])
        rows = (
            draw_impostors(pool, item, seed=seed)
            if self.offered is None
            else self.offered.first_of(item)
        )
        return _impostors(pool, rows[None])[0]


def _choose(
    pool: CandidatePool, settings: ChoiceSettings, ctx: StageContext, *, seed: int
) -> Chosen:
    if settings.method == "random":
        return Chosen(choose_randomly(pool, settings, seed=seed))
    offered = offer_draws(pool, settings, seed=seed)
    if not len(offered.item):
        return Chosen(offered, offered)
    search = MatchedChoice(pool, offered, settings, seed=seed, each=ctx.engine.map, say=ctx.say)
    matched = search.choose()
    places = np.sort(search.order[matched.chosen])
    draws = Draws(offered.item[places], offered.rows[places])
    return Chosen(draws, offered, matched, search.n_sentences)


def _impostors(pool: CandidatePool, rows: np.ndarray) -> list[list[str]]:
    """The impostors of draws, by their rows, shape (draws, 5)."""
    return [words[1:] for words in pool.word[rows].tolist()]


def _without_reprints(
    pool: CandidatePool, sentences: Mapping[str, Sentence]
) -> tuple[CandidatePool, list[Rejection]]:
    """Of sentences alike in print, only the first that can be asked about."""
    able = np.flatnonzero(pool.can_be_asked)
    in_order = sorted(set(pool.sentence[able].tolist()))
    first_print = printed_before((key, [sentences[key].tokens]) for key in in_order)
    is_reprint = np.zeros(len(pool), bool)
    is_reprint[able] = [sentence in first_print for sentence in pool.sentence[able].tolist()]
    rejected = [
        Rejection(pool.id[item], PRINTED_BEFORE, first_print[pool.sentence[item]])
        for item in np.flatnonzero(is_reprint).tolist()
    ]
    return pool.take(np.flatnonzero(~is_reprint)), rejected


def _rejections(pool: CandidatePool, chosen: Chosen) -> Iterator[Rejection]:
    """Why each item that was not chosen became no question."""
    questions = set(chosen.draws.item.tolist())
    asked = {pool.sentence[item]: pool.id[item] for item in questions}
    offering = None if chosen.offered is None else set(chosen.offered.item.tolist())
    n_candidates = pool.n_candidates.tolist()
    for item, item_id in enumerate(pool.id.tolist()):
        if item in questions:
            continue
        if n_candidates[item] < N_IMPOSTORS:
            yield Rejection(item_id, ChoiceReason.TOO_FEW_CANDIDATES, str(n_candidates[item]))
        elif offering is not None and item not in offering:
            yield Rejection(item_id, ChoiceReason.NO_FOUR)
        elif pool.sentence[item] in asked:
            yield Rejection(item_id, ChoiceReason.OTHER_FOCUS_CHOSEN, asked[pool.sentence[item]])
        else:
            yield Rejection(item_id, ChoiceReason.BEYOND_N)


def _nothing_chosen(groomed: int, rejected: Sequence[Rejection], settings: ChoiceSettings) -> str:
    without = sum(rejection.reason == ChoiceReason.NO_FOUR for rejection in rejected)
    if without:
        cause = (
            f"{without:,} of {groomed:,} groomed focus words have {N_IMPOSTORS} fit "
            "candidates, but no set of four passes the limits. Add books, raise "
            f"choice.max_ambiguity = {settings.max_ambiguity:g} or choice.max_triviality = "
            f"{settings.max_triviality:g}, or relax"
        )
    else:
        cause = (
            f"none of {groomed:,} groomed focus words is left with {N_IMPOSTORS} fit "
            "candidates. Add books, or relax"
        )
    return (
        f"no question can be made: {cause} the settings of [grooming] and [choice]. "
        "`cloze-gen settings STYLE` lists them."
    )


# ---- records


class _Records:
    """The published records of some items."""

    def __init__(
        self,
        ids: Sequence[str],
        counts: CountTable,
        sentences: Mapping[str, Sentence],
        focus: Artifact,
        forward: Artifact,
        grooming: Artifact,
        retained: pa.Table,
    ) -> None:
        self._sentences = sentences
        self._focus = _rows(focus, FOCUS, ids)
        self._answers = _rows(forward, SCORED_ITEMS.name, ids)
        self._groomed = _rows(grooming, GROOMED_ITEMS.name, ids)
        self._candidates = rows_by_item(retained, ids)
        numbers = zip(counts.count.tolist(), counts.freq.tolist(), strict=True)
        self._counts = dict(zip(counts.words, numbers, strict=True))

    def question(
        self, item_id: str, impostors: Sequence[str], answer_index: int, seed: int
    ) -> dict[str, Any]:
        focus = self._focus[item_id]
        answer = self._answers[item_id]
        sentence = self._sentences[focus["sentence_id"]]
        question = assemble_question(
            item_id,
            book_id=sentence.book_id,
            tokens=rendered_tokens(sentence.tokens),
            position=rendered_positions(sentence.tokens).index(focus["position"]),
            impostors=impostors,
            answer_index=answer_index,
            seed=seed,
        )
        scores = {row["word"]: [row[name] for name in SCORES] for row in self._candidates[item_id]}
        scores[question.answer] = [
            answer["answer_log10_prob"],
            answer[SCORES[1]],
            answer[SCORES[2]],
        ]
        return question_record(
            question,
            source=source_record(sentence, focus["position"]),
            history=[focus["history1"], focus["history2"]],
            next_token=focus["next_token"],
            answer_tag=self._groomed[item_id]["answer_tag"],
            answer_rank=answer["answer_rank"],
            answer_forward_rank=answer["forward_rank"],
            option_scores=[self._scores(word, scores[word]) for word in question.options],
        )

    def _scores(self, word: str, values: Sequence[float]) -> dict[str, Any]:
        count, freq = self._counts[word]
        scores = {name: round(float(value), 5) for name, value in zip(SCORES, values, strict=True)}
        return {"word": word, "count": count, "freq": freq} | scores

    def candidates(self, item_id: str) -> dict[str, Any]:
        """The retained candidates of an item with verdicts and measures, for human groomers."""
        sentence = self._sentences[sentence_of(item_id)]
        listed = []
        for row in self._candidates[item_id]:
            measures = {name: _rounded(row[name]) for name in MEASURES}
            scores = {name: round(float(row[name]), 5) for name in SCORES}
            own = {name: row[name] for name in ("word", "verdict", "tag", "forward_rank")}
            listed.append(own | measures | scores)
        return {
            "id": item_id,
            "text": sentence.text,
            "answer": self._focus[item_id]["word"],
            "candidates": listed,
        }


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 4)


def _rows(artifact: Artifact, file: str, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Id -> its row."""
    table = read_parquet(artifact.path(file))
    wanted = set(ids)
    places = [i for i, item_id in enumerate(table["id"].to_pylist()) if item_id in wanted]
    return {row["id"]: row for row in table.take(places).to_pylist()}


def _write_questions(
    writer: ArtifactWriter,
    file: str,
    records: _Records,
    impostors: Mapping[str, Sequence[str]],
    seed: int,
) -> int:
    positions = balance_answer_positions(list(impostors), n_options=N_IMPOSTORS + 1, seed=seed)
    questions = [
        records.question(item_id, words, positions[item_id], seed)
        for item_id, words in impostors.items()
    ]
    return write_jsonl(writer.path(file), questions)


# ---- facts


def choice_facts(pool: CandidatePool, chosen: Chosen, settings: ChoiceSettings) -> dict[str, Any]:
    """What the set gives away, as JSON values."""
    matched = chosen.matched or MatchedSet(np.zeros(0, np.int64))
    shares = named_answer_shares(pool.scores[chosen.draws.rows], SCORE_NAMES)
    classes = Counter(pool.word_class[chosen.draws.item].tolist())
    leak = matched.leak and {
        "check": round(matched.leak.accuracy, 4),
        "error": round(matched.leak.error, 4),
        "max_leak": settings.max_leak,
        "n": len(chosen.draws.item),
        "auto": settings.n_questions == "auto",
        "sentences": chosen.n_sentences,
        "tried": [
            {"n": size, "check": round(one.accuracy, 4), "error": round(one.error, 4)}
            for size, one in sorted(matched.tried.items())
        ],
    }
    return {
        "answer_shares": shares if chosen.matched else {},
        "rounds": [
            {"accuracy": round(one.accuracy, 4), "gain": round(one.gain, 4)}
            for one in matched.rounds
        ],
        "round_kept": matched.kept,
        "classes": {
            name: {"wanted": wanted, "chosen": classes[name]}
            for name, wanted in matched.wanted.items()
        },
        "leak": leak,
    }


def choice_lines(facts: Mapping[str, Any], settings: ChoiceSettings, *, n: int) -> Iterator[str]:
    """What to print about a matched set of n questions."""
    leak, auto = facts["leak"], settings.n_questions == "auto"
    if leak:
        found = (
            "a classifier trained on the options' scores finds the answer in "
            f"{leak['check']:.1%} of the questions (chance: {_CHANCE:.0%}"
        )
        if leak["check"] > settings.max_leak:
            remedy = "Add books" if auto else 'Set choice.n_questions = "auto", or add books'
            yield f"warning: {found}, choice.max_leak: {settings.max_leak:.0%}). {remedy}"
        else:
            yield f"{found})"
    if auto:
        yield _size_line(leak, n=n)
    shares = facts["answer_shares"].items()
    name, share = max(shares, key=lambda pair: abs(pair[1] - _CHANCE), default=("", _CHANCE))
    if abs(share - _CHANCE) > _NOTABLE_LEAK:
        yield (
            f"{name} in {share:.0%} of the questions (chance: {_CHANCE:.0%}). Add books: there are "
            "too few groomed sentences to balance the set"
        )
    missing = [
        f"{name} {count['chosen']:,} of {count['wanted']:,}"
        for name, count in facts["classes"].items()
        if count["wanted"] - count["chosen"]
        > max(_NOTABLE_LACK * count["wanted"], _NOTABLE_PART * n)
    ]
    if settings.class_shares != CLASS_SHARES and missing:
        yield (
            f"choice.class_shares: too few questions of some classes: {', '.join(missing)}. Add "
            "books, or lower these shares"
        )


def _size_line(leak: Mapping[str, Any] | None, *, n: int) -> str:
    """What limits the size."""
    if leak is None:
        limit = "half of the sentences that offer one; too few to check whether scores reveal the answers"
        return f'choice.n_questions = "auto": {n:,} questions, {limit}'
    too_large = [one for one in leak["tried"] if one["check"] + one["error"] > leak["max_leak"]]
    limit = "half of the sentences that offer one"
    if too_large:
        least = min(too_large, key=lambda one: one["n"])
        limit = (
            f"{least['n']:,} would reveal too much (check {least['check']:.1%} +- "
            f"{least['error']:.1%}, choice.max_leak {leak['max_leak']:.0%})"
        )
    return (
        f'choice.n_questions = "auto": {n:,} questions; {limit}. Estimate: the size grows with the '
        f"sentences that offer a question ({leak['sentences']:,}), so twice the books give about "
        f"{2 * n:,}"
    )

"""The choice of the set (MSR 2.3, guideline 7), and the chosen questions with full provenance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from cloze_gen.corpus.counts import CountTable
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.normalization import rendered_positions, rendered_tokens
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.errors import CorpusError, StoreError
from cloze_gen.formats.questions import question_record, source_record
from cloze_gen.judging.verdicts import VerdictFile
from cloze_gen.recipes.msr.forward import ITEMS as SCORED_ITEMS
from cloze_gen.recipes.msr.forward import SCORED
from cloze_gen.recipes.msr.grooming.candidates import DECISIONS, ITEMS, MEASURES
from cloze_gen.recipes.msr.tables import (
    FIT,
    FORWARD_SCORE,
    SCORES,
    SENTENCE_SCORE,
    part_paths,
)
from cloze_gen.recipes.questions.assemble import (
    assemble_question,
    balance_answer_positions,
    draw_examples,
)
from cloze_gen.recipes.questions.choice import choice_facts, choice_lines, choose, without_reprints
from cloze_gen.recipes.questions.pool import pool_items, read_out
from cloze_gen.recipes.questions.random_choice import (
    N_IMPOSTORS,
    ChoicePlan,
    ChoiceReason,
    Chosen,
    FitItem,
    ScoredItem,
    Share,
    WordClass,
)
from cloze_gen.recipes.questions.random_choice import ChoiceSettings as DrawingSettings
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.settings import MOST_COUNTED, MOST_EACH, Unhashed
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import (
    CANDIDATES,
    FEWSHOT,
    FOCUS,
    QUESTIONS,
    REJECTED,
    read_jsonl,
    read_parquet,
    read_source_sentences,
    rejection_columns,
    write_jsonl,
    write_parquet,
)

if TYPE_CHECKING:
    import pandas as pd

# Scores that the choice balances and its classifiers use. Other scores are only reported.
BALANCED_SCORES = (
    "history_log10_prob",
    "forward_log10_prob",
    "sentence_log10_prob",
    "freq",
    "length",
)
# Of the published development answers the built-in tagger calls 45 % nouns, 39 % verbs, 13 %
# adjectives and 3 % adverbs. Too few verbs and adverbs keep four impostors for that.
_SHARES: Mapping[WordClass, float] = {
    "noun": 0.67,
    "verb": 0.17,
    "adjective": 0.14,
    "adverb": 0.005,
}


class ChoiceSettings(DrawingSettings):
    pool: float = Field(
        1.0,
        ge=1,
        le=MOST_EACH,
        description=(
            "questions chosen for readers, as a multiple of n_questions; the set is chosen from "
            "those that readers do not mark; 1: no pool"
        ),
    )
    verdicts: Unhashed[str] = Field(
        "",
        description=(
            "file with readers' verdicts on the pool (from `cloze-gen judge apply`), identified "
            "by its content; empty: none"
        ),
    )
    max_marked: Share = Field(
        0.0,
        description=(
            "largest share of a question's readers who may find it ambiguous, trivial or broken; "
            "a wrong answer counts as ambiguous"
        ),
    )
    n_questions: Annotated[int, Field(ge=1, le=MOST_COUNTED)] | Literal["auto"] = Field(
        1040,
        description=(
            "number of questions; if fewer are possible, you get fewer and a message; the "
            "published set has 1,040; auto: as many as max_leak allows"
        ),
    )
    class_shares: dict[WordClass, Share] = Field(
        dict(_SHARES),
        description=DrawingSettings.model_fields["class_shares"].description,
    )

    @model_validator(mode="after")
    def _a_pool_has_a_size(self) -> Self:
        if self.pool > 1 and self.n_questions == "auto":
            raise ValueError(
                f'pool = {self.pool:g} is a multiple of n_questions, which is "auto". Give a number'
            )
        if self.pool == 1 and self.verdicts:
            raise ValueError("verdicts are of a pool, but pool = 1. Give the pool that was read")
        return self


def write_pool(
    writer: ArtifactWriter, ctx: StageContext, *, counts: Artifact, focus: Artifact, forward: Artifact, grooming: Artifact,
    settings: ChoiceSettings, seed: int,
) -> None:  # fmt: skip
    """Choose the questions that readers judge. Writes the questions of the pool."""
    more = settings.model_copy(
        update={"n_questions": math.ceil(settings.pool * int(settings.n_questions)), "pool": 1.0}
    )
    write_choice(
        writer, ctx, counts=counts, focus=focus, forward=forward, grooming=grooming, settings=more, seed=seed
    )  # fmt: skip


def write_choice(
    writer: ArtifactWriter, ctx: StageContext, *, counts: Artifact, focus: Artifact, forward: Artifact, grooming: Artifact,
    settings: ChoiceSettings, seed: int, pool: Artifact | None = None, people: VerdictFile | None = None,
) -> None:  # fmt: skip
    """Choose the set. Writes questions, their candidates for human groomers, and few-shot examples.

    `pool`: the questions to choose from, without those that the verdicts of `people` exclude.
    """
    tables = read_choice_tables(counts=counts, focus=focus, forward=forward, grooming=grooming)
    scored = scored_items(tables)
    items, rejected = without_reprints(
        scored, {name: sentence.tokens for name, sentence in tables.sentences.items()}
    )
    if pool is not None:
        items, rejected = _pooled(writer, ctx, items, pool, people, settings)
    plan = ChoicePlan(settings, "msr", BALANCED_SCORES, seed)
    verdicts, facts, impostors_of = choose(items, plan, each=ctx.engine.map, say=ctx.say)
    chosen = [verdict for verdict in verdicts if isinstance(verdict, Chosen)]
    rejected += [verdict for verdict in verdicts if isinstance(verdict, Rejection)]
    if not chosen:
        raise CorpusError(_nothing_chosen(len(scored), rejected, settings))
    ids = [choice.id for choice in chosen]
    spare = [rejection.id for rejection in rejected if rejection.reason == ChoiceReason.BEYOND_N]
    examples = draw_examples(spare, published=ids, seed=seed)
    item_of = {one.item.id: one.item for one in items}
    describe = _Describer(tables, [*ids, *examples])
    for file, some in (
        (QUESTIONS, chosen),
        (FEWSHOT, [Chosen(item, impostors_of(item_of[item])) for item in examples]),
    ):
        positions = balance_answer_positions(
            [one.id for one in some], n_options=N_IMPOSTORS + 1, seed=seed
        )
        writer.rows[file] = write_jsonl(
            writer.path(file), [describe.question(one, positions[one.id], seed) for one in some]
        )
    writer.rows[CANDIDATES] = write_jsonl(writer.path(CANDIDATES), map(describe.candidates, ids))
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("focus words", kept=len(chosen), rejected=reasons)
    n = len(chosen)
    wanted = n if settings.n_questions == "auto" else settings.n_questions
    writer.facts |= {"wanted": wanted, **choice_facts(facts, settings, n=n)}
    short = (
        ""
        if n == wanted
        else f" (choice.n_questions asks for {wanted:,}; the funnel shows why items were rejected)"
    )
    ctx.say(f"{n:,} questions{short}")
    if settings.method != "random":
        for line in choice_lines(
            facts, settings, n=n, shares_are_set=settings.class_shares != _SHARES
        ):
            ctx.say(line)


def _pooled(
    writer: ArtifactWriter,
    ctx: StageContext,
    items: Sequence[ScoredItem],
    pool: Artifact,
    people: VerdictFile | None,
    settings: ChoiceSettings,
) -> tuple[list[ScoredItem], list[Rejection]]:
    """The items of the pool that readers leave, and the others of the pool."""
    records = {one["id"]: one for one in read_jsonl(pool.path(QUESTIONS))}
    pooled = pool_items(items, records)
    writer.facts |= {"pool": len(records)}
    if people is None:
        ctx.say(
            f"{len(records):,} questions in the pool, not read yet. Next: cloze-gen judge new RUN "
            "--task read"
        )
        return pooled, []
    out = read_out(
        records,
        people,
        fingerprint=str(pool.manifest["fingerprint"]),
        max_marked=settings.max_marked,
    )
    writer.facts |= {"read_by": people.summary, "left": len(records) - len(out)}
    ctx.say(
        f"{len(records):,} questions in the pool, read by {people.summary}: "
        f"{len(records) - len(out):,} are left to choose from"
    )
    return [one for one in pooled if one.item.id not in out], list(out.values())


def _nothing_chosen(groomed: int, rejected: Sequence[Rejection], settings: ChoiceSettings) -> str:
    without = sum(rejection.reason == ChoiceReason.NO_FOUR for rejection in rejected)
    if not without:
        cause = (
            f"none of {groomed:,} groomed focus words has {N_IMPOSTORS} fit "
            "candidates. Add books, or relax"
        )
    else:
        cause = (
            f"{without:,} of {groomed:,} groomed focus words have {N_IMPOSTORS} fit "
            "candidates, but no set of four passes the limits. Add books, raise "
            f"choice.max_ambiguity = {settings.max_ambiguity:g} or choice.max_triviality = "
            f"{settings.max_triviality:g}, or relax"
        )
    return (
        f"no question can be made: {cause} the settings of [grooming] and [choice]. "
        "`cloze-gen settings STYLE` lists them."
    )


@dataclass(frozen=True, slots=True)
class ChoiceTables:
    """One row per focus word; `candidates` has one row per retained candidate, best forward score first."""

    counts: CountTable
    sentences: Mapping[str, Sentence]
    focus: pd.DataFrame
    answers: pd.DataFrame
    groomed: pd.DataFrame
    candidates: pd.DataFrame

    @property
    def fit_ids(self) -> list[str]:
        return list(self.groomed.index[self.groomed["verdict"] == FIT])


def read_choice_tables(
    *, counts: Artifact, focus: Artifact, forward: Artifact, grooming: Artifact
) -> ChoiceTables:
    groomed = _by_id(grooming, ITEMS.name)
    return ChoiceTables(
        counts=read_counts(counts),
        sentences=read_source_sentences(focus),
        focus=_by_id(focus, FOCUS),
        answers=_by_id(forward, SCORED_ITEMS.name),
        groomed=groomed,
        candidates=_candidates(forward, grooming, set(groomed.index[groomed["verdict"] == FIT])),
    )


def _by_id(artifact: Artifact, name: str) -> pd.DataFrame:
    return read_parquet(artifact.path(name)).to_pandas().set_index("id")


def _candidates(forward: Artifact, grooming: Artifact, fit: Collection[str]) -> pd.DataFrame:
    ids = pa.array(sorted(fit), pa.string())
    scored = _of_fit(part_paths(forward, SCORED.folder), ids, only=pc.field("kept")).drop_columns(
        ["kept"]
    )
    # already in the order of focus words and forward rank
    decided = _of_fit(part_paths(grooming, DECISIONS.folder), ids)
    scored = scored.take(
        np.lexsort([scored["forward_rank"].to_numpy(), pc.index_in(scored["id"], ids).to_numpy()])
    )
    decided = decided.take(np.argsort(pc.index_in(decided["id"], ids).to_numpy(), kind="stable"))
    if scored.select(["id", "word"]) != decided.select(["id", "word"]):
        raise StoreError(
            f"{grooming.folder}: its candidates differ from those of {forward.folder}. Move "
            "both folders away and run again."
        )
    for name in DECISIONS.names[2:]:
        scored = scored.append_column(name, decided[name])
    return scored.to_pandas()


def _of_fit(parts: Sequence[Path], ids: pa.Array, *, only: pc.Expression | None = None) -> pa.Table:
    """Rows of the focus words in `ids`. Words are decoded, because dictionaries differ by part."""
    tables = []
    for part in parts:
        table = read_parquet(part) if only is None else read_parquet(part).filter(only)
        decoded = {name: table[name].cast(pa.string()) for name in ("id", "word")}
        table = pa.table({name: decoded.get(name, table[name]) for name in table.column_names})
        tables.append(table.filter(pc.is_in(table["id"], ids)))
    # columns of a part without rows may have no type
    return pa.concat_tables(tables, promote_options="default")


def scored_items(tables: ChoiceTables) -> list[ScoredItem]:
    """Every item in a fit sentence with its fit candidates and scores (BALANCED_SCORES)."""
    fit = tables.candidates[tables.candidates["verdict"] == FIT]
    freq = dict(zip(tables.counts.words, tables.counts.freq.tolist(), strict=True))
    words, scores = fit["word"].to_numpy(), fit[list(SCORES)].to_numpy(np.float64)
    fits_as_well, plausible, topicality = (
        fit[name].to_numpy(np.float64) for name in ("fits_as_well", "plausible", "topicality")
    )
    # as BALANCED_SCORES
    columns = np.column_stack(
        [scores, [freq[word] for word in words], [len(word) for word in words]]
    )
    rows = fit.groupby("id", sort=False).indices
    of_answers = tables.answers[["answer_log10_prob", FORWARD_SCORE, SENTENCE_SCORE]]
    answer_scores = dict(zip(of_answers.index, of_answers.to_numpy(np.float64), strict=True))
    about = tables.focus.loc[tables.fit_ids, ["sentence_id", "word"]]
    items = []
    groomed = tables.groomed.loc[tables.fit_ids, ["answer_tag", "answer_topicality"]].to_numpy()
    for item_id, (sentence_id, answer), (tag, of_answer) in zip(
        about.index, about.to_numpy(), groomed, strict=True
    ):
        place = rows.get(item_id, np.zeros(0, np.int64))
        own = np.append(answer_scores[item_id], [freq[answer], len(answer)])
        item = FitItem(item_id, sentence_id, answer, tuple(words[place]), coarse_class(tag))
        topic = np.append(of_answer, topicality[place]).astype(np.float64)
        items.append(
            ScoredItem(
                item, np.vstack([own, columns[place]]), fits_as_well[place], plausible[place], topic
            )
        )
    return items


class _Describer:
    def __init__(self, tables: ChoiceTables, chosen: Collection[str]) -> None:
        # plain dictionaries, because single look-ups in a data frame are slow
        self._sentences = tables.sentences
        ids = list(chosen)
        self._focus, self._answers, self._groomed = (
            table.loc[ids].to_dict(orient="index")
            for table in (tables.focus, tables.answers, tables.groomed)
        )
        self._candidates: dict[str, dict[str, dict[Any, Any]]] = {item_id: {} for item_id in ids}
        of_chosen = tables.candidates[tables.candidates["id"].isin(set(ids))]
        for row in of_chosen.to_dict(orient="records"):
            self._candidates[row["id"]][row["word"]] = dict(row)
        counts = tables.counts
        self._counts = dict(
            zip(
                counts.words,
                zip(counts.count.tolist(), counts.freq.tolist(), strict=True),
                strict=True,
            )
        )

    def question(self, choice: Chosen, answer_index: int, seed: int) -> dict[str, Any]:
        sentence, position = self._sentence(choice.id)
        printed = rendered_positions(sentence.tokens)
        question = assemble_question(
            choice.id,
            book_id=sentence.book_id,
            tokens=rendered_tokens(sentence.tokens),
            position=printed.index(position),
            impostors=choice.impostors,
            answer_index=answer_index,
            seed=seed,
        )
        focus = self._focus[choice.id]
        return question_record(
            question,
            source=source_record(sentence, position),
            history=[focus["history1"], focus["history2"]],
            next_token=focus["next_token"],
            answer_tag=self._groomed[choice.id]["answer_tag"],
            answer_rank=int(self._answers[choice.id]["answer_rank"]),
            answer_forward_rank=int(self._answers[choice.id]["forward_rank"]),
            option_scores=[
                self._scores(choice.id, word, word == question.answer) for word in question.options
            ],
        )

    def _sentence(self, item_id: str) -> tuple[Sentence, int]:
        sentence_id, _, position = item_id.rpartition(":")
        return self._sentences[sentence_id], int(position)

    def _scores(self, item_id: str, word: str, is_answer: bool) -> dict[str, Any]:
        count, freq = self._counts[word]
        values: Sequence[Any]
        if is_answer:
            own = self._answers[item_id]
            values = (
                own["answer_log10_prob"],
                own[FORWARD_SCORE],
                own[SENTENCE_SCORE],
            )
        else:
            values = [self._candidates[item_id][word][name] for name in SCORES]
        scores = {name: round(float(value), 5) for name, value in zip(SCORES, values, strict=True)}
        return {"word": word, "count": count, "freq": freq} | scores

    def candidates(self, item_id: str) -> dict[str, Any]:
        """The retained candidates of an item with verdicts and measures, for human groomers."""
        sentence, position = self._sentence(item_id)
        listed = [
            {
                "word": word,
                "verdict": row["verdict"],
                "tag": row["tag"],
                "forward_rank": int(row["forward_rank"]),
            }
            | {
                name: None if math.isnan(row[name]) else round(float(row[name]), 4)
                for name in MEASURES
            }
            | {name: round(float(row[name]), 5) for name in SCORES}
            for word, row in self._candidates[item_id].items()
        ]
        return {
            "id": item_id,
            "text": sentence.text,
            "answer": sentence.tokens[position],
            "candidates": listed,
        }

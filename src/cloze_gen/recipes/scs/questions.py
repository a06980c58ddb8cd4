"""The final set: the first items in generation order (Argouarc'h 2018, 3.4). Ours is shuffled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.formats.questions import question_record, source_record
from cloze_gen.recipes.common import (
    PRINTED_BEFORE,
    assemble_question,
    balance_answer_positions,
    draw_examples,
    printed_before,
)
from cloze_gen.recipes.scs.impostors import IMPOSTORS
from cloze_gen.recipes.scs.screen import SCREENED
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import (
    FEWSHOT,
    FOCUS,
    QUESTIONS,
    REJECTED,
    read_parquet,
    rejection_columns,
    write_jsonl,
    write_parquet,
)


class QuestionsSettings(SettingsGroup):
    n_questions: int = Field(
        6000,
        ge=1,
        le=MOST_COUNTED,
        description="number of questions, if so many are possible; 3.4",
    )
    order: Literal["mixed", "corpus"] = Field(
        "mixed",
        description="order in which questions are made",
    )


class QuestionReason(Reason):
    """`assemble.PRINTED_BEFORE` is one more."""

    BEYOND_N = ("beyond_n_questions", "questions.n_questions are already chosen")


def choose_questions(
    ids: Sequence[str], *, tokens_of: Mapping[str, Sequence[str]], settings: QuestionsSettings
) -> tuple[list[str], list[Rejection]]:
    """The items of the set, and rejections of the others; only the first of equal texts is kept.

    >>> lines = {"a:1": ("Come", "in", "."), "a:2": ("Go", "out", "."), "b:7": ("Go", "out", "!")}
    >>> kept, rejected = choose_questions(["a:1:1", "a:2:0", "b:7:0"], tokens_of=lines, settings=QuestionsSettings(order="corpus"))
    >>> kept, [(item.id, item.reason) for item in rejected]
    (['a:1:1', 'a:2:0'], [('b:7:0', 'sentence_printed_before')])
    """
    if settings.order == "mixed":
        ids = sorted(
            ids,
            key=lambda item: (stable_fraction("scs.order", sentence_of(item)), sentence_of(item)),
        )
    earlier = printed_before((sentence_of(item), [tokens_of[sentence_of(item)]]) for item in ids)
    kept: list[str] = []
    rejected: list[Rejection] = []
    for item in ids:
        if sentence_of(item) in earlier:
            rejected.append(Rejection(item, PRINTED_BEFORE, earlier[sentence_of(item)]))
        elif len(kept) == settings.n_questions:
            rejected.append(Rejection(item, QuestionReason.BEYOND_N))
        else:
            kept.append(item)
    return kept, rejected


def write_questions(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    focus: Artifact,
    impostors: Artifact,
    screen: Artifact | None,
    settings: QuestionsSettings,
    seed: int,
) -> None:
    drawn: dict[str, list[dict[str, Any]]] = {}
    for row in read_parquet(impostors.path(IMPOSTORS)).to_pylist():
        drawn.setdefault(row["id"], []).append(row)
    if screen is not None:
        passed = {
            row["id"] for row in read_parquet(screen.path(SCREENED)).to_pylist() if row["kept"]
        }
        drawn = {item: rows for item, rows in drawn.items() if item in passed}
    items = {
        row["id"]: row for row in read_parquet(focus.path(FOCUS)).to_pylist() if row["id"] in drawn
    }
    sentences = read_source_sentences(focus)
    tokens_of = {sentence_id: sentence.tokens for sentence_id, sentence in sentences.items()}
    kept, rejected = choose_questions(list(items), tokens_of=tokens_of, settings=settings)
    n_options = 1 + (len(drawn[kept[0]]) if kept else 0)
    spare = [rejection.id for rejection in rejected if rejection.reason == QuestionReason.BEYOND_N]
    for file, ids in (
        (QUESTIONS, kept),
        (FEWSHOT, draw_examples(spare, published=kept, seed=seed)),
    ):
        positions = balance_answer_positions(ids, n_options=n_options, seed=seed)
        records = [
            _record(items[item], sentences[sentence_of(item)], drawn[item], positions[item], seed)
            for item in ids
        ]
        writer.rows[file] = write_jsonl(writer.path(file), records)
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("focus words", kept=len(kept), rejected=reasons)
    writer.facts |= {"wanted": settings.n_questions}
    short = (
        ""
        if len(kept) == settings.n_questions
        else (
            f" (questions.n_questions asks for {settings.n_questions:,}; the funnel shows "
            "why items were rejected)"
        )
    )
    ctx.say(f"{len(kept):,} questions{short}")


def _record(
    row: Mapping[str, Any],
    sentence: Sentence,
    drawn: Sequence[Mapping[str, Any]],
    answer_index: int,
    seed: int,
) -> dict[str, Any]:
    question = assemble_question(
        row["id"],
        sentence,
        row["position"],
        impostors=[impostor["word"] for impostor in drawn],
        answer_index=answer_index,
        seed=seed,
    )
    facts = {impostor["word"]: impostor for impostor in drawn} | {row["word"]: row}
    return question_record(
        question,
        source=source_record(sentence, row["position"]),
        answer_tag=row["tag"],
        answer_class=row["class"],
        option_scores=[
            {
                "word": word,
                "lemma": facts[word]["lemma"],
                "count": facts[word]["count"],
                "freq": facts[word]["freq"],
                "lemma_freq": facts[word]["lemma_freq"],
            }
            for word in question.options
        ],
    )

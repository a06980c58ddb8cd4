"""The final set: the first items in the order of generation (Argouarc'h 2018, 3.4).

Our order is that of the sentences' hashes, so the first items are a fair sample of all books.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pydantic import Field

from cloze_gen.engine.stage_context import StageContext
from cloze_gen.formats.questions import question_record, source_record
from cloze_gen.recipes.common import (
    RepeatReason,
    assemble_question,
    balance_answer_positions,
    draw_examples,
    printed_before,
)
from cloze_gen.recipes.scs.draw import DRAWN
from cloze_gen.recipes.scs.impostors import N_IMPOSTORS
from cloze_gen.recipes.tables import read_source_sentences, write_rejections
from cloze_gen.records.rejection import Reason, Rejection
from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import FEWSHOT, QUESTIONS, write_jsonl


class QuestionsSettings(SettingsGroup):
    n_questions: int = Field(
        6000,
        ge=1,
        le=MOST_COUNTED,
        description="number of questions, if so many are possible; 3.4",
    )


class QuestionReason(Reason):
    BEYOND_N = ("beyond_n_questions", "questions.n_questions are already chosen")


def choose_questions(
    tokens_of: Mapping[str, Sequence[str]], *, n_questions: int
) -> tuple[list[str], list[Rejection]]:
    """The items of the set, and rejections of the others; only the first of equal texts is kept.

    `tokens_of`: item -> tokens of its sentence.

    >>> items = {"a:1:1": ("Come", "in", "."), "a:2:0": ("Go", "out", "."), "b:7:0": ("Go", "out", "!")}
    >>> kept, rejected = choose_questions(items, n_questions=9)
    >>> len(kept), [str(item.reason) for item in rejected]
    (2, ['sentence_printed_before'])
    """
    ids = sorted(tokens_of, key=_order)
    earlier = printed_before((item, [tokens_of[item]]) for item in ids)
    kept: list[str] = []
    rejected: list[Rejection] = []
    for item in ids:
        if item in earlier:
            rejected.append(Rejection(item, RepeatReason.PRINTED_BEFORE, earlier[item]))
        elif len(kept) == n_questions:
            rejected.append(Rejection(item, QuestionReason.BEYOND_N))
        else:
            kept.append(item)
    return kept, rejected


def _order(item: str) -> tuple[float, str]:
    sentence_id = sentence_of(item)
    return stable_fraction("scs.order", sentence_id), sentence_id


def write_questions(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    draw: Artifact,
    sentences: Artifact,
    settings: QuestionsSettings,
    seed: int,
) -> None:
    drawn = DRAWN.read(draw.path(DRAWN.name))
    drawn = drawn.filter(drawn["kept"])
    options: dict[str, list[dict[str, Any]]] = {}
    for row in drawn.to_pylist():
        options.setdefault(row["id"], []).append(row)
    source = read_source_sentences(sentences, pa.array(map(sentence_of, options), pa.string()))
    tokens_of = {item: source[sentence_of(item)].tokens for item in options}
    kept, rejected = choose_questions(tokens_of, n_questions=settings.n_questions)
    spare = [rejection.id for rejection in rejected if rejection.reason == QuestionReason.BEYOND_N]
    examples = draw_examples(spare, published=kept, seed=seed)
    for file, ids in {QUESTIONS: kept, FEWSHOT: examples}.items():
        positions = balance_answer_positions(ids, n_options=N_IMPOSTORS + 1, seed=seed)
        records = [
            _record(options[item], source[sentence_of(item)], positions[item], seed) for item in ids
        ]
        writer.rows[file] = write_jsonl(writer.path(file), records)
    write_rejections(writer, rejected, unit="questions", kept=len(kept))
    writer.facts["wanted"] = settings.n_questions
    short = ""
    if len(kept) < settings.n_questions:
        short = (
            f" (questions.n_questions asks for {settings.n_questions:,}; the funnel shows "
            "why items were rejected)"
        )
    ctx.say(f"{len(kept):,} questions{short}")


def _record(
    options: Sequence[Mapping[str, Any]], sentence: Sentence, answer_index: int, seed: int
) -> dict[str, Any]:
    """`options`: rows of `DRAWN`, the answer first."""
    answer, *impostors = options
    question = assemble_question(
        answer["id"],
        sentence,
        answer["position"],
        impostors=[row["word"] for row in impostors],
        answer_index=answer_index,
        seed=seed,
    )
    row_of = {row["word"]: row for row in options}
    return question_record(
        question,
        source=source_record(sentence, answer["position"]),
        answer_tag=answer["tag"],
        answer_class=answer["class"],
        option_scores=[
            {name: row_of[word][name] for name in ("word", "lemma", "count", "freq", "lemma_freq")}
            for word in question.options
        ],
    )

"""The SCS set as an artifact: the first n questions in order of generation, positions dealt, full provenance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from cloze_gen.formats.jsonl import question_record, source_record
from cloze_gen.recipes.msr.steps.choice import ChoiceReason
from cloze_gen.recipes.questions.assemble import assemble_question, deal_positions
from cloze_gen.recipes.questions.printed_once import PRINTED_BEFORE, printed_before
from cloze_gen.recipes.scs.stages.impostors import IMPOSTORS
from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.rng import stable_fraction
from cloze_gen.settings import MOST_COUNTED, SettingsGroup
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FOCUS, QUESTIONS, REJECTED, read_source_sentences, rejection_columns
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_jsonl, write_parquet
from cloze_gen.text.rendering import rendered_positions, rendered_tokens


class ScsQuestionsSettings(SettingsGroup):
    """Settings of the final set."""

    n_questions: int = Field(
        6000, ge=1, le=MOST_COUNTED, description="questions wanted, the first in order of generation, never padded; 3.4"
    )
    order: Literal["mixed", "corpus"] = Field("mixed", description="of generation: by each sentence's own hash, or book after book")


def write_scs_questions(
    writer: ArtifactWriter, room: Room, *, focus: Artifact, impostors: Artifact, settings: ScsQuestionsSettings, seed: int
) -> None:
    """Write the first n items that have impostors, in order of generation, and every rejection.

    In the order of the books a cut at n would leave the last books out; in the mixed order the first n are a fair sample of all books, and
    even and odd ranks are alike.
    """
    drawn: dict[str, list[dict[str, Any]]] = {}
    for row in read_parquet(impostors.path(IMPOSTORS)).to_pylist():
        drawn.setdefault(row["id"], []).append(row)
    items = [row for row in read_parquet(focus.path(FOCUS)).to_pylist() if row["id"] in drawn]
    if settings.order == "mixed":
        items.sort(key=lambda row: (stable_fraction("scs.order", row["sentence_id"]), row["sentence_id"]))
    sentences = read_source_sentences(focus)
    kept: list[dict[str, Any]] = []
    rejected: list[Rejection] = []
    earlier = printed_before((row["sentence_id"], sentences[row["sentence_id"]].tokens) for row in items)
    for row in items:
        if row["sentence_id"] in earlier:
            rejected.append(Rejection(row["id"], PRINTED_BEFORE, earlier[row["sentence_id"]]))
        elif len(kept) == settings.n_questions:
            rejected.append(Rejection(row["id"], ChoiceReason.BEYOND_N))
        else:
            kept.append(row)
    n_options = 1 + (len(drawn[kept[0]["id"]]) if kept else 0)
    positions = deal_positions([row["id"] for row in kept], n_options=n_options, seed=seed)
    records = [_record(row, sentences[row["sentence_id"]], drawn[row["id"]], positions[row["id"]], seed) for row in kept]
    writer.rows[QUESTIONS] = write_jsonl(writer.path(QUESTIONS), records)
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns(rejected))
    reasons = Counter(str(rejection.reason) for rejection in rejected)
    writer.funnel = funnel("focus words", kept=len(kept), rejected=reasons)
    writer.facts |= {"wanted": settings.n_questions}
    short = "" if len(kept) == settings.n_questions else f" ({settings.n_questions:,} were wanted; the funnel says where the rest went)"
    room.say(f"{len(kept):,} questions{short}")


def _record(row: Mapping[str, Any], sentence: Sentence, drawn: Sequence[Mapping[str, Any]], answer_index: int, seed: int) -> dict[str, Any]:
    question = assemble_question(
        row["id"],
        book_id=sentence.book_id,
        tokens=rendered_tokens(sentence.tokens),
        position=rendered_positions(sentence.tokens).index(row["position"]),
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
            {"word": word, "lemma": facts[word]["lemma"], "count": facts[word]["count"], "freq": facts[word]["freq"],
             "lemma_freq": facts[word]["lemma_freq"]}
            for word in question.options
        ],
    )  # fmt: skip

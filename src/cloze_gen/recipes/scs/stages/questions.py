"""The set: the first n questions in order of generation, positions dealt, full provenance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from cloze_gen.formats.jsonl import question_record, source_record
from cloze_gen.recipes.questions.assemble import assemble_question, deal_positions
from cloze_gen.recipes.questions.fewshot import draw_examples
from cloze_gen.recipes.scs.stages.impostors import IMPOSTORS
from cloze_gen.recipes.scs.steps.questions import QuestionReason, QuestionsSettings, choose_questions
from cloze_gen.records.sentence import Sentence, sentence_of
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FEWSHOT, FOCUS, QUESTIONS, REJECTED, read_source_sentences, rejection_columns
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_jsonl, write_parquet
from cloze_gen.text.rendering import rendered_positions, rendered_tokens


def write_questions(
    writer: ArtifactWriter, room: Room, *, focus: Artifact, impostors: Artifact, settings: QuestionsSettings, seed: int
) -> None:
    """Write the set.

    `questions.jsonl` has a question a line, in order of generation (`formats.jsonl`); `fewshot.jsonl` the same of a few that come after the
    last of them; `rejected.parquet` (`id`, `reason`, `detail`) every other item that has impostors.
    """
    drawn: dict[str, list[dict[str, Any]]] = {}
    for row in read_parquet(impostors.path(IMPOSTORS)).to_pylist():
        drawn.setdefault(row["id"], []).append(row)
    items = {row["id"]: row for row in read_parquet(focus.path(FOCUS)).to_pylist() if row["id"] in drawn}
    sentences = read_source_sentences(focus)
    tokens_of = {sentence_id: sentence.tokens for sentence_id, sentence in sentences.items()}
    kept, rejected = choose_questions(list(items), tokens_of=tokens_of, settings=settings)
    n_options = 1 + (len(drawn[kept[0]]) if kept else 0)
    spare = [rejection.id for rejection in rejected if rejection.reason == QuestionReason.BEYOND_N]
    for file, ids in ((QUESTIONS, kept), (FEWSHOT, draw_examples(spare, published=kept, seed=seed))):
        positions = deal_positions(ids, n_options=n_options, seed=seed)
        records = [_record(items[item], sentences[sentence_of(item)], drawn[item], positions[item], seed) for item in ids]
        writer.rows[file] = write_jsonl(writer.path(file), records)
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

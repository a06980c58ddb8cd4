"""The questions as an artifact: the words of the next sentences are the other options."""

from __future__ import annotations

from cloze_gen.formats.jsonl import question_record
from cloze_gen.recipes.questions.assemble import assemble_question, deal_positions
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FOCUS, QUESTIONS, REJECTED, read_source_sentences, rejection_columns
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_jsonl, write_parquet


def write_questions(writer: ArtifactWriter, room: Room, *, focus: Artifact, seed: int) -> None:
    """Write `questions.jsonl` and `rejected.parquet`."""
    rows, sentences = read_parquet(focus.path(FOCUS)).to_pylist(), read_source_sentences(focus)
    dealt, questions = deal_positions([row["id"] for row in rows], n_options=5, seed=seed), []
    for place, row in enumerate(rows):
        others = dict.fromkeys(other["word"] for other in rows[place:] + rows if other["word"] != row["word"])
        sentence = sentences[row["sentence_id"]]
        questions.append(assemble_question(row["id"], book_id=sentence.book_id, tokens=sentence.tokens, position=row["position"],
                                           impostors=list(others)[:4], answer_index=dealt[row["id"]], seed=seed))  # fmt: skip
    writer.rows[QUESTIONS] = write_jsonl(writer.path(QUESTIONS), [question_record(question) for question in questions])
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns([]))
    writer.facts, writer.funnel = {"wanted": len(questions)}, funnel("focus words", kept=len(questions), rejected={})

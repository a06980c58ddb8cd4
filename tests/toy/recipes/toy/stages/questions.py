"""The questions as an artifact: the words of the next sentences are the other options."""

from cloze_gen.formats.jsonl import question_record
from cloze_gen.recipes.questions.assemble import assemble_question, deal_positions
from cloze_gen.stages.room import Room
from cloze_gen.stages.tables import FOCUS, QUESTIONS, REJECTED, read_source_sentences, rejection_columns
from cloze_gen.store.artifacts import Artifact, ArtifactWriter, funnel
from cloze_gen.store.tables import read_parquet, write_jsonl, write_parquet


def write_questions(writer: ArtifactWriter, room: Room, *, focus: Artifact, seed: int) -> None:
    """Write `questions.jsonl` and `rejected.parquet`."""
    rows, sentences = read_parquet(focus.path(FOCUS)).to_pylist(), read_source_sentences(focus)
    dealt = deal_positions([row["id"] for row in rows], n_options=5, seed=seed)
    questions = []
    for place, row in enumerate(rows):
        others = list(dict.fromkeys(other["word"] for other in rows[place + 1 :] + rows[:place] if other["word"] != row["word"]))
        sentence, about = sentences[row["sentence_id"]], {"position": row["position"], "seed": seed, "impostors": others[:4]}
        questions.append(
            assemble_question(row["id"], book_id=sentence.book_id, tokens=sentence.tokens, answer_index=dealt[row["id"]], **about)
        )
    writer.rows[QUESTIONS] = write_jsonl(writer.path(QUESTIONS), [question_record(question) for question in questions])
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns([]))
    writer.facts, writer.funnel = {"wanted": len(questions)}, funnel("focus words", kept=len(questions), rejected={})

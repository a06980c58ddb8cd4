"""The questions as an artifact: the words of the next sentences are the other options."""

from cloze_gen.formats.questions import question_record, source_record
from cloze_gen.recipes.common import assemble_question, balance_answer_positions
from cloze_gen.recipes.tables import read_source_sentences, write_rejections
from cloze_gen.store.tables import FOCUS, QUESTIONS, read_parquet, write_jsonl


def write_questions(writer, ctx, *, focus, seed):
    """Write `questions.jsonl` and `rejected.parquet`."""
    rows, sentences = read_parquet(focus.path(FOCUS)).to_pylist(), read_source_sentences(focus)
    dealt, records = (
        balance_answer_positions([row["id"] for row in rows], n_options=5, seed=seed),
        [],
    )
    for place, row in enumerate(rows):
        others = dict.fromkeys(
            other["word"] for other in rows[place:] + rows if other["word"] != row["word"]
        )
        sentence = sentences[row["sentence_id"]]
        question = assemble_question(
            row["id"],
            sentence,
            row["position"],
            impostors=list(others)[:4],
            answer_index=dealt[row["id"]],
            seed=seed,
        )
        records.append(question_record(question, source=source_record(sentence, row["position"])))
    writer.rows[QUESTIONS] = write_jsonl(writer.path(QUESTIONS), records)
    writer.facts = {"wanted": len(records)}
    write_rejections(writer, [], unit="focus words", kept=len(records))

"""The questions as an artifact: the words of the next sentences are the other options."""

from cloze_gen.formats.questions import question_record, source_record
from cloze_gen.recipes.common import assemble_question, balance_answer_positions
from cloze_gen.store.artifacts import funnel
from cloze_gen.store.tables import (
    FOCUS,
    QUESTIONS,
    REJECTED,
    read_parquet,
    read_source_sentences,
    rejection_columns,
    write_jsonl,
    write_parquet,
)


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
    writer.rows[REJECTED] = write_parquet(writer.path(REJECTED), rejection_columns([]))
    writer.facts, writer.funnel = (
        {"wanted": len(records)},
        funnel("focus words", kept=len(records), rejected={}),
    )

"""The files of the stages of the toy."""

from cloze_gen.corpus.artifacts import SENTENCE_COLUMNS
from cloze_gen.store.file_docs import FileDoc, StageDoc, rejected_file

STAGES = {
    "focus": StageDoc(
        "Finds the longest word of each sentence.",
        (
            FileDoc(
                "focus.parquet",
                "One row a sentence.",
                {
                    "id": "string: id of the question",
                    "sentence_id": "string: id of the sentence",
                    "position": "int64: index among its tokens",
                    "word": "string: the longest word",
                },
            ),
            FileDoc("sentences.parquet", "The kept sentences.", SENTENCE_COLUMNS),
            rejected_file("The other sentences."),
        ),
    ),
    "questions": StageDoc("Adds the options.", (rejected_file("None."),)),
}

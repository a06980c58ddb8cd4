"""The closed vocabulary that passages are asked over: the commonest words of the training text in small letters (LAMBADA 4)."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.csv

from cloze_gen.store.artifacts import Artifact

PASSAGE_WORDS = "words.tsv"
RARE = "<rare>"  # stands in lmplz's text for every word outside the vocabulary, whose own `<unk>` no text may hold
VOCABULARY = 60_000  # LAMBADA 4: "the 60K most frequent words in the training set"


def read_passage_words(text: Artifact, *, most: int = VOCABULARY) -> list[str]:
    """The commonest words of the text in small letters, at most so many: the word of number i stands at i - 1.

    Args:
        text: of `passage_models.write_passage_text`.
    """
    table = pyarrow.csv.read_csv(
        text.path(PASSAGE_WORDS),
        parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(column_types={"word": pa.string()}, strings_can_be_null=False),
    )
    return list(table["word"].slice(0, most).to_pylist())

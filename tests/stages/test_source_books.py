"""Source books as the stages read them: sentences with their line-end hyphens decided."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from cloze_gen.stages.source_books import SENTENCES, read_sentences
from cloze_gen.text.normalize import LINE_END_HYPHEN


def test_a_broken_word_inside_another_is_left_to_it(tmp_path: Path) -> None:
    """Each is mended as it was decided for itself, whichever of the two comes first."""
    short, long = f"out{LINE_END_HYPHEN}side", f"throughout{LINE_END_HYPHEN}side"
    forms = {short: "outside", long: "throughout-side"}
    for index, words in enumerate(((short, long), (long, short))):
        line = " ".join(words)
        row = {"index": index, "start": 0, "end": 9, "paragraph": 0, "kind": "prose", "text": line, "tokens": line}
        pq.write_table(pa.table({name: [value] for name, value in row.items()}), tmp_path / SENTENCES)
        (sentence,) = read_sentences(tmp_path, "b", forms)
        assert sentence.text.split() == list(sentence.tokens) == [forms[word] for word in words]

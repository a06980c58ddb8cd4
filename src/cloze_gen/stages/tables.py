"""Tables that recipes share: sentences and rejections as columns, and back."""

from __future__ import annotations

import pyarrow as pa

from cloze_gen.records.rejection import Rejection
from cloze_gen.records.sentence import Sentence
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import read_parquet

# Files of several recipes' stages: the focus words, the sentences that hold one, whatever was rejected, the finished questions, and what
# people may choose other options from; the finished passages, and what they are like; finished items that are not published.
FOCUS, SOURCE_SENTENCES, REJECTED = "focus.parquet", "sentences.parquet", "rejected.parquet"
QUESTIONS, CANDIDATES = "questions.jsonl", "candidates.jsonl"
PASSAGE_SET, ANALYSIS, STATISTICS = "passages.jsonl", "analysis.json", "statistics.json"
FEWSHOT = "fewshot.jsonl"


_SENTENCE = ["book_id", "index", "start", "end", "paragraph", "kind", "text", "tokens"]


def sentence_columns(sentences: list[Sentence]) -> dict[str, pa.Array]:
    """`id`; `book_id`, `index`, `start`, `end`, `paragraph`, `kind` and `text` of `Sentence`; `tokens`, joined by spaces."""
    return {
        "id": pa.array([s.id for s in sentences], pa.string()),
        "book_id": pa.array([s.book_id for s in sentences], pa.string()).dictionary_encode(),
        "index": pa.array([s.index for s in sentences], pa.int32()),
        "start": pa.array([s.start for s in sentences], pa.int32()),
        "end": pa.array([s.end for s in sentences], pa.int32()),
        "paragraph": pa.array([s.paragraph for s in sentences], pa.int32()),
        "kind": pa.array([s.kind for s in sentences], pa.string()).dictionary_encode(),
        "text": pa.array([s.text for s in sentences], pa.string()),
        "tokens": pa.array([" ".join(s.tokens) for s in sentences], pa.string()),
    }


def rejection_columns(rejected: list[Rejection]) -> dict[str, pa.Array]:
    """The columns of rejections: what was rejected, why, and the detail in words."""
    return {
        "id": pa.array([r.id for r in rejected], pa.string()),
        "reason": pa.array([str(r.reason) for r in rejected], pa.string()).dictionary_encode(),
        "detail": pa.array([r.detail for r in rejected], pa.string()),
    }


def read_source_sentences(artifact: Artifact) -> dict[str, Sentence]:
    """The sentences that `sentence_columns` wrote, by id, in their order."""
    columns = read_parquet(artifact.path(SOURCE_SENTENCES), columns=_SENTENCE).to_pydict()
    sentences = (
        Sentence(book_id, index, start, end, paragraph, kind, text, tuple(tokens.split(" ")))
        for book_id, index, start, end, paragraph, kind, text, tokens in zip(*columns.values(), strict=True)
    )
    return {sentence.id: sentence for sentence in sentences}

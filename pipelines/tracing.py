"""`cloze-gen trace`: one question's whole life, read back from the artifacts of its run.

Each section asks for the stages it tells of; a style without them has no such section.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from cloze_gen.errors import BookError, CorpusError, UsageError
from cloze_gen.notation import shown
from cloze_gen.pipelines.runs import find_run, find_stage, run_folders, stage_artifact
from cloze_gen.stages.ingest import read_books
from cloze_gen.store.corpus import read_book
from cloze_gen.store.tables import read_jsonl, read_parquet, unescape_cell

# Where a record can end before it is an item; the labels in the order of a record's life.
_EARLY = (("sentences", "the choice of sentences"), ("focus", "focus selection"))


def trace_item(out: Path, run: str | None, item_id: str, rows: int) -> str:
    """Everything that was decided about one focus word, question or not; of a sentence or word that went no further, why.

    Raises:
        UsageError: no run has the item.
    """
    if not item_id.isascii():  # a byte that is no text, too: nothing could look it up
        raise UsageError(f"{shown(item_id)}: no such item. Ids stand in release/questions.jsonl, e.g. book:sentence:position.")
    folders = [find_run(out, run)] if run else run_folders(out)
    for folder in folders:
        found = _row(folder, "focus", "focus.parquet", item_id)
        if found is not None:
            return "\n".join(_Trace(folder, item_id, found, rows).lines())
    for folder in folders:
        for label, what in _EARLY:
            rejected = _row(folder, label, "rejected.parquet", item_id)
            if rejected is not None:
                return f"{item_id} in {folder.name}: rejected at {what}, {rejected['reason']} {rejected['detail']}".rstrip()
    where = ", ".join(folder.name for folder in folders) or f"any run of {out}"
    raise UsageError(f"{shown(item_id)}: no such item in {where}. Ids stand in release/questions.jsonl, e.g. book:sentence:position.")


def _row(folder: Path, label: str, file: str, item_id: str) -> dict[str, Any] | None:
    """The item's row in one table of a stage; None where the run has no such stage or the table no such row."""
    artifact = find_stage(folder, label)
    if artifact is None:
        return None
    table = read_parquet(artifact.path(file)).filter(_has_id(item_id))
    return table.to_pylist()[0] if table.num_rows else None


def _has_id(item_id: str) -> Any:
    return pc.field("id") == item_id


class _Trace:
    """The sections of one item's trace, in the order of its life."""

    def __init__(self, folder: Path, item_id: str, focus: dict[str, Any], rows: int) -> None:
        self._folder, self._id, self._focus, self._rows = folder, item_id, focus, rows

    def lines(self) -> Iterator[str]:
        yield f"{self._id} in run {self._folder.name}"
        for section in (self._source(), self._word(), self._alternates(), self._impostors(), self._outcome()):
            lines = list(section)
            if lines:
                yield ""
                yield from lines

    def _source(self) -> Iterator[str]:
        sentences = read_parquet(stage_artifact(self._folder, "focus").path("sentences.parquet"))
        sentence = sentences.filter(_has_id(self._focus["sentence_id"])).to_pylist()[0]
        book = next(row for row in read_books(stage_artifact(self._folder, "corpus source")) if row["book_id"] == sentence["book_id"])
        file = self._folder / "corpus-source" / unescape_cell(book["file"])
        try:
            raw = read_book(file, digest=book["digest"]).decode(book["encoding"])[sentence["start"] : sentence["end"]]
        except (BookError, CorpusError, LookupError, UnicodeDecodeError) as error:
            raw = f"(the raw file cannot be read here: {error})"
        yield f"raw file   {book['file']} ({book['encoding']}), characters {sentence['start']}-{sentence['end']}"
        yield from (f"    | {line}" for line in raw.splitlines())
        yield f"sentence   {sentence['text']}"
        yield f"tokens     {sentence['tokens']}"
        tagged = _row(self._folder, "sentences", "sentences.parquet", self._focus["sentence_id"])
        if tagged is not None:
            yield f"tags       {tagged['tags']}"

    def _word(self) -> Iterator[str]:
        focus = self._focus
        yield f"focus      {focus['word']!r} at token {focus['position']}: count {focus['count']:,}, freq {focus['freq']:.3g}"
        if "lemma" in focus:
            yield (f"lemma      {focus['lemma']!r}, {focus['class']}, {focus['tag']}: freq {focus['lemma_freq']:.3g}; drawn from "
                   f"{focus['eligible']} content words within the limits")  # fmt: skip
        if "history1" in focus:
            yield f"history    {focus['history1']!r} {focus['history2']!r}; next token {focus['next_token']!r}"
        screened = _row(self._folder, "screening", "items.parquet", self._id)
        if screened:
            yield (f"screening  log10 P(answer | history) = {screened['answer_log10_prob']:.4f}, rank {screened['answer_rank']} among "
                   f"itself and {screened['alternates']} alternates: {screened['status']}")  # fmt: skip
        answer = _row(self._folder, "forward", "answers.parquet", self._id)
        if answer:
            yield (f"forward    log10 P(next | predecessor, answer) = {answer['forward_log10_prob']:.4f}, rank {answer['forward_rank']}; "
                   f"whole sentence {answer['sentence_log10_prob']:.3f}")  # fmt: skip

    def _alternates(self) -> Iterator[str]:
        if find_stage(self._folder, "alternates") is None:
            return
        drawn = self._table("alternates", "alternates")
        table = drawn
        scored = self._table("forward", "scored")
        if len(scored):
            table = drawn.merge(scored.drop(columns=["id", "history_log10_prob"]), on="word", how="left")
        decided = self._table("grooming", "decisions")
        if len(decided):
            table = table.merge(decided.drop(columns=["id"]), on="word", how="left")
        table = table.drop(columns=["id"]).sort_values("history_log10_prob", ascending=False, kind="stable")
        shown = table if self._rows == 0 else table.head(self._rows)
        yield f"alternates {len(table)} sampled; kept = among the best by forward score; verdict = grooming"
        yield from shown.to_string(index=False, na_rep="-", float_format=lambda value: f"{value:.4f}").splitlines()

    def _impostors(self) -> Iterator[str]:
        if find_stage(self._folder, "impostors") is None:
            return
        rejected = _row(self._folder, "impostors", "rejected.parquet", self._id)
        if rejected:
            yield f"impostors  none: {rejected['reason']} {rejected['detail']}"
            return
        table = self._table("impostors", "impostors.parquet").drop(columns=["id"])
        yield f"impostors  {len(table)} drawn; tag_count = tokens of the form with this tag in the training books"
        yield from table.to_string(index=False, float_format=lambda value: f"{value:.3g}").splitlines()

    def _table(self, stage: str, name: str) -> pd.DataFrame:
        table = read_parquet(stage_artifact(self._folder, stage).path(name)).filter(_has_id(self._id))
        return table.to_pandas().astype({"id": str, "word": str})

    def _outcome(self) -> Iterator[str]:
        verdict = "no impostors"
        if find_stage(self._folder, "grooming") is not None:
            groomed = _row(self._folder, "grooming", "items.parquet", self._id)
            if groomed is None:
                yield "outcome    no question: rejected at the screening"
                return
            verdict = groomed["verdict"]
            yield (f"grooming   sentence and answer: {verdict}; answer's tag {groomed['answer_tag'] or '-'}, topicality "
                   f"{groomed['answer_topicality']:.4f}; its place asks for: {groomed['place_asks_for'] or 'nothing that is counted'}; "
                   f"{groomed['fit_candidates']} fit candidates")  # fmt: skip
        choice = find_stage(self._folder, "choice") or stage_artifact(self._folder, "questions")
        for record in read_jsonl(choice.path("questions.jsonl")):
            if record["id"] == self._id:
                options = "  ".join(
                    f"{chr(97 + i)}) {word}{'*' if i == record['answer_index'] else ''}" for i, word in enumerate(record["options"])
                )
                yield f"question   {' '.join(record['tokens'])}"
                yield f"options    {options}"
                return
        rejected = read_parquet(choice.path("rejected.parquet")).filter(_has_id(self._id)).to_pylist()
        reason = f"{rejected[0]['reason']} {rejected[0]['detail']}".rstrip() if rejected else verdict
        yield f"outcome    no question: {reason}"

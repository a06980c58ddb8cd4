"""`cloze-gen trace`: one question's whole life, read back from the artifacts of its run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from cloze_gen.errors import BookError, UsageError
from cloze_gen.pipelines.runs import find_run, run_folders, stage_artifact
from cloze_gen.stages.ingest import read_books
from cloze_gen.store.corpus import read_book
from cloze_gen.store.tables import read_jsonl, read_parquet


def trace_item(out: Path, run: str | None, item_id: str, rows: int) -> str:
    """Everything that was decided about one focus word, question or not.

    Raises:
        UsageError: no run has the item.
    """
    folders = [find_run(out, run)] if run else run_folders(out)
    for folder in folders:
        focus = stage_artifact(folder, "focus")
        found = _one(focus.path("focus.parquet"), item_id)
        if found is not None:
            return "\n".join(_Trace(folder, item_id, found, rows).lines())
    for folder in folders:
        rejected = _one(stage_artifact(folder, "focus").path("rejected.parquet"), item_id)
        if rejected is not None:
            return f"{item_id} in {folder.name}: rejected at focus selection, {rejected['reason']} {rejected['detail']}".rstrip()
    where = ", ".join(folder.name for folder in folders) or f"any run of {out}"
    raise UsageError(f"{item_id!r}: no such item in {where}. Ids stand in release/questions.jsonl, e.g. book:sentence:position.")


def _one(path: Path, item_id: str) -> dict[str, Any] | None:
    table = read_parquet(path).filter(pd_filter(item_id))
    return table.to_pylist()[0] if table.num_rows else None


def pd_filter(item_id: str) -> Any:
    import pyarrow.compute as pc

    return pc.field("id") == item_id


class _Trace:
    """The sections of one item's trace, in the order of its life."""

    def __init__(self, folder: Path, item_id: str, focus: dict[str, Any], rows: int) -> None:
        self._folder, self._id, self._focus, self._rows = folder, item_id, focus, rows

    def lines(self) -> list[str]:
        lines = [f"{self._id} in run {self._folder.name}", "", *self._source(), "", *self._model(), "", *self._candidates(), "", *self._outcome()]
        return lines

    def _source(self) -> list[str]:
        sentences = read_parquet(stage_artifact(self._folder, "focus").path("sentences.parquet"))
        sentence = sentences.filter(pd_filter(self._focus["sentence_id"])).to_pylist()[0]
        book = next(row for row in read_books(stage_artifact(self._folder, "corpus source")) if row["book_id"] == sentence["book_id"])
        file = self._folder / "corpus-source" / book["file"]
        try:
            raw = read_book(file).decode(book["encoding"])[sentence["start"] : sentence["end"]]
        except (BookError, LookupError, UnicodeDecodeError) as error:
            raw = f"(the raw file cannot be read here: {error})"
        return [
            f"raw file   {book['file']} ({book['encoding']}), characters {sentence['start']}-{sentence['end']}",
            *(f"    | {line}" for line in raw.splitlines()),
            f"sentence   {sentence['text']}",
            f"tokens     {sentence['tokens']}",
        ]

    def _model(self) -> list[str]:
        focus = self._focus
        lines = [
            f"focus      {focus['word']!r} at token {focus['position']}: count {focus['count']:,}, freq {focus['freq']:.3g}",
            f"history    {focus['history1']!r} {focus['history2']!r}; next token {focus['next_token']!r}",
        ]
        screened = _one(stage_artifact(self._folder, "screening").path("items.parquet"), self._id)
        if screened:
            lines.append(f"screening  log10 P(answer | history) = {screened['answer_log10_prob']:.4f}, rank {screened['answer_rank']} among itself "
                         f"and {screened['alternates']} alternates: {screened['status']}")  # fmt: skip
        answer = _one(stage_artifact(self._folder, "forward").path("answers.parquet"), self._id)
        if answer:
            lines.append(f"forward    log10 P(next | predecessor, answer) = {answer['forward_log10_prob']:.4f}, rank {answer['forward_rank']}; "
                         f"whole sentence {answer['sentence_log10_prob']:.3f}")  # fmt: skip
        return lines

    def _candidates(self) -> list[str]:
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
        text = shown.to_string(index=False, na_rep="-", float_format=lambda value: f"{value:.4f}")
        return [f"alternates {len(table)} sampled; kept = among the best by forward score; verdict = grooming", *text.splitlines()]

    def _table(self, stage: str, name: str) -> pd.DataFrame:
        table = read_parquet(stage_artifact(self._folder, stage).path(name)).filter(pd_filter(self._id))
        return table.to_pandas().astype({"id": str, "word": str})

    def _outcome(self) -> list[str]:
        groomed = _one(stage_artifact(self._folder, "grooming").path("items.parquet"), self._id)
        if groomed is None:
            return ["outcome    no question: rejected at the screening"]
        lines = [f"grooming   sentence and answer: {groomed['verdict']}; answer's tag {groomed['answer_tag'] or '-'}; "
                 f"{groomed['fit_candidates']} fit candidates"]  # fmt: skip
        choice = stage_artifact(self._folder, "choice")
        for record in read_jsonl(choice.path("questions.jsonl")):
            if record["id"] == self._id:
                options = "  ".join(f"{chr(97 + i)}) {word}{'*' if i == record['answer_index'] else ''}" for i, word in enumerate(record["options"]))
                return [*lines, f"question   {' '.join(record['tokens'])}", f"options    {options}"]
        rejected = _one(choice.path("rejected.parquet"), self._id)
        reason = f"{rejected['reason']} {rejected['detail']}".rstrip() if rejected else groomed["verdict"]
        return [*lines, f"outcome    no question: {reason}"]

"""`cloze-gen trace`: one question's whole life, read back from the artifacts of its run.

The story first: where the sentence is from, why this word, what became of its alternates, how the question was asked and why with these
impostors. Each section asks for the stages it tells of; a style without them has no such section.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from cloze_gen.columns import printable, table_lines, wrap
from cloze_gen.errors import BookError, ClozeGenError, CorpusError, UsageError
from cloze_gen.notation import shown
from cloze_gen.stages.corpus.book_table import read_books
from cloze_gen.store.corpus import read_book
from cloze_gen.store.runs import find_run, find_stage, run_folders, stage_artifact
from cloze_gen.store.tables import read_jsonl, read_parquet, unescape_cell

# Where a record can end before it is an item; the labels in the order of a record's life.
_EARLY = (("sentences", "the choice of sentences"), ("focus", "focus selection"))
_INDENT = "  "
_RAW = "    | "
_LEFT = frozenset({"word", "option", "lemma", "tag", "verdict", "source", "why not"})


def trace_item(out: Path, run: str | None, item_id: str, *, alternates: bool = False, columns: int | None = None) -> str:
    """Everything that was decided about one focus word, question or not; of a sentence or word that went no further, why.

    Args:
        run: its name or path; without one, the run written last that has the item.
        alternates: list every alternate with its scores as well.
        columns: of the screen, for tables and the raw text.

    Raises:
        UsageError: no run has the item.
    """
    if not item_id.isascii():  # a byte that is no text, too: nothing could look it up
        raise UsageError(f"{shown(item_id)}: no such item. Ids stand in release/questions.jsonl, e.g. book:sentence:position.")
    folders = [find_run(out, run)] if run else run_folders(out)
    unread: dict[str, ClozeGenError] = {}
    for place, folder in enumerate(folders):
        try:
            found = _row(folder, "focus", "focus.parquet", item_id)
        except ClozeGenError as error:
            unread[folder.name] = error
            continue
        if found is not None:
            others = _that_have(folders[place + 1 :], item_id)
            return "\n".join(_Trace(folder, item_id, found, others, alternates, columns).lines())
    if run and unread:
        raise unread.popitem()[1]
    folders = [folder for folder in folders if folder.name not in unread]
    for folder in folders:
        for label, what in _EARLY:
            rejected = _row(folder, label, "rejected.parquet", item_id)
            if rejected is not None:
                return f"{item_id} in {folder.name}: rejected at {what}, {rejected['reason']} {rejected['detail']}".rstrip()
    where = ", ".join(folder.name for folder in folders) or f"any run of {out}"
    told = "".join(f" Not looked at: {name} ({error})" for name, error in unread.items())
    raise UsageError(f"{shown(item_id)}: no such item in {where}. Ids stand in release/questions.jsonl, e.g. book:sentence:position.{told}")


def _that_have(folders: Sequence[Path], item_id: str) -> list[str]:
    """Names of the older runs that have the item too; one whose artifacts cannot be read is named as such."""
    names = []
    for folder in folders:
        try:
            if _row(folder, "focus", "focus.parquet", item_id) is not None:
                names.append(folder.name)
        except ClozeGenError:
            names.append(f"{folder.name} (cannot be read)")
    return names


def _row(folder: Path, label: str, file: str, item_id: str) -> dict[str, Any] | None:
    """The item's row in one table of a stage; None where the run has no such stage or the table no such row."""
    artifact = find_stage(folder, label)
    if artifact is None:
        return None
    table = read_parquet(artifact.path(file)).filter(_has_id(item_id))
    return table.to_pylist()[0] if table.num_rows else None


def _has_id(item_id: str) -> Any:
    return pc.field("id") == item_id.encode("utf-8", "replace").decode()  # bytes that are no text are in no id, and Arrow refuses them


class _Trace:
    """The sections of one item's trace, in the order of its life."""

    def __init__(
        self, folder: Path, item_id: str, focus: dict[str, Any], others: Sequence[str], alternates: bool, columns: int | None
    ) -> None:
        self._folder, self._id, self._focus, self._others = folder, item_id, focus, others
        self._list_alternates, self._columns = alternates, columns

    def lines(self) -> Iterator[str]:
        yield f"{self._id} in run {self._folder.name}"
        if self._others:
            yield f"(the run written last of those that have it; also in {', '.join(self._others)}: --run NAME)"
        sections = [self._source(), self._word(), self._sifting(), self._impostors(), self._outcome()]
        for section in [*sections, self._alternates()] if self._list_alternates else sections:
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
        if book.get("title"):
            yield f"book       {printable(', by '.join(filter(None, (book['title'], book.get('author')))))}"
        yield f"raw file   {book['file']} ({book['encoding']}), characters {sentence['start']}-{sentence['end']}"
        room = None if self._columns is None else self._columns - len(_RAW)
        yield from (_RAW + part for line in raw.splitlines() for part in wrap(printable(line), room, indent=0))
        yield f"sentence   {printable(sentence['text'])}"
        yield f"tokens     {printable(sentence['tokens'])}"
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
        groomed = _row(self._folder, "grooming", "items.parquet", self._id)
        if groomed:
            yield (f"grooming   sentence and answer: {groomed['verdict']}; answer's tag {groomed['answer_tag'] or '-'}, topicality "
                   f"{groomed['answer_topicality']:.4f}; its place asks for: {groomed['place_asks_for'] or 'nothing that is counted'}; "
                   f"{groomed['fit_candidates']} fit candidates")  # fmt: skip

    def _sifting(self) -> Iterator[str]:
        """How many alternates fell at which step, and why."""
        if find_stage(self._folder, "alternates") is None:
            return
        table = self._alternates_table()
        shown = "below" if self._list_alternates else "--alternates lists them"
        yield f"alternates {len(table)} sampled from the model ({shown})"
        if "kept" not in table:
            return
        kept = int((table["kept"] == True).sum())  # noqa: E712  a column that may hold NaN
        yield f"retained   {kept} with the best forward scores; {len(table) - kept} dropped"
        if "verdict" in table:
            verdicts = Counter(table["verdict"].dropna())
            for verdict, count in sorted(verdicts.items(), key=lambda pair: (pair[0] != "fit", -pair[1], pair[0])):
                yield f"{_INDENT}{count:>7}  {verdict}"

    def _alternates_table(self) -> pd.DataFrame:
        table = self._table("alternates", "alternates")
        for stage, name, known in (("forward", "scored", ["id", "history_log10_prob"]), ("grooming", "decisions", ["id"])):
            found = self._table(stage, name)
            if len(found):
                table = table.merge(found.drop(columns=known), on="word", how="left")
        return table.drop(columns=["id"]).sort_values("history_log10_prob", ascending=False, kind="stable")

    def _alternates(self) -> Iterator[str]:
        if find_stage(self._folder, "alternates") is None:
            return
        table = self._alternates_table()
        header = ("word", "history", "forward", "rank", "sentence", "simil.", "topic", "tag", "why not")
        places = {"history": 3, "forward": 3, "sentence": 2, "simil.": 3, "topic": 3}
        names = {"history": "history_log10_prob", "forward": "forward_log10_prob", "rank": "forward_rank", "simil.": "similarity",
                 "sentence": "sentence_log10_prob", "topic": "topicality"}  # fmt: skip
        rows = []
        for row in table.to_dict(orient="records"):
            verdict = row.get("verdict")
            row["why not"] = "" if verdict == "fit" else verdict if isinstance(verdict, str) else "-"
            row["why not"] = row["why not"].removeprefix("candidate_")
            rows.append([_cell(row.get(names.get(name, name)), places.get(name, 0)) for name in header])
        yield f"alternates {len(table)}, likeliest first; history, forward, sentence: log10 probabilities; - = not among those retained"
        yield from (_INDENT + line for line in table_lines(header, rows, _less(self._columns), left=_LEFT))

    def _table(self, stage: str, name: str) -> pd.DataFrame:
        table = read_parquet(stage_artifact(self._folder, stage).path(name)).filter(_has_id(self._id))
        return table.to_pandas().astype({"id": str, "word": str})

    def _impostors(self) -> Iterator[str]:
        """The words drawn by the table of inflections."""
        if find_stage(self._folder, "impostors") is None:
            return
        rejected = _row(self._folder, "impostors", "rejected.parquet", self._id)
        if rejected:
            yield f"impostors  none: {rejected['reason']} {rejected['detail']}"
            return
        table = self._table("impostors", "impostors.parquet").drop(columns=["id"])
        settings = stage_artifact(self._folder, "impostors").manifest["settings"]
        yield (f"impostors  {len(table)} drawn (impostor_draw = {settings['impostor_draw']}) from the forms that take the answer's tag, "
               f"{self._focus['tag']}, at a freq from {settings['min_freq']:g} to {settings['max_freq']:g}; "
               "tag_count = tokens of the form with this tag in the training books")  # fmt: skip
        rows = [[_cell(value, 0) for value in row.values()] for row in table.to_dict(orient="records")]
        yield from (_INDENT + line for line in table_lines(list(table.columns), rows, _less(self._columns), left=_LEFT))

    def _outcome(self) -> Iterator[str]:
        groomed = _row(self._folder, "grooming", "items.parquet", self._id)
        if groomed is None and find_stage(self._folder, "grooming") is not None:
            yield "outcome    no question: rejected at the screening"
            return
        choice = find_stage(self._folder, "choice") or stage_artifact(self._folder, "questions")
        for number, record in enumerate(read_jsonl(choice.path("questions.jsonl")), 1):
            if record["id"] == self._id:
                options = "  ".join(
                    f"{chr(97 + i)}) {word}{'*' if i == record['answer_index'] else ''}" for i, word in enumerate(record["options"])
                )
                yield f"question   {' '.join(record['tokens'])}"
                yield f"options    {options}"
                if groomed is not None:
                    yield from self._why_these(record, choice.manifest["settings"], groomed)
                yield f"outcome    question {number} of the set"
                return
        rejected = read_parquet(choice.path("rejected.parquet")).filter(_has_id(self._id)).to_pylist()
        verdict = groomed["verdict"] if groomed else "no impostors"
        reason = f"{rejected[0]['reason']} {rejected[0]['detail']}".rstrip() if rejected else verdict
        yield f"outcome    no question: {reason}"

    def _why_these(self, record: dict[str, Any], settings: dict[str, Any], groomed: dict[str, Any]) -> Iterator[str]:
        """Why these impostors among the fit candidates, and what each of them scores."""
        n_impostors = len(record["options"]) - 1
        own = ", none that is not a focus word of the source books" if settings.get("same_vocabulary") else ""
        if settings.get("method") == "balanced":
            draw = f"of {settings['draws']} random draws (impostor_draw = {settings['impostor_draw']})"
            how = f"{draw} the one that keeps the answer's ranks in the whole set nearest to chance"
        else:
            how = "drawn at random"
        yield f"impostors  {n_impostors} of the {groomed['fit_candidates']} fit candidates{own}; {how}"
        decided = {row["word"]: row for row in self._alternates_table().to_dict(orient="records")}
        header = ("option", "count", "history", "forward", "rank", "sentence", "simil.", "topic", "tag")
        rows = []
        for letter, option in zip("abcdefghijklmnopqrstuvwxyz", record["option_scores"], strict=False):
            word = option["word"]
            is_answer = word == record["answer"]
            row = decided.get(word, {})
            rank = record["answer_forward_rank"] if is_answer else row.get("forward_rank")
            topic = groomed["answer_topicality"] if is_answer else row.get("topicality")
            tag = record["answer_tag"] if is_answer else row.get("tag")
            rows.append([
                f"{letter}) {word}{'*' if is_answer else ''}", f"{option['count']:,}", _cell(option["history_log10_prob"], 3),
                _cell(option["forward_log10_prob"], 3), _cell(rank, 0), _cell(option["sentence_log10_prob"], 2),
                _cell(row.get("similarity"), 3), _cell(topic, 3), _cell(tag, 0),
            ])  # fmt: skip
        yield from (_INDENT + line for line in table_lines(header, rows, _less(self._columns), left=_LEFT | {"option"}))


def _less(columns: int | None) -> int | None:
    return None if columns is None else columns - len(_INDENT)


def _cell(value: Any, places: int) -> str:
    """A value of a table as its cell: a dash for none, numbers to some places after the point (0: as many as tell).

    >>> _cell(None, 3), _cell(-3.05822, 3), _cell(30.0, 0), _cell(6.01e-05, 0), _cell("IN", 0)
    ('-', '-3.058', '30', '6.01e-05', 'IN')
    """
    if value is None or value != value:  # NaN is what differs from itself
        return "-"
    if isinstance(value, float):
        return f"{value:.{places}f}" if places else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))

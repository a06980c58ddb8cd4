"""The sample items of a report: all of its text of books, so that a report can be had with them and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cloze_gen.records.release_facts import ReleasedBook, ReleaseFacts
from cloze_gen.report.blanked_passages import sample_blanks
from cloze_gen.report.data import ReportData
from cloze_gen.report.passages import sample_passage
from cloze_gen.report.samples import draw_samples, sample_question
from cloze_gen.stages.finished_run import PublishedSet
from cloze_gen.stages.items.kind import ItemKind
from cloze_gen.stages.tables import CANDIDATES

_NO_BOOK = ReleasedBook(side="", book_id="", file="")


def with_samples(data: ReportData, kind: ItemKind, published: PublishedSet, facts: ReleaseFacts) -> ReportData:
    """A report with sample items, drawn by the seed, in the set's order; what stands beside the set is not drawn from."""
    books = {book.book_id: book for book in facts.books if book.items}
    pairs = [(one, record) for one, record in zip(published.items, published.records, strict=True) if kind.counts(one)]
    drawn = [(*pairs[index], books.get(pairs[index][0].book_id, _NO_BOOK)) for index in draw_samples(len(pairs), seed=published.seed)]
    if data.passages is not None:
        passages = (sample_passage(one, record, book=book.title, file=book.file) for one, record, book in drawn)
        return replace(data, passages=replace(data.passages, samples=tuple(passages)))
    if data.blanked is not None:
        blanked = (sample_blanks(one, book=book.title, file=book.file) for one, _, book in drawn)
        return replace(data, blanked=replace(data.blanked, samples=tuple(blanked)))
    candidates: Mapping[str, Mapping[str, Any]] = {record["id"]: record for record in _candidates(published)}
    questions = (
        sample_question(one, record, candidates=candidates.get(one.id), book=book.title, file=book.file) for one, record, book in drawn
    )
    return replace(data, samples=tuple(questions))


def without_samples(data: ReportData) -> ReportData:
    """A report with no text of the books in it."""
    return replace(
        data,
        samples=(),
        passages=None if data.passages is None else replace(data.passages, samples=()),
        blanked=None if data.blanked is None else replace(data.blanked, samples=()),
    )


def _candidates(published: PublishedSet) -> Sequence[Mapping[str, Any]]:
    return published.beside.get(CANDIDATES, ())

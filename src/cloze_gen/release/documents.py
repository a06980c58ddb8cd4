"""Card, report and checksums, all from `release.json` and the items."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cloze_gen.evaluation.adversary import adversary_text
from cloze_gen.formats.inspect_tasks import INSPECT_TASK
from cloze_gen.formats.licences import SetLicence, bibtex, set_licence
from cloze_gen.records.release_facts import Measured, ReleasedBook, ReleaseFacts
from cloze_gen.release.card import CardFacts, card_head, dataset_card
from cloze_gen.release.facts import ReleaseRecord, record_text
from cloze_gen.release.items.kind import ItemKind
from cloze_gen.release.report_data import ReportData
from cloze_gen.release.samples import draw_samples
from cloze_gen.release.settings import SHUFFLED
from cloze_gen.release.signature import CHECKSUMS, SIGNATURE, write_checksums
from cloze_gen.release.style import PublishedSet, Style
from cloze_gen.release.write import (
    HARNESS,
    PARQUET,
    SplitTable,
    split_tables,
    write_text_files,
)
from cloze_gen.store.runs import RELEASE_FILE
from cloze_gen.store.tables import CANDIDATES, FEWSHOT

_NO_BOOK = ReleasedBook(side="", book_id="", file="")


def with_samples(
    data: ReportData, kind: ItemKind, published: PublishedSet, facts: ReleaseFacts
) -> ReportData:
    books = {book.book_id: book for book in facts.books if book.items}
    pairs = [
        (one, record)
        for one, record in zip(published.items, published.records, strict=True)
        if kind.counts(one)
    ]
    candidates = {record["id"]: record for record in published.derived.get(CANDIDATES, ())}
    samples = []
    for index in draw_samples(len(pairs), seed=published.seed):
        one, record = pairs[index]
        book = books.get(one.book_id, _NO_BOOK)
        samples.append(kind.sample(one, record, candidates.get(one.id, {}), book))
    return replace(data, samples=tuple(samples))


CARD, REPORT = "README.md", "report.html"
SAMPLE_NOTE = (
    "books: the sample tales that come with cloze-gen. Their authors are invented. The sample "
    "shows how the program works; it is too small for measurements"
)
DOCUMENTS = (CARD, REPORT, RELEASE_FILE, CHECKSUMS)
FILE_DOCS = {
    PARQUET: "the same rows as Parquet files with declared column types.",
    FEWSHOT: "finished items in the same format that are not part of the set, for few-shot "
    "prompts.",
    HARNESS: "tasks for lm-evaluation-harness; see its README.md for the commands.",
    INSPECT_TASK: "tasks for inspect-ai that run from this folder.",
    RELEASE_FILE: "the facts of the release for programs: signature, settings, books with "
    "checksums.",
    REPORT: "figures, sample items and the funnel in one file; open it in a browser.",
    SIGNATURE: "the signature.",
    CHECKSUMS: "SHA-256 checksums of all files.",
}


def write_documents(
    folder: Path, *, style: Style, published: PublishedSet, record: ReleaseRecord, data: ReportData
) -> None:
    """Write `DOCUMENTS` of a full release; sample items are added to `data`."""
    from cloze_gen.release.html import render_report  # Jinja2 is slow to import

    facts = replace(
        record.facts,
        measured=tuple(measured_rows(data)),
        evaluated=adversary_text(data.evaluation) if data.evaluation else "",
        verdict=data.verdict.lines(data.name) if data.verdict else (),
    )
    report = render_report(with_samples(data, style.items, published, facts))
    write_card(
        folder,
        style=style,
        published=published,
        record=replace(record, facts=facts),
        others={REPORT: report},
    )


def write_card(
    folder: Path,
    *,
    style: Style,
    published: PublishedSet,
    record: ReleaseRecord,
    others: Mapping[str, str],
) -> None:
    """Write `release.json`, `others` (file -> text), the card and the checksums."""
    write_text_files(folder, {RELEASE_FILE: record_text(record), **others})
    card = card_text(folder, style=style, published=published, record=record)
    write_text_files(folder, {CARD: card})
    write_checksums(folder)


def licence_of(facts: ReleaseFacts) -> SetLicence:
    drawn = facts.item_books
    sides = {book.side for book in drawn}
    return set_licence(
        drawn, [book for book in facts.books if book.side not in sides and book.status == "kept"]
    )


def measured_rows(data: ReportData) -> Iterator[Measured]:
    evaluations = (
        data.evaluation,
        data.passages and data.passages.evaluation,
        data.blanked and data.blanked.evaluation,
    )
    for evaluation in evaluations:
        for row in evaluation.compared if evaluation else ():
            if row.share is not None:
                accuracy, low, high = row.share
                yield Measured(
                    name=row.name,
                    kind=row.kind,
                    accuracy=accuracy,
                    low=low,
                    high=high,
                    method=row.method,
                )


def card_text(folder: Path, *, style: Style, published: PublishedSet, record: ReleaseRecord) -> str:
    """The card of a full release, whose other files are in `folder`."""
    kind, facts, licence = style.items, record.facts, licence_of(record.facts)
    tables = list(split_tables(kind, published))
    columns = dict.fromkeys(name for table in tables for name in table.schema.names)
    configs: dict[str, dict[str, str]] = {}
    for table in tables:
        configs.setdefault(table.config, {})[table.split] = table.parquet
    rows = sum(len(table.records) for table in tables)
    return dataset_card(
        CardFacts(
            facts=facts,
            head=card_head(facts, licence, configs, rows=rows, task=kind.task),
            described=kind.described(published.items),
            balance=kind.balance(published.items),
            example=list(kind.example(published.items[0])) if published.items else [],
            notes=[
                *([SAMPLE_NOTE] if facts.sample else []),
                *facts.notes,
                *kind.notes(published.items),
                _fewshot_note(kind, tables),
            ],
            columns=[
                (name, kind.column_docs[name]) for name in columns if name in kind.column_docs
            ],
            use=list(_use(folder, kind, facts, tables)),
            files=list(_file_docs(folder, style, facts)),
            licence=licence.sentence,
            bibtex=bibtex(facts),
            per_book=Counter(item.book_id for item in published.items if kind.counts(item)),
            steps=record.steps,
            legends=style.legends,
            tables=record.tables,
            has_train_split=any(table.split == "train" for table in tables),
        )
    )


def _fewshot_note(kind: ItemKind, tables: Sequence[SplitTable]) -> str:
    rows = next((len(table.records) for table in tables if table.file == FEWSHOT), 0)
    if rows:
        return (
            f"few-shot: prompts take their examples from `{FEWSHOT}`. Its {rows:,} {kind.noun}s "
            "are not part of the set"
        )
    if any(table.split == "train" for table in tables):
        return "few-shot: prompts take their examples from the split `train`"
    return (
        f"few-shot: not available, because no finished {kind.noun} was left for examples. Run "
        "the tasks without `--num_fewshot`"
    )


def _file_docs(folder: Path, style: Style, facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    kind = style.items
    docs = {
        kind.file: f"all {kind.noun}s with their provenance (book, character span in the decoded raw "
        "file) and scores."
    }
    docs |= {
        file.format(name=facts.name, n=facts.n_items): text
        for file, text in {**kind.file_docs, **style.file_docs}.items()
    } | FILE_DOCS
    yield from (
        (file, text)
        for file, text in docs.items()
        if file == CHECKSUMS or (folder / file).exists()  # the checksums are written last
    )


def _use(
    folder: Path, kind: ItemKind, facts: ReleaseFacts, tables: Sequence[SplitTable]
) -> Iterator[tuple[str, str, str]]:
    configs = list(dict.fromkeys(table.config for table in tables))
    names = ["" if config == "default" else f', "{config}"' for config in configs]
    loads = [f'load_dataset("PATH/OF/THIS/FOLDER"{name})' for name in names]
    yield "Load it", "python", "\n".join(["from datasets import load_dataset", *loads])
    if (folder / HARNESS).is_dir():
        yield (
            "Evaluate a model with lm-evaluation-harness (see `harness/README.md`)",
            "sh",
            harness_command(kind.main_tasks(facts.name)[0]),
        )
        yield (
            "Evaluate a model with inspect-ai",
            "sh",
            f"inspect eval {INSPECT_TASK}@{kind.main_tasks(facts.name)[1]} --model PROVIDER/MODEL",
        )
    check = [
        "sha256sum --check SHA256SUMS",
        "cloze-gen verify .                      # check items, counts and documents",
        "cloze-gen verify . --books DIR          # also check every sentence in the books",
        "cloze-gen verify . --books DIR --deep   # rebuild the set from the books",
    ]
    if facts.order == SHUFFLED:
        check += [
            "cloze-gen contamination write . ../requests.jsonl --file FILE   # texts that show "
            "whether a model was trained on FILE"
        ]
    yield "Check it", "sh", "\n".join(check)


def harness_command(task: str) -> str:
    """The command for lm-evaluation-harness; safe for names that begin with a dash."""
    return (
        "lm_eval run --model hf --model_args pretrained=MODEL --include_path . "
        f"--tasks={shlex.quote(task)}"
    )

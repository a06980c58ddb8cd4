"""The documents of a release: card, citation, description for machines, report and checksums, all from what it says of itself.

They are written when a run ends and again when an evaluation has measured its set; the data beside them stay as they are.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from cloze_gen.formats.citation import bibtex, citation_cff
from cloze_gen.formats.croissant import croissant_json
from cloze_gen.formats.features import Table
from cloze_gen.formats.inspect_tasks import EVAL_YAML, INSPECT_TASK
from cloze_gen.formats.licences import SetLicence, set_licence
from cloze_gen.records.release_facts import Measured, ReleaseFacts
from cloze_gen.report.card import CardFacts, dataset_card
from cloze_gen.report.card_head import card_head
from cloze_gen.report.data import ReportData
from cloze_gen.report.html import render_report
from cloze_gen.stages.finished_run import PublishedSet
from cloze_gen.stages.items.kind import ItemKind
from cloze_gen.stages.release.checksums import CHECKSUMS, write_checksums
from cloze_gen.stages.release.facts import ReleaseRecord, record_text
from cloze_gen.stages.release.order import SHUFFLED
from cloze_gen.stages.release.signature import SIGNATURE
from cloze_gen.stages.release.splits import HARNESS, PARQUET, split_tables
from cloze_gen.stages.report_samples import with_samples
from cloze_gen.stages.style import Style
from cloze_gen.stages.tables import FEWSHOT
from cloze_gen.store.manifest import file_sha256
from cloze_gen.store.runs import RELEASE_FILE

CARD, CITATION, CROISSANT, REPORT = "README.md", "CITATION.cff", "croissant.json", "report.html"
SAMPLE_NOTE = (
    "books: the short tales, with invented authors, that come with cloze-gen as a sample: enough to see how everything works, too small to "
    "measure anything with"
)
DOCUMENTS = (CARD, CITATION, CROISSANT, REPORT, RELEASE_FILE, CHECKSUMS)
_TOLD = {
    PARQUET: "the splits as Parquet, the same rows with declared types.",
    FEWSHOT: "finished items that are not of the set, in the same form: the examples of few-shot prompts.",
    HARNESS: "tasks of lm-evaluation-harness; its README.md has the commands.",
    EVAL_YAML: "tasks of inspect-ai, as hubs read them.",
    INSPECT_TASK: "a task of inspect-ai that runs from here.",
    RELEASE_FILE: "for programs: what the release says of itself; books with checksums, settings, signature.",
    REPORT: "pictures of the set, sample items, the funnel; one file, nothing fetched.",
    CROISSANT: "Croissant 1.1 with responsible-AI and provenance fields.",
    CITATION: "how to cite the set.",
    SIGNATURE: "the signature alone.",
    CHECKSUMS: "sha256 of every file.",
}


def write_documents(folder: Path, *, style: Style, published: PublishedSet, record: ReleaseRecord, data: ReportData) -> None:
    """Write everything of a full release that is no data: `DOCUMENTS`.

    Args:
        published: as it is released.
        data: of the report, without sample items.
    """
    facts = replace(record.facts, measured=tuple(measured_rows(data)), evaluated=data.evaluation.adversaries if data.evaluation else "")
    record = replace(record, facts=facts)
    texts = {
        RELEASE_FILE: record_text(record),
        REPORT: render_report(with_samples(data, style.items, published, facts)),
        **document_texts(folder, style=style, published=published, record=record),
    }
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    write_checksums(folder)


def document_texts(folder: Path, *, style: Style, published: PublishedSet, record: ReleaseRecord) -> dict[str, str]:
    """The documents that follow from `release.json` and the items: citation, description for machines, card.

    Args:
        folder: of the release, whose data are there.
    """
    licence, tables = licence_of(record.facts), tables_of(folder, style.items, published)
    return {
        CITATION: citation_cff(record.facts, licence),
        CROISSANT: croissant_json(record.facts, tables, licence),
        CARD: _card(folder, style, published, record, licence, tables),
    }


def licence_of(facts: ReleaseFacts) -> SetLicence:
    """Of the books that items were drawn from; those that words were counted in are told beside them."""
    drawn = facts.item_books
    sides = {book.side for book in drawn}
    return set_licence(drawn, [book for book in facts.books if book.side not in sides and book.status == "kept"])


def tables_of(folder: Path, kind: ItemKind, published: PublishedSet) -> list[Table]:
    """The splits of every config, as the card and the description for machines tell them."""
    return [
        Table(
            config=one.config,
            split=one.split,
            file=one.file,
            rows=len(one.records),
            bytes=(folder / one.file).stat().st_size,
            sha256=file_sha256(folder / one.file),
            columns=one.columns,
            told={name: kind.columns_told[name] for name in one.columns.types if name in kind.columns_told},
        )
        for one in split_tables(kind, published)
    ]


def measured_rows(data: ReportData) -> Iterator[Measured]:
    """What the evaluation of a set found, a row each; nothing before there was one."""
    if data.evaluation is not None:
        for row in data.evaluation.baselines:
            yield Measured(name=row.name, kind=row.kind, accuracy=row.accuracy, low=row.low, high=row.high, way=row.way)
    if data.passages is not None and data.passages.evaluation is not None:
        for one in data.passages.evaluation.rows:
            if one.accuracy is not None and one.low is not None and one.high is not None:
                yield Measured(name=one.name, kind=one.kind, accuracy=one.accuracy, low=one.low, high=one.high, way=f"of {one.of_set}")
    if data.blanked is not None and data.blanked.evaluation is not None:
        for blank in data.blanked.evaluation.main:
            way = ", ".join(part for part in ("blanks right", blank.context, blank.decoder, blank.note) if part)
            yield Measured(name=blank.name, kind=blank.kind, accuracy=blank.ba, low=blank.ba_low, high=blank.ba_high, way=way)


def _card(folder: Path, style: Style, published: PublishedSet, record: ReleaseRecord, licence: SetLicence, tables: Sequence[Table]) -> str:
    kind, facts = style.items, record.facts
    return dataset_card(
        CardFacts(
            facts=facts,
            head=card_head(facts, licence, tables, task=kind.task),
            described=kind.described(published.items),
            balance=kind.balance(published.items),
            example=list(kind.example(published.items[0])) if published.items else [],
            notes=[*([SAMPLE_NOTE] if facts.sample else []), *facts.notes, *kind.notes(published.items), _fewshot_note(kind, tables)],
            columns=[(name, told) for table in tables for name, told in table.told.items()],
            use=list(_use(folder, kind, facts, tables)),
            files=list(_told_files(folder, style, published, facts)),
            licence=licence.sentence,
            bibtex=bibtex(facts),
            per_book=Counter(item.book_id for item in published.items if kind.counts(item)),
            steps=record.steps,
            tables=record.tables,
            trains=any(table.split == "train" for table in tables),
        )
    )


def _fewshot_note(kind: ItemKind, tables: Sequence[Table]) -> str:
    rows = next((table.rows for table in tables if table.file == FEWSHOT), 0)
    if rows:
        return f"few-shot: prompts take their examples from the {rows:,} {kind.noun}s of `{FEWSHOT}`, which are not of the set"
    if any(table.split == "train" for table in tables):
        return "few-shot: prompts take their examples from the split train"
    return f"few-shot: no finished {kind.noun} was left over for examples, so the tasks stop where `--num_fewshot` asks for some"


def _told_files(folder: Path, style: Style, published: PublishedSet, facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    """(name, what it is) of what stands in the release; the files that the paper's own have no words, but their names."""
    kind = style.items
    told = {kind.file: f"every {kind.noun} with its provenance (book, character span in the decoded raw file) and all scores."}
    told |= {file.format(name=facts.name): what for file, what in {**kind.told_files, **style.told_files}.items()} | _TOLD
    yield from ((file, what) for file, what in told.items() if file in DOCUMENTS or (folder / file).exists())
    plain = [file for file in style.files(published) if file not in told and file.split("/")[0] not in told]
    if plain:
        yield "`, `".join(plain), "the paper's own formats."


def _use(folder: Path, kind: ItemKind, facts: ReleaseFacts, tables: Sequence[Table]) -> Iterator[tuple[str, str, str]]:
    """What to type, by whoever has this folder and nothing else."""
    configs = list(dict.fromkeys(table.config for table in tables))
    loads = [f'load_dataset("PATH/OF/THIS/FOLDER"{"" if config == "default" else f", {config!r}"})' for config in configs]
    yield "Load it", "python", "\n".join(["from datasets import load_dataset", *loads])
    if (folder / HARNESS).is_dir():
        yield "Run a model on it (more in `harness/README.md`)", "sh", harness_command(kind.main_tasks(facts.name)[0])
        yield "or with inspect-ai", "sh", f"inspect eval {INSPECT_TASK}@{kind.main_tasks(facts.name)[1]} --model PROVIDER/MODEL"
    check = [
        "sha256sum --check SHA256SUMS",
        "cloze-gen verify .               # do items, counts and documents agree?",
        "cloze-gen verify . --books DIR   # does every sentence stand in your copies of the books? (--deep: make all of it again)",
    ]
    if facts.order == SHUFFLED:
        check += ["cloze-gen contamination . --requests asked.jsonl   # was a model trained on these items? prints the size first"]
    yield "Check it", "sh", "\n".join(check)


def harness_command(task: str) -> str:
    """The call of lm-evaluation-harness; a name that begins with a dash would be taken for an option."""
    return f"lm_eval run --model hf --model_args pretrained=MODEL --include_path . --tasks={shlex.quote(task)}"

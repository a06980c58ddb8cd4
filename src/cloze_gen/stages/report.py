"""The report of a run: what its artifacts say, gathered; what a style lacks is left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.notation import reason
from cloze_gen.report.blanked_passages import BlankedFigures
from cloze_gen.report.data import ReportData, StageRow
from cloze_gen.report.funnel import funnel_steps
from cloze_gen.report.paper_table import BlankTable, PaperTable, PassageTable
from cloze_gen.report.passages import PassageFigures
from cloze_gen.stages.corpus.book_table import kept_books, read_books
from cloze_gen.stages.finished_run import PublishedSet
from cloze_gen.stages.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.stages.items.kind import ItemKind, Record
from cloze_gen.stages.items.passages import PASSAGE_ITEMS
from cloze_gen.stages.items.questions import QUESTION_ITEMS
from cloze_gen.stages.read_evaluation import read_blank_evaluation, read_evaluation, read_passage_evaluation
from cloze_gen.stages.release.documents import write_documents
from cloze_gen.stages.release.facts import read_record
from cloze_gen.stages.release.pointer_documents import write_pointer_documents
from cloze_gen.stages.release.publish import told_overrides
from cloze_gen.stages.release.signature import read_signature
from cloze_gen.stages.release.write import full_settings, read_published
from cloze_gen.stages.report_blanks import blanked_figures
from cloze_gen.stages.report_figures import audit_table, funnel_levels, option_freqs, stage_figures
from cloze_gen.stages.report_passages import passage_figures
from cloze_gen.stages.style import Style
from cloze_gen.store.artifacts import Artifact, open_artifact
from cloze_gen.store.files import read_below
from cloze_gen.store.runs import FULL, RELEASE, link_name, linked, read_run, released_folder
from cloze_gen.store.tables import parse_jsonl


def write_report(folder: Path, style: Style) -> None:
    """Write the documents of the release of the run in `folder`: with its evaluation, once there is one.

    Of a run whose release may hold no text of the books, those of the full one, and of the one that may be passed on.
    """
    released = released_folder(folder)
    record = read_record(released)
    published = read_published(partial(_read_own, folder), style=style, record=record)
    data = read_report_data(folder, style, published)
    write_documents(released, style=style, published=published, record=record, data=data)
    if released.name == FULL:
        write_pointer_documents(folder / RELEASE, record=read_record(released), data=data, full=released)


def read_report_data(folder: Path, style: Style, published: PublishedSet) -> ReportData:
    """Everything the report of the full release says of the run in `folder`, but for its sample items.

    Args:
        published: the set, as it is released.
    """
    run = read_run(folder)
    artifacts = stage_artifacts(folder)
    items, records = of_set(style.items, zip(published.items, published.records, strict=True))
    questions = items if style.items is QUESTION_ITEMS else []
    tables = {side: read_books(artifacts[label]) for side, label in style.last_books(artifacts).items()}
    source = tables.get(style.drawn_from, [])
    answer_freqs, impostor_freqs = option_freqs(questions, records, artifacts.get("counts"))
    per_book = Counter(item.book_id for item in items)
    n_options = max((len(question.options) for question in questions), default=0)
    wanted = next((int(one.facts["wanted"]) for one in reversed(artifacts.values()) if "wanted" in one.facts), len(items))
    return ReportData(
        name=run["name"],
        paper=style.table if isinstance(style.table, PaperTable) else None,
        signature=read_signature(folder),
        seed=run["seed"],
        n_questions=len(items),
        n_wanted=wanted,
        n_options=n_options,
        levels=tuple(funnel_levels(artifacts, style)),
        steps=tuple(funnel_steps((label, artifact.manifest) for label, artifact in artifacts.items())),
        answer_freqs=answer_freqs,
        impostor_freqs=impostor_freqs,
        sentence_tokens=tuple(len(question.tokens) for question in questions),
        answer_positions=tuple(sum(question.answer_index == place for question in questions) for place in range(n_options)),
        blank_places=tuple(question.position / max(1, len(question.tokens) - 1) for question in questions),
        books=tuple(
            (row["book_id"], row.get("title", ""), per_book[row["book_id"]])
            for row in source
            if row["status"] == "kept" and style.gives_items(row)
        ),
        evaluation=read_evaluation(folder) if style.items is QUESTION_ITEMS else None,
        samples=(),
        audits=tuple(audit_table(side, tables[side]) for side in sorted(tables) if tables[side]),
        stages=tuple(
            StageRow(link_name(stage["number"], stage["label"]), stage["fingerprint"], stage_figures(artifacts[stage["label"]]))
            for stage in run["stages"]
        ),
        settings=tuple(flat_settings(full_settings(run["settings"]))),
        overrides=tuple(told_overrides(run["overrides"])),
        warnings=tuple(_warnings(run, artifacts, style)),
        noun=style.items.noun,
        passages=_passages(folder, style, records, artifacts),
        blanked=_blanked(folder, style, artifacts),
    )


def _passages(folder: Path, style: Style, records: Sequence[Mapping[str, Any]], artifacts: Mapping[str, Artifact]) -> PassageFigures | None:
    """What only a set of passages has; None of others."""
    if style.items is not PASSAGE_ITEMS:
        return None
    return passage_figures(
        records,
        analysis=artifacts.get("analysis"),
        evaluation=read_passage_evaluation(folder),
        paper=style.table if isinstance(style.table, PassageTable) else None,
    )


def _blanked(folder: Path, style: Style, artifacts: Mapping[str, Artifact]) -> BlankedFigures | None:
    """What only a set of blanked passages has; None of others."""
    if style.items is not BLANKED_ITEMS:
        return None
    return blanked_figures(
        statistics=artifacts.get("statistics"),
        evaluation=read_blank_evaluation(folder),
        paper=style.table if isinstance(style.table, BlankTable) else None,
    )


def stage_artifacts(folder: Path) -> dict[str, Artifact]:
    """Stage label -> artifact, in the order of the run."""
    stages = read_run(folder)["stages"]
    return {stage["label"]: open_artifact(linked(folder, link_name(stage["number"], stage["label"]))) for stage in stages}


def read_set(folder: Path, kind: ItemKind) -> tuple[list[Any], list[Record]]:
    """The items of a run's set, what stands beside it not among them, and the record that each was read from.

    Raises:
        FormatError: the release's file does not follow its format.
    """
    data = _read_own(folder, kind.file)
    return of_set(kind, zip(kind.items_of(data), parse_jsonl(data.split(b"\n"), where=kind.file), strict=True))


def _read_own(folder: Path, file: str) -> bytes:
    """A file of the release of a run, which may be somebody else's run."""
    name = f"{released_folder(folder).name}/{file}"
    try:
        return read_below(folder, name)
    except OSError as error:
        raise FormatError(f"{folder / name}: cannot be read ({reason(error)}). `cloze-gen run` writes it anew.") from None


def of_set(kind: ItemKind, pairs: Iterable[tuple[Any, Record]]) -> tuple[list[Any], list[Record]]:
    """Items and their records, those of a control set not among them."""
    counted = [(item, record) for item, record in pairs if kind.counts(item)]
    return [item for item, _ in counted], [record for _, record in counted]


def flat_settings(settings: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """(stage.key, value as JSON) of every setting.

    >>> flat_settings({"lm": {"order": 3, "prune": []}})
    [('lm.order', '3'), ('lm.prune', '[]')]
    """
    found = []
    for name, value in settings.items():
        if isinstance(value, dict) and value:
            found += flat_settings(value, f"{prefix}{name}.")
        else:
            found.append((f"{prefix}{name}", json.dumps(value, ensure_ascii=False)))
    return found


def _warnings(run: Mapping[str, Any], artifacts: Mapping[str, Artifact], style: Style) -> list[str]:
    warnings = []
    if run["sample"]:
        warnings.append("Made from the embedded sample: enough to see how everything works, too small to measure anything with.")
    last = style.last_books(artifacts).get(style.drawn_from)
    kept = {row["book_id"] for row in kept_books(artifacts[last])} if last else set()
    leaks = artifacts[f"corpus {style.drawn_from}"].facts.get("kept_although_overlapping", []) if last else []
    leaked = [f"Leak: the {style.drawn_from} book {book} overlaps the training corpus and was kept." for book in leaks if book in kept]
    prints = {stage["label"]: stage["fingerprint"] for stage in run["stages"]}
    alone = style.background_notes(prints, {label: artifact.facts for label, artifact in artifacts.items()})
    return [*warnings, *alone, *style.warnings(run["settings"]), *leaked]

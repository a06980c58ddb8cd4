"""The report of a run: what its artifacts say, gathered; what a style lacks is left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.notation import NotationError, parse_json, shown
from cloze_gen.records.question import Question
from cloze_gen.report.blank_evaluation import BlankEvaluation, blank_evaluation_from_record
from cloze_gen.report.blanked_passages import BlankedFigures
from cloze_gen.report.card import adversary_section, with_adversaries
from cloze_gen.report.data import Evaluation, ReportData, SampleQuestion, StageRow, evaluation_from_record
from cloze_gen.report.funnel import funnel_steps
from cloze_gen.report.html import render_report
from cloze_gen.report.paper_table import BlankTable, PaperTable, PassageTable
from cloze_gen.report.passages import PassageEvaluation, PassageFigures, passage_evaluation_from_record
from cloze_gen.report.samples import draw_samples, sample_question
from cloze_gen.stages.corpus.book_table import kept_books, read_books
from cloze_gen.stages.item_kind import BLANKED_ITEMS, PASSAGE_ITEMS, QUESTION_ITEMS, ItemKind
from cloze_gen.stages.release import CARD, write_checksums
from cloze_gen.stages.report_blanks import blanked_figures
from cloze_gen.stages.report_figures import audit_table, funnel_levels, option_freqs, stage_figures
from cloze_gen.stages.report_passages import passage_figures
from cloze_gen.stages.signature import read_signature
from cloze_gen.stages.style import Style
from cloze_gen.store.artifacts import Artifact, open_artifact
from cloze_gen.store.folder_replacement import find_change
from cloze_gen.store.runs import (
    EVALUATION,
    EVALUATION_FILE,
    RELEASE,
    link_name,
    read_run,
    without_folders,
)
from cloze_gen.store.tables import read_jsonl

REPORT = "report.html"


def write_report(folder: Path, style: Style) -> None:
    """Write `report.html` into the release of a run that is being written in `folder`, and the release's checksums anew.

    The card of questions, `README.md`, is given what an evaluation found of trained adversaries.
    """
    data = read_report_data(folder, style)
    (folder / RELEASE / REPORT).write_text(render_report(data), encoding="utf-8", newline="\n")
    if style.items is QUESTION_ITEMS:
        card = folder / RELEASE / CARD
        text = with_adversaries(card.read_text(encoding="utf-8"), adversary_section(data.name, data.evaluation))
        card.write_text(text, encoding="utf-8", newline="\n")
    write_checksums(folder / RELEASE)


def read_report_data(folder: Path, style: Style) -> ReportData:
    """Everything the report says of the run in `folder`."""
    run = read_run(folder)
    artifacts = stage_artifacts(folder)
    items, records = read_set(folder, style.items)
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
        samples=tuple(_samples(folder, questions, records, source, seed=run["seed"])),
        audits=tuple(audit_table(side, tables[side]) for side in sorted(tables) if tables[side]),
        stages=tuple(
            StageRow(link_name(stage["number"], stage["label"]), stage["fingerprint"], stage_figures(artifacts[stage["label"]]))
            for stage in run["stages"]
        ),
        settings=tuple(flat_settings(run["settings"])),
        overrides=tuple(key + sign + without_folders(value) for key, sign, value in (one.partition("=") for one in run["overrides"])),
        warnings=tuple(_warnings(run, artifacts, style)),
        noun=style.items.noun,
        passages=_passages(folder, style, items, records, source, artifacts, seed=run["seed"]),
        blanked=_blanked(folder, style, items, source, artifacts, seed=run["seed"]),
    )


def _gives(row: Mapping[str, str], style: Style) -> bool:
    """Whether items are drawn from a book."""
    return row["status"] == "kept" and style.gives_items(row)


def _passages(
    folder: Path, style: Style, items: Sequence[Any], records: Sequence[Mapping[str, Any]], books: Sequence[Mapping[str, str]],
    artifacts: Mapping[str, Artifact], *, seed: int,
) -> PassageFigures | None:  # fmt: skip
    """What only a set of passages has; None of questions."""
    if style.items is not PASSAGE_ITEMS:
        return None
    return passage_figures(
        items,
        records,
        books=books,
        analysis=artifacts.get("analysis"),
        evaluation=read_passage_evaluation(folder),
        paper=style.table if isinstance(style.table, PassageTable) else None,
        seed=seed,
    )


def _blanked(
    folder: Path, style: Style, items: Sequence[Any], books: Sequence[Mapping[str, str]], artifacts: Mapping[str, Artifact], *, seed: int
) -> BlankedFigures | None:
    """What only a set of blanked passages has; None of others."""
    if style.items is not BLANKED_ITEMS:
        return None
    return blanked_figures(
        items,
        books=books,
        statistics=artifacts.get("statistics"),
        evaluation=read_blank_evaluation(folder),
        paper=style.table if isinstance(style.table, BlankTable) else None,
        seed=seed,
    )


def stage_artifacts(folder: Path) -> dict[str, Artifact]:
    """Stage label -> artifact, in the order of the run."""
    return {stage["label"]: open_artifact(folder / link_name(stage["number"], stage["label"])) for stage in read_run(folder)["stages"]}


def read_records(folder: Path, file: str) -> list[dict[str, Any]]:
    path = folder / RELEASE / file
    return list(read_jsonl(path)) if path.is_file() else []


def read_set(folder: Path, kind: ItemKind) -> tuple[list[Any], list[dict[str, Any]]]:
    """The items of a run's set, what stands beside it not among them, and the record that each was read from.

    Raises:
        FormatError: the release's file does not follow its format.
    """
    pairs = zip(kind.read(folder / RELEASE), read_records(folder, kind.file), strict=True)
    of_set = [(item, record) for item, record in pairs if kind.counts(item)]
    return [item for item, _ in of_set], [record for _, record in of_set]


def read_evaluation(folder: Path) -> Evaluation | None:
    """The evaluation of a run of questions, or None before `cloze-gen evaluate`."""
    path = folder / EVALUATION / EVALUATION_FILE
    return evaluation_from_record(_evaluation_record(path), where=str(path)) if path.is_file() else None


def read_passage_evaluation(folder: Path) -> PassageEvaluation | None:
    """The evaluation of a run of passages, or None before `cloze-gen evaluate`."""
    path = folder / EVALUATION / EVALUATION_FILE
    return passage_evaluation_from_record(_evaluation_record(path), where=str(path)) if path.is_file() else None


def read_blank_evaluation(folder: Path) -> BlankEvaluation | None:
    """The evaluation of a run of blanked passages, or None before `cloze-gen evaluate`."""
    path = folder / EVALUATION / EVALUATION_FILE
    return blank_evaluation_from_record(_evaluation_record(path), where=str(path)) if path.is_file() else None


def _evaluation_record(path: Path) -> dict[str, Any]:
    changed = find_change(path.parent)
    if changed:
        raise FormatError(f"{changed} Run `cloze-gen evaluate` again.")
    try:
        record = parse_json(path.read_bytes())
    except NotationError as error:
        raise FormatError(f"{path}: not JSON ({error}). Run `cloze-gen evaluate` again.") from None
    if not isinstance(record, dict):
        raise FormatError(f"{path}: {shown(record)} is no JSON object. Run `cloze-gen evaluate` again.")
    return record


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


def _samples(
    folder: Path, questions: Sequence[Question], records: Sequence[Mapping[str, Any]], books: Sequence[Mapping[str, str]], *, seed: int
) -> Iterator[SampleQuestion]:
    about = {row["book_id"]: row for row in books}
    candidates = {record["id"]: record for record in read_records(folder, "candidates.jsonl")} if questions else {}
    for index in draw_samples(len(questions), seed=seed):
        question = questions[index]
        book = about.get(question.book_id, {})
        yield sample_question(
            question, records[index], candidates=candidates.get(question.id), book=book.get("title", ""), file=book.get("file", "")
        )


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

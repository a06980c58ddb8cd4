"""The report of a run: what its artifacts say, gathered; what a style lacks is left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.formats.jsonl import question_from_record
from cloze_gen.notation import NotationError, parse_json
from cloze_gen.records.question import Question
from cloze_gen.report.data import Evaluation, ReportData, SampleQuestion, StageRow, evaluation_from_record
from cloze_gen.report.funnel import funnel_steps
from cloze_gen.report.html import render_report
from cloze_gen.report.samples import draw_samples, sample_question
from cloze_gen.stages.corpus.book_table import kept_books, read_books
from cloze_gen.stages.release import write_checksums
from cloze_gen.stages.report_figures import audit_table, funnel_levels, option_freqs, stage_figures
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
    """Write `report.html` into the release of a run that is being written in `folder`, and the release's checksums anew."""
    (folder / RELEASE / REPORT).write_text(render_report(read_report_data(folder, style)), encoding="utf-8", newline="\n")
    write_checksums(folder / RELEASE)


def read_report_data(folder: Path, style: Style) -> ReportData:
    """Everything the report says of the run in `folder`."""
    run = read_run(folder)
    artifacts = stage_artifacts(folder)
    records = read_records(folder, style.items.file)
    questions = as_questions(records)
    tables = {side: read_books(artifacts[label]) for side, label in style.last_books(artifacts).items()}
    source = tables.get(style.drawn_from, [])
    answer_freqs, impostor_freqs = option_freqs(questions, records, artifacts.get("counts"))
    per_book = Counter(str(record.get("book_id", "")) for record in records)
    n_options = max((len(question.options) for question in questions), default=0)
    last = list(artifacts.values())[-1]
    return ReportData(
        name=run["name"],
        paper=style.table,
        signature=read_signature(folder),
        seed=run["seed"],
        n_questions=len(records),
        n_wanted=int(last.facts.get("wanted", len(records))),
        n_options=n_options,
        levels=tuple(funnel_levels(artifacts, style)),
        steps=tuple(funnel_steps((label, artifact.manifest) for label, artifact in artifacts.items())),
        answer_freqs=answer_freqs,
        impostor_freqs=impostor_freqs,
        sentence_tokens=tuple(len(question.tokens) for question in questions),
        answer_positions=tuple(sum(question.answer_index == place for question in questions) for place in range(n_options)),
        blank_places=tuple(question.position / max(1, len(question.tokens) - 1) for question in questions),
        books=tuple((row["book_id"], row.get("title", ""), per_book[row["book_id"]]) for row in source if row["status"] == "kept"),
        evaluation=read_evaluation(folder),
        samples=tuple(_samples(folder, questions, records, source, seed=run["seed"])),
        audits=tuple(audit_table(side, tables[side]) for side in sorted(tables) if tables[side]),
        stages=tuple(
            StageRow(link_name(stage["number"], stage["label"]), stage["fingerprint"], stage_figures(artifacts[stage["label"]]))
            for stage in run["stages"]
        ),
        settings=tuple(flat_settings(run["settings"])),
        overrides=tuple(key + sign + without_folders(value) for key, sign, value in (one.partition("=") for one in run["overrides"])),
        warnings=tuple(_warnings(run, artifacts, style)),
    )


def stage_artifacts(folder: Path) -> dict[str, Artifact]:
    """Stage label -> artifact, in the order of the run."""
    return {stage["label"]: open_artifact(folder / link_name(stage["number"], stage["label"])) for stage in read_run(folder)["stages"]}


def read_records(folder: Path, file: str) -> list[dict[str, Any]]:
    path = folder / RELEASE / file
    return list(read_jsonl(path)) if path.is_file() else []


def as_questions(records: Sequence[Mapping[str, Any]]) -> list[Question]:
    """The records as questions of one blank with options; none at all if the style's items are something else."""
    try:
        return [question_from_record(record) for record in records]
    except FormatError:
        return []


def read_evaluation(folder: Path) -> Evaluation | None:
    """The run's evaluation, or None before `cloze-gen evaluate`."""
    path = folder / EVALUATION / EVALUATION_FILE
    if not path.is_file():
        return None
    changed = find_change(path.parent)
    if changed:
        raise FormatError(f"{changed} Run `cloze-gen evaluate` again.")
    try:
        record = parse_json(path.read_bytes())
    except NotationError as error:
        raise FormatError(f"{path}: not JSON ({error}). Run `cloze-gen evaluate` again.") from None
    return evaluation_from_record(record, where=str(path))


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
    return [*warnings, *style.warnings(run["settings"]), *leaked]

"""`cloze-gen report` and `cloze-gen compare`: what a run's artifacts say, gathered; what a style lacks is left out."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.formats.jsonl import question_from_record
from cloze_gen.notation import NotationError, parse_json
from cloze_gen.records.question import Question
from cloze_gen.report.compare import RunFacts, comparison_text
from cloze_gen.report.data import AuditTable, Evaluation, ReportData, SampleQuestion, StageRow, evaluation_from_record
from cloze_gen.report.funnel import funnel_steps
from cloze_gen.report.html import render_report
from cloze_gen.report.samples import draw_samples, sample_question
from cloze_gen.stages.corpus.book_table import kept_books, read_books
from cloze_gen.stages.corpus.counts import read_counts
from cloze_gen.stages.release import write_checksums
from cloze_gen.store.artifacts import Artifact, open_artifact
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.published import find_change, rewrite_published
from cloze_gen.store.runs import (
    EVALUATION,
    EVALUATION_FILE,
    RELEASE,
    RUN_SCHEMA,
    check_as_written,
    find_run,
    last_books,
    lies_in_output,
    link_name,
    read_run,
    run_lock,
    without_folders,
)
from cloze_gen.store.tables import read_jsonl

REPORT = "report.html"
# Columns of the books' tables that speak of our own files, not of the book.
_OWN_COLUMNS = frozenset({"folder"})
# Stage -> what its kept items are called in the picture of the funnel; another stage is called by its own name.
_LEVEL_NAMES = {
    "corpus source": "books kept", "books": "books like the reference", "focus": "focus words", "screening": "screened focus words",
    "forward": "with forward scores",
    "grooming": "groomed focus words", "choice": "questions", "sentences": "sentences chosen", "impostors": "words with impostors",
}  # fmt: skip
# Stages that sift words of the training corpus, not what comes from the source books.
_NO_LEVELS = frozenset({"vocabulary", "inflections"})


def write_report(folder: Path) -> None:
    """Write `report.html` into the release of a run that is being written in `folder`, and the release's checksums anew."""
    (folder / RELEASE / REPORT).write_text(render_report(read_report_data(folder)), encoding="utf-8", newline="\n")
    write_checksums(folder / RELEASE)


def report_run(out: Path, run: str) -> Path:
    """`cloze-gen report`: the report of a finished run, with its evaluation if there is one; returns the report's path."""
    folder = find_run(out, run).resolve()
    if not lies_in_output(folder):
        raise UsageError(
            f"{folder}: lies in no output folder (OUT/runs/NAME), so its stages are not at hand and its report is left as it was."
        )
    with exclusive_lock(run_lock(folder)):
        renew_report(folder)
    return folder / RELEASE / REPORT


def renew_report(folder: Path, evaluation: Path | None = None) -> None:
    """Write the report of a finished run anew; the run's folder is exchanged as a whole. The caller holds the run's lock.

    Args:
        evaluation: a folder to link as the run's evaluation first.
    """
    check_as_written(folder)
    stage_artifacts(folder)  # told now, of the folder itself: a copy is only a copy while it is written

    def change(partial: Path) -> None:
        if evaluation is not None:
            (partial / EVALUATION).unlink(missing_ok=True)
            (partial / EVALUATION).symlink_to(os.path.relpath(evaluation, folder))
        write_report(partial)

    for line in rewrite_published(folder, RUN_SCHEMA, change):
        say(f"{folder.name}: {line}")


def compare_runs(out: Path, one: str, other: str) -> str:
    """`cloze-gen compare`: two runs, by name or path."""
    return comparison_text(*(read_run_facts(find_run(out, run)) for run in (one, other)))


def read_run_facts(folder: Path) -> RunFacts:
    run = read_run(folder)
    return RunFacts(
        name=run["name"],
        signature=read_signature(folder),
        seed=run["seed"],
        settings=dict(flat_settings(run["settings"])),
        fingerprints={stage["label"]: stage["fingerprint"] for stage in run["stages"]},
        steps=funnel_steps((label, artifact.manifest) for label, artifact in stage_artifacts(folder).items()),
        evaluation=read_evaluation(folder),
        questions=as_questions(read_records(folder, "questions.jsonl")),
    )


def read_report_data(folder: Path) -> ReportData:
    """Everything the report says of the run in `folder`."""
    run = read_run(folder)
    artifacts = stage_artifacts(folder)
    records = read_records(folder, "questions.jsonl")
    questions = as_questions(records)
    tables = {side: read_books(artifacts[label]) for side, label in last_books(artifacts).items()}
    source = tables.get("source", [])
    answer_freqs, impostor_freqs = option_freqs(questions, records, artifacts.get("counts"))
    per_book = Counter(str(record.get("book_id", "")) for record in records)
    n_options = max((len(question.options) for question in questions), default=0)
    last = list(artifacts.values())[-1]
    return ReportData(
        name=run["name"],
        style=run["style"],
        signature=read_signature(folder),
        seed=run["seed"],
        n_questions=len(records),
        n_wanted=int(last.facts.get("wanted", len(records))),
        n_options=n_options,
        levels=tuple(funnel_levels(artifacts)),
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
            StageRow(link_name(stage["number"], stage["label"]), stage["fingerprint"], _figures(artifacts[stage["label"]]))
            for stage in run["stages"]
        ),
        settings=tuple(flat_settings(run["settings"])),
        overrides=tuple(key + sign + without_folders(value) for key, sign, value in (one.partition("=") for one in run["overrides"])),
        warnings=tuple(_warnings(run, artifacts)),
    )


def stage_artifacts(folder: Path) -> dict[str, Artifact]:
    """Stage label -> artifact, in the order of the run."""
    return {stage["label"]: open_artifact(folder / link_name(stage["number"], stage["label"])) for stage in read_run(folder)["stages"]}


def read_signature(folder: Path) -> str:
    try:
        return (folder / RELEASE / "signature.txt").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise UsageError(f"{folder.name}: has no release yet; `cloze-gen run` finishes it.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{folder / RELEASE / 'signature.txt'}: not UTF-8; `cloze-gen run` writes it anew.") from None


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


def funnel_levels(artifacts: Mapping[str, Artifact]) -> list[tuple[str, int]]:
    """(what, count) at each level of the source side: what a stage kept, and the figures that tell its size."""
    levels = []
    for label, artifact in artifacts.items():
        if label.endswith(" train") or label in _NO_LEVELS:
            continue
        facts, funnel = artifact.facts, artifact.funnel
        candidates = facts.get("candidates_funnel", {})
        if label.startswith("ingest"):
            levels.append(("books", funnel["seen"]))
            continue
        if candidates:
            levels += [(candidates["unit"], candidates["seen"]), (f"fit {candidates['unit']}", candidates["kept"])]
        if funnel:
            levels.append((_LEVEL_NAMES.get(label, label.replace("_", " ")), funnel["kept"]))
        if label.startswith("corpus"):
            levels.append(("sentences", sum(int(row.get("sentences") or 0) for row in kept_books(artifact))))
        if "alternates" in facts:
            levels.append(("alternates sampled", int(facts["alternates"])))
    return levels


def option_freqs(
    questions: Sequence[Question], records: Sequence[Mapping[str, Any]], counts: Artifact | None
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Frequencies of all answers and of all impostors: as the records tell, or looked up in the counts; empty without either."""
    told = {(record["id"], row["word"]): row["freq"] for record in records for row in record.get("option_scores") or [] if "freq" in row}
    known: dict[str, float] = {}
    if not all((question.id, option) in told for question in questions for option in question.options):
        if counts is None:
            return (), ()
        table = read_counts(counts)
        known = {word.casefold(): freq for word, freq in zip(table.words, table.freq.tolist(), strict=True)}
    freqs = [[told.get((question.id, option), known.get(option.casefold(), 0.0)) for option in question.options] for question in questions]
    answers = [row.pop(question.answer_index) for question, row in zip(questions, freqs, strict=True)]
    return tuple(answers), tuple(freq for row in freqs for freq in row)


def audit_table(side: str, rows: Sequence[Mapping[str, str]]) -> AuditTable:
    """The books of one side: id, file and outcome first, the long digest last, empty columns left out, dropped books on top."""
    first = ("book_id", "title", "author", "file", "status", "reason", "detail")
    names = dict.fromkeys([*first, *(name for row in rows for name in row if name != "digest"), "digest"])
    columns = tuple(name for name in names if name not in _OWN_COLUMNS and any(row.get(name) for row in rows))
    ordered = sorted(rows, key=lambda row: row["status"] == "kept")
    dropped = sum(row["status"] != "kept" for row in rows)
    return AuditTable(side, columns, tuple(tuple(row.get(name, "") for name in columns) for row in ordered), dropped)


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


def _figures(artifact: Artifact) -> str:
    """The manifest's figures in words: facts that are numbers or words, and rows of single files."""
    facts, files = sorted(artifact.facts.items()), sorted(artifact.manifest["files"].items())
    figures = [f"{name.replace('_', ' ')} {_number(value)}" for name, value in facts if isinstance(value, int | float | str)]
    return "; ".join(figures + [f"{file} {about['rows']:,} rows" for file, about in files if "rows" in about and "/" not in file])


def _number(value: float | str) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}" if isinstance(value, float) else value


def _warnings(run: Mapping[str, Any], artifacts: Mapping[str, Artifact]) -> list[str]:
    warnings = []
    if run["sample"]:
        warnings.append("Made from the embedded sample: enough to see how everything works, too small to measure anything with.")
    if run["settings"].get("grooming", {}).get("tagger") == "none":
        warnings.append("The tagger was off, so impostors were not tested for their part of speech.")
    leaks = artifacts["corpus source"].facts.get("kept_although_overlapping", []) if "corpus source" in artifacts else []
    kept = {row["book_id"] for side, label in last_books(artifacts).items() if side == "source" for row in kept_books(artifacts[label])}
    return [*warnings, *(f"Leak: the source book {book} overlaps the training corpus and was kept." for book in leaks if book in kept)]

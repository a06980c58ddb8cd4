"""The report of a run, gathered from its artifacts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cloze_gen.corpus.books import read_books
from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.errors import FormatError
from cloze_gen.evaluation.blanks import BlankEvaluation
from cloze_gen.evaluation.passages import PassageEvaluation
from cloze_gen.evaluation.questions import QuestionEvaluation
from cloze_gen.parsing import error_text, parse_json
from cloze_gen.records.question import Question
from cloze_gen.records.rejection import funnel_steps
from cloze_gen.release.documents import write_documents
from cloze_gen.release.facts import read_record
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.items.kind import ItemKind, Record
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.notes import background_notes
from cloze_gen.release.paper_figures import BlankTable, PaperTable, PassageTable
from cloze_gen.release.pointers import write_pointer_documents
from cloze_gen.release.read_evaluation import read_evaluation
from cloze_gen.release.report_data import AuditTable, ReportData, StageRow
from cloze_gen.release.report_passages import (
    BlankedFigures,
    PassageFigures,
    analysis_from_record,
)
from cloze_gen.release.settings import public_overrides
from cloze_gen.release.signature import read_signature
from cloze_gen.release.style import Artifacts, PublishedSet, Style, facts_of
from cloze_gen.release.verdict import blank_verdict, passage_verdict, question_verdict
from cloze_gen.release.write import full_settings, read_published
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.files import read_below
from cloze_gen.store.runs import (
    FULL,
    RELEASE,
    link_name,
    read_run,
    released_folder,
    stage_artifacts,
)
from cloze_gen.store.tables import ANALYSIS, CANDIDATES, parse_jsonl

# Columns about files of cloze-gen, not about the book.
_OWN_COLUMNS = frozenset({"folder"})


def option_freqs(
    questions: Sequence[Question], records: Sequence[Mapping[str, Any]], counts: Artifact | None
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Frequencies of answers and of impostors, from records or counts; empty without either."""
    from_records = {
        (record["id"], row["word"]): row["freq"]
        for record in records
        for row in record.get("option_scores") or []
        if "freq" in row
    }
    known: dict[str, float] = {}
    if not all(
        (question.id, option) in from_records
        for question in questions
        for option in question.options
    ):
        if counts is None:
            return (), ()
        table = read_counts(counts)
        known = {
            word.casefold(): freq
            for word, freq in zip(table.words, table.freq.tolist(), strict=True)
        }
    freqs = [
        [
            from_records.get((question.id, option), known.get(option.casefold(), 0.0))
            for option in question.options
        ]
        for question in questions
    ]
    answers = [
        row.pop(question.answer_index) for question, row in zip(questions, freqs, strict=True)
    ]
    return tuple(answers), tuple(freq for row in freqs for freq in row)


def audit_table(side: str, rows: Sequence[Mapping[str, str]]) -> AuditTable:
    first = ("book_id", "title", "author", "file", "status", "reason", "detail")
    names = dict.fromkeys(
        [*first, *(name for row in rows for name in row if name != "digest"), "digest"]
    )
    columns = tuple(
        name for name in names if name not in _OWN_COLUMNS and any(row.get(name) for row in rows)
    )
    ordered = sorted(rows, key=lambda row: row["status"] == "kept")
    dropped = sum(row["status"] != "kept" for row in rows)
    return AuditTable(
        side,
        columns,
        tuple(tuple(row.get(name, "") for name in columns) for row in ordered),
        dropped,
    )


def stage_figures(artifact: Artifact) -> str:
    """The manifest's figures as text: numbers, strings, and rows of single files."""
    facts, files = sorted(artifact.facts.items()), sorted(artifact.manifest["files"].items())
    figures = [
        f"{name.replace('_', ' ')} {_number(value)}"
        for name, value in facts
        if isinstance(value, int | float | str)
    ]
    return "; ".join(
        figures
        + [
            f"{file} {about['rows']:,} rows"
            for file, about in files
            if "rows" in about and "/" not in file
        ]
    )


def _number(value: float | str) -> str:
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:.6g}"
        if isinstance(value, float)
        else value
    )


def passage_figures(
    records: Sequence[Mapping[str, Any]],
    *,
    analysis: Artifact | None,
    evaluation: PassageEvaluation | None,
    paper: PassageTable | None,
) -> PassageFigures:
    """`records` are those of the set without its control."""
    return PassageFigures(
        tokens=tuple(len(str(record["text"]).split()) for record in records),
        analysis=None
        if analysis is None
        else analysis_from_record(parse_json(analysis.path(ANALYSIS).read_bytes())),
        evaluation=evaluation,
        paper=paper,
    )


def write_report(folder: Path, style: Style) -> None:
    """Write the documents of a run's release, or of both releases with pointers."""
    released = released_folder(folder)
    record = read_record(released)
    published = read_published(partial(_read_own, folder), style=style, record=record)
    data = read_report_data(folder, style, published)
    write_documents(released, style=style, published=published, record=record, data=data)
    if released.name == FULL:
        write_pointer_documents(
            folder / RELEASE, style=style, record=read_record(released), data=data, full=released
        )


def read_report_data(folder: Path, style: Style, published: PublishedSet) -> ReportData:
    """The full release's report without sample items; `published` is the released set."""
    run = read_run(folder)
    artifacts = stage_artifacts(folder)
    items, records = of_set(style.items, zip(published.items, published.records, strict=True))
    questions = items if style.items is QUESTION_ITEMS else []
    tables = {
        side: read_books(artifacts[label]) for side, label in style.last_books(artifacts).items()
    }
    source = tables.get(style.drawn_from, [])
    answer_freqs, impostor_freqs = option_freqs(questions, records, artifacts.get("counts"))
    per_book = Counter(item.book_id for item in items)
    parts = {row.get("part") for row in source if per_book[row["book_id"]]}
    n_options = max((len(question.options) for question in questions), default=0)
    wanted = next(
        (int(one.facts["wanted"]) for one in reversed(artifacts.values()) if "wanted" in one.facts),
        len(items),
    )
    evaluation = (
        read_evaluation(folder, QuestionEvaluation) if style.items is QUESTION_ITEMS else None
    )
    passages = _passages(folder, style, records, artifacts)
    blanked = _blanked(folder, style, artifacts)
    facts = facts_of(artifacts)
    n_test = sum(style.items.split_of(one) == "test" for one in items)
    ranking = next((one for one in facts.values() if "guessable" in one), {"guessable": len(items)})
    verdict = (
        passage_verdict(
            n_test,
            passages.evaluation,
            judged=style.judged(facts),
            guessable=min(1.0, ranking["guessable"] / max(1, len(items))),
        )
        if passages
        else blank_verdict(n_test, blanked.evaluation)
        if blanked
        else question_verdict(
            questions,
            evaluation,
            choice=next((one for one in reversed(facts.values()) if "leak" in one), {}),
            candidates=published.derived.get(CANDIDATES, ()),
        )
    )
    return ReportData(
        name=run["name"],
        paper=style.table if isinstance(style.table, PaperTable) else None,
        signature=read_signature(folder),
        seed=run["seed"],
        n_questions=len(items),
        n_wanted=wanted,
        n_options=n_options,
        steps=tuple(
            funnel_steps((label, artifact.manifest) for label, artifact in artifacts.items())
        ),
        answer_freqs=answer_freqs,
        impostor_freqs=impostor_freqs,
        sentence_tokens=tuple(len(question.tokens) for question in questions),
        answer_positions=tuple(
            sum(question.answer_index == place for question in questions)
            for place in range(n_options)
        ),
        blank_places=tuple(
            question.position / max(1, len(question.tokens) - 1) for question in questions
        ),
        books=tuple(
            (row["book_id"], row.get("title", ""), per_book[row["book_id"]])
            for row in source
            if row["status"] == "kept" and row.get("part") in parts
        ),
        evaluation=evaluation,
        samples=(),
        audits=tuple(audit_table(side, tables[side]) for side in sorted(tables) if tables[side]),
        stages=tuple(
            StageRow(
                link_name(stage["number"], stage["label"]),
                stage["fingerprint"],
                stage_figures(artifacts[stage["label"]]),
            )
            for stage in run["stages"]
        ),
        settings=tuple(flat_settings(full_settings(run["settings"]))),
        overrides=tuple(public_overrides(run["overrides"])),
        warnings=tuple(_warnings(run, artifacts, style)),
        noun=style.items.noun,
        kind_label=style.items.kind_label,
        passages=passages,
        blanked=blanked,
        legends=style.legends,
        verdict=verdict,
    )


def _passages(
    folder: Path,
    style: Style,
    records: Sequence[Mapping[str, Any]],
    artifacts: Mapping[str, Artifact],
) -> PassageFigures | None:
    if style.items is not PASSAGE_ITEMS:
        return None
    return passage_figures(
        records,
        analysis=artifacts.get("analysis"),
        evaluation=read_evaluation(folder, PassageEvaluation),
        paper=style.table if isinstance(style.table, PassageTable) else None,
    )


def _blanked(
    folder: Path, style: Style, artifacts: Mapping[str, Artifact]
) -> BlankedFigures | None:
    if style.items is not BLANKED_ITEMS:
        return None
    return BlankedFigures(
        statistics=next(iter(style.card_tables(artifacts)), None),
        evaluation=read_evaluation(folder, BlankEvaluation),
        paper=style.table if isinstance(style.table, BlankTable) else None,
    )


def read_set(folder: Path, kind: ItemKind) -> tuple[list[Any], list[Record]]:
    data = _read_own(folder, kind.file)
    return of_set(
        kind, zip(kind.items_of(data), parse_jsonl(data.split(b"\n"), where=kind.file), strict=True)
    )


def _read_own(folder: Path, file: str) -> bytes:
    name = f"{released_folder(folder).name}/{file}"
    try:
        return read_below(folder, name)
    except OSError as error:
        raise FormatError(
            f"{folder / name}: cannot be read ({error_text(error)}). Run `cloze-gen run` again to rewrite it."
        ) from None


def of_set(kind: ItemKind, pairs: Iterable[tuple[Any, Record]]) -> tuple[list[Any], list[Record]]:
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


def _warnings(run: Mapping[str, Any], artifacts: Artifacts, style: Style) -> list[str]:
    warnings = []
    if run["sample"]:
        warnings.append(
            "This set was made from the sample books. The sample shows how the program works; it is "
            "too small for measurements."
        )
    return [*warnings, *background_notes(style, artifacts), *style.warnings(run["settings"])]

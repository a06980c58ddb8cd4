"""`cloze-gen judge export | import`: write packets, read verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen.adapters.terminal import show
from cloze_gen.cli.judge_study import (
    add_judges,
    open_named_study,
    parse_judges,
    status_lines,
    warn_if_changed,
)
from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError, UsageError
from cloze_gen.judging.exchange import (
    PacketRow,
    VerdictRow,
    packets_csv,
    parse_verdicts_csv,
)
from cloze_gen.judging.study import Study
from cloze_gen.parsing import error_text, name_list, quote
from cloze_gen.records.judgement import Assignment, Role
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.manifest import write_bytes
from cloze_gen.text_layout import table_lines


def export(
    out: Path,
    study: str,
    *,
    judges: Sequence[str],
    condition: str,
    pages: int,
    to: Path | None,
    again: bool,
) -> None:
    """Assign the next pages, or with `again` repeat unanswered items; write a file per judge."""
    opened, source = open_named_study(out, study)
    _check_condition(opened, condition)
    warn_if_changed(opened, source)
    named = parse_judges(judges, opened.state().judges.values())
    new = [one for one in named if one.name not in opened.state().judges]
    if again and new:
        raise UsageError(
            f"no such judge: {quote(new[0].name)}. See `cloze-gen judge status "
            f"{opened.facts.name}`."
        )
    add_judges(opened, new)
    names = [one.name for one in named] or [
        one.name for one in opened.state().judges.values() if one.role is not Role.MACHINE
    ]
    folder = _create_folder(to or opened.folder / "packets")
    rows = [
        row
        for name in names
        if (row := _write_packet(opened, name, folder, pages, condition or None, again))
    ]
    if not rows:
        say("nothing to export: these judges have no open items (see cloze-gen judge status)")
        return
    show(
        "\n".join(table_lines(["judge", "items", "file"], rows, left=frozenset({"judge", "file"})))
    )


def import_files(out: Path, study: str, files: Sequence[Path]) -> None:
    """Import verdicts, after reading all files; they replace other answers to the same items."""
    opened, _ = open_named_study(out, study)
    found = [row for file in files for row in _parse_file(opened, _read_text(file), str(file))]
    if not found:
        which = name_list([str(file) for file in files])
        raise FormatError(
            f"{which}: no answers found. Nothing was imported. Fill in an item and import again."
        )
    by_id = opened.state().by_id
    new = sum(opened.take(by_id[row.assignment], row.response, source="import") for row in found)
    counts = f"{new:,} accepted, {len(found) - new:,} already stored"
    show("\n".join([f"answers    {len(found):,}: {counts}", *status_lines(opened)]))


def packet_of(study: Study, assignment: Assignment) -> PacketRow:
    return PacketRow(
        assignment.id,
        assignment.judge,
        study.facts.task,
        assignment.condition,
        study.seen(assignment),
    )


def _check_condition(study: Study, condition: str) -> None:
    if condition and not study.task.conditions:
        raise UsageError(
            f"--condition: only for guessing; the task of {study.facts.name} is "
            f"{study.facts.task}. Leave it out."
        )
    if condition and condition not in study.task.conditions:
        expected = " or ".join(study.task.conditions)
        raise UsageError(f"--condition {quote(condition)}: expected {expected}")


def _write_packet(
    study: Study,
    judge: str,
    folder: Path,
    pages: int,
    condition: str | None,
    again: bool,
) -> list[str] | None:
    """Write a judge's file; returns its table row, or None if nothing is due."""
    due = (
        study.state().due(judge)
        if again
        else [one for _ in range(pages) for one in study.assign_page(judge, condition=condition)]
    )
    if not due:
        return None
    rows = [packet_of(study, one) for one in due]
    file = folder / f"{judge}-{due[0].id}.csv"
    there = file.exists() or file.is_symlink()
    if not there:
        # the BOM makes spreadsheets read UTF-8
        write_bytes(file, packets_csv(rows).encode("utf-8-sig"))
    return [judge, f"{len(rows):,}", f"{file}{' (exists, not changed)' if there else ''}"]


def _parse_file(study: Study, text: str, name: str) -> list[VerdictRow]:
    def known(assignment: str) -> PacketRow | None:
        found = study.state().by_id.get(assignment)
        return packet_of(study, found) if found else None

    return parse_verdicts_csv(text, known, name=name)


def _create_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"--to {folder}: cannot create this folder ({error.strerror}). Nothing was assigned."
        ) from None
    return folder


def _read_text(file: Path) -> str:
    try:
        return read_regular_text(file, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        problem = (
            "not UTF-8; save it as UTF-8 text"
            if isinstance(error, UnicodeError)
            else error_text(error)
        )
        raise UsageError(
            f"{quote(str(file), most_chars=300)}: cannot read answers from this file ({problem}). "
            "Nothing was imported."
        ) from None

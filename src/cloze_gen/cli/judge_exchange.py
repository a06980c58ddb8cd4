"""`cloze-gen judge export | import`: write packets, read verdicts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cloze_gen.adapters.terminal import show
from cloze_gen.cli.judge_study import (
    add_judges,
    open_named_study,
    parse_judges,
    status_lines,
    warn_if_changed,
)
from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError, RefusedError, UsageError
from cloze_gen.judging.exchange import (
    PacketRow,
    VerdictRow,
    packet_row,
    packets_csv,
    packets_jsonl,
    parse_verdicts_csv,
    parse_verdicts_jsonl,
)
from cloze_gen.judging.label_studio import label_config, parse_annotations, tasks_json
from cloze_gen.judging.study import Outcome, Study, judge_numbers
from cloze_gen.parsing import error_text, name_list, quote
from cloze_gen.records.judgement import Assignment, Role
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.manifest import write_bytes
from cloze_gen.text_layout import table_lines

FORMS = {"csv": ".csv", "jsonl": ".jsonl", "label-studio": ".json"}
_LABEL_CONFIG = "label-config.xml"
_REFUSED = "refused"
_OUTCOMES: Mapping[str, str] = {
    Outcome.TAKEN: "accepted",
    Outcome.AGAIN: "already stored",
    _REFUSED: "refused",
}


def export(
    out: Path,
    study: str,
    *,
    judges: Sequence[str],
    condition: str,
    pages: int,
    form: str,
    to: Path | None,
    again: bool,
) -> None:
    """Assign the next pages, or with `again` repeat unanswered items; write a file per judge."""
    if form not in FORMS:
        raise UsageError(f"--format {quote(form)}: expected {', '.join(FORMS)}")
    opened, source = open_named_study(out, study)
    _check_condition(opened, condition)
    warn_if_changed(opened, source)
    named = parse_judges(judges, Role.JUDGE, list(opened.state().judges.values()))
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
        if (row := _write_packet(opened, name, folder, form, pages, condition or None, again))
    ]
    if not rows:
        say("nothing to export: these judges have no open items (see cloze-gen judge status)")
        return
    if form == "label-studio":
        write_bytes(folder / _LABEL_CONFIG, _config_of(opened).encode())
        say(f"{folder / _LABEL_CONFIG}: the labeling configuration for Label Studio")
    show(
        "\n".join(table_lines(["judge", "items", "file"], rows, left=frozenset({"judge", "file"})))
    )


def import_files(out: Path, study: str, files: Sequence[Path]) -> None:
    """Import verdicts, after reading all files; RefusedError if one contradicts a stored one."""
    opened, _ = open_named_study(out, study)
    found = [row for file in files for row in _parse_file(opened, _read_text(file), str(file))]
    if not found:
        which = name_list([str(file) for file in files])
        raise FormatError(
            f"{which}: no answers found. Nothing was imported. Fill in an item and import again."
        )
    outcomes: Counter[str] = Counter()
    by_id = opened.state().by_id
    _check_verdicts(opened, found)
    for row in found:
        assignment = by_id[row.assignment]
        try:
            outcome = opened.take(
                assignment,
                opened.task.from_packet(row.response),
                verdict_id=row.id or _content_id(row),
                seconds=row.seconds or 0.0,
                source="import",
            )
            why = (
                f"{assignment.judge} gave another answer before; the stored answer is kept"
                if outcome is Outcome.CHANGED
                else ""
            )
        except FormatError as error:
            why = str(error)
        outcomes[_REFUSED if why else outcome] += 1
        if why:
            say(f"refused    {row.assignment}: {why}")
    counts = ", ".join(
        f"{outcomes[one]:,} {text}" for one, text in _OUTCOMES.items() if outcomes[one]
    )
    show("\n".join([f"answers    {len(found):,}: {counts}", *status_lines(opened)]))
    if outcomes[_REFUSED]:
        raise RefusedError(
            f"{outcomes[_REFUSED]:,} of {len(found):,} answers were refused (listed above). The "
            "others were imported."
        )


def _check_verdicts(study: Study, rows: Sequence[VerdictRow]) -> None:
    known: dict[str, tuple[str, dict[str, Any]]] = {}
    for row in rows:
        try:
            canonical = (
                row.assignment,
                study.parse_response(
                    study.state().by_id[row.assignment], study.task.from_packet(row.response)
                ),
            )
        except FormatError as error:
            raise FormatError(
                f"verdict on {row.assignment}: {error}. Nothing was imported."
            ) from None
        before = study.store.find_verdict(row.id) if row.id else None
        if row.id and canonical != known.setdefault(
            row.id, (before.assignment, dict(before.response)) if before else canonical
        ):
            raise FormatError(
                f"verdict {quote(row.id)} on {row.assignment}: another verdict has this id. "
                "Nothing was imported. Leave the ids out, or use a different id for each verdict."
            )


def packet_of(study: Study, assignment: Assignment) -> PacketRow:
    seen = study.seen(assignment)
    return packet_row(
        seen,
        assignment=assignment.id,
        judge=assignment.judge,
        task=study.facts.task,
        condition=assignment.condition,
    )


def answered(out: Path, study: str, *, form: str, to: Path | None, names: bool) -> None:
    """Write the verdicts so far with their items, as JSON lines or Label Studio annotations.

    Without `names`, judges are numbers in the order of first assignments.
    """
    if form not in {"jsonl", "label-studio"}:
        raise UsageError(f"--answered --format {quote(form)}: expected jsonl or label-studio")
    opened, _ = open_named_study(out, study)
    state, numbers = opened.state(), judge_numbers(opened.state())
    rows, verdicts = list[PacketRow](), list[VerdictRow]()
    for one, response in ((one, opened.current_response(one)) for one in state.by_id.values()):
        if response is None:
            continue
        display_name = (
            f"judge {numbers[one.judge]}" if one.judge in numbers and not names else one.judge
        )
        rows.append(replace(packet_of(opened, one), judge=display_name))
        canonical, seconds = opened.task.to_packet(response[1]), state.verdicts[one.id].seconds
        verdicts.append(VerdictRow(one.id, canonical, display_name, seconds, response[0]))
    if not rows:
        raise UsageError(f"{opened.facts.name}: no answers yet. Nothing was written.")
    file = (
        _create_folder(to or opened.folder / "packets") / f"answered-{len(verdicts)}{FORMS[form]}"
    )
    if file.exists() or file.is_symlink():
        raise UsageError(
            f"{file}: already exists. Nothing was written. Choose another folder with --to."
        )
    write_bytes(
        file,
        (packets_jsonl(rows, verdicts) if form == "jsonl" else tasks_json(rows, verdicts)).encode(),
    )
    show(f"{len(verdicts):,} answers: {file}")


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
    form: str,
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
    file = folder / f"{judge}-{due[0].id}{FORMS[form]}"
    there = file.exists() or file.is_symlink()
    if not there:
        write_bytes(file, _bytes_of(rows, form))
    return [judge, f"{len(rows):,}", f"{file}{' (exists, not changed)' if there else ''}"]


def _bytes_of(rows: Sequence[PacketRow], form: str) -> bytes:
    if form == "csv":
        return packets_csv(rows).encode("utf-8-sig")  # the BOM makes spreadsheets read UTF-8
    return (packets_jsonl(rows) if form == "jsonl" else tasks_json(rows)).encode()


def _config_of(study: Study) -> str:
    return label_config(
        study.task, max(study.task.n_fields(item.shown) for item in study.store.items())
    )


def _parse_file(study: Study, text: str, name: str) -> list[VerdictRow]:
    def known(assignment: str) -> PacketRow | None:
        found = study.state().by_id.get(assignment)
        return packet_of(study, found) if found else None

    begins = text.lstrip()[:1]
    parse = (
        parse_annotations
        if begins == "["
        else parse_verdicts_jsonl
        if begins == "{"
        else parse_verdicts_csv
    )
    return parse(text, known, name=name)


def _content_id(row: VerdictRow) -> str:
    """An id from a verdict's content, so that importing a file twice changes nothing."""
    content = json.dumps([row.assignment, row.response], sort_keys=True)
    return f"import-{hashlib.blake2b(content.encode(), digest_size=12).hexdigest()}"


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

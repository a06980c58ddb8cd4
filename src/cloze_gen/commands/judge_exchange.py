"""`cloze-gen judge export | import`: packets out to people and programs, their verdicts in."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cloze_gen.adapters.terminal import show
from cloze_gen.columns import table_lines
from cloze_gen.commands.judge import add_judges
from cloze_gen.commands.studies import judges_named, open_for, say_if_changed
from cloze_gen.engine.progress import say
from cloze_gen.errors import FormatError, RefusedError, UsageError
from cloze_gen.formats.judging.csv_table import packets_csv, parse_verdicts_csv
from cloze_gen.formats.judging.jsonl import packets_jsonl, parse_verdicts_jsonl
from cloze_gen.formats.judging.label_config import label_config
from cloze_gen.formats.judging.label_studio import parse_annotations, tasks_json
from cloze_gen.formats.judging.packet import PacketRow, VerdictRow, blanks_of, packet_row
from cloze_gen.notation import named, reason, shown
from cloze_gen.records.judgement import Assignment, Role, Task
from cloze_gen.store.files import read_regular_text
from cloze_gen.store.manifest import write_bytes
from cloze_gen.studies.agreement import numbers_of
from cloze_gen.studies.study import Outcome, Study
from cloze_gen.studies.told import standing_lines

FORMS = {"csv": ".csv", "jsonl": ".jsonl", "label-studio": ".json"}
_LABEL_CONFIG = "label-config.xml"
_REFUSED = "refused"


def export(out: Path, study: str, *, judges: Sequence[str], condition: str, pages: int, form: str, to: Path | None, again: bool) -> None:
    """Deal the next pages, or take those that are out again, and write a file a judge; a file that is there is left as it is.

    Raises:
        UsageError: an option that is none, a judge who is unknown, or a folder that cannot be written to.
    """
    if form not in FORMS:
        raise UsageError(f"--format {shown(form)}: expected {', '.join(FORMS)}")
    opened, asking = open_for(out, study)
    _ask_condition(opened, condition)
    say_if_changed(opened, asking)
    asked = judges_named(judges, Role.JUDGE, list(opened.standing().judges.values()))
    new = [one for one in asked if one.name not in opened.standing().judges]
    if again and new:
        raise UsageError(f"no such judge: {shown(new[0].name)}. `cloze-gen judge status {opened.facts.name}` lists them.")
    add_judges(opened, new)
    names = [one.name for one in asked] or [one.name for one in opened.standing().judges.values() if one.role is not Role.MACHINE]
    folder = _made(to or opened.folder / "packets")
    rows = [row for name in names if (row := _written(opened, name, folder, form, pages, condition or None, again))]
    if not rows:
        say("no page to hand out: nothing waits for these judges (cloze-gen judge status tells what waits for whom)")
        return
    if form == "label-studio":
        write_bytes(folder / _LABEL_CONFIG, _config_of(opened).encode())
        say(f"{folder / _LABEL_CONFIG}: the labeling configuration of the project")
    show("\n".join(table_lines(["judge", "items", "file"], rows, None, left=frozenset({"judge", "file"}))))


def take(out: Path, study: str, files: Sequence[Path]) -> None:
    """Take the verdicts of some files, all of which are read before any is taken; each is taken once.

    Raises:
        UsageError: a file cannot be read.
        FormatError: a file holds no verdicts, or nothing is answered.
        RefusedError: a verdict was refused, for another one was given before.
    """
    opened, _ = open_for(out, study)
    found = [row for file in files for row in _parsed(opened, _text(file), str(file))]
    if not found:
        which = named([str(file) for file in files])
        raise FormatError(f"{which}: nothing is answered. Nothing was taken; fill in an item and import again.")
    outcomes: Counter[str] = Counter()
    asked = opened.standing().by_id
    _look_at(opened, found)
    for row in found:
        assignment = asked[row.assignment]
        try:
            outcome = opened.take(assignment, said_of(row), verdict_id=row.id or _own_id(row), seconds=row.seconds or 0.0, source="import")
            why = f"{assignment.judge} has said otherwise before; the earlier verdict stays" if outcome is Outcome.CHANGED else ""
        except FormatError as error:
            why = str(error)
        outcomes[_REFUSED if why else outcome] += 1
        if why:
            say(f"refused    {row.assignment}: {why}")
    counts = ", ".join(f"{count:,} {one}" for one, count in sorted(outcomes.items()))
    show("\n".join([f"verdicts   {len(found):,}: {counts}", *standing_lines(opened)]))
    if outcomes[_REFUSED]:
        raise RefusedError(f"{outcomes[_REFUSED]:,} of {len(found):,} verdicts were refused (each is named above). The others stay.")


def _look_at(study: Study, rows: Sequence[VerdictRow]) -> None:
    """Look at all verdicts before one is taken.

    Raises:
        FormatError: one cannot be said of its item, or has the id of another one.
    """
    known: dict[str, tuple[str, dict[str, Any]]] = {}
    for row in rows:
        try:
            words = row.assignment, study.words(study.standing().by_id[row.assignment], said_of(row))
        except FormatError as error:
            raise FormatError(f"verdict on {row.assignment}: {error}. Nothing was taken.") from None
        before = study.store.find_verdict(row.id) if row.id else None
        if row.id and words != known.setdefault(row.id, (before.assignment, dict(before.said)) if before else words):
            raise FormatError(
                f"verdict {shown(row.id)} on {row.assignment}: another verdict has this id. Nothing was taken; leave the ids out, or give "
                "each verdict its own."
            )


def packet_of(study: Study, assignment: Assignment) -> PacketRow:
    """What leaves the study of an assignment: what its judge may see and nothing else."""
    seen = study.seen(assignment)
    return packet_row(seen, assignment=assignment.id, judge=assignment.judge, task=str(study.task), condition=assignment.condition)


def said_of(row: VerdictRow) -> dict[str, Any]:
    """What a row says, as a study takes it: places from 0, where packets count candidates from 1."""
    said = dict(row.said)
    return {**said, "picked": [place - 1 for place in said["picked"]]} if "picked" in said else said


def answered(out: Path, study: str, *, form: str, to: Path | None, names: bool) -> None:
    """Write what judges have said so far, beside what they saw, as JSON lines or as annotations of Label Studio.

    Args:
        names: with people's names; else with numbers, in the order in which they were first asked. Machines keep their names.
    Raises:
        UsageError: nobody has said anything, a form that has no place for it, or a folder that cannot be written to.
    """
    if form not in {"jsonl", "label-studio"}:
        raise UsageError(f"--answered --format {shown(form)}: expected jsonl or label-studio")
    opened, _ = open_for(out, study)
    standing, numbers = opened.standing(), numbers_of(opened.standing())
    rows, verdicts = list[PacketRow](), list[VerdictRow]()
    for one, said in ((one, opened.said(one)) for one in standing.by_id.values()):
        if said is None:
            continue
        called = f"judge {numbers[one.judge]}" if one.judge in numbers and not names else one.judge
        rows.append(replace(packet_of(opened, one), judge=called))
        words = said[1]
        shown_places = {**words, "picked": [place + 1 for place in words["picked"]]} if "picked" in words else words
        verdicts.append(VerdictRow(one.id, shown_places, called, standing.verdicts[one.id].seconds, said[0]))
    if not rows:
        raise UsageError(f"{opened.facts.name}: nobody has said anything yet. Nothing was written.")
    file = _made(to or opened.folder / "packets") / f"answered-{len(verdicts)}{FORMS[form]}"
    if file.exists() or file.is_symlink():
        raise UsageError(f"{file}: is there already. Nothing was written; name another folder with --to.")
    write_bytes(file, (packets_jsonl(rows, verdicts) if form == "jsonl" else tasks_json(rows, verdicts)).encode())
    show(f"{len(verdicts):,} verdicts: {file}")


def _ask_condition(study: Study, condition: str) -> None:
    """Ask that a condition is one in which this study's items are shown.

    Raises:
        UsageError: it is none.
    """
    if condition and study.task is not Task.GUESS:
        raise UsageError(f"--condition: is of guessing, and {study.facts.name} is a study to {study.task}; leave it out.")
    if condition not in {"", "passage", "sentence"}:
        raise UsageError(f"--condition {shown(condition)}: expected passage or sentence")


def _written(study: Study, judge: str, folder: Path, form: str, pages: int, condition: str | None, again: bool) -> list[str] | None:
    """Write a judge's file; returns its row, None where nothing waits."""
    due = study.standing().due(judge) if again else [one for _ in range(pages) for one in study.deal(judge, condition=condition)]
    if not due:
        return None
    rows = [packet_of(study, one) for one in due]
    file = folder / f"{judge}-{due[0].id}{FORMS[form]}"
    there = file.exists() or file.is_symlink()
    if not there:
        write_bytes(file, _bytes_of(rows, form))
    return [judge, f"{len(rows):,}", f"{file}{' (was there, left as it was)' if there else ''}"]


def _bytes_of(rows: Sequence[PacketRow], form: str) -> bytes:
    if form == "csv":
        return packets_csv(rows).encode("utf-8-sig")  # the mark tells spreadsheets that it is UTF-8
    return (packets_jsonl(rows) if form == "jsonl" else tasks_json(rows)).encode()


def _config_of(study: Study) -> str:
    """Label Studio's configuration for a study: as many fields as any of its items asks for."""
    if study.task is not Task.FILL:
        most = max(study.facts.rules.get("sentence_guesses", 1), 1)
        return label_config(str(study.task), guesses=most)
    rows = (PacketRow("", "", "fill", "", item.shown) for item in study.store.items())
    return label_config("fill", blanks=max(map(blanks_of, rows)))


def _parsed(study: Study, text: str, name: str) -> list[VerdictRow]:
    """The verdicts of a file of any of our forms, told apart by how it begins."""

    def known(assignment: str) -> PacketRow | None:
        found = study.standing().by_id.get(assignment)
        return packet_of(study, found) if found else None

    begins = text.lstrip()[:1]
    parse = parse_annotations if begins == "[" else parse_verdicts_jsonl if begins == "{" else parse_verdicts_csv
    return parse(text, known, name=name)


def _own_id(row: VerdictRow) -> str:
    """An id for a verdict that came without one: the same for the same words, so that a file may be given twice."""
    said = json.dumps([row.assignment, row.said], sort_keys=True)
    return f"import-{hashlib.blake2b(said.encode(), digest_size=12).hexdigest()}"


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--to {folder}: cannot be a folder ({error.strerror}). Nothing was dealt.") from None
    return folder


def _text(file: Path) -> str:
    try:
        return read_regular_text(file, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        said = "not UTF-8; save it as UTF-8 text" if isinstance(error, UnicodeError) else reason(error)
        raise UsageError(f"{shown(str(file), most_chars=300)}: cannot be read as verdicts ({said}). Nothing was taken.") from None

"""The evaluation of a run, read back for its report, its card and a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cloze_gen.errors import FormatError
from cloze_gen.notation import NotationError, parse_json, reason, shown
from cloze_gen.report.blank_evaluation import BlankEvaluation, blank_evaluation_from_record
from cloze_gen.report.data import Evaluation, evaluation_from_record
from cloze_gen.report.passages import PassageEvaluation, passage_evaluation_from_record
from cloze_gen.store.files import read_below
from cloze_gen.store.folder_replacement import find_change
from cloze_gen.store.runs import EVALUATION, EVALUATION_FILE, linked


def read_evaluation(folder: Path) -> Evaluation | None:
    """The evaluation of a run of questions, or None before `cloze-gen evaluate`."""
    path = linked(folder, EVALUATION) / EVALUATION_FILE
    return evaluation_from_record(_evaluation_record(path), where=str(path)) if path.is_file() else None


def read_passage_evaluation(folder: Path) -> PassageEvaluation | None:
    """The evaluation of a run of passages, or None before `cloze-gen evaluate`."""
    path = linked(folder, EVALUATION) / EVALUATION_FILE
    return passage_evaluation_from_record(_evaluation_record(path), where=str(path)) if path.is_file() else None


def read_blank_evaluation(folder: Path) -> BlankEvaluation | None:
    """The evaluation of a run of blanked passages, or None before `cloze-gen evaluate`."""
    path = linked(folder, EVALUATION) / EVALUATION_FILE
    return blank_evaluation_from_record(_evaluation_record(path), where=str(path)) if path.is_file() else None


def _evaluation_record(path: Path) -> dict[str, Any]:
    changed = find_change(path.parent)
    if changed:
        raise FormatError(f"{changed} Run `cloze-gen evaluate` again.")
    try:
        record = parse_json(read_below(path.parent, path.name))
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({reason(error)}). Run `cloze-gen evaluate` again.") from None
    except NotationError as error:
        raise FormatError(f"{path}: not JSON ({error}). Run `cloze-gen evaluate` again.") from None
    if not isinstance(record, dict):
        raise FormatError(f"{path}: {shown(record)} is no JSON object. Run `cloze-gen evaluate` again.")
    return record

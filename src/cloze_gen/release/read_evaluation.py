"""The evaluation of a run, read back for its report, its card and a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from cloze_gen.errors import FormatError
from cloze_gen.evaluation.blanks import BlankEvaluation
from cloze_gen.evaluation.passages import PassageEvaluation
from cloze_gen.evaluation.questions import QuestionEvaluation
from cloze_gen.evaluation.rows import Evaluation
from cloze_gen.parsing import ParseError, error_text, parse_json, quote
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.items.kind import ItemKind
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.store.files import read_below
from cloze_gen.store.folder_replacement import find_change
from cloze_gen.store.runs import EVALUATION, EVALUATION_FILE, linked

_AGAIN = "Run `cloze-gen evaluate` again."

Kind = TypeVar("Kind", bound=Evaluation)


def evaluation_class(items: ItemKind) -> type[Evaluation]:
    if items is BLANKED_ITEMS:
        return BlankEvaluation
    return PassageEvaluation if items is PASSAGE_ITEMS else QuestionEvaluation


def read_evaluation(folder: Path, kind: type[Kind]) -> Kind | None:
    """The evaluation, or None if there is none; FormatError if it is damaged or of other items."""
    path = linked(folder, EVALUATION) / EVALUATION_FILE
    if not path.is_file():
        return None
    changed = find_change(path.parent)
    if changed:
        raise FormatError(f"{changed} {_AGAIN}")
    try:
        record = parse_json(read_below(path.parent, path.name))
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error_text(error)}). {_AGAIN}") from None
    except ParseError as error:
        raise FormatError(f"{path}: not JSON ({error}). {_AGAIN}") from None
    if not isinstance(record, dict):
        raise FormatError(f"{path}: {quote(record)} is no JSON object. {_AGAIN}")
    return kind.from_record(record, where=str(path))

"""`cloze-gen evaluate`: a test set in, every baseline's figures out; the kind of its items says which room evaluates it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.commands.asked import check_apart, find_run_folder, local_model_row, user_row
from cloze_gen.commands.asked_blanks import blanks_of_file, blanks_of_run
from cloze_gen.commands.asked_passages import passages_of_file, passages_of_run
from cloze_gen.commands.asked_questions import questions_of_file, questions_of_run
from cloze_gen.commands.evaluate_blanks import evaluate_blanks
from cloze_gen.commands.evaluate_passages import evaluate_passages
from cloze_gen.commands.evaluate_questions import evaluate_questions
from cloze_gen.commands.evaluation_folder import check_place
from cloze_gen.errors import UsageError
from cloze_gen.evaluate.selection import LOCAL_MODEL, check_files, split_files
from cloze_gen.pipelines.build import forget_what_was_read
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.stages.evaluation.blank_sets import holds_blanked_passages
from cloze_gen.stages.evaluation.passage_sets import holds_passages
from cloze_gen.stages.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.stages.items.kind import ItemKind
from cloze_gen.stages.items.passages import PASSAGE_ITEMS
from cloze_gen.stages.items.questions import QUESTION_ITEMS
from cloze_gen.stages.release.pointer_files import POINTERS
from cloze_gen.store.runs import RUN_FILE, check_as_written


def evaluate(
    *, items: str, answers: Path | None, train: str, only: Sequence[str], scores: Path | None, people: Path | None, out: Path, workers: int,
    seed: int, write_to: Path | None = None, columns: int | None = None,
) -> str:  # fmt: skip
    """Evaluate, write `evaluation.json` and `predictions.jsonl`, and return the table.

    Args:
        people: what people said of the items.
        columns: of the screen that it is for; None where nobody looks.
    Raises:
        UsageError: no such items, no answers, verdicts of other items, an unknown baseline, or a folder to write to that holds other
            things.
    """
    forget_what_was_read()
    if write_to is not None:
        check_place(write_to)
    run = find_run_folder(items, out)
    if run is not None:
        check_as_written(run, RUN_FILE)
    kind = _kind_of_file(Path(items)) if run is None else style_of_run(run).items
    path = Path(items) if run is None else run
    given: dict[str, Any] = {"train": train, "out": out, "workers": workers}
    words, listed = split_files(only)
    files = [*map(Path, listed), *([] if scores is None else [scores])]
    check_files(words, scores=bool(files), people=people is not None)
    check_apart([user_row(file)[0] for file in files] + [local_model_row(word) for word in words if word.startswith(LOCAL_MODEL)])
    asked: dict[str, Any] = {
        "only": words,
        "scores": files,
        "out": out,
        "workers": workers,
        "seed": seed,
        "write_to": write_to,
        "columns": columns,
    }
    if kind is QUESTION_ITEMS:
        questions = questions_of_file if run is None else questions_of_run
        return evaluate_questions(questions(path, answers=answers, **given), people=people, **asked)
    if answers is not None:
        raise UsageError("--answers: a passage holds its own; leave it out.")
    if kind is BLANKED_ITEMS:
        blanks = blanks_of_file if run is None else blanks_of_run
        return evaluate_blanks(blanks(path, **given), people=people, **asked)
    if people is not None:
        raise UsageError("--people: what people said of a passage's last word made its set (`guesses`); leave it out.")
    passages = passages_of_file if run is None else passages_of_run
    return evaluate_passages(passages(path, **given), **asked)


def _kind_of_file(path: Path) -> ItemKind:
    """What a file holds; questions, unless it looks like passages."""
    if path.name.endswith(POINTERS):
        raise UsageError(f"{path}: says where texts stand and holds none. `cloze-gen fill` gives them back; then evaluate what it writes.")
    if holds_blanked_passages(path):
        return BLANKED_ITEMS
    return PASSAGE_ITEMS if holds_passages(path) else QUESTION_ITEMS

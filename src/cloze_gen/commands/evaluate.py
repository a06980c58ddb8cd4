"""`cloze-gen evaluate`: questions or passages in, every baseline's figures out; what is found says which room evaluates it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen.commands.asked import find_run_folder
from cloze_gen.commands.asked_passages import passages_of_file, passages_of_run
from cloze_gen.commands.asked_questions import questions_of_file, questions_of_run
from cloze_gen.commands.evaluate_passages import evaluate_passages
from cloze_gen.commands.evaluate_questions import evaluate_questions
from cloze_gen.commands.evaluation_folder import check_place
from cloze_gen.errors import UsageError
from cloze_gen.pipelines.build import forget_what_was_read
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.stages.evaluation.passage_sets import holds_passages
from cloze_gen.stages.item_kind import PASSAGE_ITEMS
from cloze_gen.store.runs import RUN_FILE, check_as_written


def evaluate(
    *, items: str, answers: Path | None, train: str, only: Sequence[str], scores: Path | None, out: Path, workers: int, seed: int,
    write_to: Path | None = None,
) -> str:  # fmt: skip
    """Evaluate, write `evaluation.json` and `predictions.jsonl`, and return the table.

    Raises:
        UsageError: no such items, no answers, an unknown baseline, or a folder to write to that holds other things.
    """
    forget_what_was_read()
    if write_to is not None:
        check_place(write_to)
    run = find_run_folder(items, out)
    if run is not None:
        check_as_written(run, RUN_FILE)
    measured = {"only": only, "scores": scores, "out": out, "workers": workers, "seed": seed, "write_to": write_to}
    given = {"train": train, "out": out, "workers": workers}
    kind = _kind(Path(items), run)
    if kind == QUESTIONS:
        if run is None:
            questions = questions_of_file(Path(items), answers=answers, **given)
        else:
            questions = questions_of_run(run, answers=answers, **given)
        return evaluate_questions(questions, **measured)
    if answers is not None:
        raise UsageError("--answers: a passage holds its answers; leave it out.")
    if kind == BLANKED_PASSAGES:
        return evaluate_blanks(blanks_of_file(Path(items), **given) if run is None else blanks_of_run(run, **given), **measured)
    return evaluate_passages(passages_of_file(Path(items), **given) if run is None else passages_of_run(run, **given), **measured)

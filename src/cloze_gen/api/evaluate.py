"""Evaluates a release, a run or a file of items with baselines and a user's own scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.api.evaluate_blanks import BlankKind
from cloze_gen.api.evaluate_passages import PassageKind
from cloze_gen.api.evaluate_questions import QuestionKind
from cloze_gen.api.evaluator import (
    Evaluation,
    Kind,
    Request,
    Source,
    check_apart,
    check_write_to,
    measure,
    user_row,
)
from cloze_gen.api.release import Release, open_full
from cloze_gen.api.run import Run
from cloze_gen.engine.threads import one_thread
from cloze_gen.errors import UsageError
from cloze_gen.evaluation.selection import check_files
from cloze_gen.evaluation.sets import holds_blanked_passages, holds_passages
from cloze_gen.parsing import quote
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.release.folder import untrusted_input
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.items.kind import ItemKind
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.pointers import POINTERS
from cloze_gen.store.runs import RELEASE_FILE, RUN_FILE, check_as_written, leads_to, seek_run


def evaluate(
    release: Release | Run | str | Path,
    *,
    scores: str | Path | Sequence[str | Path] | None = None,
    only: Sequence[str] = (),
    train: str | Path = "",
    people: str | Path | None = None,
    out: str | Path = "artifacts",
    workers: int = 2,
    seed: int = 1,
    write_to: str | Path | None = None,
) -> Evaluation:
    """Measure a set with baselines and your own scores, as `cloze-gen evaluate` does.

    Args:
        release: a release or its folder, a run, its folder or its name in `out`, or a file of
            items. The baselines of a release inside its run are trained on the run's books.
        scores: file with the scores of your model, or several such files.
        only: names or kinds of baselines; empty: all.
        train, people, write_to: as the options of the command.

    Raises:
        UsageError: wrong arguments.
        FormatError: scores or items do not follow their format.
    """
    return evaluate_items(
        _place(release),
        train=str(train),
        only=only,
        scores=_paths(scores),
        people=_path("people", people),
        out=Path(out),
        workers=workers,
        seed=seed,
        write_to=_path("write_to", write_to),
    )


def _paths(scores: str | Path | Sequence[str | Path] | None) -> list[Path]:
    files: Sequence[Any] = scores if isinstance(scores, list | tuple) else [scores]
    return [path for path in (_path("scores", file) for file in files) if path is not None]


def _path(argument: str, given: str | Path | None) -> Path | None:
    if given is not None and not isinstance(given, str | Path):
        raise UsageError(
            f"{argument}: is a {type(given).__name__}. Write it to a file and give its name; "
            "docs/how-to/evaluating-models.md of cloze-gen has the formats."
        )
    return None if given is None else Path(given)


def _place(release: Release | Run | str | Path) -> str:
    return str(release.folder.absolute() if isinstance(release, Release | Run) else release)


def evaluate_items(
    items: str, *, train: str, only: Sequence[str], scores: Sequence[Path], people: Path | None, out: Path, workers: int, seed: int,
    write_to: Path | None = None, answers: Path | None = None,
) -> Evaluation:  # fmt: skip
    """Evaluate a run (by its name in `out` or its folder), a release or a file."""
    if write_to is not None:
        check_write_to(write_to)
    source, shape = source_of(items, out)
    check_files(only, scores=bool(scores), people=people is not None)
    check_apart([user_row(file)[0] for file in scores])
    if answers is not None and shape is not QUESTION_ITEMS:
        raise UsageError("--answers: passages contain their own answers. Leave it out.")
    if people is not None and shape is PASSAGE_ITEMS:
        raise UsageError(
            "--people: LAMBADA's passages were already selected by people's guesses of the last "
            "word, so they cannot be measured with them. Leave it out."
        )
    request = Request(
        answers=answers, train=train, only=only, scores=scores, people=people, out=out, workers=workers, seed=seed, write_to=write_to,
    )  # fmt: skip
    kind = _kind_of(shape)
    with one_thread():  # the last digits of a product depend on the number of threads
        return measure(kind, kind.read(source, request), request)


def source_of(items: str, out: Path) -> tuple[Source, ItemKind]:
    """The items of a run or a release, by name or folder, or of a file, and their kind.

    UsageError if there are none.
    """
    run, path = seek_run(out, items), Path(items)
    if run is not None:
        run = run.resolve()
        check_as_written(run, RUN_FILE)
        return Source.of_run(run), style_of_run(run).items
    if leads_to(path / RELEASE_FILE, os.path.lexists):
        with untrusted_input(path):
            release, style = open_full(path, "evaluate")
            release.read(style.items.file)
        path = path / style.items.file
    elif leads_to(path, Path.is_dir):
        raise UsageError(
            f"{items}: a folder, but not a run (no {RUN_FILE} in it) or a release (no "
            f"{RELEASE_FILE}). Give a run, a release, a questions.jsonl or passages.jsonl, or a "
            "published file of MSR, LAMBADA or SCDE."
        )
    elif not leads_to(path, Path.is_file):
        raise UsageError(
            f"{quote(items, most_chars=300)}: neither a run in {out} nor a release nor a file. List "
            f"the runs with `cloze-gen runs --out {out}`."
        )
    return Source(path), _shape_of_file(path)


def _kind_of(shape: ItemKind) -> Kind[Any, Any, Any, Any]:
    if shape is BLANKED_ITEMS:
        return BlankKind()
    return PassageKind() if shape is PASSAGE_ITEMS else QuestionKind()


def _shape_of_file(path: Path) -> ItemKind:
    if path.name.endswith(POINTERS):
        raise UsageError(
            f"{path}: contains pointers to text, but no text. Rebuild the full set with "
            "`cloze-gen fill`, then evaluate that."
        )
    if holds_blanked_passages(path):
        return BLANKED_ITEMS
    return PASSAGE_ITEMS if holds_passages(path) else QUESTION_ITEMS

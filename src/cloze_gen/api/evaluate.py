"""Evaluates a release, a run or a file of items with baselines and a user's own scores."""

from __future__ import annotations

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
    local_model_row,
    measure,
    user_row,
)
from cloze_gen.api.release import Release
from cloze_gen.api.run import Run
from cloze_gen.errors import UsageError
from cloze_gen.evaluation.selection import LOCAL_MODEL, check_files, split_files
from cloze_gen.evaluation.sets import holds_blanked_passages, holds_passages
from cloze_gen.parsing import quote
from cloze_gen.pipelines.style_task import find_style, style_of_run
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.items.kind import ItemKind
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.pointers import POINTERS
from cloze_gen.store.artifacts import Store
from cloze_gen.store.runs import RUN_FILE, check_as_written, leads_to


def evaluate(
    release: Release | Run | str | Path,
    *,
    scores: str | Path | None = None,
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
        release: a release that `load` read, a run, its name in `out`, or a file of items. The
            baselines of a release inside its run are trained on the run's books.
        scores: file with the scores of your model.
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
        scores=_path(scores),
        people=_path(people),
        out=Path(out),
        workers=workers,
        seed=seed,
        write_to=_path(write_to),
    )


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)


def _place(release: Release | Run | str | Path) -> str:
    """The folder of a run, or a file of items."""
    if isinstance(release, Release):
        of_run = (release.folder.parent / RUN_FILE).is_file()
        file = release.folder / find_style(release.facts.style).items.file
        return str(release.folder.parent if of_run else file)
    return str(release.folder if isinstance(release, Run) else release)


def evaluate_items(
    items: str, *, train: str, only: Sequence[str], scores: Path | None, people: Path | None, out: Path, workers: int, seed: int,
    write_to: Path | None = None, answers: Path | None = None,
) -> Evaluation:  # fmt: skip
    """Evaluate a run (by its name in `out` or its folder) or a file."""
    if write_to is not None:
        check_write_to(write_to)
    run, shape = shape_of(items, out)
    words, listed = split_files(only)
    files = [*map(Path, listed), *([] if scores is None else [scores])]
    check_files(words, scores=bool(files), people=people is not None)
    check_apart(
        [user_row(file)[0] for file in files]
        + [local_model_row(word) for word in words if word.startswith(LOCAL_MODEL)]
    )
    if answers is not None and shape is not QUESTION_ITEMS:
        raise UsageError("--answers: passages contain their own answers. Leave it out.")
    if people is not None and shape is PASSAGE_ITEMS:
        raise UsageError(
            "--people: LAMBADA's passages were already selected by people's guesses of the last "
            "word, so they cannot be measured with them. Leave it out."
        )
    request = Request(
        answers=answers, train=train, only=words, scores=files, people=people, out=out, workers=workers, seed=seed, write_to=write_to,
    )  # fmt: skip
    source = Source(Path(items)) if run is None else Source.of_run(run)
    kind = _kind_of(shape)
    return measure(kind, kind.read(source, request), request)


def shape_of(items: str, out: Path) -> tuple[Path | None, ItemKind]:
    """The run, None for a file, and the kind of its items."""
    run = _find_run(items, out)
    if run is None:
        return None, _shape_of_file(Path(items))
    check_as_written(run, RUN_FILE)
    return run, style_of_run(run).items


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


def _find_run(items: str, out: Path) -> Path | None:
    """The folder of a run, by name or path; None for a file; UsageError if neither exists."""
    places = (Store(out).runs / items, Path(items))
    run = next((folder for folder in places if leads_to(folder / RUN_FILE, Path.is_file)), None)
    if run is not None:
        return run.resolve()
    if leads_to(Path(items), Path.is_dir):
        expected = (
            "Give a run, a questions.jsonl or passages.jsonl, or a published file of MSR, LAMBADA "
            "or SCDE."
        )
        raise UsageError(f"{items}: a folder, but not a run (no {RUN_FILE} in it). {expected}")
    if not leads_to(Path(items), Path.is_file):
        raise UsageError(
            f"{quote(items, most_chars=300)}: neither a run in {out} nor a file. List the runs with "
            f"`cloze-gen runs --out {out}`."
        )
    return None

"""`cloze-gen evaluate`: measure baselines on a test set; and `export-requests`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.cli.evaluate_blanks import BlankKind
from cloze_gen.cli.evaluate_items import analyse_items
from cloze_gen.cli.evaluate_passages import PassageKind
from cloze_gen.cli.evaluate_questions import QuestionKind
from cloze_gen.cli.evaluator import (
    Kind,
    Request,
    Source,
    check_apart,
    check_write_to,
    evaluate,
    local_model_row,
    user_row,
)
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.evaluate.selection import LOCAL_MODEL, check_files, split_files
from cloze_gen.evaluate.sets import holds_blanked_passages, holds_passages
from cloze_gen.parsing import error_text, quote
from cloze_gen.pipelines.style_task import style_of_run
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.items.kind import ItemKind
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.release.items.questions import QUESTION_ITEMS
from cloze_gen.release.pointers import POINTERS
from cloze_gen.store.artifacts import Store
from cloze_gen.store.runs import RUN_FILE, check_as_written, find_run, leads_to, stage_artifact


def evaluate_items(
    *, items: str, answers: Path | None, train: str, only: Sequence[str], scores: Path | None, people: Path | None, out: Path, workers: int,
    seed: int, write_to: Path | None = None, columns: int | None = None, logs: Sequence[str] = (), blind: Sequence[str] = (),
) -> str:  # fmt: skip
    """Evaluate a run (by its name in `out` or its folder) or a file; returns the table."""
    if blind and not logs:
        raise UsageError("--blind: give the log of the same model on the set itself with --items.")
    if write_to is not None and not logs:
        check_write_to(write_to)
    run = find_items(items, out)
    if run is not None:
        check_as_written(run, RUN_FILE)
    shape = shape_of_file(Path(items)) if run is None else style_of_run(run).items
    if logs:
        baselines = {"--train": train, "--only": only, "--scores": scores, "--people": people}
        unused = [name for name, value in baselines.items() if value]
        if unused:
            raise UsageError(f"{unused[0]}: has no effect with --items. Leave it out.")
        source = Source(Path(items)) if run is None else Source.of_run(run)
        return analyse_items(
            source, shape, logs=logs, blind=blind, answers=answers, out=out, write_to=write_to, columns=columns
        )  # fmt: skip
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
        columns=columns,
    )  # fmt: skip
    source = Source(Path(items)) if run is None else Source.of_run(run)
    kind = _kind_of(shape)
    return evaluate(kind, kind.read(source, request), request)


def _kind_of(shape: ItemKind) -> Kind[Any, Any, Any, Any]:
    if shape is BLANKED_ITEMS:
        return BlankKind()
    return PassageKind() if shape is PASSAGE_ITEMS else QuestionKind()


def shape_of_file(path: Path) -> ItemKind:
    if path.name.endswith(POINTERS):
        raise UsageError(
            f"{path}: contains pointers to text, but no text. Rebuild the full set with "
            "`cloze-gen fill`, then evaluate that."
        )
    if holds_blanked_passages(path):
        return BLANKED_ITEMS
    return PASSAGE_ITEMS if holds_passages(path) else QUESTION_ITEMS


def find_items(items: str, out: Path) -> Path | None:
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


# ---- `cloze-gen export-requests`


def export_requests(out: Path, run: str, to: Path, *, rendering: str) -> str:
    folder = find_run(out, run)
    style = style_of_run(folder)
    if style.requests is None:
        raise UsageError(
            f"{folder.name}: {style.name} has no requests for your own models. Give a run of "
            "lambada-style or scde-style."
        )
    if rendering not in style.requests.renderings:
        raise UsageError(
            f"--rendering {quote(rendering)}: unknown. Give {' or '.join(style.requests.renderings)}."
        )
    lines = style.requests.write(stage_artifact(folder, style.requests.stage), rendering)
    count = 0
    try:
        with open(to, "x", encoding="utf-8", newline="\n") as handle:
            for line in lines:
                handle.write(f"{line}\n")
                count += 1
    except FileExistsError:
        raise UsageError(
            f"{to}: the file exists. Nothing was written. Give a new file to --to."
        ) from None
    except OSError as error:
        raise UsageError(f"{to}: cannot be written ({error_text(error)}).") from None
    say(
        f"{count:,} passages, {rendering}. Next: answer each with {style.requests.answer}, then "
        f"{style.requests.then}."
    )
    return f"written to {to}"

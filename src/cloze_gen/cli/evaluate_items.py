"""`cloze-gen evaluate --items`: item analysis of the choices of several models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.api.evaluator import PREDICTIONS, Evaluation, Source
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.evaluation.items import (
    LEAST_MODELS,
    SUSPECT,
    ItemFigures,
    ItemSet,
    analyse,
    suspects,
)
from cloze_gen.evaluation.sets import (
    read_cloze_examples,
    read_passage_examples,
    read_question_set,
)
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.items.kind import ItemKind
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.store.artifacts import Store
from cloze_gen.store.folder_replacement import check_own_folder, own_folder_lock, replace_entries
from cloze_gen.store.runs import evaluation_place, lies_in_output
from cloze_gen.store.tables import read_jsonl, write_jsonl
from cloze_gen.text_layout import table_lines

ITEMS_SCHEMA = "cloze-gen/items"
_ITEMS, _SUSPECTS = "items.jsonl", "suspects.jsonl"
_SHOWN = 20
_WEAK = 0.7
_DECODER = "EXH"  # of blanks


def check_request(rows: Sequence[str], write_to: Path | None) -> None:
    """UsageError for too few files of scores, or for a folder of the user's beside `write_to`."""
    if len(rows) < LEAST_MODELS:
        raise UsageError(
            f"--items: {len(rows)} models; item analysis needs at least {LEAST_MODELS}. Give the "
            "scores of other models with --scores."
        )
    if write_to is not None:
        check_own_folder(_beside(write_to), ITEMS_SCHEMA, option="--write-to")


def analyse_items(
    evaluation: Evaluation, source: Source, shape: ItemKind, *, rows: Sequence[str], answers: Path | None
) -> str:  # fmt: skip
    """Analyse the predictions of `rows`; returns the table."""
    items = _read_items(source, shape, answers)
    choices = _read_choices(evaluation.folder / PREDICTIONS, items, rows)
    found = analyse(items, choices)
    folder = _beside(evaluation.folder)

    def write(partial: Path) -> None:
        write_jsonl(partial / _ITEMS, (one.model_dump() for one in found))
        write_jsonl(partial / _SUSPECTS, (one.model_dump() for one in suspects(found)))
        if source.path.suffix == ".jsonl":
            write_jsonl(partial / _with_items(source.path), _with_columns(source.path, found))

    with own_folder_lock(folder):
        for line in replace_entries(folder, ITEMS_SCHEMA, write):
            say(f"evaluate: {line}")
    right = (choices == items.answers[:, None]).mean(axis=0)
    lines = _lines(found, items, best=float(right.max()))
    return "\n".join([*lines, f"written to {folder}"])


def analysed_file(source: Source, shape: ItemKind, out: Path) -> Path | None:
    """The items of a run with the columns of their analysis; None without one in its place."""
    run = source.run
    if run is None:
        return None
    root = run.parent.parent if lies_in_output(run) else Store(out).root
    folder = _beside(evaluation_place(root, run.name, shape.read_set(source.path)))
    path = folder / _with_items(source.path)
    return path if path.is_file() else None


def _beside(evaluation: Path) -> Path:
    return evaluation.with_name(f"{evaluation.name}-items")


def _with_items(path: Path) -> str:
    return f"{path.stem}_with_items.jsonl"


def _read_items(source: Source, shape: ItemKind, answers: Path | None) -> ItemSet:
    """Blanks have the ids ``PASSAGE:BLANK``, from 1."""
    if shape is PASSAGE_ITEMS:
        # A passage can also be in the control set.
        ids = tuple(dict.fromkeys(one.id for one in read_passage_examples(source.path).passages))
        return ItemSet(ids, ((),) * len(ids), np.zeros(len(ids), np.int64), "passages")
    if shape is BLANKED_ITEMS:
        rows = [
            (f"{one.passage.id}:{blank}", tuple(one.passage.candidates), answer)
            for one in read_cloze_examples(source.path).passages
            for blank, answer in enumerate(one.passage.answers, 1)
        ]
        noun = "blanks"
    else:
        questions = read_question_set(source.path, answers).questions
        rows = [(one.id, one.options, one.answer_index) for one in questions]
        noun = "questions"
    ids, options, keys = zip(*rows, strict=True)
    return ItemSet(ids, options, np.array(keys, np.int64), noun)


def _read_choices(path: Path, items: ItemSet, rows: Sequence[str]) -> NDArray[np.int64]:
    """The option that each row chooses, shape (items, rows); see `analyse`."""
    item_of = {item_id: i for i, item_id in enumerate(items.ids)}
    column_of = {row: j for j, row in enumerate(rows)}
    choices = np.zeros((len(item_of), len(rows)), np.int64)
    for record in read_jsonl(path):
        column = column_of.get(record["baseline"])
        if column is None:
            continue
        if "option" in record:
            if record["chosen"]:
                choices[item_of[record["id"]], column] = record["option"]
        elif "answers" in record:
            if record["decoder"] == _DECODER:
                for blank, answer in enumerate(record["answers"], 1):
                    choices[item_of[f"{record['id']}:{blank}"], column] = answer
        elif record["right"] is None:
            raise UsageError(
                f"--items: {record['baseline']} has neither `rank` nor `correct`, so no right "
                "answers are known. Add one of them to its scores."
            )
        else:
            choices[item_of[record["id"]], column] = 0 if record["right"] else 1
    return choices


def _with_columns(path: Path, found: Sequence[ItemFigures]) -> Iterator[Mapping[str, Any]]:
    """The records of the set with their figures: an object, or a list for the blanks of a passage."""
    by_id = {one.id: one.model_dump(exclude={"id"}) for one in found}
    for record in read_jsonl(path):
        item_id = str(record.get("id"))
        blanks = [by_id.get(f"{item_id}:{i}") for i in range(1, len(record.get("blanks", ())) + 1)]
        yield record | {"items": blanks if blanks else by_id.get(item_id)}


# ---- Table


def _lines(found: Sequence[ItemFigures], items: ItemSet, *, best: float) -> Iterator[str]:
    if not items.has_options:
        yield f"{len(found):,} passages; items without options have no suspicion"
        return
    listed = suspects(found)
    yield ""
    rows = [
        (one.id, f"{100 * (one.suspicion or 0):.1f} %", f"{one.difficulty:.2f}",
         "-" if one.item_rest is None else f"{one.item_rest:.2f}")
        for one in listed[:_SHOWN]
    ]  # fmt: skip
    if rows:
        names = ("suspect", "suspicion", "share right", "item-rest")
        yield from table_lines(names, rows, left=frozenset({"suspect"}))
        yield ""
        yield from (f"{one.id}: {one.reason}" for one in listed[:_SHOWN])
    shown = f" The {_SHOWN} most suspect are shown." if len(listed) > _SHOWN else ""
    yield (
        f"{len(listed):,} of {len(found):,} {items.noun} are suspect: suspicion is at least "
        f"{100 * SUSPECT:.0f} %.{shown}"
    )
    if best < _WEAK:
        yield (
            f"The best model is right on {100 * best:.0f} %. Models below {100 * _WEAK:.0f} % find "
            "few faults, so a short list of suspects does not show that the items are good."
        )

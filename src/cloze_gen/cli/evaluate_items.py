"""`cloze-gen evaluate --items`: item analysis of models' logs; with `--blind`, blind controls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cloze_gen import __version__
from cloze_gen.api.evaluator import Source
from cloze_gen.engine.progress import say
from cloze_gen.errors import UsageError
from cloze_gen.evaluation.item_analysis import (
    LEAST_MODELS_2PL,
    MISSING,
    SUSPECT,
    BlindFigures,
    ItemAnalysis,
    ItemSet,
    ModelChoices,
    analyse,
    compare_blind,
)
from cloze_gen.evaluation.questions import QuestionSet, check_answers
from cloze_gen.evaluation.response_logs import LOG_FORMATS, read_models
from cloze_gen.evaluation.rows import BY_BOOK
from cloze_gen.evaluation.sets import (
    read_cloze_examples,
    read_passage_examples,
    read_question_set,
)
from cloze_gen.parsing import quote
from cloze_gen.release.items.blanked_passages import BLANKED_ITEMS
from cloze_gen.release.items.kind import ItemKind
from cloze_gen.release.items.passages import PASSAGE_ITEMS
from cloze_gen.release.plots import items_plot
from cloze_gen.store.artifacts import Store
from cloze_gen.store.folder_replacement import check_own_folder, own_folder_lock, replace_published
from cloze_gen.store.manifest import write_bytes, write_json
from cloze_gen.store.runs import lies_in_output
from cloze_gen.store.tables import read_jsonl, write_jsonl
from cloze_gen.text_layout import printable, table_lines

ITEMS_SCHEMA = "cloze-gen/items"
_LOGS = ("samples_*.jsonl", "predictions.jsonl", "*.eval", "*.json", "*.tsv")
_RESULTS = "results_"  # begins the name of lm-evaluation-harness's files of results
_BLIND = "_blind"
_SUMMARY, _ITEMS, _SUSPECTS, _PICTURE = (
    "analysis.json",
    "items.jsonl",
    "suspects.jsonl",
    "items.svg",
)
_SHOWN = 20
_OTHER = "another word"  # the wrong option of open-ended items
_RIGHT = "the target"


def analyse_items(
    source: Source, shape: ItemKind, *, logs: Sequence[str], blind: Sequence[str], answers: Path | None, out: Path,
    write_to: Path | None,
) -> str:  # fmt: skip
    """Analyse the items, or with `blind` compare one model with its controls; returns the table."""
    if write_to is not None:
        check_own_folder(write_to, ITEMS_SCHEMA, option="--write-to")
    items, digest = _read_items(source, shape, answers)
    models = read_models(find_logs(logs), items)
    folder = write_to or _default_folder(source, digest, out, "blind" if blind else "items")
    signature = source.signature(items.noun, digest, len(items.ids))
    head = {"version": 1, "cloze_gen": __version__, "signature": signature}
    if blind:
        if len(models) != 1:
            raise UsageError(
                f"--blind: compares one model with its blind controls, but --items has "
                f"{len(models)} models. Give the log of one model."
            )
        if items.open_ended:
            raise UsageError(
                "--blind: passages have no options, so there is no control without the context. "
                "Leave it out."
            )
        controls = read_models(find_logs(blind), items)
        rows = compare_blind(items, models[0], controls)
        partly = _partly([*models, *controls], items, f"all rows use the same {rows[0].n:,}")
        record = head | {"blind": [one.model_dump() for one in rows]}
        _write(folder, lambda partial: write_json(partial / _SUMMARY, record))
        return "\n".join([*_blind_lines(rows), *partly, f"written to {folder}"])
    found = analyse(items, models)
    record = head | {
        "n": len(found.items), "suspects": len(found.suspects), "difficulty_sd": round(found.spread, 3),
        "models": [one.model_dump() for one in found.models],
    }  # fmt: skip

    def write(partial: Path) -> None:
        write_json(partial / _SUMMARY, record)
        write_jsonl(partial / _ITEMS, (one.model_dump() for one in found.items))
        write_jsonl(partial / _SUSPECTS, (one.model_dump() for one in found.suspects))
        write_bytes(partial / _PICTURE, items_plot(found.items).encode())
        if source.path.suffix == ".jsonl":
            write_jsonl(partial / _with_items(source.path), _with_columns(source.path, found))

    _write(folder, write)
    partly = _partly(models, items, "its row uses these")
    return "\n".join([*_lines(found, items), *partly, f"written to {folder}"])


def _read_items(source: Source, shape: ItemKind, answers: Path | None) -> tuple[ItemSet, str]:
    """The items and the digest of the set. Blanks have the ids ``PASSAGE:BLANK``, from 1."""
    if shape is PASSAGE_ITEMS:
        passages = read_passage_examples(source.path)
        right = np.zeros(len(passages.passages), np.int64)
        ids, books = zip(*((one.id, one.book) for one in passages.passages), strict=True)
        options = ((_RIGHT, _OTHER),) * len(ids)
        return ItemSet(ids, options, right, books, "passages", open_ended=True), passages.digest
    if shape is BLANKED_ITEMS:
        blanked = read_cloze_examples(source.path)
        rows = [
            (f"{one.passage.id}:{blank}", tuple(one.passage.candidates), answer, one.book)
            for one in blanked.passages
            for blank, answer in enumerate(one.passage.answers, 1)
        ]
        return _item_set(rows, "blanks"), blanked.digest
    if source.run is not None and answers is not None:
        raise UsageError("--answers: a run has its own answers. Leave it out.")
    found: QuestionSet = read_question_set(source.path, answers)
    check_answers(found.questions)
    rows = [(one.id, one.options, one.answer_index, one.book_id) for one in found.questions]
    return _item_set(rows, "questions"), found.digest


def find_logs(given: Sequence[str]) -> list[Path]:
    """Files, folders of logs (searched at all depths, without blind controls), and glob patterns.

    UsageError if one has no log.
    """
    found: list[Path] = []
    for one in given:
        path = Path(one)
        if path.is_dir():
            files = sorted({file for pattern in _LOGS for file in path.rglob(pattern)})
            files = [
                file
                for file in files
                if not file.name.startswith(_RESULTS) and _BLIND not in file.name
            ]
        elif path.exists() or not set("*?[") & set(one):
            files = [path]
        else:
            pattern = path.relative_to(path.anchor).as_posix()
            files = sorted(Path(path.anchor or ".").glob(pattern))
        if not files:
            raise UsageError(f"{quote(one, most_chars=300)}: no logs found. Give {LOG_FORMATS}.")
        found += files
    return list(dict.fromkeys(found))


def _item_set(rows: Sequence[tuple[str, tuple[str, ...], int, str]], noun: str) -> ItemSet:
    ids, options, keys, books = zip(*rows, strict=True)
    return ItemSet(ids, options, np.array(keys, np.int64), books, noun)


def _default_folder(source: Source, digest: str, out: Path, what: str) -> Path:
    run = source.run
    if run is None:
        return Store(out).root / "evaluations" / f"{digest}-{what}"
    root = run.parent.parent if lies_in_output(run) else Store(out).root
    return root / "evaluations" / f"{run.name}-{digest}-{what}"


def analysed_file(source: Source, shape: ItemKind, out: Path) -> Path | None:
    """The items of a run with the columns of their analysis; None without one in its place."""
    digest = shape.read_set(source.path).digest
    path = _default_folder(source, digest, out, "items") / _with_items(source.path)
    return path if path.is_file() else None


def _with_items(path: Path) -> str:
    return f"{path.stem}_with_items.jsonl"


def _write(folder: Path, write: Callable[[Path], None]) -> None:
    with own_folder_lock(folder, "items"):
        for line in replace_published(folder, ITEMS_SCHEMA, write):
            say(f"evaluate: {line}")


def _with_columns(path: Path, found: ItemAnalysis) -> Iterator[Mapping[str, Any]]:
    """The records of the set with their figures: an object, or a list for the blanks of a passage."""
    by_id: dict[str, Any] = {}
    for one in found.items:
        columns = {name: value for name, value in one.model_dump().items() if name != "id"}
        by_id[one.id] = columns
    for record in read_jsonl(path):
        item_id = str(record.get("id"))
        blanks = [by_id.get(f"{item_id}:{i}") for i in range(1, len(record.get("blanks", ())) + 1)]
        yield record | {"items": blanks if blanks else by_id.get(item_id)}


# ---- Tables


def _lines(found: ItemAnalysis, items: ItemSet) -> Iterator[str]:
    cells = [
        (one.name, f"{100 * one.accuracy:.2f} %", f"{100 * one.low:.2f} - {100 * one.high:.2f}",
         "-" if one.book_margin is None else f"{100 * one.book_margin:.2f}", f"{one.n:,}", f"{one.ability:.2f}")
        for one in sorted(found.models, key=lambda one: -one.ability)
    ]  # fmt: skip
    header = ("model", "accuracy", "95 % interval", BY_BOOK, "n", "ability")
    yield from table_lines(header, cells, left=frozenset({"model"}))
    yield ""
    suspects, n_models = found.suspects, len(found.models)
    rows = [
        (one.id, f"{100 * one.suspicion:.1f} %", _cell(one.difficulty), _cell(one.item_rest),
         _cell(one.discrimination))
        for one in suspects[:_SHOWN]
    ]  # fmt: skip
    if suspects:
        names = ("suspect", "P(fault)", "share right", "item-rest", "2PL slope")
        table = table_lines(names, rows, left=frozenset({"suspect"}))
        reasons = [f"  {one.reason}" for one in suspects[:_SHOWN]]
        yield table[0]
        for line, reason in zip(table[1:], reasons, strict=True):
            yield line
            yield reason
    shown = f" The {_SHOWN} most suspect are shown." if len(suspects) > _SHOWN else ""
    yield (
        f"{len(suspects):,} of {len(items.ids):,} {items.noun} are suspect: P(fault) is at least "
        f"{100 * SUSPECT:.0f} %.{shown}"
    )
    if n_models < LEAST_MODELS_2PL:
        yield (
            f"no 2PL discrimination: {n_models} models, and at least {LEAST_MODELS_2PL} are needed"
        )
    best = max(one.accuracy for one in found.models)
    if best < _WEAK:
        yield (
            f"The best model is right on {100 * best:.0f} %. Models below {100 * _WEAK:.0f} % find "
            "few faults, so a short list of suspects does not show that the items are good."
        )


def _partly(models: Sequence[ModelChoices], items: ItemSet, used: str) -> list[str]:
    """A line for each log that lacks items."""
    counts = [(one.name, int((one.choices != MISSING).sum())) for one in models]
    n = len(items.ids)
    return [
        f"{printable(name)} covers {count:,} of {n:,} {items.noun}; {used}"
        for name, count in counts
        if count < n
    ]


_WEAK = 0.7


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _blind_lines(rows: Sequence[BlindFigures]) -> Iterator[str]:
    header = ("log", "accuracy", "above chance", "95 %", "unchanged", "95 %")
    cells = [
        (one.name, f"{100 * one.accuracy:.2f} %", f"{100 * one.above_chance:+.2f}",
         f"{100 * one.above_low:+.2f} to {100 * one.above_high:+.2f}",
         *_unchanged(one))
        for one in rows
    ]  # fmt: skip
    yield from table_lines(header, cells, left=frozenset({"log"}))
    yield (
        f"{rows[0].n:,} items; chance is {100 * rows[0].chance:.1f} %. Unchanged: the blind model "
        "chooses the same option as with the sentence."
    )


def _unchanged(one: BlindFigures) -> tuple[str, str]:
    if one.unchanged is None or one.unchanged_low is None or one.unchanged_high is None:
        return "-", "-"
    return (
        f"{100 * one.unchanged:.2f} %",
        f"{100 * one.unchanged_low:.2f} to {100 * one.unchanged_high:.2f}",
    )

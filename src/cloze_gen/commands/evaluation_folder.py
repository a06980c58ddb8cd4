"""Where an evaluation is written, and how: its two files as one, beside nothing that is not its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cloze_gen.commands.asked import Asked
from cloze_gen.commands.own_folder import check_own_folder, own_folder_lock
from cloze_gen.commands.report import renew_report
from cloze_gen.engine.progress import say
from cloze_gen.errors import ClozeGenError
from cloze_gen.pipelines.styles import style_of_run
from cloze_gen.stages.release.documents import REPORT
from cloze_gen.store.artifacts import Store
from cloze_gen.store.folder_replacement import find_change, replace_published
from cloze_gen.store.locks import exclusive_lock
from cloze_gen.store.manifest import MANIFEST, write_json
from cloze_gen.store.runs import EVALUATION_FILE, EVALUATION_SCHEMA, RELEASE, evaluation_place, lies_in_output, released_folder, run_lock
from cloze_gen.store.tables import read_jsonl, write_jsonl

PREDICTIONS = "predictions.jsonl"
_KEPT = ("rules", "candidates", "people", "tagger")  # beside the baselines: what a call measures or not, and what rows rest on
EVALUATION_VERSION = 4  # raised when a row means something else; rows of another are not kept beside new ones


def check_place(folder: Path) -> None:
    """An evaluation is written into a folder of its own: a new one, an empty one, or one that holds an evaluation.

    Raises:
        UsageError: the folder holds other things, or is the one that the command was called in.
    """
    check_own_folder(folder, EVALUATION_SCHEMA, option="--write-to")


def write_evaluation(folder: Path, record: dict[str, Any], predictions: Iterable[Mapping[str, Any]], store: Store) -> None:
    """Write `evaluation.json` (the record) and `predictions.jsonl` (a row a prediction) as one.

    Rows of an earlier evaluation by the same signature that were not computed now stay. The files' columns: `docs/evaluation.md`.
    """
    rows = list(predictions)
    within = folder.resolve().is_relative_to(store.root.resolve())
    with own_folder_lock(folder, "evaluation", locks=store.store / ".locks" if within else None):
        old = _earlier(folder, record["signature"])
        if "tagger" in record and old.get("tagger", record["tagger"]) != record["tagger"]:
            say("evaluate: the earlier evaluation used another tagger; none of its rows is kept")
            old = {}
        if old:
            record = {name: old[name] for name in _KEPT if name in old} | record
            names = {row["name"] for row in record["baselines"]}
            kept = [row for row in old["baselines"] if row["name"] not in names]
            if kept:
                together = sorted(record["baselines"] + kept, key=lambda row: row["kind"] != "adversary")  # they stand first
                record = record | {"baselines": together}
                if "left_out" in record:
                    there = {row["name"] for row in kept}
                    record["left_out"] = {name: why for name, why in record["left_out"].items() if name not in there}
                if "joint_p" in record:  # the one of more rules; of as many, the new one
                    record["joint_p"] = max(record["joint_p"], old["joint_p"], key=lambda one: len(one.get("rules", ())))
                rows += [row for row in read_jsonl(folder / PREDICTIONS) if row["baseline"] not in names]

        def write(partial: Path) -> None:
            write_json(partial / EVALUATION_FILE, record)
            write_jsonl(partial / PREDICTIONS, rows)

        for line in replace_published(folder, EVALUATION_SCHEMA, write):
            say(f"evaluate: {line}")


def place_of(asked: Asked, store: Store) -> Path:
    """Where the evaluation of these items lies: of a run's under its name."""
    if asked.run is None:
        return store.root / "evaluations" / asked.items.digest
    out = asked.run.parent.parent if lies_in_output(asked.run) else store.root
    return evaluation_place(out, asked.run.name, asked.items)


def show_in_report(asked: Asked, evaluation: Path) -> None:
    """Show the evaluation of a run in its report. A run without its store can be evaluated all the same; a file has no report."""
    run = asked.run
    if run is None:
        return
    if not lies_in_output(run):
        say(f"report: left as it was, for {run} lies in no output folder, where its stages would be")
        return
    try:
        with exclusive_lock(run_lock(run)):
            items = style_of_run(run).items
            if items.read_set(released_folder(run) / items.file).digest != asked.items.digest:
                say(f"report: left as it was, for the run was made anew meanwhile, with other {items.noun}s")
                return
            renew_report(run, evaluation)
        say(f"report: {run / RELEASE / REPORT} shows it")
    except ClozeGenError as error:
        say(f"report: left as it was, for it cannot be made anew: {error}")


def _earlier(folder: Path, signature: str) -> dict[str, Any]:
    """The evaluation in a folder, where it is whole and of the same questions, training books and seed; else empty."""
    if not (folder / MANIFEST).exists():
        return {}
    changed = find_change(folder)
    if changed:
        say(f"evaluate: {changed} What was evaluated before is not counted on.")
        return {}
    found = json.loads((folder / EVALUATION_FILE).read_text(encoding="utf-8"))
    return found if (found["signature"], found.get("version")) == (signature, EVALUATION_VERSION) else {}

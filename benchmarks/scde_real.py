"""Measure the SCDE-style run on real books: each stage in a process of its own, the whole run with its evaluation, and hard distractors
beside random ones and none.

    python benchmarks/scde_real.py --books DIR --scratch DIR [--skip-stages] [--seed 1]

Prints Markdown. Stages are measured one after the other on an output folder of their own, two workers each: `wall s` and `CPU s` hold the
1 to 2 s that a process takes to start, `peak` is the largest resident set of any one process, sampled ten times a second. The whole run is
then made from the books as they are ingested (`ingest books` and `corpus books` are on disk), with its evaluation, models trained on the
way. The three kinds of distractors share their blanks, so their baselines are compared blank by blank.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from processes import Usage, measure, measure_stages, row

from cloze_gen.commands.run import make_task
from cloze_gen.pipelines.build import build, forget_what_was_read
from cloze_gen.pipelines.run import RunTask

_INGESTED = ("ingest books", "corpus books")
_KINDS = ("hard", "random", "none")
_QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def run_task(books: Path, out: Path, seed: int) -> RunTask:
    return make_task(config="scde-style", name="bench", out=out, workers=2, seed=seed, overrides=[], books=str(books))


def build_stage(books: Path, out: Path, seed: int, label: str) -> None:
    """Make one stage, whose inputs are on disk; what this program calls itself for."""
    [stage] = [task for task in run_task(books, out, seed).stages() if task.label == label]
    build(stage)


def bench_stages(books: Path, out: Path, seed: int, *, all_of_them: bool) -> dict[str, Usage]:
    """Every stage in a process of its own, inputs first; or those alone that the whole run finds on disk."""
    labels = [task.label for task in run_task(books, out, seed).stages() if all_of_them or task.label in _INGESTED]
    command = [sys.executable, __file__, "--books", str(books), "--scratch", str(out), "--seed", str(seed), "--stage"]
    return measure_stages(labels, lambda label: [*command, label])


def cloze_gen(*arguments: str) -> Usage:
    return measure([str(Path(sys.executable).parent / "cloze-gen"), *arguments], **_QUIET)


def bench_whole(books: Path, out: Path, seed: int) -> None:
    """The run and its evaluation from the ingested books on; then the other kinds of distractors, whose blanks are the same."""
    print("\n| whole process, ingest on disk | wall s | CPU s | peak of any process, GiB |\n|---|---:|---:|---:|", flush=True)
    told = []
    for kind in _KINDS:
        options = ["--out", str(out), "--workers", "2"]
        own = ["--name", kind, "--seed", str(seed), "--set", f"distractors.kind={kind}"]
        run = cloze_gen("run", "scde-style", "--books", str(books), *options, *own)
        evaluated = cloze_gen("evaluate", kind, *options)
        print(row(f"`cloze-gen run scde-style`, distractors {kind}", [run]))
        print(row(f"`cloze-gen evaluate`, distractors {kind}", [evaluated]), flush=True)
        told.append((run, evaluated))
    first = told[0]
    total = sum(usage.wall_seconds for usage in first)
    print(f"\nRun and evaluation of hard distractors take {total:.0f} s; at most 600 are asked.\n", flush=True)


def tell_baselines(out: Path) -> None:
    """BA and DE of each baseline, by EXH in its best context and in the widest, beside each other for the kinds of distractors."""
    records = {kind: json.loads((out / "runs" / kind / "evaluation" / "evaluation.json").read_text(encoding="utf-8")) for kind in _KINDS}
    print("| baseline, EXH | " + " | ".join(f"{kind}: BA %, DE" for kind in _KINDS) + " |\n|---|" + "---:|" * len(_KINDS))
    rows = {
        kind: {(one["name"], one["context"]): one for one in record["baselines"] if one["decoder"] != "INC"}
        for kind, record in records.items()
    }
    for name, context in rows["hard"]:
        if context in (None, "", "P+N", "AP+AN"):
            cells = (rows[kind][name, context] for kind in _KINDS)
            figures = " | ".join(f"{100 * one['ba']:.1f}, {one['de']:.3f}" for one in cells)
            print(f"| {name}, {context or '-'} | {figures} |")
    print("\n| candidates alone | " + " | ".join(_KINDS[:2]) + " |\n|---|---:|---:|")
    judges = {kind: {f"{one['name']}, {one['sees']}": one for one in records[kind]["candidates"]["classifiers"]} for kind in _KINDS[:2]}
    for name in judges["hard"]:
        cells = (judges[kind][name] for kind in _KINDS[:2])
        print(f"| AUC, {name} | " + " | ".join(f"{one['auc']:.3f} ({one['auc_low']:.3f} to {one['auc_high']:.3f})" for one in cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--books", type=Path, required=True, help="folder of the books")
    parser.add_argument("--scratch", type=Path, required=True, help="a new folder for the runs; what is written there stays")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip-stages", action="store_true", help="of the stages measure ingest alone")
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    args = parser.parse_args()
    forget_what_was_read()
    if args.stage:
        build_stage(args.books, args.scratch, args.seed, args.stage)
        return
    args.scratch.mkdir(parents=True)
    for path in args.books.iterdir():
        if path.is_file():
            path.read_bytes()  # so that every run finds the files cached
    if not args.skip_stages:
        bench_stages(args.books, args.scratch / "stages", args.seed, all_of_them=True)
    whole = args.scratch / "whole"
    bench_stages(args.books, whole, args.seed, all_of_them=False)
    bench_whole(args.books, whole, args.seed)
    tell_baselines(whole)


if __name__ == "__main__":
    main()

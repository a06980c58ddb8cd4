"""Measure the SCDE-style run on real books: each stage, the whole run with evaluation, and three
kinds of distractors.

    python benchmarks/scde_real.py --books DIR --scratch DIR [--skip-stages] [--seed 1]

Prints Markdown. Each stage runs in its own process with two workers; `wall s` and `CPU s` include 1
to 2 s of start-up; `peak` is the largest resident set of any one process, sampled ten times a
second. The whole run starts from ingested books and trains its evaluation's models. The kinds of
distractors (hard, random, none) share their blanks, so baselines are compared blank by blank.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from processes import Usage, add_run_options, cloze_gen, measure, measure_stages, row

from cloze_gen.api.run import make_task
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.task import build

_INGESTED = ("ingest books", "corpus books")
_KINDS = ("hard", "random", "none")
_QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def run_task(args: argparse.Namespace, out: Path) -> RunTask:
    return make_task(
        config=args.config,
        name="bench",
        out=out,
        workers=2,
        seed=args.seed,
        overrides=args.set,
        books=str(args.books),
    )


def build_stage(args: argparse.Namespace) -> None:
    """Make one stage from inputs on disk; this program calls itself for it."""
    [stage] = [task for task in run_task(args, args.scratch).stages() if task.label == args.stage]
    build(stage)


def bench_stages(args: argparse.Namespace, out: Path, *, all_of_them: bool) -> dict[str, Usage]:
    """Every stage in its own process, or only those that the whole run expects on disk."""
    labels = [
        task.label
        for task in run_task(args, out).stages()
        if all_of_them or task.label in _INGESTED
    ]
    command = [
        sys.executable,
        *sys.argv,
        "--scratch",
        str(out),
        "--stage",
    ]  # of two `--scratch` the last counts
    return measure_stages(labels, lambda label: [*command, label])


def bench_whole(args: argparse.Namespace, out: Path) -> None:
    """The run and its evaluation from ingested books, then the other kinds of distractors on the
    same blanks.
    """
    print(
        "\n| whole process, ingest on disk | wall s | CPU s | peak of any process, GiB "
        "|\n|---|---:|---:|---:|",
        flush=True,
    )
    told = []
    for kind in args.kinds:
        options = ["--out", str(out), "--workers", "2"]
        settings = [
            word
            for setting in (*args.set, f"distractors.kind={kind}")
            for word in ("--set", setting)
        ]
        own = ["--name", kind, "--seed", str(args.seed), *settings]
        run = measure(
            cloze_gen("run", args.config, "--books", str(args.books), *options, *own), **_QUIET
        )
        evaluated = measure(cloze_gen("evaluate", kind, *options), **_QUIET)
        print(row(f"`cloze-gen run scde-style`, distractors {kind}", [run]))
        print(row(f"`cloze-gen evaluate`, distractors {kind}", [evaluated]), flush=True)
        told.append((run, evaluated))
    total = sum(usage.wall_seconds for usage in told[0])
    print(
        f"\nRun and evaluation of {args.kinds[0]} distractors take {total:.0f} s; at most 600 "
        "are asked.\n",
        flush=True,
    )


def tell_baselines(out: Path, kinds: Sequence[str]) -> None:
    """Print BA and DE of each baseline by EXH, in its best and its widest context, by kind of
    distractors.
    """
    records = {
        kind: json.loads(
            (out / "runs" / kind / "evaluation" / "evaluation.json").read_text(encoding="utf-8")
        )
        for kind in kinds
    }
    print(
        "| baseline, EXH | "
        + " | ".join(f"{kind}: BA %, DE" for kind in kinds)
        + " |\n|---|"
        + "---:|" * len(kinds)
    )
    rows = {
        kind: {
            (one["name"], one["context"]): one
            for one in record["baselines"]
            if one["decoder"] != "INC"
        }
        for kind, record in records.items()
    }
    for name, context in rows[kinds[0]]:
        if context in (None, "", "P+N", "AP+AN"):
            cells = (rows[kind][name, context] for kind in kinds)
            figures = " | ".join(f"{100 * one['ba']:.1f}, {one['de']:.3f}" for one in cells)
            print(f"| {name}, {context or '-'} | {figures} |")
    kinds = [
        kind for kind in kinds if kind != "none"
    ]  # without distractors there is nothing to tell apart
    print(f"\n| candidates alone | {' | '.join(kinds)} |\n|---|{'---:|' * len(kinds)}")
    judges = {
        kind: {
            f"{one['name']}, {one['input']}": one
            for one in records[kind]["candidates"]["classifiers"]
        }
        for kind in kinds
    }
    for name in judges[kinds[0]] if kinds else ():
        cells = (judges[kind][name] for kind in kinds)
        print(
            f"| AUC, {name} | "
            + " | ".join(
                f"{one['auc']:.3f} ({one['auc_low']:.3f} to {one['auc_high']:.3f})" for one in cells
            )
            + " |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--books", type=Path, required=True, help="folder of the books")
    parser.add_argument(
        "--scratch",
        type=Path,
        required=True,
        help="a new folder for the runs; what is written there stays",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--skip-stages", action="store_true", help="of the stages measure ingest alone"
    )
    parser.add_argument(
        "--kinds", nargs="+", choices=_KINDS, default=_KINDS, help="of distractors; default: all"
    )
    add_run_options(parser, "scde-style")
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.stage:
        build_stage(args)
        return
    args.scratch.mkdir(parents=True)
    for path in args.books.iterdir():
        if path.is_file():
            path.read_bytes()  # so that every run finds the files cached
    if not args.skip_stages:
        bench_stages(args, args.scratch / "stages", all_of_them=True)
    whole = args.scratch / "whole"
    bench_stages(args, whole, all_of_them=False)
    bench_whole(args, whole)
    tell_baselines(whole, args.kinds)


if __name__ == "__main__":
    main()

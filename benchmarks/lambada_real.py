"""Measure the LAMBADA-style run on real novels: each stage, the whole run next to bare `lmplz`,
half the novels.

    python benchmarks/lambada_real.py --books DIR --scratch DIR [--networks] [--half] [--runs 1]
        [--skip-stages]

Prints Markdown. Each stage runs in its own process with two workers; `wall s` and `CPU s` include 1
to 2 s of start-up; `peak` is the largest resident set of any one process, sampled ten times a
second. Networks take most of an hour and need `--networks`; the whole run is without them
(`committee.members = ["ngram", "cache"]`), next to `lmplz -o 4`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from processes import Usage, add_run_options, bare_lmplz, cloze_gen, measure, measure_stages, row

from cloze_gen.api.run import make_task
from cloze_gen.pipelines.run import RunTask
from cloze_gen.pipelines.task import StageTask, build
from cloze_gen.store.runs import stage_artifact

_WITHOUT = 'committee.members=["ngram","cache"]'
_QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def run_task(args: argparse.Namespace, out: Path) -> RunTask:
    overrides = [*args.set, *([] if args.networks else [_WITHOUT])]
    return make_task(
        config=args.config,
        name="bench",
        out=out,
        workers=2,
        seed=1,
        overrides=overrides,
        books=str(args.books),
    )


def build_stage(args: argparse.Namespace) -> None:
    """Make one stage from inputs on disk; this program calls itself for it."""
    [stage] = [task for task in run_task(args, args.scratch).stages() if task.label == args.stage]
    build(stage)


def bench_stages(args: argparse.Namespace, out: Path) -> dict[str, Usage]:
    """Every stage in its own process, or only the first, ingest."""
    stages: list[StageTask] = run_task(args, out).stages()[: 1 if args.skip_stages else None]
    command = [
        sys.executable,
        *sys.argv,
        "--scratch",
        str(out),
        "--stage",
    ]  # of two `--scratch` the last counts
    found = measure_stages([task.label for task in stages], lambda label: [*command, label])
    if args.skip_stages:
        return found
    scored = int(stage_passages(out)["rows"])
    told = ", ".join(
        f"{label.removeprefix('scores ')} {scored / usage.wall_seconds:,.0f}"
        for label, usage in found.items()
        if label.startswith("scores ")
    )
    print(
        f"\n{scored:,} passages; scored a second of the clock, two workers, start of the "
        f"process counted: {told}.\n",
        flush=True,
    )
    return found


def stage_passages(out: Path) -> dict[str, Any]:
    [manifest] = (out / "store").glob("passages-*/manifest.json")
    return dict(json.loads(manifest.read_text(encoding="utf-8"))["files"]["passages.parquet"])


def whole_run(args: argparse.Namespace, books: Path, out: Path) -> Usage:
    settings = [word for setting in (*args.set, _WITHOUT) for word in ("--set", setting)]
    options = (
        "--books",
        str(books),
        "--out",
        str(out),
        "--name",
        "bench",
        "--workers",
        "2",
        *settings,
    )
    return measure(cloze_gen("run", args.config, *options), **_QUIET)


def bench_whole(args: argparse.Namespace, ingest: Usage) -> Usage:
    """The whole run without networks and bare `lmplz`, alternating."""
    whole, bare = [], []
    for number in range(args.runs):
        out = args.scratch / f"whole{number}"
        whole.append(whole_run(args, args.books, out))
        bare.append(
            bare_lmplz(
                stage_artifact(out / "runs" / "bench", "text").path("sentences.txt"),
                args.scratch / "lmplz",
                order=4,
            )
        )
    print(
        "| whole process | wall s, median (all) | CPU s | peak of any process, GiB "
        "|\n|---|---:|---:|---:|"
    )
    print(row("bare `lmplz -o 4 -S 4G` on the training novels", bare))
    print(row("`cloze-gen run lambada-style` without the networks", whole))
    asked = 3 * bare[0].wall_seconds + 2 * ingest.wall_seconds
    print(
        f"\nThree times lmplz and twice ingest are {asked:.0f} s; the run takes "
        f"{whole[0].wall_seconds:.0f} s.\n",
        flush=True,
    )
    return whole[0]


def bench_half(args: argparse.Namespace, whole: Usage) -> None:
    """Every second novel against all."""
    half = args.scratch / "half"
    half.mkdir()
    for path in sorted(one for one in args.books.resolve().iterdir() if one.is_file())[::2]:
        (half / path.name).symlink_to(path)
    usage = whole_run(args, half, args.scratch / "half-out")
    print("| novels | wall s | CPU s | peak of any process, GiB |\n|---|---:|---:|---:|")
    print(row("every second", [usage]))
    print(row("all", [whole]))
    print(
        f"\nAll novels take {whole.wall_seconds / usage.wall_seconds:.2f} times the time of "
        "half of them.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--books", type=Path, required=True, help="folder of the novels")
    parser.add_argument(
        "--scratch",
        type=Path,
        required=True,
        help="a new folder for the runs; what is written there stays",
    )
    parser.add_argument("--runs", type=int, default=1, help="whole runs; the median is told")
    parser.add_argument("--networks", action="store_true", help="measure the networks' stages too")
    parser.add_argument("--half", action="store_true", help="also run every second novel")
    parser.add_argument(
        "--skip-stages", action="store_true", help="of the stages measure ingest alone"
    )
    add_run_options(parser, "lambada-style")
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.stage:
        build_stage(args)
        return
    args.scratch.mkdir(parents=True)
    for path in args.books.iterdir():
        if path.is_file():
            path.read_bytes()  # so that every run finds the files cached
    stages = bench_stages(args, args.scratch / "stages")
    whole = bench_whole(args, stages["ingest books"])
    if args.half:
        bench_half(args, whole)


if __name__ == "__main__":
    main()

"""How time, memory and disk use of a Holmes-style run grow with its background, next to bare
`lmplz`.

    python benchmarks/growth.py measure --train data/holmes-training --source data/holmes-seeds
        --times 1 2.5 5 10 --runs 3 --scratch DIR
    python benchmarks/growth.py project

`measure` writes a line per factor to `docs/figures/scaling.jsonl`, replacing an earlier one:
medians over runs that alternate with bare `lmplz`. `noisy_copies` makes the books; ten times the
Holmes books take 25 GB. `project` extrapolates to 1e9, 1e10 and 1e11 tokens.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from noisy_copies import grown
from processes import (
    Usage,
    add_run_options,
    bare_lmplz,
    cloze_run,
    measure,
    median,
    stage_seconds,
)

from cloze_gen.engine.progress import LOGS
from cloze_gen.store.runs import stage_artifact

ROOT = Path(__file__).parents[1]
RESULTS = "scaling.jsonl"  # in docs/figures/, or in the folder of `--figures`
_PROJECTED = (1e9, 1e10, 1e11)  # tokens
_WORKERS = 2  # of `cloze_run`


def measure_factor(args: argparse.Namespace, times: float, scratch: Path) -> dict[str, Any]:
    """One factor's row."""
    books = sorted(path for path in args.train.iterdir() if path.suffix.lower() == ".txt")
    train = scratch / "books"
    size = grown(books, train, times=times)
    bare: list[Usage] = []
    whole: list[Usage] = []
    stages = []
    for _ in range(args.runs):
        out = scratch / "out"
        whole.append(
            measure(
                cloze_run(args, out, train=train),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        stages.append(stage_seconds((out / LOGS / "bench.log").read_text(encoding="utf-8")))
        run = out / "runs" / "bench"
        bare.append(
            bare_lmplz(
                stage_artifact(run, "text").path("sentences.txt"), scratch / "lmplz", order=3
            )
        )
        found = {
            "tokens": int(stage_artifact(run, "text").facts["tokens"]),
            "disk_gib": round(
                sum(
                    path.stat().st_size
                    for path in out.rglob("*")
                    if path.is_file() and not path.is_symlink()
                )
                / 2**30,
                2,
            ),
        }
        shutil.rmtree(out)
    return found | {
        "times": times,
        "runs": args.runs,
        "book_bytes": size,
        "wall_s": round(median(whole, lambda one: one.wall_seconds), 1),
        "cpu_s": round(median(whole, lambda one: one.cpu_seconds), 1),
        "peak_gib": round(median(whole, lambda one: one.peak_bytes) / 2**30, 2),
        "lmplz_wall_s": round(median(bare, lambda one: one.wall_seconds), 1),
        "lmplz_cpu_s": round(median(bare, lambda one: one.cpu_seconds), 1),
        "lmplz_peak_gib": round(median(bare, lambda one: one.peak_bytes) / 2**30, 2),
        "wall_ratio": round(
            statistics.median(
                a.wall_seconds / b.wall_seconds for a, b in zip(whole, bare, strict=True)
            ),
            2,
        ),
        "cpu_ratio": round(
            statistics.median(
                a.cpu_seconds / b.cpu_seconds for a, b in zip(whole, bare, strict=True)
            ),
            2,
        ),
        "stages": {stage: statistics.median(one[stage] for one in stages) for stage in stages[0]},
    }


def read_results(figures: Path) -> list[dict[str, Any]]:
    results = figures / RESULTS
    return (
        [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
        if results.is_file()
        else []
    )


def measure_all(args: argparse.Namespace) -> None:
    for times in args.times:
        with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
            row = measure_factor(args, times, Path(folder))
        rows = sorted(
            [one for one in read_results(args.figures) if one["times"] != times] + [row],
            key=lambda one: float(one["times"]),
        )
        (args.figures / RESULTS).write_text(
            "".join(f"{json.dumps(one)}\n" for one in rows), encoding="utf-8"
        )
        print(json.dumps(row))


def durations(stages: dict[str, float]) -> dict[str, float]:
    """Wall seconds of each group of stages; work done while `lmplz` runs counts to it."""
    ends, last, found = stages | {"rest": max(stages.values())}, 0.0, {}
    for name, stage in {
        "ingest": "ingest train",
        "counts": "counts",
        "text": "text",
        "lm": "lm",
        "index": "index",
        "rest": "rest",
    }.items():
        found[name], last = ends[stage] - last, ends[stage]
    return found


def project(args: argparse.Namespace) -> None:
    """A line per size: each part grows as between the smallest and the largest factor, in
    core-hours if parallel.
    """
    rows = read_results(args.figures)
    if len(rows) < 2:
        raise SystemExit(
            f"{args.figures / RESULTS}: growth lies between two sizes at least; measure another "
            "with --times."
        )
    first, last = rows[0], rows[-1]
    more = last["tokens"] - first["tokens"]
    small, large = durations(first["stages"]), durations(last["stages"])
    parts = ("counts", "lm", "index", "rest")
    print(
        "| tokens | ingest and text, core-hours | "
        f"{' | '.join(f'{part}, h' for part in parts)} | disk, GB |\n|{'---:|' * 7}"
    )
    for tokens in _PROJECTED:
        beyond = tokens - last["tokens"]
        hours = {
            part: (seconds + max(0.0, seconds - small[part]) / more * beyond) / 3600
            for part, seconds in large.items()
        }
        disk = last["disk_gib"] + (last["disk_gib"] - first["disk_gib"]) / more * beyond
        shared = (hours["ingest"] + hours["text"]) * _WORKERS
        print(
            f"| {tokens:.0e} | {shared:.2f} | "
            f"{' | '.join(f'{hours[part]:.2f}' for part in parts)} | "
            f"{disk * 2**30 / 1e9:,.0f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--figures",
        type=Path,
        default=ROOT / "docs" / "figures",
        help="folder of the results (default: docs/figures/)",
    )
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    measuring.set_defaults(call=measure_all)
    for name in ("--train", "--source", "--scratch"):
        measuring.add_argument(name, type=Path, required=True)
    measuring.add_argument("--times", type=float, nargs="+", default=[1.0, 2.5, 5.0, 10.0])
    measuring.add_argument("--runs", type=int, default=3)
    add_run_options(measuring, "holmes-style")
    commands.add_parser("project").set_defaults(call=project)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()

"""Time and peak memory of every baseline on real questions: first untrained, then with models
cached.

    python benchmarks/evaluate_real.py --store OUT --run holmes-style --questions FILE --train
        data/holmes-training --into DIR --retrain

The run's books, counts and text must be in the store; `--retrain` removes trained models. Each
baseline runs in its own process; a model's training counts to the first baseline that needs it.
Peak memory is that of the largest process (ru_maxrss), not the sum over workers.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

BASELINES = (
    "simple-4gram",
    "smoothed-3gram",
    "smoothed-4gram",
    "lsa",
    "balanced",
    "bias",
    "classifier",
)
# What the evaluation trains; removed from the store by --retrain before the first round.
TRAINED = ("eval-text-", "match-index-", "eval-lm-", "lsa-")


@dataclass(frozen=True, slots=True)
class Measured:
    """One call of the command line."""

    wall_seconds: float
    cpu_seconds: float
    peak_mib: float


def measure(arguments: list[str]) -> Measured:
    """Run `cloze-gen evaluate` in a process of its own."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "cloze_gen", "evaluate", *arguments], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(
            f"evaluate {' '.join(arguments)} failed with status {os.waitstatus_to_exitcode(status)}"
        )
    return Measured(
        time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    )


def table(title: str, rows: dict[str, Measured]) -> None:
    print(f"\n{title}\n{'baseline':<16} {'wall s':>8} {'CPU s':>8} {'peak MiB':>9}")
    for name, row in rows.items():
        print(f"{name:<16} {row.wall_seconds:>8.1f} {row.cpu_seconds:>8.1f} {row.peak_mib:>9.0f}")
    total = [
        sum(getattr(row, name) for row in rows.values()) for name in ("wall_seconds", "cpu_seconds")
    ]
    print(
        f"{'all':<16} {total[0]:>8.1f} {total[1]:>8.1f} "
        f"{max(row.peak_mib for row in rows.values()):>9.0f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--store", type=Path, required=True, help="output folder that holds the run"
    )
    parser.add_argument("--run", required=True, help="name of a finished run of 1,040 questions")
    parser.add_argument(
        "--questions",
        type=Path,
        required=True,
        help="the other questions, for the second evaluation",
    )
    parser.add_argument("--train", type=Path, required=True, help="training books of both")
    parser.add_argument(
        "--only",
        nargs="+",
        default=BASELINES,
        choices=BASELINES,
        help="baselines to measure; default: all",
    )
    parser.add_argument(
        "--retrain",
        action="store_true",
        help="remove what earlier evaluations trained from the store first",
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--into", type=Path, required=True, help="folder for the results of the calls"
    )
    options = parser.parse_args()
    if options.retrain:
        for folder in sorted((options.store / "store").iterdir()):
            if folder.name.startswith(TRAINED):
                shutil.rmtree(folder)
    shared = ["--out", str(options.store), "--workers", str(options.workers)]
    asked = {
        "first": [options.run],
        "second": [str(options.questions), "--train", str(options.train)],
    }
    for turn, questions in asked.items():
        rows = {
            name: measure(
                [*questions, *shared, "--only", name, "--write-to", str(options.into / turn)]
            )
            for name in options.only
        }
        table(f"{turn} evaluation, a call each", rows)
    shared += (
        [word for name in options.only for word in ("--only", name)]
        if options.only != BASELINES
        else []
    )
    whole = {
        turn: measure([*questions, *shared, "--write-to", str(options.into / f"{turn}-whole")])
        for turn, questions in asked.items()
    }
    table("in one call, all cached", whole)
    for turn in asked:
        record = json.loads((options.into / f"{turn}-whole" / "evaluation.json").read_text())
        print(
            f"\n{turn}: "
            + ", ".join(f"{row['name']} {100 * row['accuracy']:.2f}" for row in record["baselines"])
        )


if __name__ == "__main__":
    main()

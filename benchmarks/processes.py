"""The cost of a process with its children, for benchmarks of whole runs."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cloze_gen.adapters.lmplz import find_lmplz

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Usage:
    """One process tree's cost."""

    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int


def measure(command: Sequence[str], **options: object) -> Usage:
    """Run a command; CPU time with children, and the largest resident set of any process, sampled
    ten times a second.
    """
    started = time.perf_counter()
    process = subprocess.Popen(command, start_new_session=True, **options)  # type: ignore[call-overload]
    peak = [0]
    done = threading.Event()

    def sample() -> None:
        while not done.wait(0.1):
            peak[0] = max(peak[0], _largest_resident(process.pid))

    sampler = threading.Thread(target=sample)
    sampler.start()
    _, status, usage = os.wait4(process.pid, 0)
    done.set()
    sampler.join()
    if status:
        raise SystemExit(
            f"{' '.join(command)} failed with status {os.waitstatus_to_exitcode(status)}"
        )
    return Usage(
        time.perf_counter() - started,
        usage.ru_utime + usage.ru_stime,
        max(peak[0], usage.ru_maxrss * 1024),
    )


def _largest_resident(session: int) -> int:
    largest = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == session:
                    largest = max(largest, int(fields[21]) * _PAGE)
            except (OSError, IndexError):
                continue  # the process ended while it was looked at
    return largest


def median(runs: Sequence[Usage], figure: Callable[[Usage], float]) -> float:
    return statistics.median(figure(run) for run in runs)


def row(name: str, runs: Sequence[Usage]) -> str:
    """A Markdown table row: wall seconds (median and each), CPU seconds, peak of any process in
    GiB.
    """
    walls = ", ".join(f"{run.wall_seconds:.0f}" for run in runs)
    return (
        f"| {name} | {median(runs, lambda r: r.wall_seconds):.1f} ({walls}) | "
        f"{median(runs, lambda r: r.cpu_seconds):.1f} "
        f"| {median(runs, lambda r: r.peak_bytes) / 2**30:.2f} |"
    )


def bare_lmplz(text: Path, temp: Path, *, order: int) -> Usage:
    """`lmplz -o ORDER -S 4G` with defaults, and the run's discount fallback for a small text."""
    temp.mkdir()
    command = [
        str(find_lmplz()),
        "-o",
        str(order),
        "-S",
        "4G",
        "-T",
        str(temp),
        "--discount_fallback",
    ]
    usage = measure(
        [*command, "--text", str(text), "--arpa", str(temp / "model.arpa")],
        stderr=subprocess.DEVNULL,
    )
    shutil.rmtree(temp)
    return usage


def add_run_options(parser: argparse.ArgumentParser, config: str) -> None:
    """`--config` and `--set`, for runs of few books."""
    parser.add_argument(
        "--config",
        default=config,
        help=f"config or style of the runs (default: {config}); of few books: its -sample",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SETTING=VALUE",
        help="a setting of the runs; may be repeated",
    )


def cloze_gen(*arguments: str) -> list[str]:
    """A command of this environment's cloze-gen."""
    return [str(Path(sys.executable).parent / "cloze-gen"), *arguments]


def cloze_run(args: argparse.Namespace, out: Path, *, train: Path | None = None) -> list[str]:
    """A whole Holmes-style run named `bench` with the options' books and settings."""
    books = ("--train", str(train or args.train), "--source", str(args.source))
    settings = [word for setting in args.set for word in ("--set", setting)]
    return cloze_gen(
        "run",
        args.config,
        *books,
        "--out",
        str(out),
        "--name",
        "bench",
        "--workers",
        "2",
        *settings,
    )


def stage_seconds(log: str) -> dict[str, float]:
    """Seconds of each stage's last line, in order."""
    found: dict[str, float] = {}
    for seconds, stage in re.findall(r"^ *(\d+\.\d) s  ([a-z ]+): ", log, re.MULTILINE):
        found[stage] = float(seconds)
    return dict(sorted(found.items(), key=lambda pair: pair[1]))

"""How time, memory, disk use and the choice of a Holmes-style run grow with its background, next to
bare `lmplz`.

    python benchmarks/growth.py measure --train data/holmes-training --source data/holmes-seeds
        --times 1 2.5 5 10 --runs 3 --scratch DIR
    python benchmarks/growth.py bounds --train data/holmes-training --source data/holmes-seeds
        --times 0.25 0.5 1 --scratch DIR
    python benchmarks/growth.py cluster --books NOVELS --workers 1 2 4 --scratch DIR
    python benchmarks/growth.py plot
    python benchmarks/growth.py project

`measure` writes a line per factor to `docs/figures/scaling.jsonl`, replacing an earlier one:
medians over runs that alternate with bare `lmplz`. `noisy_copies` makes the books; ten times the Holmes books
take 25 GB. `bounds` uses parts of the books themselves, evenly spread, because noise distorts what
a model says of a place; the least count is off, since the least share is measured. `cluster` runs
SCDE-style on a Dask cluster of this machine, and with two workers of `--engine local`. `project`
extrapolates to 1e9, 1e10 and 1e11 tokens. `plot` draws `docs/figures/scaling.svg`.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from noisy_copies import grown
from processes import (
    Usage,
    add_run_options,
    bare_lmplz,
    cloze_gen,
    cloze_run,
    measure,
    median,
    stage_seconds,
)

from cloze_gen.engine.progress import LOGS
from cloze_gen.recipes.msr.tables import FIT, GROOMED
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_parquet

ROOT = Path(__file__).parents[1]
RESULTS, PICTURE = (
    "scaling.jsonl",
    "scaling.svg",
)  # in docs/figures/, or in the folder of `--figures`
_PROJECTED = (1e9, 1e10, 1e11)  # tokens
_WORKERS = 2  # of `cloze_run`
_NEEDED = 4  # fit candidates of a focus word that can be asked


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
        found = left_to_choose(run) | {
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


def left_to_choose(run: Path) -> dict[str, float]:
    """Figures that should not depend on the background's size: shares of screened focus words, and
    expected marks.
    """
    groomed = stage_artifact(run, "grooming")
    items = read_parquet(groomed.path(GROOMED), columns=["verdict", "fit_candidates"]).to_pandas()
    parts = [
        read_parquet(path, columns=["verdict", "fits_as_well"]).to_pandas()
        for path in sorted(groomed.path("decisions").iterdir())
    ]
    fits = [part.loc[part["verdict"] == FIT, "fits_as_well"] for part in parts]
    return {
        "with_four_fit": round(float((items["fit_candidates"] >= _NEEDED).mean()), 4),
        "fits_as_well": round(
            sum(map(float, (one.sum() for one in fits))) / max(1, sum(map(len, fits))), 5
        ),
        "questions": int(stage_artifact(run, "choice").funnel["kept"]),
    }


def measure_bounds(args: argparse.Namespace) -> None:
    """A table of what is left to choose from, by part of the books."""
    books = sorted(path for path in args.train.iterdir() if path.suffix.lower() == ".txt")
    print(
        "| books | word tokens | words that may be options | with four fit | fits as well | "
        "questions |\n|---|---:|---:|---:|---:|---:|"
    )
    for times in args.times:
        with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
            train, out = Path(folder) / "books", Path(folder) / "out"
            grown(books, train, times=times)
            command = [*cloze_run(args, out, train=train), "--set", "focus.min_count=1"]
            subprocess.run(
                command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            run = out / "runs" / "bench"
            left = left_to_choose(run)
            words = int(stage_artifact(run, "counts").facts["word_tokens"])
            options = stage_artifact(run, "contexts").manifest["files"]["words.txt"]["rows"]
        print(
            f"| {times:g} | {words:,} | {options:,} | {left['with_four_fit']:.1%} | "
            f"{left['fits_as_well']:.4f} | {left['questions']:,} |"
        )


def measure_clusters(args: argparse.Namespace) -> None:
    from distributed import LocalCluster

    print("| engine | wall s | CPU s |\n|---|---:|---:|")
    for workers in (0, *args.workers):
        with tempfile.TemporaryDirectory(dir=args.scratch) as out:
            run = ["run", "scde-style", "--books", str(args.books), "--out", out, "--workers", "2"]
            before = _cpu_of_children()
            if workers:
                with LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster:
                    run += ["--engine", f"dask:{cluster.scheduler_address}"]
                    usage = measure(cloze_gen(*run), stdout=subprocess.DEVNULL)
            else:
                usage = measure(cloze_gen(*run), stdout=subprocess.DEVNULL)
        name = f"Dask, {workers}" if workers else "local, 2"
        cpu = _cpu_of_children() - before
        print(f"| {name} | {usage.wall_seconds:.1f} | {cpu:.1f} |", flush=True)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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


def plot(args: argparse.Namespace) -> None:
    matplotlib.rcParams |= {"svg.hashsalt": "cloze-gen", "svg.fonttype": "none", "font.size": 9}
    rows = read_results(args.figures)
    millions = [row["tokens"] / 1e6 for row in rows]
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    curves = (
        ("wall time, s", (("wall_s", "cloze-gen"), ("lmplz_wall_s", "bare lmplz"))),
        ("largest process, GiB", (("peak_gib", "cloze-gen"), ("lmplz_peak_gib", "bare lmplz"))),
        ("times bare lmplz", (("wall_ratio", "wall time"), ("cpu_ratio", "CPU time"))),
    )
    for axes, (label, lines) in zip(panels, curves, strict=True):
        for name, said in lines:
            axes.plot(millions, [row[name] for row in rows], marker="o", markersize=3, label=said)
        axes.set(
            xlabel="tokens of training text, millions", ylabel=label, xlim=(0, None), ylim=(0, None)
        )
        axes.legend()
    figure.savefig(args.figures / PICTURE, metadata={"Date": None, "Creator": None})


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
        help="folder of the results and the picture (default: docs/figures/)",
    )
    commands = parser.add_subparsers(required=True)
    calls = {
        "measure": (measure_all, [1.0, 2.5, 5.0, 10.0]),
        "bounds": (measure_bounds, [0.25, 0.5, 1.0]),
    }
    for command, (call, times) in calls.items():
        one = commands.add_parser(command)
        one.set_defaults(call=call)
        for name in ("--train", "--source", "--scratch"):
            one.add_argument(name, type=Path, required=True)
        one.add_argument("--times", type=float, nargs="+", default=times)
        add_run_options(one, "holmes-style")
        if call is measure_all:
            one.add_argument("--runs", type=int, default=3)
    one = commands.add_parser("cluster")
    one.set_defaults(call=measure_clusters)
    for name in ("--books", "--scratch"):
        one.add_argument(name, type=Path, required=True)
    one.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    commands.add_parser("project").set_defaults(call=project)
    commands.add_parser("plot").set_defaults(call=plot)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()

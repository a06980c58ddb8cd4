"""Measure the Holmes-style run on a real corpus: next to bare `lmplz`, next to KenLM word by word,
and on half the books.

    python benchmarks/holmes_real.py --train data/holmes-training --source data/holmes-seeds --runs
        3 --scratch DIR

Prints Markdown. Figures are medians over the runs, with warm page cache. CPU times include
children; peak memory is the largest resident set of any one process, sampled ten times a second.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import kenlm
import numpy as np
from processes import Usage, add_run_options, bare_lmplz, cloze_run, measure, row, stage_seconds

from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.option_words import option_mask
from cloze_gen.engine.progress import LOGS
from cloze_gen.models.language_model import ARPA, open_index
from cloze_gen.recipes.msr.alternates import AllowedWords, gumbel_top, sample_alternates
from cloze_gen.recipes.msr.focus import FocusSettings
from cloze_gen.rng import derive_rng
from cloze_gen.store.runs import read_run, stage_artifact
from cloze_gen.store.tables import read_parquet


def bench_run(args: argparse.Namespace, scratch: Path) -> tuple[Path, Usage]:
    """The whole run and bare `lmplz` on the same text, alternating; keeps the first run's store."""
    for path in [*args.train.iterdir(), *args.source.iterdir()]:
        path.read_bytes()  # so that every run finds the files cached
    first = scratch / "run0"
    quiet = subprocess.DEVNULL
    bare, whole, stages = [], [], []
    for i in range(args.runs):
        out = scratch / f"run{i}"
        whole.append(measure(cloze_run(args, out), stderr=quiet, stdout=quiet))
        stages.append(stage_seconds((out / LOGS / "bench.log").read_text(encoding="utf-8")))
        if i:
            shutil.rmtree(out)
        bare.append(
            bare_lmplz(
                stage_artifact(first / "runs" / "bench", "text").path("sentences.txt"),
                scratch / "lmplz",
                order=3,
            )
        )
    print(
        "| whole process | wall s, median (all) | CPU s | peak of any process, GiB "
        "|\n|---|---:|---:|---:|"
    )
    print(row("bare `lmplz -o 3 -S 4G`", bare))
    print(row("`cloze-gen run holmes-style`", whole))
    wall = statistics.median(
        a.wall_seconds / b.wall_seconds for a, b in zip(whole, bare, strict=True)
    )
    cpu = statistics.median(a.cpu_seconds / b.cpu_seconds for a, b in zip(whole, bare, strict=True))
    print(
        f"\nBeside bare lmplz, run by run: {wall:.2f} times the wall time, {cpu:.2f} times "
        "the CPU time.\n"
    )
    print("| stage's last line after, s | median | s since the line before |\n|---|---:|---:|")
    last = 0.0
    for stage in stages[0]:
        at = statistics.median(run[stage] for run in stages)
        print(f"| {stage} | {at:.1f} | {at - last:.1f} |")
        last = at
    print()
    return first, sorted(whole, key=lambda usage: usage.wall_seconds)[len(whole) // 2]


def bench_half(args: argparse.Namespace, scratch: Path, whole: Usage) -> None:
    """Every second book against all books."""
    half = scratch / "half"
    half.mkdir()
    for path in sorted(args.train.resolve().iterdir())[::2]:
        (half / path.name).symlink_to(path)
    command = cloze_run(args, scratch / "scale", train=half)
    usage = measure(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    print("| books | wall s | CPU s | peak GiB |\n|---|---:|---:|---:|")
    for name, one in (("every second", usage), ("all", whole)):
        print(
            f"| {name} | {one.wall_seconds:.1f} | {one.cpu_seconds:.1f} | "
            f"{one.peak_bytes / 2**30:.2f} |"
        )
    print(
        f"\nAll books take {whole.wall_seconds / usage.wall_seconds:.2f} times the time of "
        "half of them.\n"
    )


def bench_alternates(first: Path, *, n_fast: int, n_slow: int) -> None:
    """Alternates per second: the forward index and KenLM word by word, for the same focus words."""
    run = first / "runs" / "bench"
    index = open_index(stage_artifact(run, "index"))
    table, settings = (
        read_counts(stage_artifact(run, "counts")),
        FocusSettings(**read_run(run)["settings"]["focus"]),
    )
    words = [table.words[i] for i in np.flatnonzero(option_mask(table, settings))]
    allowed = AllowedWords(index, np.array(sorted(index.id_of[word] for word in words), np.int64))
    focus = (
        read_parquet(stage_artifact(run, "focus").path("focus.parquet"))
        .slice(0, n_fast)
        .to_pylist()
    )
    started = time.perf_counter()
    for item in focus:
        sample_alternates(
            allowed.distribution((item["history1"], item["history2"])),
            k=150,
            rng=derive_rng(1, "bench", item["id"]),
        )
    fast = len(focus) / (time.perf_counter() - started)
    config = kenlm.Config()
    config.show_progress = False
    model = kenlm.Model(str(stage_artifact(run, "lm").path(ARPA)), config)
    names = [index.words[i] for i in allowed.words]
    started = time.perf_counter()
    worst = 0.0
    for item in focus[:n_slow]:
        state, after = kenlm.State(), kenlm.State()
        model.BeginSentenceWrite(state)
        if item["history1"] != "<s>":
            model.NullContextWrite(state)
            model.BaseScore(state, item["history1"], after)
            state, after = after, kenlm.State()
        model.BaseScore(state, item["history2"], after)
        scratch_state = kenlm.State()
        values = np.array(
            [model.BaseScore(after, name, scratch_state) for name in names], np.float32
        )
        worst = max(
            worst,
            float(
                np.abs(
                    values
                    - allowed.distribution((item["history1"], item["history2"])).log10_probs()
                ).max()
            ),
        )
        gumbel_top(values, k=150, rng=derive_rng(1, "bench", item["id"]))
    slow = n_slow / (time.perf_counter() - started)
    print(
        f"Alternates, index built, one core, {len(names):,} allowed words: forward index "
        f"{fast:,.0f} focus words a second, KenLM asked"
    )
    print(
        f"word by word {slow:.1f} ({fast / slow:.0f} times); largest difference of the log10 "
        f"scores {worst:.1e}.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--scratch", type=Path, default=None, help="folder for the runs; default: a temporary one"
    )
    parser.add_argument("--skip-half", action="store_true")
    add_run_options(parser, "holmes-style")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
        scratch = Path(folder)
        first, whole = bench_run(args, scratch)
        bench_alternates(first, n_fast=5000, n_slow=20)
        shutil.rmtree(first)
        if not args.skip_half:
            bench_half(args, scratch, whole)


if __name__ == "__main__":
    main()

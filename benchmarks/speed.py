"""Time of whole runs and evaluations next to bare `lmplz` on the same text, of the start, and of one
core's ingest and tagging.

    python benchmarks/speed.py --train data/holmes-training --source data/holmes-seeds
        --seeds data/scs-books --novels NOVELS --scratch DIR [--runs 3] [--only lambada start]

Prints Markdown as it goes. Each round measures `lmplz` again beside the runs; ratios are medians
over rounds. The Holmes-style run and its first evaluation begin with an empty store, its second
evaluation with trained models; the other styles begin with ingested books. What is in DIR/OUT is
this program's own, and it removes artifacts there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from processes import Usage, add_run_options, bare_lmplz, cloze_gen, measure, row

from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.corpus.decoding import decode_book
from cloze_gen.corpus.parse_book import IngestSettings, parse_book
from cloze_gen.corpus.tokens import tokenize
from cloze_gen.engine.threads import keep_to_one_thread
from cloze_gen.store.runs import stage_artifact

_QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
_INGESTED = ("ingest-", "book-", "books-")  # parts of a store that stay between rounds
_TRAINED = ("eval-text-", "eval-lm-", "lsa-")  # by an evaluation
HOLMES, SCS, LAMBADA, SCDE, START = "holmes", "scs", "lambada", "scde", "start"
CORE = "core"
_INGEST_BOOKS = 40
_TAGGED_SENTENCES = 5000
# Of the run's own text; of SCDE- and SCS-style, that of the last Holmes-style run in the scratch folder.
_ORDER = {HOLMES: 3, SCS: 3, LAMBADA: 4, SCDE: 3}


def run_of(args: argparse.Namespace, style: str) -> list[str]:
    books = {
        HOLMES: ("--train", args.train, "--source", args.source),
        SCS: ("--train", args.train, "--source", args.seeds),
    }.get(style, ("--books", args.novels))
    settings = [word for setting in args.set for word in ("--set", setting)]
    config = f"{style}-{args.config}"
    return cloze_gen("run", config, *map(str, books), *_where(args, style), *settings)


def _where(args: argparse.Namespace, style: str) -> list[str]:
    return ["--out", str(args.scratch / style), "--name", "bench", "--workers", "2"]


def forget(out: Path, *, keep: Callable[[str], bool]) -> None:
    """Remove a run, its evaluations and artifacts of this program's own output folder."""
    for name in ("runs", "evaluations"):
        shutil.rmtree(out / name, ignore_errors=True)
    for path in (out / "store").iterdir() if (out / "store").exists() else ():
        if path.is_dir() and not keep(path.name):
            shutil.rmtree(path)


def text_of(args: argparse.Namespace, style: str) -> Path:
    return stage_artifact(args.scratch / style / "runs" / "bench", "text").path("sentences.txt")


def bench_style(args: argparse.Namespace, style: str) -> None:
    out = args.scratch / style
    whole, bare = [], []
    if style != HOLMES and not any(out.glob("store/ingest-*")):
        measure(run_of(args, style), **_QUIET)  # so that the books are ingested
    for _ in range(args.runs):
        forget(out, keep=lambda name: style != HOLMES and name.startswith(_INGESTED))
        whole.append(measure(run_of(args, style), **_QUIET))
        text = HOLMES if style in (SCS, SCDE) else style
        bare.append(bare_lmplz(text_of(args, text), args.scratch / "lmplz", order=_ORDER[style]))
    tell(f"`cloze-gen run {style}-style`", whole, f"lmplz -o {_ORDER[style]}", bare)


def bench_evaluation(args: argparse.Namespace) -> None:
    """`cloze-gen evaluate` of the Holmes-style set, with nothing trained and with trained models."""
    out = args.scratch / HOLMES
    command = cloze_gen("evaluate", "bench", "--out", str(out), "--workers", "2")
    first, again, bare = list[Usage](), list[Usage](), list[Usage]()
    for _ in range(args.runs):
        for path in (out / "store").iterdir():
            if path.name.startswith(_TRAINED):
                shutil.rmtree(path)
        for found in (first, again):
            shutil.rmtree(out / "evaluations", ignore_errors=True)
            found.append(measure(command, **_QUIET))
        bare.append(bare_lmplz(text_of(args, HOLMES), args.scratch / "lmplz", order=4))
    tell("`evaluate`, nothing trained", first, "lmplz -o 4", bare)
    tell("`evaluate`, models trained", again, "lmplz -o 4", bare)


def tell(name: str, runs: Sequence[Usage], beside: str, bare: Sequence[Usage]) -> None:
    pairs = list(zip(runs, bare, strict=True))
    wall = statistics.median(a.wall_seconds / b.wall_seconds for a, b in pairs)
    cpu = statistics.median(a.cpu_seconds / b.cpu_seconds for a, b in pairs)
    print(f"{row(name, runs)} {wall:.2f} | {cpu:.2f} |")
    print(f"{row(f'bare `{beside}`', bare)} | |", flush=True)


def bench_start(args: argparse.Namespace) -> None:
    out = args.scratch / HOLMES
    item = next(
        iter((out / "runs" / "bench" / "release" / "questions.jsonl").open(encoding="utf-8"))
    )
    commands = {
        "`run`, nothing to do": run_of(args, HOLMES),
        "`explain`": cloze_gen("explain", "bench", "--out", str(out)),
        "`trace`": cloze_gen("trace", item.split('"')[3], "--out", str(out)),
        "`--help`": cloze_gen("--help"),
    }
    # as a user has it: the first of the runs writes the bytecode
    own = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    for name, command in commands.items():
        runs = [measure(command, env=own, **_QUIET) for _ in range(2 * args.runs + 1)]
        walls = sorted(round(one.wall_seconds, 2) for one in runs)
        print(f"| {name} | {statistics.median(walls)} s ({walls[0]} to {walls[-1]}) |", flush=True)


def bench_core(args: argparse.Namespace) -> None:
    """Tokens a CPU second, of ingest (bytes to sentences and counts) and of the built-in tagger."""
    keep_to_one_thread()  # as a stage
    files = sorted(path for path in args.train.iterdir() if path.suffix.lower() == ".txt")
    tokenize(["spaCy is loaded here"])
    n_tokens = 0
    started = time.process_time()
    for file in files[:: max(1, len(files) // _INGEST_BOOKS)]:
        book = parse_book(decode_book(file.read_bytes()).text, settings=IngestSettings())
        n_tokens += book.audit.tokens
    tell_speed("ingest", n_tokens, time.process_time() - started)
    sentences = [tokens.split(" ") for tokens in book.tokens[:_TAGGED_SENTENCES]]
    tagger = load_tagger()
    seconds = []
    for _ in range(args.runs):
        started = time.process_time()
        tagger.tag(sentences)
        seconds.append(time.process_time() - started)
    tell_speed("tagger", sum(map(len, sentences)), min(seconds))


def tell_speed(name: str, n_tokens: int, seconds: float) -> None:
    print(f"| {name}, tokens a CPU second | {n_tokens / seconds:,.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("train", "source", "seeds", "novels", "scratch"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=3)
    parts = (HOLMES, SCS, LAMBADA, SCDE, START, CORE)
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    add_run_options(parser, "style")
    args = parser.parse_args()
    args.scratch.mkdir(parents=True, exist_ok=True)
    folders: list[Path] = [args.train, args.source, args.seeds, args.novels]
    for path in (path for folder in folders for path in folder.iterdir()):
        if path.is_file():
            path.read_bytes()  # so that every run finds the files cached
    print(
        "| process | wall s, median (all) | CPU s | peak of any process, GiB | times lmplz, wall "
        "| times lmplz, CPU |\n|---|---:|---:|---:|---:|---:|"
    )
    for style in (HOLMES, SCS, LAMBADA, SCDE):
        if style in args.only:
            bench_style(args, style)
        if style == HOLMES and HOLMES in args.only:
            bench_evaluation(args)
    if START in args.only:
        bench_start(args)
    if CORE in args.only:
        bench_core(args)


if __name__ == "__main__":
    main()

"""Time of `cloze-gen evaluate` on real questions beside bare `lmplz -o 4` on the same text: with
nothing trained, then of other questions with the trained models.

    python benchmarks/evaluate_real.py --store OUT --run holmes-style --questions FILE --train
        data/holmes-training --into DIR --runs 3

Removes the models that earlier evaluations trained from the store. The run's books, counts and text
must be in it. Prints Markdown. CPU times include children; peak memory is the largest resident set
of any one process.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Any

from processes import Usage, bare_lmplz, cloze_gen, measure, row

from cloze_gen.corpus.training_text import TEXT

TRAINED = ("eval-text-", "eval-lm-", "lsa-")


def evaluate(
    options: argparse.Namespace, turn: str, questions: list[str]
) -> tuple[Usage, dict[str, Any]]:
    into = options.into / turn
    command = cloze_gen(
        "evaluate", *questions, "--out", str(options.store), "--workers", str(options.workers),
        "--write-to", str(into), *(word for name in options.only for word in ("--only", name)),
    )  # fmt: skip
    usage = measure(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return usage, json.loads((into / "evaluation.json").read_text(encoding="utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--store", type=Path, required=True, help="output folder that holds the run"
    )
    parser.add_argument("--run", required=True, help="name of a finished run of 1,040 questions")
    parser.add_argument(
        "--questions", type=Path, required=True, help="other questions, for the second evaluation"
    )
    parser.add_argument("--train", type=Path, required=True, help="training books of both")
    parser.add_argument("--only", nargs="+", default=[], help="baselines; default: all")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--into", type=Path, required=True, help="folder for the results of the calls"
    )
    options = parser.parse_args()
    untrained, trained, bare = [], [], []
    for _ in range(options.runs):
        for folder in (options.store / "store").iterdir():
            if folder.name.startswith(TRAINED):
                shutil.rmtree(folder)
        usage, first = evaluate(options, "first", [options.run])
        untrained.append(usage)
        text = next(one["artifact"] for one in first["fitted"] if one["stage"] == "eval-text")
        bare.append(
            bare_lmplz(options.store / "store" / text / TEXT, options.into / "lmplz", order=4)
        )
        usage, second = evaluate(
            options, "second", [str(options.questions), "--train", str(options.train)]
        )
        trained.append(usage)
    print("| process | wall s, median (all) | CPU s | peak of any process, GiB |")
    print("|---|---:|---:|---:|")
    print(row("bare `lmplz -o 4 -S 4G`", bare))
    print(row("`cloze-gen evaluate`, nothing trained", untrained))
    print(row("`cloze-gen evaluate` of other questions, trained", trained))
    for name in ("wall_seconds", "cpu_seconds"):
        ratio = statistics.median(
            getattr(a, name) / getattr(b, name) for a, b in zip(untrained, bare, strict=True)
        )
        print(
            f"\nNothing trained, beside bare lmplz: {ratio:.2f} times the {name.split('_')[0]} time."
        )
    for turn, record in (("first", first), ("second", second)):
        rows = (f"{one['name']} {100 * one['accuracy']:.2f}" for one in record["baselines"])
        print(f"\n{turn}: {', '.join(rows)}")


if __name__ == "__main__":
    main()

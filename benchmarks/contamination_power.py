"""The power of `cloze-gen contamination`: by simulation, and with n-gram models trained on a file.

    python benchmarks/contamination_power.py simulate
    python benchmarks/contamination_power.py kenlm --release artifacts/runs/lambada-style/release
    python benchmarks/contamination_power.py plot

`simulate` (six minutes of one core) writes `docs/figures/contamination.jsonl`; `kenlm` (five
minutes a file) prints its table; `plot` draws the first as `docs/figures/contamination.svg` and
prints its tables. A simulated model gives each ordered pair of neighbours a normal log-likelihood of deviation 1, plus
`gain` where the second follows the first in the published file.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.adapters.lmplz import train_arpa
from cloze_gen.cli.contamination import contamination
from cloze_gen.evaluation.contamination import (
    OrderTest,
    format_p,
    order_test,
    parse_order_log,
    plan_orders,
    shard_orders,
)
from cloze_gen.rng import derive_rng

ROOT = Path(__file__).parents[1]
RESULTS, PICTURE = (
    "contamination.jsonl",
    "contamination.svg",
)  # in the folder of `--figures`
BOOKS = ROOT / "corpora" / "sample"
# n: shards of which some have five lines, some ten, some a hundred
SHARDS = {50: (1, 5, 10), 250: (5, 25, 50), 1040: (10, 50, 100), 6000: (10, 50, 200)}
PERMUTATIONS = (19, 99)
GAINS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
REPLICATES = 400
NULLS = ((50, 5, 20_000), (250, 25, 4_000), (1040, 10, 4_000))  # lines, shards, replicates
COPIES = (0, 1, 5, 20)  # times that a model has read the file
LINE_END = "\u23ce"  # a token of its own, so that an n-gram model sees over the end of a line


def simulate(args: argparse.Namespace) -> None:
    rows = []
    for n, many in SHARDS.items():
        for shards in many:
            for permutations in PERMUTATIONS:
                rows += power(n, shards, permutations, GAINS, math.ceil(REPLICATES * args.share))
    for n, shards, replicates in NULLS:
        rows += [
            row | {"null": True}
            for row in power(n, shards, 99, (0.0,), math.ceil(replicates * args.share))
        ]
    (args.figures / RESULTS).write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )


def power(
    n: int, shards: int, permutations: int, gains: tuple[float, ...], replicates: int
) -> list[dict[str, Any]]:
    """For each gain, the share of models with p <= 0.05 and p <= 0.01, by the exact test and the
    paper's t test.
    """
    found = [
        [order_test(values) for values in simulated(n, shards, permutations, gains, one)]
        for one in range(replicates)
    ]
    rows = []
    for place, gain in enumerate(gains):
        tests = [tests[place] for tests in found]
        row: dict[str, Any] = {
            "n": n,
            "shards": shards,
            "permutations": permutations,
            "gain": gain,
            "replicates": replicates,
        }
        for level in (0.05, 0.01):
            row[f"exact_{level}"] = sum(test.exact_p <= level for test in tests) / replicates
            row[f"t_{level}"] = (
                sum(test.t_p is not None and test.t_p <= level for test in tests) / replicates
            )
        rows.append(row)
    print(json.dumps(rows[-1]), flush=True)
    return rows


def simulated(
    n: int, shards: int, permutations: int, gains: tuple[float, ...], replicate: int
) -> Iterator[np.ndarray]:
    """Log-likelihoods, shape (shards, permutations + 1), of a model that learned the order to each
    degree.
    """
    plan = plan_orders(
        [str(line) for line in range(n)], shards=shards, permutations=permutations, seed=replicate
    )
    noise, learned = np.empty((2, shards, permutations + 1))
    for shard, size in enumerate(plan.sizes):
        orders = np.array(list(shard_orders(plan, shard)))
        before, after = orders[:, :-1], orders[:, 1:]
        rng = derive_rng(replicate, "benchmark.pairs", f"{n}:{shards}:{shard}")
        noise[shard] = rng.standard_normal((size, size), dtype=np.float32)[before, after].sum(
            axis=1
        )
        learned[shard] = (after == before + 1).sum(axis=1)
    yield from (noise + gain * learned - n * 10 for gain in gains)


def kenlm(args: argparse.Namespace) -> None:
    """Models of the sample's books plus some copies of a file, tested with the command's code.

    A cell: how many possible orders of the file give p <= 0.05, and the median p.
    """
    print(
        "| file | the model has read | "
        + " | ".join(f"{copies} copies" for copies in args.copies)
        + " |"
    )
    print("|---|---|" + "---|" * len(args.copies))
    for file in args.file:
        for shuffled in (False, True):
            cells = []
            for copies in args.copies:
                tests = [
                    ask_kenlm(args.release / file, copies, one, shuffled=shuffled, order=args.order)
                    for one in range(args.orders)
                ]
                found = sum(test.exact_p <= 0.05 for test in tests)
                cells.append(
                    f"{found} of {args.orders}, "
                    f"{format_p(sorted(test.exact_p for test in tests)[args.orders // 2])}"
                )
            print(
                f"| `{file}` | {'another order' if shuffled else 'this order'} | "
                f"{' | '.join(cells)} |",
                flush=True,
            )


def ask_kenlm(file: Path, copies: int, published: int, *, shuffled: bool, order: int) -> OrderTest:
    lines = [line for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
    lines = [
        lines[place]
        for place in derive_rng(published, "benchmark.published").permutation(len(lines))
    ]
    read = (
        [lines[place] for place in derive_rng(published, "benchmark.read").permutation(len(lines))]
        if shuffled
        else lines
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / file.name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        documents = background() + copies * ["".join(f"{line}\n" for line in read)]
        (folder / "text.txt").write_text(
            "".join(" ".join(tokens(one)) + "\n" for one in documents), encoding="utf-8"
        )
        train_arpa(text=folder / "text.txt", arpa=folder / "model.arpa", order=order, memory="300M",
            temp_dir=folder,
                   discount_fallback=True, on_line=lambda line: None)  # fmt: skip
        model = KenlmModel(folder / "model.arpa")
        asked, log = folder / "requests.jsonl", folder / "log.jsonl"
        with contextlib.redirect_stderr(io.StringIO()):
            contamination(
                folder,
                file=file.name,
                requests=asked,
                log=None,
                shards=None,
                permutations=None,
                seed=None,
                exchangeable=True,
            )
        with log.open("w", encoding="utf-8") as handle:
            for line in asked.open(encoding="utf-8"):
                record = json.loads(line)
                log_likelihood = math.log(10) * model.score_sentence(tokens(record["text"]))
                handle.write(
                    json.dumps({"id": record["id"], "log_likelihood": log_likelihood}) + "\n"
                )
        return order_test(parse_order_log(log.read_text(encoding="utf-8"), lines, name="log")[1])


def background() -> list[str]:
    """The paragraphs of the sample's books."""
    texts = (
        path.read_text(encoding="utf-8", errors="replace") for path in sorted(BOOKS.rglob("*.txt"))
    )
    return [paragraph for text in texts for paragraph in text.split("\n\n") if paragraph.strip()]


def tokens(text: str) -> list[str]:
    return [LINE_END if token == "\n" else token for token in re.findall(r"\w+|[^\w\s]|\n", text)]


def plot(args: argparse.Namespace) -> None:
    rows = [
        json.loads(line)
        for line in (args.figures / RESULTS).read_text(encoding="utf-8").splitlines()
    ]
    print_tables(rows)
    matplotlib.rcParams |= {"svg.hashsalt": "cloze-gen", "svg.fonttype": "none", "font.size": 9}
    figure, panels = plt.subplots(1, 4, figsize=(11, 3.4), layout="constrained", sharey=True)
    for axes, (n, many) in zip(panels, SHARDS.items(), strict=True):
        for place, shards in enumerate(many):
            for level, dashes in ((0.05, "-"), (0.01, "--")):
                of = [
                    row
                    for row in rows
                    if (row["n"], row["shards"], row["permutations"]) == (n, shards, 99)
                    and "null" not in row
                ]
                label = f"{shards} shard{'s' * (shards > 1)}" if level == 0.05 else None
                axes.plot(
                    [row["gain"] for row in of],
                    [row[f"exact_{level}"] for row in of],
                    dashes,
                    color=f"C{place}",
                    label=label,
                )
        axes.set(
            title=f"{n:,} lines",
            xlabel="gain / spread of a junction",
            xlim=(0, 0.5),
            ylim=(-0.02, 1.02),
        )
        axes.legend(loc="lower right", edgecolor="none")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("power (solid 0.05, dashed 0.01)")
    figure.savefig(args.figures / PICTURE, metadata={"Date": None, "Creator": None})


def print_tables(rows: list[dict[str, Any]]) -> None:
    gains = GAINS[1:]
    print("| lines | shards | shuffles | " + " | ".join(f"{gain:g}" for gain in gains) + " |")
    print("|---|---|---|" + "---|" * len(gains))
    told = [row for row in rows if "null" not in row]
    for n, shards, permutations in sorted(
        {(row["n"], row["shards"], row["permutations"]) for row in told}
    ):
        of = {
            row["gain"]: row
            for row in told
            if (row["n"], row["shards"], row["permutations"]) == (n, shards, permutations)
        }
        cells = (
            f"{100 * of[gain]['exact_0.05']:.0f} {100 * of[gain]['exact_0.01']:.0f}"
            for gain in gains
        )
        print(f"| {n:,} | {shards} | {permutations} | {' | '.join(cells)} |")
    print(
        "\n| lines | shards | models | exact 0.05 | exact 0.01 | t 0.05 | t 0.01 "
        "|\n|---|---|---|---|---|---|---|"
    )
    for row in (row for row in rows if "null" in row):
        print(
            f"| {row['n']:,} | {row['shards']} | {row['replicates']:,} | "
            + " | ".join(
                f"{100 * row[key]:.1f} %"
                for key in ("exact_0.05", "exact_0.01", "t_0.05", "t_0.01")
            )
            + " |"
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
    simulating = commands.add_parser("simulate")
    simulating.add_argument(
        "--share",
        type=float,
        default=1.0,
        help="of the simulated models, for a quick look (default: 1, all)",
    )
    simulating.set_defaults(call=simulate)
    asking = commands.add_parser("kenlm")
    asking.add_argument("--release", type=Path, required=True, help="folder of a release")
    asking.add_argument(
        "--file", action="append", default=[], help="of it, an item a line; may be repeated"
    )
    asking.add_argument("--order", type=int, default=5, help="of the n-gram model")
    asking.add_argument(
        "--orders", type=int, default=20, help="random orders in which the file is published"
    )
    asking.add_argument(
        "--copies", type=int, nargs="+", default=COPIES, help="times that a model has read the file"
    )
    asking.set_defaults(call=kenlm)
    commands.add_parser("plot").set_defaults(call=plot)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()

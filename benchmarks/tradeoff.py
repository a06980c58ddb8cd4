"""What cannot be had together: how the set's figures move with the settings that groom it, and how readers' verdicts move with LSA.

    python benchmarks/tradeoff.py sweep --train data/holmes-training --source data/holmes-seeds --out OUT
    python benchmarks/tradeoff.py plot

`sweep` makes and evaluates a run for each value of each swept setting, the others at their defaults, and writes `docs/tradeoff.jsonl`;
with books, models and alternates in the store, a value takes about a minute. `plot` draws that file and the readings (`docs/readings/`) to
`docs/tradeoff.svg`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from cloze_gen.evaluate.metrics import wilson_interval

ROOT = Path(__file__).parents[1]
RESULTS, PICTURE, READINGS = ROOT / "docs" / "tradeoff.jsonl", ROOT / "docs" / "tradeoff.svg", ROOT / "docs" / "readings"
SWEPT = {
    "grooming.max_ambiguity": (0.02, 0.04, 0.07, 0.14, 1.0),
    "grooming.max_ungrammatical": (0.03, 0.05, 0.08, 0.16, 1.0),
}
LSA_AIM, AMBIGUOUS_AIM = 49.0, 8.0


def call(*arguments: str) -> None:
    if subprocess.run([sys.executable, "-m", "cloze_gen", *arguments], stdout=subprocess.DEVNULL, check=False).returncode:
        sys.exit(f"cloze-gen {' '.join(arguments)} failed")


def sweep(args: argparse.Namespace) -> None:
    rows = []
    for setting, values in SWEPT.items():
        for value in values:
            name = f"sweep-{setting.rpartition('.')[2]}-{value}"
            books = ("--train", str(args.train), "--source", str(args.source))
            call("run", "holmes-style", *books, "--out", str(args.out), "--name", name, "--set", f"{setting}={value}")
            call("evaluate", name, "--out", str(args.out))
            rows.append({"setting": setting, "value": value} | figures(args.out / "runs" / name))
            print(json.dumps(rows[-1]), flush=True)
    RESULTS.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def figures(run: Path) -> dict[str, Any]:
    """What one run came to, in percent."""
    record = json.loads((run / "evaluation" / "evaluation.json").read_text(encoding="utf-8"))
    accuracy = {row["name"]: 100 * row["accuracy"] for row in record["baselines"]}
    balanced = [
        100 * row["accuracy"] for row in record["baselines"] if row["kind"] == "balanced" and not row["name"].startswith("position")
    ]
    return {
        "questions": record["n"],
        "lsa": round(accuracy["lsa"], 2),
        "smoothed_4gram": round(accuracy["smoothed-4gram"], 2),
        "lowest_balanced": round(min(balanced), 2),
        "highest_balanced": round(max(balanced), 2),
        "options_only": round(accuracy["options-only"], 2),
        "rank_classifier": round(accuracy["rank-classifier"], 2),
        "joint_p": record["joint_p"]["together"],
    }


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def plot(_: argparse.Namespace) -> None:
    matplotlib.rcParams |= {"svg.hashsalt": "cloze-gen", "svg.fonttype": "none", "font.size": 9}
    rows = read_jsonl(RESULTS)
    figure, panels = plt.subplots(1, 3, figsize=(11, 4.2), layout="constrained")
    plot_readings(panels[0])
    for axes, (setting, values) in zip(panels[1:], SWEPT.items(), strict=True):
        plot_sweep(axes, setting, [row for row in rows if row["setting"] == setting], len(values))
    figure.legend(*panels[1].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    figure.savefig(PICTURE, metadata={"Date": None, "Creator": None})


def plot_readings(axes: Axes) -> None:
    """One point a set that was read: its LSA accuracy (the mean of two, where two were read) against the share of ambiguous items."""
    for one in read_jsonl(READINGS / "sets.jsonl"):
        rows = [row for name in one["readings"] for row in read_jsonl(READINGS / name)]
        ours = [row for row in rows if row["id"].startswith("msr:") == one.get("published", False)]
        marked = sum(bool(row["ambiguous"]) for row in ours)
        low, high = wilson_interval(marked, len(ours))
        share = marked / len(ours)
        below, above = 100 * max(0.0, share - low), 100 * (high - share)  # of none marked, rounding puts the bound above the share
        axes.errorbar(one["lsa"], 100 * share, yerr=[[below], [above]], fmt="o", capsize=2, color="C3" if one.get("present") else "C0")
        left = one.get("label") == "left"
        place = {"xytext": (-4 if left else 4, 3), "ha": "right" if left else "left", "textcoords": "offset points", "fontsize": 7}
        axes.annotate(one["set"], (one["lsa"], 100 * share), **place)
    axes.axvline(LSA_AIM, color="grey", linewidth=0.8, linestyle="--")
    axes.axhline(AMBIGUOUS_AIM, color="grey", linewidth=0.8, linestyle="--")
    axes.set(xlabel="LSA accuracy, %", ylabel="ambiguous to a blind reader, %", title="sets that were read (red: as it is)")
    axes.set_ylim(bottom=0)
    axes.margins(x=0.15)


def plot_sweep(axes: Axes, setting: str, rows: list[dict[str, Any]], n_values: int) -> None:
    places = range(n_values)
    for name, label in (
        ("lsa", "LSA"),
        ("smoothed_4gram", "smoothed 4-gram"),
        ("options_only", "options-only classifier"),
        ("rank_classifier", "rank classifier"),
    ):
        axes.plot(places, [row[name] for row in rows], marker="o", markersize=3, label=label)
    axes.fill_between(
        places,
        [row["lowest_balanced"] for row in rows],
        [row["highest_balanced"] for row in rows],
        alpha=0.25,
        color="grey",
        label="the ten balanced rules",
    )
    axes.axhline(20, color="black", linewidth=0.6)
    axes.set_xticks(list(places), ["off" if row["value"] == 1.0 else str(row["value"]) for row in rows])
    axes.set(xlabel=setting, ylabel="accuracy, %", ylim=(10, 70))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("sweep")
    one.set_defaults(call=sweep)
    for name in ("--train", "--source", "--out"):
        one.add_argument(name, type=Path, required=True)
    commands.add_parser("plot").set_defaults(call=plot)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()

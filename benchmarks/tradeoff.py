"""How the set's figures change with grooming settings, and readers' verdicts with LSA accuracy.

    python benchmarks/tradeoff.py sweep --train data/holmes-training --source data/holmes-seeds
        --out OUT
    python benchmarks/tradeoff.py plot

`sweep` makes and evaluates a run for each value of each swept setting, the others at their
defaults, and writes `docs/figures/tradeoff.jsonl`: about a minute a value, once books, models and
alternates are in the store. `plot` draws it and the verdicts of readers (`readings.parquet`) as
`docs/figures/tradeoff.svg`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from processes import add_run_options, cloze_gen
from readings import load_readings, numbered, select

from cloze_gen.evaluation.metrics import wilson_interval

ROOT = Path(__file__).parents[1]
RESULTS, PICTURE = "tradeoff.jsonl", "tradeoff.svg"  # in the folder of `--figures`
SWEPT = {
    "grooming.max_ambiguity": (0.02, 0.04, 0.07, 0.14, 1.0),
    "grooming.max_ungrammatical": (0.03, 0.05, 0.08, 0.16, 1.0),
}
MEASURED = (
    "lsa",
    "smoothed-4gram",
    "balanced",
    "bias",
    "classifier",
)  # the baselines that `figures` reads
OFF = {1.0, 9.0}  # as the last value of a setting: no bound
PANELS_A_ROW = 3
LSA_AIM, AMBIGUOUS_AIM = 49.0, 8.0


@dataclass(frozen=True)
class ReadSet:
    """A set of questions that blind readers judged, and its LSA accuracy in percent (the mean of
    two sets where each was read once).
    """

    name: str
    lsa: float
    readings: Sequence[str]
    default: bool = False
    published: bool = False
    label_left: bool = False


READ_SETS = (
    ReadSet("11, 12", 46.73, ["round-11", "round-12"], default=True, label_left=True),
    ReadSet("13", 48.56, ["round-13"], default=True),
    ReadSet("9, 10", 47.17, ["round-9", "round-10"]),
    ReadSet("7, 8", 47.6, ["round-7", "round-8"]),
    ReadSet("5, 6", 47.6, ["round-5", "round-6"]),
    ReadSet("3, 4", 46.92, ["round-3", "round-4"], label_left=True),
    ReadSet("dev. 3", 45.48, ["development-3"], label_left=True),
    ReadSet("dev. 2", 42.69, ["development-2"]),
    ReadSet("dev. 1", 51.73, ["development-1"]),
    ReadSet("2", 48.8, ["round-2"]),
    ReadSet(
        "published",
        52.12,
        [*numbered("round", 1, 13), *numbered("development", 1, 3)],
        published=True,
    ),
)


def sweep(args: argparse.Namespace) -> None:
    rows = []
    settings = [word for setting in args.set for word in ("--set", setting)]
    only = [word for baseline in MEASURED for word in ("--only", baseline)]
    for setting in args.setting or SWEPT:
        for value in SWEPT[setting][: args.values]:
            name = f"sweep-{setting.rpartition('.')[2]}-{value}"
            books = ("--train", str(args.train), "--source", str(args.source))
            run = (
                "run",
                args.config,
                *books,
                "--name",
                name,
                *settings,
                "--set",
                f"{setting}={value}",
            )
            for arguments in (run, ("evaluate", name, *only, "--write-to", str(args.out / name))):
                subprocess.run(
                    cloze_gen(*arguments, "--out", str(args.out)),
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
            rows.append({"setting": setting, "value": value} | figures(args.out / name))
            print(json.dumps(rows[-1]), flush=True)
    (args.figures / RESULTS).write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )


def figures(evaluation: Path) -> dict[str, Any]:
    """Figures of one run, in percent."""
    record = json.loads((evaluation / "evaluation.json").read_text(encoding="utf-8"))
    accuracy = {row["name"]: 100 * row["accuracy"] for row in record["baselines"]}
    balanced = [
        100 * row["accuracy"]
        for row in record["baselines"]
        if row["kind"] == "balanced" and not row["name"].startswith("position")
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


def plot(args: argparse.Namespace) -> None:
    matplotlib.rcParams |= {"svg.hashsalt": "cloze-gen", "svg.fonttype": "none", "font.size": 9}
    rows = read_jsonl(args.figures / RESULTS)
    swept = list(
        dict.fromkeys(row["setting"] for row in rows)
    )  # the committed results are of settings that there were before
    n_rows = -(-(1 + len(swept)) // PANELS_A_ROW)
    figure, grid = plt.subplots(
        n_rows, PANELS_A_ROW, figsize=(11, 0.4 + 3.5 * n_rows), layout="constrained"
    )
    panels = grid.flatten()
    plot_readings(panels[0])
    for axes, setting in zip(panels[1:], swept, strict=False):
        plot_sweep(axes, setting, [row for row in rows if row["setting"] == setting])
    for axes in panels[1 + len(swept) :]:
        axes.remove()
    figure.legend(*panels[1].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    figure.savefig(args.figures / PICTURE, metadata={"Date": None, "Creator": None})


def plot_readings(axes: Axes) -> None:
    """One point per set that was read: LSA accuracy and share of ambiguous items."""
    readings = load_readings()
    for one in READ_SETS:
        rows = select(readings, one.readings, one.published)
        marked = sum(bool(row["ambiguous"]) for row in rows)
        low, high = wilson_interval(marked, len(rows))
        share = marked / len(rows)
        below, above = (
            100 * max(0.0, share - low),
            100 * (high - share),
        )  # of none marked, rounding puts the bound above the share
        axes.errorbar(
            one.lsa,
            100 * share,
            yerr=[[below], [above]],
            fmt="o",
            capsize=2,
            color="C3" if one.default else "C0",
        )
        left = one.label_left
        place = {
            "xytext": (-4 if left else 4, 3),
            "ha": "right" if left else "left",
            "textcoords": "offset points",
            "fontsize": 7,
        }
        axes.annotate(one.name, (one.lsa, 100 * share), **place)
    axes.axvline(LSA_AIM, color="grey", linewidth=0.8, linestyle="--")
    axes.axhline(AMBIGUOUS_AIM, color="grey", linewidth=0.8, linestyle="--")
    axes.set(
        xlabel="LSA accuracy, %",
        ylabel="ambiguous to a blind reader, %",
        title="sets that were read (red: as it is)",
    )
    axes.set_ylim(bottom=0)
    axes.margins(x=0.15)


def plot_sweep(axes: Axes, setting: str, rows: list[dict[str, Any]]) -> None:
    places = range(len(rows))
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
    axes.set_xticks(
        list(places),
        ["off" if row is rows[-1] and row["value"] in OFF else str(row["value"]) for row in rows],
    )
    axes.set(xlabel=setting, ylabel="accuracy, %", ylim=(10, 70))


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
    one = commands.add_parser("sweep")
    one.set_defaults(call=sweep)
    for name in ("--train", "--source", "--out"):
        one.add_argument(name, type=Path, required=True)
    one.add_argument(
        "--setting",
        choices=SWEPT,
        action="append",
        help="one to sweep; may be repeated; default: all",
    )
    one.add_argument("--values", type=int, help="so many values of each setting; default: all")
    add_run_options(one, "holmes-style")
    commands.add_parser("plot").set_defaults(call=plot)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()

"""Do generated impostors rank systems as published ones do, on the same stems and answers?

    python benchmarks/rank_alignment.py measure --published MSR-FOLDER --train BOOKS --out OUT
    python benchmarks/rank_alignment.py plot

`measure` makes questions of the published development stems with each of `CHOICES`, and answers
them and the published questions of the same stems with each system. It writes the systems'
accuracies, the rank correlations with bootstrap intervals over stems, and the agreement on single
items to `docs/figures/alignment.jsonl`: figures only, because the stems are third-party text.
`plot` draws `docs/figures/alignment.svg`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from processes import cloze_gen
from scipy.stats import kendalltau, spearmanr

from cloze_gen.adapters.kenlm_model import KenlmModel
from cloze_gen.adapters.lmplz import train_arpa
from cloze_gen.corpus.training_text import TEXT
from cloze_gen.evaluation.metrics import best_options
from cloze_gen.evaluation.question_models import AdversaryShard, Scorer, judge, judge_adversary
from cloze_gen.evaluation.questions import ADVERSARY, word_baselines
from cloze_gen.evaluation.sets import read_question_set
from cloze_gen.formats.msr import OPTION_COUNT, parse_machine
from cloze_gen.formats.questions import parse_questions, question_record
from cloze_gen.models.contexts import read_builtin_words
from cloze_gen.records.question import Question
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl, write_jsonl

ROOT = Path(__file__).parents[1]
RESULTS, PICTURE = "alignment.jsonl", "alignment.svg"  # in the folder of `--figures`
SENTENCES = "alignment-sentences.txt"  # in the output folder: the text that systems learn from
PART = "Holmes.machine_format.{}.txt"
# More candidates than the recipe draws, and shorter sentences: the stems are not ours to choose.
WIDE = ("alternates.count=600", "forward.keep=150", "grooming.min_tokens=6")
CHOICES: Mapping[str, tuple[str, Sequence[str]]] = {
    "recipe": ("holmes-style", ()),
    "matched": ("holmes-style", WIDE),
    "random": ("holmes-style", (*WIDE, "choice.method=random")),
    # as the others, one training text for all
    "unfiltered": ("holmes-2011", ("overlap.within=drop", "overlap.across=drop_source")),
}
# Baselines of `cloze-gen evaluate` -> what the choice does about them.
BALANCED, MODEL, TRAINED = "balanced by the choice", "not balanced", "trained on the questions"
OWN = {
    "focus-model-highest": BALANCED,
    "history-highest": BALANCED,
    "forward-highest": BALANCED,
    "most-frequent": BALANCED,
    "longest": BALANCED,
    "odd-tag-out": MODEL,
    "rank-classifier": TRAINED,
    "options-only": TRAINED,
    "adversary-scores": TRAINED,
    "adversary-options": TRAINED,
}  # scored with the run's own n-gram model and counts
OF_TEXT = ("smoothed-3gram", "smoothed-4gram", "simple-4gram", "lsa")
ORDERS = (2, 5)  # of further KenLM models
FOLDS = 10  # of the trained systems
OTHERS = (*(f"{order}-gram" for order in ORDERS), "topic-association", "neighbour-fit")
SAMPLES = 2000
CHANCE = 20.0


@dataclass(frozen=True)
class Answered:
    """Whether each system is right on each stem: shape (systems, stems)."""

    systems: tuple[str, ...]
    right: NDArray[np.bool_]

    @property
    def accuracy(self) -> NDArray[np.float64]:
        return self.right.mean(axis=1)


def measure(args: argparse.Namespace) -> None:
    args.out.mkdir(parents=True, exist_ok=True)
    args.figures.mkdir(parents=True, exist_ok=True)
    results = args.figures / RESULTS
    rows = list(read_jsonl(results)) if results.exists() else []
    published = published_questions(args.published)
    models: dict[int, KenlmModel] = {}
    for choice in args.choice or CHOICES:
        config, settings = CHOICES[choice]
        run = f"alignment-{choice}"
        stems = args.published / PART.format("answers")
        options = [word for one in (*settings, *args.set) for word in ("--set", one)]
        books = ("--train", str(args.train), "--stems", str(stems))
        call(args, "run", args.config or config, *books, "--name", run, *options)
        folder = args.out / "runs" / run
        if not models:
            write_sentences(folder, args.out / SENTENCES, one_in=args.one_sentence_in)
            models = ngram_models(args.out / SENTENCES)
        ours = {
            record["stem"]: record for record in read_jsonl(folder / "release" / "questions.jsonl")
        }
        of_both = {
            "generated": {stem: bare(record, stem) for stem, record in ours.items()},
            "published": {stem: published[stem] for stem in ours},
        }
        found = {
            side: answered(args, f"{choice}-{side}", questions, folder, models)
            for side, questions in of_both.items()
        }
        new = compared(choice, found["generated"], found["published"])
        rows = [row for row in rows if row["choice"] != choice] + new
        write_jsonl(results, rows)
        print(json.dumps(new[-1]), flush=True)


def call(args: argparse.Namespace, *arguments: str) -> None:
    command = cloze_gen(*arguments, "--out", str(args.out), "--workers", str(args.workers))
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def published_questions(folder: Path) -> dict[str, Question]:
    """The published questions by their number, which is the id of their stem."""
    questions, answers = (
        (folder / PART.format(part)).read_text(encoding="utf-8")
        for part in ("questions", "answers")
    )
    found = parse_machine(questions, answers)
    return {
        line.partition(")")[0][:-1]: one
        for line, one in zip(answers.splitlines(), found, strict=True)
    }


def bare(record: Mapping[str, Any], stem: str) -> Question:
    """A released question without its scores, so that both sides are scored by the same models."""
    return next(iter(parse_questions([json.dumps(dict(record) | {"id": stem})])))


def answered(
    args: argparse.Namespace,
    name: str,
    by_stem: Mapping[str, Question],
    run: Path,
    models: Mapping[int, KenlmModel],
) -> Answered:
    """The questions answered by each system, in the order of the stems' ids."""
    stems = sorted(by_stem)
    file, results = args.out / f"alignment-{name}.jsonl", args.out / f"alignment-{name}"
    records = [
        question_record(by_stem[stem]) | {"id": stem, "book_id": f"part-{int(stem) % FOLDS}"}
        for stem in stems
    ]
    write_jsonl(file, records)
    only = [word for system in OF_TEXT for word in ("--only", system)]
    text = str(args.out / SENTENCES)
    call(args, "evaluate", str(file), "--train", text, *only, "--write-to", str(results))
    found = [*read_jsonl(results / "predictions.jsonl"), *own_predictions(file, run, args.seed)]
    right: dict[str, dict[str, bool]] = {}
    for row in found:
        right.setdefault(row["baseline"], {})[row["id"]] = row["right"]
    table = {name: [of_stem[stem] for stem in stems] for name, of_stem in right.items()}
    questions = [by_stem[stem] for stem in stems]
    answers = np.array([one.answer_index for one in questions])
    for name, scores in other_scores(questions, models).items():
        choices = best_options(np.array(scores), stems, seed=args.seed)
        table[name] = (choices == answers).tolist()
    systems = tuple(name for name in (*OWN, *OF_TEXT, *OTHERS) if name in table)
    return Answered(systems, np.array([table[name] for name in systems], dtype=np.bool_))


def own_predictions(file: Path, run: Path, seed: int) -> Iterator[Mapping[str, Any]]:
    """What the baselines `OWN` choose, scored with the models of the run."""
    question_set = read_question_set(file)
    scorer = Scorer(question_set, {name: stage_artifact(run, name) for name in ("index", "counts")})
    for baseline in word_baselines(OPTION_COUNT):
        if baseline.name in OWN:
            if baseline.kind == ADVERSARY:
                features = scorer.features(baseline.score)
                shard = AdversaryShard(baseline, features, question_set.questions, seed)
                yield from judge_adversary(shard).predictions()
            else:
                yield from judge(baseline, scorer, question_set, seed=seed).predictions()


def write_sentences(run: Path, file: Path, *, one_in: int) -> None:
    """The training text of the models, or one in so many of its sentences."""
    with stage_artifact(run, "text").path(TEXT).open(encoding="utf-8") as lines:
        some = itertools.islice(lines, 0, None, one_in)
        file.write_text("".join(some), encoding="utf-8", newline="\n")


def ngram_models(text: Path) -> dict[int, KenlmModel]:
    models = {}
    with tempfile.TemporaryDirectory(dir=text.parent) as folder:
        for order in ORDERS:
            arpa = Path(folder) / f"{order}.arpa"
            train_arpa(
                text=text,
                arpa=arpa,
                order=order,
                memory="1G",
                temp_dir=Path(folder),
                prune=(0, 0, *(1 for _ in range(order - 2))),
                discount_fallback=True,
                on_line=lambda line: None,
            )
            models[order] = KenlmModel(arpa)
    return models


def other_scores(
    questions: Sequence[Question], models: Mapping[int, KenlmModel]
) -> dict[str, list[list[float]]]:
    """Scores of systems that `cloze-gen evaluate` does not have: system -> a row a question.

    The vectors are the built-in word data, which is not made from the training books.
    """
    space = read_builtin_words()
    found: dict[str, list[list[float]]] = {name: [] for name in OTHERS}
    for one in questions:
        before, after = list(one.tokens[: one.position]), list(one.tokens[one.position + 1 :])
        for order, model in models.items():
            found[f"{order}-gram"].append(
                [model.score_sentence([*before, word, *after]) for word in one.options]
            )
        topic = space.topicality([one.options], [[*before, *after]])
        found["topic-association"].append(np.nan_to_num(topic, nan=-1e9).tolist())
        near = space.neighbour_fit([one.options], [before], [after])
        found["neighbour-fit"].append(near.tolist())
    return found


def compared(choice: str, ours: Answered, theirs: Answered) -> list[dict[str, Any]]:
    """A row for each system, then one with the rank correlations."""
    rows: list[dict[str, Any]] = [
        {
            "choice": choice,
            "system": system,
            "kind": OWN.get(system, MODEL),
            "generated": round(100 * float(generated.mean()), 2),
            "published": round(100 * float(published.mean()), 2),
            "phi": phi(generated, published),
        }
        for system, generated, published in zip(ours.systems, ours.right, theirs.right, strict=True)
    ]
    kinds = {
        "all": np.ones(len(rows), dtype=np.bool_),
        "not balanced": np.array([row["kind"] == MODEL for row in rows]),
    }
    summary = {"choice": choice, "stems": ours.right.shape[1]}
    for name, kept in kinds.items():
        summary[name] = correlations(ours.right[kept], theirs.right[kept])
    return [*rows, summary]


def phi(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float | None:
    """Correlation of right answers; None if a system is always right or never."""
    if one.std() == 0 or other.std() == 0:
        return None
    return round(float(np.corrcoef(one, other)[0, 1]), 3)


def correlations(ours: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> dict[str, Any]:
    """Spearman's rho and Kendall's tau-b of the accuracies, with 95 % bootstrap intervals over
    stems, which are drawn in pairs.
    """
    rng = np.random.default_rng(1)
    n = ours.shape[1]
    found: dict[str, Any] = {"systems": len(ours)}
    drawn = [rng.integers(n, size=n) for _ in range(SAMPLES)]
    for name, statistic in (("spearman", spearmanr), ("kendall", kendalltau)):
        values = [statistic(ours[:, at].mean(1), theirs[:, at].mean(1)).statistic for at in drawn]
        low, high = np.nanpercentile(values, [2.5, 97.5])
        value = statistic(ours.mean(1), theirs.mean(1)).statistic
        found[name] = [round(float(one), 3) for one in (value, low, high)]
    return found


# ---- the picture

COLOURS = {BALANCED: "C0", MODEL: "C3", TRAINED: "C7"}
TITLES = {
    "matched": "matched choice",
    "random": "random choice, same candidates",
    "unfiltered": "holmes-2011: random, ungroomed",
}


def plot(args: argparse.Namespace) -> None:
    matplotlib.rcParams |= {"svg.hashsalt": "cloze-gen", "svg.fonttype": "none", "font.size": 9}
    rows = list(read_jsonl(args.figures / RESULTS))
    choices = [choice for choice in TITLES if any(row["choice"] == choice for row in rows)]
    figure, grid = plt.subplots(
        1, len(choices), figsize=(4.2 * len(choices), 4.6), layout="constrained", sharey=True, squeeze=False
    )  # fmt: skip
    for axes, choice in zip(grid[0], choices, strict=True):
        plot_choice(axes, choice, [row for row in rows if row["choice"] == choice])
    grid[0][0].set_ylabel("accuracy with published impostors, %")
    figure.legend(*grid[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.savefig(args.figures / PICTURE, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def plot_choice(axes: Axes, choice: str, rows: Sequence[Mapping[str, Any]]) -> None:
    summary = rows[-1]
    for kind, colour in COLOURS.items():
        some = [row for row in rows[:-1] if row["kind"] == kind]
        axes.scatter(
            [row["generated"] for row in some],
            [row["published"] for row in some],
            color=colour,
            s=18,
            label=kind,
        )
    for row in rows[:-1]:
        axes.annotate(
            row["system"],
            (row["generated"], row["published"]),
            xytext=(3, 3),
            textcoords="offset points",
            fontsize=6,
        )
    axes.axline((CHANCE, CHANCE), slope=1, color="grey", linewidth=0.6, linestyle="--")
    rho, low, high = summary["all"]["spearman"]
    axes.set(
        title=f"{TITLES[choice]}\n{summary['stems']} stems, Spearman {rho:.2f} ({low:.2f} to {high:.2f})",
        xlabel="accuracy with our impostors, %",
    )
    axes.margins(x=0.2)


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
    one = commands.add_parser("measure")
    one.set_defaults(call=measure)
    for name in ("--published", "--train", "--out"):
        one.add_argument(name, type=Path, required=True)
    one.add_argument("--choice", choices=CHOICES, action="append", help="default: each")
    one.add_argument("--config", default="", help="config of all runs (default: of the choice)")
    one.add_argument("--set", action="append", default=[], metavar="SETTING=VALUE")
    one.add_argument(
        "--one-sentence-in",
        type=int,
        default=1,
        metavar="N",
        help="train the n-gram and LSA systems on one in N training sentences (default: all)",
    )
    one.add_argument("--workers", type=int, default=2)
    one.add_argument("--seed", type=int, default=1, help="for breaking ties")
    commands.add_parser("plot").set_defaults(call=plot)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()

"""How many planted faults item analysis finds: wrong keys, and second right answers.

    python benchmarks/planted_faults.py RELEASE/questions.jsonl --evaluation EVALUATION --seeds 10

Of the questions, 2 % get a wrong key and 2 % a second right answer. 15 simulated systems answer them:
ability rises evenly, difficulties and log discriminations are normal, the wrong options of a question have Dirichlet(1)
shares, which all systems share, and a system that is right chooses between two right answers at
random. With `--evaluation`, the baselines of `cloze-gen evaluate` answer the same questions from their
recorded scores; a second right answer is a copy of the answer in place of an impostor, with its score.

Prints the number of faults among the 6 % most suspect questions, for each suspect score, over seeds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from cloze_gen.evaluation.item_analysis import (
    ItemSet,
    ModelChoices,
    analyse,
    item_rest_correlations,
)
from cloze_gen.evaluation.metrics import best_options
from cloze_gen.evaluation.sets import read_question_set
from cloze_gen.store.tables import read_jsonl

SYSTEMS = 15
RANGES = ((-3.0, -0.5), (-2.0, 1.0), (-1.0, 2.0), (-0.5, 3.0), (0.0, 3.5))  # logits
MAIN = RANGES[3]
DIFFICULTY_SD, SLOPE_SD = 1.2, 0.3  # of the difficulty and of the log discrimination
FAULTS, TOP = 0.02, 0.06  # of the questions: each kind of fault; the list of suspects


@dataclass(frozen=True)
class Planted:
    """Items with faults; `second`: the other right answer, or -1; `true`: the right one."""

    items: ItemSet
    true: NDArray[np.int64]
    second: NDArray[np.int64]

    @property
    def wrong_key(self) -> NDArray[np.bool_]:
        return self.items.answers != self.true

    @property
    def two_right(self) -> NDArray[np.bool_]:
        return self.second >= 0


def plant(items: ItemSet, rng: np.random.Generator) -> Planted:
    true, n = items.answers, len(items.ids)
    keys, second = true.copy(), np.full(n, -1)
    each = round(FAULTS * n)
    for place, i in enumerate(rng.permutation(n)[: 2 * each]):
        k = len(items.options[i])
        other = (true[i] + 1 + rng.integers(k - 1)) % k
        (keys if place < each else second)[i] = other
    return Planted(replace(items, answers=keys), true, second)


def simulate(
    planted: Planted, span: tuple[float, float], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Choices of the simulated systems, shape (n, systems)."""
    n = len(planted.true)
    ability, difficulty = np.linspace(*span, SYSTEMS), rng.normal(0, DIFFICULTY_SD, n)
    choices = np.empty((n, SYSTEMS), np.int64)
    for i in range(n):
        k, right = len(planted.items.options[i]), [planted.true[i]]
        right += [planted.second[i]] if planted.second[i] >= 0 else []
        wrong = [option for option in range(k) if option not in right]
        shares = rng.dirichlet(np.ones(len(wrong)))
        slope = rng.lognormal(0, SLOPE_SD)
        knows = rng.random(SYSTEMS) < 1 / k + (1 - 1 / k) * expit(slope * (ability - difficulty[i]))
        choices[i] = np.where(
            knows, rng.choice(right, SYSTEMS), rng.choice(wrong, SYSTEMS, p=shares)
        )
    return choices


def read_scores(evaluation: Path, items: ItemSet) -> dict[str, NDArray[np.float64]]:
    """Baseline -> its scores, without the rules of position, which do not see words."""
    place = {item_id: i for i, item_id in enumerate(items.ids)}
    found: dict[str, NDArray[np.float64]] = {}
    shape = len(items.ids), max(map(len, items.options))
    for row in read_jsonl(evaluation / "predictions.jsonl"):
        if not row["baseline"].startswith("position-") and row["id"] in place:
            scores = found.setdefault(row["baseline"], np.full(shape, np.nan))
            scores[place[row["id"]], row["option"]] = row["score"]
    return found


def answer(
    planted: Planted, scores: Mapping[str, NDArray[np.float64]], seed: int
) -> NDArray[np.int64]:
    """Choices of the baselines; ties, such as those of an answer and its copy, fall by chance."""
    rows = np.flatnonzero(planted.two_right)
    columns = []
    for name, found in scores.items():
        shown = found.copy()
        shown[rows, planted.second[rows]] = found[rows, planted.true[rows]]
        columns.append(best_options(shown, planted.items.ids, seed=seed, purpose=f"faults.{name}"))
    return np.stack(columns, axis=1)


def dawid_skene(choices: NDArray[np.int64], items: ItemSet) -> NDArray[np.float64]:
    """ln P(another option is the key) - ln P(the key is); one accuracy per model, by EM."""
    counts = np.array([len(options) for options in items.options])
    places = np.arange(counts.max())
    chose = choices[:, :, None] == places
    prior = np.where(
        places == items.answers[:, None], np.log(0.98), np.log(0.02 / (counts - 1))[:, None]
    )
    prior = np.where(places < counts[:, None], prior, -np.inf)
    accuracy = (choices == items.answers[:, None]).mean(axis=0)
    for _ in range(50):
        share = np.clip(accuracy, 0.01, 0.99)
        wrong = np.log((1 - share)[None, :] / (counts - 1)[:, None])
        odds = prior + (chose * (np.log(share) - wrong)[:, :, None]).sum(axis=1)
        posterior = np.exp(odds - odds.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        accuracy = (posterior[:, None, :] * chose).sum(axis=(0, 2)) / len(choices)
    rows = np.arange(len(choices))
    key = np.clip(posterior[rows, items.answers], 1e-300, 1.0)
    return np.log1p(-np.minimum(key, 1 - 1e-16)) - np.log(key)


def suspicions(planted: Planted, choices: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    items = planted.items
    unknown = np.full(len(items.ids), np.nan)
    models = [ModelChoices(f"m{j}", column, unknown) for j, column in enumerate(choices.T)]
    found = analyse(items, models).items
    right = choices == items.answers[:, None]
    correlation = np.nan_to_num(item_rest_correlations(right, np.ones_like(right)))
    rivals = np.array([one.rival_models for one in found])
    return {
        "posterior (ours)": np.array([one.log_odds for one in found]),
        "Dawid-Skene": dawid_skene(choices, items),
        "votes: rival - key": (rivals - right.sum(axis=1)).astype(np.float64),
        "item-rest correlation": -correlation,
        "share wrong": -right.mean(axis=1),
    }


def count_found(
    score: NDArray[np.float64], planted: Planted, rng: np.random.Generator
) -> list[int]:
    """Wrong keys and second answers among the most suspect; equal scores in random order."""
    order = np.lexsort((rng.random(len(score)), -score))[: round(TOP * len(score))]
    return [int(of[order].sum()) for of in (planted.wrong_key, planted.two_right)]


def report(title: str, found: Mapping[str, list[list[int]]], best: float, planted: int) -> None:
    print(f"{title}; the best is right on {100 * best:.0f} %")
    for name, counts in found.items():
        totals = np.sum(counts, axis=1)
        wrong, two = np.mean(counts, axis=0)
        print(
            f"  {name:<22} {totals.mean():5.1f} of {planted} (least {totals.min()}, most {totals.max()}): "
            f"{wrong:.1f} wrong keys, {two:.1f} second answers"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("questions", type=Path)
    parser.add_argument("--evaluation", type=Path, action="append", default=[])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, help="new file for the counts as JSON lines")
    args = parser.parse_args()
    questions = read_question_set(args.questions).questions
    items = ItemSet(
        tuple(one.id for one in questions), tuple(one.options for one in questions),
        np.array([one.answer_index for one in questions]), tuple(one.book_id for one in questions), "questions",
    )  # fmt: skip
    sources = {
        f"{SYSTEMS} simulated systems, ability {low:g} to {high:g}": (low, high)
        for low, high in RANGES
    }
    baselines = {path.name: read_scores(path, items) for path in args.evaluation}
    rows = []
    for title in [*sources, *baselines]:
        found: dict[str, list[list[int]]] = {}
        accuracies = []
        for seed in range(args.seeds):
            rng = np.random.default_rng(seed)
            planted = plant(items, rng)
            choices = (
                simulate(planted, sources[title], rng)
                if title in sources
                else answer(planted, baselines[title], seed)
            )
            accuracies.append((choices == planted.items.answers[:, None]).mean(axis=0).max())
            for name, score in suspicions(planted, choices).items():
                found.setdefault(name, []).append(count_found(score, planted, rng))
        n = int(planted.wrong_key.sum() + planted.two_right.sum())
        name = title if title in sources else f"{len(baselines[title])} baselines of {title}"
        report(name, found, float(np.mean(accuracies)), n)
        rows.append(
            {
                "systems": name,
                "best": round(float(np.mean(accuracies)), 4),
                "planted": n,
                "found": found,
            }
        )
    if args.out:
        with open(args.out, "x", encoding="utf-8") as handle:
            handle.writelines(f"{json.dumps(row)}\n" for row in rows)


if __name__ == "__main__":
    main()

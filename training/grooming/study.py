"""Compare models of readers' marks, above all on the fours that the choice takes.

    python training/grooming/study.py --marks training/grooming/marks.jsonl --run artifacts/runs/NAME
        [--language-model FOLDER]

Cross-validated by book as in `fit.py`. Prints:

1. AUC of each variant, on random candidates and on the choice's own: weights of marks, an ordinal
   model, boosted trees, and features of language models (the run's n-gram model, and with
   --language-model a causal model in a Hub folder);
2. AUC by book on the choice's own candidates;
3. a learning curve over marked sentences;
4. the best four of each marked sentence by expected ambiguity and triviality, and in the best
   sentences of them what readers say.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from fit import FOLDS, INVERSE_RIDGE, SAYS, measured
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from cloze_gen.adapters.kenlm_model import BEGIN, KenlmModel
from cloze_gen.adapters.local_models import CausalModel
from cloze_gen.formats.questions import around_blank
from cloze_gen.recipes.msr.grooming.candidate_checks import RIGHT_WORDS
from cloze_gen.recipes.msr.tables import cached_sentences
from cloze_gen.records.question import Blank
from cloze_gen.store.runs import stage_artifact

FIRST_CHOSEN = 7782  # lines of marks.jsonl from here on are of the choice's own questions
BAGS = 12
TARGETS = ("fits_as_well", "plausible")
TAKEN = 0.15  # share of the sentences

Scorer = Callable[[Sequence[str], int, str], tuple[float, float]]
Fit = Callable[[np.ndarray, np.ndarray, np.ndarray], Callable[[np.ndarray], np.ndarray]]


# ---- features of language models


def ngram_scorer(path: Path) -> Scorer:
    model = KenlmModel(path)

    def score(tokens: Sequence[str], at: int, word: str) -> tuple[float, float]:
        filled = [BEGIN, *tokens[:at], word, *tokens[at + 1 :]]
        places = range(at + 2, min(at + 1 + model.order, len(filled)))
        return (
            model.log10_prob(filled[: at + 1], word),
            sum(model.log10_prob(filled[:place], filled[place]) for place in places),
        )

    return score


def causal_scorer(folder: Path) -> Scorer:
    model = CausalModel(folder)

    def score(tokens: Sequence[str], at: int, word: str) -> tuple[float, float]:
        before, after = around_blank(Blank("", tuple(tokens), at))
        next_words = " ".join(after.split(" ")[: 1 + RIGHT_WORDS])
        own, rest = model.fills(before, [word], next_words)[0]
        return float(own), float(rest)

    return score


def score_features(
    rows: Sequence[Mapping[str, Any]], sentences: Mapping[str, Any], score: Scorer
) -> np.ndarray:
    """Shape (marks, 3): the word's score and that of the words after it, each less the answer's;
    and the answer's own score.
    """
    known: dict[tuple[str, str], tuple[float, float]] = {}

    def scored(item_id: str, word: str) -> np.ndarray:
        if (item_id, word) not in known:
            sentence_id, _, position = item_id.rpartition(":")
            known[item_id, word] = score(sentences[sentence_id].tokens, int(position), word)
        return np.array(known[item_id, word])

    own, answers = (
        np.array([scored(row["id"], row[name]) for row in rows]) for name in ("word", "answer")
    )
    return np.column_stack([own - answers, answers[:, 0]])


# ---- models


def logistic(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Callable[..., np.ndarray]:
    model = make_pipeline(StandardScaler(), LogisticRegression(C=INVERSE_RIDGE, max_iter=5000))
    model.fit(x, y, logisticregression__sample_weight=weight)
    return lambda unseen: model.predict_proba(unseen)[:, 1]


def boosted(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Callable[..., np.ndarray]:
    model = HistGradientBoostingClassifier(
        max_iter=120,
        learning_rate=0.06,
        max_leaf_nodes=8,
        min_samples_leaf=60,
        l2_regularization=5,
        random_state=1,
    ).fit(x, y, sample_weight=weight)
    return lambda unseen: model.predict_proba(unseen)[:, 1]


def bagged(quantile: float) -> Fit:
    """A quantile of models fitted on random halves of the marks."""

    def fit(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Callable[..., np.ndarray]:
        rng = np.random.default_rng(1)
        models = [logistic(x, y, weight * rng.integers(0, 2, len(y))) for _ in range(BAGS)]
        return lambda unseen: np.quantile([model(unseen) for model in models], quantile, axis=0)

    return fit


def _expit(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


class Study:
    def __init__(self, rows: Sequence[Mapping[str, Any]], first_chosen: int) -> None:
        self.marks = np.array([row["mark"] for row in rows])
        self.items = np.array([row["id"] for row in rows])
        self.books = np.array([item.partition(":")[0] for item in self.items])
        self.chosen = np.array([row["line"] >= first_chosen for row in rows])
        n_folds = min(FOLDS, len(set(self.books)))
        self.folds = list(GroupKFold(n_folds).split(self.items, groups=self.books))

    def says(self, name: str) -> np.ndarray:
        return np.isin(self.marks, list(SAYS[name]))

    def cross_validated(
        self, x: np.ndarray, y: np.ndarray, fit: Fit = logistic, weight: np.ndarray | None = None
    ) -> np.ndarray:
        """Probabilities; marks of weight 0 are not fitted on. Without two classes, the mean."""
        weight = np.ones(len(y)) if weight is None else weight
        found = np.zeros(len(y))
        for train, test in self.folds:
            able = train[weight[train] > 0]
            if len(set(y[able])) == 2:
                found[test] = fit(x[able], y[able], weight[able])(x[test])
            else:
                found[test] = y[train].mean()
        return found

    def ordinal(self, x: np.ndarray) -> np.ndarray:
        """A proportional-odds score of absurd < plausible < fits as well."""
        found = np.zeros(len(x))
        steps = [self.says("plausible"), self.says("fits_as_well")]
        for train, test in self.folds:
            scaler = StandardScaler().fit(x[train])
            scaled = scaler.transform(x[train])
            constants = np.repeat(np.eye(2) * 20, len(train), axis=0)  # nearly without a penalty
            model = LogisticRegression(C=INVERSE_RIDGE, max_iter=5000, fit_intercept=False)
            model.fit(
                np.hstack([np.vstack([scaled, scaled]), constants]),
                np.concatenate([step[train] for step in steps]),
            )
            found[test] = _expit(scaler.transform(x[test]) @ model.coef_[0][:-2])
        return found

    def auc(self, y: np.ndarray, p: np.ndarray, here: np.ndarray) -> str:
        if len(set(y[here])) < 2:
            return "-"
        return f"{roc_auc_score(y[here], p[here]):.3f}"

    def print_row(self, name: str, found: Mapping[str, np.ndarray]) -> None:
        cells = [
            self.auc(self.says(mark), found[mark], here)
            for mark in TARGETS
            for here in (~self.chosen, self.chosen)
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)

    def both_marks(self, x: np.ndarray, **options: Any) -> dict[str, np.ndarray]:
        return {name: self.cross_validated(x, self.says(name), **options) for name in TARGETS}

    def best_fours(
        self, found: Mapping[str, np.ndarray], weight: float
    ) -> Iterator[tuple[float, bool, bool]]:
        """Of each sentence of the choice: least weight * ambiguity + triviality, and whether
        readers find that four ambiguous, and trivial.
        """
        rows_of: dict[str, list[int]] = defaultdict(list)
        for row in np.flatnonzero(self.chosen):
            rows_of[self.items[row]].append(row)
        fits, plausible = (self.says(name) for name in TARGETS)
        for rows in rows_of.values():
            if len(rows) < 4:
                continue
            fours = np.array(list(combinations(rows, 4)))
            p_fits, p_plausible = (found[name][fours] for name in TARGETS)
            cost = weight * (1 - (1 - p_fits).prod(axis=1)) + (1 - p_plausible).prod(axis=1)
            best = fours[cost.argmin()]
            yield float(cost.min()), bool(fits[best].any()), not plausible[best].any()

    def print_front(self, name: str, found: Mapping[str, np.ndarray]) -> None:
        for weight in (1, 2, 4, 8):
            fours = sorted(self.best_fours(found, weight))
            taken = np.array(fours[: round(TAKEN * len(fours))], float)
            if len(taken):
                ambiguous, trivial = taken[:, 1:].mean(axis=0)
                print(f"| {name} | {weight} | {len(taken)} | {ambiguous:.1%} | {trivial:.1%} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--marks", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--language-model", type=Path, action="append", default=[])
    parser.add_argument("--first-chosen", type=int, default=FIRST_CHOSEN)
    args = parser.parse_args()
    marks: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for i, line in enumerate(args.marks.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        marks[row["id"]].append(row | {"line": i})
    x, rows = measured(args.run, marks)
    sentences = cached_sentences(stage_artifact(args.run, "focus").folder)
    scorers = {"n-grams": ngram_scorer(stage_artifact(args.run, "lm").path("model.arpa"))}
    scorers |= {folder.name: causal_scorer(folder) for folder in args.language_model}
    of_models = {name: score_features(rows, sentences, one) for name, one in scorers.items()}
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits that end early
        _report(Study(rows, args.first_chosen), x, of_models)


def _report(study: Study, x: np.ndarray, of_models: Mapping[str, np.ndarray]) -> None:
    print(f"{len(x):,} marks, {study.chosen.sum():,} of the choice's own; AUC")
    print("\n| model | fits, random | chosen | plausible, random | chosen |")
    print("|---|---:|---:|---:|---:|")
    with_scores = {f"+ {name}": found for name, found in of_models.items()}
    if len(of_models) > 1:
        with_scores["+ all of these"] = np.hstack(list(of_models.values()))
    makers: dict[str, Callable[[], dict[str, np.ndarray]]] = {
        "logistic": lambda: study.both_marks(x),
        "chosen weighted 3": lambda: study.both_marks(x, weight=np.where(study.chosen, 3.0, 1.0)),
        "chosen only": lambda: study.both_marks(x, weight=study.chosen.astype(float)),
        "ordinal": lambda: dict.fromkeys(TARGETS, study.ordinal(x)),
        "boosted trees": lambda: study.both_marks(x, fit=boosted),
        "pessimistic": lambda: {
            name: study.cross_validated(x, study.says(name), fit=bagged(quantile))
            for name, quantile in zip(TARGETS, (0.9, 0.1), strict=True)
        },
    } | {
        name: lambda found=found: study.both_marks(np.hstack([x, found]))
        for name, found in with_scores.items()
    }
    variants = {}
    for name, make in makers.items():
        variants[name] = make()
        study.print_row(name, variants[name])

    print("\nBy book, the choice's own candidates\n")
    shown = {name: variants[name] for name in ("logistic", *with_scores)}
    print(f"| book | marks | {' | '.join(f'{a}, {b}' for a in shown for b in TARGETS)} |")
    for book in sorted(set(study.books)):
        here = study.chosen & (study.books == book)
        cells = [
            study.auc(study.says(mark), found[mark], here)
            for found in shown.values()
            for mark in TARGETS
        ]
        print(f"| {book} | {here.sum()} | {' | '.join(cells)} |")

    print(
        "\n| share of the marked sentences | fits, random | chosen | plausible, random | chosen |"
    )
    rng = np.random.default_rng(1)
    rank_of = dict(zip(unique := np.unique(study.items), rng.permutation(len(unique)), strict=True))
    ranks = np.array([rank_of[item] for item in study.items])
    for share in (1 / 8, 1 / 4, 1 / 2, 1):
        used = (ranks < share * len(unique)).astype(float)
        study.print_row(f"{share:.3g}", study.both_marks(x, weight=used))

    print(f"\nBest {TAKEN:.0%} of the choice's sentences, each with its best four\n")
    print("| model | weight of ambiguity | fours | ambiguous | trivial |")
    for name in ("logistic", "pessimistic", *with_scores):
        study.print_front(name, variants[name])


if __name__ == "__main__":
    main()

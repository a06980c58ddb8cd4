"""Compare models of readers' marks on whole questions: fours that the choice took.

    python training/grooming/study_fours.py --fours training/grooming/fours.parquet
        --run artifacts/runs/NAME [--language-model FOLDER]

The run must have the marked novels as source books. Cross-validated by book. AUC is of one reader's
mark on a question: ambiguous (an impostor fits as well, or is taken for the answer), and trivial
(all impostors absurd). Prints it for

1. the shipped models: 1 - prod(1 - fits as well), and prod(1 - plausible), as the choice has them,
   and with `--language-model` those of `grooming.language_model`;
2. models of a candidate, fitted on these questions by the same two products (no reader said
   which impostor is plausible), with a learning curve;
3. models of a question: logistic on maximum, mean and minimum of the candidates' features;

and what readers say of the fours, by expected triviality, and of the best of them.

The scores that the choice balances are in none of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from fit import measured
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from cloze_gen.adapters.local_models import CausalModel
from cloze_gen.recipes.msr.grooming.reader_models import FEATURES, opinion
from cloze_gen.recipes.msr.grooming.reader_weights import WEIGHTS, WEIGHTS_WITH_MODEL
from cloze_gen.store.tables import read_parquet

FOLDS, RIDGE, INVERSE_RIDGE = 10, 50.0, 0.01
SIZES = (500, 1000, 1500, 2000, 2500)  # questions to fit on; nine tenths of all at most
N_OWN = FEATURES.index("answer_topicality")  # features of the candidate; the others are the place's
MIN_SHOWN = 100  # questions of a book
STEP = 0.05  # of expected triviality
TAKEN = (0.1, 0.2, 0.4)  # shares of the questions

Predict = Callable[[np.ndarray], np.ndarray]


class Fours:
    """Questions, and the marks of both readers; `x` has shape (questions, 4, features)."""

    def __init__(self, path: Path, run: Path, model: CausalModel | None = None) -> None:
        rows = read_parquet(path).to_pylist()
        marks = {
            row["id"]: [
                {"id": row["id"], "answer": row["answer"], "word": word}
                for word in row["impostors"]
            ]
            for row in rows
        }
        features, kept = measured(run, marks, model)
        known = {(mark["id"], mark["word"]): one for mark, one in zip(kept, features, strict=True)}
        rows = [row for row in rows if all((row["id"], word) in known for word in row["impostors"])]
        self.x = np.array([[known[row["id"], word] for word in row["impostors"]] for row in rows])
        self.books = np.array([row["id"].partition(":")[0] for row in rows])
        self.fits = np.array(
            [
                [
                    [
                        word in reader["fits"] or word == reader["answer"]
                        for word in row["impostors"]
                    ]
                    for reader in row["readers"]
                ]
                for row in rows
            ],
            float,
        )
        self.ambiguous = self.fits.max(axis=2)
        self.trivial = np.array(
            [[reader["trivial"] for reader in row["readers"]] for row in rows], float
        )
        n_folds = min(FOLDS, len(set(self.books)))
        folds = GroupKFold(n_folds).split(self.x, groups=self.books)
        rng = np.random.default_rng(1)
        self.folds = [(rng.permutation(train), test) for train, test in folds]

    def cross_validated(
        self, fit: Callable[[np.ndarray], Predict], size: int | None = None
    ) -> np.ndarray:
        found = np.zeros(len(self.x))
        for train, test in self.folds:
            found[test] = fit(train[:size])(self.x[test])
        return found

    def print_row(self, name: str, ambiguity: np.ndarray, triviality: np.ndarray) -> None:
        cells = [auc(self.ambiguous, ambiguity), auc(self.trivial, triviality)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)

    # ---- models: each takes numbers of questions, and returns a prediction from `x`

    def fits_of_four(self, questions: np.ndarray) -> Predict:
        says = self.fits[questions].mean(axis=1)

        def loss(z: np.ndarray) -> tuple[float, np.ndarray]:
            return float((np.logaddexp(0, z) - says * z).sum()), _expit(z) - says

        p = _ridge(self.x[questions], loss)
        return lambda unseen: 1 - (1 - p(unseen)).prod(axis=1)

    def triviality_of_four(self, questions: np.ndarray) -> Predict:
        says = self.trivial[questions].mean(axis=1)

        def loss(z: np.ndarray) -> tuple[float, np.ndarray]:
            cost = np.logaddexp(0, z).sum(axis=1)  # -log of the product of 1 - plausible
            other = np.clip(-np.expm1(-cost), 1e-9, 1)
            slope = says - (1 - says) * np.exp(-cost) / other
            total = (says * cost - (1 - says) * np.log(other)).sum()
            return float(total), slope[:, None] * _expit(z)

        p = _ridge(self.x[questions], loss)
        return lambda unseen: (1 - p(unseen)).prod(axis=1)

    def of_question(self, says: np.ndarray) -> Callable[[np.ndarray], Predict]:
        def fit(questions: np.ndarray) -> Predict:
            if len(set(says[questions].ravel())) < 2:
                return lambda unseen: np.full(len(unseen), says[questions].mean())
            model = make_pipeline(
                StandardScaler(), LogisticRegression(C=INVERSE_RIDGE, max_iter=5000)
            )
            model.fit(
                np.repeat(question_features(self.x[questions]), 2, axis=0),
                says[questions].ravel(),
            )
            return lambda unseen: model.predict_proba(question_features(unseen))[:, 1]

        return fit


def question_features(x: np.ndarray) -> np.ndarray:
    own, place = x[:, :, :N_OWN], x[:, 0, N_OWN:]
    opinions = [np.sort(found, axis=1) for found in (opinion(x).fits_as_well, opinion(x).plausible)]
    return np.hstack([own.max(axis=1), own.mean(axis=1), own.min(axis=1), place, *opinions])


def _expit(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z))


def _ridge(x: np.ndarray, loss: Callable[[np.ndarray], tuple[float, np.ndarray]]) -> Predict:
    """A logistic model of a candidate, by a loss of logits of shape (questions, 4), for two readers."""
    flat = x.reshape(-1, x.shape[2])
    centre, spread = flat.mean(axis=0), flat.std(axis=0)
    spread[spread == 0] = np.inf

    def scaled(table: np.ndarray) -> np.ndarray:
        return (table - centre) / spread

    known = scaled(x)

    def total(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = loss(known @ weights[1:] + weights[0])
        gradient = np.concatenate([[slope.sum()], np.tensordot(slope, known, 2)])
        penalty = np.concatenate([[0.0], RIDGE * weights[1:]])
        return 2 * value + weights @ penalty / 2, 2 * gradient + penalty

    weights = minimize(total, np.zeros(1 + len(centre)), jac=True, method="L-BFGS-B").x
    return lambda unseen: _expit(scaled(unseen) @ weights[1:] + weights[0])


def auc(says: np.ndarray, found: np.ndarray) -> str:
    """Of both readers' marks, shape (questions, 2)."""
    if len(set(says.ravel())) < 2:
        return "-"
    return f"{roc_auc_score(says.ravel(), np.repeat(found, 2)):.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fours", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--language-model", type=Path)
    args = parser.parse_args()
    model = CausalModel(args.language_model) if args.language_model else None
    fours = Fours(args.fours, args.run, model)
    with threadpool_limits(limits=1):
        _report(fours, has_model=model is not None)


def expected(x: np.ndarray, weights: Mapping[str, Mapping[str, float]]) -> tuple[np.ndarray, ...]:
    """Ambiguity and triviality of each question, as the choice has them."""
    marks = opinion(x, weights)
    return 1 - (1 - marks.fits_as_well).prod(axis=1), (1 - marks.plausible).prod(axis=1)


def _report(fours: Fours, *, has_model: bool) -> None:
    said = [f"{mark.mean():.1%}" for mark in (fours.ambiguous, fours.trivial)]
    print(f"{len(fours.x):,} questions; marked ambiguous {said[0]}, trivial {said[1]}\n")
    present = expected(fours.x, WEIGHTS)
    print(f"expected by the shipped models {present[0].mean():.1%}, {present[1].mean():.1%}\n")
    print("| model | AUC, ambiguous | AUC, trivial |\n|---|---:|---:|")
    fours.print_row("shipped", *present)
    if has_model:
        fours.print_row("shipped, language model", *expected(fours.x, WEIGHTS_WITH_MODEL))
    fours.print_row(
        "of a question",
        fours.cross_validated(fours.of_question(fours.ambiguous)),
        fours.cross_validated(fours.of_question(fours.trivial)),
    )
    for size in SIZES:
        fitted = (
            fours.cross_validated(fours.fits_of_four, size),
            fours.cross_validated(fours.triviality_of_four, size),
        )
        fours.print_row(f"of a candidate, {size} questions", *fitted)
    print("\n| book | questions | shipped | | of a candidate | |\n|---|---:|---:|---:|---:|---:|")
    for book in sorted(set(fours.books)):
        here = fours.books == book
        if here.sum() >= MIN_SHOWN:
            cells = [
                auc(says[here], found[here])
                for pair in (present, fitted)
                for says, found in zip((fours.ambiguous, fours.trivial), pair, strict=True)
            ]
            print(f"| {book} | {here.sum()} | {' | '.join(cells)} |")

    print(
        "\n| expected triviality, up to | questions | ambiguous | trivial |\n|---|---:|---:|---:|"
    )
    steps = np.ceil(present[1] / STEP)
    for step in np.unique(steps):
        here = steps == step
        said = [f"{mark[here].mean():.1%}" for mark in (fours.ambiguous, fours.trivial)]
        print(f"| {step * STEP:.2f} | {here.sum()} | {' | '.join(said)} |")

    print("\n| best by ambiguity + triviality | model | ambiguous | trivial |\n|---|---|---:|---:|")
    for share in TAKEN:
        for name, pair in (("shipped", present), ("of a candidate", fitted)):
            best = np.argsort(sum(pair), kind="stable")[: round(share * len(fours.x))]
            said = [f"{mark[best].mean():.1%}" for mark in (fours.ambiguous, fours.trivial)]
            print(f"| {share:.0%} | {name} | {' | '.join(said)} |")


if __name__ == "__main__":
    main()

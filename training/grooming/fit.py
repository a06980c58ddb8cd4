"""Fit the models of readers' marks, cross-validate them by book, and write their weights.

    python training/grooming/fit.py --marks training/grooming/marks.jsonl --run artifacts/runs/NAME
    [--run artifacts/runs/OTHER]
        [--language-model FOLDER] [--write src/cloze_gen/recipes/msr/grooming/reader_weights.json]

A mark is `{"id", "answer", "word", "mark"}`; `mark` is A (fits as well as the answer), P (plausible
but worse), X (grammatical but absurd), U (ungrammatical) or B (taken for the answer; counted with
A). The runs' stores hold sentences, language model and contexts. Several runs over the same books
with different backgrounds show the models what little evidence looks like. With
`--language-model` (a causal model, extra `cloze-gen[hf]`; hours on CPUs) the weights of
`grooming.language_model` are fitted and written.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GroupKFold
from threadpoolctl import threadpool_limits

from cloze_gen.adapters.local_models import CausalModel
from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.recipes.msr.grooming.candidates import CandidateTable, Item
from cloze_gen.recipes.msr.grooming.measures import measures_of
from cloze_gen.recipes.msr.grooming.reader_model import (
    FEATURES,
    features_of,
    place_features,
)
from cloze_gen.recipes.msr.grooming.stage import (
    frequent_words,
    judge_answers,
    judge_tags,
    judge_words,
)
from cloze_gen.recipes.msr.tables import model_index, model_knowledge
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.store.runs import stage_artifact

SAYS = {"fits_as_well": "AB", "ungrammatical": "U", "plausible": "PAB"}
FOLDS, INVERSE_RIDGE = 8, 0.02  # C = 0.01 and 0.05 gave log losses within 0.001 of each other


def read_marks(paths: Sequence[Path]) -> dict[str, list[dict[str, Any]]]:
    """Marks by item id."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found[row["id"]].append(row)
    return found


def measured(
    run: Path, marks: dict[str, list[dict[str, Any]]], model: CausalModel | None = None
) -> tuple[np.ndarray, list[dict[str, Any]]]:
    """Features and marks of the candidates that this run's grooming would check."""
    focus, index, contexts, counts = (
        stage_artifact(run, name) for name in ("focus", "index", "contexts", "counts")
    )
    knowledge = model_knowledge(contexts, 0)
    sentences = read_source_sentences(focus)
    items: list[Item] = []
    marks_of: dict[str, list[dict[str, Any]]] = {}
    stale = []
    for item_id, rows in sorted(marks.items()):
        sentence_id, _, position = item_id.rpartition(":")
        answer = rows[0]["answer"]
        rows = [row for row in rows if knowledge.evidence([row["word"]])[0] > 0]
        if sentence_id not in sentences or not knowledge.evidence([answer])[0] > 0 or not rows:
            continue
        if sentences[sentence_id].tokens[int(position) :][:1] != (answer,):
            stale.append(item_id)
            continue
        words = [row["word"] for row in rows]
        items.append(Item(item_id, sentences[sentence_id], int(position), words))
        marks_of[item_id] = rows
    if stale:
        print(f"{run.name}: {len(stale)} marked blanks no longer hold their answer, as {stale[0]}")
    table = judged_by_rules(items)
    rows = table.open()
    if not len(rows):
        raise SystemExit(
            f"{run}: no mark is of a candidate of this run. Give a run whose source books are "
            "the marked novels."
        )
    frequent = frequent_words(counts)
    places = [place_features(item, frequent=frequent) for item in table.items]
    measures = measures_of(table, rows, model_index(index, 0), knowledge, model)
    kept = [mark for item in table.items for mark in marks_of[item.id]]
    return features_of(measures, places, table.item[rows]), [kept[row] for row in rows]


def judged_by_rules(items: list[Item]) -> CandidateTable:
    """The candidates with the verdicts of the rules and of the tagger, no offensive word listed."""
    tagger = load_tagger()
    judge_answers(items, tagger)
    table = CandidateTable(items)
    judge_words(table, offensive=())
    judge_tags(table, tagger)
    return table


def fit(features: np.ndarray, says: np.ndarray) -> tuple[np.ndarray, float]:
    """Unscaled weights and the constant, by a ridge over scaled features."""
    centre, spread = features.mean(axis=0), features.std(axis=0)
    spread[spread == 0] = np.inf
    model = LogisticRegression(C=INVERSE_RIDGE, max_iter=5000).fit(
        (features - centre) / spread, says
    )
    weights = model.coef_[0] / spread
    return weights, float(model.intercept_[0] - weights @ centre)


def cross_validated(features: np.ndarray, says: np.ndarray, books: Sequence[str]) -> np.ndarray:
    """Probability of each mark from models that saw none of its book."""
    found = np.zeros(len(says))
    for train, test in GroupKFold(min(FOLDS, len(set(books)))).split(features, says, books):
        weights, constant = fit(features[train], says[train])
        found[test] = 1 / (1 + np.exp(-(features[test] @ weights + constant)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--marks", type=Path, nargs="+", required=True)
    parser.add_argument("--run", type=Path, action="append", required=True)
    parser.add_argument("--language-model", type=Path)
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    marks = read_marks(args.marks)
    model = CausalModel(args.language_model) if args.language_model else None
    parts = [measured(run, marks, model) for run in args.run]
    features = np.concatenate([part for part, _ in parts])
    rows = [row for _, part in parts for row in part]
    origin = np.repeat(np.arange(len(parts)), [len(part) for _, part in parts])
    books = [row["id"].partition(":")[0] for row in rows]
    if len(set(books)) < 2:
        raise SystemExit(
            f"All marks are of the book {books[0]}. Cross-validation needs two books or more."
        )
    weights, found = {}, {}
    with threadpool_limits(limits=1):
        for name, letters in SAYS.items():
            says = np.array([row["mark"] in letters for row in rows])
            found[name] = cross_validated(features, says, books)
            own, constant = fit(features, says)
            weights[name] = {"constant": round(constant, 4)} | {
                feature: round(float(w), 4)
                for feature, w in zip(FEATURES, own, strict=True)
                if round(float(w), 4)
            }
            for i, run in enumerate(args.run):
                here = origin == i
                auc, loss = (
                    roc_auc_score(says[here], found[name][here]),
                    log_loss(says[here], found[name][here]),
                )
                said = f"marks {here.sum():6,}  say so {says[here].mean():.3f}"
                print(f"{name:13} {run.name:10} {said}  AUC {auc:.3f}  log loss {loss:.4f}")
    _tell_bounds(found, rows, origin, args.run)
    if args.write:
        name = "with_language_model" if model else "without_language_model"
        write_weights(args.write, name, weights)


def write_weights(path: Path, name: str, weights: dict[str, dict[str, float]]) -> None:
    """Replace one set of weights of the file."""
    sets = json.loads(path.read_text(encoding="utf-8"))
    sets[name] = weights
    path.write_text(json.dumps(sets, indent=1) + "\n", encoding="utf-8")


def _tell_bounds(
    found: dict[str, np.ndarray],
    rows: list[dict[str, Any]],
    origin: np.ndarray,
    runs: Sequence[Path],
) -> None:
    """Print what each pair of bounds would keep and let through."""
    print(
        "\n| background | max_ambiguity | max_ungrammatical | kept | fits as well | "
        "ungrammatical | plausible |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|")
    marks = np.array([row["mark"] for row in rows])
    for i, run in enumerate(runs):
        for ambiguity in (0.02, 0.03, 0.04, 0.08):
            for grammar in (0.03, 0.05, 0.08):
                here = origin == i
                kept = (
                    here & (found["fits_as_well"] < ambiguity) & (found["ungrammatical"] < grammar)
                )
                said = [
                    f"{np.isin(marks[kept], list(letters)).mean():.1%}" if kept.any() else "-"
                    for letters in SAYS.values()
                ]
                print(
                    f"| {run.name} | {ambiguity} | {grammar} | {kept.sum() / here.sum():.1%} "
                    f"| {' | '.join(said)} |"
                )


if __name__ == "__main__":
    main()

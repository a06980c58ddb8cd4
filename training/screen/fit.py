"""Fit the model of the SCS screen to readers' marks, cross-validate them by book, and write the weights.

    python training/screen/fit.py --run artifacts/runs/NAME [--check artifacts/runs/scs-style]
        [--write src/cloze_gen/recipes/scs/screen_weights.py]

The marks are those of `training/grooming/marks.jsonl`, so the run's source books must be the marked
novels. Only marks of candidates that take the answer's tag in its place are used, as in an SCS-style
question. The measures are of the built-in words. `development.jsonl` has one reader's marks of
SCS-style questions: 155 drawn by class, and 110 that passed an earlier screen.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from cloze_gen.corpus.books import book_folder, kept_books
from cloze_gen.corpus.source_sentences import read_sentences
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.models.contexts import read_builtin_words
from cloze_gen.recipes.msr.grooming.candidates import Item
from cloze_gen.recipes.scs.screen import FEATURES, expected_ambiguity, features_of
from cloze_gen.recipes.tables import read_source_sentences
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_jsonl

GROOMING = Path(__file__).parents[1] / "grooming"
sys.path.insert(0, str(GROOMING))
from fit import SAYS, cross_validated, fit, judged_by_rules, read_marks


def measured(run: Path, marks_file: Path) -> tuple[np.ndarray, list[dict[str, str]]]:
    """Features and marks, one row per marked candidate."""
    marks = read_marks([marks_file])
    corpus = stage_artifact(run, "ingest source")
    space = read_builtin_words()
    marked = {item.rpartition(":")[0] for item in marks}
    sentences = {
        sentence.id: sentence
        for row in kept_books(corpus)
        for sentence in read_sentences(book_folder(corpus, row), row["book_id"], {})
        if sentence.id in marked
    }
    items: list[Item] = []
    marks_of: dict[str, list[dict[str, str]]] = {}
    for item_id, rows in sorted(marks.items()):
        sentence_id, _, position = item_id.rpartition(":")
        sentence = sentences.get(sentence_id)
        if sentence and sentence.tokens[int(position) :][:1] == (rows[0]["answer"],):
            items.append(Item(item_id, sentence, int(position), [row["word"] for row in rows]))
            marks_of[item_id] = rows
    table = judged_by_rules(items)
    open_rows = table.open()
    kept = [mark for item in table.items for mark in marks_of[item.id]]
    features = []
    chosen = []
    for number, item in enumerate(table.items):
        if 0 < item.rank < len(item.printed) - 1:
            rows = open_rows[table.item[open_rows] == number]
            similarity = space.similarity([table.word[rows].tolist()], [item.answer])
            name = coarse_class(item.tag)
            features.append(
                features_of(item.sentence.tokens, item.position, similarity, word_class=name)
            )
            chosen += [kept[row] | {"class": name} for row in rows]
    return np.concatenate(features), chosen


def check(run: Path) -> None:
    """Compare the model with the marks of `development.jsonl`, which it was not fitted to."""
    path = Path(__file__).with_name("development.jsonl")
    sentences = read_source_sentences(stage_artifact(run, "sentences"))
    rows = [
        row | {"fits": set(row["fits"]), "sentence": sentences[row["id"].rpartition(":")[0]]}
        for row in read_jsonl(path)
        if row["id"].rpartition(":")[0] in sentences
    ]
    expected = np.array(
        [
            expected_ambiguity(
                row["sentence"].tokens,
                int(row["id"].rpartition(":")[2]),
                [row["answer"], *row["impostors"]],
                word_class=row["class"],
            )
            for row in rows
        ]
    )
    marked = np.array([bool(row["fits"]) for row in rows])
    sheets, classes = (np.array([row[name] for row in rows]) for name in ("sheet", "class"))
    for sheet in ("drawn", "passed"):
        for name in ("", *sorted(set(classes))):
            here = (sheets == sheet) & ((classes == name) | (name == ""))
            if not here.any():
                continue
            both = 0 < marked[here].sum() < here.sum()
            auc = f", AUC {roc_auc_score(marked[here], expected[here]):.3f}" if both else ""
            print(
                f"{sheet} {name or 'all'}: {here.sum()} questions, ambiguous {marked[here].mean():.1%}, "
                f"expected {expected[here].mean():.1%}{auc}"
            )
    for limit in (0.12, 0.14, 0.16, 0.2, 1):
        here = (sheets == "drawn") & (expected < limit)
        print(
            f"drawn, max_ambiguity {limit}: {here.sum()} left, ambiguous {marked[here].mean():.1%}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--marks", type=Path, default=GROOMING / "marks.jsonl")
    parser.add_argument("--run", type=Path, help="a run whose source books are the marked novels")
    parser.add_argument("--check", type=Path, help="an SCS-style run of the books of the paper")
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    if args.check:
        check(args.check)
    if not args.run:
        return
    features, rows = measured(args.run, args.marks)
    books = [row["id"].partition(":")[0] for row in rows]
    classes = np.array([row["class"] for row in rows])
    says = np.array([row["mark"] in SAYS["fits_as_well"] for row in rows])
    with threadpool_limits(limits=1):
        found = cross_validated(features, says, books)
        own, constant = fit(features, says)
    print(f"{len(says):,} marks, {says.mean():.3f} say that the candidate fits as well")
    for name in ("", *sorted(set(classes))):
        here = (classes == name) | (name == "")
        if 0 < says[here].sum() < here.sum():
            print(f"{name or 'all'}: AUC {roc_auc_score(says[here], found[here]):.3f}")
    weights = {"constant": constant} | dict(zip(FEATURES, own.tolist(), strict=True))
    if args.write:
        text = args.write.read_text(encoding="utf-8")
        lines = [f'    "{name}": {w:.4f},\n' for name, w in weights.items() if round(w, 4)]
        args.write.write_text(
            text[: text.index("WEIGHTS")]
            + f"WEIGHTS: Mapping[str, float] = {{\n{''.join(lines)}}}\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()

"""A blind reading: a sheet of our questions shuffled among published ones, without key or source, and the score of the verdicts on it.

    python benchmarks/blind_reading.py prepare --run artifacts/runs/holmes-style --published data/published/msr-dev --seed 1 --sheet DIR
    python benchmarks/blind_reading.py score --key DIR/key.jsonl --verdicts DIR/verdicts.jsonl --out docs/readings/round-1.jsonl

The reader gets `sheet.txt` alone. A verdict is one JSON object a line:
{"number": 1, "choice": "c", "ambiguous": ["a"], "ungrammatical": ["b", "e"], "broken": false, "trivial": false, "note": ""}
where `ambiguous` lists options that fit as well as the chosen one, `ungrammatical` options that break the sentence's grammar; `trivial`
says that all four others are absurd at first sight, so that there is nothing to weigh.
What is committed is each verdict by item id; published items are named `msr:N` and none of their text is kept.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.formats.jsonl import parse_questions
from cloze_gen.formats.msr.machine import parse_machine
from cloze_gen.records.question import Question
from cloze_gen.rng import derive_rng

LETTERS = "abcde"


def draw(questions: Sequence[Question], n: int, *, seed: int, purpose: str) -> list[Question]:
    """n questions without replacement, by seed."""
    order = derive_rng(seed, purpose).permutation(len(questions))[:n]
    return [questions[i] for i in sorted(order.tolist())]


def prepare(args: argparse.Namespace) -> None:
    with open(args.run / "release" / "questions.jsonl", encoding="utf-8") as handle:
        ours = draw(list(parse_questions(handle)), args.ours, seed=args.seed, purpose="reading.ours")
    folder = args.published
    texts = [(folder / f"Holmes.machine_format.{part}.txt").read_text(encoding="ascii") for part in ("questions", "answers")]
    published = draw(parse_machine(*texts), args.theirs, seed=args.seed, purpose="reading.published")
    mixed = [*ours, *published]
    order = derive_rng(args.seed, "reading.order").permutation(len(mixed))
    args.sheet.mkdir(parents=True, exist_ok=True)
    lines, keys = [], []
    for number, i in enumerate(order.tolist(), 1):
        question = mixed[i]
        stem = " ".join([*question.tokens[: question.position], "_____", *question.tokens[question.position + 1 :]])
        options = "   ".join(f"{letter}) {option}" for letter, option in zip(LETTERS, question.options, strict=True))
        lines.append(f"{number}. {stem}\n   {options}\n")
        keys.append({"number": number, "id": question.id, "answer": LETTERS[question.answer_index]})
    (args.sheet / "sheet.txt").write_text("\n".join(lines), encoding="utf-8")
    (args.sheet / "key.jsonl").write_text("".join(json.dumps(key) + "\n" for key in keys), encoding="utf-8")


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def score(args: argparse.Namespace) -> None:
    keys = {row["number"]: row for row in read_jsonl(args.key)}
    verdicts = {row["number"]: row for row in read_jsonl(args.verdicts)}
    missing = sorted(keys.keys() - verdicts.keys())
    if missing:
        raise SystemExit(f"no verdict on {missing}")
    rows = []
    for number, key in sorted(keys.items()):
        verdict = verdicts[number]
        wrong = [letter for letter in verdict["ungrammatical"] if letter != key["answer"]]
        rows.append(
            {
                "id": key["id"],
                "answer": key["answer"],
                "choice": verdict["choice"],
                "right": verdict["choice"] == key["answer"],
                "ambiguous": verdict["ambiguous"],
                "ungrammatical": wrong,
                "broken": verdict["broken"],
                "trivial": verdict["trivial"],
                "note": verdict.get("note", ""),
            }
        )
    args.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    print(
        "| set | n | right | ambiguous items | ungrammatical impostors | broken sentences | trivial |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    for name, part in (
        ("ours", [r for r in rows if not r["id"].startswith("msr:")]),
        ("published", [r for r in rows if r["id"].startswith("msr:")]),
    ):
        n = max(1, len(part))
        figures = (
            sum(row["right"] for row in part) / n,
            sum(bool(row["ambiguous"]) for row in part) / n,
            sum(len(row["ungrammatical"]) for row in part) / (4 * n),
            sum(row["broken"] for row in part) / n,
            sum(row["trivial"] for row in part) / n,
        )
        print(f"| {name} | {len(part)} | " + " | ".join(f"{figure:.1%}" for figure in figures) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("prepare")
    one.set_defaults(call=prepare)
    one.add_argument("--run", type=Path, required=True)
    one.add_argument("--published", type=Path, required=True)
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--ours", type=int, default=100)
    one.add_argument("--theirs", type=int, default=50)
    one.add_argument("--sheet", type=Path, required=True)
    two = commands.add_parser("score")
    two.set_defaults(call=score)
    two.add_argument("--key", type=Path, required=True)
    two.add_argument("--verdicts", type=Path, required=True)
    two.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()

"""A blind reading of blanked passages: a sheet without key or source, and the score of what readers wrote about every blank.

    python benchmarks/blank_reading.py prepare --run artifacts/runs/scde-style --n 40 --seed 1 --readers 4 --sheet DIR [--part test]
    python benchmarks/blank_reading.py score --key DIR/key.jsonl --verdicts DIR/*.verdicts.jsonl --out docs/readings/blanks-1.jsonl

A reader gets one `sheet-K.txt` alone, and no program. A verdict is one JSON object a blank:
{"passage": 1, "blank": 1, "answer": "G", "rival": "C", "as_well": ["B"], "unplaceable": false, "settled_by": "events"}
where `rival` is the other candidate that comes nearest to fitting, `as_well` lists those that fit as well as the answer though the whole
passage is considered, `unplaceable` says that no reader could tell, and `settled_by` is one of the words of `SETTLED`. What is committed
is each verdict by the passage's id, with what it says of the candidates by their places; none of the text is kept.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from cloze_gen.evaluate.metrics import wilson_interval
from cloze_gen.formats.scde.jsonl import parse_passages
from cloze_gen.rng import derive_rng

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SETTLED = ("quotation marks", "echoed word", "name", "pronoun", "tense", "events", "elimination", "guess")


def prepare(args: argparse.Namespace) -> None:
    """Draw passages by seed, write `sheet-1.txt` ..., a sheet a reader, and `key.jsonl`."""
    with open(args.run / "release" / "passages.jsonl", encoding="utf-8") as handle:
        every = [one for one in parse_passages(handle) if args.part in ("", str(one.part))]
    order = derive_rng(args.seed, "reading.blanks").permutation(len(every))[: args.n].tolist()
    args.sheet.mkdir(parents=True, exist_ok=True)
    sheets: list[list[str]] = [[] for _ in range(args.readers)]
    keys = []
    for number, passage in enumerate((every[i].passage for i in order), 1):
        places = {place: f"<{blank}>" for blank, place in enumerate(passage.blanks, 1)}
        lines = sheets[(number - 1) * args.readers // len(order)]
        lines += [f"=== passage {number} ===", *(f"  {places.get(i, text)}" for i, text in enumerate(passage.sentences))]
        lines += ["candidates:", *(f"  {letter}. {text}" for letter, text in zip(LETTERS, passage.candidates, strict=False)), ""]
        keys.append({"passage": number, "id": passage.id, "answers": [LETTERS[i] for i in passage.answers], "n": len(passage.candidates)})
    for reader, lines in enumerate(sheets, 1):
        (args.sheet / f"sheet-{reader}.txt").write_text("\n".join(lines), encoding="utf-8")
    (args.sheet / "key.jsonl").write_text("".join(json.dumps(key) + "\n" for key in keys), encoding="utf-8")


def read_jsonl(paths: Iterable[Path]) -> list[dict[str, Any]]:
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def score(args: argparse.Namespace) -> None:
    """Compare the verdicts with the key, write them by id and print the figures."""
    keys = {row["passage"]: row for row in read_jsonl([args.key])}
    said = read_jsonl(args.verdicts)
    verdicts = {(row["passage"], row["blank"]): row for row in said if "blank" in row}
    remarks = {row["passage"]: row["remark"] for row in said if row.get("remark")}
    known = {row["passage"] for row in said if row.get("recognised")}
    asked = [(number, blank) for number, key in keys.items() for blank in range(1, len(key["answers"]) + 1)]
    if missing := [place for place in asked if place not in verdicts]:
        raise SystemExit(f"no verdict on {missing}")
    rows = [_row(keys[number], blank, verdicts[number, blank], remarks.get(number, ""), number in known) for number, blank in asked]
    args.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    _tell(rows, len(keys))


def _row(key: dict[str, Any], blank: int, verdict: dict[str, Any], remark: str, recognised: bool) -> dict[str, Any]:
    distractors = set(LETTERS[: key["n"]]) - set(key["answers"])
    if verdict["settled_by"] not in SETTLED:
        raise SystemExit(f"passage {key['passage']}, blank {blank}: settled_by is {verdict['settled_by']!r}, none of {', '.join(SETTLED)}")
    return {
        "id": key["id"],
        "blank": blank,
        "answer": key["answers"][blank - 1],
        "choice": verdict["answer"],
        "right": verdict["answer"] == key["answers"][blank - 1],
        "chose_distractor": verdict["answer"] in distractors,
        "rival": verdict["rival"],
        "rival_is_distractor": verdict["rival"] in distractors,
        "as_well": verdict["as_well"],
        "unplaceable": verdict["unplaceable"],
        "settled_by": verdict["settled_by"],
        "recognised": recognised,
        "remark": remark if blank == 1 else "",
    }


def _tell(rows: list[dict[str, Any]], passages: int) -> None:
    by_passage = [[row for row in rows if row["id"] == name] for name in dict.fromkeys(row["id"] for row in rows)]
    accuracy = np.array([np.mean([row["right"] for row in some]) for some in by_passage])
    print(f"{passages} passages, {len(rows)} blanks")
    print(f"BA {accuracy.mean():.1%}   PA {np.mean(accuracy == 1):.1%}   DE {sum(row['chose_distractor'] for row in rows) / passages:.3f}")
    for name, field in (
        ("blanks where another candidate fits as well", "as_well"),
        ("unplaceable blanks", "unplaceable"),
        ("blanks whose nearest rival is a distractor", "rival_is_distractor"),
    ):
        count = sum(bool(row[field]) for row in rows)
        low, high = wilson_interval(count, len(rows))
        print(f"{name}: {count} of {len(rows)}, {count / len(rows):.1%} (95 % interval {low:.1%} to {high:.1%})")
    print("settled by: " + ", ".join(f"{name} {count}" for name, count in Counter(row["settled_by"] for row in rows).most_common()))
    fresh = [row for row in rows if not row["recognised"]]
    if fresh:
        told = sum(row["right"] for row in fresh)
        print(f"passages whose book nobody recognised: {len({row['id'] for row in fresh})}, right {told} of {len(fresh)} blanks")
    print(f"passages remarked on: {sum(bool(row['remark']) for row in rows)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("prepare")
    one.set_defaults(call=prepare)
    one.add_argument("--run", type=Path, required=True)
    one.add_argument("--n", type=int, default=40)
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--readers", type=int, default=4)
    one.add_argument("--part", default="")
    one.add_argument("--sheet", type=Path, required=True)
    two = commands.add_parser("score")
    two.set_defaults(call=score)
    two.add_argument("--key", type=Path, required=True)
    two.add_argument("--verdicts", type=Path, nargs="+", required=True)
    two.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()

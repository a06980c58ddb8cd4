"""A blind guessing of passages as the paper's subjects do it (LAMBADA 3.1): sheets without key or source, and the score of the guesses.

    python benchmarks/blind_guessing.py prepare --run artifacts/runs/lambada-style --seed 1 --sheet DIR
    python benchmarks/blind_guessing.py score --key DIR/key.jsonl --passage A.jsonl B.jsonl --sentence C.jsonl D.jsonl --out FILE

Three groups are shuffled: the *head* of the ranking (its first passages), a random draw of *all that are held* for people, and *random*
survivors of the committee, as the paper's order would have them. A reader of passages gets `passages.txt` alone, a reader of sentences
`sentences.txt` alone; nobody reads both. A guess is one JSON object a line: {"number": 1, "guesses": ["menu", "bill", "list"], "broken":
false, "recognised": false, "note": ""}, three guesses at most, best first; `broken` marks a passage that is no whole text (readers of
passages only), `recognised` a text that the reader knows, so that the guess may be a memory.
A passage is kept when every reader of the passage has it among the guesses and no reader of the sentence has. Of texts nothing is
committed but the target, the guesses and what a reader noted.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cloze_gen.evaluate.passages.chance import random_capitalised_word
from cloze_gen.evaluate.passages.rules import RULES, rule_hits
from cloze_gen.formats.lambada.packets import blanked_text
from cloze_gen.recipes.lambada.stages.decisions import read_ranking, read_survivors
from cloze_gen.recipes.lambada.stages.tables import PASSAGES, read_passages
from cloze_gen.recipes.lambada.steps.control import ControlSettings, Place, draw_control
from cloze_gen.recipes.lambada.steps.guessing import Condition, is_right
from cloze_gen.records.passage import Passage
from cloze_gen.rng import derive_rng
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import read_parquet

HEAD, HELD, RANDOM = "head", "held", "random"
GUESSES = 3
LENGTHS = (0, 10, 14, 21, 29, 200)


def prepare(args: argparse.Namespace) -> None:
    """Write `passages.txt`, `sentences.txt` and `key.jsonl`."""
    passages, committee, ranking = (stage_artifact(args.run, name) for name in ("passages", "committee", "ranking"))
    read = {row["id"] for path in args.not_these for row in _read_jsonl(path)}
    order, survivors = [one for one in read_ranking(ranking) if one not in read], read_survivors(committee) - read
    groups = {HEAD: order[: args.head]}
    behind = order[args.head :]
    groups[HELD] = [behind[i] for i in derive_rng(args.seed, "guessing.held").permutation(len(behind))[: args.held].tolist()]
    told = frozenset(one for ids in groups.values() for one in ids)
    table = read_parquet(passages.path(PASSAGES), columns=["id", "book_id", "start", "end"]).to_pydict()
    free = [place for place in map(Place, *table.values()) if place.id in survivors and place.id not in told]
    groups[RANDOM] = draw_control(free, settings=ControlSettings(n_passages=args.random), seed=args.seed)
    listed = [(one, group) for group, ids in groups.items() for one in ids]
    asked = frozenset(one for one, _ in listed)
    found = {one.id: one for one in read_passages(passages, which=asked.__contains__)}
    args.sheet.mkdir(parents=True)
    shuffled = [listed[i] for i in derive_rng(args.seed, "guessing.order").permutation(len(listed)).tolist()]
    for condition, name in ((Condition.PASSAGE, "passages.txt"), (Condition.SENTENCE, "sentences.txt")):
        lines = [f"{number}. {blanked_text(found[one], condition)}\n" for number, (one, _) in enumerate(shuffled, 1)]
        (args.sheet / name).write_text("\n".join(lines), encoding="utf-8")
    keys = [
        {"number": number, "id": one, "group": group, "target": found[one].target, **_without_reading(found[one])}
        for number, (one, group) in enumerate(shuffled, 1)
    ]
    _write_jsonl(args.sheet / "key.jsonl", keys)


def _without_reading(passage: Passage) -> dict[str, Any]:
    """What needs no reader: length of the sentence, whether the context has the target, rules and capitalised words that are it."""
    tokens = (*passage.before_target, passage.target)
    return {
        "sentence_tokens": passage.target_at,
        "in_context": passage.target.casefold() in {token.casefold() for token in passage.context},
        "rules": [rule for rule in RULES if rule_hits([tokens], rule).item()],
        "capitalised_share": round(float(random_capitalised_word([tokens])[0]), 4),
    }


def score(args: argparse.Namespace) -> None:
    """Write each reader's guesses by item id, and print each group's shares."""
    keys = _read_jsonl(args.key)
    readers = {f"passage_{i}": _answers(path) for i, path in enumerate(args.passage, 1)}
    readers |= {f"sentence_{i}": _answers(path) for i, path in enumerate(args.sentence, 1)}
    rows = []
    for key in keys:
        given = {name: answers[key["number"]] for name, answers in readers.items()}
        guesses = {name: list(one["guesses"])[:GUESSES] for name, one in given.items()}
        right = {name: any(is_right(guess, key["target"]) for guess in told) for name, told in guesses.items()}
        first = {name: bool(told) and is_right(told[0], key["target"]) for name, told in guesses.items()}
        rows.append({
            **{name: value for name, value in key.items() if name != "number"}, "guesses": guesses,
            "guessed_by_all": all(told for name, told in right.items() if name.startswith("passage")),
            "guessed_first_by_all": all(told for name, told in first.items() if name.startswith("passage")),
            "guessed_alone": any(told for name, told in right.items() if name.startswith("sentence")),
            "recognised": [name for name, one in given.items() if one.get("recognised")],
            "broken": [name for name, one in given.items() if one.get("broken")],
            "notes": [one["note"] for one in given.values() if one.get("note")],
        })  # fmt: skip
    _write_jsonl(args.out, rows)
    print("| group | n | guessed by all readers of the passage | ... and by no reader of the sentence (kept) | first guesses alone | "
          "of the kept, target outside the context | kept of those whose sentence no reader of it recognised | broken, by all (by any) |\n"
          "|---|---:|---:|---:|---:|---:|---:|---:|")  # fmt: skip
    for group in (HEAD, HELD, RANDOM):
        print(_line(group, [row for row in rows if row["group"] == group], len(args.passage)))
    print("\n| tokens of the sentence before its target | n, head and held | guessed from the sentence by any reader |\n|---|---:|---:|")
    for least, most in itertools.pairwise(LENGTHS):
        part = [row for row in rows if row["group"] != RANDOM and least < row["sentence_tokens"] <= most]
        print(f"| {least + 1} to {most} | {len(part)} | {sum(row['guessed_alone'] for row in part) / max(1, len(part)):.0%} |")
    print(f"\n| kept of | n | {' | '.join(RULES)} | random capitalised word |\n|---|---:|{'---:|' * (len(RULES) + 1)}")
    for group in (HEAD, HELD):
        kept = [row for row in rows if row["group"] == group and _is_kept(row)]
        shares = [sum(rule in row["rules"] for row in kept) for rule in RULES] + [sum(row["capitalised_share"] for row in kept)]
        print(f"| {group} | {len(kept)} | {' | '.join(f'{share / max(1, len(kept)):.1%}' for share in shares)} |")


def _line(group: str, rows: Sequence[dict[str, Any]], n_passage_readers: int) -> str:
    def share(part: Sequence[Any], whole: Sequence[Any] = rows) -> str:
        return f"{len(part)} ({len(part) / len(whole):.1%})" if whole else "-"

    kept = [row for row in rows if _is_kept(row)]
    cells = [
        share([row for row in rows if row["guessed_by_all"]]),
        share(kept),
        share([row for row in rows if row["guessed_first_by_all"] and not row["guessed_alone"]]),
        share([row for row in kept if not row["in_context"]], kept),
        share([row for row in kept if _is_new(row)], [row for row in rows if _is_new(row)]),
        f"{share([row for row in rows if len(row['broken']) == n_passage_readers])}, {share([row for row in rows if row['broken']])}",
    ]
    return f"| {group} | {len(rows)} | {' | '.join(cells)} |"


def _is_kept(row: dict[str, Any]) -> bool:
    return bool(row["guessed_by_all"]) and not row["guessed_alone"]


def _is_new(row: dict[str, Any]) -> bool:
    return not any(name.startswith("sentence") for name in row["recognised"])


def _answers(path: Path) -> dict[int, dict[str, Any]]:
    return {int(row["number"]): row for row in _read_jsonl(path)}


def _read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _write_jsonl(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    preparing = commands.add_parser("prepare")
    preparing.add_argument("--run", type=Path, required=True)
    preparing.add_argument("--sheet", type=Path, required=True, help="a new folder")
    preparing.add_argument("--seed", type=int, default=1)
    preparing.add_argument("--not-these", type=Path, nargs="*", default=[], help="files of earlier readings, whose passages are left out")
    for group, count in ((HEAD, 150), (HELD, 100), (RANDOM, 150)):
        preparing.add_argument(f"--{group}", type=int, default=count)
    preparing.set_defaults(command=prepare)
    scoring = commands.add_parser("score")
    scoring.add_argument("--key", type=Path, required=True)
    scoring.add_argument("--passage", type=Path, nargs="+", required=True, help="guesses of the readers of passages, a file each")
    scoring.add_argument("--sentence", type=Path, nargs="+", required=True)
    scoring.add_argument("--out", type=Path, required=True)
    scoring.set_defaults(command=score)
    args = parser.parse_args()
    args.command(args)


if __name__ == "__main__":
    main()

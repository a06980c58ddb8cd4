"""Draw sheets of questions for human marks, from which the models of grooming are fitted.

    python training/grooming/draw.py --run artifacts/runs/NAME --sheets 12 --seed 1 --out DIR
        [--chosen] [--items 100]

A sheet holds 100 sentences, each with the answer, five random candidates of the answer's tag and
one other, shuffled. Grooming's bounds are not applied. Classes of answers have fixed shares
(`CLASS_SHARES`), so that rare classes are marked too.

With `--chosen` a sheet has the run's own questions: answer, four impostors and two more fit
candidates. The choice prefers impostors on which the models err, so their marks are the most
useful.

A reader gets `sheet-N.txt` only; `key-N.jsonl` is the key.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.corpus.offensive_words import offensive_words
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.recipes.msr.grooming.candidates import CandidateTable, Item, read_items
from cloze_gen.recipes.msr.grooming.rules import CandidateFault
from cloze_gen.recipes.msr.grooming.stage import (
    judge_answers,
    judge_sentences,
    judge_tags,
    judge_words,
)
from cloze_gen.recipes.msr.tables import FIT, focus_parts
from cloze_gen.rng import derive_rng
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import CANDIDATES, QUESTIONS, read_jsonl

ITEMS_A_SHEET = 100  # without `--items`
CLASS_SHARES = {"noun": 35, "verb": 30, "adjective": 20, "adverb": 15}  # percent
OFFERED, OTHERS = 5, 1  # candidates of the answer's tag, and of other tags
MORE = 2  # fit candidates beside the four impostors of a question
ITEMS_A_PART = 120  # so that a sheet is of many places of the books
LETTERS = "abcdefg"


class JudgedItem(NamedTuple):
    """A focus word of a fit sentence, and its candidates with their verdicts."""

    item: Item
    verdicts: dict[str, str]


def plain_items(run: Path, *, seed: int, wanted: int) -> dict[str, list[JudgedItem]]:
    """Random focus words of fit sentences, one per sentence, by coarse class."""
    focus, forward, index = (stage_artifact(run, name) for name in ("focus", "forward", "index"))
    parts = focus_parts(focus, index)
    tagger = load_tagger()
    offensive = offensive_words("builtin")
    judged: dict[str, list[JudgedItem]] = defaultdict(list)
    for number in derive_rng(seed, "training.grooming.parts").permutation(len(parts)).tolist():
        items = read_items(focus, forward, parts[number])
        rng = derive_rng(seed, "training.grooming.items", str(number))
        order = rng.permutation(len(items))[:ITEMS_A_PART].tolist()
        chosen = list({items[i].sentence.id: items[i] for i in order}.values())
        judge_sentences(chosen, offensive)
        judge_answers(chosen, tagger)
        table = CandidateTable(chosen)
        judge_words(table, offensive)
        judge_tags(table, tagger)
        for place, item in enumerate(table.items):
            own = table.item == place
            verdicts = dict(zip(table.word[own].tolist(), table.verdict[own].tolist(), strict=True))
            judged[coarse_class(item.tag)].append(JudgedItem(item, verdicts))
        if all(len(judged[name]) >= wanted * share / 100 for name, share in CLASS_SHARES.items()):
            break
    return judged


class Offered(NamedTuple):
    """A sentence of a sheet: the line with the blank, and the options as shown."""

    id: str
    answer: str
    tag: str
    line: str
    options: list[str]


def offer(judged: list[JudgedItem], *, seed: int) -> list[Offered]:
    """Each item with its shuffled options; items with too few candidates are dropped."""
    offered = []
    for item, verdicts in judged:
        alike = [word for word, verdict in verdicts.items() if verdict == FIT]
        others = [
            word
            for word, verdict in verdicts.items()
            if verdict in (CandidateFault.TAG, CandidateFault.TAG_IMPOSSIBLE)
        ]
        if len(alike) < OFFERED or len(others) < OTHERS:
            continue
        rng = derive_rng(seed, "training.grooming.options", item.id)
        words = [
            *rng.choice(alike, OFFERED, replace=False).tolist(),
            *rng.choice(others, OTHERS, replace=False).tolist(),
            item.answer,
        ]
        tokens = ["_____" if i == item.position else item.sentence.tokens[i] for i in item.printed]
        offered.append(
            Offered(
                item.id,
                item.answer,
                item.tag,
                " ".join(tokens),
                [words[i] for i in rng.permutation(len(words)).tolist()],
            )
        )
    return offered


def offer_chosen(run: Path, *, seed: int) -> list[Offered]:
    """The questions of a run in random order, with at most two more fit candidates each."""
    choice = stage_artifact(run, "choice")
    offered = []
    for question, listed in zip(
        read_jsonl(choice.path(QUESTIONS)), read_jsonl(choice.path(CANDIDATES)), strict=True
    ):
        rng = derive_rng(seed, "training.grooming.chosen", question["id"])
        fit = [
            one["word"]
            for one in listed["candidates"]
            if one["verdict"] == FIT and one["word"] not in question["options"]
        ]
        words = [*question["options"], *rng.permutation(fit)[:MORE].tolist()]
        tokens = [
            *question["tokens"][: question["position"]],
            "_____",
            *question["tokens"][question["position"] + 1 :],
        ]
        options = [words[i] for i in rng.permutation(len(words)).tolist()]
        offered.append(
            Offered(
                question["id"],
                question["answer"],
                question["answer_tag"],
                " ".join(tokens),
                options,
            )
        )
    return [
        offered[i]
        for i in derive_rng(seed, "training.grooming.chosen").permutation(len(offered)).tolist()
    ]


def write_sheet(folder: Path, number: int, offered: list[Offered]) -> None:
    lines, keys = [], []
    for place, one in enumerate(offered, 1):
        shown = "   ".join(
            f"{letter}) {option}" for letter, option in zip(LETTERS, one.options, strict=False)
        )
        lines.append(f"{place}. {one.line}\n   {shown}\n")
        keys.append(
            {
                "number": place,
                "id": one.id,
                "answer": one.answer,
                "tag": one.tag,
                "options": one.options,
            }
        )
    (folder / f"sheet-{number}.txt").write_text("\n".join(lines), encoding="utf-8")
    (folder / f"key-{number}.jsonl").write_text(
        "".join(json.dumps(key) + "\n" for key in keys), encoding="utf-8"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--sheets", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--chosen", action="store_true")
    parser.add_argument(
        "--items",
        type=int,
        default=ITEMS_A_SHEET,
        help=f"sentences of a sheet (default: {ITEMS_A_SHEET})",
    )
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.chosen:
        questions = offer_chosen(args.run, seed=args.seed)
        if len(questions) < args.sheets * args.items:
            parser.error(
                f"{args.run} has {len(questions)} questions, but --sheets {args.sheets} needs "
                f"{args.sheets * args.items}"
            )
        for number in range(1, args.sheets + 1):
            write_sheet(
                args.out, number, questions[(number - 1) * args.items : number * args.items]
            )
        return
    found = plain_items(args.run, seed=args.seed, wanted=int(1.9 * args.sheets * args.items))
    offered = {name: offer(found[name], seed=args.seed) for name in CLASS_SHARES}
    print({name: len(items) for name, items in offered.items()})
    of_a_sheet = {name: round(share * args.items / 100) for name, share in CLASS_SHARES.items()}
    if few := [
        name for name, count in of_a_sheet.items() if len(offered[name]) < args.sheets * count
    ]:
        parser.error(f"{args.run} has too few items for --sheets {args.sheets}: {', '.join(few)}")
    rng = derive_rng(args.seed, "training.grooming.sheets")
    for number in range(1, args.sheets + 1):
        chosen = [offered[name].pop() for name, count in of_a_sheet.items() for _ in range(count)]
        write_sheet(args.out, number, [chosen[i] for i in rng.permutation(len(chosen)).tolist()])


if __name__ == "__main__":
    main()

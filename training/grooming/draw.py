"""Draw sheets of questions to be marked option by option, from which the models of grooming are fitted.

    python training/grooming/draw.py --run artifacts/runs/NAME --sheets 12 --seed 1 --out DIR

A sheet holds 100 sentences, each with its answer shuffled among six of its retained candidates: five that take the answer's tag and are
listed with it, drawn at random, and one of the others, so that it is seen what the tags are worth. The bounds of grooming are not asked.
Classes of answers are dealt alike to all sheets (`CLASS_SHARES`), so that rare classes are marked too. A reader gets `sheet-N.txt` alone;
`key-N.jsonl` says which is which.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from cloze_gen.adapters.lexicon import can_have_tag, is_doubtful, same_past_forms
from cloze_gen.adapters.spacy_tagger import load_tagger
from cloze_gen.english.articles import breaks_article
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.sentence_fitness import lacks_main_clause, sentence_fault
from cloze_gen.english.stems import stem
from cloze_gen.recipes.msr.stages.groomed_items import GroomedItem, GroomShard, read_items
from cloze_gen.recipes.msr.stages.measures import printed_beside, sentence_tags, window_tags
from cloze_gen.recipes.msr.stages.parts import focus_parts
from cloze_gen.recipes.msr.steps.grooming import GroomingSettings
from cloze_gen.rng import derive_rng
from cloze_gen.stages.offensive_words import offensive_words
from cloze_gen.store.runs import stage_artifact
from cloze_gen.text.rendering import rendered_positions

ITEMS_A_SHEET = 100
CLASS_SHARES = {"noun": 35, "verb": 30, "adjective": 20, "adverb": 15}
OFFERED, OTHERS = 5, 1  # candidates of the answer's tag, and of other tags
LETTERS = "abcdefg"


def plain_items(run: Path, *, seed: int, wanted: int) -> dict[str, list[GroomedItem]]:
    """Random focus words in fit sentences, by their coarse class: no bound is asked of them."""
    focus, forward, index, contexts = (stage_artifact(run, name) for name in ("focus", "forward", "index", "contexts"))
    with TemporaryDirectory() as unused:  # no table of a part is written
        parts = focus_parts(focus, index, Path(unused))
    order = derive_rng(seed, "training.grooming.parts").permutation(len(parts))
    tagger, found = load_tagger("builtin"), defaultdict(list)
    offensive = offensive_words("builtin")
    for number in order.tolist():
        folders = (focus.folder, index.folder, contexts.folder, forward.folder)
        shard = GroomShard(parts[number], *folders, GroomingSettings(), (), offensive, frozenset())
        items = read_items(shard)
        rng = derive_rng(seed, "training.grooming.items", str(number))
        items = [items[i] for i in rng.permutation(len(items))[:120].tolist()]
        items = [
            item
            for item in items
            if len(rendered_positions(item.sentence.tokens)) >= 8
            and not sentence_fault(item.sentence.tokens, printed=rendered_positions(item.sentence.tokens), offensive=offensive)
        ]
        tags_of = sentence_tags(items, tagger)
        seen = set()
        for item in items:
            tags = tags_of[item.sentence.id]
            item.tag = tags[item.position]
            if item.sentence.id in seen or lacks_main_clause(item.sentence.tokens, tags):
                continue
            if not can_have_tag(item.answer, item.tag) or is_doubtful(item.answer, item.tag):
                continue
            seen.add(item.sentence.id)
            found[coarse_class(item.tag)].append(item)
        if all(len(found[name]) >= wanted * share / 100 for name, share in CLASS_SHARES.items()):
            break
    return found


def offer(items: list[GroomedItem], *, seed: int) -> list[tuple[GroomedItem, list[str]]]:
    """Each item with its options, shuffled; an item without enough candidates is left out."""
    tagger, offered = load_tagger("builtin"), []
    for item in items:
        before, _ = printed_beside(item)
        stems = {stem(token) for token in item.sentence.tokens}
        item.candidates = [word for word in item.candidates if not breaks_article(word, before) and stem(word) not in stems]
    tags = iter(window_tags([(item, word) for item in items for word in (item.answer, *item.candidates)], tagger, reach=8))
    for item in items:
        own, found = next(tags), [next(tags) for _ in item.candidates]
        fits = [
            tag == own and can_have_tag(word, tag.partition("+")[0]) and same_past_forms(word, item.answer)
            if tag.startswith("V")
            else tag == own and can_have_tag(word, tag.partition("+")[0])
            for word, tag in zip(item.candidates, found, strict=True)
        ]
        alike = [word for word, fit in zip(item.candidates, fits, strict=True) if fit]
        others = [word for word, fit in zip(item.candidates, fits, strict=True) if not fit]
        if len(alike) < OFFERED or len(others) < OTHERS:
            continue
        rng = derive_rng(seed, "training.grooming.options", item.id)
        words = [*rng.choice(alike, OFFERED, replace=False).tolist(), *rng.choice(others, OTHERS, replace=False).tolist(), item.answer]
        offered.append((item, [words[i] for i in rng.permutation(len(words)).tolist()]))
    return offered


def write_sheet(folder: Path, number: int, offered: list[tuple[GroomedItem, list[str]]]) -> None:
    lines, keys = [], []
    for place, (item, options) in enumerate(offered, 1):
        tokens = ["_____" if i == item.position else item.sentence.tokens[i] for i in rendered_positions(item.sentence.tokens)]
        shown = "   ".join(f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=True))
        lines.append(f"{place}. {' '.join(tokens)}\n   {shown}\n")
        keys.append({"number": place, "id": item.id, "answer": item.answer, "tag": item.tag, "options": options})
    (folder / f"sheet-{number}.txt").write_text("\n".join(lines), encoding="utf-8")
    (folder / f"key-{number}.jsonl").write_text("".join(json.dumps(key) + "\n" for key in keys), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--sheets", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    found = plain_items(args.run, seed=args.seed, wanted=int(1.9 * args.sheets * ITEMS_A_SHEET))
    offered: dict[str, list[Any]] = {name: offer(items, seed=args.seed) for name, items in found.items() if name in CLASS_SHARES}
    print({name: len(items) for name, items in offered.items()})
    rng = np.random.default_rng(args.seed)
    for number in range(1, args.sheets + 1):
        chosen = [offered[name].pop() for name, share in CLASS_SHARES.items() for _ in range(share)]
        write_sheet(args.out, number, [chosen[i] for i in rng.permutation(len(chosen)).tolist()])


if __name__ == "__main__":
    main()

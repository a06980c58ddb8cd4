"""Scores of a tagger.

    python training/tagger/evaluate.py --treebank DIR [--model FOLDER] [--test] [--out scores.json]

Treebank parts are scored on their gold tokens. The hand-tagged sentences are scored on treebank
tokens and end to end on whole words. Use `--test` once, for the final model.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "src")]

from convert import read_conllu, treebank_file

import cloze_gen.adapters.spacy_tagger as spacy_tagger
from cloze_gen.adapters.spacy_tagger import BUILTIN_FOLDER, tagger_identity
from cloze_gen.english.penn_tags import coarse_class
from cloze_gen.english.treebank import host_index, normalize_for_tagging

CASES = ROOT / "tests" / "cases" / "tagged_sentences.tsv"
Tagged = list[tuple[str, str]]


def read_cases() -> Iterator[tuple[str, str, Tagged]]:
    """(part, kind, tokens) of the hand-tagged sentences; ``~`` marks a token glued to the one
    before.
    """
    for line in CASES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            part, kind, tokens = line.split("\t")
            yield (
                part,
                kind,
                [
                    (word, tag)
                    for word, tag in (token.rsplit("_", 1) for token in tokens.split(" "))
                ],
            )


def whole_words(sentence: Tagged) -> Tagged:
    """Glued parts joined; the tag is the host's."""
    groups: list[Tagged] = []
    for word, tag in sentence:
        if word.startswith("~"):
            groups[-1].append((word[1:], tag))
        else:
            groups.append([(word, tag)])
    return [
        ("".join(word for word, _ in group), group[host_index([word for word, _ in group])][1])
        for group in groups
    ]


def percent(gold: Iterable[Tagged], tags: Iterable[list[str]], *, coarse: bool = False) -> float:
    """Share of tokens with the right tag (or class), in percent."""
    pairs = [
        (right, given)
        for sentence, row in zip(gold, tags, strict=True)
        for (_, right), given in zip(sentence, row, strict=True)
    ]
    if coarse:
        pairs = [(coarse_class(right), coarse_class(given)) for right, given in pairs]
    return round(100 * sum(right == given for right, given in pairs) / len(pairs), 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebank", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=BUILTIN_FOLDER)
    parser.add_argument("--test", action="store_true", help="also score the test part")
    parser.add_argument("--out", type=Path, help="write the scores here")
    options = parser.parse_args()
    tagger = spacy_tagger.load_tagger(options.model)
    scores: dict[str, object] = {"model": tagger_identity(options.model)}
    cases = list(read_cases())
    parts: dict[str, list[Tagged]] = {}
    for part in ("dev", "test") if options.test else ("dev",):
        parts[f"ewt_{part}"] = [
            [(word, tag) for word, tag, _ in rows]
            for rows in read_conllu(treebank_file(options.treebank, part))
        ]
    parts |= {
        f"hand_{part}": [sentence for name, _, sentence in cases if name == part]
        for part in ("tune", "report")
    }
    parts |= {
        f"hand_kind_{kind}": [s for _, k, s in cases if k == kind]
        for kind in dict.fromkeys(kind for _, kind, _ in cases)
    }

    split = spacy_tagger.treebank_split
    for name, sentences in parts.items():
        glued = "~" if name.startswith("hand") else ""
        gold = [
            [(word.removeprefix(glued), tag) for word, tag in sentence] for sentence in sentences
        ]
        # gold tokens: nothing left to split
        spacy_tagger.treebank_split = lambda word: (normalize_for_tagging(word),)
        tags = tagger.tag([[word for word, _ in sentence] for sentence in gold])
        spacy_tagger.treebank_split = split
        row: dict[str, float] = {
            "tokens": sum(map(len, gold)),
            "penn": percent(gold, tags),
            "class": percent(gold, tags, coarse=True),
        }
        if name.startswith("hand"):
            words = [whole_words(sentence) for sentence in sentences]
            tags = tagger.tag([[word for word, _ in sentence] for sentence in words])
            row |= {
                "whole_words_penn": percent(words, tags),
                "whole_words_class": percent(words, tags, coarse=True),
            }
        scores[name] = row
    text = json.dumps(scores, indent=1) + "\n"
    sys.stdout.write(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

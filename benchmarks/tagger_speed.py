"""Tagging speed: the built-in tagger, the same network through spaCy's `pipe`, and spaCy's small
CNN.

    python benchmarks/tagger_speed.py FILE.txt [--repeat 3] [--json OUT]

CPU seconds of this process, one BLAS thread, best of alternating repeats. The third pipeline is
`spacy init config --lang en --pipeline tagger --optimize efficiency`, untrained, which does not
change its speed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

from spacy.cli.init_config import init_config  # noqa: E402
from spacy.language import Language  # noqa: E402
from spacy.tokens import Doc  # noqa: E402
from spacy.training import Example  # noqa: E402
from spacy.util import load_model_from_config  # noqa: E402

from cloze_gen.adapters.spacy_tagger import SpacyTagger, load_tagger  # noqa: E402
from cloze_gen.adapters.window_cnn import WindowCnn  # noqa: E402

_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|--+|[^\w\s]")
_SENTENCE_END = re.compile(r"(?<=[.!?][\"'’”])\s+|(?<=[.!?])\s+|\n\s*\n")


def read_sentences(path: Path, *, max_tokens: int) -> list[list[str]]:
    """Roughly cut sentences for timing, without the project's reader."""
    sentences: list[list[str]] = []
    token_count = 0
    for piece in _SENTENCE_END.split(path.read_text(encoding="utf-8", errors="replace")):
        tokens = _TOKEN.findall(piece)[:200]
        if tokens and token_count < max_tokens:
            sentences.append(tokens)
            token_count += len(tokens)
    return sentences


def efficiency_pipeline(labels: tuple[str, ...]) -> Language:
    """spaCy's own small CNN tagger with the same labels."""
    config = init_config(lang="en", pipeline=["tagger"], optimize="efficiency", gpu=False)
    nlp = load_model_from_config(config, auto_fill=True, validate=False)
    words = [f"w{index}" for index in range(len(labels))]
    example = Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, tags=list(labels)))
    nlp.initialize(lambda: [example])
    return nlp


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def seconds_in_network(tagger: SpacyTagger, sentences: list[list[str]]) -> tuple[float, float]:
    """CPU seconds of one run: in the network (new types, convolutions, softmax), and in all."""
    spent = 0.0
    originals = {name: getattr(WindowCnn, name) for name in ("add_types", "predict")}

    def timed(function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            nonlocal spent
            start = time.process_time()
            try:
                return function(*arguments)
            finally:
                spent += time.process_time() - start

        return call

    try:
        for name, function in originals.items():
            setattr(WindowCnn, name, timed(function))
        whole = cpu_seconds(lambda: list(tagger.tag(sentences)))
    finally:
        for name, function in originals.items():
            setattr(WindowCnn, name, function)
    return spent, whole


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path, help="a plain-text book")
    parser.add_argument("--max-tokens", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args()
    sentences = read_sentences(options.text, max_tokens=options.max_tokens)
    token_count = sum(map(len, sentences))
    fast, plain = load_tagger(), load_tagger(fast=False)
    small = SpacyTagger(efficiency_pipeline(tuple(fast.labels)), identity="efficiency", fast=False)
    names = {
        "built-in": fast,
        "built-in through spaCy's pipe": plain,
        "spaCy efficiency configuration": small,
    }
    best = dict.fromkeys(names, float("inf"))
    for _ in range(options.repeat):
        for name, tagger in names.items():
            best[name] = min(
                best[name], cpu_seconds(lambda tagger=tagger: list(tagger.tag(sentences)))
            )  # type: ignore[misc]
    inside, whole = min(seconds_in_network(fast, sentences) for _ in range(options.repeat))
    disagreements = sum(
        a != b
        for x, y in zip(fast.tag(sentences), plain.tag(sentences), strict=True)
        for a, b in zip(x, y, strict=True)
    )
    figures: dict[str, float] = {
        f"{name}, tokens per CPU second": round(token_count / seconds)
        for name, seconds in best.items()
    }
    figures["share of built-in's time outside the network"] = round(1 - inside / whole, 3)
    figures["tags that differ between built-in and spaCy's pipe"] = disagreements
    figures["tokens"] = token_count
    for name, figure in figures.items():
        print(f"{name:55} {figure:>10,}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""What each network of the LAMBADA-style committee drops, by the words it read and its size.

    python benchmarks/network_curve.py RUN feedforward-128x256-4 recurrent-64x128-4

RUN: the folder of a finished LAMBADA-style run. A network is its kind, the sizes of its vectors and
of its hidden layer, and the millions of words that it reads. Each is trained on the run's training
text with one thread, then scores evenly spaced passages. Prints Markdown: the share of passages
that it guesses, of those that the n-gram model and the cache keep, and of these the share that the
first network on the command line keeps too.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from cloze_gen.corpus.frequencies import read_counts
from cloze_gen.corpus.training_text import TOKENS
from cloze_gen.models.network_layers import (
    TABLES,
    VECTORS,
    Adagrad,
    FeedForwardNetwork,
    RecurrentNetwork,
    class_bounds,
    close_ids,
    fresh_squares,
)
from cloze_gen.models.network_training import MOST_STREAMS, block_reader, plan_course, train
from cloze_gen.models.networks import NetworksSettings, fresh_weights_of
from cloze_gen.recipes.lambada.committee import has_guessed, passage_ids, read_scores
from cloze_gen.recipes.lambada.passages import read_numbered
from cloze_gen.store.runs import stage_artifact
from cloze_gen.store.tables import memory_mapped

THRESHOLD = 0.00175
PASSAGES = 30_000
KINDS: Mapping[str, type[FeedForwardNetwork] | type[RecurrentNetwork]] = {
    "feedforward": FeedForwardNetwork,
    "recurrent": RecurrentNetwork,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("run", type=Path)
    parser.add_argument("networks", nargs="+", metavar="KIND-VECTORxHIDDEN-MILLIONS")
    parser.add_argument("--streams", type=int, default=MOST_STREAMS, help="read at once")
    args = parser.parse_args()
    text, counts, passages = (stage_artifact(args.run, s) for s in ("text", "counts", "passages"))
    numbered = read_numbered(passages)
    rows = np.linspace(0, len(numbered.first) - 1, PASSAGES).astype(np.int64)
    ids, lengths = passage_ids(numbered.numbers, numbered.first[rows], numbered.target[rows])
    kept = np.ones(PASSAGES, np.bool_)
    for member in ("scores-ngram", "scores-cache"):
        own = read_scores(stage_artifact(args.run, member))[0][rows]
        kept &= ~has_guessed(own, threshold=THRESHOLD)
    table, tokens = read_counts(counts), memory_mapped(text.path(TOKENS))
    print(
        f"{PASSAGES:,} passages; the n-gram model and the cache keep {kept.mean():.1%}\n\n"
        "| network | words read, millions | perplexity | guesses alone | of those kept by both "
        "| beyond the first network | training, CPU s | scoring, CPU s |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|"
    )
    first = np.zeros(PASSAGES, np.bool_)
    for number, name in enumerate(args.networks):
        kind, size, millions = name.split("-")
        vector, hidden = map(int, size.split("x"))
        settings = NetworksSettings(
            vector_size=vector, feedforward_hidden=hidden, recurrent_hidden=hidden
        )
        words = min(settings.vocabulary, len(table.words))
        known = np.concatenate([table.count[:words], [int(table.count[words:].sum())]])
        bounds = class_bounds(
            np.concatenate([[int(text.facts["sentences"])], known]), round(words**0.5)
        )
        weights = fresh_weights_of(kind, bounds, settings, seed=1)
        network = KINDS[kind](weights, bounds)
        course = plan_course(
            len(tokens),
            epochs=4,
            most_words=int(float(millions) * 1e6),
            most_streams=args.streams,
        )
        optimizer = Adagrad(
            weights, fresh_squares(weights, tables=(VECTORS, *TABLES)), rate=settings.learning_rate
        )
        with threadpool_limits(limits=1):
            begun = time.process_time()
            losses = train(
                network,
                block_reader(tokens, course, lead=network.lead, size=words),
                optimizer,
                course=course,
                numbers=range(course.blocks),
                rate=settings.learning_rate,
            )
            trained = time.process_time()
            found = network.log_probs(close_ids(ids, words), lengths) / np.log(10)
        guessed = has_guessed(found, threshold=THRESHOLD)
        if not number:
            first = guessed
        perplexity = np.exp(np.mean(losses[-len(losses) // 20 :]))
        shares = (guessed.mean(), guessed[kept].mean(), guessed[kept & ~first].mean())
        print(
            f"| {kind} {size} | {millions} | {perplexity:.0f} | "
            + " | ".join(f"{share:.1%}" for share in shares)
            + f" | {trained - begun:.0f} | {time.process_time() - trained:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

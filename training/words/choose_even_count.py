"""Choose `EvenCounts` of `models.word_knowledge`: word counts at which a corpus is as good as the
built-in words.

    python training/words/choose_even_count.py --corpus TEXT --builtin TEXT --truth TEXT --places
        TEXT

Each TEXT is the folder of a `text` artifact. Mixtures with several counts are compared with the
measures of other books, the truth, at places in a fourth set of books. Prints the mean squared
error of each measure over the variance of the truth, also by corpus count.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

import numpy as np
from books import measure_space
from places import draw_places, measured

from cloze_gen.models.word_knowledge import EvenCounts, MixedKnowledge

COUNTS = (
    0.0,
    10.0,
    30.0,
    100.0,
    300.0,
    1000.0,
    3000.0,
    10_000.0,
    1e12,
)  # 0: the corpus alone; the last: the built-in words alone
BANDS = (
    3,
    10,
    30,
    100,
    300,
    1000,
    100_000,
)  # tokens of the word tried in the corpus, exclusive above
# tokens of a word in the truth, without `--least-true`: a rarer word's error is the truth's own
LEAST_TRUE = 200


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("corpus", "builtin", "truth", "places"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--count", type=int, default=6000, help="places")
    parser.add_argument(
        "--min-count",
        type=int,
        default=20,
        help="tokens of a word in the built-in words and in the truth",
    )
    parser.add_argument(
        "--least-true",
        type=int,
        default=LEAST_TRUE,
        help="tokens in the truth of a word that is tried",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spaces = {}
        for name, least in (
            ("corpus", 3),
            ("builtin", options.min_count),
            ("truth", options.min_count),
        ):
            (place := Path(folder) / name).mkdir()
            spaces[name] = measure_space(getattr(options, name), place, min_count=least)
        corpus, builtin, truth = spaces.values()
        words = [
            word
            for word, count in zip(truth.row_of, truth.counts.tolist(), strict=True)
            if count >= options.least_true
        ]
        words = [word for word in words if word in builtin.row_of and word in corpus.row_of]
        places = draw_places(options.places, words=words, count=options.count)
        report(corpus, builtin, truth, places)


def report(corpus, builtin, truth, places) -> None:  # type: ignore[no-untyped-def]
    """Print the table."""
    wanted = measured(truth, places)
    tried = [word for place in places for word in place.words]
    band = np.digitize(corpus.evidence(tried), BANDS)
    errors = {count: {} for count in COUNTS}
    for count in COUNTS:
        even = EvenCounts(*([max(count, 1e-9)] * len(fields(EvenCounts))))
        found = measured(MixedKnowledge(corpus, builtin, even=even), places)
        for name, values in found.items():
            errors[count][name] = (values - wanted[name]) ** 2 / np.nanvar(wanted[name])
    evidence = corpus.evidence(tried)
    print(
        f"{len(places):,} places, {len(tried):,} words tried; tokens of the words tried: "
        f"{np.median(evidence):.0f} (median)"
    )
    bands = [f"{low}-{high - 1}" for low, high in pairwise(BANDS)]
    print("\t".join(["even count", *wanted, "mean", *bands]))
    for count, of_measure in errors.items():
        means = [float(np.nanmean(values)) for values in of_measure.values()]
        both = np.nanmean(np.stack(list(of_measure.values())), axis=0)
        bands = [
            float(np.nanmean(both[band == i])) if (band == i).any() else float("nan")
            for i in range(1, len(BANDS))
        ]
        print(
            f"{count:g}\t"
            + "\t".join(f"{value:.3f}" for value in (*means, float(np.mean(means)), *bands))
        )


if __name__ == "__main__":
    main()

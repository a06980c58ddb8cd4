"""Fit the weights of the surface cues (`models.sentence_cues.WEIGHT_OF_CUE`) on random blanks of training novels.

    python training/cues/fit.py RUN

RUN is the folder of a finished scde-style run over real books. Five sentences of each passage are
blanked at random, with two nearby sentences of similar lengths as distractors. Accuracy is printed
for the other novels.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from cloze_gen.corpus.hyphens import HYPHENS
from cloze_gen.english.cohesion import surface_ties
from cloze_gen.models.blank_assignment import decode_jointly
from cloze_gen.models.sentence_cues import CUES, cue_features, fit_weights, tie
from cloze_gen.recipes.scde.coherence import stem_rarity
from cloze_gen.recipes.scde.passages import novels_of, read_novel, windows_by_book
from cloze_gen.records.passage import Part
from cloze_gen.rng import derive_rng
from cloze_gen.store.artifacts import open_artifact

BLANKS, DISTRACTORS, REACH, PASSAGES_A_BOOK, SEED = 5, 2, 60, 6, 1


def main(run: Path) -> None:
    """Print the weights and what they get."""
    stages = {
        link.name.split("-", 1)[1]: open_artifact(link.resolve())
        for link in run.iterdir()
        if link.name[:2].isdigit()
    }
    rarity = stem_rarity(stages["coherence"])
    of_book = windows_by_book(stages["passages"])
    features: dict[bool, list[np.ndarray]] = {True: [], False: []}
    for novel in novels_of(stages["partition"]):
        book = read_novel(novel, stages["passages"].path(HYPHENS))
        characters = list(map(len, book.texts))
        for window in of_book.get(novel.id, [])[:PASSAGES_A_BOOK]:
            rng = derive_rng(SEED, "cues.fit", window.id)
            own = window.sentences
            blanks = np.sort(rng.choice(len(own), BLANKS, replace=False))
            lengths = [characters[own[place]] for place in blanks]
            near = [
                *range(max(0, own[0] - REACH), own[0] - 1),
                *range(own[-1] + 2, min(len(characters), own[-1] + REACH)),
            ]
            alike = [i for i in near if min(lengths) <= characters[i] <= max(lengths)]
            if len(alike) < DISTRACTORS:
                continue
            candidates = [
                *(own[place] for place in blanks),
                *rng.choice(alike, DISTRACTORS, replace=False),
            ]
            ties = [[surface_ties(book.text.tokens(i)) for i in some] for some in (own, candidates)]
            features[window.part == Part.TRAIN].append(
                cue_features(tie(*ties, rarity), blanks[None, :])[0]
            )
    weights = fit_weights(features[True], [range(BLANKS)] * len(features[True]))
    for name, weight in zip(CUES, weights.round(3), strict=True):
        print(f'    "{name}": {weight},')
    for learnt, passages in features.items():
        right = [
            (decode_jointly(one @ weights.round(3)) == np.arange(BLANKS)).mean() for one in passages
        ]
        print(
            f"{'training' if learnt else 'other'} novels: {np.mean(right):.1%} of blanks "
            f"right, {len(right):,} passages"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Models of blanked passages: word vectors, and scorers by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.corpus.training_text import TOKENS
from cloze_gen.engine.progress import Stopwatch, track
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.cohesion import surface_ties
from cloze_gen.english.content_words import stem
from cloze_gen.evaluation.blank_baselines import (
    COUNTS,
    LSA,
    NGRAMS,
    TEXT,
    LanguageModelScorer,
    LsaScorer,
    OverlapScorer,
    PmiScorer,
    rarity,
    weighted,
)
from cloze_gen.evaluation.blanks import BlankScorer, CandidateFigures, ClozeExample, Direction
from cloze_gen.evaluation.candidates import candidate_figures
from cloze_gen.evaluation.lsa import (
    MIN_COUNT,
    UNCOUNTED,
    fit_word_vectors,
    term_sentence_counts,
)
from cloze_gen.evaluation.passage_models import RARE, read_folded_words
from cloze_gen.evaluation.question_models import VECTORS, WORDS, read_folded_freqs, read_words
from cloze_gen.models.language_model import open_index
from cloze_gen.models.sentence_cues import WEIGHTS, cue_features, fit_weights, rarity_of, tie
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped
from cloze_gen.word_tokens import is_word

# ---- Surface cues


class CueScorer:
    """Surface fit of a candidate to the sentences around a blank (not in the paper).

    `rarity`: stem -> rarity, from `rarity_of`; `weights`: one for each of `CUES`.
    """

    def __init__(
        self, rarity: Callable[[str], float], weights: NDArray[np.float64] = WEIGHTS
    ) -> None:
        self._rarity, self._weights = rarity, weights

    def scores(self, example: ClozeExample) -> Mapping[Direction, NDArray[np.float64]]:
        """Uses both sides at once; cues never read a blanked sentence."""
        return {Direction.BOTH: _features(example, self._rarity) @ self._weights}


def learnt_cues(training: Sequence[ClozeExample], rarity: Callable[[str], float]) -> CueScorer:
    features = [_features(one, rarity) for one in training]
    return CueScorer(rarity, fit_weights(features, [one.passage.answers for one in training]))


def _features(example: ClozeExample, rarity: Callable[[str], float]) -> NDArray[np.float64]:
    """Shape (blanks, candidates, cues)."""
    sentences, candidates = (
        [surface_ties(tokens) for tokens in some]
        for some in (example.sentences, example.candidates)
    )
    return cue_features(
        tie(sentences, candidates, rarity), np.array([example.passage.blanks], np.int64)
    )[0]


# ---- Word vectors

# On 10,000 blanks from other novels, 100, 200 and 300 dimensions answer 25.2, 26.0 and 27.0 % by
# P+N; training on 30 million tokens takes 28, 37 and 66 s.
_DIMENSIONS = 200
# seed of the Lanczos start vector; independent of the evaluation's seed
_START_SEED = 0


def write_blank_lsa(
    writer: ArtifactWriter,
    ctx: StageContext,
    *,
    text: Artifact,
    counts: Artifact,
    dimensions: int = _DIMENSIONS,
    min_count: int = MIN_COUNT,
) -> None:
    """Write word vectors scaled by rarity (`lsa.weighted`), float32."""
    clock = Stopwatch()
    folded = read_folded_words(counts)
    counted = np.array(
        [
            SEPARATOR,
            *(
                i + UNCOUNTED if is_word(word) else UNCOUNTED
                for i, word in enumerate(folded.words, 1)
            ),
        ],
        np.uint32,
    )
    ids = counted[folded.numbers][memory_mapped(text.path(TOKENS))]
    n_words = len(folded.words) + UNCOUNTED + 1
    sentences = term_sentence_counts(ids, n_words, min_count=min_count)
    vectors = fit_word_vectors(
        ids, n_words, dimensions=dimensions, min_count=min_count, seed=_START_SEED
    )
    used = np.flatnonzero(vectors.any(axis=1))
    sentences_with_word = np.bincount(sentences.indices, minlength=n_words)[used]
    np.save(
        writer.path(VECTORS),
        weighted(vectors[used], rarity(sentences_with_word, sentences=sentences.shape[0])),
    )
    words = [folded.words[i - UNCOUNTED - 1] for i in used.tolist()]
    writer.path(WORDS).write_text(
        "".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n"
    )
    writer.rows |= {VECTORS: len(used), WORDS: len(used)}
    writer.note_libraries("numpy", "scipy")
    ctx.say(f"{len(used):,} words, {dimensions} dimensions in {clock.seconds:.0f} s")


# ---- Scorers by name


def open_scorer(
    name: str, models: Mapping[str, Artifact], training: Sequence[ClozeExample]
) -> BlankScorer:
    openers: Mapping[str, Callable[[], BlankScorer]] = {
        "pmi-1": lambda: PmiScorer((one.sentences for one in training), most=1),
        "pmi-2": lambda: PmiScorer((one.sentences for one in training), most=2),
        "overlap": OverlapScorer,
        "cues": lambda: CueScorer(_rarity(models[COUNTS], models[TEXT])),
        "cues-learnt": lambda: learnt_cues(training, _rarity(models[COUNTS], models[TEXT])),
        "lsa": lambda: _open_lsa(models[LSA]),
        "language-model": lambda: _open_language_model(models[COUNTS], models[NGRAMS]),
    }
    return openers[name]()


def _rarity(counts: Artifact, text: Artifact) -> Callable[[str], float]:
    folded = read_folded_words(counts)
    stems: Counter[str] = Counter()
    for word, count in zip(folded.words, folded.counts.tolist(), strict=True):
        if is_word(word):
            stems[stem(word)] += count
    return rarity_of(stems, int(text.facts["sentences"]))


def _open_lsa(model: Artifact) -> LsaScorer:
    return LsaScorer(
        memory_mapped(model.path(VECTORS)),
        {word: row for row, word in enumerate(read_words(model))},
    )


def _open_language_model(counts: Artifact, model: Artifact) -> LanguageModelScorer:
    outside = len(read_folded_words(counts).words) - int(model.facts["words"])
    return LanguageModelScorer(open_index(model), unknown=RARE, unknown_types=outside)


def score_passages(
    name: str, scorer: BlankScorer, passages: Sequence[ClozeExample]
) -> list[Mapping[Direction, NDArray[np.float64]]]:
    return [
        scorer.scores(one)
        for one in track(passages, stage=name, unit="passages", total=len(passages))
    ]


def score_candidates(
    passages: Sequence[ClozeExample], draws: NDArray[np.float64], counts: Artifact | None
) -> CandidateFigures:
    """Without `counts` all words have the same frequency."""
    freqs = {} if counts is None else read_folded_freqs(counts)
    return candidate_figures(passages, draws, freq_of=lambda word: freqs.get(word, 0.0))

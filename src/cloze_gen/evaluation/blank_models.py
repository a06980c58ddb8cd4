"""Models of blanked passages: word vectors, scorers by name, and local models of users."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import NDArray

from cloze_gen.adapters.local_models import CausalModel, NextSentenceModel, is_next_sentence_model
from cloze_gen.corpus.arrays import SEPARATOR
from cloze_gen.corpus.training_text import TOKENS
from cloze_gen.engine.progress import Stopwatch, track
from cloze_gen.engine.stage_context import StageContext
from cloze_gen.english.cohesion import Person, surface_ties
from cloze_gen.english.content_words import stem
from cloze_gen.evaluation.blank_baselines import (
    LSA,
    NGRAMS,
    TEXT,
    LanguageModelScorer,
    LsaScorer,
    OverlapScorer,
    PmiScorer,
    TfIdfScorer,
    adjacent_sentences,
    cosines,
    nan_where_empty,
    rarity,
    weighted,
)
from cloze_gen.evaluation.blanks import BlankScorer, CandidateFigures, ClozeExample, Direction
from cloze_gen.evaluation.candidates import candidate_figures
from cloze_gen.evaluation.lsa import UNCOUNTED, fit_word_vectors
from cloze_gen.evaluation.passage_models import RARE, read_freqs, read_sentence_counts
from cloze_gen.evaluation.question_models import VECTORS, WORDS, LsaSizes, read_words
from cloze_gen.models.language_model import open_index
from cloze_gen.models.sentence_cues import WEIGHTS, cue_features, fit_weights, rarity_of, tie
from cloze_gen.store.artifacts import Artifact, ArtifactWriter
from cloze_gen.store.tables import memory_mapped
from cloze_gen.word_tokens import is_word

# ---- Rules of cohesion

_REFERRING = (Person.HE, Person.SHE, Person.THEY)
_MAY_BE_NAMED = np.array([True, True, False])  # a name can be the referent of *he* or *she*


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    names: NDArray[np.float64]
    persons: NDArray[np.float64]
    tense: NDArray[np.float64]

    def joined(self, rows: NDArray[np.float64]) -> _Grid:
        """Merge texts: `rows` has 1 for each text that belongs to a merged one."""
        return _Grid(
            np.minimum(rows @ self.names, 1), np.minimum(rows @ self.persons, 1), rows @ self.tense
        )

    def part(self, rows: slice) -> _Grid:
        return _Grid(self.names[rows], self.persons[rows], self.tense[rows])


class CohesionScorer:
    """The mean of three rules: entities, reference, tense.

    After the entity grid of Barzilay & Lapata 2008. *Read:* we use no parser, so entities are names
    and the persons of pronouns (`english.cohesion`). Entities: cosine of the two sets. Reference:
    the share of later *he*, *she*, *they* that can refer to the earlier text, minus the share that
    cannot. Tense: 1 for the same tense, -1 for another.
    """

    def scores(self, example: ClozeExample) -> Mapping[Direction, NDArray[np.float64]]:
        n, blanked = len(example.sentences), frozenset(example.passage.blanks)
        shown = [() if i in blanked else tokens for i, tokens in enumerate(example.sentences)]
        grid = _grid([*shown, *example.candidates])
        sentences, candidates = grid.part(slice(n)), grid.part(slice(n, None))
        found = {}
        for direction, mask in adjacent_sentences(example.passage).items():
            context = sentences.joined(mask)
            is_before = direction in (Direction.P, Direction.AP)
            scores = _rules(context, candidates) if is_before else _rules(candidates, context).T
            found[direction] = nan_where_empty(scores, mask)
        return found


def _grid(stretches: Sequence[Sequence[str]]) -> _Grid:
    """A sentence-initial word counts as a name only if it is a name elsewhere."""
    ties = [surface_ties(tokens) for tokens in stretches]
    names = {
        name: i for i, name in enumerate(sorted(frozenset().union(*(one.names for one in ties))))
    }
    grid = _Grid(
        np.zeros((len(ties), len(names))),
        np.zeros((len(ties), len(Person))),
        np.array([one.past - one.present for one in ties], float),
    )
    for i, one in enumerate(ties):
        grid.names[
            i, [names[name] for name in sorted(one.names | {one.first_word}) if name in names]
        ] = 1
        grid.persons[i] = [person in one.persons for person in Person]
    return grid


def _rules(earlier: _Grid, later: _Grid) -> NDArray[np.float64]:
    entities = cosines(
        np.hstack([earlier.names, earlier.persons]), np.hstack([later.names, later.persons])
    )
    tense = np.sign(earlier.tense)[:, None] * np.sign(later.tense)
    return (entities + _references(earlier, later) + tense) / 3


def _references(earlier: _Grid, later: _Grid) -> NDArray[np.float64]:
    """Share of pronouns that can refer, minus the share that cannot: shape (earlier, later)."""
    columns = [list(Person).index(person) for person in _REFERRING]
    named = earlier.names.any(axis=1, keepdims=True) & _MAY_BE_NAMED
    refers = np.where((earlier.persons[:, columns] > 0) | named, 1.0, -1.0)
    pronouns = later.persons[:, columns]
    return refers @ pronouns.T / np.maximum(pronouns.sum(axis=1), 1)


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
BLANK_LSA = LsaSizes(dimensions=200)
# seed of the Lanczos start vector; independent of the evaluation's seed
_START_SEED = 0


def write_blank_lsa(
    writer: ArtifactWriter, ctx: StageContext, *, text: Artifact, counts: Artifact, sizes: LsaSizes
) -> None:
    """Write word vectors scaled by rarity (`lsa.weighted`), float32."""
    clock = Stopwatch()
    known = read_sentence_counts(counts)
    folded = np.array(
        [
            SEPARATOR,
            *(
                i + UNCOUNTED if is_word(word) else UNCOUNTED
                for i, word in enumerate(known.words, 1)
            ),
        ],
        np.uint32,
    )
    vectors = fit_word_vectors(
        folded[memory_mapped(text.path(TOKENS))],
        len(known.words) + UNCOUNTED + 1,
        dimensions=sizes.dimensions,
        min_count=sizes.min_count,
        seed=_START_SEED,
    )[UNCOUNTED + 1 :]
    used = np.flatnonzero(vectors.any(axis=1))
    np.save(
        writer.path(VECTORS),
        weighted(vectors[used], rarity(known.sentence_counts[used], sentences=known.sentences)),
    )
    writer.path(WORDS).write_text(
        "".join(f"{known.words[i]}\n" for i in used.tolist()), encoding="utf-8", newline="\n"
    )
    writer.rows |= {VECTORS: len(used), WORDS: len(used)}
    writer.versions |= {"numpy": np.__version__, "scipy": scipy.__version__}
    ctx.say(f"{len(used):,} words, {sizes.dimensions} dimensions in {clock.seconds:.0f} s")


# ---- Scorers by name


def open_scorer(
    name: str, models: Mapping[str, Artifact], training: Sequence[ClozeExample]
) -> BlankScorer:
    openers: Mapping[str, Callable[[], BlankScorer]] = {
        "pmi-1": lambda: PmiScorer((one.sentences for one in training), most=1),
        "pmi-2": lambda: PmiScorer((one.sentences for one in training), most=2),
        "overlap": OverlapScorer,
        "tf-idf": lambda: _open_tf_idf(models[TEXT]),
        "cohesion": CohesionScorer,
        "cues": lambda: CueScorer(_rarity(models[TEXT])),
        "cues-learnt": lambda: learnt_cues(training, _rarity(models[TEXT])),
        "lsa": lambda: _open_lsa(models[LSA]),
        "language-model": lambda: _open_language_model(models[TEXT], models[NGRAMS]),
    }
    return openers[name]()


def _open_tf_idf(counts: Artifact) -> TfIdfScorer:
    table = read_sentence_counts(counts)
    return TfIdfScorer(
        dict(zip(table.words, table.sentence_counts.tolist(), strict=True)),
        sentences=table.sentences,
    )


def _rarity(counts: Artifact) -> Callable[[str], float]:
    table = read_sentence_counts(counts)
    stems: Counter[str] = Counter()
    for word, count in zip(table.words, table.counts.tolist(), strict=True):
        if is_word(word):
            stems[stem(word)] += count
    return rarity_of(stems, table.sentences)


def _open_lsa(model: Artifact) -> LsaScorer:
    return LsaScorer(
        memory_mapped(model.path(VECTORS)),
        {word: row for row, word in enumerate(read_words(model))},
    )


def _open_language_model(counts: Artifact, model: Artifact) -> LanguageModelScorer:
    outside = len(read_sentence_counts(counts).words) - int(model.facts["words"])
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
    freqs = {} if counts is None else read_freqs(counts)
    return candidate_figures(passages, draws, freq_of=lambda word: freqs.get(word, 0.0))


# ---- Models in a folder

_MAX_TOKENS = 256  # SCDE 4.6
_SPECIAL_TOKENS = 3  # special tokens of a pair
Pairs = Sequence[tuple[str, str]]


class LocalBlankScorer:
    """Scores of a model that reads two texts, one after the other.

    For the context before a blank, the first text is the context and the second the candidate; for
    the context after it, the reverse (SCDE 4.6). A causal model gives log10 P(second | first), a
    next-sentence model ln P(second follows first). Both texts together have at most 256 tokens; the
    context is cut at its far end. *Read:* the longest candidate of the passage determines the cut,
    because probabilities with contexts of different lengths are not comparable.
    """

    def __init__(self, model: CausalModel | NextSentenceModel) -> None:
        self._tokenizer = model.pieces
        self._max_tokens = min(_MAX_TOKENS, model.window or _MAX_TOKENS) - _SPECIAL_TOKENS
        self._score_pairs: Callable[[Pairs], NDArray[np.float64]]
        if isinstance(model, NextSentenceModel):
            self._separator, self._score_pairs = "", model.log_probs
        else:
            self._separator, self._score_pairs = " ", model.log10_probs

    def scores(self, example: ClozeExample) -> Mapping[Direction, NDArray[np.float64]]:
        passage = example.passage
        limit = self._max_tokens - max(map(self._tokenizer.count, passage.candidates))
        found = {}
        for direction, mask in adjacent_sentences(passage).items():
            scores = np.full((len(passage.blanks), len(passage.candidates)), np.nan)
            contexts = [" ".join(compress(passage.sentences, row)) for row in mask.tolist()]
            there = [blank for blank, context in enumerate(contexts) if context]
            pairs = [
                self._pair(contexts[blank], candidate, direction, limit)
                for blank in there
                for candidate in passage.candidates
            ]
            if pairs:
                scores[there] = self._score_pairs(pairs).reshape(-1, len(passage.candidates))
            found[direction] = scores
        return found

    def _pair(
        self, context: str, candidate: str, direction: Direction, limit: int
    ) -> tuple[str, str]:
        if direction in (Direction.P, Direction.AP):
            return self._tokenizer.end(context, limit), f"{self._separator}{candidate}"
        return candidate, f"{self._separator}{self._tokenizer.beginning(context, limit)}"


def open_local_scorer(folder: Path) -> BlankScorer:
    """Open a local model: by its next-sentence head if its family has one, else as causal.

    Raises:
        ToolError: the extra is not installed.
        ModelError: the folder has no such model.
    """
    return LocalBlankScorer(
        NextSentenceModel(folder) if is_next_sentence_model(folder) else CausalModel(folder)
    )

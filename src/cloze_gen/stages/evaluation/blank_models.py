"""The scorers of blanks by the names of `evaluate.blanks.baselines`, each opened with what it is made from.

All models are of the training text in small letters (`passage_models.write_passage_text`): in these words passages are asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from cloze_gen.english.stems import stem
from cloze_gen.evaluate.blanks.asked import AskedBlanks, BlankScorer
from cloze_gen.evaluate.blanks.baselines import LSA, NGRAMS, TEXT
from cloze_gen.evaluate.blanks.cohesion import CohesionScorer
from cloze_gen.evaluate.blanks.cues import CueScorer, learnt_cues
from cloze_gen.evaluate.blanks.language_model import LanguageModelScorer
from cloze_gen.evaluate.blanks.lsa import LsaScorer
from cloze_gen.evaluate.blanks.overlap import OverlapScorer, TfIdfScorer
from cloze_gen.evaluate.blanks.pmi import PmiScorer
from cloze_gen.stages.evaluation.opened_models import VECTORS, read_words
from cloze_gen.stages.evaluation.passage_words import RARE
from cloze_gen.stages.evaluation.sentence_counts import read_sentence_counts
from cloze_gen.stages.models.index import open_index
from cloze_gen.stats.cues import rarity_of
from cloze_gen.store.artifacts import Artifact
from cloze_gen.store.tables import memory_mapped
from cloze_gen.words import is_word


def open_scorer(name: str, models: Mapping[str, Artifact], training: Sequence[AskedBlanks]) -> BlankScorer:
    """A scorer, its model opened or made.

    Args:
        models: what the baseline is made from, by the names of its `BlankBaseline.models`.
        training: the passages to learn from.
    """
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
    return TfIdfScorer(dict(zip(table.words, table.sentence_counts.tolist(), strict=True)), sentences=table.sentences)


def _rarity(counts: Artifact) -> Callable[[str], float]:
    """How rare a stem is in the training text."""
    table = read_sentence_counts(counts)
    stems: Counter[str] = Counter()
    for word, count in zip(table.words, table.counts.tolist(), strict=True):
        if is_word(word):
            stems[stem(word)] += count
    return rarity_of(stems, table.sentences)


def _open_lsa(model: Artifact) -> LsaScorer:
    return LsaScorer(memory_mapped(model.path(VECTORS)), {word: row for row, word in enumerate(read_words(model))})


def _open_language_model(counts: Artifact, model: Artifact) -> LanguageModelScorer:
    outside = len(read_sentence_counts(counts).words) - int(model.facts["words"])
    return LanguageModelScorer(open_index(model), unknown=RARE, unknown_types=outside)

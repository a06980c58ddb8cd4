"""What the models of passages say of the targets; they are opened here, each by itself, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from cloze_gen.adapters.causal_model import CausalModel
from cloze_gen.engine.threads import one_thread
from cloze_gen.evaluate.passages.asked import AskedPassage, number_passages
from cloze_gen.evaluate.passages.baselines import NETWORK_KINDS, NGRAMS, TEXT
from cloze_gen.evaluate.passages.metrics import TargetScores
from cloze_gen.evaluate.passages.models import CachedPassages, NgramPassages, PassageModel, score_targets
from cloze_gen.evaluate.passages.user_scores import target_scores_of_log
from cloze_gen.evaluate.sample_log import is_sample_log
from cloze_gen.formats.lambada.requests import parse_full_answers
from cloze_gen.stages.evaluation.passage_networks import open_passage_network
from cloze_gen.stages.evaluation.passage_words import RARE, read_passage_words
from cloze_gen.stages.models.index import open_index
from cloze_gen.stages.models.network_training import NetworkKind
from cloze_gen.store.artifacts import Artifact
from cloze_gen.words import is_word

NGRAM_CACHE = "n-gram + cache"


class PassageScorer:
    """The models by the names of `evaluate.passages.baselines.PASSAGE_BASELINES`.

    Args:
        models: `TEXT`, `NGRAMS` and kinds of networks -> artifact.
    """

    def __init__(self, models: Mapping[str, Artifact]) -> None:
        self._models = models
        self._opened: dict[str, PassageModel] = {}
        self._words: list[str] | None = None

    @property
    def words(self) -> list[str]:
        """The closed vocabulary."""
        if self._words is None:
            self._words = read_passage_words(self._models[TEXT])
        return self._words

    @property
    def guesses(self) -> list[str]:
        """The words of the vocabulary; marks are no guess."""
        return [word for word in self.words if is_word(word)]

    def scores(self, name: str, passages: Sequence[AskedPassage]) -> TargetScores:
        """What a model says of some passages, with one thread, so that the figures are the same each time."""
        ids, lengths = number_passages(passages, self.words)
        with one_thread():
            return score_targets(self._model(name), ids, lengths, words=self.words)

    def _model(self, name: str) -> PassageModel:
        if name not in self._opened:
            self._opened[name] = self._open(name)
        return self._opened[name]

    def _open(self, name: str) -> PassageModel:
        if name in NETWORK_KINDS:
            kind = NETWORK_KINDS[name]
            return open_passage_network(self._models[kind], cast("NetworkKind", kind))
        if name == NGRAM_CACHE:
            return CachedPassages(self._model("n-gram"))
        return NgramPassages(open_index(self._models[NGRAMS]), self.words, unknown=RARE)


def open_causal_model(folder: Path) -> CausalModel:
    """A causal model in a local folder.

    Raises:
        ToolError: the extra is not installed.
        ModelError: the folder holds no causal model.
    """
    return CausalModel(folder)


def causal_scores(model: CausalModel, passages: Sequence[AskedPassage], rendering: str) -> TargetScores:
    """What a causal model says of the targets, right where it would write the target: it lists no vocabulary, so no rank is told."""
    with one_thread():
        log10_prob, right = model.guesses([passage.prompts[rendering] for passage in passages])
    return TargetScores(np.minimum(log10_prob, 0), np.full(len(passages), np.nan), np.ones(len(passages), np.bool_), right)


def given_scores(text: str, passages: Sequence[AskedPassage], *, name: str) -> TargetScores:
    """What somebody's own model says of the targets (`formats.lambada.requests`, or a log of lm-evaluation-harness).

    A passage of two sets has one answer.

    Raises:
        FormatError: a line is no answer, or a passage lacks one.
    """
    if is_sample_log(text):
        return target_scores_of_log(text, passages, name=name)
    ids = list(dict.fromkeys(passage.id for passage in passages))
    place = {passage_id: i for i, passage_id in enumerate(ids)}
    found = parse_full_answers(text.split("\n"), ids, name=name)
    rows = np.array([place[passage.id] for passage in passages], np.int64)
    right = None if found.right is None else found.right[rows]
    return TargetScores(found.log10_prob[rows], found.rank[rows], np.ones(len(rows), np.bool_), right)

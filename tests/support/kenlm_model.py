"""KenLM's own scores, the oracle for those of the forward index."""

from __future__ import annotations

import kenlm


class KenlmModel:
    """An ARPA file as KenLM scores it."""

    def __init__(self, path):
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        self._model = kenlm.Model(str(path), config)

    def log10_prob(self, history, word):
        return self._score(history, [word])

    def score_sentence(self, tokens):
        return self._score(["<s>"], [*tokens, "</s>"])

    def _score(self, history, words):
        state = kenlm.State()
        if history and history[0] == "<s>":
            self._model.BeginSentenceWrite(state)
            history = history[1:]
        else:
            self._model.NullContextWrite(state)
        for word in history:
            _, state = self._scored(state, word)
        total = 0.0
        for word in words:
            log10_prob, state = self._scored(state, word)
            total += log10_prob
        return total

    def _scored(self, state, word):
        following = kenlm.State()
        return self._model.BaseScore(state, word, following), following

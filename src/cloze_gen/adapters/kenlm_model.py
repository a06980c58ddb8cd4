"""KenLM's scorer behind the `LanguageModel` protocol. KenLM changes its `State` in place, splits
text on whitespace, and shows a progress bar for ARPA files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import kenlm

from cloze_gen.errors import ModelError

BEGIN = "<s>"
END = "</s>"


class KenlmModel:
    """An ARPA or (memory-mapped) KenLM binary file; not picklable, so load it per worker."""

    def __init__(self, path: Path) -> None:
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model = kenlm.Model(str(path), config)
        except (OSError, RuntimeError) as error:
            raise ModelError(
                f"{path}: KenLM cannot read this as an ARPA or binary model ({error}). Delete it "
                "and run again."
            ) from None

    def log10_prob(self, history: Sequence[str], word: str) -> float:
        """log10 P(word | history); only the first token of a history may be `<s>`."""
        *_, last = self._log10_probs([*history, word])
        return last

    def score_sentence(self, tokens: Sequence[str]) -> float:
        return math.fsum(self._log10_probs([BEGIN, *tokens, END]))

    def _log10_probs(self, tokens: Sequence[str]) -> Iterator[float]:
        """log10 P of each token after those before it; `<s>` at the beginning has none."""
        state, following = kenlm.State(), kenlm.State()
        if tokens[0] == BEGIN:
            self._model.BeginSentenceWrite(state)
            tokens = tokens[1:]
        else:
            self._model.NullContextWrite(state)
        for token in tokens:
            yield float(self._model.BaseScore(state, token, following))
            state, following = following, state

"""KenLM's scorer behind the `LanguageModel` protocol, with its surprises taken out.

KenLM calls `"<s>" in model` true although `<s>` never follows anything, changes its `State` in place, splits a sentence given as
a string on whitespace, and draws a bar on stderr while it loads an ARPA file. Here a state is made for each question, words are
passed one by one, and loading is quiet.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen.errors import ModelError, ToolError

try:
    import kenlm
except ModuleNotFoundError:  # no package has it for this Python; what needs no model works all the same
    kenlm = None

BEGIN = "<s>"
END = "</s>"


class KenlmModel:
    """An ARPA or KenLM binary file, memory-mapped where it is binary. Stays in the process that loaded it: load it once a worker."""

    def __init__(self, path: Path) -> None:
        """Load the model at `path`.

        Raises:
            ModelError: no such file, or not a model that KenLM reads.
            ToolError: KenLM's Python module is not installed.
        """
        if kenlm is None:
            raise ToolError(f"{path}: the Python module kenlm, which reads it, is not installed; `cloze-gen doctor --fix` builds it.")
        if not path.is_file():
            raise ModelError(f"{path}: no such language model file; a run's stage `lm` writes one.")
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model = kenlm.Model(str(path), config)
        except (OSError, RuntimeError) as error:
            raise ModelError(f"{path}: KenLM cannot read this as an ARPA or binary model ({error}); train it with lmplz.") from None

    @property
    def order(self) -> int:
        return int(self._model.order)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word != BEGIN and word in self._model

    def log10_prob(self, history: Sequence[str], word: str) -> float:
        """log10 P(word | history); see `LanguageModel.log10_prob`.

        Raises:
            ModelError: `<s>` stands elsewhere than at the start of the history.
        """
        return self._score(history, [word])

    def score_sentence(self, tokens: Sequence[str]) -> float:
        """log10 P(tokens, `</s>` | `<s>`); see `LanguageModel.score_sentence`."""
        return self._score([BEGIN], [*tokens, END])

    def _score(self, history: Sequence[str], words: Sequence[str]) -> float:
        """Sum of the log10 probabilities of `words` one after the other, the first following `history`."""
        state, following = kenlm.State(), kenlm.State()
        begins = bool(history) and history[0] == BEGIN
        if begins:
            self._model.BeginSentenceWrite(state)
        else:
            self._model.NullContextWrite(state)
        seen = list(history[1:] if begins else history)
        if BEGIN in seen or BEGIN in words:
            raise ModelError(f"{BEGIN} may only stand first in a history; it follows nothing and has no probability of its own.")
        for word in seen:
            self._model.BaseScore(state, word, following)
            state, following = following, state
        total = 0.0
        for word in words:
            total += self._model.BaseScore(state, word, following)
            state, following = following, state
        return float(total)

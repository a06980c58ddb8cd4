"""KenLM's scorer behind the `LanguageModel` protocol, and its tries. KenLM changes its `State` in
place, splits on whitespace, and shows a progress bar for ARPA files.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from cloze_gen.adapters.lmplz import find_lmplz, is_program, running
from cloze_gen.errors import ModelError, StoreError, ToolError

try:
    import kenlm
except ModuleNotFoundError:  # no wheel for this Python; commands that need no model work
    kenlm = None

BEGIN = "<s>"
END = "</s>"


class KenlmModel:
    """An ARPA or (memory-mapped) KenLM binary file; not picklable, so load it per worker."""

    def __init__(self, path: Path) -> None:
        if kenlm is None:
            raise ToolError(
                f"{path}: the Python module kenlm is needed to read it; run `make setup` (without "
                "a checkout: reinstall cloze-gen)."
            )
        if not path.is_file():
            raise ModelError(f"{path}: no such language model file; a run's stage `lm` writes one.")
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model = kenlm.Model(str(path), config)
        except (OSError, RuntimeError) as error:
            raise ModelError(
                f"{path}: KenLM cannot read this as an ARPA or binary model ({error}); train "
                "it with lmplz."
            ) from None

    def log10_prob(self, history: Sequence[str], word: str) -> float:
        """log10 P(word | history); ModelError if `<s>` is not first."""
        return self._score(history, [word])

    def score_sentence(self, tokens: Sequence[str]) -> float:
        return self._score([BEGIN], [*tokens, END])

    def _score(self, history: Sequence[str], words: Sequence[str]) -> float:
        state, following = kenlm.State(), kenlm.State()
        begins = bool(history) and history[0] == BEGIN
        if begins:
            self._model.BeginSentenceWrite(state)
        else:
            self._model.NullContextWrite(state)
        seen = list(history[1:] if begins else history)
        if BEGIN in seen or BEGIN in words:
            raise ModelError(
                f"{BEGIN} may only be the first token of a history; it has no "
                "probability of its own."
            )
        for word in seen:
            self._model.BaseScore(state, word, following)
            state, following = following, state
        total = 0.0
        for word in words:
            total += self._model.BaseScore(state, word, following)
            state, following = following, state
        return float(total)


def find_build_binary() -> Path:
    """The `build_binary` next to the `lmplz` in use, else on the PATH; ToolError without one."""
    builder = find_lmplz().with_name("build_binary")
    if is_program(builder):
        return builder
    on_path = shutil.which("build_binary")
    if on_path is None:
        raise ToolError(
            "build_binary, which makes a language model fast to open, is missing: not next to lmplz "
            f"({builder.parent}) and not on the "
            "PATH; build both with `make kenlm` (without a checkout: `cloze-gen "
            "doctor --fix`)."
        )
    return Path(on_path)


def build_trie(*, arpa: Path, binary: Path, memory: str, temp_dir: Path) -> None:
    """Write `arpa` as an unquantized trie with the same scores; StoreError if the disk is full."""
    program = find_build_binary()
    command = [
        str(program),
        "-S",
        memory,
        "-T",
        str(temp_dir) + os.sep,
        "trie",
        str(arpa),
        str(binary),
    ]
    with running(command) as process:
        assert process.stderr is not None
        output = process.stderr.read().decode("utf-8", errors="replace").strip()
    if process.returncode != 0:
        last = (
            " | ".join(line for line in output.splitlines()[-4:] if line.strip("*-=0123456789 "))
            or "nothing"
        )
        if "No space left" in output or "Disk quota" in output:
            raise StoreError(
                f"build_binary ran out of disk space on {binary.name}. Free some, or choose "
                f"another --out.\nIts output: {last}"
            )
        raise ToolError(
            f"build_binary failed with status {process.returncode} on {arpa}.\nIts output: {last}"
        )

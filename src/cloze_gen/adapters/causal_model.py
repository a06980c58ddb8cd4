"""A causal language model in a local folder, as Hugging Face's transformers saves it: an optional extra, `cloze-gen[hf]`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.adapters.model_pieces import EXTRA, Pieces, told_of_model
from cloze_gen.errors import ToolError

_KIND = "causal language model"
_PIECES_AT_ONCE = 16_384  # of a batch, padding counted: at 50,000 numbers a piece only the continuation's are taken to probabilities


class CausalModel:
    """log10 P(continuation | context) of texts.

    Context and continuation are cut into pieces together, and a piece that holds characters of both counts to the continuation, so a blank
    before a word may stand on either side. Before a context stands the model's own mark of a text's beginning, or of its end, where it
    has one.

    Args:
        folder: with `config.json`, weights and tokenizer; nothing is ever fetched.
    Attributes:
        pieces: of its texts.
    Raises:
        ToolError: the extra is not installed.
        ModelError: the folder holds no such model, or its tokenizer does not tell where its pieces stand.
    """

    def __init__(self, folder: Path) -> None:
        try:
            import torch
            from transformers import AutoModelForCausalLM
        except ImportError:
            raise ToolError(EXTRA) from None
        self.pieces = Pieces(folder, _KIND)
        with told_of_model(folder, _KIND):
            self._model: Any = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
        self._torch: Any = torch
        self._model.eval()

    @property
    def window(self) -> int | None:
        """How many pieces it can see, the mark of the text's beginning counted; None where nothing tells."""
        return getattr(self._model.config, "max_position_embeddings", None)

    def log10_probs(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """log10 P(continuation | context) of each (context, continuation), shape (n,).

        What is longer than the model can see loses the beginning of its context.
        """
        return self.guesses(texts)[0]

    def guesses(self, texts: Sequence[tuple[str, str]]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """`log10_probs`, and whether each piece of the continuation is the model's first choice after those before it, bool, shape (n,).

        The second is `acc` of lm-evaluation-harness: what the model would write if it were to go on, a piece at a time.
        """
        cut = [self._pieces(context, continuation) for context, continuation in texts]
        order = sorted(range(len(cut)), key=lambda i: -len(cut[i][0]))
        result, first_choice = np.zeros(len(cut)), np.zeros(len(cut), np.bool_)
        first = 0
        while first < len(order):
            n = max(1, _PIECES_AT_ONCE // len(cut[order[first]][0]))
            rows = order[first : first + n]
            result[rows], first_choice[rows] = self._score([cut[i] for i in rows])
            first += n
        return result, first_choice

    def _pieces(self, context: str, continuation: str) -> tuple[list[int], int]:
        """The pieces of a text, and how many of the last are the continuation's."""
        tokenizer = self.pieces.tokenizer
        encoded = tokenizer(context + continuation, add_special_tokens=False, return_offsets_mapping=True)
        asked = sum(end > len(context) for _, end in encoded["offset_mapping"])
        begin = next((one for one in (tokenizer.bos_token_id, tokenizer.eos_token_id) if one is not None), None)
        pieces = ([] if begin is None else [begin]) + list(encoded["input_ids"])
        return pieces[-int(self.window or len(pieces)) :], asked

    def _score(self, batch: Sequence[tuple[list[int], int]]) -> tuple[list[float], list[bool]]:
        torch = self._torch
        longest = max(len(pieces) for pieces, _ in batch)
        ids = torch.zeros((len(batch), longest), dtype=torch.long)
        seen = torch.zeros_like(ids)
        for row, (pieces, _) in enumerate(batch):
            ids[row, : len(pieces)] = torch.tensor(pieces)
            seen[row, : len(pieces)] = 1
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=seen).logits
            scores, chosen = [], []
            for row, (pieces, asked) in enumerate(batch):
                places = torch.arange(max(1, len(pieces) - asked), len(pieces))
                log_probs = torch.log_softmax(logits[row, places - 1].double(), dim=-1)
                scores.append(float(log_probs[torch.arange(len(places)), ids[row, places]].sum()) / float(np.log(10)))
                chosen.append(bool((log_probs.argmax(dim=-1) == ids[row, places]).all()))
        return scores, chosen

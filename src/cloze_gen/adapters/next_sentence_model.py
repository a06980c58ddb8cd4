"""A model with a next-sentence head in a local folder, as BERT has one: an optional extra, `cloze-gen[hf]`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.adapters.model_pieces import EXTRA, Pieces, told_of_model
from cloze_gen.errors import ModelError, ToolError

_KIND = "next-sentence model"
_PIECES_AT_ONCE = 16_384  # of a batch, padding counted
_FOLLOWS = 0  # the head's first number is that of "the second follows the first"


def is_next_sentence_model(folder: Path) -> bool:
    """Whether the model of a folder is of a family that has a next-sentence head, by its `config.json`; False where nothing can be read.

    Raises:
        ToolError: the extra is not installed.
    """
    try:
        from transformers import MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING, AutoConfig
    except ImportError:
        raise ToolError(EXTRA) from None
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError):
        return False  # who opens it says what is wrong
    return type(config) in MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING


class NextSentenceModel:
    """P(the second text follows the first), as the head says (BERT's NSP; Devlin et al. 2019, 3.1).

    Args:
        folder: with `config.json`, weights and tokenizer; nothing is ever fetched.
    Attributes:
        pieces: of its texts.
    Raises:
        ToolError: the extra is not installed.
        ModelError: the folder holds no such model, or its weights have no such head.
    """

    def __init__(self, folder: Path) -> None:
        try:
            import torch
            from transformers import AutoModelForNextSentencePrediction
        except ImportError:
            raise ToolError(EXTRA) from None
        self.pieces = Pieces(folder, _KIND)
        with told_of_model(folder, _KIND):
            model, found = AutoModelForNextSentencePrediction.from_pretrained(folder, local_files_only=True, output_loading_info=True)
        if found["missing_keys"]:
            lacking = ", ".join(sorted(found["missing_keys"])[:3])
            raise ModelError(f"{folder}: its weights lack {lacking}, so its next-sentence head would say what chance put there")
        self._model: Any = model.eval()
        self._torch: Any = torch

    @property
    def window(self) -> int | None:
        """How many pieces it can see, its three marks counted; None where nothing tells."""
        return getattr(self._model.config, "max_position_embeddings", None)

    def log_probs(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """ln P(second follows first) of each pair, shape (n,). What is longer than the model can see loses the end of its longer text."""
        cut = [self._encoded(first, second) for first, second in pairs]
        order = sorted(range(len(cut)), key=lambda i: -len(cut[i]["input_ids"]))
        result = np.zeros(len(cut))
        first = 0
        while first < len(order):
            rows = order[first : first + max(1, _PIECES_AT_ONCE // len(cut[order[first]]["input_ids"]))]
            result[rows] = self._score([cut[i] for i in rows])
            first += len(rows)
        return result

    def _encoded(self, first: str, second: str) -> dict[str, list[int]]:
        return dict(self.pieces.tokenizer(first, second, truncation=self.window is not None, max_length=self.window))

    def _score(self, batch: Sequence[dict[str, list[int]]]) -> NDArray[np.float64]:
        padded = self.pieces.tokenizer.pad(list(batch), return_tensors="pt")
        with self._torch.inference_mode():
            logits = self._model(**padded).logits.double()
            return np.asarray(self._torch.log_softmax(logits, dim=-1)[:, _FOLLOWS].numpy())

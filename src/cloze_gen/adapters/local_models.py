"""Causal models in local folders, by transformers (extra `cloze-gen[hf]`)."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import ModelError, ToolError

EXTRA = "hf:FOLDER needs the optional extra: pip install 'cloze-gen[hf]'"
_TEXTS_AT_ONCE = 16  # per batch


class CausalModel:
    """log10 P(continuation | context) of texts; nothing is downloaded.

    Both are tokenized together; a piece that spans both counts to the continuation. The context
    starts with the model's beginning-of-text token, else its end-of-text token, if any.

    Raises:
        ToolError: the extra is not installed.
        ModelError: no model, or its tokenizer gives no offsets.
    """

    def __init__(self, folder: Path) -> None:
        try:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast
        except ImportError:
            raise ToolError(EXTRA) from None
        if not (folder / "config.json").is_file():
            raise ModelError(
                f"{folder}: no causal language model, which is a folder with config.json, weights "
                "and tokenizer"
            )
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            self._model: Any = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
        except Exception as error:  # noqa: BLE001 - reported with its message
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise ModelError(
                f"{folder}: cannot be read as a causal language model: {reason}"
            ) from None
        if not isinstance(self._tokenizer, PreTrainedTokenizerFast):
            raise ModelError(
                f"{folder}: its tokenizer gives no character offsets; save it with a tokenizer.json"
            )
        self._torch: Any = torch
        self._model.eval()
        # pieces, the first token included
        self._window: int | None = getattr(self._model.config, "max_position_embeddings", None)
        self._keeps_logits = "logits_to_keep" in signature(self._model.forward).parameters

    def fills(self, left: str, words: Sequence[str], right: str) -> NDArray[np.float64]:
        """log10 P(word | left) and log10 P(right | left, word), shape (words, 2)."""
        texts = [self._pieces(left, f"{word}{right}") for word in words]
        sums = []
        for word, log_probs in zip(words, self._in_batches(texts), strict=True):
            n_right = self._pieces(f"{left}{word}", right)[1]
            of_word, of_right = np.split(log_probs, [len(log_probs) - n_right])
            sums.append((of_word.sum(), of_right.sum()))
        return np.array(sums)

    def log10_probs(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """log10 P(continuation | context), shape (n,); long contexts lose their beginning."""
        rows = [self._pieces(context, continuation) for context, continuation in texts]
        return np.array([log_probs.sum() for log_probs in self._in_batches(rows)], np.float64)

    def _in_batches(self, rows: Sequence[tuple[list[int], int]]) -> list[NDArray[np.float64]]:
        """log10 P of the last pieces of each row; rows of similar length share a batch."""
        order = sorted(range(len(rows)), key=lambda i: -len(rows[i][0]))
        scores: dict[int, NDArray[np.float64]] = {}
        for first in range(0, len(rows), _TEXTS_AT_ONCE):
            batch = order[first : first + _TEXTS_AT_ONCE]
            scores |= zip(batch, self._score([rows[i] for i in batch]), strict=True)
        return [scores[i] for i in range(len(rows))]

    def _pieces(self, context: str, continuation: str) -> tuple[list[int], int]:
        """All pieces, and how many of the last belong to the continuation."""
        tokenizer = self._tokenizer
        encoded = tokenizer(
            context + continuation, add_special_tokens=False, return_offsets_mapping=True
        )
        n_pieces = sum(end > len(context) for _, end in encoded["offset_mapping"])
        specials = (tokenizer.bos_token_id, tokenizer.eos_token_id)
        begin = [token_id for token_id in specials if token_id is not None][:1]
        pieces = begin + list(encoded["input_ids"])
        return pieces[-(self._window or len(pieces)) :], n_pieces

    def _score(self, batch: Sequence[tuple[list[int], int]]) -> Iterator[NDArray[np.float64]]:
        """log10 P of the last pieces of each row."""
        torch = self._torch
        longest = max(len(pieces) for pieces, _ in batch)
        ids = torch.zeros((len(batch), longest), dtype=torch.long)
        seen = torch.zeros_like(ids)
        for row, (pieces, _) in enumerate(batch):
            ids[row, : len(pieces)] = torch.tensor(pieces)
            seen[row, : len(pieces)] = 1
        first = min(max(1, len(pieces) - n) for pieces, n in batch) - 1  # logits that are read
        kept = {"logits_to_keep": longest - first} if self._keeps_logits else {}
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=seen, **kept).logits
            skipped = longest - logits.shape[1]
            for row, (pieces, n_pieces) in enumerate(batch):
                places = torch.arange(max(1, len(pieces) - n_pieces), len(pieces))
                log_probs = torch.log_softmax(logits[row, places - 1 - skipped].double(), dim=-1)
                of_pieces = log_probs[torch.arange(len(places)), ids[row, places]]
                yield (of_pieces / float(np.log(10))).numpy()


@functools.lru_cache(maxsize=1)
def worker_causal_model(place: str) -> CausalModel:
    """The model of ``hf:FOLDER``, loaded once in a process."""
    return CausalModel(Path(place.removeprefix("hf:")))

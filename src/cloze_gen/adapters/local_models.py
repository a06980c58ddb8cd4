"""Causal and next-sentence models in local folders, by transformers (extra `cloze-gen[hf]`)."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloze_gen.errors import ModelError, ToolError

EXTRA = "hf:FOLDER needs the optional extra: pip install 'cloze-gen[hf]'"


@contextmanager
def wrap_load_errors(folder: Path, kind: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 - reported with its message
        raise ModelError(
            f"{folder}: cannot be read as a {kind}: "
            f"{(str(error) or type(error).__name__).splitlines()[0]}"
        ) from None


class Tokenizer:
    """The tokenizer of a model in a folder; `kind` names the expected model in messages.

    Raises:
        ToolError: the extra is not installed.
        ModelError: no model, or its tokenizer gives no offsets.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        try:
            from transformers import AutoTokenizer, PreTrainedTokenizerFast
        except ImportError:
            raise ToolError(EXTRA) from None
        if not (folder / "config.json").is_file():
            raise ModelError(
                f"{folder}: no {kind}, which is a folder with config.json, weights and tokenizer"
            )
        with wrap_load_errors(folder, kind):
            self.tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        if not isinstance(self.tokenizer, PreTrainedTokenizerFast):
            raise ModelError(
                f"{folder}: its tokenizer gives no character offsets; save it with a tokenizer.json"
            )

    def count(self, text: str) -> int:
        """Number of pieces, special tokens excluded."""
        return len(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def beginning(self, text: str, most: int) -> str:
        spans = self._spans(text)
        return text if len(spans) <= most else text[: spans[most - 1][1]] if most > 0 else ""

    def end(self, text: str, most: int) -> str:
        spans = self._spans(text)
        return text if len(spans) <= most else text[spans[-most][0] :] if most > 0 else ""

    def _spans(self, text: str) -> list[tuple[int, int]]:
        return list(
            self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)[
                "offset_mapping"
            ]
        )


_CAUSAL = "causal language model"
_PIECES_AT_ONCE = 16_384  # per batch, padding included
_LOGITS_AT_ONCE = 50_000 * _PIECES_AT_ONCE


class CausalModel:
    """log10 P(continuation | context) of texts; nothing is downloaded. Errors as `Tokenizer`.

    Both are tokenized together; a piece that spans both counts to the continuation. The context
    starts with the model's beginning-of-text token, else its end-of-text token, if any.
    """

    def __init__(self, folder: Path) -> None:
        try:
            import torch
            from transformers import AutoModelForCausalLM
        except ImportError:
            raise ToolError(EXTRA) from None
        self.pieces = Tokenizer(folder, _CAUSAL)
        with wrap_load_errors(folder, _CAUSAL):
            self._model: Any = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
        self._torch: Any = torch
        self._model.eval()
        vocabulary = self._model.get_output_embeddings().weight.shape[0]
        self._pieces_at_once = min(_PIECES_AT_ONCE, _LOGITS_AT_ONCE // vocabulary)
        self._keeps_logits = "logits_to_keep" in signature(self._model.forward).parameters

    @property
    def window(self) -> int | None:
        """Context length in pieces, the first token included; None if not configured."""
        return getattr(self._model.config, "max_position_embeddings", None)

    def fills(self, left: str, words: Sequence[str], right: str) -> NDArray[np.float64]:
        """log10 P(word | left) and log10 P(right | left, word), shape (words, 2)."""
        cut = [self._pieces(left, f"{word}{right}") for word in words]
        after = [self._pieces(f"{left}{word}", right)[1] for word in words]
        pairs = self._in_batches(cut)
        return np.array(
            [
                (log_probs[: len(log_probs) - n].sum(), log_probs[len(log_probs) - n :].sum())
                for (log_probs, _), n in zip(pairs, after, strict=True)
            ]
        )

    def log10_probs(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """log10 P(continuation | context), shape (n,); long contexts lose their beginning."""
        return self.guesses(texts)[0]

    def guesses(
        self, texts: Sequence[tuple[str, str]]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """`log10_probs`, and whether greedy decoding gives the continuation."""
        cut = [self._pieces(context, continuation) for context, continuation in texts]
        scored = self._in_batches(cut)
        return (
            np.array([log_probs.sum() for log_probs, _ in scored], np.float64),
            np.array([is_first for _, is_first in scored], np.bool_),
        )

    def _in_batches(
        self, cut: Sequence[tuple[list[int], int]]
    ) -> list[tuple[NDArray[np.float64], bool]]:
        order = sorted(range(len(cut)), key=lambda i: -len(cut[i][0]))
        found: dict[int, tuple[NDArray[np.float64], bool]] = {}
        first = 0
        while first < len(order):
            n = max(1, self._pieces_at_once // len(cut[order[first]][0]))
            rows = order[first : first + n]
            found |= zip(rows, self._score([cut[i] for i in rows]), strict=True)
            first += n
        return [found[i] for i in range(len(cut))]

    def _pieces(self, context: str, continuation: str) -> tuple[list[int], int]:
        """All pieces, and how many of the last belong to the continuation."""
        tokenizer = self.pieces.tokenizer
        encoded = tokenizer(
            context + continuation, add_special_tokens=False, return_offsets_mapping=True
        )
        n_pieces = sum(end > len(context) for _, end in encoded["offset_mapping"])
        begin = next(
            (one for one in (tokenizer.bos_token_id, tokenizer.eos_token_id) if one is not None),
            None,
        )
        pieces = ([] if begin is None else [begin]) + list(encoded["input_ids"])
        return pieces[-int(self.window or len(pieces)) :], n_pieces

    def _score(
        self, batch: Sequence[tuple[list[int], int]]
    ) -> Iterator[tuple[NDArray[np.float64], bool]]:
        """Of each row: log10 of its last pieces, and whether greedy decoding gives them."""
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
                own = log_probs[torch.arange(len(places)), ids[row, places]]
                yield (
                    (own / float(np.log(10))).numpy(),
                    bool((log_probs.argmax(dim=-1) == ids[row, places]).all()),
                )


@functools.lru_cache(maxsize=1)
def worker_causal_model(given: str) -> CausalModel:
    """The model of ``hf:FOLDER``, loaded once in a process."""
    return CausalModel(Path(given.removeprefix("hf:")))


_NEXT_SENTENCE = "next-sentence model"
_FOLLOWS = 0  # the head's first number is that of "the second follows the first"


def is_next_sentence_model(folder: Path) -> bool:
    """Whether `config.json` names a family with a next-sentence head; False if unreadable."""
    try:
        from transformers import MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING, AutoConfig
    except ImportError:
        raise ToolError(EXTRA) from None
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError):
        return False  # opening it reports the fault
    return type(config) in MODEL_FOR_NEXT_SENTENCE_PREDICTION_MAPPING


class NextSentenceModel:
    """P(the second text follows the first), by BERT's NSP head (Devlin et al. 2019, 3.1)."""

    def __init__(self, folder: Path) -> None:
        try:
            import torch
            from transformers import AutoModelForNextSentencePrediction
        except ImportError:
            raise ToolError(EXTRA) from None
        self.pieces = Tokenizer(folder, _NEXT_SENTENCE)
        with wrap_load_errors(folder, _NEXT_SENTENCE):
            model, found = AutoModelForNextSentencePrediction.from_pretrained(
                folder, local_files_only=True, output_loading_info=True
            )
        if found["missing_keys"]:
            lacking = ", ".join(sorted(found["missing_keys"])[:3])
            raise ModelError(
                f"{folder}: its weights lack {lacking}, so its next-sentence head would be random"
            )
        self._model: Any = model.eval()
        self._torch: Any = torch

    @property
    def window(self) -> int | None:
        """Context length in pieces, three special tokens included; None if not configured."""
        return getattr(self._model.config, "max_position_embeddings", None)

    def log_probs(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """ln P(second follows first), shape (n,); the longer text is cut at its end to fit."""
        cut = [self._encoded(first, second) for first, second in pairs]
        order = sorted(range(len(cut)), key=lambda i: -len(cut[i]["input_ids"]))
        result = np.zeros(len(cut))
        first = 0
        while first < len(order):
            rows = order[
                first : first + max(1, _PIECES_AT_ONCE // len(cut[order[first]]["input_ids"]))
            ]
            result[rows] = self._score([cut[i] for i in rows])
            first += len(rows)
        return result

    def _encoded(self, first: str, second: str) -> dict[str, list[int]]:
        return dict(
            self.pieces.tokenizer(
                first, second, truncation=self.window is not None, max_length=self.window
            )
        )

    def _score(self, batch: Sequence[dict[str, list[int]]]) -> NDArray[np.float64]:
        padded = self.pieces.tokenizer.pad(list(batch), return_tensors="pt")
        with self._torch.inference_mode():
            logits = self._model(**padded).logits.double()
            return np.asarray(self._torch.log_softmax(logits, dim=-1)[:, _FOLLOWS].numpy())

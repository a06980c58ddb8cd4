"""The tokenizer of a model in a local folder: how many pieces a text is, and a text cut to a number of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cloze_gen.errors import ModelError, ToolError

EXTRA = "hf:FOLDER needs the optional extra: pip install 'cloze-gen[hf]'"


@contextmanager
def told_of_model(folder: Path, kind: str) -> Iterator[None]:
    """What the libraries raise of a model's files as one message: a file cut short has classes of its own there, or bare `Exception`.

    Raises:
        ModelError: anything was raised.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001 - told, with all that is known of it
        raise ModelError(f"{folder}: cannot be read as a {kind}: {(str(error) or type(error).__name__).splitlines()[0]}") from None


class Pieces:
    """The pieces into which a model cuts a text.

    Args:
        folder: with `config.json`, weights and tokenizer; nothing is ever fetched.
        kind: what model the folder should hold, for messages.
    Attributes:
        tokenizer: transformers' own.
    Raises:
        ToolError: the extra is not installed.
        ModelError: the folder holds no model, or its tokenizer does not tell where its pieces stand.
    """

    def __init__(self, folder: Path, kind: str) -> None:
        try:
            from transformers import AutoTokenizer, PreTrainedTokenizerFast
        except ImportError:
            raise ToolError(EXTRA) from None
        if not (folder / "config.json").is_file():
            raise ModelError(f"{folder}: no {kind}, which is a folder with config.json, weights and tokenizer")
        with told_of_model(folder, kind):
            self.tokenizer: Any = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        if not isinstance(self.tokenizer, PreTrainedTokenizerFast):
            raise ModelError(f"{folder}: its tokenizer does not tell where its pieces stand in the text; save it with a tokenizer.json")

    def count(self, text: str) -> int:
        """How many pieces a text is, a model's own marks not counted."""
        return len(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def beginning(self, text: str, most: int) -> str:
        """At most so many pieces from the beginning of a text; a piece is never cut."""
        spans = self._spans(text)
        return text if len(spans) <= most else text[: spans[most - 1][1]] if most > 0 else ""

    def end(self, text: str, most: int) -> str:
        """At most so many pieces from the end of a text; a piece is never cut."""
        spans = self._spans(text)
        return text if len(spans) <= most else text[spans[-most][0] :] if most > 0 else ""

    def _spans(self, text: str) -> list[tuple[int, int]]:
        return list(self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"])

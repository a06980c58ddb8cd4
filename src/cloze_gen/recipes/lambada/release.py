"""The published files of a LAMBADA set, as `lambada-style` releases them: one passage a line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cloze_gen.formats.lambada.plain_text import format_plain_text
from cloze_gen.formats.lambada.rendering import published_tokens
from cloze_gen.records.passage import SetPassage, Split

PLAIN_TEXT = {
    Split.VALIDATION: "lambada_development_plain_text.txt",
    Split.TEST: "lambada_test_plain_text.txt",
    Split.CONTROL: "lambada_control_test_data_plain_text.txt",
}


def lambada_files(name: str, passages: Sequence[SetPassage], seed: int, finished: Path) -> dict[str, str]:
    """Development, test and control passages, named as the paper's are; nothing in them is drawn."""
    return {
        file: format_plain_text(published_tokens(one.passage) for one in passages if one.split == split)
        for split, file in PLAIN_TEXT.items()
    }
